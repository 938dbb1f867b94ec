// A store's clock that is stepped: nobody who lives is ended for it, and nobody who is dead is kept. No
// process, no real time.

#include "core/service/sessions.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineClocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepForwardEndsNobodyElsewhere();
    void aStepForwardAtASlowHeartbeatEndsNobody();
    void whoDiedBeforeAStepForwardIsEnded();
    void onASteadyClockALeaseThatPassedIsEnough();
    void aStepBackKeepsNobodyWhoIsDead_data();
    void aStepBackKeepsNobodyWhoIsDead();
    void aStepBackEndsNobody();
    void aHeartbeatOfTheFutureIsNotHeard();
    void aStepForwardTimesNoAttemptOut();
    void aStepBackLeavesNoAttemptItsHour();
    void aTestsClockIsMovedOnPurpose();
    void aStepEndsNothingThatPeopleHaveTimeFor_data();
    void aStepEndsNothingThatPeopleHaveTimeFor();
};

namespace {

constexpr SpanMs kLease = 1'000;
constexpr SpanMs kHour = 3'600'000;
const char* kOne = R"({"name":"first","tool":"look"})";

EngineConfig named(const std::string& name, SpanMs lease = kLease)
{
    EngineConfig config = Cluster::config(name);
    config.lease = lease;
    config.heartbeat = lease / 3;
    return config;
}

// Killed on another host: nobody here sees that its process is gone.
void killElsewhere(Cluster& c, Node& node)
{
    std::erase_if(c.nodes, [&](const auto& each) { return each.get() == &node; });
}

std::size_t open(Cluster& c) { return c.store->sessions(false)->size(); }

}  // namespace

