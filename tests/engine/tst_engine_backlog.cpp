// More than fits into one page: messages that nobody can take, runs that nobody serves; and who is still
// living.

#include "tests/engine/engine_harness.h"

#include <algorithm>

using namespace cairn;
using namespace cairn::testing;

class TestEngineBacklog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void messagesThatCannotBeDeliveredHoldUpNoOthers();
    void manyMessagesAreDeliveredWithoutAPollForEachPage();
    void aSlowDeliveryKeepsTheLease();
    void aLargePayloadIsCopiedByThePool();
    void servedRunsAreAdoptedHoweverManyAreNot();
    void aSessionThatRenewedItsLeaseIsNotTakenForEnded();
    void sessionsOfLongAgoAreForgotten();
};

namespace {

const char* kOne = R"({"name":"first","tool":"look"})";
constexpr int kMany = 150;

std::string parentOf(const std::string& name, const std::string& child)
{
    return workflow(name, R"({"name":"sub","kind":"run","workflow":")" + child + R"(","input":{"a":1}})");
}

}  // namespace

void TestEngineBacklog::messagesThatCannotBeDeliveredHoldUpNoOthers()
{
    Cluster c;
    c.add(parentOf("lost", "later"));
    c.add(parentOf("sound", "child"));
    c.add(workflow("child", kOne));
    Node& a = c.engine();
    for (int i = 0; i < kMany; ++i)
        c.start("lost");
    c.pass(3'000);
    QCOMPARE(c.store->outbox(1'000)->size(), std::size_t(kMany));
    c.start("sound");
    c.pass(1'500);
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    // They are looked at less and less often.
    std::size_t reads = 0;
    a.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        reads += std::string_view(what) == "workflow" ? 1 : 0;
        return std::nullopt;
    };
    c.pass(20'000);
    QVERIFY2(reads < 8 * kMany, QByteArray::number(qulonglong(reads)));
    a.hooks.before = {};
    c.add(workflow("later", kOne));
    c.pass(4'000);
    QVERIFY(c.store->outbox(1'000)->empty());
    QVERIFY(a.executor.started.size() > 60);  // as many as may be under way
}

void TestEngineBacklog::manyMessagesAreDeliveredWithoutAPollForEachPage()
{
    constexpr int kAll = 1'000;
    Cluster c;
    c.add(parentOf("parent", "child"));
    c.add(workflow("child", kOne));
    for (int i = 0; i < kAll; ++i)
        c.start("parent");
    Node& a = c.engine();
    c.pass(2'000);
    QVERIFY(c.store->outbox(kAll)->empty());
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(0));
}

// Each read of a message's payload takes a fifth of a lease.
void TestEngineBacklog::aSlowDeliveryKeepsTheLease()
{
    constexpr int kAll = 40;
    Cluster c;
    c.add(parentOf("parent", "child"));
    c.add(workflow("child", R"({"name":"wait","kind":"signal","signal":"rung","wait":"1h"})"));
    Node& a = c.engine();
    a.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what).starts_with("payload"))
            c.clock.advance(200);
        return std::nullopt;
    };
    for (int i = 0; i < kAll; ++i)
        c.start("parent");
    c.pass(20'000);
    QCOMPARE(a.core->stats().sessionsLost, std::uint64_t(0));
    QVERIFY(c.store->outbox(kAll)->empty());
}

void TestEngineBacklog::aLargePayloadIsCopiedByThePool()
{
    Cluster c;
    c.add(workflow("child", kOne));
    c.add(workflow(
        "parent", R"({"name":"sub","kind":"run","workflow":"child","input":{"x":{"$from":"input"}}})"));
    Node& a = c.engine();
    a.pool.holds = true;
    const std::string large = "\"" + std::string(2 * 1024 * 1024, 'x') + "\"";
    const RunId run = c.start("parent", large);
    c.pass(2'000);
    QCOMPARE(a.pool.waiting.size(), std::size_t(1));
    QCOMPARE(c.store->children(run)->size(), std::size_t(0));
    a.pool.doAll();
    a.pool.holds = false;
    c.pass(2'000);
    QCOMPARE(c.store->children(run)->size(), std::size_t(1));
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    const RunState child = c.load(c.store->children(run)->front());
    QCOMPARE(*c.store->payload(child.id, child.input.id), "{\"x\":" + large + "}");
    QVERIFY(c.store->outbox(10)->empty());
}

void TestEngineBacklog::servedRunsAreAdoptedHoweverManyAreNot()
{
    Cluster c;
    c.add(workflow("mine", kOne));
    c.add(workflow("other", kOne));
    EngineConfig none = Cluster::config();
    none.serves = {"nothing"};
    Node& first = c.engine(none);
    const RunId wanted = c.start("mine");
    c.clock.advance(1'000);
    for (int i = 0; i < kMany; ++i)
        c.start("other");
    c.pass(3'000);
    QCOMPARE(c.load(wanted).blocked, Reason::Worker);
    c.kill(first);
    EngineConfig some = Cluster::config();
    some.serves = {"mine"};
    Node& b = c.engine(some);
    c.pass(4'000);
    QCOMPARE(b.executor.started.size(), std::size_t(1));
    QCOMPARE(b.executor.started[0].run, wanted);
    c.engine();  // one that serves everything takes all of them, page by page
    c.pass(4'000);
    ListTerm term;
    term.reason = {Reason::Worker};
    QCOMPARE(*c.store->count({term}), std::uint64_t(0));
}

// It renews its lease between the look at it and the act that ends it: its attempts are under way.
void TestEngineBacklog::aSessionThatRenewedItsLeaseIsNotTakenForEnded()
{
    Cluster c;
    c.add(workflow("one", kOne));
    Node& a = c.engine();
    const RunId run = c.start("one");
    c.clock.advance(250);
    a.settle();
    QCOMPARE(a.executor.started.size(), std::size_t(1));
    Node& b = c.engine();
    const SessionId late = a.core->session();
    int tries = 0;
    b.hooks.before = [&](const char* what, Access) -> std::optional<Error> {
        if (std::string_view(what) != "endSession" || tries++ > 0)
            return std::nullopt;
        if (const TimeMs now = *c.store->now(); !*c.store->heartbeat(late, now, now + 1'000))
            qFatal("it was ended before");
        return std::nullopt;
    };
    for (int i = 0; i < 100 && tries == 0; ++i) {
        c.clock.advance(50);
        b.settle();
    }
    QCOMPARE(tries, 1);
    QCOMPARE(b.core->stats().sessionsEnded, std::uint64_t(0));
    Submission s;
    s.run = run;
    s.command.actor = {ActorKind::Engine, toText(b.core->session())};
    s.command.body = cmd::Recover{};
    static_cast<void>(b.core->service()->submitAndWait(std::move(s)));
    QCOMPARE(c.load(run).steps[0].lost, 0U);
    QCOMPARE(c.load(run).steps[0].state, StepState::Running);
}

void TestEngineBacklog::sessionsOfLongAgoAreForgotten()
{
    Cluster c;
    Node& a = c.engine();
    const SessionId old = a.core->session();
    a.core->close();
    c.kill(a);
    c.engine();
    c.pass(7LL * 24 * 3'600'000, 3'600'000);
    const auto isThere = [&] {
        const auto rows = c.store->sessions(true);
        return std::any_of(rows->begin(), rows->end(), [&](const SessionRow& row) { return row.id == old; });
    };
    QVERIFY(isThere());
    c.pass(2LL * 3'600'000, 600'000);
    QVERIFY(!isThere());
    QCOMPARE(c.store->sessions(false)->size(), std::size_t(1));
}

QTEST_APPLESS_MAIN(TestEngineBacklog)
#include "tst_engine_backlog.moc"
