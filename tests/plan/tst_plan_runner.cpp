// How a plan goes: its pace, its outcomes, what a person does meanwhile, the canary, the rule that stops it,
// and what became of the runs.

#include "tests/plan/plan_world.h"

#include <QtCore/QObject>

using namespace cairn;
using namespace cairn::testing;

class PlanRunnerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void everyRunHasOneOutcome();
    void aRunThatChangedIsRefusedAsStale();
    void aPauseHoldsTheRestAndAnAbortEndsIt();
    void aPlanGoesAtItsPace();
    void aCanaryThatReturnsStopsThePlan();
    void aCanaryThatFinishesLetsTheRestGoOn();
    void runsThatReturnStopThePlan();
    void whatBecameOfTheRunsIsKept();
    void theMovedStoreIsNotLeftWithAnOpenPlan();
    void draftsDoNotHideAPlan();
    void runsThatWereRemovedAreTold();
};

namespace {

// A run without an engine; it ends when it is cancelled.
RunId idle(PlanWorld& w)
{
    const Outcome started = w.person->service.submitAndWait(World::start(w.person->service, "flow", "{}"));
    if (!started.ok())
        qFatal("%s", told(started).c_str());
    return started.run;
}

void cancel(PlanWorld& w, const RunId& run)
{
    if (const Outcome done = w.person->service.submitAndWait(World::act(run, cmd::Cancel{})); !done.ok())
        qFatal("%s", told(done).c_str());
}

// As retention does it, whose time has come.
void remove(PlanWorld& w, const RunId& run)
{
    const auto hot = w.connection->hot(run);
    Tombstone stone;
    stone.run = stone.root = run;
    stone.workflow = "flow";
    stone.workflowVersion = 1;
    stone.versions = hot->version;
    stone.head = hot->head;
    stone.createdAt = stone.endedAt = stone.deletedAt = w.clock.wallMs();
    stone.as = Activity::Cancelled;
    stone.rule = "kept 1 day after its end";
    stone.by = "ann";
    TreeRemoval removal;
    removal.root = run;
    removal.stones = {stone};
    removal.audit.time = w.clock.wallMs();
    removal.audit.kind = "applied";
    removal.audit.verb = Verb::Retain;
    removal.audit.actor = "ann";
    removal.audit.run = run;
    removal.audit.command = deriveId<CommandId>("removed", run.view());
    const auto removed = w.writer->removeTree(removal);
    if (!removed || !*removed)
        qFatal("the run is not removed");
}

PlanSpec cancelling(PlanPace pace)
{
    Submission act;
    act.run = deriveId<RunId>("test", "template");
    act.command.id = deriveId<CommandId>("test", "template");
    act.command.body = cmd::Cancel{};
    PlanSpec spec;
    spec.pace = pace;
    auto made = specOf(std::move(act), std::move(spec));
    if (!made)
        qFatal("%s", made.error().text.c_str());
    return *std::move(made);
}

}  // namespace

void PlanRunnerTest::everyRunHasOneOutcome()
{
    PlanWorld w;
    const auto runs = w.stuck(40);  // more than are under way at one time
    const PlanId plan = w.running(w.retry(PlanWorld::unhurried()), runs);
    Executor executor(w);
    QVERIFY(executor.drive());
    const PlanRow row = w.row(plan);
    QVERIFY(row.state == PlanState::Closed && row.holder.isNull() && !row.aborted);
    QVERIFY(row.executedAt >= row.startedAt && row.endedAt == row.executedAt);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{40});
    const auto items = w.connection->planItems(plan, 0, 100, {});
    for (const PlanItem& item : *items) {
        QCOMPARE(w.retries(item.run), std::size_t{1});
        const auto version = w.connection->findCommand(item.run, item.command);
        QVERIFY(version && *version && **version == item.version);
        QCOMPARE(w.verified(item.run), std::string());
    }
    QCOMPARE(w.planAudits(), std::string("staged started finished"));
    const auto audit = w.connection->audit(0, 1'000);
    QCOMPARE(audit->back().after,
        std::string(R"({"done":40,"failed":0,"open":0,"skipped":0,"stale":0,)"
                    R"("again":0,"finished":0,"moved":0,"not_yet":0,"unknown":0})"));
    // The act of each run is the author's, under the plan's reason.
    const auto acts = w.connection->auditOfRun(runs.front());
    QCOMPARE(acts->back().login, std::string("kim"));
    QCOMPARE(acts->back().reason, std::string("the model answers again"));
}

