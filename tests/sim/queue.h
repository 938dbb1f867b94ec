#pragma once
// The commit queue of one simulated process: a writer "thread" that gets its turn from the world, so that
// commits are in flight while the loop goes on, as in a real engine.

#include "core/service/service.h"
#include "tests/sim/gate.h"

#include <deque>

namespace cairn::sim {

class SimQueue final : public CommitQueue {
public:
    SimQueue(Gate& gate, StoreWriter& writer)
        : m_gate(gate)
        , m_writer(writer)
    {
    }

    void push(CommitMember member, Done done) override;
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override;
    bool pump() override;
    void drain() override;

    // The writer's turn: one group, where it is ready for one. True: it committed, or tried to.
    bool turn();
    // Until the writer is ready for what waits; long where nothing does.
    [[nodiscard]] SpanMs next() const;

private:
    struct Job {
        CommitMember member;
        Done done;
        std::optional<AuditRow> audit;
        std::function<void(Result<std::uint64_t>)> audited;
    };
    [[nodiscard]] std::vector<Job> take();
    void work();
    void commit(std::vector<Job> group);
    void post(Job job, Result<MemberResult> answer);

    Gate& m_gate;
    StoreWriter& m_writer;
    std::deque<Job> m_jobs;
    std::deque<std::function<void()>> m_mail;
    SpanMs m_readyAt = 0;
};

}  // namespace cairn::sim
