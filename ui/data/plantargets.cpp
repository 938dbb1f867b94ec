#include "ui/data/plantargets.h"

#include "ui/data/format.h"
#include "ui/data/words.h"

#include <QCoreApplication>

namespace cairn::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(plantargets)
};

}  // namespace

Status PlanTargets::fill(const AuditRow& row, AuditLine& line)
{
    const auto id = parseId<PlanId>(row.target);
    if (!id)
        return {};
    auto known = m_plans.find(row.target);
    if (known == m_plans.end()) {
        CAIRN_TRY_ASSIGN(auto plan, m_store.plan(*id));
        known = m_plans.emplace(row.target, std::move(plan)).first;
    }
    if (const std::optional<PlanRow>& plan = known->second)
        line.target = Words::tr("%1 of %2, plan %3")
                          .arg(verbName(plan->verb), plural(plan->items, "run", "runs"), shortId(plan->id));
    return {};
}

}  // namespace cairn::ui