void PlanRunnerTest::aRunThatChangedIsRefusedAsStale()
{
    PlanWorld w;
    const auto runs = w.stuck(3);
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), runs);
    QVERIFY(w.person->service.submitAndWait(World::act(runs[1], cmd::RetryStep{"ask", 0, false})).ok());
    w.goesOn(runs[1]);
    w.fail(runs[1]);  // it looks as before, and is not: somebody else has tried it
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Start));
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{2});
    QCOMPARE(w.count(plan, PlanItemState::Stale), std::uint64_t{1});
    QCOMPARE(w.retries(runs[1]), std::size_t{1});
    const auto items = w.connection->planItems(plan, 1, 1, {});
    QVERIFY(items->front().leftOut == PlanLeftOut::AlreadyMoved && !items->front().why.empty());
}

void PlanRunnerTest::aPauseHoldsTheRestAndAnAbortEndsIt()
{
    PlanWorld w;
    const auto runs = w.stuck(6);
    PlanPace pace = PlanWorld::unhurried();
    pace.rate = 60;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    QVERIFY(executor.drive(1'500));  // at 0 and 1 000 ms
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Pause));
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Paused && w.row(plan).holder.isNull());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{2});
    QCOMPARE(w.count(plan, PlanItemState::Open), std::uint64_t{4});
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Continue));
    QVERIFY(executor.drive(500));
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{3});  // one at once, no burst
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Abort));
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Closed && w.row(plan).aborted);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{3});
    QCOMPARE(w.count(plan, PlanItemState::Skipped), std::uint64_t{3});
    QCOMPARE(w.count(plan, PlanItemState::Open), std::uint64_t{0});
    QCOMPARE(w.retries(runs[5]), std::size_t{0});
    QCOMPARE(w.planAudits(), std::string("staged started paused continued aborted finished"));
    // What no longer fits is refused, and that is on record.
    CAIRN_VERIFY_ERROR(w.order(plan, PlanAct::Continue), ErrorKind::Refused);
    QVERIFY(w.planAudits().ends_with(" refused"));
}

void PlanRunnerTest::aPlanGoesAtItsPace()
{
    PlanWorld w;
    const auto runs = w.stuck(5);
    PlanPace pace = PlanWorld::unhurried();
    pace.rate = 60;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    const SpanMs began = w.clock.monotonicMs();
    QVERIFY(executor.drive());
    const SpanMs took = w.clock.monotonicMs() - began;
    QVERIFY2(took >= 4'000 && took < 5'000, std::to_string(took).c_str());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{5});
}

void PlanRunnerTest::aCanaryThatReturnsStopsThePlan()
{
    PlanWorld w;
    const auto runs = w.stuck(6);
    PlanPace pace = PlanWorld::unhurried();
    pace.canary = 2;
    pace.canaryWait = 30'000;
    pace.stopOver = 20;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    QVERIFY(executor.drive(2'000));
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{2});
    QCOMPARE(w.count(plan, PlanItemState::Open), std::uint64_t{4});
    w.clock.advance(1'000);
    w.goesOn(runs[0]);
    w.fail(runs[0]);
    QVERIFY(executor.drive());
    const PlanRow row = w.row(plan);
    QVERIFY(row.state == PlanState::Paused);
    QCOMPARE(row.note,
        std::string("stopped by itself: 1 of 2 runs came back to the same situation, more than 20 %"));
    QCOMPARE(w.count(plan, PlanItemState::Open), std::uint64_t{4});
    QCOMPARE(w.planAudits(), std::string("staged started stopped"));
    // A person has seen it: what was done before does not stop it again.
    w.clock.advance(1'000);
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Continue));
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Closed);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{6});
}

