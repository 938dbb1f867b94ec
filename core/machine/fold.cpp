#include "core/machine/fold.h"

#include "core/machine/fold_touch.h"
#include "core/machine/machine.h"
#include "core/model/codec.h"

#include <algorithm>
#include <cassert>

namespace cairn {

const StepRecord* RunState::find(std::string_view stepId) const
{
    const auto found = stepById.find(std::string(stepId));
    return found == stepById.end() ? nullptr : &steps[found->second];
}

const ApprovalRecord* RunState::findApproval(const ApprovalId& approval) const
{
    const auto found = std::ranges::find(approvals, approval, &ApprovalRecord::id);
    return found == approvals.end() ? nullptr : &*found;
}

namespace fold {

namespace {

struct Folder {
    RunState& state;
    const Head& head;

    // --- run
    void operator()(const RunStarted& f)
    {
        state.id = f.run;
        state.root = f.root;
        state.parent = f.parent;
        state.workflow = f.workflow;
        state.input = f.input;
        state.keyHash = f.keyHash;
        state.origin = f.origin;
        state.forkedFrom = f.forkedFrom;
        state.forkedAt = f.forkedAt;
        state.inherited = f.control;
        state.budget = f.budget;
        state.driven = f.driven;
        state.startedAt = head.time;
        state.controlVersion = head.version;
    }
    void operator()(const ControlChanged& f)
    {
        if (f.own.paused && !state.own.paused) {
            state.pausedBy = head.actor;
            state.pausedAt = head.time;
            state.pauseReason = head.reason;
        }
        state.own = f.own;
        state.controlVersion = head.version;
    }
    void operator()(const ControlInherited& f)
    {
        if (f.parent.paused && !state.paused()) {
            state.pausedBy = head.actor;
            state.pausedAt = head.time;
            state.pauseReason = head.reason;
        }
        state.inherited = f.parent;
        state.controlVersion = head.version;
    }
    void operator()(const RunBlocked& f)
    {
        state.blocked = f.reason;
        state.blockedAt = f.reason == Reason::None ? kNoTime : head.time;
        state.blockedDetail = f.detail;
        state.parked = f.reason != Reason::None && head.verb == Verb::Park;
    }
    void operator()(const RestCancelled&)
    {
        state.restCancelled = true;
        state.controlVersion = head.version;
        for (StepIx ix = 0; ix < state.steps.size(); ++ix) {
            const StepRecord& s = state.steps[ix];
            const bool notBegun = !isFinished(s.state) && s.state != StepState::Unknown && !s.attempt;
            // A child that has not answered is still out there: its step ends with its answer.
            if (!notBegun || s.undoOf != kNoStep || s.waitsForChild())
                continue;
            cancelStep(ix);
        }
        for (auto& approval : state.approvals)
            if (approval.state == ApprovalState::Pending)
                close(approval, ApprovalState::Cancelled);
    }
    void operator()(const CompensationStarted&) { state.compensating = true; }
    void operator()(const RunClosed& f)
    {
        state.closed = true;
        state.closedAs = f.as;
        state.closedByRecovery = f.byRecovery;
        state.output = f.output;
        state.endedAt = head.time;
    }
    void operator()(const RunReopened&)
    {
        state.closed = false;
        state.failureAccepted = false;
        state.told = Attention::Machine;
        state.endedAt = kNoTime;
    }
    void operator()(const RunMigrated& f)
    {
        state.workflow = f.to;
        for (auto& step : state.steps)
            for (const auto& renamed : f.renamed)
                if (step.name == renamed.from) {
                    step.name = renamed.to;
                    break;
                }
    }
    void operator()(const BudgetChanged& f)
    {
        if (auto* line = budgetLine(state, f.unit))
            line->limit = f.limit;
        else
            state.budget.push_back({f.unit, f.limit, 0, reservedNow(state, f.unit)});
    }
    void operator()(const ActAgreed&) { }
    void operator()(const PayloadsRedacted& f)
    {
        for (const PayloadId& id : f.payloads)
            state.redacted.try_emplace(id, head.version);
    }
    void operator()(const FailureAccepted&) { state.failureAccepted = true; }

