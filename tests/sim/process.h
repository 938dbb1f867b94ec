#pragma once
// Engine processes of the simulator: the real EngineCore over simulated seams, in a place where it is started
// again.

#include "core/engine/engine_core.h"
#include "tests/sim/executor.h"
#include "tests/sim/gate.h"
#include "tests/sim/queue.h"

#include <set>

namespace cairn::sim {

// Who is alive on which host.
class Hosts {
public:
    using Process = std::pair<std::int64_t, std::int64_t>;  // pid, start time
    [[nodiscard]] Process spawn();
    void gone(const Process& process) { m_living.erase(process); }
    [[nodiscard]] bool lives(const Process& process) const { return m_living.contains(process); }

private:
    std::set<Process> m_living;
    std::int64_t m_started = 0;
};

class SimProcessTable final : public ProcessTable {
public:
    SimProcessTable(Hosts& hosts, std::string host);
    [[nodiscard]] ProcessIdentity self() override;
    [[nodiscard]] bool isGone(std::int64_t pid, std::int64_t startTicks) override;
    void end() { m_hosts.gone(m_self); }

private:
    Hosts& m_hosts;
    std::string m_host;
    Hosts::Process m_self;
};

// One living process.
class SimProcess {
public:
    SimProcess(World& world, Hosts& hosts, const std::string& host, EngineConfig config, std::uint64_t seed);

    // A turn of its loop and of its writer. Gives the time until it wants the next one; throws Killed.
    [[nodiscard]] SpanMs turn();
    void drain() { m_core.drain(); }
    [[nodiscard]] bool drained() const { return m_core.drained(); }
    [[nodiscard]] bool hopeless() const { return m_core.hopeless().has_value(); }
    // The end of a drain, or of a service that is stopped: closes, and commits what is queued. Throws Killed.
    void close();
    // SIGKILL.
    void kill();
    [[nodiscard]] bool dead() const { return m_gate.dead(); }
    [[nodiscard]] SessionId session() const { return m_core.session(); }
    [[nodiscard]] const EngineStats& stats() const { return m_core.stats(); }

private:
    Gate m_gate;
    SeededRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<StoreWriter> m_writer;
    SimQueue m_queue;
    SimExecutor m_executor;
    SimProcessTable m_processes;
    EngineCore m_core;
};

// Where one engine runs, one process after another, under the same name.
class Place {
public:
    Place(World& world, Hosts& hosts, std::string host, EngineConfig config)
        : m_world(world)
        , m_hosts(hosts)
        , m_host(std::move(host))
        , m_config(std::move(config))
    {
    }

    // Starts a process where none is and it is time for one; gives it a turn where it is not paused.
    void turn();
    void crash();
    void pause(SpanMs span);
    void drain();
    void serve(std::vector<std::string> what) { m_config.serves = std::move(what); }
    // Faults have stopped: up and going at once.
    void revive();
    [[nodiscard]] bool ready() const;                       // for a turn
    [[nodiscard]] SpanMs wants() const { return m_wants; }  // its next turn, monotonic
    void wake() { m_wants = m_world.now(); }
    [[nodiscard]] const std::string& name() const { return m_config.name; }
    [[nodiscard]] const EngineConfig& config() const { return m_config; }
    [[nodiscard]] SessionId session() const { return m_process ? m_process->session() : SessionId{}; }
    // Of all its processes.
    [[nodiscard]] EngineStats total() const;

private:
    void takeTurn();
    void end(const char* how);

    World& m_world;
    Hosts& m_hosts;
    std::string m_host;
    EngineConfig m_config;
    std::unique_ptr<SimProcess> m_process;
    EngineStats m_past;
    SpanMs m_stoppedUntil = 0;  // paused, or not started again yet
    SpanMs m_wants = 0;
    bool m_inTurn = false;  // its turn is on the stack: it is paused inside a call
    bool m_draining = false;
};

}  // namespace cairn::sim
