// Time-outs where the store's clock is stepped (a person, NTP, a fail-over to a server that is ahead or
// behind). What is under way here has a span, measured by the own monotonic clock; what people have time for
// is not ended for a lease after a step, so that the clock can be set right.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/engine/engine_impl.h"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

constexpr SpanMs kApart = 2'000;      // of the two clocks: below that the store's says when a span is over
constexpr SpanMs kFireAgain = 1'000;  // the run could not be told

}  // namespace

SpanMs EngineCore::Impl::endOf(const AttemptStarted& fact)
{
    return fact.timeoutAt == kNoTime ? 0 : seams.clock.monotonicMs() + fact.timeoutAt - service->now();
}

std::optional<bool> EngineCore::Impl::timeIsOver(const AttemptId& attempt)
{
    const auto found = active.find(attempt);
    if (found == active.end() || found->second.endsAt == 0)
        return std::nullopt;
    const SpanMs left = found->second.endsAt - seams.clock.monotonicMs();
    if (left > kApart)
        return false;
    return left <= 0 ? std::optional(true) : std::nullopt;
}

// When the store's clock was last seen to have been stepped, by whichever look at it.
std::optional<SpanMs> EngineCore::Impl::lastStep() const
{
    const auto bySelf = service ? service->clockSteppedAt() : std::nullopt;
    return std::max(bySelf, leaptAt);  // nothing is less than anything
}

bool EngineCore::Impl::holdsExpiry()
{
    const auto stepped = lastStep();
    const SpanMs now = seams.clock.monotonicMs();
    if (!stepped || now >= *stepped + config.lease)
        return false;
    const SpanMs until = *stepped + config.lease;
    // The same step may be seen twice, by two looks at the clock.
    const bool told = now < heldUntil;
    heldUntil = std::max(heldUntil, until);
    if (told)
        return true;
    const std::string text =
        "the store's clock was stepped by more than 2 s; deadlines, approvals and waits for "
        "signals are not ended by it for "
        + formatSpan(config.lease) + ". Set it right (NTP) if it is wrong";
    log::warning("expiry_held", {{"text", text}});
    if (config.alert)
        config.alert("expiry_held", text);
    return true;
}

// What was put off by a clock that was ahead is due by the one that was set right.
void EngineCore::Impl::armAfterStep()
{
    if (const auto step = lastStep(); std::exchange(armedFor, step) == step)
        return;
    for (const RunId& run : std::vector<RunId>(owned.begin(), owned.end()))
        if (const RunState* state = service->state(run))
            arm(*state);
}

// Spans that are over while the store's clock, which was set back, still has time for them.
void EngineCore::Impl::fireSpans()
{
    if (!looksAtClock || isAway())
        return;
    armAfterStep();
    const SpanMs now = seams.clock.monotonicMs();
    std::vector<RunId> over;
    for (auto& [id, attempt] : active) {
        if (attempt.endsAt == 0 || attempt.reported || now < attempt.endsAt + kApart
            || now < attempt.firedAt + kFireAgain)
            continue;
        attempt.firedAt = now;
        over.push_back(attempt.run);
    }
    std::sort(over.begin(), over.end());  // one order for all engines and seeds
    for (const RunId& run : over)
        submit(run, cmd::FireTimers{}, {});
}

}  // namespace cairn
