#pragma once
// What stands beside an entry of the audit without being in it: who the second person was or that nobody has
// come yet, whether an act by break-glass was looked at since, and which runs a plan is about. As it is now.

#include "core/store/store.h"
#include "ui/data/auditvalues.h"

#include <map>
#include <optional>

namespace cairn::ui {

// For one page of the list; reads the store, so not on the window's thread.
class AuditBeside {
public:
    explicit AuditBeside(StoreReader& store)
        : m_store(store)
    {
    }
    // Fills AuditLine::second and, of a plan, AuditLine::target.
    [[nodiscard]] Status fill(const AuditRow& row, AuditLine& line);

private:
    [[nodiscard]] Status ofPlan(const AuditRow& row, AuditLine& line);
    [[nodiscard]] Status ofGlass(const AuditRow& row, AuditLine& line);
    [[nodiscard]] Status ofProposal(const AuditRow& row, AuditLine& line);

    StoreReader& m_store;
    std::map<std::string, std::optional<PlanRow>> m_plans;  // by their id as text
    std::optional<std::map<CommandId, Review>> m_reviews;   // by the act; unset: not read yet
};

}  // namespace cairn::ui
