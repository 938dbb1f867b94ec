// May this command be taken in this state? Nothing is decided here that decide() would decide again: it
// begins with this.

#include "core/base/text.h"
#include "core/machine/decider.h"
#include "core/machine/sums.h"

#include <algorithm>

namespace cairn {

namespace {

Examined no(RejectCode code, std::string text) { return refuse(code, std::move(text)); }
Examined same(std::string text, StepIx step = kNoStep) { return NoChange{std::move(text), step}; }

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }
std::string inState(const StepRecord& r)
{
    return "step " + quoted(r.id) + " is " + std::string(label(r.state));
}

struct Examiner {
    const RunState& s;
    const Command& cmd;
    const Given& g;

    [[nodiscard]] Examined finishedRun() const
    {
        return no(RejectCode::Refused,
            "the run is finished (" + std::string(label(s.closedAs)) + "): nothing can change it");
    }
    [[nodiscard]] const StepRecord* find(const std::string& id) const { return s.find(id); }
    [[nodiscard]] Examined noStep(const std::string& id) const
    {
        return no(RejectCode::NotFound, "there is no step " + quoted(id) + " in this run");
    }

    template<class C> [[nodiscard]] bool stale(const C& c, const StepRecord& r) const
    {
        return c.checkRevision && c.expectedRevision != r.revision;
    }
    [[nodiscard]] Examined staleStep(const StepRecord& r) const
    {
        return no(RejectCode::Stale,
            inState(r) + " now, and has changed since it was shown; nothing was done: look again");
    }
    template<class C> [[nodiscard]] bool staleControl(const C& c) const
    {
        return c.checkControl && c.expectedControl != s.own.revision;
    }
    [[nodiscard]] Examined staleControl() const
    {
        return no(RejectCode::Stale,
            "pause, deadline or budget of this run has changed since it was shown; nothing was done: look "
            "again");
    }

    // --- callers
    Examined operator()(const cmd::Start& c) const
    {
        if (s.version != 0)
            return same("the run exists already");
        if (!c.driven && !g.definition)
            return no(RejectCode::NotFound, "the workflow is not in this store: add it with `workflow add`");
        return {};
    }
    Examined operator()(const cmd::AddSteps& c) const
    {
        if (s.closed)
            return finishedRun();
        return s.restCancelled ? noNewSteps() : newSteps(c.steps);
    }
    [[nodiscard]] static Examined noNewSteps()
    {
        return no(RejectCode::Refused, "the run is being cancelled: it takes no new steps");
    }
    Examined newSteps(const std::vector<cmd::NewStep>& steps) const
    {
        std::set<std::string> names;
        for (const auto& n : steps) {
            if (n.id.empty())
                return no(RejectCode::InvalidInput, "a step without an id cannot be added");
            if (s.stepById.contains(n.id) || !names.insert(n.id).second)
                return no(RejectCode::Conflict,
                    "step " + quoted(n.id) + " exists already; ids are unique in a run");
            for (const auto& dependency : n.after)
                if (!s.stepById.contains(dependency) && !names.contains(dependency))
                    return no(RejectCode::InvalidInput,
                        "step " + quoted(n.id) + " comes after " + quoted(dependency)
                            + ", which is neither in the run nor before it in the list");
            const StepDef* d = g.definition ? g.definition->step(n.name.empty() ? n.id : n.name) : nullptr;
            if (!s.driven && !d)
                return no(RejectCode::InvalidInput,
                    "step " + quoted(n.id) + " names " + quoted(n.name)
                        + ", which is not a step of the workflow");
        }
        return {};
    }
    Examined operator()(const cmd::DrivenStep& c) const
    {
        if (!s.driven)
            return no(RejectCode::Refused,
                "this run follows a workflow; only driven runs take steps from their caller");
        const StepRecord* r = find(c.step.id);
        if (!r)
            return s.closed ? finishedRun() : s.restCancelled ? noNewSteps() : Examined{};
        if (!c.sameInput)
            return no(RejectCode::Conflict,
                "step " + quoted(c.step.id)
                    + " was recorded with another input (incompatible): "
                      "it is neither run again nor answered");
        const StepIx ix = s.stepById.at(c.step.id);
        if (r->state == StepState::Ready && !s.paused())
            return {};
        if (r->state == StepState::Pending && r->unmet == 0)
            return {};
        return same(inState(*r), ix);
    }
    Examined operator()(const cmd::RequestApproval& c) const
    {
        if (s.closed)
            return finishedRun();
        if (const StepRecord* r = find(c.step.id)) {
            if (!c.sameInput)
                return no(
                    RejectCode::Conflict, "approval " + quoted(c.step.id) + " was asked with another input");
            return same(inState(*r), s.stepById.at(c.step.id));
        }
        return s.restCancelled ? noNewSteps() : Examined{};
    }
    Examined operator()(const cmd::Signal& c) const
    {
        for (const auto& signal : s.signals) {
            if (signal.messageHash != c.messageHash || signal.name != c.name)
                continue;
            if (!c.sameDataAsBefore)
                return no(RejectCode::Conflict,
                    "a signal " + quoted(c.name) + " with this id was received with other data");
            return same("this signal was received before");
        }
        if (s.closed)
            return finishedRun();
        return {};
    }

