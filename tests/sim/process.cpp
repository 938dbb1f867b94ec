#include "tests/sim/process.h"

#include <algorithm>

namespace cairn::sim {

namespace {

constexpr int kTicks = 300;  // of one turn at one instant

void add(EngineStats& sum, const EngineStats& more)
{
    sum.claimed += more.claimed;
    sum.started += more.started;
    sum.results += more.results;
    sum.fenced += more.fenced;
    sum.delivered += more.delivered;
    sum.sessionsEnded += more.sessionsEnded;
    sum.sessionsLost += more.sessionsLost;
}

}  // namespace

// Pids come again after a while, as on a real host.
Hosts::Process Hosts::spawn()
{
    const Process process{1'000 + m_started % 7, 5'000 + m_started};
    ++m_started;
    m_living.insert(process);
    return process;
}

SimProcessTable::SimProcessTable(Hosts& hosts, std::string host)
    : m_hosts(hosts)
    , m_host(std::move(host))
    , m_self(hosts.spawn())
{
}

ProcessIdentity SimProcessTable::self()
{
    return {m_host, "boot of " + m_host, "pid:[1]", m_self.first, m_self.second};
}

bool SimProcessTable::isGone(std::int64_t pid, std::int64_t startTicks)
{
    return !m_hosts.lives({pid, startTicks});
}

SimProcess::SimProcess(
    World& world, Hosts& hosts, const std::string& host, EngineConfig config, std::uint64_t seed)
    : m_gate(world, config.name)
    , m_rng(seed)
    , m_store(connectThrough(m_gate))
    , m_writer(connectThrough(m_gate))
    , m_queue(m_gate, *m_writer)
    , m_executor(world, config.name)
    , m_processes(hosts, host)
    , m_core({world.clock, m_rng, *m_store, m_queue, m_executor, m_processes}, std::move(config))
{
}

SpanMs SimProcess::turn()
{
    World& world = m_gate.world();
    for (int tick = 0; tick < kTicks; ++tick) {
        static_cast<void>(m_queue.turn());
        const SpanMs sleep = m_core.tick();
        if (sleep > 0 || !world.broken.empty())
            return std::min({sleep, m_executor.next(), m_queue.next()});
    }
    world.fail(m_gate.name() + " wants to be called again and again at one instant");
    return 0;
}

void SimProcess::close()
{
    m_core.close();
    m_queue.drain();
    m_processes.end();
    m_gate.kill();  // nothing more comes from it
}

void SimProcess::kill()
{
    m_gate.kill();
    m_processes.end();
}

bool Place::ready() const { return !m_inTurn && m_world.now() >= m_stoppedUntil; }

void Place::turn()
{
    if (!ready())
        return;
    m_inTurn = true;
    try {
        takeTurn();
    } catch (const Killed&) {
        end("is gone");
    }
    m_inTurn = false;
}

void Place::takeTurn()
{
    if (!m_process) {
        m_draining = false;
        m_world.trace(m_config.name + " starts");
        EngineConfig config = m_config;
        config.alert = [this](const std::string& kind, const std::string&) {
            m_world.trace(m_config.name + " alerts: " + kind);
        };
        m_process =
            std::make_unique<SimProcess>(m_world, m_hosts, m_host, std::move(config), m_world.rng.next());
    }
    const SpanMs sleep = m_process->turn();
    m_wants = m_world.now() + sleep;
    if (m_process->dead()) {
        end("is gone");
    } else if (m_process->hopeless() || m_process->drained()) {
        m_process->close();
        end("has ended");
    }
}

void Place::end(const char* how)
{
    m_world.trace(m_config.name + " " + how);
    add(m_past, m_process->stats());
    m_process->kill();
    m_process.reset();
    m_wants = m_world.now();
    if (m_world.faults)
        m_stoppedUntil = m_world.now() + m_world.upTo(m_world.rng.below(3) == 0 ? 20'000 : 2'000);
}

void Place::crash()
{
    if (!m_process)
        return;
    m_world.fault("killed");
    m_world.trace(m_config.name + " is killed");
    if (m_inTurn)
        m_process->kill();  // it stands inside a call: it goes no further
    else
        end("is gone");
}

void Place::pause(SpanMs span)
{
    m_world.fault("paused");
    m_world.trace(m_config.name + " is paused for " + std::to_string(span) + " ms");
    m_stoppedUntil = m_world.now() + span;
}

void Place::drain()
{
    if (!m_process || m_inTurn || m_draining)
        return;
    m_draining = true;
    m_world.fault("drained");
    m_world.trace(m_config.name + " drains");
    m_process->drain();
}

void Place::revive()
{
    m_stoppedUntil = 0;
    m_wants = m_world.now();
}

EngineStats Place::total() const
{
    EngineStats sum = m_past;
    if (m_process)
        add(sum, m_process->stats());
    return sum;
}

}  // namespace cairn::sim
