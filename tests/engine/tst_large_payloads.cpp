// Outputs and inputs over a mebibyte: copied and checked beside the engine's thread, which goes on meanwhile.

#include "core/store/memory/memory_database.h"
#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const std::string kLarge = "\"" + std::string((5 << 20) / 2, 'x') + "\"";  // a JSON text of 2.5 MiB
const char* kOne = R"({"name":"first","tool":"look"})";
const char* kTwo = R"({"name":"first","tool":"look"},
    {"name":"second","tool":"look","after":["first"],"input":{"$from":"first"}})";

struct Bench : Cluster {
    Bench()
    {
        add(workflow("one", kOne));
        add(workflow("two", kTwo));
    }
    // A run whose first step has answered with a large output that waits to be staged.
    RunId answered(Node& node, const std::string& name)
    {
        node.pool.holds = true;
        const RunId run = start(name);
        pass(300);
        node.executor.complete(node.executor.started.size() - 1, kLarge);
        node.settle();
        return run;
    }
    // The output is staged, and the input that is made of it is made.
    static void stage(Node& node)
    {
        for (int i = 0; i < 2; ++i) {
            node.pool.doAll();
            node.settle();
        }
    }
    std::string outputOf(const RunId& run)
    {
        const PayloadRef ref = load(run).steps[0].output;
        const auto bytes = store->payload(run, ref.id, 0, kPayloadLimit);
        return bytes ? *bytes : bytes.error().text;
    }
};

}  // namespace

class TestLargePayloads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEngineGoesOnWhileAnOutputIsStaged();
    void anOutputOutlivesASessionThatIsLost();
    void aFailedCopyIsTriedAgain();
    void whatIsMadeOfALargeOutputIsMadeBeside();
    void theRunsOutputIsMadeBeside();
    void aTemplateThatCannotBeFilledBesideFailsItsStep();
    void aLargeInputIsReadBesideAndHandedOver();
    void anAttemptIsStoppedWhileItsInputIsRead();
    void aCallWhoseInputTookTooLongToReadIsNotMade();
    void withoutAPoolItIsDoneAtOnce();
    void whatKilledProgramsLeftIsDropped();
};

void TestLargePayloads::theEngineGoesOnWhileAnOutputIsStaged()
{
    Bench b;
    Node& a = b.engine();
    const RunId large = b.answered(a, "one");
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    QCOMPARE(b.load(large).steps[0].state, StepState::Running);
    const RunId small = b.start("one");
    b.pass(300);
    a.executor.complete(1, "7");
    b.pass(300);
    QVERIFY(b.load(small).closed);
    a.pool.doAll();
    a.settle();
    QVERIFY(b.load(large).closed);
    QCOMPARE(b.outputOf(large), kLarge);
    QCOMPARE(b.load(large).steps[0].output.media, std::string("application/json"));
    QCOMPARE(b.verified(large), std::string());
}

void TestLargePayloads::anOutputOutlivesASessionThatIsLost()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "one");
    QVERIFY(*b.store->endSession(a.core->session(), b.clock.wallMs(), kNoTime));
    b.pass(1'000);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(1));
    a.pool.doAll();
    b.pass(500);
    // The attempt was given up with its session; its answer came before another one's, or is refused: never
    // both.
    const RunState state = b.load(run);
    if (!state.closed) {
        QCOMPARE(a.core->stats().fenced, std::uint64_t(1));
        a.pool.holds = false;
        a.executor.complete(a.executor.started.size() - 1, kLarge);
        b.pass(500);
    }
    QVERIFY(b.load(run).closed);
    QCOMPARE(b.outputOf(run), kLarge);
    QCOMPARE(b.verified(run), std::string());
}

void TestLargePayloads::aFailedCopyIsTriedAgain()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "one");
    auto [work, done] = std::move(a.pool.waiting.front());
    a.pool.waiting.clear();
    done();  // without the work: as if it had failed
    a.settle();
    QCOMPARE(b.load(run).steps[0].state, StepState::Running);
    QCOMPARE(a.pool.waiting.size(), std::size_t(0));
    b.pass(1'000);
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    a.pool.doAll();
    a.settle();
    QCOMPARE(b.outputOf(run), kLarge);
    QCOMPARE(b.load(run).steps[0].attempts, 1U);
}

// Filling the next step's template and hashing what comes of it: the run waits for it, the engine does not.
void TestLargePayloads::whatIsMadeOfALargeOutputIsMadeBeside()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "two");
    a.pool.doAll();
    a.settle();
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    QCOMPARE(b.load(run).steps[0].state, StepState::Running);
    const RunId small = b.start("one");
    b.pass(300);
    a.executor.complete(1, "7");
    b.pass(300);
    QVERIFY(b.load(small).closed);
    a.pool.doAll();
    a.settle();
    const RunState state = b.load(run);
    QCOMPARE(state.steps[0].state, StepState::Complete);
    QCOMPARE(state.steps[1].state, StepState::Running);
    const auto input = b.store->payload(run, state.steps[1].input.id, 0, kPayloadLimit);
    CAIRN_VERIFY_OK(input);
    QCOMPARE(*input, kLarge);
    QCOMPARE(b.outputOf(run), kLarge);
    QCOMPARE(b.verified(run), std::string());
}

