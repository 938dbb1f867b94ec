// An engine on PostgreSQL that hears of others' commits: at once while its listener's link is good, by polls
// while the link is half open (case C47), and by itself again afterwards. What it does is done once.

#include "core/store/postgres/postgres_store.h"
#include "tests/engine/engine_harness.h"
#include "tests/store/cutting_proxy.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"

#include <algorithm>
#include <cstdlib>

namespace cairn::testing {

namespace {

constexpr int kPatience = 60'000;  // ms, until a test gives up
constexpr SpanMs kNever = 3'600'000;
constexpr SpanMs kPoll = 1'000;
constexpr auto kSteps = R"({"name":"ok","kind":"approval","input":{},"approval":{"role":"ops"}},
{"name":"look","tool":"look"},{"name":"pay","tool":"pay","after":["ok"]})";

// A command line on another machine: a connection of its own, straight to the server.
struct Desk {
    explicit Desk(const PostgresStoreFixture& postgres)
        : place(postgres)
    {
        open();
        addTo(*store, workflow("w", kSteps), 5);
    }
    // As a command line does that ends: a hint that had to wait is sent then.
    void open()
    {
        service.reset();
        queue.reset();
        store.reset();
        StoreOptions options;
        options.sendsHints = true;
        store = place.open(options);
        queue = makeInlineQueue(*store);
        service = std::make_unique<Service>(*store, *queue, clock, rng, ServiceConfig{});
    }
    RunId start()
    {
        const RunId run = startIn(*service, "w");
        open();
        return run;
    }
    void approve(const RunId& run)
    {
        const Outcome outcome = actIn(*service, run, cmd::Decide{load(run).find("ok")->approval, true, {}});
        if (!outcome.ok())
            qFatal("approve: %s %s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
        open();
    }
    RunState load(const RunId& run) { return loadFrom(*service, run); }
    const PostgresStoreFixture& place;
    SystemClock clock;
    SystemRng rng;
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
};

// Destroyed after the engine that it is of.
struct ProbedLink {
    SystemRng rng;
    std::shared_ptr<HintLink> link;
};

// An engine whose connections all go through the proxy. Its link probes itself as told.
struct Engine : ProbedLink, EngineOn {
    Engine(const std::string& url, const Clock& clock, SpanMs lease, SpanMs probes)
    {
        HintOptions hints;
        hints.interval = probes;
        link = *postgres::openHints(url, hints);
        StoreOptions options;
        options.hints = link;
        store = *postgres::openStore(url, options);
        writer = *postgres::openStore(url, options);
        EngineConfig config = Cluster::config();
        config.lease = lease;
        config.heartbeat = lease / 3;
        config.restPoll = kPoll;
        open(clock, rng, config, link.get());
    }
    // Answers what runs, and ticks.
    void work()
    {
        settle();
        while (answered < executor.started.size())
            executor.complete(answered++);
        settle();
    }
    [[nodiscard]] std::size_t calls(const RunId& run, const std::string& tool) const
    {
        return static_cast<std::size_t>(std::count_if(executor.started.begin(), executor.started.end(),
            [&](const StartOrder& order) { return order.run == run && order.tool == tool; }));
    }
    std::size_t answered = 0;
};

}  // namespace

class EngineHalfOpenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void whatOthersCommitIsHeardAtOnce();
    void c47_aHalfOpenLinkCostsOnePoll();
    void c47_aHalfOpenLinkHealsItself();
    void c47_aServerThatWasAwayIsHeardAgain();

private:
    std::unique_ptr<CuttingProxy> proxy();
    // What people are shown of this engine.
    static HintHealth::State shown(Desk& desk, const Engine& e)
    {
        const auto all = desk.store->shownHints();
        if (!all || !all->contains(e.core->session()))
            return HintHealth::State::Beginning;
        return all->at(e.core->session());
    }
    // Ticks without the clock, as long as the link listens.
    void awaitListening(Engine& e)
    {
        QTRY_VERIFY_WITH_TIMEOUT((e.settle(), e.core->stats().hears), kPatience);
    }
    void finish(Engine& e, Desk& desk, const std::vector<RunId>& runs);

    Scratch m_folder;
    PostgresStoreFixture m_postgres;
    std::string m_through;
    int m_proxies = 0;
};

void EngineHalfOpenTest::init() { m_postgres.init(); }

std::unique_ptr<CuttingProxy> EngineHalfOpenTest::proxy()
{
    const RawPg raw(m_postgres.url);
    const std::string server = std::string(PQhost(raw.conn)) + "/.s.PGSQL." + std::string(PQport(raw.conn));
    const std::string port = std::to_string(5432 + m_proxies++);
    m_through = "postgresql:///cairn?host=" + m_folder.path() + "&port=" + port + "&user=cairn";
    return std::make_unique<CuttingProxy>(m_folder.file(".s.PGSQL." + port), server, std::string());
}

// Each step of each run once, and the histories are whole.
void EngineHalfOpenTest::finish(Engine& e, Desk& desk, const std::vector<RunId>& runs)
{
    for (const RunId& run : runs) {
        QCOMPARE(e.calls(run, "pay"), std::size_t(1));
        const RunState state = desk.load(run);
        QVERIFY(state.closed);
        QCOMPARE(state.find("pay")->attempts, 1U);
        const auto problems = verifyRun(*desk.store, run);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    }
}

