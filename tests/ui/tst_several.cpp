// The window over several stores: one list, each act in the store of its run, and whoever keeps silent is
// named.
#include "demosource.h"
#include "desk.h"
#include "ui/data/cellroles.h"
#include "ui/dialogs/bulksheet.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/bulkmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/models/storesmodel.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/filterbox.h"

#include <QAbstractItemModelTester>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>

#include <unordered_set>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

// Two stores with the same runs in the same order: what a copy beside its original looks like.
struct Pair {
    explicit Pair(std::function<void(DemoSource&, DemoSource&)> prepare = {}, bool openBoth = true)
    {
        us.store.name = u"payments-us"_s;
        us.store.environment = u"dev"_s;
        us.store.guarded = false;
        if (prepare)
            prepare(eu, us);
        applyTheme(*qApp, false);
        stores.setPatience(40);
        stores.add(eu, u"payments-eu"_s);
        stores.add(us, u"payments-us"_s);
        window = std::make_unique<MainWindow>(stores, false);
        window->resize(1440, 900);
        window->show();
        window->start();
        window->setPolling(false);
        static_cast<void>(QTest::qWaitFor(
            [this, openBoth] {
                return stores.state(0).opened && (!openBoth || stores.state(1).opened) && window->settled()
                    && runs()->currentRow() >= 0 && !window->triage()->why().verbs.empty();
            },
            3000));
        window->setPolling(false);
        window->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window.get(), 3000));
        runs()->setFocus();
    }
    [[nodiscard]] DataTable* runs() const { return window->triage()->runsTable(); }
    [[nodiscard]] RunsModel* model() const { return window->triage()->runsModel(); }
    [[nodiscard]] QString storeOf(int row) const
    {
        return model()->index(row, RunsModel::Store).data().toString();
    }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(
            focus != nullptr ? focus : window->focusWidget(), static_cast<Qt::Key>(key), modifiers);
    }
    void choose(int row) const
    {
        runs()->setCurrentIndex(model()->index(row, 0));
        static_cast<void>(QTest::qWaitFor(
            [this, row] { return window->triage()->why().ref() == model()->row(row)->run; }, 2000));
    }
    [[nodiscard]] QString strip() const { return textOf(window->triage()); }

    DemoSource eu;
    DemoSource us;
    Stores stores;
    std::unique_ptr<MainWindow> window;
};

const Failure kGone{u"The server is gone."_s, {}, u"Press F5."_s};

quint64 countOf(const MainWindow& window, const QString& word)
{
    const auto* lines = static_cast<const AttentionModel*>(window.triage()->attentionTable()->model());
    for (const AttentionLine& line : lines->rows())
        if (line.word == word)
            return line.count;
    return 0;
}

QString accessibleOf(const MainWindow& window, const QString& beginning)
{
    for (const QWidget* widget : window.findChildren<QWidget*>())
        if (widget->accessibleName().startsWith(beginning))
            return widget->accessibleName();
    return {};
}

}  // namespace

