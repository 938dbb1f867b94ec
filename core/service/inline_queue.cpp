// Commits on the calling thread what was pushed since the last pump: command line, simulator, tests.

#include "core/base/failpoint.h"
#include "core/service/commit_prepare.h"

#include <chrono>
#include <thread>

namespace cairn {

namespace {

class InlineQueue final : public CommitQueue {
public:
    explicit InlineQueue(StoreWriter& writer)
        : m_writer(writer)
    {
    }

    void push(CommitMember member, Done done) override
    {
        m_waiting.push_back({std::move(member), std::move(done), {}, {}});
    }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        m_waiting.push_back({{}, {}, std::move(row), std::move(done)});
    }
    bool pump() override
    {
        if (m_waiting.empty())
            return false;
        // Callbacks may push again, and even pump again: what they push is not of this group.
        std::vector<Job> jobs = std::move(m_waiting);
        m_waiting.clear();
        std::size_t at = 0;
        while (at < jobs.size())
            at = jobs[at].audit ? audit(jobs, at) : commit(jobs, at);
        return true;
    }
    void drain() override
    {
        while (pump()) { }
    }

private:
    struct Job {
        CommitMember member;
        Done done;
        std::optional<AuditRow> audit;
        std::function<void(Result<std::uint64_t>)> audited;
    };

    std::size_t audit(std::vector<Job>& jobs, std::size_t at)
    {
        jobs[at].audited(m_writer.appendAudit(*std::move(jobs[at].audit)));
        return at + 1;
    }
    std::size_t commit(std::vector<Job>& jobs, std::size_t begin)
    {
        std::vector<CommitMember> members;
        std::vector<Done> answers;
        std::size_t at = begin;
        for (; at < jobs.size() && !jobs[at].audit; ++at) {
            if (auto staged = stagePayloads(m_writer, jobs[at].member); !staged) {
                if (!members.empty())
                    break;  // those before it first: answers come in the order of the pushes
                jobs[at].done(std::move(staged).error());
                return at + 1;
            }
            members.push_back(std::move(jobs[at].member));
            answers.push_back(std::move(jobs[at].done));
        }
        std::vector<MemberResult> results;
        const Status status = commitGroup(m_writer, members, results, [](SpanMs span) {
            std::this_thread::sleep_for(std::chrono::milliseconds(span));
            return true;
        });
        if (failpoint::hit("queue.before-answer"))
            results.clear();
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!status)
                answers[i](status.error());
            else if (i < results.size())
                answers[i](std::move(results[i]));
            else
                answers[i](makeError(ErrorKind::OutcomeUnknown, "failpoint queue.before-answer"));
        }
        return at;
    }

    StoreWriter& m_writer;
    std::vector<Job> m_waiting;
};

}  // namespace

std::unique_ptr<CommitQueue> makeInlineQueue(StoreWriter& writer)
{
    return std::make_unique<InlineQueue>(writer);
}

}  // namespace cairn