void EngineHalfOpenTest::whatOthersCommitIsHeardAtOnce()
{
    Desk desk(m_postgres);
    ManualClock clock;  // it stands still: no poll is ever due
    Engine e(m_postgres.url, clock, kNever, kNever);
    awaitListening(e);
    clock.advance(20);  // the least between two rounds of looking
    const RunId run = desk.start();
    QTRY_VERIFY_WITH_TIMEOUT((e.settle(), e.calls(run, "look") == 1), kPatience);
    clock.advance(20);
    desk.approve(run);
    QTRY_VERIFY_WITH_TIMEOUT((e.settle(), e.calls(run, "pay") == 1), kPatience);
    e.work();
    finish(e, desk, {run});
}

// The worst case: the listener does not find out.
void EngineHalfOpenTest::c47_aHalfOpenLinkCostsOnePoll()
{
    Desk desk(m_postgres);
    const auto between = proxy();
    ManualClock clock;
    Engine e(m_through, clock, kNever, kNever);
    awaitListening(e);
    clock.advance(20);
    const RunId first = desk.start();
    QTRY_VERIFY_WITH_TIMEOUT((e.settle(), e.calls(first, "look") == 1), kPatience);
    clock.advance(20);
    e.settle();

    between->swallowListeners();
    QCOMPARE(between->swallowed(), 1);
    const RunId second = desk.start();
    desk.approve(first);
    for (int i = 0; i < 10; ++i)
        e.settle();
    QCOMPARE(e.calls(second, "look"), std::size_t(0));  // nobody told it, and no poll is due
    QCOMPARE(e.calls(first, "pay"), std::size_t(0));
    QVERIFY(e.core->stats().hears);
    QVERIFY(shown(desk, e) == HintHealth::State::Listening);
    clock.advance(kPoll);
    e.settle();
    QCOMPARE(e.calls(second, "look"), std::size_t(1));
    QCOMPARE(e.calls(first, "pay"), std::size_t(1));
    desk.approve(second);
    clock.advance(kPoll);
    e.work();
    e.work();
    finish(e, desk, {first, second});
}

void EngineHalfOpenTest::c47_aHalfOpenLinkHealsItself()
{
    Desk desk(m_postgres);
    const auto between = proxy();
    ManualClock clock;
    Engine e(m_through, clock, kNever, 300);
    awaitListening(e);
    clock.advance(20);
    const RunId first = desk.start();
    QTRY_VERIFY_WITH_TIMEOUT((e.settle(), e.calls(first, "look") == 1), kPatience);

    between->swallowListeners();
    const RunId second = desk.start();
    desk.approve(first);
    // It finds out, listens on another connection, and looks at what it missed: the clock of its polls stands
    // still, but for the time between two rounds of looking.
    const auto heard = [&] {
        clock.advance(1);
        e.settle();
        return between->listeners() >= 2 && e.core->stats().hears && e.calls(second, "look") == 1
            && e.calls(first, "pay") == 1;
    };
    const SpanMs began = clock.monotonicMs();
    QTRY_VERIFY_WITH_TIMEOUT(heard(), kPatience);
    QVERIFY(clock.monotonicMs() - began < kPoll);
    QVERIFY(e.core->stats().deafened >= 1);
    QVERIFY(e.alerts.size() >= 2);
    QCOMPARE(e.alerts[0], std::string("hints_deaf"));
    QCOMPARE(e.alerts[1], std::string("hints_back"));
    QCOMPARE(between->swallowed(), 1);

    clock.advance(20);
    const RunId third = desk.start();
    desk.approve(second);
    const auto finished = [&] {
        clock.advance(1);
        e.work();
        return e.calls(third, "look") == 1 && e.calls(second, "pay") == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(finished(), kPatience);
    clock.advance(20);
    desk.approve(third);
    const auto closed = [&] {
        clock.advance(1);
        e.work();
        return desk.load(third).closed;
    };
    QTRY_VERIFY_WITH_TIMEOUT(closed(), kPatience);
    finish(e, desk, {first, second, third});
}

// A crash and a restart, and nobody is let in for longer than the lease. All connections are made anew; what
// was enqueued and approved meanwhile is done, once.
void EngineHalfOpenTest::c47_aServerThatWasAwayIsHeardAgain()
{
    const char* restart = std::getenv("CAIRN_RESTART_COMMAND");
    QVERIFY2(restart != nullptr, "packaging/with-postgres says how the server is restarted");
    Desk desk(m_postgres);
    const auto between = proxy();
    const SystemClock clock;
    Engine e(m_through, clock, 2'000, 300);
    awaitListening(e);
    const RunId first = desk.start();
    QTRY_VERIFY_WITH_TIMEOUT((e.work(), e.calls(first, "look") == 1), kPatience);
    between->refuse();
    QCOMPARE(std::system(restart), 0);
    desk.approve(first);
    const RunId second = desk.start();
    const auto away = [&] {
        e.work();
        return e.core->stats().sessionsLost > 0 && e.core->stats().deaf && between->refused() >= 20;
    };
    QTRY_VERIFY_WITH_TIMEOUT(away(), kPatience);
    QCOMPARE(e.calls(first, "pay"), std::size_t(0));
    QCOMPARE(e.core->stats().hears, false);
    between->acceptAgain();
    const auto back = [&] {
        e.work();
        return e.core->stats().hears && e.calls(first, "pay") == 1 && e.calls(second, "look") == 1;
    };
    QTRY_VERIFY_WITH_TIMEOUT(back(), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT((e.work(), shown(desk, e) == HintHealth::State::Listening), kPatience);
    desk.approve(second);
    QTRY_VERIFY_WITH_TIMEOUT((e.work(), desk.load(first).closed && desk.load(second).closed), kPatience);
    finish(e, desk, {first, second});
    QVERIFY(e.core->stats().deafened >= 1);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::EngineHalfOpenTest)

#include "tst_engine_half_open.moc"