    // --- steps
    void operator()(const StepAdded& f)
    {
        const auto ix = static_cast<StepIx>(state.steps.size());
        StepRecord step;
        step.id = f.id;
        step.name = f.name;
        step.tool = f.tool;
        step.agent = f.agent;
        step.kind = f.kind;
        step.safety = f.safety;
        step.runsAfterSkip = f.runsAfterSkip;
        step.owner = f.owner;
        step.index = f.index;
        step.undoOf = f.undoOf;
        step.after = f.after;
        step.since = head.time;
        for (const StepIx dependency : f.after) {
            StepRecord& d = state.steps[dependency];
            d.dependents.push_back(ix);
            if (d.state == StepState::Skipped)
                step.skippedDependency = step.skippedDependency || !d.byPerson;
            else if (d.state != StepState::Complete)
                ++step.unmet;
        }
        if (f.owner != kNoStep) {
            StepRecord& owner = state.steps[f.owner];
            owner.members.push_back(ix);
            ++owner.membersOpen;
        }
        state.stepById.emplace(f.id, ix);
        ++state.stepsIn[at(StepState::Pending)];
        if (step.unmet == 0)
            state.fresh.insert(ix);
        state.steps.push_back(std::move(step));
    }
    void operator()(const StepReady& f)
    {
        Touch t(state, f.step, head);
        t->state = StepState::Ready;
        t->input = f.input;
        t->effect = f.effect;
        t->amount = f.amount;
        t->readyAt = head.time;
        t->reason = Reason::None;
    }
    void operator()(const StepWaiting& f)
    {
        Touch t(state, f.step, head);
        t->state = StepState::Waiting;
        t->reason = f.reason;
        t->due = f.due;
        t->waitRun = f.run;
        t->detail = f.detail;
    }
    void operator()(const StepReleased& f)
    {
        if (isFinished(state.steps[f.step].state))
            unfinish(state, f.step, head);
        Touch t(state, f.step, head);
        // As long as was planned: whoever came late to end the wait is not charged to the step.
        if (t->state == StepState::Waiting && t->reason == Reason::Retry)
            t->worked += std::max<SpanMs>(t->due - t->since, 0);
        // A step that never got its input (its template failed) begins at the beginning.
        t->state = t->readyAt == kNoTime ? StepState::Pending : StepState::Ready;
        t->reason = Reason::None;
        t->due = kNoTime;
        t->waitRun = {};
        t->detail = {};
        if (f.resetCounts) {
            t->failures = 0;
            t->lost = 0;
            t->worked = 0;
            t->firstStartedAt = kNoTime;
        }
    }
    void operator()(const StepCompleted& f)
    {
        if (isFinished(state.steps[f.step].state))
            unfinish(state, f.step, head);
        {
            Touch t(state, f.step, head);
            if (f.byPerson)
                use(state, t->held);  // what it really took is not known: the worst case counts
            settleHeld(state, t.step());
            const bool anothers = f.byPerson && t->reason == Reason::EffectKeyConflict;
            t->state = StepState::Complete;
            t->reason = Reason::None;
            t->due = kNoTime;
            t->output = f.output;
            t->fromLedger = f.fromLedger;
            t->byPerson = f.byPerson;
            // Where the key is another's, its effect is not this step's, to be undone with it.
            t->effectDone =
                writes(t->safety) && t->kind == StepKind::Tool && !t->effect.isNull() && !anothers;
            t->completedBy = f.byPerson || f.fromLedger ? AttemptId{} : t->lastAttempt;
        }
        withdraw(f.step);
        finish(state, f.step, head);
    }
    void operator()(const StepFailed& f)
    {
        {
            Touch t(state, f.step, head);
            t->state = StepState::Failed;
            t->reason = f.reason;
            t->due = kNoTime;
            if (f.error) {
                t->error = f.error;
                if (!t->firstError)
                    t->firstError = f.error;
            }
        }
        finish(state, f.step, head);
    }
    void operator()(const StepSkipped& f)
    {
        if (isFinished(state.steps[f.step].state))
            unfinish(state, f.step, head);
        {
            Touch t(state, f.step, head);
            settleHeld(state, t.step());
            t->state = StepState::Skipped;
            t->reason = Reason::None;
            t->due = kNoTime;
            t->byPerson = f.byPerson;
            t->output = f.output;
        }
        withdraw(f.step);
        finish(state, f.step, head);
    }
    void operator()(const StepUnknown& f)
    {
        Touch t(state, f.step, head);
        t->state = StepState::Unknown;
        t->reason = Reason::OutcomeUnknown;
        t->due = f.lookUpAt;
        if (f.evidence)
            t->detail = f.evidence;
    }
    void operator()(const EffectDenied& f)
    {
        Touch t(state, f.step, head);
        t->looked = t->looked || t->lookUps > 0;
        settleHeld(state, t.step());
        t->holdsKey = false;
        t->keySince = kNoTime;
        t->state = StepState::Ready;
        t->reason = Reason::None;
        t->due = kNoTime;
        t->detail = f.evidence;
    }
    void operator()(const EffectEvidence& f) { Touch(state, f.step, head)->detail = f.evidence; }
    void operator()(const InputAmended& f)
    {
        if (isFinished(state.steps[f.step].state))
            unfinish(state, f.step, head);
        Touch t(state, f.step, head);
        t->state = StepState::Ready;
        t->reason = Reason::None;
        t->due = kNoTime;
        t->input = f.input;
        t->effect = f.effect;
        t->amount = f.amount;
        t->readyAt = head.time;
        t->failures = 0;
        t->lost = 0;
        t->worked = 0;
        t->firstStartedAt = kNoTime;
        t->tries = 0;
        t->lookUps = 0;
        t->looked = false;
        t->holdsKey = false;
        t->keySince = kNoTime;
        if (auto* approval = approvalOf(t.step()); approval && approval->state == ApprovalState::Pending)
            close(*approval, ApprovalState::Cancelled);
    }

