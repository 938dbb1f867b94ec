#include "core/report/prove_process.h"

#include "core/service/commit_prepare.h"

#include <algorithm>

namespace cairn::proof {

namespace {

Error gone() { return makeError(ErrorKind::Io, "this process was killed"); }

StoreHooks refuseTheDead(const Watcher& watcher)
{
    return {[&watcher](const char*, Access) { return watcher.dead() ? std::optional(gone()) : std::nullopt; },
        [](const char*, Access) { return std::optional<Error>(); }};
}

EngineConfig configOf(std::int64_t pid)
{
    EngineConfig config;
    config.name = "engine-" + std::to_string(pid);
    config.verifyOneIn = 0;
    return config;
}

}  // namespace

WatchedStore::WatchedStore(std::unique_ptr<StoreWriter> store, Watcher& watcher)
    : HookedStore(std::move(store), refuseTheDead(watcher))
    , m_watcher(watcher)
{
}

Status WatchedStore::commit(std::span<const CommitMember> members, std::vector<MemberResult>& results)
{
    if (m_watcher.dead())
        return gone();
    m_watcher.committing(members);
    Status status = HookedStore::commit(members, results);
    if (status)
        m_watcher.committed(members, results);
    return status;
}

void ProofQueue::push(CommitMember member, Done done)
{
    m_jobs.push_back({std::move(member), std::move(done), {}, {}});
}

void ProofQueue::pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done)
{
    m_jobs.push_back({{}, {}, std::move(row), std::move(done)});
}

bool ProofQueue::pump()
{
    const bool any = !m_jobs.empty();
    // One after the other, so that there is a boundary between any two commits.
    for (std::size_t left = m_jobs.size(); left > 0 && !m_jobs.empty(); --left) {
        Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        work(std::move(job));
    }
    return any;
}

void ProofQueue::drain()
{
    while (!m_watcher.dead() && pump()) { }
    m_jobs.clear();
}

void ProofQueue::work(Job job)
{
    if (job.audit)
        return job.audited(m_writer.appendAudit(*std::move(job.audit)));
    if (auto staged = stagePayloads(m_writer, job.member); !staged)
        return job.done(std::move(staged).error());
    std::vector<CommitMember> members;
    members.push_back(std::move(job.member));
    std::vector<MemberResult> results;
    const Status status = commitGroup(m_writer, members, results, [](SpanMs) { return false; });
    if (!status)
        return job.done(status.error());
    job.done(std::move(results.front()));
}

void CallExecutor::start(StartOrder order)
{
    m_watcher.sending(order);
    m_calls.push_back(std::move(order));
}

// The request is there already; what it did is not known to who broke it off.
void CallExecutor::cancel(const AttemptId& attempt)
{
    const auto found = std::find_if(
        m_calls.begin(), m_calls.end(), [&](const StartOrder& order) { return order.attempt == attempt; });
    if (found == m_calls.end())
        return;
    AttemptResult result =
        failedResult(*found, FailureClass::Retryable, knowledgeWhenBroken(*found), "stopped");
    result.cancelled = true;
    m_calls.erase(found);
    m_finished(std::move(result));
}

void CallExecutor::abandon(const AttemptId& attempt)
{
    std::erase_if(m_calls, [&](const StartOrder& order) { return order.attempt == attempt; });
}

SpanMs CallExecutor::tick()
{
    std::vector<StartOrder> calls = std::exchange(m_calls, {});
    for (StartOrder& order : calls) {
        if (auto result = m_watcher.answer(order))
            m_finished(*std::move(result));
        else
            m_calls.push_back(std::move(order));
    }
    return kIdle;
}

Process::Process(const Connect& connect, Watcher& watcher, const Clock& clock, std::uint64_t seed,
    std::int64_t pid, const std::set<std::int64_t>& living)
    : m_rng(seed)
    , m_store(connect(), watcher)
    , m_writer(connect(), watcher)
    , m_queue(m_writer, watcher)
    , m_executor(watcher)
    , m_processes(pid, living)
    , m_core({clock, m_rng, m_store, m_queue, m_executor, m_processes}, configOf(pid))
{
}

}  // namespace cairn::proof
