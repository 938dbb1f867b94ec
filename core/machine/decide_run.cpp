// Starting, driving, forking and migrating runs, and what other runs and outside parties send.

#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

void Decider::Impl::addStep(const cmd::NewStep& n, StepIx owner, std::uint32_t index)
{
    StepAdded add;
    add.id = n.id;
    add.name = n.name.empty() ? n.id : n.name;
    add.kind = n.kind;
    add.safety = n.safety;
    add.tool = n.tool;
    add.agent = n.agent;
    add.owner = owner;
    add.index = index;
    if (const StepDef* d = g.definition ? g.definition->step(add.name, s.steps.size()) : nullptr) {
        add.kind = d->forEach ? StepKind::FanOut : d->kind;
        add.tool = d->tool;
        add.runsAfterSkip = d->runsAfterSkip;
        if (add.agent.empty())
            add.agent = d->agent;
        if (const ToolDef* t = g.definition->tool(d->tool))
            add.safety = t->safety;
    }
    for (const auto& id : n.after)
        add.after.push_back(indexOf(id));
    emit(std::move(add));
}

void Decider::Impl::addDefinedSteps()
{
    std::map<std::string, std::string>
        idOf;  // by the definition's name; a migrated run has some under other ids
    for (const StepRecord& r : s.steps)
        if (r.owner == kNoStep && r.undoOf == kNoStep)
            idOf.emplace(r.name, r.id);
    std::vector<const StepDef*> waiting;
    for (const StepDef& d : g.definition->steps)
        if (!d.onDemand && !idOf.contains(d.name))
            waiting.push_back(&d);
    // Dependencies first; a definition is checked to have no cycle, so each round places at least one step.
    while (!waiting.empty()) {
        std::vector<const StepDef*> later;
        for (const StepDef* d : waiting) {
            cmd::NewStep step{d->name, d->name, d->kind, ReplaySafety::ReadOnly, d->tool, d->agent, {}};
            for (const auto& name : d->after)
                if (const auto found = idOf.find(name); found != idOf.end())
                    step.after.push_back(found->second);
            if (step.after.size() < d->after.size()) {
                later.push_back(d);
                continue;
            }
            addStep(step, kNoStep, 0);
            idOf.emplace(d->name, d->name);
        }
        if (later.size() == waiting.size())
            return;
        waiting = std::move(later);
    }
}

bool Decider::Impl::own(const cmd::Start& c)
{
    RunStarted start;
    start.run = c.run;
    start.root = c.root.isNull() ? c.run : c.root;
    start.parent = c.parent;
    start.input = c.input;
    start.keyHash = c.keyHash;
    start.origin = c.origin.isNull() ? c.run : c.origin;
    start.control = c.inherited;
    start.driven = c.driven;
    if (g.definition && !c.driven) {
        start.workflow = g.definition->ref;
        start.budget = g.definition->budget;
    }
    if (!c.allotment.empty())
        start.budget = c.allotment;
    emit(std::move(start));
    if (!c.allotment.empty() && !c.budgetAt.isNull())
        emit(AllotmentReceived{c.allotment, c.budgetAt});
    if (c.driven)
        return true;
    addDefinedSteps();
    if (g.definition->deadline > 0) {
        Control control;
        control.deadline = g.now + g.definition->deadline;
        control.revision = 1;
        emit(ControlChanged{control, {}});
    }
    if (s.inherited.cancelled)
        cancelRest();
    return true;
}

bool Decider::Impl::own(const cmd::AddSteps& c)
{
    for (const auto& add : c.steps)
        addStep(add, kNoStep, 0);
    return true;
}

