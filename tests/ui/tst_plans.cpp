// Plans, and acts that wait for a second person, from the keyboard, on the demo source.
#include "desk.h"
#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/dialogs/ordersheet.h"
#include "ui/dialogs/plansheet.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/plansmodel.h"
#include "ui/pages/planspage.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/filterbox.h"
#include "ui/models/situationsmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/timebars.h"

#include <QClipboard>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

PlansPage* opened(const Desk& desk)
{
    desk.key(Qt::Key_G);
    desk.key(Qt::Key_P);
    PlansPage* page = desk.window->currentPlans();
    if (page != nullptr)
        static_cast<void>(QTest::qWaitFor([page] { return page->settled(); }, 2000));
    return page;
}

QString cell(const DataTable* table, int row, int column)
{
    return table->model()->index(row, column).data().toString();
}

OrderSheet* sheetBy(const Desk& desk, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    desk.key(key, modifiers);
    OrderSheet* sheet = desk.window->orderSheet();
    if (sheet != nullptr)
        static_cast<void>(QTest::qWaitFor([sheet] { return !sheet->forecast().digest.isEmpty(); }, 2000));
    return sheet;
}

}  // namespace

class TestPlans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWaitsStandsFirstAndZeroIsShown()
    {
        const Desk desk;
        PlansPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QCOMPARE(page->table()->model()->rowCount(), 2);
        QCOMPARE(cell(page->table(), 0, PlansModel::What), u"Cancel, run "_s + shortId(demoRun(1)));
        QCOMPARE(cell(page->table(), 1, PlansModel::What), u"Retry now of 4 runs"_s);
        QCOMPARE(cell(page->table(), 0, PlansModel::Standing),
            u"1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"_s);
        // How far a plan is that runs; of an act on one run there is nothing to tell.
        QCOMPARE(cell(page->table(), 0, PlansModel::Progress), u"–"_s);
        QCOMPARE(cell(page->table(), 1, PlansModel::Progress), u"2 of 3"_s);
        const QModelIndex far = page->table()->model()->index(1, PlansModel::Progress);
        QCOMPARE(far.data(Qt::AccessibleTextRole).toString(),
            u"2 done, 0 refused or failed, 1 open, 1 left out"_s);
        QCOMPARE(far.data(ShareRole).value<QList<int>>(), (QList<int>{66, 0}));
        QVERIFY(page->table()
                    ->model()
                    ->index(0, PlansModel::Progress)
                    .data(ShareRole)
                    .value<QList<int>>()
                    .isEmpty());
        QVERIFY2(textOf(page).contains(
                     u"1 plan · 1 proposed act · 1 waits for a second person · closed plans are not shown"_s),
            qPrintable(textOf(page)));
        desk.key(Qt::Key_Down);
        QTRY_COMPARE(page->items()->model()->rowCount(), 4);
        QVERIFY(textOf(page).contains(u"Outcomes: open 1, done 2, skipped 1, stale 0, failed 0"_s));
        QVERIFY(textOf(page).contains(
            u"Of those done: moved 1, finished 0, back in the same situation 1, not yet 0, unknown 0"_s));
        QCOMPARE(cell(page->items(), 1, PlanItemsModel::Fate), u"back in the same situation"_s);
        QCOMPARE(cell(page->items(), 3, PlanItemsModel::Why), u"already moved"_s);
        QCOMPARE(cell(page->items(), 3, PlanItemsModel::Step), u"–"_s);
    }

    void aSecondPersonConfirmsWhatIsShown()
    {
        const Desk desk;
        QVERIFY(opened(desk) != nullptr);
        OrderSheet* sheet = sheetBy(desk, Qt::Key_A);
        QVERIFY(sheet != nullptr);
        QVERIFY(desk.source.ordered.empty());  // a letter stages at most
        QVERIFY(textOf(sheet).contains(u"Digest 51be07c3d8"_s));
        QVERIFY(textOf(sheet).contains(u"By Kim Larsen, 1 of 2"_s));
        QVERIFY(!sheet->confirm()->isEnabled());
        QCOMPARE(sheet->state(), u"still needed: a reason of at least 10 characters"_s);
        QTest::keyClicks(sheet->reason(), u"the ledger has it twice"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.ordered.size(), 1U);
        QCOMPARE(desk.source.ordered.front().step, PlanStep::Confirm);
        QCOMPARE(desk.source.ordered.front().digest, u"51be07c3d8"_s);
        QCOMPARE(desk.source.ordered.front().reason, u"the ledger has it twice"_s);
        QVERIFY(desk.source.ordered.front().of.proposal);
        QTRY_COMPARE(desk.window->notice(), u"Confirmed and done. Audit entry 77."_s);
    }

    void theAuthorIsToldWhyItIsOff()
    {
        const Desk desk([](DemoSource& s) { s.author = true; });
        PlansPage* page = opened(desk);
        QVERIFY(page != nullptr);
        const QString why = u"who proposed an act cannot confirm it: somebody else has to"_s;
        QVERIFY(!page->button(PlanStep::Confirm)->isEnabled());
        QVERIFY(page->button(PlanStep::Confirm)->isVisible());
        QCOMPARE(page->button(PlanStep::Confirm)->accessibleDescription(), why);
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->orderSheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Confirm is off: "_s + why);
        OrderSheet* sheet = sheetBy(desk, Qt::Key_Delete);  // of one's own proposal: it is withdrawn
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->reason(), u"no longer wanted"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.ordered.size(), 1U);
        QCOMPARE(desk.source.ordered.front().step, PlanStep::Withdraw);
    }

    void whoRejectsSaysWhyInEveryStore()
    {
        const Desk desk(
            [](DemoSource& s) { s.adjustForecast = [](PlanForecast& told) { told.reasonMinimum = 0; }; });
        QVERIFY(opened(desk) != nullptr);
        OrderSheet* sheet = sheetBy(desk, Qt::Key_X);
        QVERIFY(sheet != nullptr);
        QVERIFY(!sheet->confirm()->isEnabled());
        QCOMPARE(sheet->state(), u"still needed: a reason, which the author reads"_s);
        QTest::keyClicks(sheet->reason(), u"no"_s);
        QVERIFY(sheet->confirm()->isEnabled());
    }

    // What holds or ends a plan is possible whatever its runs do meanwhile; what begins one is not.
    void aPlanIsPausedWhateverItsRunsDo()
    {
        const Desk desk([](DemoSource& s) {
            s.waiting = false;
            s.adjustForecast = [](PlanForecast& told) {
                told.possible = false;
                told.refusal = u"nothing to do: 0 runs would be changed"_s;
            };
        });
        QVERIFY(opened(desk) != nullptr);
        desk.key(Qt::Key_H, Qt::ShiftModifier);
        QVERIFY(desk.window->orderSheet() == nullptr);
        QVERIFY(desk.window->notice().startsWith(u"Continue is off: "_s));
        OrderSheet* sheet = sheetBy(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->reason(), u"the gateway is down again"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.ordered.size(), 1U);
        QCOMPARE(desk.source.ordered.front().step, PlanStep::Pause);
    }

    void whatIsNotKnownIsNotCalledRefused()
    {
        const Desk desk([](DemoSource& s) {
            s.orderAnswer = {ActEnd::NotKnown, u"the connection broke."_s, 0, 0, false};
        });
        QVERIFY(opened(desk) != nullptr);
        OrderSheet* sheet = sheetBy(desk, Qt::Key_A);
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->reason(), u"the ledger has it twice"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(sheet->notice()->text(),
            u"Whether this was done is not known: the connection broke. Look again; the history tells."_s);
        QVERIFY(sheet->notice()->notKnown());
        QCOMPARE(sheet->state(), u"not known whether it was done"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
    }

    void aRefusalStaysInItsSheet()
    {
        const Desk desk([](DemoSource& s) {
            s.orderAnswer = {ActEnd::Stale, u"the act expired, and expiry is never consent."_s, 0, 0, false};
        });
        QVERIFY(opened(desk) != nullptr);
        OrderSheet* sheet = sheetBy(desk, Qt::Key_A);
        QVERIFY(sheet != nullptr);
        QTest::keyClicks(sheet->reason(), u"the ledger has it twice"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(sheet->notice()->text(),
            u"Refused, because what this depends on has changed since you looked: the act expired, and "
            "expiry is never consent."_s);
        QCOMPARE(sheet->state(), u"nothing was changed"_s);
        QVERIFY(!sheet->notice()->notKnown());
        QVERIFY(sheet->isVisible());
        QVERIFY(!sheet->confirm()->isEnabled());  // it is looked at again first
    }

    void aRunOfAPlanIsComparedBeforeAndAfter()
    {
        const Desk desk;
        PlansPage* page = desk.window->openPlans();
        QTRY_VERIFY(page->settled() && page->entry() != nullptr);
        auto* items = page->findChild<DataTable*>({}, Qt::FindChildrenRecursively);
        for (auto* table : page->findChildren<DataTable*>())
            if (table->accessibleName() == u"Runs of the plan"_s)
                items = table;
        for (int i = 0; i < page->table()->model()->rowCount() && items->model()->rowCount() == 0; ++i) {
            page->table()->setCurrentIndex(page->table()->model()->index(i, 0));
            QTRY_VERIFY(page->settled());
        }
        QVERIFY(items->model()->rowCount() > 0);
        items->setFocus();
        items->setCurrentIndex(items->model()->index(0, 0));
        QTest::keyClick(items, Qt::Key_D);
        QTRY_VERIFY(desk.window->currentRun() != nullptr);
        QTRY_VERIFY(!desk.source.compared.empty());
        QCOMPARE(desk.source.compared.back().first.version, 39U);
        QCOMPARE(desk.source.compared.back().second.version, 0U);
    }

    void aSituationIsActedOnAsAWhole()
    {
        const Desk desk;
        TriagePage* triage = desk.window->triage();
        triage->filterBox()->setFilter(u"def:order or def:refund"_s);
        QTRY_VERIFY(triage->settled());
        DataTable* table = triage->situationsTable();
        table->setFocus();
        int row = -1;
        for (int i = 0; i < table->model()->rowCount(); ++i)
            if (table->model()->index(i, SituationsModel::Runs).data().toString() == u"300"_s)
                row = i;
        QVERIFY(row >= 0);
        table->setCurrentIndex(table->model()->index(row, 0));
        QTRY_VERIFY(triage->settled() && !triage->why().verbs.empty());
        const QString key = triage->why().verbs.front().situation;
        QVERIFY(!key.isEmpty());
        // Bars of when they go on by themselves, told to who cannot see them.
        auto* bars = desk.window->findChild<TimeBars*>();
        QVERIFY(bars != nullptr);
        QCOMPARE(bars->remark(), u"each 1 m 00 s, most 7"_s);
        QCOMPARE(bars->accessibleDescription().count(u"from "_s), 2);
        QTest::keyClick(table, Qt::Key_H);
        QTRY_VERIFY(desk.window->planSheet() != nullptr);
        QTRY_COMPARE(desk.source.drafted.size(), 1U);
        QCOMPARE(desk.source.drafted.front().act.verb, cairn::Verb::Pause);
        QVERIFY(desk.source.drafted.front().runs.empty());
        // Of those that the filter lets through, in each of its alternatives.
        const QString filter = desk.source.drafted.front().filter;
        QCOMPARE(filter.count(u"situation:"_s + key), 2);
        QVERIFY(filter.contains(u"def:order"_s) && filter.contains(u"def:refund"_s));
        desk.window->planSheet()->reject();
        // What if writes nothing, and is no way around the plan's sheet.
        QTest::keyClick(table, Qt::Key_W);
        QVERIFY(desk.window->sheet() == nullptr);
    }

    void markedRunsBecomeAPlan()
    {
        const Desk desk(
            [](DemoSource& s) { s.adjustForecast = [](PlanForecast& told) { told.needs = u"2 people"_s; }; });
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_Down);
        desk.key(Qt::Key_Down, Qt::ShiftModifier);
        desk.key(Qt::Key_H);
        BulkSheet* bulk = desk.window->bulkSheet();
        QVERIFY(bulk != nullptr);
        QTRY_VERIFY(bulk->previewed());
        QVERIFY(bulk->asPlan()->isVisible());
        static_cast<void>(QTest::qWaitForWindowActive(bulk, 3000));
        QTest::keyClick(bulk->reason(), Qt::Key_P, Qt::ControlModifier);
        QTRY_VERIFY(desk.window->planSheet() != nullptr);
        PlanSheet* sheet = desk.window->planSheet();
        QTRY_COMPARE(desk.source.drafted.size(), 1U);
        QTRY_VERIFY(!sheet->forecast().digest.isEmpty());
        QCOMPARE(desk.source.drafted.front().runs.size(), 3U);
        QCOMPARE(desk.source.drafted.front().act.verb, cairn::Verb::Pause);
        QVERIFY(textOf(sheet).contains(u"A second person is required: 2 people"_s));
        QVERIFY(textOf(sheet).contains(u"already moved 1, held 0"_s));
        sheet->canary()->setFocus();
        sheet->canary()->selectAll();
        QTest::keyClicks(sheet->canary(), u"5"_s);
        QVERIFY(!sheet->confirm()->isEnabled());  // what was previewed is another plan
        QTRY_COMPARE(desk.source.drafted.size(), 2U);
        QCOMPARE(desk.source.drafted.back().pace.canary, 5U);
        QCOMPARE(desk.source.drafted.back().pace.verifyMinutes, 10U);
        QCOMPARE(desk.source.drafted.back().pace.rampFrom, 0U);
        QTRY_COMPARE(sheet->state(), u"this plan needs a reason of at least 10 characters"_s);
        QTest::keyClicks(sheet->reason(), u"month-end freeze"_s);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->confirm()->text(), u"Pause 3 runs, as 1 of 2   Ctrl Enter"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return);
        QVERIFY(desk.source.staged.empty());
        QTest::keyClick(sheet->canary(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.staged.size(), 1U);
        QCOMPARE(desk.source.staged.front().first, u"51be07c3d8"_s);
        QCOMPARE(desk.source.staged.front().second, u"month-end freeze"_s);
        QTRY_COMPARE(desk.window->notice(), u"Plan 000000…000005 runs."_s);
        QVERIFY(desk.window->triage()->marked().empty());
        QVERIFY(desk.source.executed.empty());
    }

    void itsCommandIsCopied()
    {
        const Desk desk;
        desk.key(Qt::Key_Space);
        desk.window->actionTable().find(u"plan.stage-pause"_s)->run();
        PlanSheet* sheet = desk.window->planSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(!sheet->forecast().digest.isEmpty());
        sheet->copy()->click();
        QCOMPARE(QApplication::clipboard()->text(), u"cairn --store pg:pay plan stage retry"_s);
        QCOMPARE(sheet->state(), u"copied; the reason is added with --reason"_s);
        QVERIFY(desk.source.staged.empty());
    }

    void aPlanIsNeverAboutEverythingUnsaid()
    {
        const Desk desk;
        const WindowAction* retry = desk.window->actionTable().find(u"plan.stage-retry-now"_s);
        QVERIFY(retry != nullptr);
        retry->run();
        QVERIFY(desk.window->planSheet() == nullptr);
        QCOMPARE(desk.window->notice(),
            u"A plan is off: mark runs with Space, or write a filter that finds them."_s);
        desk.window->triage()->filterBox()->setFilter(u"wait:timer"_s);
        retry->run();
        QVERIFY(desk.window->planSheet() != nullptr);
        QTRY_COMPARE(desk.source.drafted.size(), 1U);
        QCOMPARE(desk.source.drafted.front().filter, u"wait:timer"_s);
        QVERIFY(desk.source.drafted.front().runs.empty());
    }

    void theAttentionListLeadsToWhatWaits()
    {
        const Desk desk([](DemoSource& s) { s.secondWaits = 2; });
        DataTable* table = desk.window->triage()->attentionTable();
        const int last = table->model()->rowCount() - 1;
        QCOMPARE(cell(table, last, AttentionModel::What), u"A second person must"_s);
        QCOMPARE(cell(table, last, AttentionModel::Count), u"2"_s);
        table->setFocus();
        table->setCurrentIndex(table->model()->index(last, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QTRY_VERIFY(desk.window->currentPlans() != nullptr);
        QVERIFY(desk.window->triage()->filterBox()->filter().isEmpty());
    }

    void runsOfAPlanAreOpened()
    {
        const Desk desk([](DemoSource& s) { s.waiting = false; });
        PlansPage* page = opened(desk);
        QVERIFY(page != nullptr);
        QTRY_COMPARE(page->items()->model()->rowCount(), 4);
        desk.key(Qt::Key_Y);
        QCOMPARE(QApplication::clipboard()->text(), u"cairn --store pg:pay plan stage retry"_s);
        desk.key(Qt::Key_Return);
        QVERIFY(page->items()->hasFocus());
        page->items()->setCurrentIndex(page->items()->model()->index(1, 0));
        desk.key(Qt::Key_Return);
        QTRY_VERIFY(desk.window->currentRun() != nullptr);
        QCOMPARE(desk.window->currentRun()->run().run, demoRun(2));
    }
};

QTEST_MAIN(TestPlans)
#include "tst_plans.moc"