    // --- workers
    Examined operator()(const cmd::Claim& c) const
    {
        if (s.closed)
            return finishedRun();
        if (s.paused() || s.blocked != Reason::None)
            return no(RejectCode::Refused, "the run is paused or blocked: no step may start");
        if (c.step.empty()) {
            if (c.tools.empty())
                return no(RejectCode::InvalidInput, "name a step, or the tools that this worker has");
            const bool any = std::any_of(s.ready.begin(), s.ready.end(),
                [&](StepIx ix) { return claimable(s, s.steps[ix], c.tools); });
            return any ? Examined{} : same("no step is ready for these tools");
        }
        const StepRecord* r = find(c.step);
        if (!r)
            return noStep(c.step);
        if (r->state != StepState::Ready)
            return no(RejectCode::Refused, inState(*r) + ", so it cannot be claimed");
        if (!claimable(s, *r, {}))
            return no(RejectCode::Refused, "step " + quoted(r->id) + " is not work that a worker can take");
        return {};
    }
    Examined current(const AttemptId& attempt) const
    {
        const auto found = s.attempts.find(attempt);
        if (found == s.attempts.end())
            return no(RejectCode::NotFound, "there is no attempt " + toText(attempt) + " in this run");
        const StepRecord& r = s.steps[found->second];
        if (r.attempt && r.attempt->id == attempt)
            return {};
        return no(RejectCode::Fenced,
            "attempt " + toText(attempt) + " of step " + quoted(r.id)
                + " is no longer current: stop working on it; nothing was changed");
    }
    [[nodiscard]] std::string keptText(const AttemptId& attempt, std::string_view why) const
    {
        return "attempt " + toText(attempt) + " of step " + quoted(s.steps[s.attempts.at(attempt)].id) + " "
            + std::string(why) + "; what it says is kept as evidence and changes nothing";
    }
    Examined operator()(const cmd::Renew& c) const { return current(c.attempt); }
    Examined operator()(const cmd::Partial& c) const { return current(c.attempt); }
    static Examined reported(const std::vector<Usage>& used)
    {
        std::string why = unusableReport(used);
        return why.empty() ? Examined{} : no(RejectCode::InvalidInput, std::move(why));
    }
    Examined operator()(const cmd::Complete& c) const
    {
        if (c.attempt.isNull()) {
            if (!s.driven)
                return no(RejectCode::Refused, "only a driven run is closed by its caller");
            if (s.closed)
                return same("the run is finished already");
            if (!s.running.empty() || !s.unknown.empty())
                return no(RejectCode::Refused,
                    "a step is under way or its outcome is unknown; the run cannot be closed yet");
            return {};
        }
        Examined result = current(c.attempt);
        auto* rejection = std::get_if<Rejection>(&result);
        if (!rejection) {
            if (s.steps[s.attempts.at(c.attempt)].attempt->purpose == Purpose::LookUp)
                return no(
                    RejectCode::InvalidInput, "this attempt is a look-up: say what it found, not a result");
            if (Examined report = reported(c.used); !std::holds_alternative<std::monostate>(report))
                return report;
            return c.adds.empty() ? result : newSteps(c.adds);
        }
        if (rejection->code != RejectCode::Fenced)
            return result;
        const StepIx ix = s.attempts.at(c.attempt);
        const StepRecord& r = s.steps[ix];
        if (r.completedBy == c.attempt && c.sameOutputAsBefore)
            return same("this result was recorded before", ix);
        rejection->text = keptText(c.attempt, "is no longer current");
        if (r.completedBy == c.attempt) {
            rejection->code = RejectCode::Conflict;
            rejection->text = keptText(c.attempt, "gave another result before");
        }
        rejection->late = lateEntry(ix, c.attempt, c.output);
        return result;
    }
    Entry lateEntry(StepIx ix, const AttemptId& attempt, const PayloadRef& evidence) const
    {
        Entry entry;
        entry.version = s.version + 1;
        entry.command = cmd.id;
        entry.verb = verbOf(cmd.body);
        entry.actor = cmd.actor;
        entry.time = g.now;
        entry.facts.push_back(LateResult{ix, attempt, evidence});
        return entry;
    }
    Examined operator()(const cmd::Fail& c) const
    {
        Examined result = current(c.attempt);
        if (auto* rejection = std::get_if<Rejection>(&result);
            rejection && rejection->code == RejectCode::Fenced) {
            rejection->text = keptText(c.attempt, "is no longer current");
            rejection->late = lateEntry(s.attempts.at(c.attempt), c.attempt, c.error);
        }
        return std::holds_alternative<std::monostate>(result) ? reported(c.used) : result;
    }
    Examined operator()(const cmd::LookedUp& c) const
    {
        Examined result = current(c.attempt);
        if (!std::holds_alternative<std::monostate>(result))
            return result;
        const StepRecord& r = s.steps[s.attempts.at(c.attempt)];
        if (r.attempt->purpose != Purpose::LookUp)
            return no(RejectCode::InvalidInput, "this attempt is not a look-up");
        return {};
    }

