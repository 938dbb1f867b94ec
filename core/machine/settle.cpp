// What a person may say of a step whose effect is in doubt: one list, safest first, for command line and
// console, and the check of the command by the same rules.

#include "core/base/text.h"
#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

namespace {

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

using Refused = std::optional<Rejection>;

Refused notRepeated(const RunState& s, const StepRecord& r, const Given& g)
{
    const ToolDef* t = toolDef(g.definition, r);
    const SpanMs kept = t ? t->keysKept : 0;
    if (r.safety != ReplaySafety::Repeatable && kept == 0)
        return refuse(RejectCode::Refused,
            "tool " + quoted(r.tool)
                + " does not promise that the same key has the same effect, "
                  "so it may not be repeated while the outcome is unknown");
    if (s.restCancelled && r.undoOf == kNoStep)
        return refuse(RejectCode::Refused, "the run is being cancelled: nothing is tried again");
    if (!keyIsKept(r, t, g.now))
        return refuse(RejectCode::Refused,
            "the provider remembers a key for " + formatSpan(kept)
                + ", and the first call with this one began at " + formatInstant(r.keySince)
                + ": it might take another call for a new one");
    return std::nullopt;
}

Refused notUndone(const RunState& s, const StepRecord& r, const Given& g)
{
    const ToolDef* t = toolDef(g.definition, r);
    if (r.undoOf != kNoStep)
        return refuse(RejectCode::Refused, "it is itself the undo of an effect");
    if (s.compensating)
        return refuse(RejectCode::Refused, "the run is being compensated already: settle what is known");
    if (!t || t->undoTool.empty())
        return refuse(RejectCode::Refused,
            t ? "tool " + quoted(r.tool) + " names nothing that undoes it"
              : "the workflow is not in this store, so nobody knows what undoes it");
    if (!s.running.empty() || s.unknown.size() > 1)
        return refuse(RejectCode::Refused,
            "another step is under way, or its outcome is unknown too: wait, or settle that one first");
    return std::nullopt;
}

Refused notParked(const RunState& s, const StepRecord& r, const cmd::Settle& c)
{
    if (r.due == kNoTime && !c.evidence && (c.assign.empty() || c.assign == s.assigned.to))
        return refuse(RejectCode::Refused,
            "it waits for a person already, and nobody asks the provider: say to whom it is assigned, or "
            "keep what is known as evidence");
    return std::nullopt;
}

Refused refusalOf(const RunState& s, const StepRecord& r, const cmd::Settle& c, const Given& g)
{
    if (!c.assign.empty() && c.as != cmd::SettleAs::Park)
        return refuse(RejectCode::InvalidInput, "only what is parked is assigned to somebody with it");
    switch (c.as) {
    case cmd::SettleAs::RepeatSameKey: return notRepeated(s, r, g);
    case cmd::SettleAs::Compensate: return notUndone(s, r, g);
    case cmd::SettleAs::Park: return notParked(s, r, c);
    default: return std::nullopt;
    }
}

std::string consequence(const RunState& s, const StepRecord& r, cmd::SettleAs as)
{
    const bool cancelled = s.restCancelled && r.undoOf == kNoStep;
    switch (as) {
    case cmd::SettleAs::Happened: return "the result that you give is the step's; it is not called again";
    case cmd::SettleAs::NotHappened:
        return cancelled ? "the step is left out, for the run is being cancelled"
                         : "the step runs again, under the same key";
    case cmd::SettleAs::RepeatSameKey:
        return "it is called again under the same key, which the provider knows";
    case cmd::SettleAs::Compensate:
        return "it counts as done, the run is stopped, and what it did is undone, newest first, this first "
               "of all";
    case cmd::SettleAs::Park: return "it stays uncertain, and waits for a person; nothing is called";
    }
    return {};
}

}  // namespace

bool keyIsKept(const StepRecord& step, const ToolDef* tool, TimeMs now)
{
    if (!tool || tool->keysKept == 0 || step.keySince == kNoTime)
        return step.safety != ReplaySafety::Irreversible || (tool && tool->keysKept > 0);
    return now + tool->timeout < step.keySince + tool->keysKept;
}

std::vector<SettleOffer> settleOffers(const RunState& state, StepIx ix, const Given& given)
{
    std::vector<SettleOffer> offers;
    const StepRecord& step = state.steps[ix];
    if (step.state != StepState::Unknown)
        return offers;
    for (const cmd::SettleAs as : {cmd::SettleAs::Happened, cmd::SettleAs::NotHappened,
             cmd::SettleAs::RepeatSameKey, cmd::SettleAs::Compensate, cmd::SettleAs::Park}) {
        cmd::Settle command;
        command.step = step.id;
        command.as = as;
        if (as == cmd::SettleAs::Park)
            command.assign = "?";  // whoever it is: that somebody is named is for the command
        const auto answer = examineSettle(state, command, given);
        const auto* refusal = std::get_if<Rejection>(&answer);
        offers.push_back({as, refusal == nullptr, refusal ? refusal->text : consequence(state, step, as)});
    }
    return offers;
}

Examined examineSettle(const RunState& s, const cmd::Settle& c, const Given& g)
{
    const StepRecord* r = s.find(c.step);
    if (!r)
        return refuse(RejectCode::NotFound, "there is no step " + quoted(c.step) + " in this run");
    const std::string is = "step " + quoted(r->id) + " is " + std::string(label(r->state));
    if (c.checkRevision && c.expectedRevision != r->revision)
        return refuse(
            RejectCode::Stale, is + " now, and has changed since it was shown; nothing was done: look again");
    if (r->state != StepState::Unknown)
        return refuse(RejectCode::Refused, is + ": only an uncertain effect can be settled");
    if (r->attempt)
        return refuse(RejectCode::Refused, "the provider is being asked right now; wait for its answer");
    if (auto refusal = refusalOf(s, *r, c, g))
        return *std::move(refusal);
    return {};
}

bool Decider::Impl::own(const cmd::Settle& c)
{
    const StepIx ix = indexOf(c.step);
    // Where it did not happen, and where it stays unknown, the evidence stands in the fact itself.
    if (c.evidence && c.as != cmd::SettleAs::NotHappened && c.as != cmd::SettleAs::Park)
        emit(EffectEvidence{ix, c.evidence});
    switch (c.as) {
    case cmd::SettleAs::Happened: emit(StepCompleted{ix, c.output, false, true}); break;
    case cmd::SettleAs::NotHappened:
        emit(EffectDenied{ix, c.evidence, true});
        if (s.restCancelled && step(ix).undoOf == kNoStep)
            emit(StepSkipped{ix, false, {}});
        break;
    case cmd::SettleAs::RepeatSameKey:
        emit(StepReleased{ix, true});  // the doubt stays until a try gives its result
        break;
    case cmd::SettleAs::Compensate:
        emit(StepCompleted{ix, c.output, false, true});
        if (!own(cmd::Compensate{}))
            return false;
        break;
    case cmd::SettleAs::Park:
        emit(StepUnknown{ix, c.evidence, kNoTime});
        if (!c.assign.empty() && c.assign != s.assigned.to)
            emit(RunAssigned{{ActorKind::Person, c.assign}});
        break;
    }
    scanAll = true;
    return true;
}

}  // namespace cairn
