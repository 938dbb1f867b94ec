// Operators' verbs.

#include "core/machine/decider.h"

namespace cairn {

bool Decider::Impl::own(const cmd::Decide& c)
{
    ApprovalRecord* record = approval(c.approval);
    const StepIx ix = record->step;
    if (!c.approve) {
        emit(ApprovalDecided{c.approval, ApprovalState::Rejected, cmd.reason});
        emit(StepSkipped{ix, false, {}});
        return true;
    }
    const bool enough = record->consents.size() + 1 >= record->needed;
    emit(ApprovalDecided{c.approval, enough ? ApprovalState::Approved : ApprovalState::Pending, cmd.reason});
    if (!enough)
        return true;
    if (step(ix).kind == StepKind::Approval) {
        emit(StepCompleted{ix, step(ix).input, false, false});
    } else {
        emit(StepReleased{ix, false});
        proceed(ix);
    }
    return true;
}

bool Decider::Impl::own(const cmd::SetPaused& c)
{
    if (!c.paused && s.parked)
        emit(RunBlocked{Reason::None, {}});
    if (c.paused != s.own.paused) {
        Control control = s.own;
        control.paused = c.paused;
        ++control.revision;
        emit(ControlChanged{control, cmd.plan});
    }
    scanAll = true;
    return true;
}

// Nothing starts any more, whichever engine owns the run; what is under way may still hand in its result.
bool Decider::Impl::own(const cmd::Park& c)
{
    emit(RunBlocked{Reason::Incompatible, c.detail});
    return true;
}

void Decider::Impl::cancelRest()
{
    // What may have happened stays unknown until somebody knows; only what has not begun can be cancelled.
    for (StepIx ix = 0; ix < s.steps.size(); ++ix)
        if (step(ix).inDoubt() && step(ix).state != StepState::Unknown && step(ix).undoOf == kNoStep) {
            const ToolDef* t = tool(ix);
            emit(StepUnknown{ix, {}, t && !t->lookUp.empty() ? g.now : kNoTime});
        }
    emit(RestCancelled{});
    if (s.blocked != Reason::None)
        emit(RunBlocked{Reason::None, {}});
}

bool Decider::Impl::own(const cmd::Cancel& c)
{
    Control control = s.own;
    control.cancelled = true;
    control.paused = false;
    control.compensate = c.compensate && g.definition && g.definition->compensateOnCancel;
    ++control.revision;
    emit(ControlChanged{control, cmd.plan});
    cancelRest();
    return true;
}

bool Decider::Impl::own(const cmd::Compensate&)
{
    if (s.closed)
        emit(RunReopened{});
    Control control = s.own;
    control.cancelled = true;
    control.paused = false;
    control.compensate = true;
    ++control.revision;
    emit(ControlChanged{control, cmd.plan});
    cancelRest();
    return true;
}

bool Decider::Impl::own(const cmd::RetryStep& c)
{
    const StepIx ix = indexOf(c.step);
    if (s.closed)
        emit(RunReopened{});
    emit(StepReleased{ix, true});
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::SkipStep& c)
{
    emit(StepSkipped{indexOf(c.step), true, c.output});
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::RecordResult& c)
{
    emit(StepCompleted{indexOf(c.step), c.output, false, true});
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::AmendInput& c)
{
    const StepIx ix = indexOf(c.step);
    const auto found = g.rendered.find(ix);
    if (found == g.rendered.end()) {
        needs.render.push_back(ix);  // effect key and amount of the new input
        return false;
    }
    emit(InputAmended{ix, c.input, found->second.effect, found->second.amount});
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::SetDeadline& c)
{
    Control control = s.own;
    control.deadline = c.deadline;
    ++control.revision;
    emit(ControlChanged{control, cmd.plan});
    if (s.blocked == Reason::Deadline && (s.deadline() == kNoTime || s.deadline() > g.now))
        emit(RunBlocked{Reason::None, {}});
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::SetBudget& c)
{
    emit(BudgetChanged{c.unit, c.limit});
    Control control = s.own;
    ++control.revision;
    emit(ControlChanged{control, cmd.plan});
    return true;  // settle() releases what fits now
}

bool Decider::Impl::own(const cmd::Redact& c)
{
    PayloadsRedacted fact;
    fact.act = s.version + 1;
    for (const PayloadId& id : c.payloads)
        if (!s.redacted.contains(id))
            fact.payloads.push_back(id);
    emit(std::move(fact));
    return true;
}

bool Decider::Impl::own(const cmd::Retain&)
{
    emit(FailureAccepted{});
    return true;
}

}  // namespace cairn