    // --- operators
    Examined operator()(const cmd::Decide& c) const
    {
        const ApprovalRecord* record = s.findApproval(c.approval);
        if (!record)
            return no(RejectCode::NotFound, "there is no approval " + toText(c.approval) + " in this run");
        if (cmd.actor.kind != ActorKind::Person)
            return no(RejectCode::NoRight, "only a person can decide an approval");
        if (!c.expectedBinding.isNull() && c.expectedBinding != record->binding)
            return no(RejectCode::Stale,
                "what was asked has changed since it was shown; nothing was decided: look again");
        if (record->state != ApprovalState::Pending)
            return decided(*record, c);
        if (s.closed)
            return finishedRun();
        if (record->expires != kNoTime && g.now >= record->expires)
            return no(RejectCode::Refused,
                "the approval expired at " + formatInstant(record->expires) + "; expiry is never consent");
        if (!c.approve)
            return {};
        if (record->needed > 1 && !record->askedBy.id.empty() && samePerson(cmd.actor, record->askedBy))
            return no(RejectCode::NoRight, "who asked cannot approve where two people are required");
        for (const Consent& consent : record->consents) {
            const Actor& actor = consent.by;
            if (actor == cmd.actor)
                return same("you have approved this already; it waits for another person");
            if (samePerson(actor, cmd.actor))
                return no(RejectCode::NoRight,
                    "two people are required, and " + actor.id + " has approved under the same login ("
                        + actor.login + "); another name does not make another person");
        }
        return {};
    }
    // Where somebody vouches for both, that decides; a name is only what was claimed.
    static bool samePerson(const Actor& a, const Actor& b)
    {
        return a.login.empty() || b.login.empty() ? a.id == b.id : a.login == b.login;
    }
    Examined decided(const ApprovalRecord& record, const cmd::Decide& c) const
    {
        const bool approved = record.state == ApprovalState::Approved || record.state == ApprovalState::Used;
        const bool wanted = c.approve ? approved : record.state == ApprovalState::Rejected;
        const std::string text = "already "
            + std::string(key(record.state == ApprovalState::Used ? ApprovalState::Approved : record.state))
            + (record.decidedBy.id.empty() ? std::string{} : " by " + record.decidedBy.id) + " at "
            + formatInstant(record.decidedAt);
        if (wanted && record.decidedBy == cmd.actor)
            return same(text);
        return no(RejectCode::Stale, text + "; nothing was changed");
    }
    Examined operator()(const cmd::SetPaused& c) const
    {
        if (staleControl(c))
            return staleControl();
        if (s.closed)
            return finishedRun();
        if (c.paused && s.restCancelled)
            return no(RejectCode::Refused, "the run is being cancelled; it cannot be paused");
        if (s.parked && !c.paused)
            return cmd.actor.kind == ActorKind::Person
                ? Examined{}
                : no(RejectCode::NoRight, "only a person can let a parked run go on");
        if (s.own.paused == c.paused) {
            if (!c.paused && s.inherited.paused)
                return no(RejectCode::Refused, "the run is paused by its parent; resume the parent");
            return same(c.paused ? "the run is paused already" : "the run is not paused");
        }
        return {};
    }
    Examined operator()(const cmd::Cancel& c) const
    {
        if (s.closed && s.closedAs == Activity::Cancelled)
            return same("the run is cancelled already");
        if (s.closed)
            return finishedRun();
        if (!c.compensate && (s.compensating || s.own.compensate))
            return no(RejectCode::Refused,
                "the run undoes its completed effects already, which cannot be called off; skip the steps of "
                "the undo that should not be done");
        if (s.own.cancelled)
            return same("the run is being cancelled already");
        return staleControl(c) ? staleControl() : Examined{};
    }
    Examined operator()(const cmd::Compensate& c) const
    {
        if (s.compensating)
            return same("the run is being compensated already");
        if (staleControl(c))
            return staleControl();
        if (!s.running.empty() || !s.unknown.empty())
            return no(RejectCode::Refused,
                "a step is under way or its outcome is unknown: wait, or settle it first");
        const bool any = std::any_of(s.steps.begin(), s.steps.end(), [&](const StepRecord& r) {
            const ToolDef* t = toolDef(g.definition, r);
            return r.effectDone && r.undoOf == kNoStep && t && !t->undoTool.empty();
        });
        if (!any)
            return no(RejectCode::Refused, "no completed effect of this run has an undo in its workflow");
        return {};
    }
    Examined operator()(const cmd::RetryStep& c) const
    {
        const StepRecord* r = find(c.step);
        if (!r)
            return noStep(c.step);
        if (stale(c, *r))
            return staleStep(*r);
        if (s.closed && s.closedAs != Activity::Failed)
            return finishedRun();
        if (s.restCancelled && r->undoOf == kNoStep)
            return no(RejectCode::Refused, "the run is being cancelled: nothing is tried again");
        switch (r->state) {
        case StepState::Failed: return r->reason == Reason::FailedChild ? childAgain(*r) : Examined{};
        case StepState::Waiting:
            if (r->reason == Reason::Retry || r->reason == Reason::Capacity)
                return {};
            if (r->reason == Reason::Resource)
                return no(
                    RejectCode::Refused, "the resource asked for no calls until " + formatInstant(r->due));
            return no(RejectCode::Refused,
                inState(*r) + " for another reason (" + std::string(label(r->reason))
                    + "); a retry would not end it");
        case StepState::Unknown:
            return no(RejectCode::Refused,
                inState(*r) + ": whether its effect happened is not known; set its outcome (settle)");
        case StepState::Complete: return no(RejectCode::Refused, inState(*r) + ": it has a recorded result");
        case StepState::Running: return no(RejectCode::Refused, inState(*r) + ": an attempt is under way");
        case StepState::Ready: return same(inState(*r) + " already");
        default: return no(RejectCode::Refused, inState(*r) + ", so there is nothing to retry");
        }
    }
    // A step takes what its child run says. While that has not changed, a retry would fail as before.
    Examined childAgain(const StepRecord& r) const
    {
        const auto ix = static_cast<StepIx>(&r - s.steps.data());
        for (const ChildRecord& child : s.children)
            if (child.step == ix && child.answered && child.as != Activity::Completed)
                return no(RejectCode::Refused,
                    inState(r) + ": its child run " + toText(child.run) + " ended as "
                        + std::string(key(child.as))
                        + (child.as == Activity::Failed
                                ? "; repair that run, and this step goes on with its result"
                                : "; skip this step, or record its result"));
        return {};
    }
    [[nodiscard]] static Examined doubtful(const StepRecord& r)
    {
        return no(RejectCode::Refused,
            "an earlier attempt at step " + quoted(r.id)
                + " may have had its effect: retry it under the same key, or record its result");
    }
    Examined replaceable(const StepRecord& r, std::string_view verb) const
    {
        if (s.closed && s.closedAs != Activity::Failed)
            return finishedRun();
        if (s.closed)
            return no(RejectCode::Refused, "the run is closed as failed: retry the step to open it again");
        switch (r.state) {
        case StepState::Pending:
        case StepState::Ready:
        case StepState::Failed: return {};
        case StepState::Waiting:
            if (r.waitsForChild())
                return no(RejectCode::Refused, inState(r) + " for a child run: cancel or repair the child");
            if (r.reason == Reason::Dependency)
                return no(RejectCode::Refused, inState(r) + " for its members: act on them");
            return {};
        case StepState::Unknown:
            return no(RejectCode::Refused,
                inState(r) + ": whether its effect happened is not known; set its outcome (settle)");
        default: return no(RejectCode::Refused, inState(r) + ", so " + std::string(verb) + " does not apply");
        }
    }
    Examined operator()(const cmd::SkipStep& c) const
    {
        const StepRecord* r = find(c.step);
        if (!r)
            return noStep(c.step);
        if (stale(c, *r))
            return staleStep(*r);
        return r->inDoubt() && r->state != StepState::Unknown ? doubtful(*r) : replaceable(*r, "skip");
    }
    Examined operator()(const cmd::RecordResult& c) const
    {
        const StepRecord* r = find(c.step);
        if (!r)
            return noStep(c.step);
        if (stale(c, *r))
            return staleStep(*r);
        if (r->state == StepState::Waiting && r->reason == Reason::EffectInFlight)
            return no(RejectCode::Refused,
                inState(*r) + " for the same effect in another run: wait for its result, or skip the step");
        return replaceable(*r, "record");
    }
    Examined operator()(const cmd::Settle& c) const { return examineSettle(s, c, g); }
    Examined operator()(const cmd::AmendInput& c) const
    {
        const StepRecord* r = find(c.step);
        if (!r)
            return noStep(c.step);
        if (stale(c, *r))
            return staleStep(*r);
        if (s.restCancelled && r->undoOf == kNoStep)
            return no(RejectCode::Refused, "the run is being cancelled: nothing is tried again");
        if (r->state == StepState::Pending)
            return no(RejectCode::Refused, inState(*r) + ": its input is not rendered yet");
        if (r->inDoubt() && r->state != StepState::Unknown)
            return doubtful(*r);
        if (s.childByRun.contains(childId(s.id, *r)))
            return no(RejectCode::Refused,
                "the child run of step " + quoted(r->id) + " has its input already: repair the child");
        return replaceable(*r, "amend");
    }
    Examined operator()(const cmd::SetDeadline& c) const
    {
        if (staleControl(c))
            return staleControl();
        if (s.closed)
            return finishedRun();
        if (c.deadline != kNoTime && c.deadline <= g.now)
            return no(RejectCode::InvalidInput,
                "the deadline " + formatInstant(c.deadline) + " has passed already");
        return {};
    }
    Examined operator()(const cmd::SetBudget& c) const
    {
        if (staleControl(c))
            return staleControl();
        if (s.closed)
            return finishedRun();
        if (!s.budgetAt.isNull())
            return no(RejectCode::Refused,
                "the budget of this run is a part of another's: set the budget of run " + toText(s.budgetAt)
                    + ", and this run gets its part");
        if (c.unit.empty() || c.limit < 0)
            return no(RejectCode::InvalidInput,
                "a budget needs a unit (tokens or a currency) and a limit that is not negative");
        for (const auto& line : s.budget)
            if (line.unit == c.unit && c.limit < line.used)
                return no(RejectCode::InvalidInput, "the run has used more than that already");
        return {};
    }
    Examined operator()(const cmd::Fork& c) const
    {
        if (s.version != 0)
            return same("the fork exists already");
        if (!g.forkSource || g.forkSource->version != c.fromVersion)
            return no(RejectCode::NotFound, "the source has no version " + std::to_string(c.fromVersion));
        return {};
    }
    Examined operator()(const cmd::Migrate& c) const
    {
        if (s.closed)
            return finishedRun();
        if (!g.target)
            return no(RejectCode::NotFound,
                "workflow " + quoted(s.workflow.name) + " has no version " + std::to_string(c.toVersion)
                    + " in this store");
        if (s.workflow.version == g.target->ref.version)
            return same("the run already follows version " + std::to_string(g.target->ref.version));
        if (c.fromVersion != 0 && c.fromVersion != s.workflow.version)
            return no(RejectCode::Stale,
                "the run follows version " + std::to_string(s.workflow.version) + " now, and not "
                    + std::to_string(c.fromVersion) + " as when it was shown; nothing was done: look again");
        if (!s.running.empty())
            return no(RejectCode::Refused, "a step is under way: pause the run and wait");
        const MigrationAnswer answer = fitOf(s, *g.target);
        if (answer.fit == Fit::Incompatible)
            return no(RejectCode::Refused, answer.text());
        return {};
    }
    Examined operator()(const cmd::Redact& c) const { return examineRedaction(s, c); }
    Examined operator()(const cmd::Retain&) const { return examineAcceptance(s); }
    Examined operator()(const cmd::Takeover& c) const { return examineTakeover(s, c, g.owner); }

