// What an entry says, in one line.

#include "core/base/text.h"
#include "core/query/query_impl.h"

namespace cairn {

namespace {

constexpr std::size_t kMaxFacts = 8;  // told in one line; the rest by its number

struct FactTeller {
    const std::vector<std::string>& steps;

    std::string step(StepIx ix) const
    {
        return ix < steps.size() ? "step \"" + visibleLine(steps[ix]) + "\"" : "step " + std::to_string(ix);
    }
    std::string operator()(const RunStarted& f) const
    {
        std::string text = "run started";
        if (!f.workflow.name.empty())
            text += " with " + visibleLine(f.workflow.name) + "@" + std::to_string(f.workflow.version);
        if (!f.forkedFrom.isNull())
            text += ", forked from run " + shortId(toText(f.forkedFrom)) + " at version "
                + std::to_string(f.forkedAt) + (f.origin == f.run ? ", with new keys for its effects" : "");
        if (!f.parent.run.isNull())
            text += ", child of run " + shortId(toText(f.parent.run));
        return text;
    }
    std::string operator()(const ControlChanged& f) const
    {
        if (f.own.cancelled)
            return f.own.compensate ? "cancel asked, with compensation" : "cancel asked";
        std::string text = f.own.paused ? "paused" : "not paused";
        return f.own.deadline == kNoTime ? text : text + ", deadline " + formatInstant(f.own.deadline);
    }
    std::string operator()(const ControlInherited& f) const
    {
        return f.parent.cancelled ? "parent cancels"
            : f.parent.paused     ? "parent pauses"
                                  : "parent's control changed";
    }
    std::string operator()(const RunBlocked& f) const
    {
        return f.reason == Reason::None ? "no longer blocked" : "blocked: " + std::string(label(f.reason));
    }
    std::string operator()(const RestCancelled&) const { return "what had not begun is cancelled"; }
    std::string operator()(const CompensationStarted&) const { return "compensation began"; }
    std::string operator()(const RunClosed& f) const { return "run " + std::string(key(f.as)); }
    std::string operator()(const RunReopened&) const { return "run opened again"; }
    std::string operator()(const RunMigrated& f) const
    {
        return "moved to version " + std::to_string(f.to.version);
    }
    std::string operator()(const BudgetChanged& f) const
    {
        return "budget "
            + (f.unit == "tokens" ? formatCount(f.limit) + " tokens" : formatMoney(f.limit, f.unit));
    }
    std::string operator()(const PayloadsRedacted& f) const
    {
        return formatCount(static_cast<std::int64_t>(f.payloads.size()))
            + (f.payloads.size() == 1 ? " payload redacted" : " payloads redacted");
    }
    std::string operator()(const FailureAccepted&) const { return "the failure is dealt with"; }
    std::string operator()(const StepAdded& f) const { return "step \"" + visibleLine(f.id) + "\" added"; }
    std::string operator()(const StepReady& f) const { return step(f.step) + " ready"; }
    std::string operator()(const StepWaiting& f) const
    {
        return step(f.step) + " waits: " + std::string(label(f.reason))
            + (f.due == kNoTime ? "" : ", until " + formatInstant(f.due));
    }
    std::string operator()(const StepReleased& f) const { return step(f.step) + " goes on"; }
    std::string operator()(const StepCompleted& f) const
    {
        return step(f.step) + " complete"
            + (f.byPerson          ? ", result given by a person"
                    : f.fromLedger ? ", result taken from its effect key"
                                   : "");
    }
    std::string operator()(const StepFailed& f) const
    {
        return step(f.step) + " failed: " + std::string(label(f.reason));
    }
    std::string operator()(const StepSkipped& f) const
    {
        return step(f.step) + (f.byPerson ? " skipped by a person" : " skipped");
    }
    std::string operator()(const StepUnknown& f) const
    {
        return "whether " + step(f.step) + " had its effect is unknown"
            + (f.lookUpAt == kNoTime ? "" : "; the provider is asked");
    }
    std::string operator()(const EffectDenied& f) const
    {
        return "the effect of " + step(f.step) + " did not happen" + (f.byPerson ? ", says a person" : "");
    }
    std::string operator()(const InputAmended& f) const { return step(f.step) + " got a new input"; }
    std::string operator()(const EffectEvidence& f) const
    {
        return "what is known of the effect of " + step(f.step) + " was recorded";
    }
    std::string operator()(const AttemptStarted& f) const
    {
        const char* what = f.purpose == Purpose::LookUp ? " look-up, attempt "
            : f.purpose == Purpose::Undo                ? " undo, attempt "
                                                        : " attempt ";
        return step(f.step) + what + std::to_string(f.number) + " started"
            + (f.worker.empty() ? "" : " by worker " + visibleLine(f.worker));
    }
    std::string operator()(const AttemptRenewed& f) const
    {
        return step(f.step) + (f.progress ? " reported progress" : " is still under way");
    }
    std::string operator()(const AttemptEnded& f) const
    {
        std::string text = "an attempt at " + step(f.step) + " ended: " + std::string(key(f.how));
        if (f.how == AttemptEnd::Failed)
            text += " (" + std::string(key(f.failure)) + ")";
        return f.effect == EffectKnowledge::Unknown ? text + ", effect unknown" : text;
    }
    std::string operator()(const PartialResult& f) const { return step(f.step) + " kept a partial result"; }
    std::string operator()(const LateResult& f) const
    {
        return "a late result of " + step(f.step) + " was refused and kept";
    }
    std::string operator()(const ApprovalRequested& f) const
    {
        return "approval asked for " + step(f.step) + (f.role.empty() ? "" : " from " + visibleLine(f.role));
    }
    std::string operator()(const ApprovalDecided& f) const
    {
        return f.as == ApprovalState::Pending ? "one of several approvals given"
                                              : "approval " + std::string(key(f.as));
    }
    std::string operator()(const SignalReceived& f) const
    {
        return "signal \"" + visibleLine(f.name) + "\" received";
    }
    std::string operator()(const SignalConsumed& f) const { return step(f.step) + " took the signal"; }
    std::string operator()(const ChildRequested& f) const
    {
        return step(f.step) + " asked for child run " + shortId(toText(f.child));
    }
    std::string operator()(const ChildAnswered& f) const
    {
        return "child run " + shortId(toText(f.child)) + " answered: " + std::string(key(f.as));
    }
    std::string operator()(const CancelConfirmed& f) const
    {
        return "child run " + shortId(toText(f.child)) + ": " + std::to_string(f.confirmed) + " of "
            + std::to_string(f.total) + " confirmed the cancel";
    }
    std::string operator()(const AllotmentReceived& f) const
    {
        std::string text;
        for (const BudgetLine& line : f.lines)
            text += (text.empty() ? "" : ", ") + amountText(line.limit, line.unit);
        return text.empty() ? "the budget is left to this run"
                            : "may use " + text + " of its parent's budget";
    }
    std::string operator()(const AllotmentAsked& f) const
    {
        return f.wanted.empty() ? "no more of the parent's budget is needed"
                                : "asked its parent for a budget of " + amounts(f.wanted);
    }
    std::string operator()(const ChildAsked& f) const
    {
        return "child run " + shortId(toText(f.child))
            + (f.wanted.empty() ? std::string(" needs no more budget")
                                : " asks for a budget of " + amounts(f.wanted));
    }
    std::string operator()(const ChildGranted& f) const
    {
        return "child run " + shortId(toText(f.child))
            + (f.more.empty() ? std::string(" decides its own budget")
                              : " gets " + amounts(f.more) + " more of the budget");
    }
    std::string operator()(const HolderInDoubt& f) const
    {
        return step(f.step) + " waits for an effect that is in doubt where it was begun";
    }
    std::string operator()(const ActAgreed& f) const
    {
        if (f.glass)
            return "the glass was broken: nobody else confirmed it, and a review is open";
        return "confirmed by " + actorName(f.by);
    }
    std::string operator()(const ParentTold& f) const
    {
        return "told its parent who moves next: " + std::string(label(f.attention));
    }
    std::string operator()(const ChildNeeds& f) const
    {
        return "child run " + shortId(toText(f.child))
            + " says who moves next: " + std::string(label(f.attention));
    }
    std::string operator()(const TakenOver& f) const
    {
        const std::string what = f.step == kNoStep ? "the run" : step(f.step);
        return what + " was taken from "
            + (f.from.isNull() ? std::string(f.step == kNoStep ? "nobody" : "its worker")
                               : "engine " + shortId(toText(f.from)));
    }
    std::string operator()(const HoldChanged& f) const
    {
        if (!f.held)
            return "released: plans and retention take it again";
        return "held: plans and retention leave it alone "
            + (f.until == kNoTime ? std::string("until it is released") : "until " + formatInstant(f.until));
    }
    std::string operator()(const RunAssigned& f) const
    {
        return f.to.id.empty() ? "assigned to nobody" : "assigned to " + visibleLine(f.to.id);
    }
    std::string operator()(const NoteAdded& f) const { return f.masked ? "masked note added" : "note added"; }
    std::string operator()(const NoteWithdrawn& f) const
    {
        return "the note of version " + std::to_string(f.note) + " withdrawn";
    }
    static std::string amounts(const std::vector<Usage>& list)
    {
        std::string text;
        for (const Usage& usage : list)
            text += (text.empty() ? "" : ", ") + amountText(usage.amount, usage.unit);
        return text;
    }
};

}  // namespace

std::string historyLine(const Entry& entry, const std::vector<std::string>& steps)
{
    std::string line = actorName(entry.actor) + ": " + std::string(label(entry.verb));
    const FactTeller teller{steps};
    std::size_t told = 0;
    for (const Fact& fact : entry.facts) {
        if (told == kMaxFacts) {
            line += "; and " + counted(entry.facts.size() - told, "more fact", "more facts");
            break;
        }
        line += (told++ == 0 ? " - " : "; ") + std::visit(teller, fact);
    }
    return visibleLine(line);
}

}  // namespace cairn
