// What follows by itself: steps become ready, attempts start, waits begin, the run closes.

#include "core/base/wire.h"
#include "core/machine/decider.h"
#include "core/machine/retry.h"
#include "core/machine/unclear.h"

#include <algorithm>

namespace cairn {

namespace {

// Runs that were told the same time by a server are spread over this share of the wait, at most 10 s.
constexpr SpanMs kMaxSpread = 10'000;
constexpr SpanMs kCapacityRecheck = 5'000;

std::string seedOf(const CommandId& command, StepIx ix, std::uint32_t number)
{
    WireWriter w;
    w.id(command);
    w.u32(ix);
    w.u32(number);
    return w.take();
}

bool samePrincipal(const RunState& s, StepIx ix, const LedgerRow& row)
{
    return row.holder == s.id && row.holderStep == s.steps[ix].id;
}

}  // namespace

RunId childId(const RunId& parent, const StepRecord& step)
{
    WireWriter seed;
    seed.id(parent);
    seed.bytes(step.id);
    seed.u32(step.index);
    return deriveId<RunId>("child", seed.out());
}

bool Decider::Impl::mayStart(const StepRecord& r) const
{
    if (s.closed || s.paused() || s.blocked != Reason::None)
        return false;
    return !s.restCancelled || r.undoOf != kNoStep;
}

void Decider::Impl::settle()
{
    if (s.closed)
        return;
    checkVersions();
    finishFanOuts();
    releaseBudget();
    grantChildren();
    bool progress = true;
    while (progress && !s.paused() && s.blocked == Reason::None) {
        progress = false;
        const std::vector<StepIx> fresh(s.fresh.begin(), s.fresh.end());
        for (const StepIx ix : fresh)
            progress = openFresh(ix) || progress;
        finishFanOuts();
        if (!s.ready.empty() && (scanAll || (!g.session.isNull() && capacity > 0))) {
            // Walked in place: a copy of ten thousand ready steps for each completion would cost more than
            // all the rest.
            for (auto it = s.ready.begin(); it != s.ready.end() && (scanAll || mayAsk());) {
                const StepIx ix = *it;
                progress = proceed(ix) || progress;
                it = s.ready.upper_bound(ix);
            }
            scanAll = scanAll && !needs.empty();  // what lacked is looked at again
        }
        finishFanOuts();
        progress = progress && !s.fresh.empty();
    }
    startLookUps();
    if (needs.empty()) {
        askParent();
        close();
    }
}

// Reason `worker`: this engine does not serve the version. Reason `incompatible`: the definition is not in
// the store.
void Decider::Impl::checkVersions()
{
    if (s.driven || g.session.isNull() || s.parked)
        return;
    const Reason reason = !g.definition ? Reason::Incompatible : !g.served ? Reason::Worker : Reason::None;
    const bool ours =
        s.blocked == Reason::None || s.blocked == Reason::Incompatible || s.blocked == Reason::Worker;
    if (ours && s.blocked != reason)
        emit(RunBlocked{reason, reason == Reason::None ? PayloadRef{} : g.detail});
}

bool Decider::Impl::openFresh(StepIx ix)
{
    const StepRecord& r = step(ix);
    if (!s.fresh.contains(ix) || !mayStart(r))
        return false;
    if (r.skippedDependency && !r.runsAfterSkip) {
        emit(StepSkipped{ix, false, {}});
        return true;
    }
    if (s.driven || !g.definition)
        return false;  // a driven run's steps are opened by its caller
    const auto found = g.rendered.find(ix);
    if (found == g.rendered.end()) {
        needs.render.push_back(ix);
        return false;
    }
    const Rendered& rendered = found->second;
    if (!rendered.failed && !rendered.condition) {
        emit(StepSkipped{ix, false, {}});
        return true;
    }
    if (rendered.failed) {
        failStep(ix, Reason::Incompatible, rendered.error);
        return true;
    }
    emit(StepReady{ix, rendered.input, rendered.effect, rendered.amount});
    proceed(ix);
    return true;
}

bool Decider::Impl::proceed(StepIx ix)
{
    if (!mayStart(step(ix)))
        return false;
    const StepDef* d = def(ix);
    switch (step(ix).kind) {
    case StepKind::Tool:
    case StepKind::Decision: return startTool(ix);
    case StepKind::Approval:
        askApproval(ix, d && d->approval ? *d->approval : ApprovalPolicy{}, nullptr,
            {ActorKind::Run, step(ix).agent});
        return true;
    case StepKind::Timer: {
        const auto found = g.rendered.find(ix);
        const TimeMs until = found == g.rendered.end() ? kNoTime : found->second.until;
        const TimeMs due = until != kNoTime ? until : g.now + (d ? d->wait : 0);
        if (due <= g.now)
            emit(StepCompleted{ix, {}, false, false});
        else
            emit(StepWaiting{ix, Reason::Timer, due, {}, {}});
        return true;
    }
    case StepKind::Signal: return takeSignal(ix);
    case StepKind::Run: return openChild(ix);
    case StepKind::FanOut: {
        const auto found = g.rendered.find(ix);
        if (found == g.rendered.end()) {
            needs.render.push_back(ix);
            return false;
        }
        openFanOut(ix, found->second);
        return true;
    }
    }
    return false;
}

bool Decider::Impl::takeSignal(StepIx ix)
{
    const StepDef* d = def(ix);
    const std::string& name = d ? d->signal : step(ix).name;
    for (std::uint32_t i = 0; i < s.signals.size(); ++i) {
        if (s.signals[i].consumedBy != kNoStep || s.signals[i].name != name)
            continue;
        const PayloadRef data = s.signals[i].data;
        emit(SignalConsumed{ix, i});
        emit(StepCompleted{ix, data, false, false});
        return true;
    }
    const TimeMs due = d && d->wait > 0 ? g.now + d->wait : kNoTime;
    emit(StepWaiting{ix, Reason::Signal, due, {}, {}});
    return true;
}

bool Decider::Impl::openChild(StepIx ix)
{
    const RunId id = childId(s.id, step(ix));
    if (const auto known = s.childByRun.find(id); known != s.childByRun.end()) {
        const ChildRecord& child = s.children[known->second];
        // The step was released by a repair: the child's present state is the answer, it is not started
        // again.
        if (!child.answered)
            emit(StepWaiting{ix, Reason::Child, kNoTime, child.run, {}});
        else if (child.as == Activity::Completed)
            emit(StepCompleted{ix, child.output, false, false});
        else
            failStep(ix, Reason::FailedChild, child.output);
        return true;
    }
    const StepDef* d = def(ix);
    const std::vector<BudgetLine> allotment = d ? d->allotment : std::vector<BudgetLine>{};
    std::vector<Usage> wanted;
    for (const auto& line : allotment)
        wanted.push_back({line.unit, line.limit});
    if (!fitsBudget(wanted)) {
        emit(StepWaiting{ix, Reason::Budget, kNoTime, {}, {}});
        return true;
    }
    emit(ChildRequested{ix, id, allotment});
    emit(StepWaiting{ix, Reason::Child, kNoTime, id, {}});
    return true;
}

void Decider::Impl::openFanOut(StepIx ix, const Rendered& rendered)
{
    if (rendered.items == 0) {
        emit(StepCompleted{ix, {}, false, false});
        return;
    }
    emit(StepWaiting{ix, Reason::Dependency, kNoTime, {}, {}});
    const StepDef* d = def(ix);
    const ToolDef* t = d && !d->tool.empty() ? g.definition->tool(d->tool) : nullptr;
    for (std::uint32_t i = 0; i < rendered.items; ++i) {
        StepAdded member;
        member.id = step(ix).id + "#" + std::to_string(i);
        member.name = step(ix).name;
        member.kind = d ? d->kind : StepKind::Tool;
        member.tool = step(ix).tool;
        member.agent = step(ix).agent;
        member.safety = t ? t->safety : ReplaySafety::ReadOnly;
        member.owner = ix;
        member.index = i;
        emit(std::move(member));
    }
}

void Decider::Impl::finishFanOuts()
{
    while (!owners.empty()) {
        const StepIx ix = owners.back();
        owners.pop_back();
        const StepRecord& r = step(ix);
        // A failed member leaves it waiting: the member carries the reason and can be repaired.
        if (r.state == StepState::Waiting && r.reason == Reason::Dependency && r.membersOpen == 0
            && r.membersFailed == 0)
            emit(StepCompleted{ix, {}, false, false});
    }
}

void Decider::Impl::askApproval(StepIx ix, const ApprovalPolicy& policy, const ToolDef* t, const Actor& asker)
{
    ApprovalRequested ask;
    ask.approval =
        deriveId<ApprovalId>("approval", seedOf(cmd.id, ix, static_cast<std::uint32_t>(s.approvals.size())));
    ask.step = ix;
    ask.binding = bindingOf(step(ix), t);
    ask.expires = policy.expiresAfter > 0 ? g.now + policy.expiresAfter : kNoTime;
    ask.role = policy.role;
    ask.needed = std::max<std::uint8_t>(policy.needed, 1);
    ask.askedBy = asker;
    const TimeMs expires = ask.expires;
    emit(std::move(ask));
    emit(StepWaiting{ix, Reason::Approval, expires, {}, {}});
}

// True: the step waits for a person (or began to).
bool Decider::Impl::gateByApproval(StepIx ix, const StepDef* d, const ToolDef* t)
{
    if (!d || !d->approval || step(ix).undoOf != kNoStep)
        return false;
    const ApprovalRecord* given = approval(step(ix).approval);
    const bool consented = given
        && (given->state == ApprovalState::Approved || given->state == ApprovalState::Used)
        && given->binding == bindingOf(step(ix), t);
    if (consented)
        return false;
    askApproval(ix, *d->approval, t, {ActorKind::Run, step(ix).agent});
    return true;
}

Decider::Impl::Ledger Decider::Impl::askLedger(StepIx ix)
{
    const StepRecord& r = step(ix);
    if (!writes(r.safety) || r.effect.isNull())
        return Ledger::Go;
    if (claimed.contains(r.effect)) {
        emit(StepWaiting{ix, Reason::EffectInFlight, kNoTime, s.id, {}});
        return Ledger::Moved;
    }
    const auto found = g.ledger.find(r.effect);
    if (found == g.ledger.end()) {
        needs.ledger.push_back(r.effect);
        return Ledger::Stop;
    }
    const LedgerRow& row = found->second;
    if (row.state == LedgerState::Absent || row.state == LedgerState::NotHappened)
        return Ledger::Go;
    if (row.unknowable && (row.state != LedgerState::InFlight || samePrincipal(s, ix, row))) {
        emit(StepUnknown{ix, {}, kNoTime});
        return Ledger::Moved;
    }
    if (!row.sameInput && !row.unknowable
        && !(samePrincipal(s, ix, row) && row.state != LedgerState::Completed)) {
        failStep(ix, Reason::EffectKeyConflict, {});
        return Ledger::Moved;
    }
    if (row.state == LedgerState::Completed) {
        emit(StepCompleted{ix, row.result, true, false});
        return Ledger::Moved;
    }
    if (samePrincipal(s, ix, row))
        return Ledger::Go;
    emit(StepWaiting{ix, Reason::EffectInFlight, kNoTime, row.holder, {}});
    if (row.state == LedgerState::Unknown)
        emit(HolderInDoubt{ix});
    return Ledger::Moved;
}

// True: the resource has no room now. Back-off is a wait with a time. Where all permits are spent the step
// waits for one too: Advance gives it back as soon as this engine has a permit. Its time only says when a run
// that nobody owns is to be claimed again (nextDueOf); nothing is written while there is no permit.
bool Decider::Impl::throttled(StepIx ix, const ToolDef* t)
{
    if (!t || t->resource.empty())
        return false;
    const auto found = g.resources.find(t->resource);
    if (found == g.resources.end()) {
        needs.resources.push_back(t->resource);
        return true;
    }
    if (found->second.backOffUntil > g.now) {
        const SpanMs left = found->second.backOffUntil - g.now;
        const SpanMs spread = jitter(std::min(left, kMaxSpread), g.seed, s.id, ix, step(ix).attempts);
        emit(StepWaiting{ix, Reason::Resource, found->second.backOffUntil + spread, {}, {}});
        return true;
    }
    if (spent[t->resource] < found->second.permits)
        return false;
    const SpanMs again = kCapacityRecheck + jitter(kCapacityRecheck, g.seed, s.id, ix, step(ix).revision);
    emit(StepWaiting{ix, Reason::Capacity, g.now + again, found->second.holder, {}});
    return true;
}

bool Decider::Impl::startTool(StepIx ix)
{
    const StepDef* d = def(ix);
    const ToolDef* t = tool(ix);
    if (!s.driven && !t) {
        failStep(ix, Reason::Incompatible, {});
        return true;
    }
    if (gateByApproval(ix, d, t))
        return true;
    if (g.session.isNull() || !mayAsk() || s.driven || (t && t->executor == "worker"))
        return false;
    const bool moved = begin(ix, g.session, {}, 0);
    if (step(ix).attempt)
        --capacity;
    return moved;
}

// The one way in which the work of a ready step begins, by an engine or by a worker outside (no session).
// False where nothing was decided: something is needed first.
bool Decider::Impl::begin(StepIx ix, SessionId session, const std::string& worker, SpanMs heartbeat)
{
    const ToolDef* t = tool(ix);
    // Too late for another call that the provider would take for the first one: nobody repeats it blindly.
    if (t && t->keysKept > 0 && step(ix).inDoubt() && !keyIsKept(step(ix), t, g.now)) {
        emit(StepUnknown{ix, {}, t->lookUp.empty() ? kNoTime : g.now});
        return true;
    }
    if (overBudget(ix, t))
        return true;
    const std::size_t before = entry.facts.size();
    if (throttled(ix, t))
        return entry.facts.size() != before;
    switch (askLedger(ix)) {
    case Ledger::Stop: return false;
    case Ledger::Moved: return true;
    case Ledger::Go: break;
    }
    const StepRecord& r = step(ix);
    const bool lookFirst =
        t && t->checkFirst && !t->lookUp.empty() && writes(r.safety) && r.tries == 0 && !r.looked;
    const Purpose purpose = lookFirst ? Purpose::LookUp : r.undoOf != kNoStep ? Purpose::Undo : Purpose::Do;
    startAttempt(ix, purpose, def(ix), t, session, worker, heartbeat);
    return true;
}

void Decider::Impl::startAttempt(StepIx ix, Purpose purpose, const StepDef* d, const ToolDef* t,
    SessionId session, const std::string& worker, SpanMs heartbeat)
{
    const StepRecord& r = step(ix);
    AttemptStarted start;
    start.step = ix;
    start.number = r.attempts + 1;
    start.attempt = deriveId<AttemptId>("attempt", seedOf(cmd.id, ix, start.number));
    start.purpose = purpose;
    start.session = session;
    start.worker = worker;
    const SpanMs timeout = d && d->timeout > 0 ? d->timeout : t ? t->timeout : 0;
    start.timeoutAt = timeout > 0 ? g.now + timeout : kNoTime;
    // The step's time as a whole bounds its tries too, and the first look of check_first. An unknown effect
    // is asked after for as long as that takes. What a caller drives has no policy that somebody chose.
    if (const auto left = t && r.state != StepState::Unknown ? timeLeft(ix) : std::nullopt)
        start.timeoutAt = std::min(
            start.timeoutAt == kNoTime ? g.now + *left : start.timeoutAt, g.now + std::max<SpanMs>(*left, 1));
    start.heartbeatDue = heartbeat > 0 ? g.now + heartbeat : kNoTime;
    if (const ApprovalRecord* consent = approval(r.approval);
        consent && (consent->state == ApprovalState::Approved || consent->state == ApprovalState::Used))
        start.approval = consent->id;
    if (t && purpose != Purpose::LookUp)
        start.reserved = t->worstCase;
    if (g.format >= kFormat2) {
        start.trace = deriveUuid("trace", s.root.view());
        const Digest span = sha256("span", start.attempt.view());
        for (std::size_t i = 0; i < 8; ++i)
            start.span = (start.span << 8) | span.bytes[i];
        start.span |= 1;  // zero means "not recorded" in the W3C trace context
    }
    if (writes(r.safety) && !r.effect.isNull())
        claimed.insert(r.effect);
    if (t && !t->resource.empty() && purpose != Purpose::LookUp)
        ++spent[t->resource];
    emit(std::move(start));
}

void Decider::Impl::startLookUps()
{
    if (g.session.isNull() || s.blocked == Reason::Worker || s.blocked == Reason::Incompatible)
        return;
    const std::vector<StepIx> unknown(s.unknown.begin(), s.unknown.end());
    for (const StepIx ix : unknown) {
        if (capacity == 0)
            return;
        const StepRecord& r = step(ix);
        if (r.attempt || r.due == kNoTime || r.due > g.now)
            continue;
        startAttempt(ix, Purpose::LookUp, def(ix), tool(ix), g.session, {}, 0);
        --capacity;
    }
}

// Undo steps for completed effects, the newest first, one after the other. False: there is nothing to undo.
bool Decider::Impl::startCompensation()
{
    if (!g.definition)
        return false;
    std::vector<std::pair<TimeMs, StepIx>> done;
    for (StepIx ix = 0; ix < s.steps.size(); ++ix) {
        const StepRecord& r = s.steps[ix];
        const ToolDef* t = tool(ix);
        if (r.effectDone && r.undoOf == kNoStep && t && !t->undoTool.empty()
            && !s.stepById.contains("undo:" + r.id))
            done.emplace_back(r.endedAt, ix);
    }
    if (done.empty())
        return false;
    std::sort(done.rbegin(), done.rend());
    emit(CompensationStarted{});
    StepIx previous = kNoStep;
    for (const auto& [at, ix] : done) {
        const ToolDef* undo = g.definition->tool(tool(ix)->undoTool);
        StepAdded add;
        add.id = "undo:" + step(ix).id;
        add.name = step(ix).name;
        add.tool = tool(ix)->undoTool;
        add.agent = step(ix).agent;
        add.safety = undo ? undo->safety : ReplaySafety::Irreversible;
        add.undoOf = ix;
        add.runsAfterSkip = true;  // each undo stands for itself
        if (previous != kNoStep)
            add.after.push_back(previous);
        previous = static_cast<StepIx>(s.steps.size());
        emit(std::move(add));
    }
    return true;
}

void Decider::Impl::closeAsFailed(bool byRecovery)
{
    emit(RunClosed{Activity::Failed, s.steps[*s.failed.begin()].error, byRecovery});
}

void Decider::Impl::close()
{
    if (s.closed || s.parked || !s.running.empty() || !s.unknown.empty())
        return;
    std::uint32_t open = 0;
    for (auto st = StepState::Pending; st < StepState::Complete;
         st = static_cast<StepState>(static_cast<int>(st) + 1))
        open += s.stepsIn[static_cast<std::size_t>(st)];
    const bool byRecovery =
        std::holds_alternative<cmd::Recover>(cmd.body) || std::holds_alternative<cmd::Advance>(cmd.body);
    if (s.restCancelled) {
        if (open > 0 || s.openChildren > 0)
            return;
        const bool wanted = s.own.compensate || s.inherited.compensate;
        if (!s.compensating && wanted && startCompensation()) {
            settle();
            return;
        }
        for (const StepIx ix : s.failed)
            if (s.steps[ix].undoOf != kNoStep)
                return;  // an undo that failed waits for its repair
        if (s.compensating)
            emit(RunClosed{Activity::Compensated, {}, byRecovery});
        else if (!s.cancelled() && !s.failed.empty())
            closeAsFailed(byRecovery);  // it failed, and there was nothing to undo
        else
            emit(RunClosed{Activity::Cancelled, {}, byRecovery});
        return;
    }
    if (s.driven)
        return;
    if (!s.failed.empty()) {
        if (!g.definition || !(g.definition->closeOnFailure || g.definition->compensateOnFailure))
            return;
        // What has begun to move is let finish, so that a retry of one of several failed steps can begin at
        // all.
        if (s.openChildren > 0 || !s.ready.empty() || !s.fresh.empty())
            return;
        if (g.definition->compensateOnFailure && !s.own.compensate) {
            Control own = s.own;
            own.compensate = true;
            ++own.revision;
            emit(ControlChanged{own, {}});
            cancelRest();
            settle();
            return;
        }
        closeAsFailed(byRecovery);
        return;
    }
    if (open > 0)
        return;
    if (g.definition && !g.definition->output.empty() && !g.outputRendered) {
        needs.output = true;
        return;
    }
    emit(RunClosed{Activity::Completed, g.output, byRecovery});
}

}  // namespace cairn
