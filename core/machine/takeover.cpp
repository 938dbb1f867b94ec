// Takeover: a person ends the lease of who works on a run or a step, without waiting for it to pass. What was
// under way ends as after a lost owner (unclear.h); a result that comes later is refused, and kept.

#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

Examined examineTakeover(const RunState& s, const cmd::Takeover& c, const SessionId& owner)
{
    if (s.closed)
        return refuse(RejectCode::Refused,
            "the run is finished (" + std::string(label(s.closedAs)) + "): nobody works on it");
    if (c.step.empty()) {
        if (c.checkOwner && c.owner != owner)
            return refuse(RejectCode::Stale,
                "the run has changed hands since it was shown; nothing was done: look again");
        const bool works = std::any_of(s.running.begin(), s.running.end(),
            [&](StepIx ix) { return !s.steps[ix].attempt->session.isNull(); });
        if (owner.isNull() && !works)
            return NoChange{"no engine has the run: the next one that looks for work takes it", kNoStep};
        return {};
    }
    const StepRecord* step = s.find(c.step);
    if (!step)
        return refuse(RejectCode::NotFound, "there is no step \"" + c.step + "\" in this run");
    if (!step->attempt)
        return refuse(RejectCode::Refused,
            "step \"" + c.step + "\" is " + std::string(label(step->state)) + ": nobody works on it");
    if (!c.attempt.isNull() && c.attempt != step->attempt->id)
        return refuse(RejectCode::Stale,
            "another attempt at step \"" + c.step
                + "\" is under way since it was shown; nothing was done: look again");
    return {};
}

// Whoever takes the run next begins anew, so nothing is started here.
bool Decider::Impl::own(const cmd::Takeover& c)
{
    g.session = {};
    capacity = 0;
    const StepIx only = c.step.empty() ? kNoStep : indexOf(c.step);
    if (only == kNoStep)
        emit(TakenOver{g.owner, kNoStep, {}});
    else
        emit(TakenOver{step(only).attempt->session, only, step(only).attempt->id});
    const std::vector<StepIx> running(s.running.begin(), s.running.end());
    for (const StepIx ix : running)
        if (ix == only || (only == kNoStep && !step(ix).attempt->session.isNull()))
            endUnclear(ix, AttemptEnd::OwnerLost, {});
    scanAll = true;
    return true;
}

}  // namespace cairn