    // --- attempts
    void operator()(const AttemptStarted& f)
    {
        if (auto* approval = find(f.approval); approval && approval->state == ApprovalState::Approved)
            approval->state = ApprovalState::Used;
        reserve(state, f.reserved, +1);
        Touch t(state, f.step, head);
        AttemptState attempt;
        attempt.id = f.attempt;
        attempt.purpose = f.purpose;
        attempt.number = f.number;
        attempt.session = f.session;
        attempt.worker = f.worker;
        attempt.startedAt = head.time;
        attempt.timeoutAt = f.timeoutAt;
        attempt.heartbeatDue = f.heartbeatDue;
        attempt.approval = f.approval;
        attempt.reserved = f.reserved;
        // Entries of format 1 have neither: the ids are derived, so that old runs fold to the same for ever.
        attempt.trace = f.trace == UuidBytes{} ? legacyTrace(state.id) : f.trace;
        attempt.span = f.span == 0 ? legacySpan(f.attempt) : f.span;
        t->due = attemptDue(attempt);
        t->attempt = std::move(attempt);
        t->lastAttempt = f.attempt;
        t->attempts = f.number;
        if (f.purpose == Purpose::LookUp) {
            ++t->lookUps;
        } else {
            ++t->tries;
            t->holdsKey = writes(t->safety) && !t->effect.isNull();
            if (t->holdsKey && t->keySince == kNoTime)
                t->keySince = head.time;
        }
        if (t->firstStartedAt == kNoTime)
            t->firstStartedAt = head.time;
        // A look-up of an unknown step leaves it unknown; the first look of check_first is the step's own
        // work.
        if (t->state != StepState::Unknown) {
            t->state = StepState::Running;
            t->reason = Reason::None;
        }
        state.attempts[f.attempt] = f.step;
    }
    void operator()(const AttemptRenewed& f)
    {
        Touch t(state, f.step, head);
        if (!t->attempt || t->attempt->id != f.attempt)
            return;
        t->attempt->heartbeatDue = f.heartbeatDue;
        t->due = attemptDue(*t->attempt);
        if (f.progress)
            t->partial = f.progress;
    }
    void operator()(const AttemptEnded& f)
    {
        Touch t(state, f.step, head);
        if (t->attempt) {
            // It may have happened, or did without a result: the reservation stays until that is settled.
            const bool open = f.effect == EffectKnowledge::Unknown || f.effect == EffectKnowledge::Happened;
            if (open && f.how != AttemptEnd::Completed)
                t->held.insert(t->held.end(), t->attempt->reserved.begin(), t->attempt->reserved.end());
            else
                reserve(state, t->attempt->reserved, -1);
        }
        use(state, f.used);
        const bool lookUp = t->attempt && t->attempt->purpose == Purpose::LookUp;
        if (!lookUp && f.how != AttemptEnd::Completed) {
            t->doubt =
                t->doubt || f.effect == EffectKnowledge::Unknown || f.effect == EffectKnowledge::Happened;
            // What a later try says of itself does not tell what an earlier one did.
            if (f.effect == EffectKnowledge::NotHappened && !t->doubt) {
                t->holdsKey = false;
                t->keySince = kNoTime;
            }
        }
        const bool handled = f.how == AttemptEnd::Failed || f.how == AttemptEnd::TimedOut;
        // An attempt that the engine could not begin leaves the step as it was.
        const bool notBegun = f.how == AttemptEnd::Failed && f.failure == FailureClass::NotBegun
            && (f.effect == EffectKnowledge::NoEffect || f.effect == EffectKnowledge::NotHappened);
        if (std::uint32_t& tries = lookUp ? t->lookUps : t->tries; t->attempt && notBegun && tries > 0)
            --tries;
        if (t->attempt && handled && !f.countsAsLost && !notBegun && t->state == StepState::Running)
            t->worked += std::max<SpanMs>(head.time - t->attempt->startedAt, 0);
        t->attempt.reset();
        t->due = kNoTime;
        t->failures += f.countsAsFailure ? 1 : 0;
        t->lost += f.countsAsLost ? 1 : 0;
        t->lookedUp = t->lookedUp || (lookUp && f.effect == EffectKnowledge::Unknown);
        if (f.error
            && f.how != AttemptEnd::Completed) {  // of one that completed: what it reported, as evidence
            t->error = f.error;
            if (!t->firstError)
                t->firstError = f.error;
        }
        if (!f.signature.isNull())
            t->signature = f.signature;
        // Where the facts that follow in the entry say nothing else, the step may be started again.
        if (t->state == StepState::Running)
            t->state = StepState::Ready;
        if (state.restCancelled && t->state == StepState::Ready && t->undoOf == kNoStep)
            m_cancelAfter = f.how != AttemptEnd::Completed && f.effect != EffectKnowledge::Unknown
                && f.effect != EffectKnowledge::Happened;
    }
    void operator()(const PartialResult& f) { Touch(state, f.step, head)->partial = f.output; }
    void operator()(const LateResult&) { }

