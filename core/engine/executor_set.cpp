#include "core/engine/executor_set.h"

#include <algorithm>

namespace cairn {

void ExecutorSet::add(const std::string& name, std::unique_ptr<Executor> executor)
{
    executor->onFinished([this](AttemptResult result) {
        if (m_finished)
            m_finished(std::move(result));
    });
    m_executors[name] = std::move(executor);
}

void ExecutorSet::onFinished(Finished finished) { m_finished = std::move(finished); }

void ExecutorSet::start(StartOrder order)
{
    const auto found = m_executors.find(order.executor);
    if (found != m_executors.end())
        return found->second->start(std::move(order));
    m_finished(failedResult(order, FailureClass::Permanent, knowledgeWhenNotDone(order),
        "this engine has no executor \"" + order.executor + "\""));
}

void ExecutorSet::cancel(const AttemptId& attempt)
{
    for (auto& [name, executor] : m_executors)
        executor->cancel(attempt);
}

void ExecutorSet::abandon(const AttemptId& attempt)
{
    for (auto& [name, executor] : m_executors)
        executor->abandon(attempt);
}

void ExecutorSet::leaseEnds(SpanMs at)
{
    for (auto& [name, executor] : m_executors)
        executor->leaseEnds(at);
}

SpanMs ExecutorSet::tick()
{
    SpanMs next = kIdle;
    for (auto& [name, executor] : m_executors)
        next = std::min(next, executor->tick());
    return next;
}

}  // namespace cairn
