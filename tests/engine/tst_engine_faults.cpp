// The engine's rules where the store is slow, busy, gives no answer, or refuses for good. No process, no real
// time.

#include "core/base/failpoint.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void executorsAreToldTheLease();
    void aCommitThatTookLongerThanTheLeaseCallsNothing();
    void closeCallsNothingMore();
    void aLostAnswerToAClaimLeavesNoRunBehind();
    void lostWakeUpsAreMadeGood();
    void aStoreThatRefusesEveryWriteEndsTheEngine();
    void aResultAtTheVeryTimeOutLeavesOneTimer();
    void aFailedRecoveryIsMadeAgain();
    void aFailedTimerFiresLater();
    void aBusyStoreIsNotAMissingWorkflow();
    void loadingManyLongRunsKeepsTheLease();
    void whatTheStoreNeverTakesIsToldWithoutIt();
    void aStoreThatIsAwayHoldsUpOneCallAtATime();
    void whatLandedWhileTheStoreWasAwayIsHeardOf();
};

namespace {

const char* kOne = R"({"name":"first","tool":"look"})";

}  // namespace

// They stop what works outside at its end, also when this engine cannot.
void TestEngineFaults::executorsAreToldTheLease()
{
    Cluster c;
    Node& a = c.engine();
    const SpanMs lasts = 900;  // a tenth is kept back
    QCOMPARE(a.executor.lease, c.clock.monotonicMs() + lasts);
    c.clock.advance(400);
    a.settle();
    QCOMPARE(a.executor.lease, c.clock.monotonicMs() + lasts);
    QVERIFY(a.store->endSession(a.core->session(), c.clock.wallMs(), kNoTime));
    c.clock.advance(400);
    QCOMPARE(a.core->tick(), SpanMs(0));  // the heartbeat is refused
    QCOMPARE(a.executor.lease, SpanMs(0));
    a.settle();  // a session of its own again
    QCOMPARE(a.executor.lease, c.clock.monotonicMs() + lasts);
    a.core->close();
    QCOMPARE(a.executor.lease, SpanMs(0));
}

// The disk stood still for longer than the lease: by the time the intent is there another may have taken
// over.
void TestEngineFaults::aCommitThatTookLongerThanTheLeaseCallsNothing()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"ask"})"));
    Node& a = c.engine();
    const RunId run = c.start("one");
    std::size_t commits = 0;
    a.hooks.after = [&](const char*, Access access) -> std::optional<Error> {
        if (access == Access::Commit && commits++ == 0)
            c.clock.advance(1'500);
        return std::nullopt;
    };
    c.clock.advance(200);
    for (int i = 0; i < 10 && commits == 0; ++i)
        static_cast<void>(a.core->tick());
    QCOMPARE(commits, std::size_t(1));
    QCOMPARE(c.load(run).steps[0].attempts, 1U);  // the intent is on record
    QCOMPARE(a.executor.started.size(), std::size_t(0));
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(1));
    c.pass(2'000);  // under its new session it asks the provider, and calls nothing
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(a.executor.started[0].purpose, Purpose::LookUp);
}

// What was decided before close() may be committed by it; the tool is not called any more: the run is
// everybody's.
void TestEngineFaults::closeCallsNothingMore()
{
    Cluster c;
    c.add(workflow(
        "two", R"({"name":"first","tool":"look"},{"name":"second","tool":"pay","after":["first"]})"));
    Node& a = c.engine();
    const RunId run = c.start("two");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    Submission result;
    result.run = run;
    result.command.actor = {ActorKind::Engine, "test"};
    cmd::Complete body;
    body.attempt = a.executor.started[0].attempt;
    result.payloads.push_back(a.core->service()->newPayload("null", "application/json"));
    body.output = result.payloads.back().ref;
    result.command.body = body;
    a.core->service()->submit(std::move(result), {});
    a.core->close();
    QCOMPARE(c.load(run).steps[1].attempts, 1U);  // it was decided, and committed
    QCOMPARE(a.executor.started.size(), std::size_t(1));
}

void TestEngineFaults::aLostAnswerToAClaimLeavesNoRunBehind()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    c.start("one");
    int lost = 1;
    a.hooks.after = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) == "claim" && lost-- > 0)
            return makeError(ErrorKind::OutcomeUnknown, "the sync failed");
        return std::nullopt;
    };
    c.pass(2'000);
    QVERIFY(lost <= 0);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
}

