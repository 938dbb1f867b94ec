#include "core/service/preview_parts.h"

#include "core/base/text.h"
#include "core/machine/decider.h"
#include "core/machine/sums.h"

#include <algorithm>

namespace cairn {

namespace {

std::string named(const RunState& state, StepIx ix)
{
    return "step \"" + visibleLine(state.steps[ix].id) + "\"";
}

std::string steps(std::size_t count)
{
    return formatCount(static_cast<std::int64_t>(count)) + (count == 1 ? " step" : " steps");
}

bool has(const Entry& entry, auto&& matches)
{
    return std::any_of(entry.facts.begin(), entry.facts.end(), matches);
}

// Ready steps that do not begin.
void leaveHeld(PreviewParts& parts, const RunState& before, const RunState& after)
{
    if (after.closed || after.ready.empty())
        return;
    const std::string could =
        steps(after.ready.size()) + " could run and " + (after.ready.size() == 1 ? "does" : "do");
    if (after.blocked != Reason::None)
        parts.leftOut.push_back(
            could + " not: the run is blocked (" + std::string(label(after.blocked)) + ")");
    else if (after.paused() && before.paused())
        parts.leftOut.push_back(could + " not: the run is paused"
            + (after.own.paused ? "; Resume lets it go on" : " by its parent"));
}

// Effects that are there and that this act does not undo, though it ends the run.
void leaveEffects(PreviewParts& parts, const Entry& entry, const RunState& before, const RunState& after,
    const Definition* definition)
{
    const bool cancelled = after.own.cancelled && !before.own.cancelled;
    const bool compensates =
        has(entry, [](const Fact& fact) { return std::holds_alternative<CompensationStarted>(fact); });
    if (!cancelled && !compensates)
        return;
    const bool wanted = compensates || after.own.compensate;
    for (StepIx ix = 0; ix < after.steps.size(); ++ix) {
        const StepRecord& step = after.steps[ix];
        if (!step.effectDone || step.undoOf != kNoStep || after.stepById.contains("undo:" + step.id))
            continue;
        const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
        if (wanted && tool && !tool->undoTool.empty())
            continue;  // it is undone once the steps under way have ended
        parts.leftOut.push_back("the effect of " + named(after, ix) + " stays as it is: "
            + (!wanted     ? "compensation is not part of this"
                    : tool ? "its tool names nothing that undoes it"
                           : "the workflow is not in this store, so nobody knows what undoes it"));
    }
}

void leaveUnknown(PreviewParts& parts, const RunState& after, const Definition* definition)
{
    if (parts.next.empty())
        return;
    const std::size_t pending = after.stepsIn[static_cast<std::size_t>(StepState::Pending)];
    const std::size_t unprepared = after.fresh.size();  // Pending too, and among those that come next
    if (pending > unprepared)
        parts.leftOut.push_back(steps(pending - unprepared)
            + " after these: whether and on what they run depends on results that are not there yet, so they "
              "are not in the cost");
    if (!definition && !after.driven)
        parts.leftOut.push_back("the cost: workflow " + visibleLine(after.workflow.name) + "@"
            + std::to_string(after.workflow.version) + " is not in this store");
    if (after.driven)
        parts.leftOut.push_back("the cost: the caller of this driven run knows it, the store does not");
    if (!definition)
        return;
    for (const PreviewStep& step : parts.next)
        if (step.worst.empty() && !step.tool.empty() && !after.budget.empty())
            parts.leftOut.push_back("the cost of step \"" + visibleLine(step.step) + "\": tool "
                + visibleLine(step.tool) + " names no worst case");
}

}  // namespace

bool PreviewCost::fits() const
{
    return !line || saturatedSum(saturatedSum(line->used, line->reserved), worst) <= line->limit;
}

PreviewUndo undoOf(Verb verb)
{
    switch (verb) {
    case Verb::Pause: return {true, Verb::Resume, "Resume undoes it."};
    case Verb::Resume: return {true, Verb::Pause, "Pause undoes it."};
    case Verb::Approve:
        return {false, Verb::Cancel,
            "It cannot be undone once the step has begun; Cancel stops the run before that."};
    case Verb::Reject:
        return {false, Verb::Fork, "It cannot be undone; Restart from makes a new run that asks again."};
    case Verb::Cancel:
        return {
            false, Verb::Fork, "It cannot be undone; Restart from makes a new run from any earlier version."};
    case Verb::Compensate:
        return {false, std::nullopt,
            "It cannot be undone: undone effects would have to be made again by a new run."};
    case Verb::Retry: return {false, Verb::Pause, "It cannot be undone; Pause stops what has not begun."};
    case Verb::Skip:
        return {false, Verb::Fork, "It cannot be undone; Restart from makes a new run from before it."};
    case Verb::Record:
    case Verb::Settle:
        return {false, Verb::Fork,
            "It cannot be undone; Restart from makes a new run from before it, and Compensate undoes "
            "effects."};
    case Verb::Amend:
        return {true, Verb::Amend, "Amend input again gives another input, until the step has begun."};
    case Verb::Deadline: return {true, Verb::Deadline, "Set deadline again gives another one."};
    case Verb::Budget:
        return {true, Verb::Budget, "Set budget again gives another limit; what was spent stays spent."};
    case Verb::Fork: return {true, Verb::Cancel, "Cancel ends the new run; the old run is not changed."};
    case Verb::Start:
        return {false, Verb::Cancel, "It cannot be undone; Cancel ends the run, and keeps its history."};
    case Verb::Migrate:
        return {false, std::nullopt,
            "Migrate moves it on to a newer version; there is no way back to an older one."};
    case Verb::Slow: return {true, Verb::Slow, "Slow again, with none, takes what the workflows say."};
    case Verb::Takeover:
        return {false, std::nullopt,
            "It cannot be undone: a result that comes later is refused, and kept as evidence."};
    case Verb::Hold: return {true, Verb::Hold, "Releasing the run, or holding it again, undoes it."};
    case Verb::Assign: return {true, Verb::Assign, "Assign gives the run to somebody else, or to nobody."};
    case Verb::Note:
        return {
            true, Verb::Note, "A note can be withdrawn; it stays in the history, and can be written again."};
    case Verb::Retain: return {false, std::nullopt, "It ends by itself when the run goes on."};
    case Verb::Redact: return {false, std::nullopt, "It cannot be undone: the bytes are gone for good."};
    default: return {false, std::nullopt, "It cannot be undone."};
    }
}

PreviewStep previewStep(const RunState& after, StepIx ix, const Definition* definition)
{
    const StepRecord& step = after.steps[ix];
    PreviewStep out;
    out.step = step.id;
    out.kind = step.kind;
    out.tool = step.tool;
    out.attempt = step.attempts + 1;
    out.workflow = after.workflow.name;
    out.version = after.workflow.version;
    out.input = step.input;
    out.amount = step.amount;
    const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
    const StepDef* def = definition ? definition->step(step.name) : nullptr;
    if (tool) {
        out.worst = tool->worstCase;
        out.timeout = def && def->timeout > 0 ? def->timeout : tool->timeout;
    }
    return out;
}

void addCost(PreviewParts& parts, const RunState& after)
{
    for (const PreviewStep& step : parts.next) {
        for (const Usage& worst : step.worst) {
            auto at = std::find_if(parts.cost.begin(), parts.cost.end(),
                [&](const PreviewCost& cost) { return cost.unit == worst.unit; });
            if (at == parts.cost.end()) {
                at = parts.cost.insert(at, PreviewCost{worst.unit, 0, std::nullopt});
                for (const BudgetLine& line : after.budget)
                    if (line.unit == worst.unit)
                        at->line = line;
            }
            at->worst = saturatedSum(at->worst, worst.amount);
        }
    }
}

void addLeftOut(PreviewParts& parts, const Entry& entry, const RunState& before, const RunState& after,
    const Definition* definition)
{
    leaveHeld(parts, before, after);
    leaveEffects(parts, entry, before, after, definition);
    leaveUnknown(parts, after, definition);
    if (after.openChildren > 0 && after.controlVersion != before.controlVersion)
        parts.leftOut.push_back("what child runs make of it: each decides by its own state when it is told");
}

std::vector<std::string> consentThatIsLost(
    const Entry& entry, const RunState& before, const RunState& after, const Definition* definition)
{
    const bool migrates =
        has(entry, [](const Fact& fact) { return std::holds_alternative<RunMigrated>(fact); });
    std::vector<std::string> out;
    for (const ApprovalRecord& given : before.approvals) {
        const StepRecord& was = before.steps[given.step];
        const StepRecord& is = after.steps[given.step];
        const bool yes = given.state == ApprovalState::Approved;
        if (was.approval != given.id || isFinished(was.state))
            continue;
        if (isFinished(is.state)) {
            if (yes)
                out.push_back(
                    "the approval given for " + named(after, given.step) + " is not used: it does not begin");
        } else if (migrates && definition
            && (yes || given.state == ApprovalState::Pending || given.state == ApprovalState::Used)) {
            const ToolDef* tool = is.tool.empty() ? nullptr : definition->tool(is.tool);
            if (given.binding != bindingOf(is, tool))
                out.push_back("the approval for " + named(after, given.step) + " is void, since version "
                    + std::to_string(definition->ref.version)
                    + " would do something else: it is asked for again");
        }
    }
    return out;
}

std::vector<std::string> timesThatPass(
    const PreviewParts& parts, const RunState& before, const RunState& after, TimeMs now)
{
    std::vector<std::string> out;
    if (after.closed)
        return out;
    if (after.paused() && !before.paused())
        for (const ApprovalRecord& approval : after.approvals)
            if (approval.state == ApprovalState::Pending && approval.expires != kNoTime)
                out.push_back("the approval for " + named(after, approval.step) + " expires at "
                    + formatInstant(approval.expires) + ", paused or not");
    if (const TimeMs deadline = after.deadline(); deadline != kNoTime)
        for (const PreviewStep& step : parts.next)
            if (step.timeout > 0 && now + step.timeout > deadline)
                out.push_back("the deadline " + formatInstant(deadline) + " may pass while step \""
                    + visibleLine(step.step) + "\" runs: a try may take " + formatSpan(step.timeout));
    return out;
}

}  // namespace cairn
