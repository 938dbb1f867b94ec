// What retention may remove, and what may be redacted, as far as the run itself says.

#include "core/base/text.h"
#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

namespace {

std::string quoted(const std::string& id) { return "step \"" + visibleLine(id) + "\""; }

// An open run reads results to render inputs, to choose and to form its own output; inputs are executed,
// looked up and undone.
std::string neededByStep(const StepRecord& step, const PayloadId& payload)
{
    if (step.input.id == payload && !isFinished(step.state))
        return quoted(step.id) + " has this as its input and has not finished";
    if (step.input.id == payload && !step.effect.isNull())
        return quoted(step.id) + " has an effect that may have to be undone with this input";
    if (step.output.id == payload)
        return "the result of " + quoted(step.id) + " may be read by later steps";
    if ((step.detail.id == payload || step.error.id == payload) && !isFinished(step.state))
        return quoted(step.id) + " waits, and people judge by this";
    return {};
}

}  // namespace

std::string unsettled(const RunState& state)
{
    if (!state.closed)
        return "it has not ended";
    for (const StepRecord& step : state.steps)
        if (step.inDoubt() || step.state == StepState::Unknown)
            return "nobody knows whether the effect of " + quoted(step.id) + " happened";
    if (state.openChildren > 0)
        return "a child has not answered";
    const bool asked = std::any_of(state.approvals.begin(), state.approvals.end(),
        [](const ApprovalRecord& a) { return a.state == ApprovalState::Pending; });
    if (asked)
        return "an approval is open";
    if (state.closedAs == Activity::Failed && !state.failureAccepted)
        return "it failed, and nobody has said that this is dealt with";
    return {};
}

std::string neededFor(const RunState& state, const PayloadId& payload)
{
    if (state.closed)
        return {};
    const std::string until = ": redact it when the run has ended";
    if (state.input.id == payload)
        return "the run's input may be read by later steps" + until;
    for (const StepRecord& step : state.steps)
        if (const std::string why = neededByStep(step, payload); !why.empty())
            return why + until;
    for (const SignalRecord& signal : state.signals)
        if (signal.data.id == payload)
            return "a step may read this signal" + until;
    for (const ChildRecord& child : state.children)
        if (child.output.id == payload)
            return "the answer of a child may be read by later steps" + until;
    return {};
}

Examined examineRedaction(const RunState& state, const cmd::Redact& command)
{
    if (command.payloads.empty())
        return refuse(
            RejectCode::InvalidInput, "name what is to be redacted: a step, a kind or a payload's id");
    for (const PayloadId& id : command.payloads)
        if (std::string why = neededFor(state, id); !why.empty())
            return refuse(RejectCode::Refused, std::move(why));
    const bool all = std::all_of(command.payloads.begin(), command.payloads.end(),
        [&](const PayloadId& id) { return state.redacted.contains(id); });
    return all ? Examined{NoChange{"all of that was redacted before", kNoStep}} : Examined{};
}

Examined examineAcceptance(const RunState& state)
{
    if (!state.closed)
        return refuse(RejectCode::Refused, "the run has not ended: retention keeps it anyway");
    if (state.closedAs != Activity::Failed)
        return NoChange{"the run did not fail: retention does not ask for this", kNoStep};
    return state.failureAccepted ? Examined{NoChange{"that was said before", kNoStep}} : Examined{};
}

}  // namespace cairn