void PlanRunnerTest::aCanaryThatFinishesLetsTheRestGoOn()
{
    PlanWorld w;
    const auto runs = w.stuck(4);
    PlanPace pace = PlanWorld::unhurried();
    pace.canary = 1;
    pace.canaryWait = 600'000;
    pace.stopOver = 20;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    QVERIFY(executor.drive(2'000));
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{1});
    w.clock.advance(1'000);
    w.goesOn(runs[0]);
    QVERIFY(executor.drive(2'000));
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{1});  // it only runs
    w.completes(runs[0]);
    const SpanMs began = w.clock.monotonicMs();
    QVERIFY(executor.drive());
    QVERIFY(w.clock.monotonicMs() - began < 10'000);
    QVERIFY(w.row(plan).state == PlanState::Closed);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{4});
}

void PlanRunnerTest::runsThatReturnStopThePlan()
{
    PlanWorld w;
    const auto runs = w.stuck(20);
    PlanPace pace = PlanWorld::unhurried();
    pace.rate = 60;
    pace.stopOver = 20;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    QVERIFY(executor.drive(3'500));  // four are done
    w.clock.advance(500);
    for (std::size_t i = 0; i < 3; ++i) {
        w.goesOn(runs[i]);
        w.fail(runs[i]);
    }
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Paused);
    QVERIFY(w.row(plan).note.starts_with("stopped by itself: 3 of "));
    QVERIFY(w.count(plan, PlanItemState::Open) > 5);
}

void PlanRunnerTest::whatBecameOfTheRunsIsKept()
{
    PlanWorld w;
    const auto runs = w.stuck(4);
    PlanPace pace = PlanWorld::unhurried();
    pace.verify = 60'000;
    const PlanId plan = w.running(w.retry(pace), runs);
    Executor executor(w);
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Verifying && w.row(plan).holder.isNull());
    w.clock.advance(1'000);
    w.goesOn(runs[0]);  // and runs on
    w.goesOn(runs[1]);
    w.completes(runs[1]);
    w.goesOn(runs[2]);
    w.fail(runs[2]);
    w.clock.advance(30'000);
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Verifying);  // the window is not over
    const auto live = readFates(*w.connection, plan, Verb::Retry, kNoTime, 0);
    CAIRN_VERIFY_OK(live);
    QCOMPARE(live->of(PlanFate::Moved), std::uint64_t{1});
    QCOMPARE(live->of(PlanFate::Again), std::uint64_t{1});
    w.clock.advance(31'000);
    QVERIFY(executor.drive());
    QVERIFY(w.row(plan).state == PlanState::Closed);
    QCOMPARE(w.count(plan, PlanFate::Moved), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanFate::Finished), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanFate::Again), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanFate::NotYet), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanFate::Unknown), std::uint64_t{0});
    QCOMPARE(w.planAudits(), std::string("staged started finished verified"));
}

void PlanRunnerTest::theMovedStoreIsNotLeftWithAnOpenPlan()
{
    PlanWorld w;
    const PlanId plan = w.staged(w.retry(PlanWorld::unhurried()), w.stuck(1));
    const auto found = w.connection->unmovable();
    CAIRN_VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t{1});
    QVERIFY(found->front().ends_with(" is not finished: let it end, or abort it"));
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Abort));
    QVERIFY(w.connection->unmovable()->empty());
}

// As many as an executor reads plans, and all of them newer.
void PlanRunnerTest::draftsDoNotHideAPlan()
{
    PlanWorld w;
    const PlanId plan = w.running(w.retry(PlanWorld::unhurried()), w.stuck(1));
    for (int i = 0; i < 1'000; ++i) {
        PlanChange draft;
        draft.row = w.row(plan);
        draft.row.id = deriveId<PlanId>("test", "draft " + std::to_string(i));
        draft.row.command = deriveId<CommandId>("test", "draft " + std::to_string(i));
        draft.row.state = PlanState::Draft;
        draft.row.stagedAt += 86'400'000;
        CAIRN_VERIFY_OK(w.writer->changePlan(draft));
    }
    QCOMPARE(w.connection->plans(false, 10)->size(), std::size_t{1});
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{1});
    QVERIFY(w.row(plan).state == PlanState::Closed);
}

void PlanRunnerTest::runsThatWereRemovedAreTold()
{
    PlanWorld w;
    const RunId before = idle(w), between = idle(w), stays = idle(w), after = idle(w);
    cancel(w, before);
    remove(w, before);
    PlanPace pace = PlanWorld::unhurried();
    pace.verify = 60'000;
    const PlanDraft draft = w.draft(cancelling(pace), {before, between, stays, after});
    QCOMPARE(draft.preview.included, std::uint64_t{3});
    QCOMPARE(draft.preview.of(PlanLeftOut::Removed), std::uint64_t{1});
    QCOMPARE(draft.preview.of(PlanLeftOut::NotFound), std::uint64_t{0});
    QVERIFY(draft.preview.left.front().run == before);
    QCOMPARE(
        draft.preview.left.front().why.find("run " + toText(before) + " was removed on "), std::size_t{0});
    // Between the draft and its start.
    cancel(w, between);
    remove(w, between);
    CAIRN_VERIFY_OK(stagePlan(*w.writer, draft));
    CAIRN_VERIFY_OK(w.order(draft.row.id, PlanAct::Start));
    Executor executor(w);
    QVERIFY(executor.drive());
    QCOMPARE(w.count(draft.row.id, PlanItemState::Done), std::uint64_t{2});
    QCOMPARE(w.count(draft.row.id, PlanItemState::Skipped), std::uint64_t{2});
    QCOMPARE(w.count(draft.row.id, PlanItemState::Failed), std::uint64_t{0});
    for (const PlanItem& item : *w.connection->planItems(draft.row.id, 0, 10, PlanItemState::Skipped))
        QCOMPARE(item.leftOut, PlanLeftOut::Removed);
    // And while its runs are looked after: what was removed had ended.
    remove(w, after);
    w.clock.advance(61'000);
    QVERIFY(executor.drive());
    QVERIFY(w.row(draft.row.id).state == PlanState::Closed);
    QCOMPARE(w.count(draft.row.id, PlanFate::Finished), std::uint64_t{2});
    QCOMPARE(w.count(draft.row.id, PlanFate::Unknown), std::uint64_t{0});
}

QTEST_APPLESS_MAIN(PlanRunnerTest)
#include "tst_plan_runner.moc"
