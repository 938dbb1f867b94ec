// What the engine itself lacks to begin calls: no failure of the steps. No process, no real time.

#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineAble : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatCannotBeBegunHereUsesUpNoAttempt();
    void manyThatMeetOneLackWaitTogether();
    void whatIsNotKnownToHaveDoneNothingIsInDoubt();
};

namespace {

const char* kOne = R"({"name":"first","tool":"look"})";

}  // namespace

void TestEngineAble::whatCannotBeBegunHereUsesUpNoAttempt()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    SpanMs waited = 0;
    for (std::size_t i = 0; i < 8; ++i) {  // the tool allows three attempts
        a.executor.fail(i, FailureClass::NotBegun, EffectKnowledge::NoEffect);
        a.settle();
        const RunState state = c.load(run);
        QCOMPARE(state.steps[0].reason, Reason::Retry);
        QCOMPARE(state.steps[0].failures, std::uint32_t(0));
        const SpanMs wait = state.steps[0].due - *c.store->now();
        QVERIFY2(wait >= std::min<SpanMs>(waited, 60'000), QByteArray::number(qlonglong(wait)));
        QVERIFY2(wait <= 67'000, QByteArray::number(qlonglong(wait)));
        waited = wait / 2 * 3;  // it doubles, and a tenth is left to chance
        c.pass(wait + 1'500, 250);
        QCOMPARE(a.executor.started.size(), i + 2);
    }
    QCOMPARE(a.alerts, (std::vector<std::string>{"calls_not_begun"}));
    // Another run's call of the same resource is not put off: nobody asked for that.
    c.start("one");
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(10));
    a.executor.complete(8);
    a.executor.complete(9);
    c.pass(500);
    QCOMPARE(c.load(run).closedAs, Activity::Completed);
    QCOMPARE(c.load(run).steps[0].failures, std::uint32_t(0));
    QCOMPARE(a.alerts, (std::vector<std::string>{"calls_not_begun", "calls_begin_again"}));
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineAble::manyThatMeetOneLackWaitTogether()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    constexpr std::size_t kRuns = 12;
    std::vector<RunId> runs;
    for (std::size_t i = 0; i < kRuns; ++i)
        runs.push_back(c.start("one"));
    c.pass(1'000);
    QCOMPARE(a.executor.started.size(), kRuns);
    for (std::size_t i = 0; i < kRuns; ++i)
        a.executor.fail(i, FailureClass::NotBegun, EffectKnowledge::NoEffect);
    a.settle();
    for (const RunId& run : runs)
        QVERIFY(c.load(run).steps[0].due - *c.store->now() <= 1'200);
    QCOMPARE(a.alerts, (std::vector<std::string>{"calls_not_begun"}));
    c.pass(2'000);
    QCOMPARE(a.executor.started.size(), 2 * kRuns);
}

// An executor that says so of a call that may have been made is not believed more than any other.
void TestEngineAble::whatIsNotKnownToHaveDoneNothingIsInDoubt()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"pay"})"));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.pass(500);
    a.executor.fail(0, FailureClass::NotBegun, EffectKnowledge::Unknown);
    c.pass(5'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(c.load(run).steps[0].state, StepState::Unknown);
}

QTEST_APPLESS_MAIN(TestEngineAble)
#include "tst_engine_able.moc"
