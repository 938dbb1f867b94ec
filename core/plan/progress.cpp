#include "core/plan/progress.h"

#include "core/base/text.h"

namespace cairn {

namespace {

std::string numberOf(std::uint64_t count) { return formatCount(static_cast<std::int64_t>(count)); }

}  // namespace

PlanProgress progressOf(const PlanRow& plan, const PlanSpec& spec, std::span<const PlanCount> counts)
{
    PlanProgress out;
    out.items = plan.items;
    for (const PlanCount& count : counts)
        switch (count.state) {
        case PlanItemState::Open: out.open += count.count; break;
        case PlanItemState::Done: out.done += count.count; break;
        case PlanItemState::Skipped: out.leftOut += count.count; break;
        case PlanItemState::Stale: out.stale += count.count; break;
        case PlanItemState::Failed: out.failed += count.count; break;
        }
    if (plan.state == PlanState::Running && spec.pace.rate > 0)
        out.left = estimatedLeft(spec.pace, out.tried(), out.open);
    if (plan.state == PlanState::Verifying && plan.executedAt != kNoTime)
        out.closesAt = plan.executedAt + spec.pace.verify;
    return out;
}

std::string nextOf(const PlanRow& plan, const PlanSpec& spec, const PlanProgress& progress)
{
    const std::string open = numberOf(progress.open) + " open";
    switch (plan.state) {
    case PlanState::Running:
        if (progress.open == 0)
            return "none open";
        if (progress.tried() < spec.pace.canary)
            return open + ", first a canary of " + numberOf(spec.pace.canary);
        return progress.left < 0 ? open : open + ", about " + formatSpan(progress.left) + " left";
    case PlanState::Paused: return open + ", until somebody continues or aborts it";
    case PlanState::Verifying:
        return progress.closesAt == kNoTime ? open + ", being left out"
                                            : "closed at " + formatInstant(progress.closesAt);
    default: return {};
    }
}

}  // namespace cairn
