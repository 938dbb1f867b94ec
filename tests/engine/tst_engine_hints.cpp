// Hints that something was committed: they make an engine look early and rarely, and are never trusted
// further than that.

#include "tests/engine/engine_harness.h"

namespace cairn::testing {

namespace {

constexpr auto kLook = R"({"name":"a","tool":"look"})";
constexpr auto kAsk = R"({"name":"a","kind":"approval","input":{},"approval":{"role":"ops"}})";

// A link whose other end is the test.
class FakeHints final : public HintLink {
public:
    void tell(HintSet what) noexcept override { told = static_cast<HintSet>(told | what); }
    HintSet take() noexcept override
    {
        ++takes;
        return std::exchange(heard, hint::kNone);
    }
    HintHealth health() const override { return {state, 0, "half open", breaks}; }

    void breakDown()
    {
        state = State::Deaf;
        ++breaks;
    }

    using State = HintHealth::State;
    State state = State::Listening;
    std::uint64_t breaks = 0;
    HintSet heard = hint::kNone;
    HintSet told = hint::kNone;
    int takes = 0;
};

// What an engine with a link needs: a cluster whose store calls are counted. Destroyed after the engine.
struct CountedCluster {
    std::unique_ptr<StoreWriter> counted()
    {
        const auto count = [this](const char* what, Access) -> std::optional<Error> {
            ++calls[what];
            if (!away)
                return std::nullopt;
            ++refused;
            return makeError(ErrorKind::Disconnected, "nobody answers");
        };
        const auto nothing = [](const char*, Access) -> std::optional<Error> { return std::nullopt; };
        return std::make_unique<HookedStore>(connectMemory(cluster.db), StoreHooks{count, nothing});
    }

