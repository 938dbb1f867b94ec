#pragma once
// From plans and proposed acts of a store to what the console shows of them. Any thread.

#include "core/store/store.h"
#include "ui/data/planvalues.h"

#include <QCoreApplication>

namespace cairn::ui {

// What is said about plans.
struct PlanWords {
    Q_DECLARE_TR_FUNCTIONS(actsession_plans)
};

[[nodiscard]] PlanEntry entryOf(const PlanRow& row);
[[nodiscard]] PlanEntry entryOf(const StagedAct& act);
void fillFacts(const StagedAct& act, PlanView& view);

}  // namespace cairn::ui
