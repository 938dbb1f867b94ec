// TIM: timers and clocks.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestTim : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c23_sleepEndsWhileEverythingIsDown();
    void c27_clockOfOneWorkerIsOff();
};

void TestTim::c23_sleepEndsWhileEverythingIsDown()
{
    CAIRN_BENCH();
    b.add(workflow("nap", "{'name':'sleep','kind':'timer','wait':'30s'},{'name':'go','tool':'note','after':['sleep'],'input':{}}"));
    const TimeMs began = b.now();
    EngineStandIn only(b, {"w0"});
    const RunId run = b.started("nap");
    only.settle();
    b.advance(5'000);
    only.settle();
    only.kill();
    b.advance(295'000);
    // Three workers at once; whoever comes first ends the dead one's session. The bound: the first turn of whoever claims.
    EngineStandIn one(b, {"w1"});
    EngineStandIn two(b, {"w2"});
    EngineStandIn three(b, {"w3"});
    b.bury(only);
    for (EngineStandIn* engine : {&one, &two, &three})
        static_cast<void>(engine->turn());
    for (EngineStandIn* engine : {&three, &two, &one})
        engine->settle();
    QCOMPARE(b.effectd.text(), std::string("go=1"));
    QVERIFY(b.state(run).closed);
    TimeMs due = kNoTime;
    TimeMs real = kNoTime;
    int ends = 0;
    for (const Entry& entry : b.entries(run))
        for (const Fact& fact : entry.facts) {
            if (const auto* waiting = std::get_if<StepWaiting>(&fact); waiting && waiting->reason == Reason::Timer)
                due = waiting->due;
            if (const auto* completed = std::get_if<StepCompleted>(&fact); completed && completed->step == 0) {
                real = entry.time;
                ++ends;
            }
        }
    QCOMPARE(due, began + 30'000);
    QCOMPARE(real, began + 300'000);
    QCOMPARE(ends, 1);
    QCOMPARE(b.verified(run), std::string());
}

// B's host clock is 10 minutes ahead. All that is judged is judged by the store's time.
void TestTim::c27_clockOfOneWorkerIsOff()
{
    CAIRN_BENCH();
    b.add(workflow("one", "{'name':'do','tool':'note','timeout':'5m','input':{}}"));
    b.tools["note"] = [](const Call&) { return later(); };
    EngineStandIn a(b, {"A", {}, 60'000});
    EngineSettings ahead{"B"};
    ahead.skew = 600'000;
    EngineStandIn other(b, ahead);
    const RunId run = b.started("one");
    a.settle();
    other.settle();
    QCOMPARE(other.service().now(), b.now());
    const auto ended = b.store->endSession(a.session, other.service().now(), other.service().now());
    CAIRN_VERIFY_OK(ended);
    QVERIFY(!*ended);                            // A's lease of 60 s holds
    QCOMPARE(b.step(run, "do").attempt->session, a.session);
    // B's idea of time does not time the attempt out, and what B commits carries the store's time.
    QCOMPARE(other.submit(Bench::command(run, cmd::FireTimers{})).kind, Outcome::Kind::NoChange);
    QCOMPARE(other.submit(b.act(run, cmd::SetDeadline{b.now() + 3'600'000})).kind, Outcome::Kind::Committed);
    QCOMPARE(b.entries(run).back().time, b.now());
    QCOMPARE(b.summary(run).activity, Activity::Executing);
    a.settle();
    static_cast<void>(a.answer(a.open(run, "do"), done()));
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.step(run, "do").attempts, 1U);
}

CAIRN_CASES(TestTim, "tim")
#include "cases_tim.moc"
