#pragma once
// Hands each order to the executor that its tool names.

#include "core/engine/executor.h"

#include <map>

namespace cairn {

class ExecutorSet final : public Executor {
public:
    void add(const std::string& name, std::unique_ptr<Executor> executor);

    void onFinished(Finished finished) override;
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    void leaseEnds(SpanMs at) override;
    [[nodiscard]] SpanMs tick() override;

private:
    std::map<std::string, std::unique_ptr<Executor>, std::less<>> m_executors;
    Finished m_finished;
};

}  // namespace cairn
