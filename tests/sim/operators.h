#pragma once
// People and callers: they start runs, answer approvals, repair, cancel and signal, each through a service of
// its own.

#include "core/service/service.h"
#include "tests/sim/gate.h"
#include "tests/sim/queue.h"

namespace cairn::sim {

class Operator {
public:
    Operator(World& world, std::string name, std::uint32_t uid);

    void start();
    // One allowed act of an honest operator, on any run; now and then given twice, as after a lost answer.
    void act();
    void cancel(const RunId& run);
    [[nodiscard]] bool busy() const { return m_busy; }  // paused inside a call

private:
    void begin();
    template<typename Work> void carefully(Work work);
    void startOne();
    void actOnce();
    [[nodiscard]] std::optional<cmd::Body> bodyOf(const RunState& state, const Action& action);
    void give(const Submission& submission);

    World& m_world;
    std::string m_name;
    std::uint32_t m_uid;
    std::unique_ptr<Gate> m_gate;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<StoreWriter> m_writer;
    std::unique_ptr<SimQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<SeededRng> m_rng;
    bool m_busy = false;
    bool m_again = false;  // its program ends after this
};

}  // namespace cairn::sim
