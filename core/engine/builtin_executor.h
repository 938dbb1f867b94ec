#pragma once
// Tools for tests, demos and plumbing that need no process: settings {"function": F, ...}.
//   noop                      output null
//   echo                      output = input
//   pick   "at": "/pointer"   output = that part of the input
//   sleep  "for": "2s"        output = input, after that time; holds no thread
//   fail   "times": n         fails while the attempt's number is at most n (default: always), then echoes;
//          "failure": class   a failure class as the vocabulary writes it, default retryable
// A look-up by one of these is answered by its output, as everywhere: {"happened": ...}.

#include "core/engine/executor.h"

#include <map>

namespace cairn {

class BuiltinExecutor final : public Executor {
public:
    explicit BuiltinExecutor(const Clock& clock)
        : m_clock(clock)
    {
    }

    void onFinished(Finished finished) override { m_finished = std::move(finished); }
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    [[nodiscard]] SpanMs tick() override;

private:
    void give(const StartOrder& order, std::string_view output);
    void fail(const StartOrder& order);

    const Clock& m_clock;
    Finished m_finished;
    std::map<AttemptId, std::pair<SpanMs, StartOrder>> m_sleeping;  // due by the monotonic clock
};

}  // namespace cairn
