// One writer thread with a connection of its own. Jobs go in under a lock, answers come back through a mailbox that the
// service's thread empties in pump(). Stopping commits what is queued first: nothing that was pushed is lost.

#include "core/base/failpoint.h"
#include "core/service/commit_prepare.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace cairn {

namespace {

constexpr std::size_t kMaxMembers = 300;
constexpr std::size_t kMaxBytes = 1024 * 1024;
// After a group that took long, the lock is left long enough for another writer to get it (DESIGN 7).
constexpr auto kLongGroup = std::chrono::milliseconds(5);
constexpr auto kBreath = std::chrono::milliseconds(1);

struct Job {
    CommitMember member;
    CommitQueue::Done done;
    std::optional<AuditRow> audit;
    std::function<void(Result<std::uint64_t>)> audited;
};

std::size_t weight(const CommitMember& member)
{
    std::size_t bytes = member.entry.body.size() + 512;
    for (const auto& payload : member.payloads)
        bytes += payload.artifact.isNull() ? payload.bytes.size() : 0;
    return bytes;
}

class ThreadedQueue final : public CommitQueue {
public:
    ThreadedQueue(std::unique_ptr<StoreWriter> writer, std::function<void()> wake)
        : m_writer(std::move(writer)), m_wake(std::move(wake)),
          m_thread([this](const std::stop_token& stop) { run(stop); })
    {
    }
    ~ThreadedQueue() override
    {
        m_thread.request_stop();
        m_thread.join();  // commits what is queued; answers that nobody pumps any more are dropped
    }

    void push(CommitMember member, Done done) override { add({std::move(member), std::move(done), {}, {}}); }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        add({{}, {}, std::move(row), std::move(done)});
    }
    bool pump() override
    {
        std::deque<std::function<void()>> mail;
        {
            const std::scoped_lock lock(m_mutex);
            mail.swap(m_mail);
        }
        for (auto& letter : mail)
            letter();
        return !mail.empty();
    }
    void drain() override
    {
        for (;;) {
            {
                std::unique_lock lock(m_mutex);
                m_answered.wait(lock, [this] { return !m_mail.empty() || (m_jobs.empty() && !m_working); });
                if (m_mail.empty())
                    return;
            }
            pump();
        }
    }

private:
    void add(Job job)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_jobs.push_back(std::move(job));
        }
        m_pushed.notify_one();
    }
    void run(const std::stop_token& stop)
    {
        std::vector<Job> group;
        while (take(group, stop)) {
            const auto began = std::chrono::steady_clock::now();
            if (group.front().audit)
                audit(group.front());
            else
                commit(group, stop);
            group.clear();
            if (std::chrono::steady_clock::now() - began > kLongGroup)
                std::this_thread::sleep_for(kBreath);
        }
    }
    // Waits for work. False: asked to stop, and nothing is left.
    bool take(std::vector<Job>& group, const std::stop_token& stop)
    {
        std::unique_lock lock(m_mutex);
        m_working = false;
        m_answered.notify_all();
        m_pushed.wait(lock, stop, [this] { return !m_jobs.empty(); });
        if (m_jobs.empty())
            return false;
        m_working = true;
        std::size_t bytes = 0;
        do {
            bytes += weight(m_jobs.front().member);
            group.push_back(std::move(m_jobs.front()));
            m_jobs.pop_front();
        } while (!group.front().audit && !m_jobs.empty() && !m_jobs.front().audit && group.size() < kMaxMembers
                 && bytes + weight(m_jobs.front().member) <= kMaxBytes);
        return true;
    }
    void audit(Job& job)
    {
        auto result = std::make_shared<Result<std::uint64_t>>(m_writer->appendAudit(*std::move(job.audit)));
        post([done = std::move(job.audited), result] { done(std::move(*result)); });
    }
    void commit(std::vector<Job>& group, const std::stop_token& stop)
    {
        std::vector<CommitMember> members;
        std::vector<Result<MemberResult>> answers(group.size(), makeError(ErrorKind::Internal, "not answered"));
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < group.size(); ++i) {
            if (auto staged = stagePayloads(*m_writer, group[i].member); !staged) {
                answers[i] = std::move(staged).error();
                continue;
            }
            members.push_back(std::move(group[i].member));
            places.push_back(i);
        }
        std::vector<MemberResult> results;
        const Status status = members.empty() ? Status{} : commitGroup(*m_writer, members, results, [&](SpanMs span) {
            std::unique_lock lock(m_mutex);
            m_pushed.wait_for(lock, stop, std::chrono::milliseconds(span), [] { return false; });
            return true;  // also while stopping: what was pushed is resolved, not dropped
        });
        const bool lost = failpoint::hit("queue.before-answer");
        for (std::size_t k = 0; k < places.size(); ++k) {
            if (!status)
                answers[places[k]] = status.error();
            else if (lost)
                answers[places[k]] = makeError(ErrorKind::OutcomeUnknown, "failpoint queue.before-answer");
            else
                answers[places[k]] = std::move(results[k]);
        }
        post(std::move(group), std::move(answers));
    }
    void post(std::vector<Job> group, std::vector<Result<MemberResult>> answers)
    {
        {
            const std::scoped_lock lock(m_mutex);
            for (std::size_t i = 0; i < group.size(); ++i) {
                auto answer = std::make_shared<Result<MemberResult>>(std::move(answers[i]));
                m_mail.push_back([done = std::move(group[i].done), answer] { done(std::move(*answer)); });
            }
        }
        m_answered.notify_all();
        if (m_wake)
            m_wake();
    }
    void post(std::function<void()> letter)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_mail.push_back(std::move(letter));
        }
        m_answered.notify_all();
        if (m_wake)
            m_wake();
    }

    std::unique_ptr<StoreWriter> m_writer;   // writer thread only
    std::function<void()> m_wake;
    std::mutex m_mutex;
    std::condition_variable_any m_pushed;
    std::condition_variable_any m_answered;
    std::deque<Job> m_jobs;
    std::deque<std::function<void()>> m_mail;
    bool m_working = false;
    std::jthread m_thread;                   // last: begins when all else is there
};

}  // namespace

Result<std::unique_ptr<CommitQueue>> makeThreadedQueue(std::unique_ptr<StoreWriter> writer, std::function<void()> wake)
{
    if (!writer)
        return makeError(ErrorKind::InvalidInput, "a commit queue needs a connection of its own");
    return std::unique_ptr<CommitQueue>(std::make_unique<ThreadedQueue>(std::move(writer), std::move(wake)));
}

}  // namespace cairn
