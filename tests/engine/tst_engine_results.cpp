// Results that are refused for what they are: the attempt ends, and an effect that happened stays one that
// happened. Waiting for a permit costs nothing.

#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineResults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRefusedResultOfAWritingToolIsNotDenied_data();
    void aRefusedResultOfAWritingToolIsNotDenied();
    void aRefusedResultOfAReadingToolFailsItsStep();
    void waitingForAPermitWritesNothing();
    void whatTheOutputReportsIsUsed();
};

namespace {

std::string planning(const std::string& tool)
{
    return workflow("plans",
        R"({"name":"choose","kind":"decision","tool":")" + tool
            + R"(","adds_steps":true},{"name":"more","tool":"look","on_demand":true},
            {"name":"other","tool":"look"})");
}

const char* kNoSuchStep = R"({"steps":[{"id":"x","name":"nothing"}]})";
const char* kTakenId = R"({"steps":[{"id":"other","name":"more"}]})";

std::size_t placeOf(const Node& node, const std::string& step)
{
    for (std::size_t i = 0; i < node.executor.started.size(); ++i)
        if (node.executor.started[i].step == step)
            return i;
    qFatal("not started");
}

}  // namespace

void TestEngineResults::aRefusedResultOfAWritingToolIsNotDenied_data()
{
    QTest::addColumn<QString>("plan");
    QTest::newRow("names no step") << QString::fromLatin1(kNoSuchStep);
    QTest::newRow("an id that is taken") << QString::fromLatin1(kTakenId);
    QTest::newRow("not JSON") << QStringLiteral("\x01\xff");
}

void TestEngineResults::aRefusedResultOfAWritingToolIsNotDenied()
{
    QFETCH(QString, plan);
    Cluster c;
    c.add(planning("pay"));
    Node& a = c.engine();
    const RunId run = c.start("plans");
    c.pass(300);
    a.executor.complete(placeOf(a, "choose"), plan.toLatin1().toStdString());
    a.settle();
    const RunState state = c.load(run);
    const StepRecord& step = *state.find("choose");
    QCOMPARE(step.state, StepState::Unknown);  // a person says what it gave
    QVERIFY(step.doubt);
    QVERIFY(!step.attempt);
    const auto rows = c.store->effects(std::span(&step.effect, 1));
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->front().state, LedgerState::Unknown);
    QCOMPARE(a.core->stats().active, 1U);  // the other step's
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineResults::aRefusedResultOfAReadingToolFailsItsStep()
{
    Cluster c;
    c.add(planning("look"));
    Node& a = c.engine();
    const RunId run = c.start("plans");
    c.pass(300);
    a.executor.complete(placeOf(a, "choose"), kTakenId);
    a.settle();
    const RunState state = c.load(run);
    const StepRecord& step = *state.find("choose");
    QCOMPARE(step.state, StepState::Failed);
    QCOMPARE(step.reason, Reason::Incompatible);
    const auto why = c.store->payload(run, step.error.id);
    CAIRN_VERIFY_OK(why);
    QCOMPARE(*why, std::string("step \"other\" exists already; ids are unique in a run"));
    QCOMPARE(c.verified(run), std::string());
}

void TestEngineResults::waitingForAPermitWritesNothing()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"},{"name":"nap","kind":"timer","wait":"20s"})",
        R"(,"limits":{"web":{"slots":1}})"));
    Node& a = c.engine();
    const RunId first = c.start("one");
    c.pass(300);
    const RunId second = c.start("one");
    c.pass(2'000);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    QCOMPARE(c.load(second).find("first")->reason, Reason::Capacity);
    const std::uint64_t version = c.load(second).version;
    c.pass(17'000, 250);
    QCOMPARE(c.load(second).version, version);
    c.pass(2'000);  // its own timer is not late for it
    QCOMPARE(c.load(second).version, version + 1);
    QCOMPARE(c.load(second).find("nap")->state, StepState::Complete);
    c.pass(30'000, 250);
    QCOMPARE(c.load(second).version, version + 1);
    const auto listed = c.store->listRows(std::span(&second, 1));
    CAIRN_VERIFY_OK(listed);
    QCOMPARE(listed->front().reason, Reason::Capacity);
    a.executor.complete(0);
    c.pass(2'000);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(a.executor.started[1].run, second);
    QVERIFY(c.load(first).closed);
    QCOMPARE(c.verified(first) + c.verified(second), std::string());
}

void TestEngineResults::whatTheOutputReportsIsUsed()
{
    Cluster c;
    c.add(R"({"schema":"urn:cairn:workflow:1","name":"spends","budget":[{"tokens":100}],
        "tools":{"ask":{"safety":"read_only","executor":"command","settings":{"argv":["true"]},
            "worst_case":[{"tokens":60}],"usage":{"tokens":"/usage/total"}}},
        "steps":[{"name":"a","tool":"ask"},{"name":"b","tool":"ask","after":["a"]},
            {"name":"c","tool":"ask","after":["b"]}]})");
    Node& a = c.engine();
    const RunId run = c.start("spends");
    c.pass(300);
    a.executor.complete(placeOf(a, "a"), R"({"usage":{"total":30}})");
    a.settle();
    QCOMPARE(c.load(run).budget.front().used, 30);
    a.executor.complete(placeOf(a, "b"), R"({"usage":"not said"})");
    a.settle();
    QCOMPARE(c.load(run).budget.front().used, 90);  // the worst case
    QCOMPARE(c.load(run).find("c")->reason, Reason::Budget);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
}

QTEST_APPLESS_MAIN(TestEngineResults)
#include "tst_engine_results.moc"