void TestLargePayloads::theRunsOutputIsMadeBeside()
{
    Bench b;
    b.add(workflow("gives", kOne, R"(,"output":{"$from":"first"})"));
    Node& a = b.engine();
    const RunId run = b.answered(a, "gives");
    a.pool.doAll();
    a.settle();
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    QVERIFY(!b.load(run).closed);
    a.pool.doAll();
    a.settle();
    const RunState state = b.load(run);
    QVERIFY(state.closed);
    const auto output = b.store->payload(run, state.output.id, 0, kPayloadLimit);
    CAIRN_VERIFY_OK(output);
    QCOMPARE(*output, kLarge);
    QCOMPARE(b.verified(run), std::string());
}

void TestLargePayloads::aTemplateThatCannotBeFilledBesideFailsItsStep()
{
    Bench b;
    b.add(workflow("lacks", R"({"name":"first","tool":"look"},
        {"name":"second","tool":"look","after":["first"],"input":{"$from":"first","at":"/nothing"}})"));
    Node& a = b.engine();
    const RunId run = b.answered(a, "lacks");
    b.stage(a);
    const RunState state = b.load(run);
    QCOMPARE(state.steps[0].state, StepState::Complete);
    QCOMPARE(state.steps[1].state, StepState::Failed);
    QCOMPARE(state.steps[1].reason, Reason::Incompatible);
    QCOMPARE(b.verified(run), std::string());
}

void TestLargePayloads::aLargeInputIsReadBesideAndHandedOver()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "two");
    b.stage(a);
    QCOMPARE(b.load(run).steps[1].state, StepState::Running);
    QCOMPARE(a.executor.started.size(), std::size_t(1));  // its input is being read
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    a.pool.doAll();
    QCOMPARE(a.executor.started.size(), std::size_t(2));
    QCOMPARE(a.executor.started[1].input, kLarge);
    a.executor.complete(1, "1");
    b.pass(300);
    QVERIFY(b.load(run).closed);
}

void TestLargePayloads::anAttemptIsStoppedWhileItsInputIsRead()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "two");
    b.stage(a);
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    QVERIFY(b.act(run, cmd::Cancel{true}).kind == Outcome::Kind::Committed);
    b.pass(500);
    QCOMPARE(b.load(run).steps[1].state, StepState::Running);
    a.pool.doAll();
    b.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));  // never began
    QVERIFY(b.load(run).closed);
    QCOMPARE(b.load(run).closedAs, Activity::Cancelled);
}

// Reading took nearly as long as the attempt may: its request would still be on the way when the look-up that
// follows its time-out is made.
void TestLargePayloads::aCallWhoseInputTookTooLongToReadIsNotMade()
{
    for (const SpanMs left : {SpanMs(100), SpanMs(3'000)}) {
        Bench b;
        b.add(workflow("pays", R"({"name":"first","tool":"look"},
            {"name":"second","tool":"ask","after":["first"],"input":{"$from":"first"},"timeout":"5s"})"));
        EngineConfig config = Cluster::config();
        config.lease = 60'000;
        b.nodes.clear();
        Node& a = b.engine(config);
        const RunId run = b.answered(a, "pays");
        b.stage(a);
        QCOMPARE(a.pool.waiting.size(), std::size_t(1));
        b.clock.advance(b.load(run).steps[1].attempt->timeoutAt - b.clock.wallMs() - left);
        a.pool.doAll();
        if (left > 1'000) {
            QCOMPARE(a.executor.started.size(), std::size_t(2));
            QCOMPARE(a.executor.started[1].timeout, left);  // not what it was before the reading
            continue;
        }
        QCOMPARE(a.executor.started.size(), std::size_t(1));
        a.pool.holds = false;
        b.pass(30'000);
        QVERIFY(a.executor.started.size() > 1);
        QCOMPARE(a.executor.started[1].number, 2U);
        QCOMPARE(a.executor.started[1].purpose, Purpose::Do);  // nothing had been called: nothing to look up
    }
}

void TestLargePayloads::withoutAPoolItIsDoneAtOnce()
{
    Bench b;
    Node& a = b.engine();
    a.pool.holds = false;
    const RunId run = b.start("two");
    b.pass(300);
    a.executor.complete(0, kLarge);
    b.pass(300);
    a.executor.complete(1, kLarge);
    b.pass(300);
    QVERIFY(b.load(run).closed);
    QCOMPARE(a.executor.started[1].input, kLarge);
    QCOMPARE(b.verified(run), std::string());
}

void TestLargePayloads::whatKilledProgramsLeftIsDropped()
{
    Bench b;
    Node& a = b.engine();
    const RunId run = b.answered(a, "one");
    a.pool.doAll();  // adopted by its run
    b.pass(500);
    ArtifactId left;
    left.bytes[0] = 7;
    CAIRN_VERIFY_OK(b.store->stageChunk(left, 0, "half of something"));
    const auto staged = [&] { return b.db->artifacts.size(); };
    QCOMPARE(staged(), std::size_t(2));
    a.pool.holds = false;
    b.clock.advance(23 * 3'600'000);
    b.pass(1'000);
    QCOMPARE(staged(), std::size_t(2));  // it may still be on its way
    b.clock.advance(2 * 3'600'000);
    b.pass(1'000);
    QCOMPARE(staged(), std::size_t(1));
    QCOMPARE(b.outputOf(run), kLarge);
}

QTEST_APPLESS_MAIN(TestLargePayloads)
#include "tst_large_payloads.moc"
