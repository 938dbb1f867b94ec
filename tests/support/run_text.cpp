// Entries, decisions and summaries as short text, so that tests compare whole histories as they would be
// read.

#include "tests/support/run_builder.h"

namespace cairn::testing {

namespace {

std::string plus(TimeMs t) { return t == kNoTime ? "never" : "+" + std::to_string(t - kTestStart); }

struct FactPrinter {
    const RunState& s;

    [[nodiscard]] std::string id(StepIx ix) const { return ix < s.steps.size() ? s.steps[ix].id : "?"; }
    static std::string k(auto value) { return std::string(key(value)); }

    std::string operator()(const RunStarted& f) const
    {
        return f.forkedFrom.isNull() ? "" : f.origin == f.run ? " new effects" : " keeps origin";
    }
    std::string operator()(const ControlChanged& f) const { return control(f.own); }
    std::string operator()(const ControlInherited& f) const { return control(f.parent); }
    static std::string control(const Control& c)
    {
        std::string out = c.paused ? " paused" : "";
        out += c.cancelled ? " cancelled" : "";
        out += c.compensate ? " compensate" : "";
        return c.deadline == kNoTime ? out : out + " deadline " + plus(c.deadline);
    }
    std::string operator()(const RunBlocked& f) const { return " " + k(f.reason); }
    std::string operator()(const RestCancelled&) const { return ""; }
    std::string operator()(const CompensationStarted&) const { return ""; }
    std::string operator()(const RunClosed& f) const { return " " + k(f.as); }
    std::string operator()(const RunReopened&) const { return ""; }
    std::string operator()(const RunMigrated& f) const { return " to " + std::to_string(f.to.version); }
    std::string operator()(const BudgetChanged& f) const
    {
        return " " + f.unit + " " + std::to_string(f.limit);
    }
    std::string operator()(const PayloadsRedacted&) const { return ""; }
    std::string operator()(const FailureAccepted&) const { return ""; }
    std::string operator()(const StepAdded& f) const { return " " + f.id; }
    std::string operator()(const StepReady& f) const { return " " + id(f.step); }
    std::string operator()(const StepWaiting& f) const
    {
        return " " + id(f.step) + " " + k(f.reason) + (f.due == kNoTime ? "" : " " + plus(f.due));
    }
    std::string operator()(const StepReleased& f) const
    {
        return " " + id(f.step) + (f.resetCounts ? " reset" : "");
    }
    std::string operator()(const StepCompleted& f) const
    {
        return " " + id(f.step) + (f.fromLedger ? " from ledger" : "") + (f.byPerson ? " by person" : "");
    }
    std::string operator()(const StepFailed& f) const { return " " + id(f.step) + " " + k(f.reason); }
    std::string operator()(const StepSkipped& f) const
    {
        return " " + id(f.step) + (f.byPerson ? " by person" : "");
    }
    std::string operator()(const StepUnknown& f) const
    {
        return " " + id(f.step) + (f.lookUpAt == kNoTime ? " ask a person" : " look up " + plus(f.lookUpAt));
    }
    std::string operator()(const EffectDenied& f) const
    {
        return " " + id(f.step) + (f.byPerson ? " by person" : "");
    }
    std::string operator()(const InputAmended& f) const { return " " + id(f.step); }
    std::string operator()(const EffectEvidence& f) const { return " " + id(f.step); }
    std::string operator()(const AttemptStarted& f) const
    {
        return " " + id(f.step) + " " + k(f.purpose) + " " + std::to_string(f.number)
            + (f.worker.empty() ? "" : " by " + f.worker) + (f.approval.isNull() ? "" : " approved");
    }
    std::string operator()(const AttemptRenewed& f) const
    {
        return " " + id(f.step) + " " + plus(f.heartbeatDue);
    }
    std::string operator()(const AttemptEnded& f) const
    {
        return " " + id(f.step) + " " + k(f.how) + " " + k(f.effect) + (f.countsAsFailure ? " counts" : "")
            + (f.countsAsLost ? " lost" : "");
    }
    std::string operator()(const PartialResult& f) const { return " " + id(f.step); }
    std::string operator()(const LateResult& f) const { return " " + id(f.step); }
    std::string operator()(const ApprovalRequested& f) const
    {
        return " " + id(f.step) + " until " + plus(f.expires);
    }
    std::string operator()(const ApprovalDecided& f) const { return " " + k(f.as); }
    std::string operator()(const SignalReceived& f) const { return " " + f.name; }
    std::string operator()(const SignalConsumed& f) const { return " " + id(f.step); }
    std::string operator()(const ChildRequested& f) const { return " " + id(f.step); }
    std::string operator()(const ChildAnswered& f) const { return " " + id(f.step) + " " + k(f.as); }
    std::string operator()(const AllotmentReceived& f) const
    {
        std::string text;
        for (const auto& line : f.lines)
            text += " " + line.unit + ":" + std::to_string(line.limit);
        return text.empty() ? " decides itself" : text;
    }
    std::string operator()(const AllotmentAsked& f) const { return amounts(f.wanted); }
    std::string operator()(const ChildAsked& f) const { return amounts(f.wanted); }
    std::string operator()(const ChildGranted& f) const { return amounts(f.more); }
    std::string operator()(const HolderInDoubt& f) const { return " " + id(f.step); }
    std::string operator()(const ActAgreed& f) const { return f.glass ? " glass" : " " + f.by.login; }
    std::string operator()(const ParentTold& f) const { return " " + k(f.attention); }
    std::string operator()(const ChildNeeds& f) const { return " " + k(f.attention); }
    std::string operator()(const TakenOver& f) const { return f.step == kNoStep ? "" : " " + id(f.step); }
    std::string operator()(const HoldChanged& f) const
    {
        return !f.held ? " released" : f.until == kNoTime ? " held" : " until " + std::to_string(f.until);
    }
    std::string operator()(const RunAssigned& f) const { return f.to.id.empty() ? " nobody" : " " + f.to.id; }
    std::string operator()(const NoteAdded& f) const { return f.masked ? " masked" : ""; }
    std::string operator()(const NoteWithdrawn& f) const { return " " + std::to_string(f.note); }
    static std::string amounts(const std::vector<Usage>& list)
    {
        std::string text;
        for (const auto& usage : list)
            text += " " + usage.unit + ":" + std::to_string(usage.amount);
        return text.empty() ? " nothing" : text;
    }
    std::string operator()(const CancelConfirmed& f) const
    {
        return " " + std::to_string(f.confirmed) + " of " + std::to_string(f.total);
    }
};

std::string codeText(RejectCode code)
{
    switch (code) {
    case RejectCode::Stale: return "stale";
    case RejectCode::Refused: return "refused";
    case RejectCode::NotFound: return "not found";
    case RejectCode::InvalidInput: return "invalid";
    case RejectCode::Fenced: return "fenced";
    case RejectCode::NoRight: return "no right";
    case RejectCode::ReasonMissing: return "reason missing";
    case RejectCode::Conflict: return "conflict";
    case RejectCode::SecondPerson: return "second_person";
    }
    return "?";
}

}  // namespace

std::string factText(const Fact& fact, const RunState& state)
{
    return std::string(factName(fact)) + std::visit(FactPrinter{state}, fact);
}

std::string entryText(const Entry& entry, const RunState& after)
{
    std::string out = std::to_string(entry.version) + " " + std::string(key(entry.verb)) + ":";
    for (std::size_t i = 0; i < entry.facts.size(); ++i)
        out += (i == 0 ? " " : ", ") + factText(entry.facts[i], after);
    return out;
}

std::string decisionText(const Decision& decision, const RunState& after)
{
    if (const auto* entry = std::get_if<Entry>(&decision))
        return entryText(*entry, after);
    if (const auto* rejection = std::get_if<Rejection>(&decision)) {
        std::string out = codeText(rejection->code) + ": " + rejection->text;
        if (rejection->late)
            out += "\n" + entryText(*rejection->late, after);
        return out;
    }
    return "no change: " + std::get<NoChange>(decision).text;
}

std::string summaryText(const RunState& state, TimeMs now)
{
    const Summary s = summarise(state, now);
    std::string out = std::string(key(s.activity)) + ", moves next: " + std::string(key(s.attention));
    if (s.primary.reason != Reason::None) {
        out += ", " + std::string(key(s.primary.reason));
        if (s.primary.step != kNoStep)
            out += "(" + state.steps[s.primary.step].id + ")";
        if (s.primary.count > 1)
            out += " x" + std::to_string(s.primary.count);
    }
    return out + ", next " + plus(s.nextDue);
}

}  // namespace cairn::testing
