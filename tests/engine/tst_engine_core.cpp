// The engine's rules: claims, takeover, leases, timers, wake-ups, limits, drain. No process, no real time.

#include "core/base/failpoint.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineCore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsToItsEnd();
    void takesOverAtOnceFromAProcessThatIsGone();
    void parksAnIrreversibleStepOfALostOwner();
    void aPausedEngineIsFencedAndGivesUp();
    void aJumpingClockStealsNothing();
    void sameNameIsNotTheSameEngine();
    void claimsAtEqualTimesRunOnce();
    void aClockThatIsOffIsReportedOnce_data();
    void aClockThatIsOffIsReportedOnce();
    void runsOfALostClaimAreNotForgotten();
    void aParkedRunIsNotTakenAgainAndAgain();
    void aTimerDueWhileAllWereDownFiresOnce();
    void retryAfterHoldsForAllRunsOfTheResource();
    void crashesAreCountedUpToTheLimit();
    void cancelReachesTheExecutor();
    void signalsOfOthersWakeTheRun();
    void childrenRunByMessages();
    void slotsLimitAllEnginesTogether();
    void aFreeSlotGoesToTheNextAtOnce();
    void drainGivesRunsBack();
    void aFullStoreLosesNoResult();
    void aVersionThatNobodyServesWaitsVisibly();
    void aDoubtIsNotKeptByAnEngineThatDoesNotServeIt();
    void runsBeyondTheCapacityComeInTurn();
};

namespace {

const char* kOne = R"({"name":"first","tool":"look"})";

std::size_t startsOf(const Cluster& c)
{
    std::size_t count = 0;
    for (const auto& node : c.nodes)
        count += node->executor.started.size();
    return count;
}

}  // namespace

void TestEngineCore::runsToItsEnd()
{
    Cluster c;
    c.add(workflow("two", R"({"name":"first","tool":"look","input":{"n":{"$from":"input"}}},
        {"name":"second","tool":"pay","after":["first"],"input":{"$from":"first"}})"));
    Node& a = c.engine();
    const RunId run = c.start("two", "5");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(a.executor.started[0].input, std::string(R"({"n":5})"));
    QCOMPARE(a.executor.started[0].effectKey, std::string());
    a.executor.complete(0, R"({"x":1})");
    a.settle();
    QCOMPARE(a.executor.started.size(), std::size_t(2));  // in the same commit, not at the next poll
    QCOMPARE(a.executor.started[1].input, std::string(R"({"x":1})"));
    QVERIFY(!a.executor.started[1].effectKey.empty());
    a.executor.complete(1);
    a.settle();
    const RunState state = c.load(run);
    QVERIFY(state.closed);
    QCOMPARE(state.closedAs, Activity::Completed);
    QCOMPARE(c.verified(run), std::string());
    QCOMPARE(a.core->stats().active, 0U);
}

void TestEngineCore::takesOverAtOnceFromAProcessThatIsGone()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    Node& b = c.engine();
    const RunId run = c.start("one");
    c.clock.advance(250);
    a.settle();
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.kill(a);
    c.pass(400);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.core->stats().sessionsEnded, std::uint64_t(1));
    const RunState state = c.load(run);
    QCOMPARE(state.steps[0].lost, 1U);
    QCOMPARE(state.steps[0].failures, 0U);
}

void TestEngineCore::parksAnIrreversibleStepOfALostOwner()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"pay"})"));
    c.add(workflow("asked", R"({"name":"ask","tool":"ask"})"));
    Node& a = c.engine();
    const RunId parked = c.start("one");
    const RunId asked = c.start("asked");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    c.kill(a);
    Node& b = c.engine();
    c.pass(2'000);
    QCOMPARE(c.load(parked).steps[0].state, StepState::Unknown);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].run, asked);
    QCOMPARE(b.executor.started[0].purpose, Purpose::LookUp);
    QCOMPARE(b.executor.started[0].settings, std::string(R"({"argv":["/bin/false"]})"));
}

