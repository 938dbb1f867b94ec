// A run's page: its views by keys, the versions, relations, comparison, context, the history's lanes.
#include "desk.h"
#include "ui/models/historymodel.h"
#include "ui/models/runviewmodels.h"
#include "ui/pages/compareview.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/payloadviewer.h"
#include "ui/pages/runpage.h"
#include "ui/pages/runviews.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/timelineview.h"
#include "ui/models/stepsmodel.h"
#include "ui/widgets/revisionbar.h"
#include "ui/widgets/timeline/timelinecanvas.h"

#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct Open {
    explicit Open(const std::function<void(DemoSource&)>& prepare = {})
        : desk(prepare)
        , page(desk.window->openRun(demoRun(1)))
    {
        static_cast<void>(
            QTest::qWaitFor([this] { return page->loaded() && !page->acts()->remark().isEmpty(); }, 3000));
    }
    Desk desk;
    RunPage* page;
};

}  // namespace

class TestRunViews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void viewsAreReachedByTheirNumbers()
    {
        const Open o;
        QStringList places;
        for (int key = Qt::Key_1; key <= Qt::Key_8; ++key) {
            o.page->setFocus();
            QTest::keyClick(o.page, static_cast<Qt::Key>(key));
            places << o.page->place();
        }
        QCOMPARE(
            places.join(u'|'), u"Steps|Timeline|History|Data|Relations|Operators' acts|Compare|Context"_s);
        for (const QString& name : RunPage::viewNames()) {
            QVERIFY2(o.page->showNamed(name), qPrintable(name));
            const auto* view = o.page->findChild<QWidget*>(u"view-"_s + name);
            QVERIFY2(view != nullptr && view->isVisible(), qPrintable(name));
        }
        QVERIFY(!o.page->showNamed(u"nothing"_s));
    }

    void everyViewHasNamesForAssistiveTechnology()
    {
        const Open o;
        for (const QWidget* widget : o.page->findChildren<QWidget*>())
            if ((widget->focusPolicy() & Qt::TabFocus) != 0 && widget->parentWidget() != nullptr
                && !widget->objectName().startsWith(u"qt_"_s) && widget->inherits("QAbstractScrollArea")
                && !widget->inherits("QScrollArea"))
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }

    void versionsAreGoneThroughByKeys()
    {
        const Open o;
        RevisionBar* bar = o.page->revisions();
        QCOMPARE(bar->newest(), 61U);
        QVERIFY(bar->atNow());
        QCOMPARE(bar->title(), u"Now, version 61 of 61"_s);
        o.desk.key(Qt::Key_BracketLeft);  // from the list of steps
        QTRY_COMPARE(o.page->detail().version, 60U);
        QVERIFY(!o.page->atNow());
        bar->setFocus();
        o.desk.key(Qt::Key_Home);
        QTRY_COMPARE(o.page->detail().version, 1U);
        o.desk.key(Qt::Key_PageDown);
        QTRY_COMPARE(o.page->detail().version, 7U);  // a tenth further
        o.desk.key(Qt::Key_Right);
        QTRY_COMPARE(o.page->detail().version, 8U);
        QVERIFY(bar->title().startsWith(u"As it was at version 8 of 61, 2026-11-29 "_s));
        o.desk.key(Qt::Key_End);
        QTRY_VERIFY(o.page->atNow());
        QCOMPARE(o.page->detail().version, 61U);
        QCOMPARE(o.desk.source.travelled, (std::vector<quint64>{60, 1, 7, 8}));  // now is not asked for
    }

    void anEarlierVersionIsShownInAllViewsAndTakesNoAct()
    {
        const Open o;
        QVERIFY(o.page->steps()->model()->find(13)->begun);
        o.page->travelTo(5);
        QTRY_COMPARE(o.page->detail().version, 5U);
        QVERIFY(!o.page->steps()->model()->find(13)->begun);
        QVERIFY(o.page->steps()->model()->find(4)->begun);
        QVERIFY(textOf(o.page).contains(u"As it was at version 5 of 61"_s));
        for (const VerbLine& verb : o.page->detail().why.verbs)
            QVERIFY(!verb.on);
        // The timeline ends then, and what was done later is not on it.
        o.page->showView(2);
        QCOMPARE(o.page->timeline()->canvas()->timeline().now, kDemoNow - 57 * 100'000);
        QVERIFY(o.page->timeline()->canvas()->timeline().acts.empty());
        o.page->showView(1);
        o.desk.key(Qt::Key_A);
        QVERIFY(o.desk.window->sheet() == nullptr);
        QVERIFY(o.desk.window->notice().contains(u"go back to now to act"_s));
    }

    void aRefreshLeavesThePastAlone()
    {
        Open o;
        o.page->travelTo(5);
        QTRY_COMPARE(o.page->detail().version, 5U);
        const int reads = o.desk.source.runReads;
        o.desk.source.detail.version = 62;
        o.page->load();
        QTRY_COMPARE(o.desk.source.runReads, reads + 1);
        QTRY_COMPARE(o.page->revisions()->newest(), 62U);
        QCOMPARE(o.page->detail().version, 5U);
        QCOMPARE(o.page->revisions()->shownVersion(), 5U);
        o.page->travelTo(62);
        QCOMPARE(o.page->detail().version, 62U);
    }

    void aLateAnswerAboutThePastIsDropped()
    {
        Open o;
        o.desk.source.pastGate.close();
        o.page->travelTo(5);
        o.page->travelTo(61);
        o.desk.source.pastGate.open();
        o.page->travelTo(9);
        QTRY_COMPARE(o.page->detail().version, 9U);
    }

    void whereTheVersionCannotBeReadNothingMoves()
    {
        Open o;
        o.desk.source.pastGate.fails = {u"The store did not answer."_s, {}, u"Try again."_s};
        const QSignalSpy failed(o.page, &RunPage::failed);
        o.page->travelTo(5);
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed.front().front().toString(), u"The store did not answer. Try again."_s);
        QVERIFY(o.page->atNow());
        QCOMPARE(o.page->revisions()->shownVersion(), 61U);
    }

    void actsStandInALaneAndLeadToTheirVersion()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_6);
        DataTable* table = o.page->acts()->table();
        QCOMPARE(o.page->acts()->remark(), u"2 acts, 1 of them without effect"_s);
        QCOMPARE(table->model()->index(1, ActsModel::Outcome).data().toString(), u"refused"_s);
        QCOMPARE(table->model()->index(1, ActsModel::Version).data().toString(), u"–"_s);
        table->setCurrentIndex(table->model()->index(0, 0));
        o.desk.key(Qt::Key_Return);
        QTRY_COMPARE(o.page->detail().version, 24U);
        o.desk.key(Qt::Key_D);
        QTRY_COMPARE(o.desk.source.compared.size(), 1U);
        QCOMPARE(o.desk.source.compared.front().first.version, 23U);
        QCOMPARE(o.desk.source.compared.front().second.version, 24U);
        QCOMPARE(o.page->place(), u"Compare"_s);
    }

    void relationsOpenALevelAtATime()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_5);
        RelationsModel* model = o.page->relations()->model();
        const QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QTRY_COMPARE(model->rowCount(), 4);
        QCOMPARE(model->index(0, RelationsModel::Run).data().toString(), u"above: flow-900 @1"_s);
        QCOMPARE(model->index(2, RelationsModel::May).data().toString(), u"may use 2.00 EUR"_s);
        QCOMPARE(model->index(2, RelationsModel::By).data().toString(), u"scout"_s);
        DataTable* table = o.page->relations()->table();
        table->setCurrentIndex(model->index(2, 0));
        o.desk.key(Qt::Key_Right);
        QTRY_COMPARE(model->rowCount(), 5);
        QCOMPARE(model->row(3)->run, demoRun(903));
        QCOMPARE(model->row(3)->depth, 3);
        o.desk.key(Qt::Key_Left);
        QCOMPARE(model->rowCount(), 4);
        table->setCurrentIndex(model->index(3, 0));
        o.desk.key(Qt::Key_Return);  // not in this store
        QCOMPARE(o.desk.window->currentRun(), o.page);
        table->setCurrentIndex(model->index(2, 0));
        o.desk.key(Qt::Key_Return);
        QVERIFY(o.desk.window->currentRun() != o.page);
        QCOMPARE(o.desk.window->currentRun()->run().run, demoRun(901));
    }

    void whatIsWrittenForASideIsUnderstood_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        QTest::addColumn<quint64>("version");
        QTest::addColumn<quint32>("attempt");
        QTest::addColumn<QString>("name");
        using Kind = SideText::Kind;
        const auto row = [](const char* text, Kind kind, quint64 version, quint32 attempt,
                             const QString& name) {
            QTest::newRow(*text == '\0' ? "nothing" : text)
                << QString::fromUtf8(text) << int(kind) << version << attempt << name;
        };
        row("", Kind::Version, 0, 0, {});
        row("now", Kind::Version, 0, 0, {});
        row(" 12 ", Kind::Version, 12, 0, {});
        row("Version 12", Kind::Version, 12, 0, {});
        row("version 0", Kind::Wrong, 0, 0, {});
        row("attempt 2 of pay", Kind::Attempt, 0, 2, u"pay"_s);
        row("attempt 0 of pay", Kind::Wrong, 0, 0, u"pay"_s);
        row("PR-1187", Kind::Run, 0, 0, u"PR-1187"_s);
        row("PR-1187@9", Kind::Run, 9, 0, u"PR-1187"_s);
        row("run:12", Kind::Run, 0, 0, u"12"_s);
        row("run:", Kind::Wrong, 0, 0, {});
    }
    void whatIsWrittenForASideIsUnderstood()
    {
        QFETCH(QString, text);
        QFETCH(int, kind);
        QFETCH(quint64, version);
        QFETCH(quint32, attempt);
        QFETCH(QString, name);
        const SideText side = parseSide(text);
        QCOMPARE(int(side.kind), kind);
        QCOMPARE(side.version, version);
        QCOMPARE(side.attempt, attempt);
        QCOMPARE(side.attempt != 0 || !side.step.isEmpty() ? side.step : side.run, name);
        QCOMPARE(side.wrong.isEmpty(), side.kind != SideText::Kind::Wrong);
    }

    void twoSidesAreCompared()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_7);
        CompareView* view = o.page->comparison();
        QCOMPARE(view->box(0)->text(), u"version 60"_s);  // the last change, unless another is written
        QCOMPARE(view->box(1)->text(), u"now"_s);
        o.desk.key(Qt::Key_Return);
        QTRY_COMPARE(view->remark(), u"2 differences, 30 of 31 steps are alike"_s);
        QCOMPARE(o.desk.source.compared.back().first.version, 60U);
        QCOMPARE(o.desk.source.compared.back().second.version, 0U);
        QCOMPARE(view->table()->model()->index(1, CompareModel::Left).data().toString(), u"not there"_s);
        QCOMPARE(view->table()->model()->headerData(CompareModel::Left, Qt::Horizontal).toString(),
            u"A: version 60"_s);
        view->compare(u"now"_s, u"nothing"_s);
        QTRY_COMPARE(view->wrong(), u"B: There is no run \"nothing\". The store is unchanged. Try again."_s);
        view->compare(u"now"_s, u"K-1@4"_s);
        QTRY_COMPARE(o.desk.source.compared.size(), 2U);
        QCOMPARE(o.desk.source.compared.back().second.run, demoRun(1));
        QCOMPARE(o.desk.source.compared.back().second.version, 4U);
        view->compare(u"now"_s, u"attempt 1 of pay"_s);
        QVERIFY(view->wrong().startsWith(u"An attempt is compared with an attempt"_s));
        QCOMPARE(o.desk.source.compared.size(), 2U);
    }

    void escapeLeavesABoxBeforeItLeavesTheRun()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_7);
        for (int side = 0; side < 2; ++side) {
            o.page->comparison()->box(side)->setFocus();
            o.desk.key(Qt::Key_Escape);
            QCOMPARE(o.desk.window->currentRun(), o.page);
            QVERIFY(o.page->comparison()->table()->hasFocus());
        }
        o.desk.key(Qt::Key_Escape);
        QVERIFY(o.desk.window->onLists());
    }

    void theLastTwoAttemptsOfTheSelectedStepAreCompared()
    {
        const Open o;
        o.page->steps()->select(12);
        o.page->steps()->focusList();
        o.desk.key(Qt::Key_D);
        QTRY_COMPARE(o.desk.source.compared.size(), 1U);
        QCOMPARE(o.desk.source.compared.front().first.attempt, 1U);
        QCOMPARE(o.desk.source.compared.front().second.attempt, 2U);
        QCOMPARE(o.desk.source.compared.front().second.step, u"reserve-budget"_s);
    }

    void contextIsReadWithinItsBudget()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_8);
        ContextView* view = o.page->context();
        QTRY_COMPARE(view->text()->toPlainText(), u"# Where the run stands\nbudget 8000\n"_s);
        QVERIFY(view->text()->isReadOnly());
        QVERIFY(view->remark().startsWith(u"35 B, about 9 of "_s));
        view->budget()->setValue(500);
        QTRY_COMPARE(view->text()->toPlainText(), u"# Where the run stands\nbudget 500\n"_s);
    }

    void historyIsCompactWithOperatorsInALaneOfTheirOwn()
    {
        const Open o;
        o.page->setFocus();
        QTest::keyClick(o.page, Qt::Key_3);
        HistoryModel* model = o.page->history()->model();
        const QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QTRY_COMPARE(model->rowCount(), 61);
        QCOMPARE(model->index(11, HistoryModel::Operator).data().toString(), u"Kim Larsen"_s);
        QCOMPARE(model->index(11, HistoryModel::Actor).data().toString(), QString());
        QCOMPARE(model->index(10, HistoryModel::Operator).data().toString(), QString());
        QCOMPARE(model->index(10, HistoryModel::Actor).data().toString(), u"engine w-04"_s);
        o.desk.key(Qt::Key_Z);
        // 11 of the machine, 1 of a person, five times; then the last one.
        QTRY_COMPARE(model->rowCount(), 11);
        QCOMPARE(model->row(0)->folded, 11U);
        QCOMPARE(HistoryModel::lastOf(*model->row(0)), 11U);
        QCOMPARE(model->row(1)->version, 12U);
        QVERIFY(model->index(0, HistoryModel::What).data().toString().startsWith(u"11 entries, up to "_s));
        o.desk.key(Qt::Key_Z);
        QTRY_COMPARE(model->rowCount(), 61);
        o.page->history()->table()->setCurrentIndex(model->index(19, 0));
        o.desk.key(Qt::Key_Return);
        QTRY_COMPARE(o.page->detail().version, 20U);
    }

    void foldsGoOnOverPages()
    {
        HistoryModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setCompact(true);
        model.setTotal(61);
        DemoSource source;
        model.addLines(*source.history({}, 1, 5).result().value);
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.lastVersion(), 5U);
        model.addLines(*source.history({}, 4, 10).result().value);  // overlaps
        QCOMPARE(model.rowCount(), 3);                              // 1 to 11, 12, 13
        QCOMPARE(model.row(0)->folded, 11U);
        QCOMPARE(model.row(2)->folded, 0U);
    }

    void relationsSelectTheRunBehindTheSelectedStep()
    {
        const Open o;
        o.page->steps()->select(3);  // plan-search
        o.page->steps()->focusList();
        o.desk.key(Qt::Key_5);
        QTRY_COMPARE(o.page->relations()->table()->currentRow(), 2);
    }

    void theViewsShareTheStepsThatWereRead()
    {
        const Open o;
        const StepList& read = o.page->newest().steps;
        QVERIFY(o.page->detail().steps.sameAs(read));
        QVERIFY(o.page->timeline()->steps().sameAs(read));
        QVERIFY(o.page->steps()->model()->all().sameAs(read));
        // Who changes a list that others hold changes one of his own.
        StepList own = read;
        own.change().front().id = u"renamed"_s;
        QVERIFY(!own.sameAs(read));
        QCOMPARE(read.front().id, u"read-request"_s);
        QCOMPARE(own.front().id, u"renamed"_s);
        QVERIFY(StepList(read.all()) == read);  // alike, though not the same
    }

    void dataShowsThePayloadOfTheSelectedStep()
    {
        const Open o;
        o.page->steps()->select(12);
        o.page->steps()->focusList();
        o.desk.key(Qt::Key_4);
        QCOMPARE(o.page->data()->payload()->shownLine().title, u"output of reserve-budget"_s);
    }
};

QTEST_MAIN(TestRunViews)
#include "tst_runviews.moc"
