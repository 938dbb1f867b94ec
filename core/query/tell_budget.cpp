// A budget in words: what is used, what comes next may cost, and at which run it is set.

#include "core/base/text.h"
#include "core/query/tell.h"

namespace cairn {

namespace {

std::string listOf(const std::vector<Usage>& amounts)
{
    std::string text;
    for (const Usage& usage : amounts)
        text += (text.empty() ? "" : ", ") + amountText(usage.amount, usage.unit);
    return text;
}

std::string usedText(const std::vector<BudgetLine>& lines)
{
    std::string text;
    for (const BudgetLine& line : lines)
        text += (text.empty() ? "" : ", ") + amountText(line.used, line.unit) + " of "
            + amountText(line.limit, line.unit) + " used"
            + (line.reserved > 0 ? ", " + amountText(line.reserved, line.unit) + " reserved" : "");
    return text.empty() ? "not recorded" : text;
}

// What a step that waits would cost, of the units that the budget limits.
std::vector<Usage> costOf(const RunState& s, const StepRecord& step, const Definition* definition)
{
    std::vector<Usage> wanted;
    if (const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr)
        wanted = tool->worstCase;
    if (const StepDef* def = definition ? definition->step(step.name) : nullptr;
        def && def->kind == StepKind::Run)
        for (const BudgetLine& share : def->allotment)
            wanted.push_back({share.unit, share.limit});
    std::erase_if(wanted, [&](const Usage& usage) {
        for (const BudgetLine& line : s.budget)
            if (line.unit == usage.unit)
                return false;
        return true;
    });
    return wanted;
}

const ChildRecord* askingAt(const RunState& s, StepIx step)
{
    for (const std::uint32_t place : s.asking)
        if (s.children[place].step == step)
            return &s.children[place];
    return nullptr;
}

}  // namespace

BudgetTold tellBudget(const RunState& s, const ReasonItem& item, const Definition* definition)
{
    BudgetTold told;
    const std::string used = usedText(s.budget);
    told.clause = "has reached its budget: " + used;
    told.shortText = "Budget reached: " + used;
    told.ends = "a person raises the limit (Set budget) or cancels the run";
    if (const ChildRecord* child = item.step == kNoStep ? nullptr : askingAt(s, item.step)) {
        told.clause = "waits for child run " + shortId(toText(child->run))
            + ", which asks for more than is left of the budget: " + used;
        told.detail = "The child needs " + listOf(child->asked) + " in all, and was given " + listOf([&] {
            std::vector<Usage> given;
            for (const BudgetLine& line : child->allotment)
                given.push_back({line.unit, line.limit});
            return given;
        }()) + ".";
        return told;
    }
    const std::string cost =
        item.step == kNoStep ? std::string() : listOf(costOf(s, s.steps[item.step], definition));
    told.detail =
        "What comes next may cost " + (cost.empty() ? "an amount that is not recorded" : cost) + ".";
    if (!s.budgetAt.isNull()) {
        const std::string at = "run " + toText(s.budgetAt);
        told.clause = "has used what it was given of the budget of " + at + ": " + used;
        told.detail += " It has asked for more.";
        told.ends = "its parent gives more, or a person raises the limit of " + at + " (Set budget)";
    }
    return told;
}

}  // namespace cairn