// Driven runs: the step is added once; the caller then gets the result, a claim, or has to wait.
bool Decider::Impl::own(const cmd::DrivenStep& c)
{
    if (!s.stepById.contains(c.step.id))
        addStep(c.step, kNoStep, 0);
    const StepIx ix = indexOf(c.step.id);
    if (s.fresh.contains(ix)) {
        const auto found = g.rendered.find(ix);
        if (found == g.rendered.end()) {
            needs.render.push_back(ix);
            return false;
        }
        emit(StepReady{ix, c.input, found->second.effect, found->second.amount});
    }
    if (step(ix).state != StepState::Ready || !mayStart(step(ix)))
        return true;
    switch (askLedger(ix)) {
    case Ledger::Stop: return false;
    case Ledger::Moved: return true;
    case Ledger::Go: break;
    }
    startAttempt(ix, Purpose::Do, nullptr, tool(ix), {}, c.worker, c.heartbeat);
    return true;
}

bool Decider::Impl::own(const cmd::Claim& c)
{
    StepIx ix = kNoStep;
    if (!c.step.empty())
        ix = indexOf(c.step);
    for (auto candidate = s.ready.begin(); ix == kNoStep && candidate != s.ready.end(); ++candidate)
        if (claimable(s, step(*candidate), c.tools))
            ix = *candidate;
    if (ix == kNoStep || gateByApproval(ix, def(ix), tool(ix)))
        return true;
    begin(ix, {}, c.worker, c.heartbeat);
    return needs.empty();
}

bool Decider::Impl::own(const cmd::RequestApproval& c)
{
    if (!s.stepById.contains(c.step.id)) {
        cmd::NewStep step = c.step;
        step.kind = StepKind::Approval;
        addStep(step, kNoStep, 0);
    }
    const StepIx ix = indexOf(c.step.id);
    if (!s.fresh.contains(ix))
        return true;
    emit(StepReady{ix, c.input, {}, {}});
    askApproval(ix, c.policy, nullptr, cmd.actor);
    return true;
}

bool Decider::Impl::own(const cmd::Signal& c)
{
    emit(SignalReceived{c.name, c.messageHash, c.data});
    const auto waiting = s.waiting[static_cast<std::size_t>(Reason::Signal)];
    for (const auto& [since, ix] : waiting) {
        const StepDef* d = def(ix);
        if ((d ? d->signal : step(ix).name) != c.name)
            continue;
        emit(SignalConsumed{ix, static_cast<std::uint32_t>(s.signals.size() - 1)});
        emit(StepCompleted{ix, c.data, false, false});
        break;  // one signal ends one wait
    }
    return true;
}

bool Decider::Impl::own(const cmd::Fork& c)
{
    const RunState& from = *g.forkSource;
    const auto copy = [&](const PayloadRef& ref) {
        const auto found = g.copies.find(ref.id);
        return found == g.copies.end() ? PayloadRef{} : found->second;
    };
    RunStarted start;
    start.run = c.newRun;
    start.root = c.newRun;
    start.workflow = from.workflow;
    start.input = copy(from.input);
    // The origin names the effect keys: a fork never repeats what its source already did, unless asked to.
    start.origin = c.newEffects ? c.newRun : from.origin;
    start.forkedFrom = from.id;
    start.forkedAt = c.fromVersion;
    start.driven = from.driven;
    for (BudgetLine line : from.budget) {
        line.used = line.reserved = 0;
        start.budget.push_back(std::move(line));
    }
    emit(std::move(start));
    std::vector<StepIx> place(from.steps.size(), kNoStep);  // undo steps are left out, so positions may move
    for (StepIx old = 0; old < from.steps.size(); ++old) {
        const StepRecord& r = from.steps[old];
        if (r.undoOf != kNoStep)
            continue;
        StepAdded add{
            r.id, r.name, r.kind, r.safety, r.tool, r.agent, {}, kNoStep, r.index, kNoStep, r.runsAfterSkip};
        for (const StepIx dependency : r.after)
            add.after.push_back(place[dependency]);
        if (r.owner != kNoStep)
            add.owner = place[r.owner];
        const StepIx ix = place[old] = static_cast<StepIx>(s.steps.size());
        emit(std::move(add));
        if (r.state == StepState::Complete) {
            emit(StepReady{ix, copy(r.input), r.effect, r.amount});
            emit(StepCompleted{ix, copy(r.output), r.fromLedger, r.byPerson});
        } else if (r.state == StepState::Skipped) {
            emit(StepSkipped{ix, r.byPerson, copy(r.output)});
        } else if (r.kind == StepKind::FanOut && r.state == StepState::Waiting) {
            emit(StepReady{ix, copy(r.input), {}, {}});
            emit(StepWaiting{ix, Reason::Dependency, kNoTime, {}, {}});
        }
    }
    return true;
}

