#pragma once
// The connection that a hint link listens on. It never waits without a limit: every statement has to be
// answered in time, or the connection is of no use. Used by the link's thread only; never in a transaction.

#include "core/store/hints.h"
#include "core/store/postgres/connect.h"

#include <libpq-fe.h>

#include <memory>
#include <utility>

namespace cairn::postgres {

// Wakes a thread that waits in poll(). From any thread.
class WakeUp {
public:
    WakeUp();
    ~WakeUp();
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;
    void signal() noexcept;
    void clear() noexcept;
    // Until a signal that was not cleared, or the end of the span.
    void wait(SpanMs span) const noexcept;
    [[nodiscard]] int descriptor() const noexcept { return m_fd; }

private:
    int m_fd;
};

class HintConnection {
public:
    // `answerWithin`: what is not answered by then will not be.
    HintConnection(const Target& target, SpanMs answerWithin)
        : m_target(target)
        , m_answerWithin(answerWithin)
    {
    }

    // Connects and listens. Blocks for as long as the URL's connect_timeout allows.
    [[nodiscard]] Status connect();
    void drop() noexcept { m_conn.reset(); }

    // Waits for a signal, a notification or the end of the span. Disconnected: the link is lost.
    [[nodiscard]] Status wait(const WakeUp& signal, SpanMs span);
    // Refused: the server said no, and the link is as good as before. Disconnected: it is lost.
    [[nodiscard]] Status notify(HintSet what);
    // Whether the link is alive and this session still listens, asked of the server.
    [[nodiscard]] Status probe();
    // What was heard since the last call.
    [[nodiscard]] HintSet take() noexcept { return std::exchange(m_heard, hint::kNone); }
    // How much of the server's queue of notifications is used: 1 is all of it.
    [[nodiscard]] double queueUsed() const noexcept { return m_queueUsed; }

private:
    struct Clear {
        void operator()(PGresult* result) const noexcept { PQclear(result); }
    };
    using ResultPtr = std::unique_ptr<PGresult, Clear>;

    [[nodiscard]] Result<ResultPtr> run(const char* constantSql, const char* parameter = nullptr);
    [[nodiscard]] Status awaitAnswer(SpanMs until);
    [[nodiscard]] Status consume();
    [[nodiscard]] Error lost(const std::string& how) const;

    const Target& m_target;
    const SpanMs m_answerWithin;
    SystemClock m_clock;
    ConnHandle m_conn;
    HintSet m_heard = hint::kNone;
    double m_queueUsed = 0;
};

}  // namespace cairn::postgres
