#include "core/engine/loop.h"

#include "core/base/log.h"
#include "core/engine/builtin_executor.h"
#include "core/engine/exec_helper.h"
#include "core/engine/executor_set.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace cairn {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr SpanMs kLongestSleep = 60'000;
constexpr unsigned kWorkers = 2;
constexpr SpanMs kQuiet = 600;      // exitWhenIdle: this long nothing to do
constexpr SpanMs kQuietPoll = 200;  // and meanwhile it was looked several times

// Answers of executors come from handlers of the loop; the rules run in the tick that follows them.
class Notifier final : public Executor {
public:
    Notifier(Executor& inner, std::function<void()> wake)
        : m_inner(inner)
        , m_wake(std::move(wake))
    {
    }
    void onFinished(Finished finished) override
    {
        m_inner.onFinished([this, finished = std::move(finished)](AttemptResult result) {
            finished(std::move(result));
            m_wake();
        });
    }
    void start(StartOrder order) override { m_inner.start(std::move(order)); }
    void cancel(const AttemptId& attempt) override { m_inner.cancel(attempt); }
    void abandon(const AttemptId& attempt) override { m_inner.abandon(attempt); }
    void leaseEnds(SpanMs at) override { m_inner.leaseEnds(at); }
    [[nodiscard]] SpanMs tick() override { return m_inner.tick(); }

private:
    Executor& m_inner;
    std::function<void()> m_wake;
};

// An engine that could call no command would fail every such step that it claims.
Status haveHelper(CommandConfig& command)
{
    if (!command.helper.empty())
        return checkExecHelper(command.helper);
    CAIRN_TRY_ASSIGN(command.helper, findExecHelper(ownFolder()));
    return {};
}

class Loop {
public:
    explicit Loop(EngineOptions options)
        : m_options(std::move(options))
        , m_timer(m_io)
        , m_signals(m_io, SIGTERM, SIGINT)
        , m_notifier(m_executors, [this] { wake(); })
    {
    }

    Status run()
    {
        CAIRN_TRY(haveHelper(m_options.command));
        CAIRN_TRY(openHints());
        StoreOptions how;
        how.hints = m_hints;
        how.patience = Patience::Short;  // heartbeats and commits wait for these two
        CAIRN_TRY_ASSIGN(m_store, m_options.openStore(m_options.storeUrl, how));
        CAIRN_TRY_ASSIGN(auto writer, m_options.openStore(m_options.storeUrl, how));
        CAIRN_TRY_ASSIGN(m_queue, makeThreadedQueue(std::move(writer), [this] { wakeFromThread(); }));
        m_executors.add("command", std::make_unique<CommandExecutor>(m_io, m_options.command));
        m_executors.add("http", std::make_unique<HttpExecutor>(m_io, m_clock, m_options.http));
        m_executors.add("builtin", std::make_unique<BuiltinExecutor>(m_clock));
        ::signal(SIGPIPE, SIG_IGN);
        m_options.core.uid = ::getuid();
        if (m_options.exitWhenIdle)
            m_options.core.restPoll = kQuietPoll;
        m_pool = makeThreadPool(kWorkers,
            {[this] { return m_options.openStore(m_options.storeUrl, {}); },
                [this](WorkPool::Done done) { afterWork(std::move(done)); }, *m_store});
        m_core.emplace(EngineSeams{m_clock, m_rng, *m_store, *m_queue, m_notifier, m_processes, m_pool.get(),
                           m_hints.get()},
            m_options.core);
        CAIRN_TRY(m_core->open());
        if (m_options.onReady)
            m_options.onReady(m_core->session());
        awaitSignal();
        wake();
        m_io.run();
        m_pool.reset();
        m_core.reset();
        return m_problem ? Status(*m_problem) : Status();
    }

private:
    Status openHints()
    {
        if (!m_options.openHints)
            return {};
        HintOptions how;
        how.wake = [this] { wakeFromThread(); };
        how.interval = m_options.core.restPoll;
        CAIRN_TRY_ASSIGN(m_hints, m_options.openHints(m_options.storeUrl, how));
        return {};
    }
    void awaitSignal()
    {
        m_signals.async_wait([this](error_code problem, int number) {
            if (problem)
                return;
            log::info("signal", {{"number", number}});
            if (m_options.onStop)
                m_options.onStop();
            if (std::exchange(m_stopping, true)) {
                finish();
                return;
            }
            m_core->drain();
            wake();
            awaitSignal();
        });
    }
    void wake()
    {
        if (std::exchange(m_woken, true))
            return;
        asio::post(m_io, [this] {
            m_woken = false;
            tick();
        });
    }
    // From the writer thread, and from that of the hints.
    void wakeFromThread()
    {
        if (m_mail.exchange(true))
            return;
        asio::post(m_io, [this] {
            m_mail = false;
            tick();
        });
    }
    // From a thread of the pool. Not after finish(): the engine's rules have ended then.
    void afterWork(WorkPool::Done done)
    {
        asio::post(m_io, [this, done = std::move(done)] {
            if (m_done)
                return;
            done();
            tick();
        });
    }
    void tick()
    {
        if (m_done)
            return;
        SpanMs sleep = 0;
        try {
            sleep = m_core->tick();
        } catch (const std::exception& problem) {
            m_problem = makeError(ErrorKind::Internal, std::string("the engine stops: ") + problem.what());
            finish();
            return;
        }
        if (m_core->hopeless()) {
            m_problem = m_core->hopeless();
            finish();
            return;
        }
        if (m_core->drained() || (m_options.exitWhenIdle && quiet())) {
            finish();
            return;
        }
        if (sleep == 0) {
            wake();
            return;
        }
        m_timer.expires_after(std::chrono::milliseconds(std::min(sleep, kLongestSleep)));
        m_timer.async_wait([this](error_code problem) {
            if (!problem)
                tick();
        });
    }
    bool quiet()
    {
        const EngineStats& stats = m_core->stats();
        const std::uint64_t sum = stats.claimed + stats.started + stats.results + stats.delivered;
        const SpanMs now = m_clock.monotonicMs();
        if (stats.active > 0 || stats.owned > 0 || sum != m_lastSum || m_quietSince == 0) {
            m_lastSum = sum;
            m_quietSince = now;
        }
        return now - m_quietSince >= kQuiet;
    }
    void finish()
    {
        m_done = true;
        m_core->close();
        m_timer.cancel();
        m_io.stop();
    }

