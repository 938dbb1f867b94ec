// The link of one process: a thread that listens, sends what it is told, and probes itself.

#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/store/postgres/hint_connection.h"
#include "core/store/postgres/postgres_store.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace cairn::postgres {

namespace {

constexpr SpanMs kShortestInterval = 10;
constexpr double kQueueIsFull = 0.5;

class PostgresHints final : public HintLink {
public:
    PostgresHints(Target target, HintOptions options)
        : m_target(std::move(target))
        , m_options(std::move(options))
        , m_connection(m_target, m_options.interval)
        , m_thread([this](const std::stop_token& stop) { run(stop); })
    {
    }
    ~PostgresHints() override
    {
        m_thread.request_stop();
        m_signal.signal();
    }

    void tell(HintSet what) noexcept override
    {
        if (what != hint::kNone && m_toTell.fetch_or(what) == hint::kNone)
            m_signal.signal();
    }
    HintSet take() noexcept override { return m_heard.exchange(hint::kNone); }
    HintHealth health() const override
    {
        const std::scoped_lock lock(m_mutex);
        return m_health;
    }

private:
    void run(const std::stop_token& stop)
    {
        ::pthread_setname_np(::pthread_self(), "cairn-hints");
        while (!stop.stop_requested()) {
            const Status ended = serve(stop);
            m_connection.drop();
            if (ended || stop.stop_requested())
                return;
            become(HintHealth::State::Deaf, ended.error().text);
            pause(stop);
        }
    }
    // Until it is stopped, or the link is of no use any more.
    Status serve(const std::stop_token& stop)
    {
        CAIRN_TRY(m_connection.connect());
        // It listens; what was missed until now is found by looking at everything once.
        become(HintHealth::State::Listening, {});
        hear(hint::kAll);
        SpanMs probeAt = m_clock.monotonicMs() + m_options.interval;
        while (!stop.stop_requested()) {
            CAIRN_TRY(send());
            if (const SpanMs now = m_clock.monotonicMs(); now >= probeAt) {
                probeAt = now + m_options.interval;
                CAIRN_TRY(m_connection.probe());
                m_failures = 0;
                watchQueue();
            }
            hear(m_connection.take());
            const SpanMs until =
                m_toTell.load() == hint::kNone ? probeAt : std::min(probeAt, std::max(m_sendAt, SpanMs{1}));
            if (const SpanMs left = until - m_clock.monotonicMs(); left > 0)
                CAIRN_TRY(m_connection.wait(m_signal, left));
            m_signal.clear();
            hear(m_connection.take());
        }
        m_sendAt = 0;  // what was told last of all, such as that a session has ended
        return send();
    }
    // What was told, if the last is long enough ago.
    Status send()
    {
        const SpanMs now = m_clock.monotonicMs();
        if (m_toTell.load() == hint::kNone || now < m_sendAt)
            return {};
        m_sendAt = now + m_options.debounce;
        const HintSet what = m_toTell.exchange(hint::kNone);
        const Status sent = m_connection.notify(what);
        if (sent) {
            m_refused = false;
            return {};
        }
        if (sent.error().kind == ErrorKind::Refused) {  // polls will find it
            if (!std::exchange(m_refused, true))
                log::warning("hint_not_sent", {{"text", sent.error().text}});
            return {};
        }
        m_toTell.fetch_or(what);
        return sent;
    }
    // Where it is full no hint can be sent; somebody listens in a transaction that does not end.
    void watchQueue()
    {
        const bool full = m_connection.queueUsed() > kQueueIsFull;
        if (full && !m_full)
            log::warning("notification_queue_fills", {{"used", m_connection.queueUsed()}});
        m_full = full;
    }
    void hear(HintSet what)
    {
        if (what != hint::kNone && m_heard.fetch_or(what) == hint::kNone && m_options.wake)
            m_options.wake();
    }
    void become(HintHealth::State state, const std::string& why)
    {
        {
            const std::scoped_lock lock(m_mutex);
            if (state == HintHealth::State::Deaf)
                m_health.why = why;
            if (m_health.state == state)
                return;
            m_health.breaks += state == HintHealth::State::Deaf ? 1 : 0;
            m_health.state = state;
            m_health.since = m_clock.monotonicMs();
        }
        if (m_options.wake)
            m_options.wake();
    }
    // None after a link that had worked; then longer and longer ones, up to an interval.
    void pause(const std::stop_token& stop)
    {
        m_signal.clear();
        if (stop.stop_requested())
            return;
        const SpanMs most = std::min<SpanMs>(m_options.interval, SpanMs{25} << std::min(m_failures, 10));
        if (m_failures++ > 0)
            m_signal.wait(1 + static_cast<SpanMs>(m_rng.below(static_cast<std::uint64_t>(most))));
    }

    const Target m_target;
    const HintOptions m_options;
    SystemClock m_clock;
    SystemRng m_rng;
    WakeUp m_signal;
    HintConnection m_connection;  // the thread's, as the five below it
    SpanMs m_sendAt = 0;
    int m_failures = 0;
    bool m_refused = false;
    bool m_full = false;
    std::atomic<HintSet> m_toTell = hint::kNone;
    std::atomic<HintSet> m_heard = hint::kNone;
    mutable std::mutex m_mutex;
    HintHealth m_health;
    std::jthread m_thread;  // last: begins when all else is there
};

}  // namespace

Result<std::shared_ptr<HintLink>> openHints(const std::string& url, const HintOptions& options)
{
    // For writing: a standby hears nothing.
    CAIRN_TRY_ASSIGN(Target target, resolveTarget(url, true));
    target.passwords = options.passwords;
    HintOptions used = options;
    used.interval = std::max(used.interval, kShortestInterval);
    used.debounce = std::max<SpanMs>(used.debounce, 0);
    return std::shared_ptr<HintLink>(std::make_shared<PostgresHints>(std::move(target), std::move(used)));
}

}  // namespace cairn::postgres
