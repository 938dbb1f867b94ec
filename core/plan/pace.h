#pragma once
// When the items of a plan are due, and when it stops by itself. Pure: the same plan gives the same times.

#include "core/base/clock.h"
#include "core/base/ids.h"

#include <cstdint>

namespace cairn {

// How fast a plan goes. Rates are items in a minute.
struct PlanPace {
    std::uint32_t rate = 0;      // at last; 0: as fast as the store takes them
    std::uint32_t rampFrom = 0;  // at first; 0: no ramp
    SpanMs ramp = 0;             // from the first rate to the last, evenly
    std::uint32_t jitter = 0;    // percent of the time between two items; up to 100
    std::uint32_t canary = 0;    // items that are done first; then it waits for what becomes of them
    SpanMs canaryWait = 60'000;  // for so long at most
    std::uint32_t stopOver =
        0;                    // percent of what was done that may come back to its situation; 0: any number
    SpanMs verify = 600'000;  // after the last item, before the plan is closed; 0: not looked at
    friend bool operator==(const PlanPace&, const PlanPace&) = default;
};

// Of item `n` (from 0) after the moment at which the pace began.
[[nodiscard]] SpanMs dueAfter(const PlanPace& pace, std::uint64_t n);
// Moves that by up to `jitter` percent of the time to the next item; drawn from plan and item.
[[nodiscard]] SpanMs dueWithJitter(const PlanPace& pace, const PlanId& plan, std::uint64_t n);
// How long that many items take: an estimate, without what waiting for a canary costs. 0: as fast as it goes.
[[nodiscard]] SpanMs estimatedSpan(const PlanPace& pace, std::uint64_t items);
// The same of those that are open, where that many were tried before at this pace.
[[nodiscard]] SpanMs estimatedLeft(const PlanPace& pace, std::uint64_t tried, std::uint64_t open);

// Of the items that were done since the plan was started, or continued.
struct PlanReturns {
    std::uint64_t done = 0;
    std::uint64_t again = 0;
};
// From the fifth item on, or from the whole canary or plan where these are fewer: one of one is no share.
[[nodiscard]] bool stopsAt(const PlanPace& pace, const PlanReturns& returns, std::uint64_t items);

}  // namespace cairn
