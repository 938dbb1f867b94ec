#pragma once
// Plans of people whose login may not write them (stores with roles): a draft, which does nothing, and what
// is to be done to a plan, left for an engine like any other act (core/service/staged.h). The engine decides
// it again, by the same functions as a person's own process, and answers it in the transaction of the plan's
// change. Blocking.

#include "core/plan/orders.h"

#include <string>

namespace cairn {

// Runs of a plan that is left: an engine looks at each of them in one piece when it stages it. A larger plan
// is staged by a login that may write plans.
inline constexpr std::uint32_t kMostLeftItems = 1'000;

// Writes the draft and leaves its staging; gives the act that waits. Errors as stagePlan(); NoRight: the
// login lacks the operator's role.
[[nodiscard]] Result<StagedAct> leavePlan(StoreWriter& store, const PlanDraft& draft);
// Leaves an order on a plan that is staged; gives the act that waits. What speaks against it now is said at
// once (previewOrder), and nothing is left then.
[[nodiscard]] Result<StagedAct> leaveOrder(
    StoreWriter& store, Service& service, const PlanOrder& order, const PlanAuthor& who);

// By an engine. Committed: done, and the act has its answer. Rejected: nothing was done, and that is on
// record in the name of who left it. Failed: the store, an act or a draft that is damaged, or what `alive`
// said (previewPlan); nothing was done then, and the act waits.
[[nodiscard]] Outcome carryOutOrder(
    StoreWriter& store, Service& service, const StagedAct& act, const StillAlive& alive = {});

}  // namespace cairn
