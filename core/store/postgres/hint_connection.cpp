#include "core/store/postgres/hint_connection.h"

#include "core/store/postgres/hint_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>
#include <vector>

namespace cairn::postgres {

namespace {

// Nothing is looked up by a search path, and a NOTIFY's commit waits neither for the disk nor for a standby:
// it holds a lock of the whole server meanwhile.
constexpr const char* kSetUp = "SELECT pg_catalog.set_config('search_path', '', false), "
                               "pg_catalog.set_config('synchronous_commit', 'off', false), "
                               "pg_catalog.set_config('statement_timeout', '5s', false), "
                               "pg_catalog.set_config('lock_timeout', '5s', false), "
                               "pg_catalog.set_config('idle_in_transaction_session_timeout', '5s', false)";
constexpr const char* kListen = "LISTEN cairn_hints";
constexpr const char* kNotify = "SELECT pg_catalog.pg_notify('cairn_hints', $1)";
// Asked of the server: behind a pooler it may be another session by now, which listens to nothing.
constexpr const char* kProbe =
    "SELECT pg_catalog.pg_notification_queue_usage(), (SELECT pg_catalog.count(*) "
    "FROM pg_catalog.pg_listening_channels() AS c(name) WHERE c.name = 'cairn_hints')";

std::string oneLine(const char* text)
{
    std::string out = text == nullptr ? "" : text;
    const auto end = out.find_last_not_of(" \r\n");
    out.resize(end == std::string::npos ? 0 : std::min<std::size_t>(end + 1, 400));
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return out;
}

int pollMs(SpanMs span) { return static_cast<int>(std::clamp<SpanMs>(span, 0, 60'000)); }

}  // namespace

// --- WakeUp

WakeUp::WakeUp()
    : m_fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
}

WakeUp::~WakeUp()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

void WakeUp::signal() noexcept
{
    const std::uint64_t one = 1;
    static_cast<void>(!::write(m_fd, &one, sizeof one));
}

void WakeUp::clear() noexcept
{
    std::uint64_t ignored = 0;
    static_cast<void>(!::read(m_fd, &ignored, sizeof ignored));
}

void WakeUp::wait(SpanMs span) const noexcept
{
    pollfd descriptor{m_fd, POLLIN, 0};
    ::poll(&descriptor, 1, pollMs(span));
}

// --- HintConnection

Error HintConnection::lost(const std::string& how) const
{
    return makeError(ErrorKind::Disconnected, "the listener's connection to " + m_target.shown + ' ' + how);
}

Status HintConnection::connect()
{
    m_heard = hint::kNone;
    CAIRN_TRY_ASSIGN(m_conn, connectTo(m_target));
    PQsetNoticeReceiver(
        m_conn.get(), [](void*, const PGresult*) {}, nullptr);
    if (PQsetnonblocking(m_conn.get(), 1) != 0)
        return lost("cannot be used without blocking");
    CAIRN_TRY(run(kSetUp));
    CAIRN_TRY(run(kListen));
    return {};
}

// What came in: notifications are taken out, answers stay with libpq.
Status HintConnection::consume()
{
    if (PQconsumeInput(m_conn.get()) != 1)
        return lost("was lost: " + oneLine(PQerrorMessage(m_conn.get())));
    struct Free {
        void operator()(PGnotify* notification) const noexcept { PQfreemem(notification); }
    };
    while (const std::unique_ptr<PGnotify, Free> one{PQnotifies(m_conn.get())})
        if (std::string_view(one->relname) == kHintChannel)
            m_heard = static_cast<HintSet>(m_heard | hintOf(one->extra));
    return {};
}

Status HintConnection::awaitAnswer(SpanMs until)
{
    while (PQisBusy(m_conn.get()) == 1) {
        const int unsent = PQflush(m_conn.get());
        if (unsent < 0)
            return lost("was lost: " + oneLine(PQerrorMessage(m_conn.get())));
        const SpanMs left = until - m_clock.monotonicMs();
        if (left <= 0)
            return lost("did not answer within " + std::to_string(m_answerWithin) + " ms");
        pollfd descriptor{
            PQsocket(m_conn.get()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
        if (::poll(&descriptor, 1, pollMs(left)) > 0)
            CAIRN_TRY(consume());
    }
    return {};
}

Result<HintConnection::ResultPtr> HintConnection::run(const char* constantSql, const char* parameter)
{
    const SpanMs until = m_clock.monotonicMs() + m_answerWithin;
    const int parameters = parameter == nullptr ? 0 : 1;
    if (PQsendQueryParams(m_conn.get(), constantSql, parameters, nullptr, &parameter, nullptr, nullptr, 0)
        != 1)
        return lost("was lost: " + oneLine(PQerrorMessage(m_conn.get())));
    ResultPtr last;
    for (;;) {
        CAIRN_TRY(awaitAnswer(until));
        ResultPtr next(PQgetResult(m_conn.get()));
        if (!next)
            break;
        last = std::move(next);
    }
    CAIRN_TRY(consume());
    const auto status = PQresultStatus(last.get());
    if (PQstatus(m_conn.get()) != CONNECTION_OK)
        return lost("was lost: " + oneLine(PQerrorMessage(m_conn.get())));
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        return makeError(ErrorKind::Refused, "the server: " + oneLine(PQresultErrorMessage(last.get())));
    return last;
}

Status HintConnection::wait(const WakeUp& signal, SpanMs span)
{
    std::array<pollfd, 2> descriptors{
        {{PQsocket(m_conn.get()), POLLIN, 0}, {signal.descriptor(), POLLIN, 0}}};
    if (::poll(descriptors.data(), descriptors.size(), pollMs(span)) > 0 && descriptors.front().revents != 0)
        return consume();
    return {};
}

Status HintConnection::notify(HintSet what)
{
    const std::string word = hintWord(what);
    CAIRN_TRY(run(kNotify, word.c_str()));
    return {};
}

Status HintConnection::probe()
{
    CAIRN_TRY_ASSIGN(const ResultPtr answer, run(kProbe));
    if (PQntuples(answer.get()) != 1 || std::string_view(PQgetvalue(answer.get(), 0, 1)) != "1")
        return lost("does not listen any more: is there a pooler in between?");
    m_queueUsed = std::strtod(PQgetvalue(answer.get(), 0, 0), nullptr);
    return {};
}

}  // namespace cairn::postgres