bool Decider::Impl::own(const cmd::Migrate&)
{
    RunMigrated migrated{g.target->ref, {}};
    for (const auto& [from, to] : fitOf(s, *g.target).renamedSteps)
        migrated.renamed.push_back({from, to});
    emit(std::move(migrated));
    g.definition = g.target;
    if (!s.parked && (s.blocked == Reason::Incompatible || s.blocked == Reason::Worker))
        emit(RunBlocked{Reason::None, {}});
    addDefinedSteps();
    const auto queued = s.waiting[static_cast<std::size_t>(Reason::Capacity)];
    for (const auto& [since, ix] : queued)
        emit(StepReleased{ix, false});  // it may need another resource now, or none
    if (s.restCancelled)
        emit(RestCancelled{});  // the new steps are cancelled with the rest
    scanAll = true;
    return true;
}

bool Decider::Impl::own(const cmd::Deliver& c)
{
    switch (c.kind) {
    case cmd::MessageKind::StartChild: return true;
    case cmd::MessageKind::CancelConfirmed: emit(CancelConfirmed{c.from, c.confirmed, c.total}); return true;
    case cmd::MessageKind::ControlFlow: {
        const bool cancels = c.control.cancelled && !s.restCancelled;
        emit(ControlInherited{c.control});
        if (cancels && !s.closed)
            cancelRest();
        if (s.blocked == Reason::Deadline && (s.deadline() == kNoTime || s.deadline() > g.now))
            emit(RunBlocked{Reason::None, {}});
        scanAll = true;
        return true;
    }
    case cmd::MessageKind::EffectReleased: {
        const auto waiting = s.waiting[static_cast<std::size_t>(Reason::EffectInFlight)];
        for (const auto& [since, ix] : waiting) {
            if (step(ix).effect != c.effect)
                continue;
            emit(StepReleased{ix, false});
            proceed(ix);
        }
        return true;
    }
    case cmd::MessageKind::BudgetAsked:
        // One that has answered draws on nothing of this run any more, and one that is over sets no budget.
        if (s.closed || s.children[s.childByRun.at(c.from)].answered)
            emit(ChildGranted{c.from, {}});
        else
            emit(ChildAsked{c.from, c.used, c.control.revision});
        return true;
    case cmd::MessageKind::ChildHeld:
        emit(StepWaiting{
            s.children[s.childByRun.at(c.from)].step, Reason::Incompatible, kNoTime, c.from, c.output});
        return true;
    case cmd::MessageKind::ChildBegun:
        emit(StepWaiting{s.children[s.childByRun.at(c.from)].step, Reason::Child, kNoTime, c.from, {}});
        return true;
    case cmd::MessageKind::ChildNeeds:
        emit(ChildNeeds{c.from, static_cast<Attention>(c.total), c.control.revision});
        return true;
    case cmd::MessageKind::BudgetGranted: emit(AllotmentReceived{c.allotment, c.budgetAt}); return true;
    case cmd::MessageKind::ChildFinished: break;
    }
    const StepIx ix = s.children[s.childByRun.at(c.from)].step;
    emit(ChildAnswered{ix, c.from, c.as, c.output, c.used});
    const StepRecord& r = step(ix);
    const bool waits = r.waitsForChild();
    const bool repaired = r.state == StepState::Failed && r.reason == Reason::FailedChild && !s.closed;
    if (c.as == Activity::Completed && (waits || repaired))
        emit(StepCompleted{ix, c.output, false, false});
    else if (waits)
        failStep(ix, Reason::FailedChild, c.output);
    return true;
}

}  // namespace cairn