void TestEngineCore::aPausedEngineIsFencedAndGivesUp()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    const SessionId before = a.core->session();
    Node& b = c.engine();
    for (int i = 0; i < 60; ++i) {  // a stands still, as after SIGSTOP; its process is there
        c.clock.advance(50);
        b.settle();
    }
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    a.executor.complete(0, R"("late")");
    a.settle();
    QVERIFY(
        a.executor.abandoned.contains(a.executor.started[0].attempt) || a.core->stats().sessionsLost == 1);
    QVERIFY(a.core->session() != before);
    b.executor.complete(0, R"("good")");
    c.pass(500);
    const RunState state = c.load(run);
    QVERIFY(state.closed);
    QCOMPARE(state.steps[0].completedBy, b.executor.started[0].attempt);
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineCore::aJumpingClockStealsNothing()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    Node& b = c.engine();
    c.start("one");
    c.clock.advance(250);
    a.settle();
    const SessionId session = a.core->session();
    c.clock.jumpWall(120'000);  // within the attempt's time-out
    b.settle();                 // sees a lease that ended two minutes ago, of a process that is there
    c.pass(2'000);
    QCOMPARE(a.core->session(), session);
    QCOMPARE(startsOf(c), std::size_t(1));
}

void TestEngineCore::sameNameIsNotTheSameEngine()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& first = c.engine(Cluster::config("w1"));
    const RunId run = c.start("one");
    c.pass(300);
    QCOMPARE(first.executor.started.size(), std::size_t(1));
    const SessionId session = first.core->session();
    c.kill(first);
    Node& second = c.engine(Cluster::config("w1"));
    Node& third = c.engine(Cluster::config("w1"));
    c.pass(500);
    QCOMPARE(second.executor.started.size() + third.executor.started.size(), std::size_t(1));
    QVERIFY(second.core->session() != session && third.core->session() != second.core->session());
    QCOMPARE(c.load(run).steps[0].lost, 1U);
}

void TestEngineCore::claimsAtEqualTimesRunOnce()
{
    Cluster c;
    c.add(workflow("one", kOne));
    EngineConfig config = Cluster::config();
    config.maxAttempts = 300;
    c.engine(config);
    c.engine(config);
    c.settle();
    std::vector<RunId> runs;
    for (int i = 0; i < 200; ++i) {  // the clock stands still: created, claimed and swept at one instant
        runs.push_back(c.start("one"));
        for (auto& node : c.nodes) {
            static_cast<void>(node->core->tick());
            static_cast<void>(node->core->tick());
        }
    }
    c.pass(300);
    QCOMPARE(startsOf(c), std::size_t(200));
    for (const RunId& run : runs)
        QCOMPARE(c.load(run).steps[0].attempts, 1U);
}

void TestEngineCore::aClockThatIsOffIsReportedOnce_data()
{
    QTest::addColumn<int>("off");
    QTest::addColumn<int>("alerts");
    QTest::newRow("right") << 0 << 0;
    QTest::newRow("a little") << 5'000 << 0;
    QTest::newRow("ahead") << 5'001 << 1;
    QTest::newRow("behind") << -600'000 << 1;
}

void TestEngineCore::aClockThatIsOffIsReportedOnce()
{
    QFETCH(int, off);
    QFETCH(int, alerts);
    Cluster c;
    ManualClock here(c.clock.wallMs() + off);
    Node node(c.db, here, c.rng, 4711, c.gone, Cluster::config());
    const auto pass = [&] {
        for (int i = 0; i < 40; ++i) {
            c.clock.advance(50);
            here.advance(50);
            node.settle();
        }
    };
    pass();
    QCOMPARE(node.alerts, std::vector<std::string>(std::size_t(alerts), "clock_off"));
    // Set right, and wrong again.
    here.jumpWall(-off);
    pass();
    here.jumpWall(off);
    pass();
    QCOMPARE(node.alerts, std::vector<std::string>(std::size_t(2 * alerts), "clock_off"));
    QCOMPARE(node.core->stats().sessionsLost, std::uint64_t(0));
}

