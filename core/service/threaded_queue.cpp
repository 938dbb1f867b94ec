// One writer thread with a connection of its own. Jobs go in under a lock, answers come back through a
// mailbox that the service's thread empties in pump(). Stopping commits what is queued first: nothing that
// was pushed is lost.

#include "core/base/failpoint.h"
#include "core/service/commit_prepare.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>

namespace cairn {

namespace {

constexpr std::size_t kMaxMembers = 300;
constexpr std::size_t kMaxBytes = 1024 * 1024;

struct Job {
    CommitMember member;
    CommitQueue::Done done;
    std::optional<AuditRow> audit;
    std::function<void(Result<std::uint64_t>)> audited;
    Result<MemberResult> answer = MemberResult{};
    Result<std::uint64_t> auditAnswer = 0ULL;
};
// Made and destroyed on the service's thread: a member is some fifty small allocations, which are cheap where
// they are freed by the thread that made them.
using JobPtr = std::unique_ptr<Job>;

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
        : m_writer(std::move(writer))
        , m_wake(std::move(wake))
        , m_thread([this](const std::stop_token& stop) { run(stop); })
    {
    }
    ~ThreadedQueue() override
    {
        m_thread.request_stop();
        m_thread.join();  // commits what is queued; answers that nobody pumps any more are dropped
    }

    void push(CommitMember member, Done done) override
    {
        auto job = std::make_unique<Job>();
        job->member = std::move(member);
        job->done = std::move(done);
        add(std::move(job));
    }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        auto job = std::make_unique<Job>();
        job->audit = std::move(row);
        job->audited = std::move(done);
        add(std::move(job));
    }
    bool pump() override
    {
        std::deque<JobPtr> mail;
        {
            const std::scoped_lock lock(m_mutex);
            mail.swap(m_mail);
        }
        for (const JobPtr& job : mail) {
            if (job->audit)
                job->audited(std::move(job->auditAnswer));
            else
                job->done(std::move(job->answer));
        }
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
    void add(JobPtr job)
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_jobs.push_back(std::move(job));
        }
        m_pushed.notify_one();
    }
    void run(const std::stop_token& stop)
    {
        ::pthread_setname_np(::pthread_self(), "cairn-writer");
        std::vector<JobPtr> group;
        while (take(group, stop)) {
            if (group.front()->audit)
                group.front()->auditAnswer = m_writer->appendAudit(*group.front()->audit);
            else
                commit(group, stop);
            post(group);  // the store itself leaves its lock alone after a group that took long (DESIGN 7)
        }
    }
    // Waits for work. False: asked to stop, and nothing is left.
    bool take(std::vector<JobPtr>& group, const std::stop_token& stop)
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
            bytes += weight(m_jobs.front()->member);
            group.push_back(std::move(m_jobs.front()));
            m_jobs.pop_front();
        } while (!group.front()->audit && !m_jobs.empty() && !m_jobs.front()->audit
            && group.size() < kMaxMembers && bytes + weight(m_jobs.front()->member) <= kMaxBytes);
        return true;
    }
    void commit(std::vector<JobPtr>& group, const std::stop_token& stop)
    {
        m_members.clear();
        m_places.clear();
        for (const JobPtr& job : group) {
            if (auto staged = stagePayloads(*m_writer, job->member); !staged) {
                job->answer = std::move(staged).error();
                continue;
            }
            m_members.push_back(std::move(job->member));
            m_places.push_back(job.get());
        }
        std::vector<MemberResult> results;
        const Status status =
            m_members.empty() ? Status{} : commitGroup(*m_writer, m_members, results, [&](SpanMs span) {
                std::unique_lock lock(m_mutex);
                m_pushed.wait_for(lock, stop, std::chrono::milliseconds(span), [] { return false; });
                return true;  // also while stopping: what was pushed is resolved, not dropped
            });
        const bool lost = failpoint::hit("queue.before-answer");
        for (std::size_t k = 0; k < m_places.size(); ++k) {
            if (!status)
                m_places[k]->answer = status.error();
            else if (lost)
                m_places[k]->answer = makeError(ErrorKind::OutcomeUnknown, "failpoint queue.before-answer");
            else
                m_places[k]->answer = std::move(results[k]);
            m_places[k]->member = std::move(m_members[k]);
        }
    }
    void post(std::vector<JobPtr>& group)
    {
        {
            const std::scoped_lock lock(m_mutex);
            for (JobPtr& job : group)
                m_mail.push_back(std::move(job));
        }
        group.clear();
        m_answered.notify_all();
        if (m_wake)
            m_wake();
    }

    std::unique_ptr<StoreWriter>
        m_writer;  // writer thread only, as the two after it, which are kept for their memory
    std::vector<CommitMember> m_members;
    std::vector<Job*> m_places;
    std::function<void()> m_wake;
    std::mutex m_mutex;
    std::condition_variable_any m_pushed;
    std::condition_variable_any m_answered;
    std::deque<JobPtr> m_jobs;
    std::deque<JobPtr> m_mail;
    bool m_working = false;
    std::jthread m_thread;  // last: begins when all else is there
};

}  // namespace

Result<std::unique_ptr<CommitQueue>> makeThreadedQueue(
    std::unique_ptr<StoreWriter> writer, std::function<void()> wake)
{
    if (!writer)
        return makeError(ErrorKind::InvalidInput, "a commit queue needs a connection of its own");
    return std::unique_ptr<CommitQueue>(std::make_unique<ThreadedQueue>(std::move(writer), std::move(wake)));
}

}  // namespace cairn
