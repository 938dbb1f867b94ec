#pragma once
// Puts one question to several stores and makes one answer of theirs. Whoever is slow holds up nobody: what
// the others said is given out, with what is known of the silent one from before; when it answers after all,
// `late` says that asking again gives more. One thread, the one that asks; nothing here blocks.

#include "ui/data/source.h"

#include <QDeadlineTimer>
#include <QPromise>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <map>

namespace cairn::ui {

[[nodiscard]] inline qint64 monotonicMs() { return QDeadlineTimer::current().deadline(); }

// T needs sameContent(T, T): whether asking again would show anything else.
template<typename T> class Gather {
public:
    struct Part {
        StoreShare share;
        const T* value = nullptr;  // null: nothing is known of that store
    };
    using Ask = std::function<QFuture<Reply<T>>(StoreIx)>;
    using Join = std::function<T(const std::vector<Part>&)>;
    struct Hooks {
        std::function<void()> late;
        std::function<void(StoreIx, const Failure*)> heard;  // null: it has answered
    };

    Gather(QObject* context, Hooks hooks)
        : m_context(context)
        , m_hooks(std::move(hooks))
    {
    }
    ~Gather()
    {
        if (m_open)
            finish({std::nullopt, overtaken()});
    }
    Gather(const Gather&) = delete;
    Gather& operator=(const Gather&) = delete;

    // How long the others are waited for once one has answered. For tests too.
    void setPatience(int ms) { m_patience = ms; }
    // What a store said is out of date: an answer that came late is not given out alone.
    void touch(StoreIx store) { m_seats[store].touched = true; }
    void touchAll()
    {
        for (auto& [store, seat] : m_seats)
            seat.touched = true;
    }

    // `question` is the same for the same question, `topic` for one whose older answers may stand in for a
    // store that keeps silent. A later question takes the place of an earlier one, which then ends as
    // cancelled.
    QFuture<Reply<T>> ask(
        const QString& question, const QString& topic, std::vector<StoreIx> whom, Ask ask, Join join)
    {
        if (m_open)
            finish({std::nullopt, overtaken()});
        m_question = question;
        m_topic = topic;
        m_whom = std::move(whom);
        m_ask = std::move(ask);
        m_join = std::move(join);
        m_promise = std::make_shared<QPromise<Reply<T>>>();
        m_promise->start();
        m_open = true;
        m_late = false;
        const quint64 round = ++m_round;
        const QFuture<Reply<T>> future = m_promise->future();
        for (const StoreIx store : m_whom)
            seat(store);
        if (m_whom.size() > 1)
            QTimer::singleShot(m_patience, m_context, [this, round] { patienceEnds(round); });
        check();
        return future;
    }

private:
    struct Seat {
        QString question;  // of what is under way, or was last
        quint64 ticket = 0;
        qint64 askedAt = 0;
        bool pending = false;
        bool again = false;    // it was asked while its answer was under way
        bool touched = false;  // it has changed since it was asked
        bool late = false;     // its answer came after all had been given out, and nobody has had it
        bool silent = false;   // nobody waits for it until it answers in time
        bool in = false;       // it has answered this round
        std::optional<T> held;
        QString heldQuestion;
        QString topic;  // of what is under way, or was last
        QString heldTopic;
        qint64 heldAt = 0;
        Failure failure;
        bool failed = false;
    };
    static constexpr qint64 kOld =
        5'000;  // ms from when on data of a store that owes an answer is called old

    static Failure overtaken()
    {
        Failure failure;
        failure.cancelled = true;
        return failure;
    }
    void finish(Reply<T> reply)
    {
        m_open = false;
        m_promise->addResult(std::move(reply));
        m_promise->finish();
    }
    void seat(StoreIx store)
    {
        Seat& s = m_seats[store];
        s.in = false;
        // Alone it is asked anew, which gives up what is under way; one of several would never come to an
        // end.
        if (s.pending && s.question == m_question && m_whom.size() > 1) {
            s.again = true;
            return;
        }
        if (std::exchange(s.late, false) && s.heldQuestion == m_question) {
            s.in = true;
            if (s.touched)
                begin(store);
            return;
        }
        begin(store);
    }
    void begin(StoreIx store)
    {
        Seat& s = m_seats[store];
        s.question = m_question;
        s.topic = m_topic;
        s.pending = true;
        s.again = false;
        s.touched = false;
        s.askedAt = monotonicMs();
        const quint64 ticket = ++s.ticket;
        whenDone(m_ask(store), m_context, [this, store, ticket](const Reply<T>& reply) {
            if (m_seats[store].ticket == ticket)
                arrived(store, reply);
        });
    }
    void arrived(StoreIx store, const Reply<T>& reply)
    {
        Seat& s = m_seats[store];
        s.pending = false;
        // All was given out without knowing this, and what the store had said before as up to date.
        const bool gone = !reply && !reply.failure.cancelled && !s.failed && !m_open;
        s.failed = !reply;
        s.failure = reply.failure;
        const bool fresh = reply
            && (!s.held || s.heldQuestion != s.question || s.late || !sameContent(*s.held, *reply.value));
        if (reply) {
            s.held = *reply.value;
            s.heldQuestion = s.question;
            s.heldTopic = s.topic;
            s.heldAt = monotonicMs();
        }
        s.silent = !reply || monotonicMs() - s.askedAt > m_patience;
        if (m_open && !s.in) {
            s.in = true;
            check();
        } else if (reply && s.question == m_question) {
            s.late = fresh;
            if (fresh && !m_open)
                m_hooks.late();
            else if (fresh)
                m_late = true;
        } else if (gone && s.question == m_question) {
            m_hooks.late();
        }
        if (s.again && s.question == m_question)
            begin(store);
        // Last: whoever hears it may ask again.
        if (m_hooks.heard && !reply.failure.cancelled)
            m_hooks.heard(store, reply || reply.failure.ofQuestion ? nullptr : &reply.failure);
    }
    void patienceEnds(quint64 round)
    {
        if (round != m_round || !m_open)
            return;
        for (const StoreIx store : m_whom)
            if (m_seats[store].pending && !m_seats[store].in)
                m_seats[store].silent = true;
        check();
    }
    // Gives out what there is when nobody is waited for any more. Without any data it waits for the first.
    void check()
    {
        if (!m_open)
            return;
        bool all = true;
        bool waited = true;
        bool any = false;
        for (const StoreIx store : m_whom) {
            const Seat& s = m_seats[store];
            all = all && s.in;
            waited = waited && (s.in || (s.silent && m_whom.size() > 1));
            any = any || (s.in && !s.failed);
        }
        if (!all && !(waited && any))
            return;
        deliver();
        if (std::exchange(m_late, false))
            m_hooks.late();
    }
    void deliver()
    {
        std::vector<Part> parts;
        const Seat* failed = nullptr;
        bool any = false;
        for (const StoreIx store : m_whom) {
            const Seat& s = m_seats[store];
            Part part{{store, Share::Missing, 0}, nullptr};
            const bool whole = s.in && !s.failed;
            const bool known = s.held && (whole ? s.heldQuestion == m_question : s.heldTopic == m_topic);
            if (known && (whole || m_whom.size() > 1)) {
                part.value = &*s.held;
                part.share.age = whole ? 0 : monotonicMs() - s.heldAt;
                part.share.share = whole || (!s.failed && part.share.age < kOld) ? Share::Whole : Share::Old;
                any = any || whole;
            } else if (s.failed && (failed == nullptr || failed->failure.cancelled)) {
                failed = &s;
            }
            parts.push_back(part);
        }
        if (any || m_whom.empty())
            finish({m_join(parts), {}});
        else
            finish({std::nullopt, failed != nullptr ? failed->failure : firstFailure()});
    }
    [[nodiscard]] Failure firstFailure() const
    {
        for (const StoreIx store : m_whom)
            if (const Seat& s = m_seats.at(store); s.failed)
                return s.failure;
        return overtaken();
    }

    QObject* m_context;
    Hooks m_hooks;
    int m_patience = 300;
    std::map<StoreIx, Seat> m_seats;
    QString m_question;
    QString m_topic;
    std::vector<StoreIx> m_whom;
    Ask m_ask;
    Join m_join;
    std::shared_ptr<QPromise<Reply<T>>> m_promise;
    quint64 m_round = 0;
    bool m_open = false;
    bool m_late = false;
};

}  // namespace cairn::ui