    Cluster cluster;
    FakeHints link;
    std::map<std::string, int> calls;
    bool away = false;  // the server
    int refused = 0;
};

struct Heard : CountedCluster, EngineOn {
    explicit Heard(SpanMs lease = 600'000)
        : EngineOn(4000)
    {
        EngineConfig config = Cluster::config();
        config.lease = lease;
        config.heartbeat = lease / 3;
        store = counted();
        writer = connectMemory(cluster.db);
        open(cluster.clock, cluster.rng, config, &link);
        settle();
    }
    // As a loop does it: sleeps for as long as it is told to.
    void pass(SpanMs span)
    {
        for (const SpanMs until = cluster.clock.monotonicMs() + span; cluster.clock.monotonicMs() < until;) {
            const SpanMs sleep = std::max<SpanMs>(settle(), 1);
            cluster.clock.advance(std::min(sleep, until - cluster.clock.monotonicMs()));
        }
        settle();
    }
};

}  // namespace

class TestEngineHints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anIdleEngineLooksWhenItHears();
    void anApprovalIsHeard();
    void aMessageToAChildIsHeard();
    void pollsAreFewWhileHintsAreHeard();
    void withoutHintsItPollsAsBefore();
    void aBreakThatHealsUnseenIsABreak();
    void aFloodOfHintsIsOneRound();
    void aForgedHintOnlyMakesItLook();
    void aLostHintCostsOnePoll();
    void deafnessIsSaidOnceAndEverythingIsLookedAt();
    void aCopyIsNotTrustedPastTheLease();
    void aServerThatIsAwayIsAskedOnceARound();
};

void TestEngineHints::anIdleEngineLooksWhenItHears()
{
    Heard e;
    e.cluster.add(workflow("w", kLook));
    e.cluster.start("w");
    e.settle();
    QCOMPARE(e.executor.started.size(), std::size_t(0));  // no poll is due, and the clock stands still
    e.link.heard = hint::kClaims;
    e.settle();
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    QCOMPARE(e.core->stats().hinted, 1U);
}

void TestEngineHints::anApprovalIsHeard()
{
    Heard e;
    e.cluster.add(workflow("w", std::string(kAsk) + R"(,{"name":"b","tool":"look"})"));
    const RunId run = e.cluster.start("w");
    e.pass(2'000);
    QCOMPARE(e.executor.started.size(), std::size_t(1));  // b keeps the run with this engine
    QVERIFY(e.cluster.act(run, cmd::Decide{e.cluster.load(run).find("a")->approval, true, {}}).ok());
    e.settle();
    const std::uint64_t seen = e.core->service()->state(run)->version;
    e.link.heard = hint::kWakeups;
    e.settle();
    QVERIFY(e.core->service()->state(run)->version > seen);
}

void TestEngineHints::aMessageToAChildIsHeard()
{
    Heard e;
    e.cluster.add(workflow("child", kLook));
    e.cluster.add(workflow("w", R"({"name":"a","kind":"run","workflow":"child"})"));
    e.cluster.start("w");
    e.link.heard = hint::kClaims;
    e.settle();
    QCOMPARE(e.executor.started.size(), std::size_t(0));  // its message waits for the next look
    e.cluster.clock.advance(20);
    e.link.heard = hint::kOutbox;
    e.settle();
    QCOMPARE(e.executor.started.size(), std::size_t(1));
}

void TestEngineHints::pollsAreFewWhileHintsAreHeard()
{
    Heard e;
    e.pass(1'000);
    e.calls.clear();
    e.pass(10'000);
    QCOMPARE(e.calls["claim"], 10);
    QCOMPARE(e.calls["takeWakeups"], 10);
    QCOMPARE(e.calls["outbox"], 10);
}

void TestEngineHints::withoutHintsItPollsAsBefore()
{
    Heard e;
    e.link.breakDown();
    e.pass(1'000);
    e.calls.clear();
    e.pass(10'000);
    QCOMPARE(e.calls["claim"], 50);
    QCOMPARE(e.calls["takeWakeups"], 50);
    QCOMPARE(e.calls["outbox"], 20);
}

// A loaded engine looks at its link rarely: what was lost in between is looked for all the same.
void TestEngineHints::aBreakThatHealsUnseenIsABreak()
{
    Heard e;
    e.pass(1'000);
    e.calls.clear();
    e.link.breakDown();
    e.link.state = FakeHints::State::Listening;
    e.cluster.clock.advance(1);
    e.settle();
    QCOMPARE(e.calls["claim"], 1);
    QCOMPARE(e.calls["takeWakeups"], 1);
    QCOMPARE(e.calls["outbox"], 1);
    QCOMPARE(e.core->stats().deafened, std::uint64_t(1));
    QVERIFY(!e.core->stats().deaf);
    QVERIFY(e.core->stats().hears);
    QCOMPARE(e.alerts, (std::vector<std::string>{"hints_deaf", "hints_back"}));
}

void TestEngineHints::aFloodOfHintsIsOneRound()
{
    Heard e;
    e.calls.clear();
    const int takes = e.link.takes;
    for (int i = 0; i < 1'000; ++i) {
        e.link.heard = hint::kAll;
        QVERIFY(e.settle() <= 20);
    }
    QCOMPARE(e.calls["claim"], 1);
    QCOMPARE(e.calls["takeWakeups"], 1);
    QCOMPARE(e.calls["outbox"], 1);
    QCOMPARE(e.core->stats().hinted, 1U);
    QCOMPARE(e.link.takes, takes + 1);  // what came later waits in the link, which wakes nobody meanwhile
    e.cluster.clock.advance(20);
    e.settle();
    QCOMPARE(e.calls["claim"], 2);
}

void TestEngineHints::aForgedHintOnlyMakesItLook()
{
    Heard e;
    e.cluster.add(workflow("w", kLook));
    const RunId run = e.cluster.start("w");
    e.link.heard = hint::kAll;
    e.settle();
    const std::uint64_t version = e.cluster.load(run).version;
    for (int i = 0; i < 100; ++i) {
        e.link.heard = 0xFF;
        e.cluster.clock.advance(20);
        e.settle();
    }
    QCOMPARE(e.cluster.load(run).version, version);
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    QCOMPARE(e.cluster.verified(run), std::string());
}

void TestEngineHints::aLostHintCostsOnePoll()
{
    Heard e;
    e.pass(3'000);
    e.cluster.add(workflow("w", kLook));
    e.cluster.start("w");  // nobody says so
    e.calls.clear();
    while (e.executor.started.empty() && e.calls["claim"] < 3)
        e.cluster.clock.advance(std::max<SpanMs>(e.settle(), 1));
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    QCOMPARE(e.calls["claim"], 1);
}

void TestEngineHints::deafnessIsSaidOnceAndEverythingIsLookedAt()
{
    Heard e;
    e.cluster.add(workflow("w", kLook));
    e.pass(5'000);
    QVERIFY(e.core->stats().hears);
    e.cluster.start("w");
    e.settle();
    QVERIFY(e.executor.started.empty());
    e.link.breakDown();
    e.settle();  // the clock stands still: what was missed is looked for at once
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    e.pass(5'000);
    QVERIFY(e.core->stats().deaf);
    QVERIFY(!e.core->stats().hears);
    QCOMPARE(e.alerts, std::vector<std::string>{"hints_deaf"});
    e.link.state = FakeHints::State::Listening;
    e.pass(5'000);
    QVERIFY(e.core->stats().hears);
    QCOMPARE(e.core->stats().deafened, 1U);
    QCOMPARE(e.alerts, (std::vector<std::string>{"hints_deaf", "hints_back"}));
}

// Runs are kept in memory while the lease lasts. Whatever was hinted, nothing of that copy is used after it.
void TestEngineHints::aCopyIsNotTrustedPastTheLease()
{
    Heard e(1'000);
    e.cluster.add(workflow("w", R"({"name":"a","tool":"look"},{"name":"b","tool":"look","after":["a"]})"));
    const RunId run = e.cluster.start("w");
    e.link.heard = hint::kAll;
    e.settle();
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    const SessionId first = e.core->session();
    e.cluster.clock.advance(5'000);  // it stood still; another took the run meanwhile, and moved it
    Node& other = e.cluster.engine();
    e.cluster.pass(1'500);  // it sees that the first is silent
    QCOMPARE(e.cluster.load(run).find("a")->lost, 1U);
    const std::uint64_t version = e.cluster.load(run).version;
    e.link.heard = hint::kAll;
    e.executor.complete(0);
    e.settle();
    QVERIFY(e.core->session() != first);
    QCOMPARE(e.core->stats().sessionsLost, 1U);
    QCOMPARE(e.executor.started.size(), std::size_t(1));  // b is not begun on an old copy
    QVERIFY(e.core->service()->state(run) == nullptr);
    QVERIFY(e.cluster.load(run).version >= version);
    e.cluster.pass(2'000);
    QCOMPARE(other.executor.started.size(), std::size_t(1));
    other.executor.complete(0);
    e.cluster.pass(500);
    other.executor.complete(1);
    e.cluster.pass(500);
    QVERIFY(e.cluster.load(run).closed);
    QCOMPARE(e.cluster.verified(run), std::string());
}

// Each call to a server that is away blocks for seconds: one a round, so that executors and the other clocks
// have their turn in between.
void TestEngineHints::aServerThatIsAwayIsAskedOnceARound()
{
    Heard e;
    e.link.breakDown();
    e.cluster.add(workflow("w", kLook));
    e.pass(3'000);
    e.away = true;
    e.cluster.clock.advance(5'000);  // everything is due
    for (int round = 1; round <= 20; ++round) {
        const SpanMs sleep = e.core->tick();
        QCOMPARE(e.refused, round);
        QVERIFY(sleep > 0);
        QVERIFY(sleep <= 200);
        e.cluster.clock.advance(sleep);
    }
    e.away = false;
    e.cluster.start("w");
    e.pass(400);
    QCOMPARE(e.executor.started.size(), std::size_t(1));
    QCOMPARE(e.core->stats().sessionsLost, 0U);
}

}  // namespace cairn::testing

QTEST_GUILESS_MAIN(cairn::testing::TestEngineHints)
#include "tst_engine_hints.moc"
