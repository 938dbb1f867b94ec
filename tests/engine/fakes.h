#pragma once
// What an engine works with, as tests have it: executors that answer when told to, processes, a queue whose
// answers can be held back, and work that waits.

#include "core/engine/engine_core.h"
#include "tests/support/cairn_qtest.h"

#include <memory>
#include <set>

namespace cairn::testing {

class FakeExecutor final : public Executor {
public:
    void onFinished(Finished finished) override { m_finished = std::move(finished); }
    void start(StartOrder order) override { started.push_back(std::move(order)); }
    void cancel(const AttemptId& attempt) override { cancelled.insert(attempt); }
    void abandon(const AttemptId& attempt) override { abandoned.insert(attempt); }
    void leaseEnds(SpanMs at) override { lease = at; }

    void complete(std::size_t index, const std::string& output = "null", const std::string& media = {})
    {
        AttemptResult result;
        result.attempt = started.at(index).attempt;
        result.kind = AttemptResult::Kind::Completed;
        result.output = std::make_shared<Spool>(kPayloadBytes);
        if (!result.output->append(output))
            qFatal("spool");
        result.media = media;
        m_finished(std::move(result));
    }
    void fail(std::size_t index, FailureClass failure, EffectKnowledge effect, SpanMs retryAfter = -1)
    {
        AttemptResult result = failedResult(started.at(index), failure, effect, "it failed");
        result.retryAfter = retryAfter;
        m_finished(std::move(result));
    }

    std::vector<StartOrder> started;
    std::set<AttemptId> cancelled;
    std::set<AttemptId> abandoned;
    SpanMs lease = -1;

private:
    Finished m_finished;
};

class FakeProcesses final : public ProcessTable {
public:
    FakeProcesses(std::int64_t pid, const std::set<std::int64_t>& gone, std::string host = "host")
        : m_pid(pid)
        , m_gone(gone)
        , m_host(std::move(host))
    {
    }
    ProcessIdentity self() override { return {m_host, "boot of " + m_host, "pid:[1]", m_pid, 100}; }
    bool isGone(std::int64_t pid, std::int64_t) override { return m_gone.contains(pid); }

private:
    std::int64_t m_pid;
    const std::set<std::int64_t>& m_gone;
    std::string m_host;
};

// An inline queue whose answers can be held back: what was committed is in the store, and not heard yet.
class LateQueue final : public CommitQueue {
public:
    explicit LateQueue(StoreWriter& writer)
        : m_inner(makeInlineQueue(writer))
    {
    }
    void push(CommitMember member, Done done) override
    {
        m_inner->push(std::move(member), [this, done = std::move(done)](Result<MemberResult> result) mutable {
            if (!holds)
                return done(std::move(result));
            m_late.push_back(
                [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
        });
    }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        m_inner->pushAudit(std::move(row), std::move(done));
    }
    bool pump() override
    {
        const bool late = !holds && !m_late.empty();
        if (late)
            for (auto& answer : std::exchange(m_late, {}))
                answer();
        return m_inner->pump() || late;
    }
    void drain() override
    {
        holds = false;
        while (pump()) { }
    }

    bool holds = false;

private:
    std::unique_ptr<CommitQueue> m_inner;
    std::vector<std::function<void()>> m_late;
};

// Work that waits until a test does it.
class FakePool final : public WorkPool {
public:
    explicit FakePool(StoreWriter& store)
        : m_store(store)
    {
    }
    void run(Work work, Done done) override
    {
        waiting.emplace_back(std::move(work), std::move(done));
        if (!holds)
            doAll();
    }
    void doAll()
    {
        for (auto jobs = std::exchange(waiting, {}); auto& [work, done] : jobs) {
            work(m_store);
            done();
        }
    }

    bool holds = false;
    std::vector<std::pair<Work, Done>> waiting;

private:
    StoreWriter& m_store;
};

}  // namespace cairn::testing
