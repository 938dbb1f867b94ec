// Budgets: what a step may cost, what a child was given, and how it gets more. A child that is out of its
// allotment asks its parent; the parent gives what its own budget has room for, asks its own parent where
// that is an allotment too, and otherwise waits for a person, who sets the budget there (DESIGN 12.6).

#include "core/machine/decider.h"
#include "core/machine/sums.h"

#include <algorithm>
#include <limits>

namespace cairn {

namespace {

const BudgetLine* lineOf(const std::vector<BudgetLine>& lines, const std::string& unit)
{
    const auto found =
        std::find_if(lines.begin(), lines.end(), [&](const BudgetLine& line) { return line.unit == unit; });
    return found == lines.end() ? nullptr : &*found;
}

// A sum at the end of its type is beyond every limit: what it would be is not known.
bool fits(const BudgetLine& line, std::int64_t amount)
{
    const std::int64_t sum = saturatedSum(saturatedSum(line.used, line.reserved), amount);
    return sum <= line.limit && (amount == 0 || sum < std::numeric_limits<std::int64_t>::max());
}

// The highest of what is wanted in each unit: then each that waits fits by itself, and what does not fit
// beside it asks again.
void want(std::vector<Usage>& wanted, const std::string& unit, std::int64_t limit)
{
    for (Usage& known : wanted)
        if (known.unit == unit) {
            known.amount = std::max(known.amount, limit);
            return;
        }
    wanted.push_back({unit, limit});
}

}  // namespace

bool Decider::Impl::overBudget(StepIx ix, const ToolDef* t)
{
    if (!t || (fitsBudget(t->worstCase) && !spentBudget(*t)))
        return false;
    emit(StepWaiting{ix, Reason::Budget, kNoTime, {}, {}});
    return true;
}

bool Decider::Impl::fitsBudget(const std::vector<Usage>& amounts) const
{
    for (const auto& usage : amounts)
        for (const auto& line : s.budget)
            if (line.unit == usage.unit && !fits(line, usage.amount))
                return false;
    return true;
}

// A tool that reports what it uses begins nothing when that is used up, whatever its worst case.
bool Decider::Impl::spentBudget(const ToolDef& t) const
{
    for (const UsageAt& usage : t.usage)
        for (const auto& line : s.budget)
            if (line.unit == usage.unit && saturatedSum(line.used, line.reserved) >= line.limit)
                return true;
    return false;
}

// What has to fit before the step begins: its call's worst case, or the child's allotment.
std::vector<Usage> Decider::Impl::costOf(StepIx ix) const
{
    if (const ToolDef* t = tool(ix))
        return t->worstCase;
    std::vector<Usage> cost;
    if (const StepDef* d = def(ix))
        for (const BudgetLine& line : d->allotment)
            cost.push_back({line.unit, line.limit});
    return cost;
}

// A raised limit, or a reservation that was not used up, lets waiting steps go on.
void Decider::Impl::releaseBudget()
{
    const auto waiting = s.waiting[static_cast<std::size_t>(Reason::Budget)];
    for (const auto& [since, ix] : waiting) {
        const ToolDef* t = tool(ix);
        if ((t && spentBudget(*t)) || !mayStart(step(ix)) || !fitsBudget(costOf(ix)))
            continue;
        emit(StepReleased{ix, false});
        proceed(ix);
    }
}

// What a child asks for beyond what it was given.
std::vector<Usage> Decider::Impl::lackOf(const ChildRecord& child) const
{
    std::vector<Usage> lack;
    for (const Usage& wanted : child.asked) {
        const BudgetLine* given = lineOf(child.allotment, wanted.unit);
        if (const std::int64_t more = wanted.amount - (given ? given->limit : 0); more > 0)
            lack.push_back({wanted.unit, more});
    }
    return lack;
}

// A unit that this run has no limit of is not given without one: the allotment is the only limit, then, and a
// person says what it becomes.
void Decider::Impl::grantChildren()
{
    const auto asking = s.asking;
    for (const std::uint32_t place : asking) {
        const ChildRecord& child = s.children[place];
        const std::vector<Usage> more = lackOf(child);
        const bool limited = std::all_of(
            more.begin(), more.end(), [&](const Usage& u) { return lineOf(s.budget, u.unit) != nullptr; });
        if (!more.empty() && limited && fitsBudget(more))
            emit(ChildGranted{child.run, more});
    }
}

void Decider::Impl::askParent()
{
    if (s.budgetAt.isNull() || s.closed)
        return;
    std::vector<Usage> wanted;
    const auto add = [&](const std::string& unit, std::int64_t more) {
        const BudgetLine* own = lineOf(s.budget, unit);
        const std::int64_t limit = saturatedSum(own ? saturatedSum(own->used, own->reserved) : 0, more);
        if (!own || limit > own->limit)
            want(wanted, unit, limit);
    };
    for (const auto& [since, ix] : s.waiting[static_cast<std::size_t>(Reason::Budget)]) {
        for (const Usage& usage : costOf(ix))
            if (lineOf(s.budget, usage.unit))
                add(usage.unit, usage.amount);
        if (const ToolDef* t = tool(ix))
            for (const UsageAt& usage : t->usage)
                if (lineOf(s.budget, usage.unit))
                    add(usage.unit, 1);
    }
    for (const std::uint32_t place : s.asking)
        for (const Usage& more : lackOf(s.children[place]))
            add(more.unit, more.amount);
    if (wanted != s.asked)
        emit(AllotmentAsked{std::move(wanted)});
}

}  // namespace cairn