    // --- approvals, signals, children
    void operator()(const ApprovalRequested& f)
    {
        ApprovalRecord record;
        record.id = f.approval;
        record.step = f.step;
        record.binding = f.binding;
        record.role = f.role;
        record.needed = f.needed;
        record.askedAt = head.time;
        record.expires = f.expires;
        record.askedBy = f.askedBy;
        state.approvals.push_back(std::move(record));
        Touch(state, f.step, head)->approval = f.approval;
    }
    void operator()(const ApprovalDecided& f)
    {
        auto* approval = find(f.approval);
        if (!approval)
            return;
        if (head.actor.kind == ActorKind::Person && f.as != ApprovalState::Rejected)
            approval->consents.push_back({head.actor, head.time, f.note});
        approval->note = f.note;
        if (f.as != ApprovalState::Pending)  // one consent of several needed leaves it pending
            close(*approval, f.as);
    }
    void operator()(const SignalReceived& f)
    {
        state.signals.push_back({f.name, f.messageHash, f.data, head.time, kNoStep});
    }
    void operator()(const SignalConsumed& f)
    {
        if (f.signal < state.signals.size())
            state.signals[f.signal].consumedBy = f.step;
    }
    void operator()(const ChildRequested& f)
    {
        state.childByRun[f.child] = static_cast<std::uint32_t>(state.children.size());
        ChildRecord child;
        child.run = f.child;
        child.step = f.step;
        child.allotment = f.allotment;
        state.children.push_back(std::move(child));
        ++state.openChildren;
        for (const auto& line : f.allotment)
            if (auto* own = budgetLine(state, line.unit))
                own->reserved = saturatedSum(own->reserved, line.limit);
    }
    void operator()(const ChildAnswered& f)
    {
        const auto found = state.childByRun.find(f.child);
        if (found == state.childByRun.end())
            return;
        ChildRecord& child = state.children[found->second];
        child.as = f.as;
        forgetNeeds(state, found->second);
        child.asked.clear();
        state.asking.erase(found->second);
        if (!child.answered) {
            child.answered = true;
            --state.openChildren;
            for (const auto& line : child.allotment)
                if (auto* own = budgetLine(state, line.unit))
                    release(*own, line.limit, state, 0);
        }
        // A repaired child answers again, and says what it used in all: only the difference is new.
        for (Usage before : child.used) {
            before.amount = -before.amount;
            use(state, {before});
        }
        use(state, f.used);
        child.used = f.used;
        child.output = f.output;
        Touch t(state, f.step, head);
        t->detail = f.output;
        if (state.restCancelled && t->state == StepState::Waiting)
            m_cancelAfter = true;
    }
    void operator()(const AllotmentReceived& f) { receiveAllotment(state, f); }
    void operator()(const AllotmentAsked& f) { state.asked = f.wanted; }
    void operator()(const ChildAsked& f) { hearChild(state, f, head); }
    void operator()(const ChildGranted& f) { grantChild(state, f); }
    void operator()(const HolderInDoubt& f) { state.heldInDoubt.insert(f.step); }
    void operator()(const ParentTold& f) { state.told = f.attention; }
    void operator()(const ChildNeeds& f) { hearNeeds(state, f, head); }
    void operator()(const CancelConfirmed& f)
    {
        if (const auto found = state.childByRun.find(f.child); found != state.childByRun.end()) {
            state.children[found->second].cancelConfirmed = f.confirmed;
            state.children[found->second].cancelTotal = f.total;
        }
    }

