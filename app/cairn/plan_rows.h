#pragma once
// Plans as lines and as the documented JSON.

#include "app/cairn/json_rows.h"
#include "core/plan/orders.h"

namespace cairn::cli {

// Which items are told with their outcomes; 0: none.
struct PlanPage {
    std::size_t limit = 0;
    std::uint32_t after = 0;
};

void printPlanRow(Session& session, const PlanRow& row);
// `preview`: nothing was written. Exit 1 where the plan is blocked, or would do nothing.
[[nodiscard]] int printPlanPreview(Session& session, const PlanRow& row, const PlanSpec& spec,
    const PlanPreview& preview, bool nothingWritten);
// State, outcomes and what became of the runs, as it is now.
[[nodiscard]] int showPlan(Session& session, const PlanId& plan, const PlanPage& page);

}  // namespace cairn::cli
