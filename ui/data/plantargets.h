#pragma once
// Which runs a plan of the audit is about: an entry has the plan's id alone.

#include "core/store/store.h"
#include "ui/data/auditvalues.h"

#include <map>
#include <optional>

namespace cairn::ui {

// For one page of the list; reads each plan once from the store, so not on the window's thread.
class PlanTargets {
public:
    explicit PlanTargets(StoreReader& store)
        : m_store(store)
    {
    }
    // Fills AuditLine::target of an act on a plan: what is done, to how many runs, and the plan's id.
    [[nodiscard]] Status fill(const AuditRow& row, AuditLine& line);

private:
    StoreReader& m_store;
    std::map<std::string, std::optional<PlanRow>> m_plans;  // by their id as text
};

}  // namespace cairn::ui
