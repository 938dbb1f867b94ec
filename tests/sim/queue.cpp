#include "tests/sim/queue.h"

#include "core/service/commit_prepare.h"

#include <algorithm>

namespace cairn::sim {

namespace {

constexpr std::size_t kGroup = 20;
constexpr SpanMs kNever = 3'600'000;

}  // namespace

void SimQueue::push(CommitMember member, Done done)
{
    m_jobs.push_back({std::move(member), std::move(done), {}, {}});
}

void SimQueue::pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done)
{
    m_jobs.push_back({{}, {}, std::move(row), std::move(done)});
}

bool SimQueue::pump()
{
    if (m_gate.dead())
        throw Killed{};
    std::deque<std::function<void()>> mail;
    mail.swap(m_mail);
    for (auto& letter : mail)
        letter();
    return !mail.empty();
}

// Of a process that is gone nothing more is committed, and nobody hears of it. Destructors wait here, so that
// its end must not leave as an exception: the next store call throws again.
void SimQueue::drain()
{
    try {
        while (!m_gate.dead() && (!m_jobs.empty() || !m_mail.empty())) {
            if (!m_jobs.empty())
                work();
            pump();
        }
    } catch (const Killed&) {
    }
    if (m_gate.dead()) {
        m_jobs.clear();
        m_mail.clear();
    }
}

bool SimQueue::turn()
{
    World& world = m_gate.world();
    if (!world.faults)  // the disk is well again
        m_readyAt = std::min<SpanMs>(m_readyAt, world.now());
    if (m_jobs.empty() || world.now() < m_readyAt)
        return false;
    work();
    // A disk takes a few milliseconds, and now and then many seconds.
    m_readyAt = world.now() + world.upTo(world.faults && world.rng.below(60) == 0 ? 15'000 : 30);
    return true;
}

SpanMs SimQueue::next() const
{
    return m_jobs.empty() ? kNever : std::max<SpanMs>(m_readyAt - m_gate.world().now(), 0);
}

std::vector<SimQueue::Job> SimQueue::take()
{
    std::vector<Job> group;
    do {
        group.push_back(std::move(m_jobs.front()));
        m_jobs.pop_front();
    } while (!group.front().audit && !m_jobs.empty() && !m_jobs.front().audit && group.size() < kGroup);
    return group;
}

void SimQueue::work()
{
    std::vector<Job> group = take();
    if (!group.front().audit) {
        commit(std::move(group));
        return;
    }
    auto answer =
        std::make_shared<Result<std::uint64_t>>(m_writer.appendAudit(*std::move(group.front().audit)));
    m_mail.push_back([done = std::move(group.front().audited), answer] { done(std::move(*answer)); });
}

void SimQueue::post(Job job, Result<MemberResult> answer)
{
    auto kept = std::make_shared<Result<MemberResult>>(std::move(answer));
    m_mail.push_back([done = std::move(job.done), kept] { done(std::move(*kept)); });
}

void SimQueue::commit(std::vector<Job> group)
{
    std::vector<CommitMember> members;
    std::vector<Job> jobs;
    for (Job& job : group) {
        if (auto staged = stagePayloads(m_writer, job.member); !staged) {
            post(std::move(job), std::move(staged).error());
            continue;
        }
        members.push_back(std::move(job.member));
        jobs.push_back(std::move(job));
    }
    if (members.empty())
        return;
    std::vector<MemberResult> results;
    const Status status = commitGroup(m_writer, members, results, [](SpanMs) { return true; });
    for (std::size_t i = 0; i < jobs.size(); ++i)
        post(std::move(jobs[i]), status ? Result<MemberResult>(std::move(results[i])) : status.error());
}

}  // namespace cairn::sim