    void operator()(const TakenOver&) { }

    // --- annotations
    void operator()(const HoldChanged& f)
    {
        state.hold = {f.held, f.until, head.actor, head.time, head.reason, head.version};
    }
    void operator()(const RunAssigned& f) { state.assigned = {f.to.id, head.actor, head.time, head.version}; }
    void operator()(const NoteAdded& f)
    {
        state.notes.push_back({head.version, f.text, f.masked, false, head.actor, head.time});
    }
    void operator()(const NoteWithdrawn& f)
    {
        for (NoteRecord& note : state.notes)
            note.withdrawn = note.withdrawn || note.version == f.note;
    }

    // A step that is over needs nobody's consent any more.
    void withdraw(StepIx ix)
    {
        if (auto* asked = approvalOf(state.steps[ix]); asked && asked->state == ApprovalState::Pending)
            close(*asked, ApprovalState::Cancelled);
    }
    void cancelStep(StepIx ix)
    {
        {
            Touch t(state, ix, head);
            t->state = StepState::Cancelled;
            t->reason = Reason::None;
            t->due = kNoTime;
        }
        finish(state, ix, head);
    }
    ApprovalRecord* find(const ApprovalId& id)
    {
        if (!id.isNull())
            for (auto record = state.approvals.rbegin(); record != state.approvals.rend(); ++record)
                if (record->id == id)
                    return &*record;
        return nullptr;
    }
    ApprovalRecord* approvalOf(const StepRecord& step) { return find(step.approval); }
    void close(ApprovalRecord& record, ApprovalState as)
    {
        record.state = as;
        record.decidedAt = head.time;
        record.decidedBy = head.actor;
    }

    bool m_cancelAfter = false;  // the step was cancelled while under way: cancelled once its Touch is over
};

template<class F> StepIx stepOf(const F& f)
{
    if constexpr (requires { f.step; })
        return f.step;
    else
        return kNoStep;
}

}  // namespace

void begin(RunState& state, const Head& head)
{
    state.version = head.version;
    state.changedAt = head.time;
}

void fact(RunState& state, const Fact& fact, const Head& head)
{
    Folder folder{state, head, false};
    std::visit(folder, fact);
    if (folder.m_cancelAfter)
        folder.cancelStep(std::visit([](const auto& f) { return stepOf(f); }, fact));
}

}  // namespace fold

void apply(RunState& state, const Entry& entry)
{
    assert(entry.version == state.version + 1);
    const fold::Head head{entry.version, entry.verb, entry.actor, entry.time, entry.reason};
    fold::begin(state, head);
    for (const Fact& fact : entry.facts)
        fold::fact(state, fact, head);
}

}  // namespace cairn