// Another server takes the store's place, and its clock is ahead: what was renewed by the old one looks as if
// it had passed.
void TestEngineClocks::aStepForwardEndsNobodyElsewhere()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine(named("a"), "one");
    Node& b = c.engine(named("b"), "other");
    c.start("one");
    c.pass(2'000);
    const SessionId session = a.core->session();
    c.clock.jumpWall(15 * kLease);
    c.clock.advance(150);
    b.settle();
    QCOMPARE(open(c), std::size_t(2));
    c.pass(5'000);
    QCOMPARE(a.core->session(), session);
    QCOMPARE(a.core->stats().sessionsLost + b.core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(a.executor.started.size() + b.executor.started.size(), std::size_t(1));
}

// Its lease is ten of the others': it is given the time that it has itself.
void TestEngineClocks::aStepForwardAtASlowHeartbeatEndsNobody()
{
    Cluster c;
    Node& slow = c.engine(named("slow", 10 * kLease), "one");
    Node& quick = c.engine(named("quick"), "other");
    c.pass(5'000);
    c.clock.jumpWall(60 * kLease);
    for (SpanMs gone = 0; gone < 3 * kLease; gone += 50) {
        c.clock.advance(50);
        quick.settle();
    }
    QCOMPARE(open(c), std::size_t(2));
    c.pass(20'000);
    QCOMPARE(slow.core->stats().sessionsLost + quick.core->stats().sessionsLost, std::uint64_t(0));
}

void TestEngineClocks::whoDiedBeforeAStepForwardIsEnded()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine(named("a"), "one");
    c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    Node& b = c.engine(named("b"), "other");
    c.pass(500);
    killElsewhere(c, a);
    c.clock.jumpWall(15 * kLease);
    c.pass(kLease + 500);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(open(c), std::size_t(1));
}

void TestEngineClocks::onASteadyClockALeaseThatPassedIsEnough()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine(named("a"), "one");
    c.start("one");
    c.pass(500);
    killElsewhere(c, a);
    c.clock.advance(2 * kLease);
    Node& b = c.engine(named("b"), "other");
    c.pass(200);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
}

void TestEngineClocks::aStepBackKeepsNobodyWhoIsDead_data()
{
    QTest::addColumn<bool>("before");
    QTest::newRow("before the next engine starts") << true;
    QTest::newRow("while another is at work") << false;
}

// The machine came up with its clock ahead, and NTP set it right: the lease of who is dead seems to last for
// hours.
void TestEngineClocks::aStepBackKeepsNobodyWhoIsDead()
{
    QFETCH(bool, before);
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine(named("a"), "one");
    c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    if (!before) {
        c.engine(named("b"), "other");
        c.pass(500);
    }
    killElsewhere(c, a);
    c.clock.jumpWall(-kHour);
    if (before)
        c.engine(named("b"), "other");
    c.pass(kLease + 2'000);
    QCOMPARE(open(c), std::size_t(1));
    QCOMPARE(c.nodes.back()->executor.started.size(), std::size_t(1));
}

void TestEngineClocks::aStepBackEndsNobody()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine(named("a"), "one");
    Node& b = c.engine(named("b"), "other");
    c.start("one");
    c.pass(2'000);
    c.clock.jumpWall(-kHour);
    c.pass(5'000);
    QCOMPARE(a.core->stats().sessionsLost + b.core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(open(c), std::size_t(2));
    QCOMPARE(a.executor.started.size() + b.executor.started.size(), std::size_t(1));
}

// What `why`, lists and the console go by.
void TestEngineClocks::aHeartbeatOfTheFutureIsNotHeard()
{
    constexpr TimeMs kNow = 1'790'000'000'000;
    SeededRng rng{3};
    SessionRow row;
    row.id = makeId<SessionId>(kNow, rng);
    row.heartbeatAt = kNow + 2'000;
    row.leaseUntil = row.heartbeatAt + 10'000;
    QVERIFY(!HeardSessions({row}, kNow).lost(row.id));
    row.heartbeatAt += 1;
    const HeardSessions ahead({row}, kNow);
    QVERIFY(ahead.lost(row.id).has_value());
    QCOMPARE(ahead.lost(row.id)->lastHeard, kNow);  // not in an hour
    QCOMPARE(ahead.silent().size(), std::size_t(1));
    QCOMPARE(ahead.mayLive().size(), std::size_t(1));  // a store is not moved before that is known
}

namespace {

const char* kMinute = R"({"name":"first","tool":"look","timeout":"60s"})";

}  // namespace

// It is a span, and a minute is a minute.
void TestEngineClocks::aStepForwardTimesNoAttemptOut()
{
    Cluster c;
    c.add(workflow("one", kMinute));
    Node& a = c.engine(named("a"));
    const RunId run = c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.clock.jumpWall(kHour / 2);  // less than the whole time of a step, which is counted by the store's clock
    c.pass(5'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QVERIFY(a.executor.abandoned.empty());
    QCOMPARE(c.load(run).steps[0].state, StepState::Running);
    QCOMPARE(a.alerts, (std::vector<std::string>{"expiry_held"}));
    c.pass(70'000, 250);
    QCOMPARE(a.executor.abandoned.size(), std::size_t(1));
    QCOMPARE(c.load(run).steps[0].failures, std::uint32_t(1));
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineClocks::aStepBackLeavesNoAttemptItsHour()
{
    Cluster c;
    c.add(workflow("one", kMinute));
    Node& a = c.engine(named("a"));
    const RunId run = c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    c.clock.jumpWall(-kHour);
    c.pass(58'000, 250);
    QVERIFY(a.executor.abandoned.empty());
    c.pass(8'000, 250);
    QCOMPARE(a.executor.abandoned.size(), std::size_t(1));
    QCOMPARE(c.load(run).steps[0].failures, std::uint32_t(1));
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineClocks::aTestsClockIsMovedOnPurpose()
{
    InitOptions options;
    options.testClock = true;
    Cluster c(options);
    c.add(workflow("one", kMinute));
    Node& a = c.engine(named("a"));
    const RunId run = c.start("one");
    c.pass(500);
    c.clock.jumpWall(kHour);
    c.pass(1'000);
    QCOMPARE(a.executor.abandoned.size(), std::size_t(1));
    QCOMPARE(c.load(run).steps[0].failures, std::uint32_t(1));
    QVERIFY(a.alerts.empty());
}

void TestEngineClocks::aStepEndsNothingThatPeopleHaveTimeFor_data()
{
    QTest::addColumn<QString>("step");
    QTest::addColumn<QString>("more");
    QTest::newRow("approval") << R"({"name":"first","tool":"pay","approval":{"role":"ops","expires":"600s"}})"
                              << QString();
    QTest::newRow("deadline") << kOne << R"(,"deadline":"600s")";
}

void TestEngineClocks::aStepEndsNothingThatPeopleHaveTimeFor()
{
    QFETCH(QString, step);
    QFETCH(QString, more);
    Cluster c;
    c.add(workflow("one", step.toStdString(), more.toStdString()));
    Node& a = c.engine(named("a"));
    const RunId run = c.start("one");
    const auto ended = [&] {
        const RunState state = c.load(run);
        return state.blocked == Reason::Deadline
            || (!state.approvals.empty() && state.approvals.front().state == ApprovalState::Expired);
    };
    c.pass(500);
    c.clock.jumpWall(kHour);
    c.pass(700);
    QVERIFY(!ended());
    QCOMPARE(a.alerts, (std::vector<std::string>{"expiry_held"}));
    c.clock.jumpWall(-kHour);  // somebody has set it right
    c.pass(5'000);
    QVERIFY(!ended());
    c.clock.jumpWall(kHour);  // and that is what it is
    c.pass(kLease + 3'000);
    QVERIFY(ended());
}

QTEST_APPLESS_MAIN(TestEngineClocks)
#include "tst_engine_clocks.moc"
