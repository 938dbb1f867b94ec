// The end of an engine that was asked to stop: what others can go on with is theirs at once, and what is in
// hand is handed in for as long as a drain may last.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/engine/engine_impl.h"

namespace cairn {

namespace {

constexpr SpanMs kStop = 10'000;  // for attempts that were asked to stop, at the end of a drain
constexpr std::size_t kAtOnce = 128;

}  // namespace

// Runs in which nothing is under way here: other engines need not wait for those that are still at work.
void EngineCore::Impl::letGo()
{
    std::vector<ClaimedRun> runs;
    for (const RunId& run : owned) {
        if (const auto give = service->withoutAttempt(run); give && runs.size() < kAtOnce)
            runs.push_back(*give);
        if (runs.size() == kAtOnce)
            break;
    }
    if (runs.empty())
        return;
    if (const Status released = seams.store.release(session, runs); !released)
        return trouble(released.error());
    for (const ClaimedRun& run : runs) {
        service->disown(run.run);
        forget(run.run);
    }
    if (runs.size() == kAtOnce)
        letGoAt = seams.clock.monotonicMs();
}

// Without a session as well: results are taken from whoever brings them, and a new one is opened for that.
bool EngineCore::Impl::isDrained() const
{
    if (!draining)
        return false;
    const bool late = seams.clock.monotonicMs() >= drainUntil + kStop;
    return late || (active.empty() && results.empty() && handed.empty() && staging == 0);
}

// They end with this process: what their calls did stands, and nobody else knows of it.
void EngineCore::Impl::tellUnwritten()
{
    std::string named;
    std::size_t count = 0;
    std::vector<std::shared_ptr<Pending>> all(results.begin(), results.end());
    all.insert(all.end(), handed.begin(), handed.end());
    for (const auto& pending : all) {
        const bool stands = writes(pending->safety) && pending->result.kind == AttemptResult::Kind::Completed;
        log::error("result_not_written",
            {{"run", pending->run}, {"step", pending->step}, {"attempt", pending->result.attempt},
                {"safety", key(pending->safety)},
                {"text",
                    stands ? "the tool was called and has done its work; this result of it is lost"
                           : "this result is lost"}});
        if (++count <= 5)
            named += (named.empty() ? "" : ", ") + pending->step + " of run " + toText(pending->run);
    }
    if (count == 0 || !config.alert)
        return;
    if (count > 5)
        named += " and " + std::to_string(count - 5) + " more, which the log names";
    config.alert("results_not_written",
        "the engine ends, and could not write " + std::to_string(count)
            + (count == 1 ? " result: " : " results: ") + named
            + ". Whoever goes on takes these attempts for lost; look at what they did outside");
}

}  // namespace cairn
