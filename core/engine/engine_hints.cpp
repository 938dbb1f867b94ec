// Hints that another process has committed something. They make polls due early, and nothing else: what was
// hinted is found by looking, and would be found without. While they are heard the polls are further apart.

#include "core/base/log.h"
#include "core/engine/engine_impl.h"

#include <algorithm>
#include <utility>

namespace cairn {

namespace {

constexpr SpanMs kBetweenRounds = 20;  // a flood of hints is no flood of polls

}  // namespace

void EngineCore::Impl::hear()
{
    const SpanMs now = seams.clock.monotonicMs();
    if (!seams.hints || now < hintsAt)
        return;
    if (const HintHealth::State state = seams.hints->health().state; shown != state && now >= awayUntil) {
        shown = state;
        if (const Status said = seams.store.showHints(session, state); !said)
            trouble(said.error());
    }
    const HintSet what = seams.hints->take();
    if (what == hint::kNone)
        return;
    hintsAt = now + kBetweenRounds;
    ++stats.hinted;
    lookNow(what);
}

void EngineCore::Impl::lookNow(HintSet what)
{
    const SpanMs now = seams.clock.monotonicMs();
    const auto pull = [&](HintSet one, SpanMs& at) {
        if ((what & one) != 0)
            at = std::min(at, now);
    };
    pull(hint::kWakeups, wakeupsAt);
    pull(hint::kClaims, claimAt);
    pull(hint::kOutbox, outboxAt);
    pull(hint::kStaged, stagedAt);
    pull(hint::kPlans, plansAt);
}

// A link that went deaf may have been so for two of its intervals: all is looked at, and from here on as
// often as without hints. Each change is said once, a break that healed between two looks too.
void EngineCore::Impl::watchHints()
{
    if (!seams.hints)
        return;
    const HintHealth health = seams.hints->health();
    stats.hears = health.state == HintHealth::State::Listening;
    const bool deaf = health.state == HintHealth::State::Deaf;
    const bool broke = std::exchange(breaksSeen, health.breaks) != health.breaks;
    if (!stats.deaf && (deaf || broke))
        wentDeaf(health);
    if (deaf || !stats.deaf)
        return;
    stats.deaf = false;
    log::warning("hints_back", {});
    if (config.alert)
        config.alert("hints_back", "other processes' hints are heard again");
}

void EngineCore::Impl::wentDeaf(const HintHealth& health)
{
    stats.deaf = true;
    ++stats.deafened;
    lookNow(hint::kAll);
    log::warning("hints_deaf", {{"text", health.why}});
    if (config.alert)
        config.alert("hints_deaf", "hints are not heard, the store is asked more often: " + health.why);
}

SpanMs EngineCore::Impl::polled(SpanMs every) const
{
    return stats.hears ? std::max(every, config.restPoll) : every;
}

}  // namespace cairn