void TestEngineFaults::lostWakeUpsAreMadeGood()
{
    Cluster c;
    c.add(workflow("bell", R"({"name":"wait","kind":"signal","signal":"rung","wait":"20s"},
        {"name":"then","tool":"look","after":["wait"]})"));
    Node& a = c.engine();
    const RunId run = c.start("bell");
    c.pass(500);
    int lost = 1;
    a.hooks.after = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) == "takeWakeups" && lost-- > 0)
            return makeError(ErrorKind::OutcomeUnknown, "the sync failed");
        return std::nullopt;
    };
    Submission s;
    s.run = run;
    s.command.actor = {ActorKind::Caller, "test"};
    s.command.body = cmd::Signal{"rung", sha256("1"), {}, true};
    const Outcome rung = c.client->submitAndWait(std::move(s));
    QVERIFY(rung.ownerElsewhere);
    c.pass(1'000);
    QVERIFY(lost <= 0);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
}

// After a failed sync the connection of the commits refuses everything, while the heartbeat goes on: nobody
// else could take the runs.
void TestEngineFaults::aStoreThatRefusesEveryWriteEndsTheEngine()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"pay"})"));
    Node& a = c.engine();
    c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    int refused = 1;
    a.hooks.before = [&](const char*, Access access) -> std::optional<Error> {
        if (access == Access::Commit && refused-- > 0)
            return makeError(ErrorKind::Io, "write failed");
        return std::nullopt;
    };
    a.executor.complete(0);
    c.pass(1'000);
    QVERIFY(!a.core->hopeless());  // once may be chance
    c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    refused = 1'000;
    a.executor.complete(1);
    c.pass(2'000);
    QVERIFY(a.core->hopeless());
    QCOMPARE(a.alerts, (std::vector<std::string>{"store_refuses_writes"}));
}

// The result and the time-out of an attempt meet in one tick; another timer of the run comes later. Where the
// run were left with two timers in memory, the older could never be taken away, and the tick at its time
// would not end.
void TestEngineFaults::aResultAtTheVeryTimeOutLeavesOneTimer()
{
    Cluster c;
    c.add(workflow(
        "two", R"({"name":"call","tool":"look","timeout":"2s"},{"name":"nap","kind":"timer","wait":"6s"})"));
    Node& a = c.engine();
    const RunId run = c.start("two");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    const TimeMs timeOut = c.load(run).steps[0].attempt->timeoutAt;
    c.clock.advance(timeOut - c.clock.wallMs());
    a.executor.complete(0);
    a.settle();
    c.pass(8'000);
    const RunState state = c.load(run);
    QVERIFY(state.closed);
    QCOMPARE(state.steps[0].state, StepState::Complete);
    QCOMPARE(state.steps[0].failures, 0U);
}

// Claimed, and then the run could not be read: as long as this engine lives nobody else would recover it.
void TestEngineFaults::aFailedRecoveryIsMadeAgain()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.kill(a);
    EngineConfig config = Cluster::config();
    Node& b = c.engine(config);
    int failures = 4;
    b.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) == "loadRun" && failures-- > 0)
            return makeError(ErrorKind::Busy, "busy");
        return std::nullopt;
    };
    c.pass(6'000);
    QVERIFY(failures <= 0);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
}

void TestEngineFaults::aFailedTimerFiresLater()
{
    Cluster c;
    c.add(workflow("nap", R"({"name":"nap","kind":"timer","wait":"2s"})"));
    Node& a = c.engine();
    const RunId run = c.start("nap");
    c.pass(500);
    int failures = 2;
    a.hooks.before = [&](const char* what, Access access) -> std::optional<Error> {
        const bool hit = access == Access::Commit || std::string_view(what) == "loadRun";
        return hit && failures-- > 0 ? std::optional(makeError(ErrorKind::Full, "full")) : std::nullopt;
    };
    c.pass(20'000);
    QVERIFY(failures <= 0);
    QVERIFY(c.load(run).closed);
}

// That the definition could not be read now says nothing about whether it is there: decided without it, a
// step that can be looked up would be parked for a person.
void TestEngineFaults::aBusyStoreIsNotAMissingWorkflow()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"pay","tool":"ask"})"));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.kill(a);
    Node& b = c.engine();
    int failures = 3;
    b.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) == "workflow" && failures-- > 0)
            return makeError(ErrorKind::Busy, "busy");
        return std::nullopt;
    };
    c.pass(6'000);
    QVERIFY(failures <= 0);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].purpose, Purpose::LookUp);
    QCOMPARE(c.load(run).blocked, Reason::None);
    QCOMPARE(c.verified(run), std::string());
}

