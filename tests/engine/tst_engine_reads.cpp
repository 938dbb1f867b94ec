// What a decision reads: more than a moment's reading is done beside the engine's thread, and the decision is
// made again with it. No process, no real time.

#include "tests/engine/engine_harness.h"

using namespace cairn;
using namespace cairn::testing;

class TestEngineReads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFanOutThatIsReadAfterATakeoverKeepsTheLease();
    void whatIsReadForALostSessionIsReadAgain();
    void readingThatFailsIsTriedAgain();
};

namespace {

constexpr std::size_t kMembers = 200;

bool readsPayloads(const char* what)
{
    const std::string_view name(what);
    return name == "payload" || name == "payloads" || name == "payloadInfo";
}

// One engine did all members but the last; it is gone, and another has called the last one again.
struct AfterTakeover {
    Cluster c;
    RunId run;
    Node* b = nullptr;
    std::string expected = "[";

    AfterTakeover()
    {
        c.add(workflow("fan",
            R"({"name":"each","tool":"look","for_each":{"from":"input"},"input":{"$from":"item"}},
               {"name":"sum","tool":"pay","after":["each"],"input":{"$from":"each"}})"));
        std::string items = "[0";
        for (std::size_t i = 1; i < kMembers; ++i)
            items += "," + std::to_string(i);
        Node& a = c.engine();
        run = c.start("fan", items + "]");
        std::size_t done = 0;
        for (int i = 0; i < 400 && done + 1 < kMembers; ++i) {
            c.pass(50);
            for (; done < a.executor.started.size() && done + 1 < kMembers; ++done)
                a.executor.complete(done, "\"result of " + a.executor.started[done].step + "\"");
        }
        c.pass(500);
        c.kill(a);
        b = &c.engine();
        b->pool.holds = true;
        c.pass(3'000);
        const RunState state = c.load(run);
        for (const StepIx member : state.find("each")->members)
            expected +=
                (expected.size() > 1 ? ",\"result of " : "\"result of ") + state.steps[member].id + "\"";
        expected += "]";
    }
    // The next step reads the list of all results.
    void endTheLast()
    {
        if (b->executor.started.size() != 1)
            qFatal("%zu attempts instead of one", b->executor.started.size());
        b->executor.complete(0, "\"result of " + b->executor.started[0].step + "\"");
        c.pass(200);
    }
};

}  // namespace

void TestEngineReads::aFanOutThatIsReadAfterATakeoverKeepsTheLease()
{
    AfterTakeover t;
    bool aside = false;
    std::size_t here = 0;
    std::map<std::string, int> there;
    t.b->hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (!readsPayloads(what))
            return std::nullopt;
        if (aside) {
            ++there[what];
        } else {
            ++here;
            t.c.clock.advance(10);
        }
        return std::nullopt;
    };
    t.endTheLast();
    QCOMPARE(t.b->pool.waiting.size(), std::size_t(1));
    t.c.pass(3'000);  // it takes three leases: the run waits, the engine does not
    QCOMPARE(t.b->core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(t.b->executor.started.size(), std::size_t(1));
    aside = true;
    t.b->pool.doAll();
    aside = false;
    t.c.pass(200);
    QCOMPARE(t.b->core->stats().sessionsLost, std::uint64_t(0));
    QCOMPARE(t.b->executor.started.size(), std::size_t(2));
    QCOMPARE(t.b->executor.started[1].step, std::string("sum"));
    QCOMPARE(t.b->executor.started[1].input, t.expected);
    QCOMPARE(there["payloads"], 1);
    QCOMPARE(there["payload"], 0);
    QVERIFY2(here < 20, QByteArray::number(qulonglong(here)));
    QCOMPARE(t.c.verified(t.run), std::string());
}

void TestEngineReads::whatIsReadForALostSessionIsReadAgain()
{
    AfterTakeover t;
    t.endTheLast();
    QCOMPARE(t.b->pool.waiting.size(), std::size_t(1));
    t.c.clock.advance(5'000);  // stopped for longer than its lease
    t.b->settle();
    QCOMPARE(t.b->core->stats().sessionsLost, std::uint64_t(1));
    t.b->pool.doAll();  // what comes of it now is for a service that is gone
    t.b->pool.holds = false;
    t.c.pass(3'000);
    QCOMPARE(t.b->executor.started.back().step, std::string("sum"));
    QCOMPARE(t.b->executor.started.back().input, t.expected);
    QCOMPARE(t.c.verified(t.run), std::string());
}

// The result in hand is not given up, and nothing is taken for unreadable because the store was away.
void TestEngineReads::readingThatFailsIsTriedAgain()
{
    AfterTakeover t;
    t.endTheLast();
    bool away = true;
    t.b->hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        return away && readsPayloads(what)
            ? std::optional(makeError(ErrorKind::Disconnected, "nobody answers"))
            : std::nullopt;
    };
    t.b->pool.doAll();
    t.c.pass(500);
    QCOMPARE(t.b->executor.started.size(), std::size_t(1));
    away = false;
    t.b->pool.holds = false;
    t.b->pool.doAll();
    t.c.pass(1'000);
    QCOMPARE(t.b->executor.started.size(), std::size_t(2));
    QCOMPARE(t.b->executor.started[1].input, t.expected);
    QCOMPARE(t.c.verified(t.run), std::string());
}

QTEST_APPLESS_MAIN(TestEngineReads)
#include "tst_engine_reads.moc"
