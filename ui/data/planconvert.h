#pragma once
// From plans and proposed acts of a store to what the console shows of them. Any thread.

#include "core/store/store.h"
#include "ui/data/planvalues.h"

namespace cairn::ui {

[[nodiscard]] PlanEntry entryOf(const PlanRow& row);
[[nodiscard]] PlanEntry entryOf(const StagedAct& act);

}  // namespace cairn::ui
