// What this engine itself lacks to begin calls: it is no failure of the steps, and it is told once.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/engine/engine_impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kFirstWait = 1'000;
// Over 30 s, for runs that wait so long are let go, and an engine that lacks nothing may claim them.
constexpr SpanMs kLongestWait = 60'000;

}  // namespace

// An attempt that was not begun goes back to its step with a time that grows as long as nothing can be begun;
// those that meet the same lack together are one. The first that could be begun after it ends it.
void EngineCore::Impl::noteAble(const Active& attempt, AttemptResult& result)
{
    if (attempt.executor.empty())
        return;
    const SpanMs now = seams.clock.monotonicMs();
    const auto found = unable.find(attempt.executor);
    if (result.kind != AttemptResult::Kind::Failed || result.failure != FailureClass::NotBegun) {
        if (found == unable.end() || attempt.startedAt <= found->second.since || now < found->second.until)
            return;
        unable.erase(found);
        log::info("calls_begin_again", {{"executor", attempt.executor}});
        if (config.alert)
            config.alert("calls_begin_again", "calls of \"" + attempt.executor + "\" tools begin again");
        return;
    }
    const bool isNew = found == unable.end();
    Unable& lack = isNew ? unable[attempt.executor] : found->second;
    if (now >= lack.until) {
        lack.wait = isNew ? kFirstWait : std::min(2 * lack.wait, kLongestWait);
        lack.until = now + lack.wait;
    }
    lack.since = now;
    result.retryAfter = lack.until - now;
    if (!isNew)
        return;
    const std::string text = "calls of \"" + attempt.executor + "\" tools cannot be begun by this engine: "
        + result.error + ". They are tried again, ever more slowly, and this uses up none of their attempts";
    log::error("calls_not_begun", {{"executor", attempt.executor}, {"text", text}});
    if (config.alert)
        config.alert("calls_not_begun", text);
}

}  // namespace cairn
