// Slots and rates of limited resources under load: what several engines may do together, and that they get
// it.

#include "core/engine/limits.h"
#include "tests/engine/engine_harness.h"

#include <deque>

using namespace cairn;
using namespace cairn::testing;

namespace {

constexpr SpanMs kLease = 1'000;

// Engines that call one resource as often as they may; calls last as long as they are told to.
struct Load {
    ManualClock clock;
    std::shared_ptr<MemoryDatabase> db = makeMemoryDatabase({}, clock, 11);
    std::unique_ptr<StoreWriter> store = connectMemory(db);
    std::vector<std::unique_ptr<Limits>> engines;
    std::vector<SessionId> sessions;
    std::vector<std::deque<SpanMs>> ends;  // of calls under way, per engine
    std::vector<SpanMs> starts;
    std::size_t mostAtOnce = 0;

    explicit Load(int count, const std::string& limits)
    {
        const auto parsed =
            parseDefinition(workflow("one", R"({"name":"first","tool":"look"})", R"(,"limits":)" + limits));
        if (!parsed)
            qFatal("the definition is not valid");
        SeededRng rng{3};
        for (int i = 0; i < count; ++i) {
            SessionRow row;
            row.id = makeId<SessionId>(clock.wallMs(), rng);
            row.startedAt = row.heartbeatAt = clock.wallMs();
            row.leaseUntil = clock.wallMs() + 3'600'000;
            if (!store->openSession(row))
                qFatal("no session");
            sessions.push_back(row.id);
            engines.push_back(std::make_unique<Limits>(*store, clock));
            engines.back()->reset(row.id, kLease, {});
            if (!engines.back()->learn(*parsed.definition))
                qFatal("not learned");
            ends.emplace_back();
        }
    }
    std::size_t underWay() const
    {
        std::size_t sum = 0;
        for (const auto& each : ends)
            sum += each.size();
        return sum;
    }
    void run(SpanMs span, SpanMs callLasts, std::uint32_t mostEach = 1'000)
    {
        for (const SpanMs until = clock.monotonicMs() + span; clock.monotonicMs() < until;
             clock.advance(10)) {
            const SpanMs now = clock.monotonicMs();
            for (std::size_t i = 0; i < engines.size(); ++i) {
                for (; !ends[i].empty() && ends[i].front() <= now; ends[i].pop_front())
                    engines[i]->ended("web");
                if (!engines[i]->tick())
                    qFatal("tick");
                for (std::uint32_t n = 0; n < mostEach && engines[i]->permits("web") > 0; ++n) {
                    engines[i]->started("web");
                    starts.push_back(now);
                    ends[i].push_back(now + callLasts);
                }
            }
            mostAtOnce = std::max(mostAtOnce, underWay());
        }
    }
    std::size_t mostInASecond() const
    {
        std::size_t most = 0;
        for (std::size_t from = 0, to = 0; from < starts.size(); ++from) {
            while (to < starts.size() && starts[to] < starts[from] + 1'000)
                ++to;
            most = std::max(most, to - from);
        }
        return most;
    }
};

}  // namespace

class TestLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRateHoldsForAllTogether();
    void aHighRateIsNotHeldBack();
    void slotsHoldForAllTogether();
    void slotsAndRateHoldTogether();
    void slotsOfLongCallsAreKept();
    void aSlowRateIsOneStartAtATime();
    void anOperatorsLimitStaysAndIsSeen();
    void theFirstStartsAreLimitedToo();
    void aKilledEnginesSpentRateStaysSpent();
    void aLimitIsInstalledAfterAnErrorOfTheStore();
    void aBackOffThatCameMeanwhileStays();
    void aStoreThatIsAwayIsAskedOnce();
};

void TestLimits::aRateHoldsForAllTogether()
{
    Load load(3, R"({"web":{"rate":"20/s"}})");
    load.run(10'000, 10);
    QVERIFY2(load.mostInASecond() <= 20, QByteArray::number(qulonglong(load.mostInASecond())));
    QVERIFY2(load.starts.size() >= 180, QByteArray::number(qulonglong(load.starts.size())));
}

void TestLimits::aHighRateIsNotHeldBack()
{
    Load load(1, R"({"web":{"rate":"1000/s"}})");
    load.run(3'000, 10);
    QVERIFY2(load.mostInASecond() <= 1'000, QByteArray::number(qulonglong(load.mostInASecond())));
    QVERIFY2(load.starts.size() >= 2'700, QByteArray::number(qulonglong(load.starts.size())));
}

void TestLimits::slotsHoldForAllTogether()
{
    Load load(3, R"({"web":{"slots":5}})");
    load.run(20'000, 200);
    QCOMPARE(load.mostAtOnce, std::size_t(5));
    QVERIFY2(load.starts.size() >= 400, QByteArray::number(qulonglong(load.starts.size())));  // of 500
}

void TestLimits::slotsAndRateHoldTogether()
{
    Load load(2, R"({"web":{"slots":4,"rate":"10/s"}})");
    load.run(20'000, 500);  // 4 slots would allow 8 a second
    QVERIFY2(load.mostAtOnce <= 4, QByteArray::number(qulonglong(load.mostAtOnce)));
    QVERIFY2(load.mostInASecond() <= 10, QByteArray::number(qulonglong(load.mostInASecond())));
    QVERIFY2(load.starts.size() >= 120, QByteArray::number(qulonglong(load.starts.size())));
    load.starts.clear();
    load.mostAtOnce = 0;
    load.run(20'000, 10);  // now the rate is what limits
    QVERIFY2(load.mostInASecond() <= 10, QByteArray::number(qulonglong(load.mostInASecond())));
    QVERIFY2(load.starts.size() >= 160, QByteArray::number(qulonglong(load.starts.size())));
}

// Calls that outlast many leases, while the rate is spent again and again by the other engine's tries.
void TestLimits::slotsOfLongCallsAreKept()
{
    Load load(2, R"({"web":{"slots":3,"rate":"3/s"}})");
    load.run(30 * kLease, 20 * kLease);
    QCOMPARE(load.mostAtOnce, std::size_t(3));
    QCOMPARE(load.starts.size(), std::size_t(6));
}

void TestLimits::aSlowRateIsOneStartAtATime()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"})", R"(,"limits":{"web":{"rate":"6/m"}})"));
    Node& a = c.engine();
    for (int i = 0; i < 5; ++i)
        c.start("one");
    c.pass(25'000);
    QCOMPARE(a.executor.started.size(), std::size_t(3));  // at 0, 10 and 20 s
}

void TestLimits::anOperatorsLimitStaysAndIsSeen()
{
    Load load(1, R"({"web":{"slots":5}})");
    load.run(2'000, 100);
    QCOMPARE(load.mostAtOnce, std::size_t(5));
    CAIRN_VERIFY_OK(load.store->putResource({"web", 0, false, 0, 2, 0}));
    load.run(2'000, 100);
    load.mostAtOnce = 0;
    load.run(5'000, 100);
    QCOMPARE(load.mostAtOnce, std::size_t(2));
    Limits late(*load.store, load.clock);  // an engine that learns the definition afterwards
    late.reset(load.sessions[0], kLease, {});
    const auto parsed = parseDefinition(
        workflow("one", R"({"name":"first","tool":"look"})", R"(,"limits":{"web":{"slots":5}})"));
    CAIRN_VERIFY_OK(late.learn(*parsed.definition));
    QCOMPARE(load.store->resources()->front().slots, 2U);
}

void TestLimits::theFirstStartsAreLimitedToo()
{
    Cluster c;
    c.add(workflow("one", R"({"name":"first","tool":"look"})", R"(,"limits":{"web":{"slots":2}})"));
    for (int i = 0; i < 10; ++i)
        c.start("one");
    Node& a = c.engine();
    c.pass(500);
    QCOMPARE(a.executor.started.size(), std::size_t(2));
}

void TestLimits::aKilledEnginesSpentRateStaysSpent()
{
    Load load(2, R"({"web":{"rate":"10/s"}})");
    for (int i = 0; i < 8; ++i) {
        QVERIFY(load.engines[0]->permits("web") > 0);
        load.engines[0]->started("web");
    }
    QVERIFY(*load.store->endSession(load.sessions[0], load.clock.wallMs(), kNoTime));
    QVERIFY(load.engines[1]->permits("web") <= 2);
    load.clock.advance(1'000);
    QVERIFY(load.engines[1]->permits("web") >= 8);
}

void TestLimits::aLimitIsInstalledAfterAnErrorOfTheStore()
{
    ManualClock clock;
    const auto db = makeMemoryDatabase({}, clock, 11);
    int errors = 0;
    const auto fail = [&](const char* what, Access) -> std::optional<Error> {
        const bool hit = std::string_view(what) == "resources" || std::string_view(what) == "putResource";
        return hit && errors > 0 && --errors == 0 ? std::optional(makeError(ErrorKind::Busy, "busy"))
                                                  : std::nullopt;
    };
    const auto parsed = parseDefinition(
        workflow("one", R"({"name":"first","tool":"look"})", R"(,"limits":{"web":{"slots":5}})"));
    for (const int at : {1, 2}) {  // the read, then the write
        HookedStore store(connectMemory(db), {fail, [](const char*, Access) { return std::nullopt; }});
        Limits limits(store, clock);
        errors = at;
        QVERIFY(!limits.learn(*parsed.definition));
        QVERIFY(store.resources()->empty());
    }
    HookedStore store(connectMemory(db), {fail, [](const char*, Access) { return std::nullopt; }});
    Limits limits(store, clock);
    errors = 2;
    QVERIFY(!limits.learn(*parsed.definition));
    CAIRN_VERIFY_OK(limits.learn(*parsed.definition));
    QCOMPARE(store.resources()->size(), std::size_t(1));
    QCOMPARE(store.resources()->front().slots, 5U);
}

// The provider asks for rest, and an operator slows the resource, between this engine's look and its start.
void TestLimits::aBackOffThatCameMeanwhileStays()
{
    Load load(1, R"({"web":{"rate":"6/m"}})");
    QVERIFY(load.engines[0]->permits("web") > 0);
    const TimeMs asked = load.clock.wallMs() + 3'600'000;
    CAIRN_VERIFY_OK(load.store->raiseBackOff("web", asked, true));
    CAIRN_VERIFY_OK(load.store->putResource({"web", 0, false, 1, 2, 0}));
    load.engines[0]->started("web");
    const ResourceRow row = load.store->resources()->front();
    QCOMPARE(row.backOffUntil, asked);
    QVERIFY(row.askedByServer);
    QCOMPARE(row.slots, 2U);
}

// Each call to it blocks for as long as its connection tries.
void TestLimits::aStoreThatIsAwayIsAskedOnce()
{
    constexpr SpanMs kCall = 5'000;
    ManualClock clock;
    const auto db = makeMemoryDatabase({}, clock, 11);
    bool down = false;
    int calls = 0;
    const auto refuse = [&](const char*, Access) -> std::optional<Error> {
        if (!down)
            return std::nullopt;
        ++calls;
        clock.advance(kCall);
        return makeError(ErrorKind::Disconnected, "gone");
    };
    HookedStore store(connectMemory(db), {refuse, [](const char*, Access) { return std::nullopt; }});
    SeededRng rng{3};
    SessionRow row;
    row.id = makeId<SessionId>(clock.wallMs(), rng);
    row.startedAt = row.heartbeatAt = clock.wallMs();
    row.leaseUntil = clock.wallMs() + 3'600'000;
    CAIRN_VERIFY_OK(store.openSession(row));
    Limits limits(store, clock);
    limits.reset(row.id, kLease, {});
    const std::vector<std::string> names{"a", "b", "c"};
    for (const std::string& name : names) {
        CAIRN_VERIFY_OK(store.putResource({name, 0, false, 0, 5, 0}));
        QVERIFY(limits.permits(name) > 0);
        limits.started(name);
    }
    clock.advance(kLease * 3 / 4);  // all three are to be renewed
    down = true;
    const Status away = limits.tick();
    QVERIFY(!away);
    QCOMPARE(away.error().kind, ErrorKind::Disconnected);
    for (const std::string& name : names)
        static_cast<void>(limits.permits(name));
    QCOMPARE(calls, 1);
    QVERIFY(limits.tick());  // it was told, and is not asked again yet
    QCOMPARE(calls, 1);
    clock.advance(200);
    down = false;
    CAIRN_VERIFY_OK(limits.tick());
    for (const std::string& name : names)
        QVERIFY(limits.permits(name) > 0);
}

QTEST_APPLESS_MAIN(TestLimits)
#include "tst_limits.moc"