// The store gave the run to this session, and the answer did not come: nobody else would take it while the
// session lives.
void TestEngineCore::runsOfALostClaimAreNotForgotten()
{
    Cluster c;
    c.add(workflow("one", kOne));
    const RunId run = c.start("one");
    Node& a = c.engine();
    const SessionId before = a.core->session();
    QVERIFY(failpoint::configure("engine.claim-answer=error@1"));
    c.pass(1'000);
    QVERIFY(failpoint::configure(""));
    QVERIFY(a.core->session() != before);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(1));
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    a.executor.complete(0);
    a.settle();
    QVERIFY(c.load(run).closed);
    QCOMPARE(c.load(run).steps[0].attempts, 1U);
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineCore::aParkedRunIsNotTakenAgainAndAgain()
{
    Cluster c;
    c.add(workflow("one", kOne));
    const RunId run = c.start("one");
    Submission park;
    park.run = run;
    park.command.actor = {ActorKind::System, "cairn"};
    park.payloads.push_back(
        c.client->newPayload("folding entry 2 again gives another control", "text/plain"));
    park.command.body = cmd::Park{park.payloads.back().ref};
    QCOMPARE(c.client->submitAndWait(std::move(park)).kind, Outcome::Kind::Committed);
    Node& a = c.engine();
    c.pass(10'000);
    const auto hot = c.store->hot(run);
    CAIRN_VERIFY_OK(hot);
    QVERIFY2(hot->epoch <= 2, "claimed once as due, looked at once as one that might be served now");
    QVERIFY(hot->owner.isNull());
    QCOMPARE(a.executor.started.size(), std::size_t(0));
    Submission resume;
    resume.run = run;
    resume.reason = "the new version reads it";
    resume.command.actor = {ActorKind::Person, "kim"};
    resume.command.body = cmd::SetPaused{false, 0, false};
    QCOMPARE(c.client->submitAndWait(std::move(resume)).kind, Outcome::Kind::Committed);
    c.pass(1'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
}

void TestEngineCore::aTimerDueWhileAllWereDownFiresOnce()
{
    Cluster c;
    c.add(workflow("sleeper",
        R"({"name":"nap","kind":"timer","wait":"30s"},{"name":"first","tool":"look","after":["nap"]})"));
    Node& a = c.engine();
    const RunId run = c.start("sleeper");
    c.pass(5'000);
    QCOMPARE(c.load(run).steps[0].state, StepState::Waiting);
    c.kill(a);
    c.clock.advance(295'000);
    for (int i = 0; i < 3; ++i)
        c.engine();
    c.pass(1'000);
    QCOMPARE(startsOf(c), std::size_t(1));
    const auto loaded = c.store->loadRun(run, 1, 0);
    CAIRN_VERIFY_OK(loaded);
    const RunState state = c.load(run);
    QCOMPARE(state.steps[0].state, StepState::Complete);
    QVERIFY(state.steps[0].endedAt - state.startedAt >= 300'000);
    QCOMPARE(state.steps[1].attempts, 1U);
}

void TestEngineCore::retryAfterHoldsForAllRunsOfTheResource()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    c.start("one");
    c.pass(300);
    const SpanMs toldAt = c.clock.monotonicMs();
    a.executor.fail(0, FailureClass::RateLimited, EffectKnowledge::NoEffect, 30'000);
    a.settle();
    const RunId other = c.start("one");
    c.pass(10'000);
    c.kill(a);  // the limit outlives the engine that was told
    Node& b = c.engine();
    c.pass(19'500);
    QCOMPARE(b.executor.started.size(), std::size_t(0));
    QCOMPARE(c.load(other).steps[0].reason, Reason::Resource);
    c.pass(15'000);
    QCOMPARE(b.executor.started.size(), std::size_t(2));
    QVERIFY(c.clock.monotonicMs() - toldAt >= 30'000);
    QCOMPARE(c.load(b.executor.started[0].run).steps[0].failures, 0U);
}

void TestEngineCore::crashesAreCountedUpToTheLimit()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    const RunId run = c.start("one");
    for (std::size_t i = 0; i < 3; ++i) {
        c.pass(2'000);
        QCOMPARE(a.executor.started.size(), i + 1);
        a.executor.fail(i, FailureClass::Crashed, EffectKnowledge::NoEffect);
        a.settle();
    }
    c.pass(5'000);
    QCOMPARE(a.executor.started.size(), std::size_t(3));
    const RunState state = c.load(run);
    QCOMPARE(state.steps[0].state, StepState::Failed);
    QCOMPARE(state.steps[0].reason, Reason::AttemptsExhausted);
    QCOMPARE(state.steps[0].failures, 3U);
    QCOMPARE(state.steps[0].lost, 0U);
}

void TestEngineCore::cancelReachesTheExecutor()
{
    Cluster c;
    c.add(workflow("one", kOne));
    c.add(workflow("paying", R"({"name":"pay","tool":"pay"})"));
    Node& a = c.engine();
    const RunId run = c.start("one");
    const RunId paying = c.start("paying");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.act(run, cmd::Cancel{}).kind, Outcome::Kind::Committed);
    QCOMPARE(c.act(paying, cmd::Cancel{}).kind, Outcome::Kind::Committed);
    c.pass(300);
    const bool firstIsPay = a.executor.started[0].run == paying;
    QVERIFY(a.executor.cancelled.contains(a.executor.started[firstIsPay ? 1 : 0].attempt));
    QVERIFY(
        !a.executor.cancelled.contains(a.executor.started[firstIsPay ? 0 : 1].attempt));  // it ends by itself
    a.executor.complete(firstIsPay ? 0 : 1);
    a.settle();
    QVERIFY(c.load(paying).closed);
    QCOMPARE(c.load(paying).steps[0].state, StepState::Complete);
}

void TestEngineCore::signalsOfOthersWakeTheRun()
{
    Cluster c;
    c.add(workflow(
        "both", R"({"name":"go","kind":"signal","signal":"go"},{"name":"first","tool":"look","after":["go"]},
        {"name":"busy","tool":"look"})"));
    Node& a = c.engine();
    const RunId run = c.start("both");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));  // owned: "busy" runs
    cmd::Signal signal;
    signal.name = "go";
    signal.messageHash = sha256("m1");
    QCOMPARE(c.act(run, signal).kind, Outcome::Kind::Committed);
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
}

void TestEngineCore::childrenRunByMessages()
{
    Cluster c;
    c.add(workflow("child", kOne, R"(,"output":{"$from":"first"})"));
    c.add(workflow("parent", R"({"name":"sub","kind":"run","workflow":"child","input":{"a":1}},
        {"name":"last","tool":"look","after":["sub"],"input":{"$from":"sub"}})"));
    Node& a = c.engine();
    c.engine();
    const RunId run = c.start("parent");
    c.pass(1'500);
    QCOMPARE(startsOf(c), std::size_t(1));
    for (auto& node : c.nodes)
        if (!node->executor.started.empty())
            node->executor.complete(0, R"({"found":true})");
    c.pass(1'500);
    QCOMPARE(startsOf(c), std::size_t(2));
    static_cast<void>(a);
    for (auto& node : c.nodes)
        for (std::size_t i = 0; i < node->executor.started.size(); ++i)
            if (node->executor.started[i].run == run) {
                QCOMPARE(node->executor.started[i].input, std::string(R"({"found":true})"));
                node->executor.complete(i);
            }
    c.pass(1'500);
    QVERIFY(c.load(run).closed);
    QCOMPARE(c.load(run).closedAs, Activity::Completed);
}

void TestEngineCore::slotsLimitAllEnginesTogether()
{
    Cluster c;
    c.add(workflow("one", kOne, R"(,"limits":{"web":{"slots":3}})"));
    Node& a = c.engine();
    c.start("one");
    c.pass(500);
    QCOMPARE(startsOf(c), std::size_t(1));  // the first start makes the limit known
    Node& b = c.engine();
    std::vector<RunId> runs;
    for (int i = 0; i < 10; ++i)
        runs.push_back(c.start("one"));
    c.pass(4'000);
    QCOMPARE(startsOf(c), std::size_t(3));
    // Each that waits names one that holds a slot, whichever engine it is at.
    std::set<RunId> hold;
    for (Node* node : {&a, &b})
        for (const StartOrder& order : node->executor.started)
            hold.insert(order.run);
    std::size_t named = 0;
    for (const RunId& run : runs) {
        const RunState state = c.load(run);
        const StepRecord& step = state.steps.front();
        if (step.state != StepState::Waiting)
            continue;
        QCOMPARE(step.reason, Reason::Capacity);
        QVERIFY2(hold.contains(step.waitRun), toText(step.waitRun).c_str());
        ++named;
    }
    QCOMPARE(named, std::size_t(8));
    std::size_t done = 0;
    for (int round = 0; round < 40 && done < 11; ++round) {
        done = 0;
        for (Node* node : {&a, &b})
            for (std::size_t i = 0; i < node->executor.started.size(); ++i) {
                node->executor.complete(i);
                ++done;
            }
        c.pass(1'000);
    }
    QCOMPARE(startsOf(c), std::size_t(11));
}

// Not when the run that waits for it looks again by itself, seconds later.
void TestEngineCore::aFreeSlotGoesToTheNextAtOnce()
{
    Cluster c;
    c.add(workflow("one", kOne, R"(,"limits":{"web":{"slots":1}})"));
    Node& a = c.engine();
    for (int i = 0; i < 4; ++i)
        c.start("one");
    c.pass(500);
    for (std::size_t i = 0; i < 4; ++i) {
        QCOMPARE(a.executor.started.size(), i + 1);
        a.executor.complete(i);
        a.settle();
    }
    QCOMPARE(a.executor.started.size(), std::size_t(4));
}

void TestEngineCore::drainGivesRunsBack()
{
    Cluster c;
    c.add(workflow(
        "two", R"({"name":"first","tool":"look"},{"name":"second","tool":"look","after":["first"]})"));
    Node& a = c.engine();
    const RunId run = c.start("two");
    c.pass(300);
    a.core->drain();
    a.settle();
    QVERIFY(!a.core->drained());
    a.executor.complete(0);
    a.settle();
    QVERIFY(a.core->drained());
    QCOMPARE(a.executor.started.size(), std::size_t(1));  // nothing new
    a.core->close();
    Node& b = c.engine();
    c.pass(500);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].step, std::string("second"));
    QCOMPARE(c.load(run).steps[0].lost, 0U);
}

void TestEngineCore::aFullStoreLosesNoResult()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"pay"})"));
    EngineConfig config = Cluster::config();
    config.lease = 600'000;
    Node& a = c.engine(config);
    const RunId run = c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    std::size_t refused = 0;
    setFaults(*c.db,
        {[&]() -> std::optional<Error> {
             ++refused;
             return makeError(ErrorKind::Full, "database or disk is full");
         },
            {}});
    a.executor.complete(0, R"("paid")");
    c.pass(60'000);
    QVERIFY(refused >= 2);
    QVERIFY2(refused <= 20, "the store is probed slowly");
    QVERIFY2(a.core->tick() > 0, "between the probes it sleeps");
    QCOMPARE(a.alerts.size(), std::size_t(1));
    QVERIFY(a.core->stats().full);
    setFaults(*c.db, {});
    c.pass(6'000);
    QVERIFY(!a.core->stats().full);
    const RunState state = c.load(run);
    QVERIFY(state.closed);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    const auto output = c.store->payload(run, state.steps[0].output.id, 0, 100);
    CAIRN_VERIFY_OK(output);
    QCOMPARE(*output, std::string(R"("paid")"));
}

void TestEngineCore::aVersionThatNobodyServesWaitsVisibly()
{
    Cluster c;
    c.add(workflow("one", kOne));
    EngineConfig config = Cluster::config();
    config.serves = {"one@2"};
    c.engine(config);
    const RunId run = c.start("one");
    c.pass(2'000);
    QCOMPARE(startsOf(c), std::size_t(0));
    QCOMPARE(c.load(run).blocked, Reason::Worker);
    Node& b = c.engine();
    c.pass(4'000);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(c.load(run).blocked, Reason::None);
}

// The look-up is due, and only another engine may make it.
void TestEngineCore::aDoubtIsNotKeptByAnEngineThatDoesNotServeIt()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"ask"})"));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    EngineConfig config = Cluster::config();
    config.serves = {"other"};
    c.engine(config);
    c.kill(a);
    c.pass(1'000);
    QCOMPARE(c.load(run).blocked, Reason::Worker);
    QCOMPARE(c.load(run).unknown.size(), std::size_t(1));
    Node& b = c.engine();
    c.pass(4'000);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].purpose, Purpose::LookUp);
}

void TestEngineCore::runsBeyondTheCapacityComeInTurn()
{
    Cluster c;
    c.add(workflow("one", kOne));
    EngineConfig config = Cluster::config();
    config.maxAttempts = 1;
    Node& a = c.engine(config);
    for (int i = 0; i < 4; ++i)
        c.start("one");
    for (std::size_t i = 0; i < 4; ++i) {
        c.pass(500);
        QCOMPARE(a.executor.started.size(), i + 1);
        a.executor.complete(i);
    }
}

QTEST_APPLESS_MAIN(TestEngineCore)
#include "tst_engine_core.moc"