    // --- engine
    Examined operator()(const cmd::Advance&) const
    {
        return s.closed ? same("the run is finished") : Examined{};
    }
    Examined operator()(const cmd::Park&) const
    {
        if (s.closed)
            return same("the run is finished");
        return s.parked ? same("the run is parked already") : Examined{};
    }
    Examined operator()(const cmd::Recover&) const
    {
        return s.closed ? same("the run is finished") : Examined{};
    }
    Examined operator()(const cmd::FireTimers&) const
    {
        return s.closed ? same("the run is finished") : Examined{};
    }
    Examined operator()(const cmd::Deliver& c) const { return examineMessage(s, c); }
    Examined operator()(const cmd::Hold&) const { return examineAnnotation(s, cmd, g.now); }
    Examined operator()(const cmd::Assign&) const { return examineAnnotation(s, cmd, g.now); }
    Examined operator()(const cmd::Note&) const { return examineAnnotation(s, cmd, g.now); }
};

}  // namespace

Examined examine(const RunState& state, const Command& command, const Given& given)
{
    const bool creates =
        std::holds_alternative<cmd::Start>(command.body) || std::holds_alternative<cmd::Fork>(command.body);
    if (!creates && state.version == 0)
        return refuse(RejectCode::NotFound, "there is no such run");
    if (command.actor.kind == ActorKind::Person) {
        if (!given.canWrite)
            return refuse(RejectCode::NoRight, "you have no right to change runs in this store");
        if (auto missing = reasonMissing(given.safety, command.reasonLength))
            return *missing;
        if (auto missing = notEntitled(command, given))
            return *missing;
    }
    Examined examined = std::visit(Examiner{state, command, given}, command.body);
    if (std::holds_alternative<std::monostate>(examined))
        if (auto alone = needsAnother(command, given))
            return *alone;
    return examined;
}

}  // namespace cairn
