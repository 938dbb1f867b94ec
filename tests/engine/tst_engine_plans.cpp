// Plans are carried out by engines: by any of them, by one at a time, and by another one where that is killed
// or drains. No process, no real time.

#include "core/plan/runner.h"
#include "tests/engine/engine_harness.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestEnginePlans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anEngineCarriesAPlanOut();
    void aKilledEngineLeavesItToAnother();
    void aDrainingEngineGivesItAway();
};

namespace {

PlanAuthor author() { return {"uid 1000", "kim", 1000, "host", "the tool answers again"}; }

// Runs whose step failed for good.
std::vector<RunId> stuck(Cluster& c, Node& by, std::size_t count)
{
    c.add(workflow("one", R"({"name":"first","tool":"look"})"));
    std::vector<RunId> runs;
    while (runs.size() < count)
        runs.push_back(c.start("one"));
    c.pass(1'000);
    for (std::size_t i = 0; i < by.executor.started.size(); ++i)
        by.executor.fail(i, FailureClass::Permanent, EffectKnowledge::NoEffect);
    c.pass(500);
    return runs;
}

PlanId started(Cluster& c, const std::vector<RunId>& runs, std::uint32_t rate)
{
    Submission act;
    act.run = deriveId<RunId>("test", "template");
    act.command.id = deriveId<CommandId>("test", "template");
    act.command.body = cmd::RetryStep{};
    PlanSpec spec;
    spec.pace.rate = rate;
    spec.pace.verify = 0;
    const auto made = specOf(std::move(act), std::move(spec));
    const auto draft = made ? draftPlan(*c.store, *c.client, *made, runs, author(),
                           deriveId<PlanId>("test", "plan"), deriveId<CommandId>("test", "plan"))
                            : Result<PlanDraft>(made.error());
    if (!draft)
        qFatal("%s", draft.error().text.c_str());
    const auto staged = stagePlan(*c.store, *draft);
    const auto row = orderPlan(*c.store, *c.client,
        {draft->row.id, PlanAct::Start, {}, deriveId<CommandId>("test", "start")}, author());
    if (!staged || !row)
        qFatal("the plan was not started");
    return draft->row.id;
}

PlanRow rowOf(Cluster& c, const PlanId& plan) { return **c.store->plan(plan); }

std::size_t done(Cluster& c, const PlanId& plan)
{
    return c.store->planItems(plan, 0, 1'000, PlanItemState::Done)->size();
}

bool eachRetriedOnce(Cluster& c, const std::vector<RunId>& runs)
{
    return std::all_of(runs.begin(), runs.end(), [&](const RunId& run) {
        const auto acts = c.store->auditOfRun(run);
        return acts->size() == 1 && acts->front().verb == Verb::Retry && c.verified(run).empty();
    });
}

}  // namespace

void TestEnginePlans::anEngineCarriesAPlanOut()
{
    Cluster c;
    Node& a = c.engine();
    const auto runs = stuck(c, a, 3);
    QCOMPARE(a.executor.started.size(), std::size_t{3});
    const PlanId plan = started(c, runs, 0);
    c.pass(3'000);
    QVERIFY(rowOf(c, plan).state == PlanState::Closed);
    QCOMPARE(done(c, plan), std::size_t{3});
    QVERIFY(eachRetriedOnce(c, runs));
    QCOMPARE(a.executor.started.size(), std::size_t{6});  // the steps run again, in the same engine
    for (std::size_t i = 3; i < 6; ++i)
        a.executor.complete(i);
    c.pass(500);
    for (const RunId& run : runs)
        QCOMPARE(c.load(run).closedAs, Activity::Completed);
}

void TestEnginePlans::aKilledEngineLeavesItToAnother()
{
    Cluster c;
    Node& a = c.engine();
    const auto runs = stuck(c, a, 4);
    const PlanId plan = started(c, runs, 60);
    c.pass(2'500);
    QVERIFY(rowOf(c, plan).holder == a.core->session());
    const std::size_t before = done(c, plan);
    QVERIFY(before >= 1 && before < 4);
    c.kill(a);
    c.engine(Cluster::config("b"));
    c.pass(10'000);
    QVERIFY(rowOf(c, plan).state == PlanState::Closed);
    QCOMPARE(done(c, plan), std::size_t{4});
    QVERIFY(eachRetriedOnce(c, runs));
}

void TestEnginePlans::aDrainingEngineGivesItAway()
{
    Cluster c;
    Node& a = c.engine();
    const auto runs = stuck(c, a, 6);
    const PlanId plan = started(c, runs, 60);
    c.pass(2'500);
    QVERIFY(rowOf(c, plan).holder == a.core->session());
    Node& b = c.engine(Cluster::config("b"));
    a.core->drain();
    c.pass(100);
    QVERIFY(rowOf(c, plan).holder != a.core->session());
    c.pass(1'500);
    QVERIFY(rowOf(c, plan).holder == b.core->session());
    c.pass(10'000);
    QVERIFY(rowOf(c, plan).state == PlanState::Closed);
    QCOMPARE(done(c, plan), std::size_t{6});
    QVERIFY(eachRetriedOnce(c, runs));
}

QTEST_APPLESS_MAIN(TestEnginePlans)
#include "tst_engine_plans.moc"
