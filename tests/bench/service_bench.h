#pragma once
// The whole path of decide, commit and acknowledge on a store of its own, with the executor taken out: an
// attempt is answered as soon as the commit that names it has landed, as the engine's own loop would with a
// tool that takes no time.

#include "core/service/service.h"
#include "tests/bench/figures.h"

#include <condition_variable>
#include <mutex>
#include <unordered_map>

namespace cairn::bench {

// Workflow texts. A chain: step s0, s1, ... each after the one before.
[[nodiscard]] std::string chainWorkflow(const std::string& name, int steps, bool writing);
[[nodiscard]] std::string timerWorkflow(const std::string& name, const std::string& wait);

// Wakes the loop when the writer thread has answers.
class Bell {
public:
    void wake();
    void wait();

private:
    std::mutex m_mutex;
    std::condition_variable m_rung;
    bool m_ring = false;
};

class ServiceBench {
public:
    explicit ServiceBench(const std::string& path);  // a new store in a file
    // An engine more on a store that is there; `open` makes a connection to it.
    using Open = std::function<Result<std::unique_ptr<StoreWriter>>()>;
    explicit ServiceBench(const Open& open);
    ~ServiceBench();
    ServiceBench(const ServiceBench&) = delete;
    ServiceBench& operator=(const ServiceBench&) = delete;

    void add(const std::string& workflowText);
    // Starts `total` runs, `concurrent` at a time, and waits until all are closed.
    void runAll(const std::string& workflow, int concurrent, int total);
    // Starts `total` runs that wait for something, and lets each go as an engine does.
    void startWaiting(const std::string& workflow, int concurrent, int total);
    // One run, until `steps` of its steps are done; it stays owned, with its next step under way.
    [[nodiscard]] RunId runUpTo(const std::string& workflow, std::uint64_t steps);
    // Completes the step under way of that run (not its last): milliseconds until acknowledged.
    double completeOne(const RunId& run);

    std::string output;          // JSON text of every step; empty: none
    std::vector<double> runMs;   // of the last runAll, start to closed
    std::vector<double> stepMs;  // result handed in to acknowledged
    [[nodiscard]] Service& service() { return *m_service; }
    [[nodiscard]] StoreWriter& store() { return *m_store; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    void openAll(const Open& open);
    void begin(const std::string& workflow, int total);
    void startOne();
    void started(const RunId& run);
    void committed(const RunState& after, const Entry& entry);
    void complete(const RunId& run, const AttemptId& attempt);
    void letGo();
    void pumpUntil(const std::function<bool()>& done);

    std::string m_path;
    SystemClock m_clock;
    SystemRng m_rng;
    Bell m_bell;
    SessionId m_session;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::string m_workflow;
    int m_left = 0;
    int m_finished = 0;
    bool m_waiting = false;         // runs that stand still are let go
    std::uint64_t m_stopAfter = 0;  // steps; 0: never
    std::uint64_t m_submitted = 0;
    std::uint64_t m_acknowledged = 0;
    AttemptId m_open;  // the step that runUpTo() left under way
    std::unordered_map<RunId, Stopwatch> m_startedAt;
    std::vector<RunId> m_closing;
    std::vector<ClaimedRun> m_idle;
};

}  // namespace cairn::bench
