// Plans: one act on many runs.

#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>
#include <tuple>

namespace cairn {

Result<std::vector<PlanRow>> MemoryStore::plans(bool closedToo, std::size_t limit)
{
    std::vector<PlanRow> out;
    for (const auto& [id, plan] : m_db->plans)
        if (closedToo || isOpen(plan.row.state))
            out.push_back(plan.row);
    std::sort(out.begin(), out.end(), [](const PlanRow& a, const PlanRow& b) {
        return std::tie(b.stagedAt, b.id) < std::tie(a.stagedAt, a.id);
    });
    if (out.size() > limit)
        out.resize(limit);
    return out;
}

Result<std::vector<PlanRow>> MemoryStore::plansUnderWay(std::size_t limit)
{
    std::vector<PlanRow> out;
    for (const auto& [id, plan] : m_db->plans)
        if (plan.row.state == PlanState::Running || plan.row.state == PlanState::Verifying)
            out.push_back(plan.row);
    std::sort(out.begin(), out.end(), [](const PlanRow& a, const PlanRow& b) {
        return std::tie(a.state, a.stagedAt, a.id) < std::tie(b.state, b.stagedAt, b.id);
    });
    if (out.size() > limit)
        out.resize(limit);
    return out;
}

Result<std::optional<PlanRow>> MemoryStore::plan(const PlanId& plan)
{
    const auto at = m_db->plans.find(plan);
    return at == m_db->plans.end() ? std::optional<PlanRow>() : std::optional(at->second.row);
}

Result<std::vector<PlanItem>> MemoryStore::planItems(
    const PlanId& plan, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only)
{
    std::vector<PlanItem> out;
    const auto found = m_db->plans.find(plan);
    if (found == m_db->plans.end())
        return out;
    const auto& items = found->second.items;
    for (auto at = items.upper_bound(after); at != items.end() && out.size() < limit; ++at)
        if (!only || at->second.state == *only)
            out.push_back(at->second);
    return out;
}

Result<std::vector<PlanCount>> MemoryStore::planCounts(const PlanId& plan)
{
    std::map<std::tuple<PlanItemState, PlanLeftOut, PlanFate>, std::uint64_t> counts;
    if (const auto found = m_db->plans.find(plan); found != m_db->plans.end())
        for (const auto& [ord, item] : found->second.items)
            ++counts[{item.state, item.leftOut, item.fate}];
    std::vector<PlanCount> out;
    for (const auto& [of, count] : counts)
        out.push_back({std::get<0>(of), std::get<1>(of), std::get<2>(of), count});
    return out;
}

Result<std::vector<PlanOfRun>> MemoryStore::plansOfRuns(std::span<const RunId> runs)
{
    std::vector<PlanOfRun> out;
    for (const RunId& run : runs)
        for (const auto& [id, plan] : m_db->plans) {
            if (plan.row.state < PlanState::Staged || plan.row.state > PlanState::Paused)
                continue;
            const bool has = std::any_of(plan.items.begin(), plan.items.end(), [&](const auto& item) {
                return item.second.run == run && item.second.state == PlanItemState::Open;
            });
            if (has)
                out.push_back({run, id});
        }
    return out;
}

Status MemoryStore::changePlan(const PlanChange& change)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkPlan(change));
    if (change.left)
        return nobodyLeaves();
    const auto found = m_db->plans.find(change.row.id);
    const std::uint64_t revision = found == m_db->plans.end() ? 0 : found->second.row.revision;
    if (revision != change.expected)
        return planMoved(change.row.id);
    MemoryPlan& plan = m_db->plans[change.row.id];
    if (revision == 0)
        plan.row = change.row;
    const PlanRow& to = change.row;
    PlanRow& row = plan.row;
    std::tie(row.state, row.confirmedBy, row.confirmedAt, row.note, row.aborted, row.startedAt,
        row.executedAt, row.endedAt, row.holder, row.leaseUntil) =
        std::tie(to.state, to.confirmedBy, to.confirmedAt, to.note, to.aborted, to.startedAt, to.executedAt,
            to.endedAt, to.holder, to.leaseUntil);
    row.revision = revision + 1;
    for (const PlanItem& item : change.added)
        plan.items.try_emplace(item.ord, item);
    for (const PlanItem& item : change.done) {
        const auto at = plan.items.find(item.ord);
        if (at == plan.items.end() || at->second.run != item.run)
            continue;
        PlanItem& stored = at->second;
        if (stored.state == PlanItemState::Open)
            std::tie(stored.state, stored.leftOut, stored.why, stored.version, stored.doneAt) =
                std::tie(item.state, item.leftOut, item.why, item.version, item.doneAt);
        if (stored.state == item.state)
            stored.fate = item.fate;
    }
    if (change.audit)
        CAIRN_TRY(appendAudit(*change.audit));
    return {};
}

}  // namespace cairn
