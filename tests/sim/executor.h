#pragma once
// Calls of tools that take simulated time. What they ask of the provider travels through the world's network.

#include "core/engine/executor.h"
#include "tests/sim/world.h"

#include <map>

namespace cairn::sim {

class SimExecutor final : public Executor {
public:
    SimExecutor(World& world, std::string engine)
        : m_world(world)
        , m_engine(std::move(engine))
    {
    }

    void onFinished(Finished finished) override { m_finished = std::move(finished); }
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    [[nodiscard]] SpanMs tick() override;
    [[nodiscard]] SpanMs next() const;  // until the next answer

private:
    struct Call {
        StartOrder order;
        std::shared_ptr<Request> request;
    };
    void answer(const Call& call);
    [[nodiscard]] AttemptResult resultOf(const Call& call) const;
    [[nodiscard]] Answer dice(ReplaySafety safety) const;

    World& m_world;
    std::string m_engine;
    Finished m_finished;
    std::map<AttemptId, Call> m_calls;
};

}  // namespace cairn::sim