// Forty runs, a fifth of a lease to load each: heartbeats go out in between, and all are taken over.
void TestEngineFaults::loadingManyLongRunsKeepsTheLease()
{
    constexpr std::size_t kRuns = 40;
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    for (std::size_t i = 0; i < kRuns; ++i)
        c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), kRuns);
    c.kill(a);
    Node& b = c.engine();
    std::size_t loads = 0;
    b.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) == "loadRun" && ++loads > 0)
            c.clock.advance(200);
        return std::nullopt;
    };
    c.pass(1'000);
    QVERIFY(loads >= kRuns);
    QCOMPARE(b.core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(b.executor.started.size(), kRuns);
}

// A media type that is no text is refused for good. That the calls had their effect stands all the same.
void TestEngineFaults::whatTheStoreNeverTakesIsToldWithoutIt()
{
    Cluster c;
    c.add(workflow("pays", R"({"name":"pay","tool":"pay"})"));
    c.add(workflow("looks", kOne));
    Node& a = c.engine();
    const RunId pays = c.start("pays");
    const RunId looks = c.start("looks");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    std::size_t commits = 0;
    a.hooks.before = [&](const char*, Access access) -> std::optional<Error> {
        commits += access == Access::Commit ? 1 : 0;
        return std::nullopt;
    };
    a.executor.complete(0, "{}", "text/\xFF");
    a.executor.complete(1, "{}", "text/\xFF");
    c.pass(5'000);
    QVERIFY2(commits <= 6, QByteArray::number(qulonglong(commits)));
    QCOMPARE(
        c.load(pays).steps[0].state, StepState::Unknown);  // it happened; its result is a person's to record
    QCOMPARE(c.load(looks).steps[0].state, StepState::Failed);
    QCOMPARE(a.core->stats().active, 0U);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.verified(pays), std::string());
}

// Eight commits fail together, and each call to the server takes its five seconds. The attempts that go on
// meanwhile are stopped when the lease is over, not when each of the eight has been looked for.
void TestEngineFaults::aStoreThatIsAwayHoldsUpOneCallAtATime()
{
    constexpr std::size_t kEnd = 8, kRuns = 12;
    constexpr SpanMs kCall = 5'000;
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    for (std::size_t i = 0; i < kRuns; ++i)
        c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), kRuns);
    bool down = false;
    a.hooks.before = [&](const char*, Access access) -> std::optional<Error> {
        down = down || access == Access::Commit;
        if (!down)
            return std::nullopt;
        if (access != Access::Commit)  // those are made on a thread of their own
            c.clock.advance(kCall);
        return makeError(ErrorKind::Disconnected, "gone");
    };
    for (std::size_t i = 0; i < kEnd; ++i)
        a.executor.complete(i);
    const SpanMs from = c.clock.monotonicMs();
    for (int i = 0; i < 20 && a.executor.abandoned.empty(); ++i) {
        const SpanMs before = c.clock.monotonicMs();
        static_cast<void>(a.core->tick());
        const SpanMs took = c.clock.monotonicMs() - before;
        QVERIFY2(took <= 2 * kCall, QByteArray::number(qlonglong(took)));
        c.clock.advance(50);
    }
    QVERIFY(down);
    QVERIFY(a.executor.abandoned.contains(a.executor.started[kRuns - 1].attempt));
    const SpanMs stopped = c.clock.monotonicMs() - from;
    QVERIFY2(stopped <= Cluster::config().lease + kCall + 100, QByteArray::number(qlonglong(stopped)));
    down = false;
    a.hooks.before = {};
    c.pass(10'000);
    std::size_t done = 0;
    for (std::size_t i = 0; i < kEnd; ++i)
        done += c.load(a.executor.started[i].run).closed ? 1 : 0;
    QCOMPARE(done, kEnd);  // no result was lost by it
}

// The commit of an intent landed, its answer was lost, and the run could not be read for a while: the tool is
// called all the same, not given up for called until its time-out.
void TestEngineFaults::whatLandedWhileTheStoreWasAwayIsHeardOf()
{
    Cluster c;
    c.add(workflow(
        "two", R"({"name":"first","tool":"look"},{"name":"second","tool":"look","after":["first"]})"));
    EngineConfig config = Cluster::config();
    config.lease = 10'000;
    Node& a = c.engine(config);
    const RunId run = c.start("two");
    c.pass(300);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    int refused = 0;
    a.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) != "loadRun" || ++refused > 2)
            return std::nullopt;
        return makeError(ErrorKind::Disconnected, "gone");
    };
    QVERIFY(failpoint::configure("queue.before-answer=error@1"));
    a.executor.complete(0);
    a.settle();
    QVERIFY(failpoint::configure(""));
    QVERIFY(refused > 0);
    QCOMPARE(c.load(run).steps[1].attempts, 1U);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.pass(3'000);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.load(run).steps[1].attempts, 1U);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(c.verified(run), std::string());
}

QTEST_APPLESS_MAIN(TestEngineFaults)
#include "tst_engine_faults.moc"