class TestSeveral : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneStoreHasNoStoreColumn()
    {
        const Desk desk;
        QVERIFY(desk.runs()->isColumnHidden(RunsModel::Store));
        QVERIFY(desk.window->triage()->situationsTable()->isColumnHidden(SituationsModel::Store));
        QVERIFY(!desk.runs()->hiddenText().contains(u"Store"_s));
        QVERIFY(!desk.window->triage()->storesTable()->isVisible());
    }

    void twoAreOneListWithAStoreColumn()
    {
        const Pair pair;
        QVERIFY(!pair.runs()->isColumnHidden(RunsModel::Store));
        QCOMPARE(pair.storeOf(0), u"payments-eu"_s);  // equal rows: the first store's first
        QCOMPARE(pair.storeOf(1), u"payments-us"_s);
        QCOMPARE(pair.model()->index(0, RunsModel::Store).data(TagRole).toInt(), int(TagLook::Production));
        QCOMPARE(pair.model()->index(1, RunsModel::Store).data(TagRole).toInt(), int(TagLook::Other));
        QCOMPARE(pair.model()->index(0, RunsModel::Store).data(Qt::AccessibleTextRole).toString(),
            u"payments-eu, prod"_s);
        QCOMPARE(pair.model()->row(0)->run.run, pair.model()->row(1)->run.run);
        QCOMPARE(countOf(*pair.window, u"approval"_s), quint64(14));
        QCOMPARE(pair.window->triage()->situationsTable()->model()->rowCount(), 22);
        QVERIFY2(accessibleOf(*pair.window, u"Runs "_s).contains(u"1 400"_s.replace(u' ', QChar(0x2009)))
                || accessibleOf(*pair.window, u"Runs "_s).contains(u"1 400"_s),
            qPrintable(accessibleOf(*pair.window, u"Runs "_s)));
        QVERIFY2(pair.window->windowTitle().startsWith(u"PROD + DEV payments-eu, payments-us"_s),
            qPrintable(pair.window->windowTitle()));
        QCOMPARE(pair.window->status(), u"live"_s);
    }

    void everyRowIsReachedOnce()
    {
        const Pair pair;
        const int all = static_cast<int>(pair.eu.all.size() + pair.us.all.size());
        while (pair.model()->rowCount() < all) {
            const int before = pair.model()->rowCount();
            pair.runs()->verticalScrollBar()->setValue(pair.runs()->verticalScrollBar()->maximum());
            QTRY_VERIFY(pair.model()->rowCount() > before);
        }
        QCOMPARE(pair.model()->rowCount(), all);
        QVERIFY(!pair.model()->more());
        std::unordered_set<RunRef> seen;
        for (const RunSlot& slot : pair.model()->rows())
            QVERIFY(seen.insert(slot.run).second);
    }

    void actsGoToTheStoreOfTheRun()
    {
        Pair pair;
        pair.choose(1);
        QCOMPARE(pair.window->triage()->why().store, StoreIx(1));
        pair.key(Qt::Key_A);
        ActSheet* sheet = pair.window->sheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(!sheet->preview().sentence.isEmpty());
        // Its name, level and rights are the store's: this one is free, so no reason is needed.
        QVERIFY2(!accessibleOf(*pair.window, u"DEV payments-us"_s).isEmpty(), "the sheet names the store");
        QVERIFY2(
            textOf(sheet).contains(u"You act as Ines Duarte, single-host identity, in payments-us: free"_s),
            qPrintable(textOf(sheet)));
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(pair.us.executed.size(), 1U);
        QCOMPARE(pair.us.executed.front().run, pair.model()->row(1)->run.run);
        QCOMPARE(pair.eu.executed.size(), 0U);
        QCOMPARE(pair.eu.previewed.size(), 0U);
        QTRY_VERIFY2(pair.window->notice().startsWith(u"payments-us: "_s), qPrintable(pair.window->notice()));
        // The same run of the other store: guarded, a reason is asked for.
        QTRY_VERIFY(pair.window->sheet() == nullptr);
        pair.choose(0);
        pair.key(Qt::Key_A);
        sheet = pair.window->sheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(!sheet->preview().sentence.isEmpty());
        QVERIFY(!sheet->confirm()->isEnabled());
        QVERIFY(!accessibleOf(*pair.window, u"PROD payments-eu"_s).isEmpty());
    }

    void aRunsPageIsOfItsStore()
    {
        Pair pair([](DemoSource&, DemoSource& us) { us.detail.why.sentence = u"The American one waits."_s; });
        pair.choose(1);
        pair.key(Qt::Key_Return);
        RunPage* page = pair.window->currentRun();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->loaded());
        QCOMPARE(page->store(), StoreIx(1));
        QCOMPARE(page->detail().why.sentence, u"The American one waits."_s);
        QCOMPARE(pair.window->facts().name, u"payments-us"_s);  // the frame is that of what one acts in
        QVERIFY(pair.window->windowTitle().startsWith(u"DEV payments-us"_s));
        pair.key(Qt::Key_Escape);
        QVERIFY(pair.window->windowTitle().startsWith(u"PROD + DEV"_s));
        // The same id of the other store is another page.
        pair.choose(0);
        pair.key(Qt::Key_Return);
        QTRY_VERIFY(pair.window->currentRun() != nullptr && pair.window->currentRun() != page);
        QCOMPARE(pair.window->currentRun()->store(), StoreIx(0));
        QCOMPARE(pair.window->currentRun()->run().run, page->run().run);
    }

    void markedRunsAreToldByStore()
    {
        Pair pair;
        pair.key(Qt::Key_Space);
        pair.key(Qt::Key_Down, Qt::ShiftModifier);
        pair.key(Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(pair.model()->marks(), 3U);
        pair.key(Qt::Key_H);
        BulkSheet* sheet = pair.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->previewed());
        QVERIFY2(textOf(sheet).contains(u"By store: payments-eu 2 of 2, payments-us 1 of 1."_s),
            qPrintable(textOf(sheet)));
        QVERIFY(!sheet->confirm()->isEnabled());  // one of them is guarded
        sheet->reason()->setPlainText(u"the provider is down until noon"_s);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        sheet->confirm()->click();
        QTRY_VERIFY(sheet->summary().contains(u"3 done"_s));
        QCOMPARE(pair.eu.executed.size(), 2U);
        QCOMPARE(pair.us.executed.size(), 1U);
        QVERIFY2(sheet->summary().endsWith(u"Done by store: payments-eu 2 of 2, payments-us 1 of 1."_s),
            qPrintable(sheet->summary()));
    }

    void markedRunsOfAStoreThatTakesNoActsAreLeftOut()
    {
        Pair pair([](DemoSource&, DemoSource& us) {
            us.store.mayAct = false;
            us.store.whyNot = u"this store was moved"_s;
        });
        pair.key(Qt::Key_Space);
        pair.key(Qt::Key_Down, Qt::ShiftModifier);
        pair.key(Qt::Key_H);
        BulkSheet* sheet = pair.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->previewed());
        QCOMPARE(sheet->model()->row(1)->state, BulkRow::State::LeftOut);
        QCOMPARE(sheet->model()->row(1)->text, u"this store was moved"_s);
        QCOMPARE(pair.us.previewed.size(), 0U);
        QVERIFY(textOf(sheet).contains(u"By store: payments-eu 1 of 1, payments-us 0 of 1."_s));
    }

    void lookOnlyIsOfItsStore()
    {
        Pair pair([](DemoSource&, DemoSource& us) {
            us.store.mayAct = false;
            us.store.whyNot = u"the file belongs to another user"_s;
        });
        pair.choose(1);
        pair.key(Qt::Key_A);
        QVERIFY(pair.window->sheet() == nullptr);
        QCOMPARE(pair.window->notice(), u"Approve is off: the file belongs to another user"_s);
        pair.choose(0);
        pair.key(Qt::Key_A);
        QVERIFY(pair.window->sheet() != nullptr);
    }

    void rightsThatChangeAreSaid()
    {
        Pair pair;
        pair.us.store.mayAct = false;
        pair.us.store.closed = true;
        pair.us.store.whyNot = u"this store was moved"_s;
        const int reads = pair.us.factReads;
        pair.key(Qt::Key_F5);
        QTRY_COMPARE(pair.us.factReads, reads + 1);
        QTRY_COMPARE(pair.window->notice(), u"payments-us: look only: this store was moved"_s);
        pair.choose(1);
        pair.key(Qt::Key_A);
        QCOMPARE(pair.window->notice(), u"Approve is off: this store was moved"_s);
    }

    void aStoreThatDiesIsNamed()
    {
        Pair pair;
        pair.choose(1);
        pair.us.failAll(kGone);
        pair.stores.poll();
        QTRY_VERIFY(!pair.stores.state(1).answers());
        QVERIFY2(pair.window->status().startsWith(u"no answer: payments-us (data "_s),
            qPrintable(pair.window->status()));
        QVERIFY(pair.window->notice().startsWith(u"payments-us: The server is gone."_s));
        pair.window->triage()->refresh();
        QTRY_VERIFY2(accessibleOf(*pair.window, u"Attention "_s).contains(u"at least: payments-us as of"_s),
            qPrintable(accessibleOf(*pair.window, u"Attention "_s)));
        // What was known of it stays, and is called old; the counts are at least that.
        QCOMPARE(countOf(*pair.window, u"approval"_s), quint64(14));
        const auto* attention = pair.window->triage()->attentionTable()->model();
        QVERIFY(attention->index(1, AttentionModel::Count).data().toString().startsWith(u"≥ "_s));
        QTRY_VERIFY2(pair.strip().contains(u"payments-us as of"_s), qPrintable(pair.strip()));
        QCOMPARE(pair.storeOf(1), u"payments-us"_s);
        const auto* stores = static_cast<const StoresModel*>(pair.window->triage()->storesTable()->model());
        QVERIFY(stores->row(1)->warns);
        QVERIFY(stores->row(1)->text.contains(u"The server is gone."_s));
        // No act is offered in it, and why is said; the other is as it was.
        QTRY_VERIFY(!pair.window->triage()->why().verbs.empty());
        for (const VerbLine& verb : pair.window->triage()->why().verbs) {
            QVERIFY2(!verb.on, qPrintable(verb.name));
            QCOMPARE(verb.text, u"payments-us does not answer"_s);
        }
        pair.key(Qt::Key_H);
        QVERIFY(pair.window->sheet() == nullptr);
        QCOMPARE(pair.window->notice(), u"Pause is off: payments-us does not answer"_s);
        pair.choose(0);
        pair.key(Qt::Key_A);
        QVERIFY(pair.window->sheet() != nullptr);
        pair.window->sheet()->reject();
        // It comes back by itself.
        pair.us.failAll({});
        pair.stores.poll();
        QTRY_VERIFY(pair.stores.state(1).answers());
        QTRY_COMPARE(pair.window->status(), u"live"_s);
        pair.window->triage()->refresh();
        QTRY_VERIFY(accessibleOf(*pair.window, u"Attention "_s).contains(u"exact"_s));
    }

    void aStoreThatHangsHoldsUpNobody()
    {
        Pair pair([](DemoSource&, DemoSource& us) { us.closeAll(); }, false);
        QVERIFY(pair.window->settled());
        QCOMPARE(pair.model()->rowCount(), 200);
        QCOMPARE(pair.storeOf(1), u"payments-eu"_s);
        QVERIFY(pair.strip().contains(u"without payments-us"_s));
        QCOMPARE(countOf(*pair.window, u"approval"_s), quint64(7));
        pair.us.openAll();
        QTRY_COMPARE(pair.storeOf(1), u"payments-us"_s);
        QTRY_COMPARE(countOf(*pair.window, u"approval"_s), quint64(14));
        QVERIFY(!pair.strip().contains(u"without"_s));
    }

    void refreshKeepsSelectionAndScroll()
    {
        Pair pair;
        pair.choose(151);
        pair.runs()->verticalScrollBar()->setValue(3600);
        const int scroll = pair.runs()->verticalScrollBar()->value();
        const RunRef here = pair.model()->row(151)->run;
        QCOMPARE(here.store, StoreIx(1));
        const QSignalSpy reset(pair.model(), &QAbstractItemModel::modelReset);
        const QAbstractItemModelTester tester(
            pair.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        ChangeSet changes;
        changes.at = kDemoNow + 1000;
        changes.lines = {pair.us.all[3]};
        changes.lines.front().word = u"Executing"_s;
        pair.us.all[3] = changes.lines.front();
        pair.us.pending = {changes};
        pair.stores.poll();
        QTRY_COMPARE(pair.model()->index(7, RunsModel::State).data().toString(), u"Executing"_s);
        QVERIFY(pair.model()->index(6, RunsModel::State).data().toString()
            != u"Executing"_s);  // same id, other store
        QTRY_VERIFY(pair.window->settled());
        // A store falls silent and comes back meanwhile.
        pair.us.failAll(kGone);
        pair.window->triage()->again();
        QTRY_VERIFY(!pair.window->triage()->shares().empty());
        pair.us.failAll({});
        pair.window->triage()->again();
        QTRY_VERIFY(pair.window->triage()->shares().empty());
        QCOMPARE(pair.runs()->currentRow(), 151);
        QCOMPARE(pair.model()->row(151)->run, here);
        QCOMPARE(pair.runs()->verticalScrollBar()->value(), scroll);
        QCOMPARE(reset.count(), 0);
    }

    void panelsAreReachedByF6()
    {
        const Pair pair;
        QStringList places;
        for (int i = 0; i < 6; ++i) {
            pair.key(Qt::Key_F6);
            places << pair.window->triage()->place();
        }
        QCOMPARE(places.join(u' '), u"Plans Why Attention Stores Situations Runs"_s);
    }

    void theStoresDockFilters()
    {
        const Pair pair;
        DataTable* stores = pair.window->triage()->storesTable();
        stores->setFocus();
        stores->setCurrentIndex(stores->model()->index(1, 0));
        pair.key(Qt::Key_Return);
        QCOMPARE(pair.window->triage()->filterBox()->filter(), u"store:payments-us state:open"_s);
        QTRY_COMPARE(pair.storeOf(0), u"payments-us"_s);
        QTRY_VERIFY(pair.window->settled());
        for (int row = 0; row < pair.model()->rowCount(); ++row)
            QCOMPARE(pair.storeOf(row), u"payments-us"_s);
        stores->setFocus();
        pair.key(Qt::Key_Return);  // once more: all of them
        QCOMPARE(pair.window->triage()->filterBox()->filter(), QString());
        QTRY_COMPARE(pair.storeOf(0), u"payments-eu"_s);
    }

    void storeLinesHoldTheirBorders()
    {
        StoresModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setLines({{0, {u"a"_s, u"prod"_s, TagLook::Production}, u"guarded"_s, u"a, prod"_s, false},
            {1, {u"b"_s, u"dev"_s, TagLook::Other, true}, u"no answer"_s, u"b"_s, true}});
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(!model.index(2, 0).isValid());
        QCOMPARE(model.index(1, StoresModel::State).data(WarnRole).toBool(), true);
        QCOMPARE(model.index(1, StoresModel::Name).data(Qt::AccessibleTextRole).toString(),
            u"b, dev, does not answer"_s);
        model.setLines({{1, {u"b"_s, u"dev"_s, TagLook::Other}, u"free"_s, u"b"_s, false}});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0, StoresModel::State).data().toString(), u"free"_s);
    }

    void hintsThatAreNotHeardAreSaid()
    {
        Pair pair;
        Q_EMIT pair.us.hearingChanged(Hearing::Deaf, u"the link does not answer"_s);
        QCOMPARE(pair.window->status(), u"asked every second, hints are not heard: payments-us"_s);
        const auto* stores = static_cast<const StoresModel*>(pair.window->triage()->storesTable()->model());
        QTRY_VERIFY(stores->row(1)->warns);
        QCOMPARE(stores->row(1)->state, u"hints not heard"_s);
        Q_EMIT pair.us.hearingChanged(Hearing::Listening, {});
        QCOMPARE(pair.window->status(), u"live"_s);
    }
    void aStandbyIsSaidWithItsAge()
    {
        Pair pair([](DemoSource&, DemoSource& us) {
            us.store.standing = {u"Standby, 9.0 s behind"_s, true};
            us.store.mayAct = false;
            us.store.whyNot = u"this is a standby"_s;
        });
        QCOMPARE(pair.window->status(), u"payments-us: Standby, 9.0 s behind"_s);
        const auto* stores = static_cast<const StoresModel*>(pair.window->triage()->storesTable()->model());
        QTRY_VERIFY(stores->row(1)->warns);
        QCOMPARE(stores->row(1)->state, u"Standby, 9.0 s behind"_s);
        QVERIFY(!stores->row(0)->warns);
        // Nothing can be listened to there, so nothing is amiss.
        Q_EMIT pair.us.hearingChanged(Hearing::Deaf, u"recovery is in progress"_s);
        QCOMPARE(pair.window->status(), u"payments-us: Standby, 9.0 s behind"_s);
        // It has caught up, and then was promoted: each with the next poll.
        pair.us.store.standing = {u"Standby, up to date"_s, false};
        pair.stores.poll();
        QTRY_COMPARE(pair.window->status(), u"payments-us: Standby, up to date"_s);
        const int reads = pair.us.factReads;
        pair.us.store.standing = {};
        pair.us.store.mayAct = true;
        pair.us.store.whyNot.clear();
        Q_EMIT pair.us.hearingChanged(Hearing::Listening, {});
        pair.stores.poll();
        QTRY_COMPARE(pair.window->status(), u"live"_s);
        QTRY_VERIFY(pair.us.factReads > reads);
        QTRY_VERIFY(pair.stores.state(1).facts.mayAct);
    }
};

QTEST_MAIN(TestSeveral)
#include "tst_several.moc"
