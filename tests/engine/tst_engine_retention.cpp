// Engines remove and redact what is over by themselves, in parts beside their work, and go on where another
// was killed.

#include "tests/engine/engine_harness.h"

#include "core/service/retention.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

const char* kOne = R"({"name":"first","tool":"look"})";

struct Bench : Cluster {
    Bench() { add(workflow("one", kOne, R"(,"retention":{"keep_days":10,"redact_days":2})")); }

    static EngineConfig keeper(const std::string& name = "engine")
    {
        EngineConfig c = config(name);
        c.retains = true;
        return c;
    }
    std::vector<RunId> ended(Node& node, int count)
    {
        std::vector<RunId> runs;
        for (int i = 0; i < count; ++i) {
            runs.push_back(start("one", std::to_string(i)));
            pass(300);
            node.executor.complete(node.executor.started.size() - 1, "\"done\"");
            node.settle();
        }
        return runs;
    }
    // Long enough for a pass, in steps that sessions survive.
    void hours(int count) { pass(SpanMs{count} * 3'600'000 + 120'000, 200); }
    std::size_t gone_() { return store->tombstones({}, 1'000)->size(); }
};

}  // namespace

class TestEngineRetention : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsOverGoesByItself();
    void anEngineThatKeepsAllRemovesNothing();
    void payloadsAreRedactedByItself();
    void anotherGoesOnWhereOneWasKilled();
    void aDrainingEngineBeginsNothing();
};

void TestEngineRetention::whatIsOverGoesByItself()
{
    Bench b;
    Node& a = b.engine(Bench::keeper());
    const auto runs = b.ended(a, 3);
    const RunId open = b.start("one");
    b.clock.advance(11 * kDay);
    b.pass(70'000, 200);
    QCOMPARE(b.gone_(), std::size_t{3});
    for (const RunId& run : runs)
        QVERIFY((*b.store->tombstone(run))->by == "engine engine");
    QCOMPARE(b.verified(open), std::string());
    CAIRN_VERIFY_OK(b.store->hot(open));
    const auto audit = b.store->audit(0, 100);
    CAIRN_VERIFY_OK(audit);
    QCOMPARE(audit->size(), std::size_t{3});
    QCOMPARE(audit->front().verb, Verb::Retain);
}

void TestEngineRetention::anEngineThatKeepsAllRemovesNothing()
{
    Bench b;
    Node& a = b.engine();
    b.ended(a, 1);
    b.clock.advance(11 * kDay);
    b.pass(70'000, 200);
    QCOMPARE(b.gone_(), std::size_t{0});
}

void TestEngineRetention::payloadsAreRedactedByItself()
{
    Bench b;
    Node& a = b.engine(Bench::keeper());
    const RunId run = b.ended(a, 1).front();
    b.clock.advance(3 * kDay);
    b.pass(70'000, 200);
    const RunState state = b.load(run);
    CAIRN_VERIFY_ERROR(b.store->payload(run, state.steps[0].output.id), ErrorKind::Refused);
    QCOMPARE(b.verified(run), std::string());
    QCOMPARE(b.gone_(), std::size_t{0});
    const std::uint64_t version = state.version;
    b.hours(1);
    QCOMPARE(b.load(run).version, version);
}

void TestEngineRetention::anotherGoesOnWhereOneWasKilled()
{
    Bench b;
    Node& a = b.engine(Bench::keeper("a"));
    const auto runs = b.ended(a, 4);
    b.clock.advance(11 * kDay);
    int removals = 0;
    a.hooks.before = [&removals](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) != "removeTree" || ++removals <= 2)
            return std::nullopt;
        return makeError(ErrorKind::Disconnected, "the machine stopped");
    };
    b.pass(70'000, 200);
    QVERIFY(b.gone_() >= 2);
    QVERIFY(b.gone_() < 4);
    b.kill(a);
    b.engine(Bench::keeper("b"));
    b.pass(70'000, 200);
    QCOMPARE(b.gone_(), std::size_t{4});
    const auto problems = b.store->check(true);
    CAIRN_VERIFY_OK(problems);
    QVERIFY(problems->empty());
}

void TestEngineRetention::aDrainingEngineBeginsNothing()
{
    Bench b;
    Node& a = b.engine(Bench::keeper());
    b.ended(a, 1);
    b.clock.advance(11 * kDay);
    a.core->drain();
    b.pass(70'000, 200);
    QCOMPARE(b.gone_(), std::size_t{0});
}

QTEST_APPLESS_MAIN(TestEngineRetention)
#include "tst_engine_retention.moc"
