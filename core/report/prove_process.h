#pragma once
// One simulated engine process of a proof: the product's EngineCore with a connection, a commit queue, an
// executor and a process table that end with it. Internal to the proof.

#include "core/engine/engine_core.h"
#include "core/store/hooked_store.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace cairn::proof {

// Thrown where a process is killed: nothing of it runs any more.
struct Killed { };

// Whoever watches the processes: asked at each boundary. Any of these may throw Killed.
class Watcher {
public:
    virtual ~Watcher() = default;
    [[nodiscard]] virtual bool dead() const = 0;  // the process that asks has been killed
    virtual void committing(std::span<const CommitMember> members) = 0;
    virtual void committed(std::span<const CommitMember> members, std::span<const MemberResult> results) = 0;
    virtual void sending(const StartOrder& order) = 0;
    // The answer of a call, where there is one by now.
    [[nodiscard]] virtual std::optional<AttemptResult> answer(const StartOrder& order) = 0;
};

// A connection whose commits are watched.
class WatchedStore final : public HookedStore {
public:
    WatchedStore(std::unique_ptr<StoreWriter> store, Watcher& watcher);
    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override;

private:
    Watcher& m_watcher;
};

// Commits what was pushed when it is pumped. Of a process that is dead nothing more is committed, and nobody
// hears of it.
class ProofQueue final : public CommitQueue {
public:
    ProofQueue(StoreWriter& writer, const Watcher& watcher)
        : m_writer(writer)
        , m_watcher(watcher)
    {
    }
    void push(CommitMember member, Done done) override;
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override;
    bool pump() override;
    void drain() override;

private:
    struct Job {
        CommitMember member;
        Done done;
        std::optional<AuditRow> audit;
        std::function<void(Result<std::uint64_t>)> audited;
    };
    void work(Job job);

    StoreWriter& m_writer;
    const Watcher& m_watcher;
    std::deque<Job> m_jobs;
};

class CallExecutor final : public Executor {
public:
    explicit CallExecutor(Watcher& watcher)
        : m_watcher(watcher)
    {
    }
    void onFinished(Finished finished) override { m_finished = std::move(finished); }
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    [[nodiscard]] SpanMs tick() override;
    [[nodiscard]] bool busy() const { return !m_calls.empty(); }

private:
    Watcher& m_watcher;
    Finished m_finished;
    std::vector<StartOrder> m_calls;
};

class SimulatedProcesses final : public ProcessTable {
public:
    SimulatedProcesses(std::int64_t pid, const std::set<std::int64_t>& living)
        : m_pid(pid)
        , m_living(living)
    {
    }
    [[nodiscard]] ProcessIdentity self() override { return {"host", "boot", "pid:[1]", m_pid, 1}; }
    [[nodiscard]] bool isGone(std::int64_t pid, std::int64_t) override { return !m_living.contains(pid); }

private:
    std::int64_t m_pid;
    const std::set<std::int64_t>& m_living;
};

class Process {
public:
    using Connect = std::function<std::unique_ptr<StoreWriter>()>;
    Process(const Connect& connect, Watcher& watcher, const Clock& clock, std::uint64_t seed,
        std::int64_t pid, const std::set<std::int64_t>& living);

    // Milliseconds until it wants its next turn; throws Killed.
    [[nodiscard]] SpanMs turn() { return m_core.tick(); }
    [[nodiscard]] bool busy() const { return m_executor.busy(); }

private:
    SeededRng m_rng;
    WatchedStore m_store;
    WatchedStore m_writer;
    ProofQueue m_queue;
    CallExecutor m_executor;
    SimulatedProcesses m_processes;
    EngineCore m_core;
};

}  // namespace cairn::proof
