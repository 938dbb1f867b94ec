// Asked to stop: others go on with what is not under way here, and results in hand are not dropped. No
// process, no real time.

#include "tests/engine/engine_harness.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestEngineDrain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotUnderWayGoesToOthersAtOnce();
    void aStoreThatIsAwayIsWaitedForWithResultsInHand();
    void whatCouldNotBeWrittenIsTold();
};

namespace {

EngineConfig quick(const std::string& name = "engine")
{
    EngineConfig config = Cluster::config(name);
    config.drainGrace = 5'000;
    return config;
}

}  // namespace

void TestEngineDrain::whatIsNotUnderWayGoesToOthersAtOnce()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"pay"})"));
    EngineConfig config = quick();
    config.maxAttempts = 1;
    config.drainGrace = 60'000;
    Node& a = c.engine(config);
    const RunId first = c.start("one");
    c.pass(500);
    const RunId second = c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(a.core->stats().owned, std::uint32_t(2));
    a.core->drain();
    Node& b = c.engine(quick("b"));
    c.pass(1'000);
    QVERIFY(!a.core->drained());
    QCOMPARE(a.core->stats().owned, std::uint32_t(1));
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].run, second);
    // What is under way is left alone, and ends where it began.
    a.executor.complete(0, R"("paid")");
    c.pass(500);
    QVERIFY(a.core->drained());
    QCOMPARE(c.load(first).closedAs, Activity::Completed);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(c.verified(first), std::string());
}

void TestEngineDrain::aStoreThatIsAwayIsWaitedForWithResultsInHand()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"pay"})"));
    Node& a = c.engine(quick());
    const RunId run = c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    bool away = true;
    a.hooks.before = [&](const char*, Access) {
        return away ? std::optional(makeError(ErrorKind::Disconnected, "nobody answers")) : std::nullopt;
    };
    a.executor.complete(0, R"("paid")");
    c.pass(2'000);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(1));
    a.core->drain();
    c.pass(1'000);
    QVERIFY(!a.core->drained());
    away = false;
    c.pass(2'000);
    QVERIFY(a.core->drained());
    a.core->close();
    QCOMPARE(c.load(run).closedAs, Activity::Completed);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QVERIFY(std::find(a.alerts.begin(), a.alerts.end(), "results_not_written") == a.alerts.end());
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineDrain::whatCouldNotBeWrittenIsTold()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"pay"})"));
    Node& a = c.engine(quick());
    c.start("one");
    c.pass(500);
    a.hooks.before = [&](const char*, Access) {
        return std::optional(makeError(ErrorKind::Disconnected, "nobody answers"));
    };
    a.executor.complete(0, R"("paid")");
    a.core->drain();
    c.pass(14'000, 250);
    QVERIFY(!a.core->drained());
    c.pass(2'000, 250);
    QVERIFY(a.core->drained());
    a.core->close();
    QCOMPARE(std::count(a.alerts.begin(), a.alerts.end(), "results_not_written"), std::ptrdiff_t(1));
}

QTEST_APPLESS_MAIN(TestEngineDrain)
#include "tst_engine_drain.moc"
