#pragma once
// How far a plan is that was begun, and what happens next. Pure.

#include "core/plan/spec.h"

namespace cairn {

struct PlanProgress {
    std::uint64_t items = 0;  // all of it
    std::uint64_t open = 0;   // without an outcome
    std::uint64_t done = 0;
    std::uint64_t leftOut = 0;  // no act is for them
    std::uint64_t stale = 0;
    std::uint64_t failed = 0;
    SpanMs left = -1;           // estimate; -1: it stands still, or goes as fast as it can
    TimeMs closesAt = kNoTime;  // while its runs are looked after
    [[nodiscard]] std::uint64_t tried() const { return done + stale + failed; }
    friend bool operator==(const PlanProgress&, const PlanProgress&) = default;
};

// Whether there is anything to tell: somebody has started it, and it has not come to its end.
[[nodiscard]] constexpr bool isUnderWay(PlanState s)
{
    return s > PlanState::Staged && s < PlanState::Closed;
}
[[nodiscard]] PlanProgress progressOf(
    const PlanRow& plan, const PlanSpec& spec, std::span<const PlanCount> counts);
// For people: "56 open, about 56.0 s left". Empty: of a plan that is not under way.
[[nodiscard]] std::string nextOf(const PlanRow& plan, const PlanSpec& spec, const PlanProgress& progress);

}  // namespace cairn
