// RTY: retries, back-off, and what counts as an attempt.

#include "core/base/http_date.h"
#include "tests/cases/bench.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestRty : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c28_serverSaidWait();
    void c28_retryAfterHeader_data();
    void c28_retryAfterHeader();
    void c29_whatCountsAsAnAttempt();
};

void TestRty::c28_serverSaidWait()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'call','input':{}}"));
    const TimeMs began = b.now();
    std::vector<TimeMs> calls;
    b.tools["call"] = [&](const Call&) {
        calls.push_back(b.now());
        return calls.size() == 1 ? fails(FailureClass::RateLimited, "429", 30'000) : done();
    };
    auto engine = std::make_unique<EngineStandIn>(b, EngineSettings{});
    std::vector<RunId> runs{b.started("one")};
    engine->settle();
    QCOMPARE(calls.size(), std::size_t(1));
    b.advance(300);  // the other 19 share the provider: one limit for all
    while (runs.size() < 20)
        runs.push_back(b.started("one"));
    engine->settle();
    b.advance(9'700);
    engine->settle();
    engine->kill();  // restarted at 10 s
    b.bury(*engine);
    engine = std::make_unique<EngineStandIn>(b, EngineSettings{"w2"});
    engine->settle();
    std::set<TimeMs> times;
    for (const RunId& run : runs) {
        const ListRow row = b.row(run);
        QCOMPARE(row.reason, Reason::Resource);
        QVERIFY2(row.nextTime >= began + 30'000, std::to_string(row.nextTime - began).c_str());
        times.insert(row.nextTime);
        QCOMPARE(b.step(run, "do").failures, 0U);  // being limited uses up nothing
    }
    QVERIFY2(times.size() >= 15, std::to_string(times.size()).c_str());  // spread
    b.advance(19'999);                                                   // began + 29.999 s
    engine->settle();
    QCOMPARE(calls.size(), std::size_t(1));
    for (int i = 0; i < 60; ++i) {
        b.advance(1'000);
        engine->settle();
    }
    QCOMPARE(calls.size(), std::size_t(21));
    for (std::size_t i = 1; i < calls.size(); ++i)
        QVERIFY(calls[i] >= began + 30'000);
    const std::set<TimeMs> seconds(calls.begin() + 1, calls.end());
    QVERIFY2(seconds.size() >= 5, std::to_string(seconds.size()).c_str());
    for (const RunId& run : runs)
        QVERIFY(b.state(run).closed);
}

void TestRty::c28_retryAfterHeader_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<qint64>("atLeast");
    QTest::addColumn<qint64>("atMost");
    // With jitter of a tenth (10 s at most) on top; what cannot be read falls back to the own back-off of 1
    // s.
    QTest::newRow("seconds") << QByteArray("30") << qint64(30'000) << qint64(33'001);
    QTest::newRow("date") << QByteArray("Sun, 17 Mar 2030 17:47:10 GMT") << qint64(30'000) << qint64(33'001);
    QTest::newRow("negative") << QByteArray("-5") << qint64(0) << qint64(1'200);
    QTest::newRow("word") << QByteArray("soon") << qint64(0) << qint64(1'200);
    QTest::newRow("a day") << QByteArray("86400") << qint64(86'400'000) << qint64(86'410'000);
    QTest::newRow("extreme, capped at a day")
        << QByteArray("99999999") << qint64(86'400'000) << qint64(86'410'000);
}

void TestRty::c28_retryAfterHeader()
{
    CAIRN_BENCH();
    QFETCH(QByteArray, header);
    QFETCH(qint64, atLeast);
    QFETCH(qint64, atMost);
    b.add(workflow("one", "{'name':'do','tool':'call','input':{}}"));
    // 2030-03-17T17:46:40Z is the bench's beginning.
    const auto asked = parseRetryAfter(header.toStdString(), {}, b.now());
    b.tools["call"] = [&](const Call&) {
        return fails(FailureClass::RateLimited, "429", asked ? *asked : -1);
    };
    EngineStandIn engine(b, {});
    const RunId run = b.started("one");
    engine.settle();
    const ListRow row = b.row(run);
    QCOMPARE(row.reason, Reason::Resource);
    QVERIFY2(row.nextTime - b.now() >= atLeast, std::to_string(row.nextTime - b.now()).c_str());
    QVERIFY2(row.nextTime - b.now() <= atMost, std::to_string(row.nextTime - b.now()).c_str());
    QCOMPARE(row.resource, std::string("provider"));
}

void TestRty::c29_whatCountsAsAnAttempt()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'look','input':{'$from':'input'}}"));
    // (a) The worker is killed from outside three times in mid-step.
    bool kills = true;
    b.tools["look"] = [&](const Call& call) {
        if (kills && call.input == "\"a\"")
            return killed();
        if (call.input == "\"b\"")
            return fails(FailureClass::Crashed, "exit status 137");
        return done();
    };
    const RunId run = b.started("one", "\"a\"");
    for (int i = 0; i < 3; ++i) {
        EngineStandIn engine(b, {"w"});
        engine.settle();
        QVERIFY(engine.dead());
        QCOMPARE(b.step(run, "do").attempts, static_cast<std::uint32_t>(i + 1));  // written at the claim
        b.bury(engine);
    }
    EngineStandIn engine(b, {"w"});
    engine.settle();
    QVERIFY(!engine.dead());
    const StepRecord lost = b.step(run, "do");
    QCOMPARE(lost.lost, 3U);
    QCOMPARE(lost.failures, 0U);
    QVERIFY(!b.state(run).closed);
    QCOMPARE(b.summary(run).attention, Attention::Repair);
    QCOMPARE(b.summary(run).primary.reason, Reason::AttemptsExhausted);
    kills = false;
    QCOMPARE(b.doAct(run, cmd::RetryStep{"do"}).kind, Outcome::Kind::Committed);
    engine.settle();
    QVERIFY(b.state(run).closed);
    // (b) A step that exits 137 each time, among ten good runs: quarantined after three, the others finish.
    const RunId bad = b.started("one", "\"b\"");
    std::vector<RunId> good;
    for (int i = 0; i < 10; ++i)
        good.push_back(b.started("one", "\"g\""));
    for (int i = 0; i < 60; ++i) {
        engine.settle();
        b.advance(1'000);
    }
    for (const RunId& other : good)
        QCOMPARE(b.state(other).closedAs, Activity::Completed);
    QCOMPARE(b.step(bad, "do").failures, 3U);
    QCOMPARE(b.step(bad, "do").lost, 0U);
    QCOMPARE(b.step(bad, "do").attempts, 3U);
    QCOMPARE(b.summary(bad).primary.reason, Reason::AttemptsExhausted);
    QCOMPARE(b.row(bad).error, std::string("exit status 137"));
    QCOMPARE(b.verified(bad), std::string());
}

CAIRN_CASES(TestRty, "rty")
#include "cases_rty.moc"