    EngineOptions m_options;
    SystemClock m_clock;
    SystemRng m_rng;
    SystemProcessTable m_processes;
    asio::io_context m_io{1};
    asio::steady_timer m_timer;
    asio::signal_set m_signals;
    std::atomic<bool> m_mail{false};
    std::shared_ptr<HintLink> m_hints;  // after what its thread wakes
    std::unique_ptr<StoreWriter> m_store;
    ExecutorSet m_executors;  // after the loop that their handlers live in
    Notifier m_notifier;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<WorkPool> m_pool;
    std::optional<EngineCore> m_core;
    std::optional<Error> m_problem;
    bool m_woken = false;
    bool m_stopping = false;
    bool m_done = false;
    std::uint64_t m_lastSum = 0;
    SpanMs m_quietSince = 0;
};

}  // namespace

Status runEngine(EngineOptions options)
{
    if (!options.openStore)
        return makeError(ErrorKind::InvalidInput, "an engine needs a way to open its store");
    try {
        Loop loop(std::move(options));
        return loop.run();
    } catch (const std::exception& problem) {
        return makeError(ErrorKind::Internal, std::string("the engine cannot run: ") + problem.what());
    }
}

namespace {

// Told once, by whichever engine hears the signal.
class Stop {
public:
    void tell()
    {
        const std::scoped_lock lock(m_mutex);
        m_told = true;
        m_changed.notify_all();
    }
    // True: it was told within the span.
    bool wait(std::chrono::milliseconds span)
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, span, [this] { return m_told; });
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_told = false;
};

// One store of several: begun again after an error, for the process lives on for the others, and nobody
// outside would do it. Opening checks the store anew.
Status serveAlways(EngineOptions options, Stop& stop)
{
    constexpr std::chrono::milliseconds kFirst{1'000}, kLongest{30'000};
    options.onStop = [&stop] { stop.tell(); };
    for (auto pause = kFirst;; pause = std::min(2 * pause, kLongest)) {
        const auto began = std::chrono::steady_clock::now();
        const Status end = runEngine(options);
        if (end)
            return end;
        log::error("store_not_served", {{"store", options.storeUrl}, {"text", end.error().text}});
        if (std::chrono::steady_clock::now() - began > kLongest)
            pause = kFirst;
        if (options.exitWhenIdle || stop.wait(pause))
            return end;
    }
}

}  // namespace

Status runEngines(std::vector<EngineOptions> engines)
{
    if (engines.size() == 1)
        return runEngine(std::move(engines.front()));
    for (EngineOptions& engine : engines)
        CAIRN_TRY(haveHelper(engine.command));  // what is wrong for all is not tried again for each
    std::vector<Status> ends(engines.size());
    Stop stop;
    const auto serve = [&](std::size_t i) { ends[i] = serveAlways(std::move(engines[i]), stop); };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < engines.size(); ++i)
        threads.emplace_back(serve, i);
    if (!engines.empty())
        serve(0);
    for (std::thread& thread : threads)
        thread.join();
    const auto failed = std::find_if(ends.begin(), ends.end(), [](const Status& end) { return !end; });
    return failed == ends.end() ? Status() : *failed;
}

}  // namespace cairn
