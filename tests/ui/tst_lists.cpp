// The lists by keys: groups, order, marks beyond the screen, the next run that needs somebody, back and
// forward, what if, and a window that does nothing.
#include "desk.h"
#include "ui/dialogs/namebox.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/dialogs/palette.h"
#include "ui/models/groupsmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/planspage.h"
#include "ui/pages/runpage.h"
#include "ui/pages/windowviews.h"
#include "ui/widgets/filterbox.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/actiontable.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/whypanel.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

#include <algorithm>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

QString titleOf(const Desk& desk, const QString& beginning)
{
    for (const QWidget* widget : desk.window->triage()->findChildren<QWidget*>())
        if (widget->accessibleName().startsWith(beginning + u' '))
            return widget->accessibleName();
    return {};
}

void act(const Desk& desk, const QString& id)
{
    const WindowAction* action = desk.window->actionTable().find(id);
    QVERIFY2(action != nullptr, qPrintable(id));
    action->run();
}

void withGroups(DemoSource& source)
{
    source.help = {
        15, 0, u"def"_s, {{u"order-intake"_s, 171}, {u"refund"_s, 62}, {u"nothing-runs"_s, 0}}, false, {}};
}

}  // namespace

class TestLists : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void panelsArePutAwayAndComeBack()
    {
        const Desk desk;
        TriagePage* triage = desk.window->triage();
        using Panel = TriagePage::Panel;
        const ActionTable& table = desk.window->actionTable();
        const QList<int> before{triage->findChild<WhyPanel*>()->width(), triage->runsTable()->width()};
        table.find(u"view.panel-why"_s)->run();
        QVERIFY(!triage->panelShown(Panel::Why));
        QTRY_VERIFY(triage->runsTable()->width() > before[1]);
        table.find(u"view.panel-attention"_s)->run();
        QVERIFY(!triage->panelShown(Panel::Attention));
        triage->runsTable()->setColumnWanted(RunsModel::Key, false);
        table.find(u"view.layout-reset"_s)->run();
        QVERIFY(triage->panelShown(Panel::Why) && triage->panelShown(Panel::Attention));
        QVERIFY(triage->runsTable()->columnWanted(RunsModel::Key));
        QTRY_COMPARE(
            (QList<int>{triage->findChild<WhyPanel*>()->width(), triage->runsTable()->width()}), before);
    }

    void eGoesToWhatNeedsSomebody()
    {
        const Desk desk;
        QCOMPARE(desk.runs()->currentRow(), 0);
        desk.key(Qt::Key_E);
        QCOMPARE(desk.runs()->currentRow(), 1);
        desk.key(Qt::Key_E, Qt::ShiftModifier);
        QCOMPARE(desk.runs()->currentRow(), 0);
        // Backwards over the beginning: the last of the rows that are here, past all that the machine will
        // do.
        desk.key(Qt::Key_E, Qt::ShiftModifier);
        QCOMPARE(desk.window->triage()->runsModel()->row(desk.runs()->currentRow())->run.run, demoRun(32));
    }

    void sSortsByKeyPages()
    {
        const Desk desk;
        QVERIFY(!desk.source.listed.back().newest);
        desk.key(Qt::Key_S);
        QTRY_VERIFY(desk.source.listed.back().newest);
        QVERIFY2(titleOf(desk, u"Runs"_s).contains(u"newest first"_s), qPrintable(titleOf(desk, u"Runs"_s)));
        QTRY_VERIFY(desk.window->settled());
        desk.window->triage()->runsModel()->fetchMore({});
        QTRY_VERIFY(desk.source.listed.back().after.has_value());
        QVERIFY(desk.source.listed.back().newest);  // further down in the same order
        desk.runs()->setFocus();
        desk.key(Qt::Key_S);
        QTRY_VERIFY(!desk.source.listed.back().newest);
        QCOMPARE(desk.window->notice(), u"Sorted by who moves next, then the oldest."_s);
    }

    void allThatMatchAreMarkedWithTheirNumber()
    {
        const Desk desk;
        QCOMPARE(desk.window->triage()->runsModel()->rowCount(), 200);  // of 700
        desk.key(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(desk.window->triage()->marked().size(), 700U);
        QCOMPARE(desk.source.listed.back().limit, 2000);
        QCOMPARE(desk.window->notice(), u"Marked all 700 runs that match."_s);
    }

    void moreThanCanBeMarkedIsSaid()
    {
        const Desk desk([](DemoSource& source) {
            for (int n = 700; n < 2200; ++n) {
                source.all.push_back(source.all.back());
                source.all.back().run = demoRun(n);
                source.all.back().place = {n, 0, demoRun(n)};
            }
        });
        desk.key(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(desk.window->triage()->marked().size(), 2000U);
        QCOMPARE(desk.window->notice(),
            u"Marked 2\u2009000 runs, as many as can be at once; there are more. A plan takes all that the "
            u"filter finds: menu Plan."_s);
    }

    void fAddsAndTakesOneTerm()
    {
        const Desk desk;
        const FilterBox* box = desk.window->triage()->filterBox();
        desk.key(Qt::Key_F);
        QCOMPARE(box->filter(), QString());
        QCOMPARE(desk.window->notice(), u"Without a filter only what is not finished is shown."_s);
        desk.window->triage()->filterBox()->setFilter(u"def:refund"_s);
        desk.runs()->setFocus();
        desk.key(Qt::Key_F);
        QCOMPARE(box->filter(), u"def:refund state:open"_s);
        desk.runs()->setFocus();
        desk.key(Qt::Key_F);
        QCOMPARE(box->filter(), u"def:refund"_s);
    }

    void aGroupIsWhatTheListBelowHas()
    {
        const Desk desk(withGroups);
        TriagePage* triage = desk.window->triage();
        triage->setGrouping(u"def"_s);
        QTRY_COMPARE(triage->groupsModel()->rowCount(), 2);  // a group of no run is none
        QCOMPARE(desk.source.questions.back().text, u"state:open def:"_s);
        QVERIFY(triage->groupsTable()->isVisible());
        QVERIFY(!triage->situationsTable()->isVisible());
        QVERIFY2(titleOf(desk, u"Groups"_s).contains(u"2 by workflow, 467 runs in none of them"_s),
            qPrintable(titleOf(desk, u"Groups"_s)));
        triage->groupsTable()->setFocus();
        triage->groupsTable()->setCurrentIndex(triage->groupsModel()->index(1, 0));
        QTRY_COMPARE(desk.source.listed.back().filter, u"state:open def:refund"_s);
        QTRY_VERIFY2(
            titleOf(desk, u"Runs"_s).contains(u"62 in  def:refund"_s), qPrintable(titleOf(desk, u"Runs"_s)));
        QCOMPARE(triage->filterBox()->filter(), QString());
        QTRY_VERIFY(desk.window->settled());
        desk.key(Qt::Key_Escape);
        QTRY_COMPARE(desk.source.listed.back().filter, QString());
        QCOMPARE(triage->groupsTable()->currentRow(), -1);
        desk.window->triage()->setGrouping(u"situation"_s);
        QVERIFY(triage->situationsTable()->isVisible());
        QVERIFY(!triage->groupsTable()->isVisible());
    }

    void withNothingGroupedTheRunsHaveTheRoom()
    {
        const Desk desk(withGroups);
        const int before = desk.runs()->height();
        act(desk, u"view.group-none"_s);
        QVERIFY(!desk.window->triage()->situationsTable()->isVisible());
        QTRY_VERIFY(desk.runs()->height() > before + 200);
        QVERIFY2(titleOf(desk, u"Groups"_s).contains(u"nothing is grouped"_s),
            qPrintable(titleOf(desk, u"Groups"_s)));
        act(desk, u"view.group-situation"_s);
        QVERIFY(desk.window->triage()->situationsTable()->isVisible());
    }

    void alternativesCannotBeGrouped()
    {
        const Desk desk(withGroups);
        desk.window->triage()->filterBox()->setFilter(u"wait:approval or wait:timer"_s);
        desk.window->triage()->setGrouping(u"def"_s);
        QTRY_VERIFY2(titleOf(desk, u"Groups"_s).contains(u"not possible: the filter has alternatives (or)"_s),
            qPrintable(titleOf(desk, u"Groups"_s)));
        QCOMPARE(desk.window->triage()->groupsModel()->rowCount(), 0);
    }

    void theDockOfPlansLeadsToTheirTab()
    {
        const Desk desk;
        const TriagePage* triage = desk.window->triage();
        QTRY_COMPARE(triage->plansTable()->model()->rowCount(), 2);
        QVERIFY2(
            titleOf(desk, u"Plans"_s).contains(u"1 plan open, 1 proposed act, 1 waits for a second person"_s),
            qPrintable(titleOf(desk, u"Plans"_s)));
        triage->plansTable()->setFocus();
        QCOMPARE(triage->place(), u"Plans"_s);
        desk.key(Qt::Key_Return);
        QVERIFY(desk.window->currentPlans() != nullptr);
    }

    // Enter leads to the plan itself; a letter means the plan too, and never the run that is selected above.
    void aPlanOfTheDockIsSelectedOnTheTab_data()
    {
        QTest::addColumn<int>("key");
        QTest::newRow("enter") << static_cast<int>(Qt::Key_Return);
        QTest::newRow("pause") << static_cast<int>(Qt::Key_H);
        QTest::newRow("abort") << static_cast<int>(Qt::Key_Delete);
    }
    void aPlanOfTheDockIsSelectedOnTheTab()
    {
        QFETCH(int, key);
        const Desk desk;
        DataTable* dock = desk.window->triage()->plansTable();
        QTRY_COMPARE(dock->model()->rowCount(), 2);
        dock->setFocus();
        dock->setCurrentIndex(dock->model()->index(1, 0));
        desk.key(key);
        const PlansPage* page = desk.window->currentPlans();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->settled());
        QVERIFY(page->entry() != nullptr);
        QCOMPARE(page->entry()->what, u"Retry now of 4 runs"_s);
        QVERIFY(desk.window->sheet() == nullptr);
        if (key == Qt::Key_Return) {
            QVERIFY(desk.window->orderSheet() == nullptr);
            return;
        }
        QTRY_VERIFY(desk.window->orderSheet() != nullptr);
        QCOMPARE(desk.window->orderSheet()->step(), key == Qt::Key_H ? PlanStep::Pause : PlanStep::Abort);
    }
    // The same by the pointer; what is off says why, and nothing is opened.
    void theMenuOfTheDockActsOnItsPlan()
    {
        const Desk desk;
        const TriagePage* triage = desk.window->triage();
        DataTable* dock = triage->plansTable();
        QTRY_COMPARE(dock->model()->rowCount(), 2);
        dock->setCurrentIndex(dock->model()->index(1, 0));
        const QList<QToolButton*> buttons = triage->findChildren<QToolButton*>();
        const auto found = std::find_if(buttons.begin(), buttons.end(),
            [](const QToolButton* button) { return button->accessibleName() == u"Act on it of Plans"_s; });
        QVERIFY(found != buttons.end());
        for (QAction* action : (*found)->menu()->actions())
            if (action->text() == u"Abort…"_s)
                action->trigger();
        QTRY_VERIFY(desk.window->orderSheet() != nullptr);
        QCOMPARE(desk.window->orderSheet()->step(), PlanStep::Abort);
        desk.window->orderSheet()->reject();
        QTRY_VERIFY(desk.window->orderSheet() == nullptr);
    }

    // What was chosen for a plan that has been closed meanwhile opens no sheet on the one that stands first
    // now.
    void aStepIsNotTakenToAnotherPlan()
    {
        const Desk desk;
        act(desk, u"go.p"_s);
        PlansPage* page = desk.window->currentPlans();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->settled() && page->entry() != nullptr);
        QSignalSpy chosen(page, &PlansPage::stepChosen);
        page->chooseOnceRead(u"plan that is gone"_s, PlanStep::Abort);
        page->load();
        QTRY_VERIFY(page->settled());
        QCOMPARE(chosen.size(), 0);
        QVERIFY(desk.window->orderSheet() == nullptr);
        page->chooseOnceRead(page->entry()->key(), PlanStep::Abort);
        page->load();
        QTRY_COMPARE(chosen.size(), 1);
    }

    void backAndForwardFollowTheTrail()
    {
        const Desk desk;
        desk.window->openRun(demoRun(1));
        desk.window->openRun(demoRun(2));
        act(desk, u"go.back"_s);
        QVERIFY(desk.window->currentRun() != nullptr);
        QCOMPARE(desk.window->currentRun()->run().run, demoRun(1));
        act(desk, u"go.back"_s);
        QVERIFY(desk.window->onLists());
        act(desk, u"go.back"_s);
        QVERIFY(desk.window->onLists());
        QCOMPARE(desk.window->notice(), u"Nothing was looked at before this."_s);
        act(desk, u"go.forward"_s);
        QCOMPARE(desk.window->currentRun()->run().run, demoRun(1));
        act(desk, u"file.close"_s);  // a tab that has gone is passed over
        act(desk, u"go.back"_s);
        QVERIFY(desk.window->onLists());
    }

    void dComparesTheTwoMarkedRuns()
    {
        const Desk desk;
        desk.key(Qt::Key_D);
        QVERIFY(desk.window->onLists());
        QCOMPARE(desk.window->notice(), u"Compare is off: mark two runs with Space."_s);
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_Down);
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_D);
        QVERIFY(desk.window->currentRun() != nullptr);
        QTRY_COMPARE(desk.source.compared.size(), 1U);
        QCOMPARE(desk.source.compared.front().first.run, demoRun(0));
        QCOMPARE(desk.source.compared.front().second.run, demoRun(1));
    }

    void mRestartsFromTheVersionThatIsLookedAt()
    {
        const Desk desk([](DemoSource& source) {
            source.store.guarded = false;
            source.detail.why.more = {{cairn::Verb::Fork, u"M"_s, u"Restart from"_s,
                u"A new run from an earlier version"_s, true, {}, {}}};
        });
        desk.window->openRun(demoRun(1));
        RunPage* page = desk.window->currentRun();
        QTRY_VERIFY(page->loaded());
        page->travelTo(12);
        QTRY_VERIFY(!page->atNow());
        desk.key(Qt::Key_M);
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QCOMPARE(sheet->value()->text(), u"12"_s);
        QTRY_COMPARE(desk.source.previewed.size(), 1U);
        QCOMPARE(desk.source.previewed.front().verb, cairn::Verb::Fork);
        QCOMPARE(desk.source.previewed.front().value, u"12"_s);
    }

    void aVersionIsGoneToByItsNumber()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        act(desk, u"go.version"_s);
        auto* box = desk.window->findChild<NameBox*>();
        QVERIFY(box != nullptr);
        Q_EMIT box->chosen(u"62"_s);
        QCOMPARE(desk.window->notice(), u"The run has no version 62: it has 1 to 61."_s);
        QVERIFY(page->atNow());
        Q_EMIT box->chosen(u"12"_s);
        QTRY_COMPARE(page->detail().version, 12U);
    }

    void everyViewOfARunIsInThePictures()
    {
        QSet<QString> names;
        for (const WindowView& view : windowViews()) {
            QVERIFY2(!names.contains(view.name), qPrintable(view.name));
            names.insert(view.name);
        }
        for (const QString& view : RunPage::viewNames())
            QVERIFY2(names.contains(u"run-"_s + view), qPrintable(view));
        for (const QString& view : {u"run-payload"_s, u"run-earlier"_s, u"lists-grouped"_s, u"sheet-slow"_s,
                 u"sheet-redact"_s, u"what-if"_s})
            QVERIFY2(names.contains(view), qPrintable(view));
    }

    void newTabOpensTheRunThatIsSelected()
    {
        const Desk desk;
        act(desk, u"go.tab"_s);
        QVERIFY(desk.window->currentRun() != nullptr);
        QCOMPARE(desk.window->currentRun()->run().run, demoRun(0));
    }

    void readOnlyStagesNothing()
    {
        const Desk desk;
        act(desk, u"view.read-only"_s);
        desk.runs()->setFocus();
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(
            desk.window->notice(), u"Approve is off: this window is read-only: Ctrl+Shift+R ends that"_s);
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_H);
        QVERIFY(desk.window->bulkSheet() == nullptr);
        act(desk, u"plan.stage-pause"_s);
        QVERIFY(desk.window->planSheet() == nullptr);
        desk.key(Qt::Key_Escape);
        act(desk, u"view.read-only"_s);
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->sheet() != nullptr);
    }

    void whatIfShowsAndCannotAct()
    {
        const Desk desk([](DemoSource& source) { source.store.guarded = false; });
        desk.key(Qt::Key_W);
        auto* box = desk.window->findChild<Palette*>(u"what-if"_s);
        QVERIFY(box != nullptr);
        QTest::keyClicks(box->edit(), u"cancel"_s);
        QCOMPARE(box->matches().front().title, u"What if: Cancel"_s);
        QTest::keyClick(box->edit(), Qt::Key_Return);
        QTRY_VERIFY(desk.window->sheet() != nullptr);
        ActSheet* sheet = desk.window->sheet();
        QTRY_COMPARE(sheet->state(), u"preview at revision 61: nothing is written"_s);
        QVERIFY(!sheet->confirm()->isVisible());
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(desk.source.executed.empty());
    }
};

QTEST_MAIN(TestLists)
#include "tst_lists.moc"
