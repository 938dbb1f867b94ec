// What follows from an entry for other runs and for the effect ledger. Derived from entry and state, so it
// can always be worked out again.

#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

namespace {

std::uint32_t confirmedOf(const RunState& s)
{
    std::uint32_t sum = s.closed ? 1 : 0;
    for (const auto& child : s.children)
        sum += child.answered ? std::max(child.cancelTotal, 1U) : child.cancelConfirmed;
    return sum;
}

std::uint32_t totalOf(const RunState& s)
{
    std::uint32_t sum = 1;
    for (const auto& child : s.children)
        sum += std::max(child.cancelTotal, 1U);
    return sum;
}

// A child's effects are named after what its parent began as: a fork of the parent starts a new child, whose
// effects have the same keys as those of the first one, so it never pays twice. Where the parent is no fork
// this is the child itself.
RunId childOrigin(const RunState& s, StepIx ix) { return childId(s.origin, s.steps[ix]); }

struct Messenger {
    const RunState& s;
    const Definition* definition;
    std::vector<Message> out;
    bool control = false;
    bool confirm = false;
    bool attention = false;

    void operator()(const ChildRequested& f)
    {
        Message m;
        m.kind = cmd::MessageKind::StartChild;
        m.to = f.child;
        m.step = f.step;
        m.index = s.steps[f.step].index;
        m.payload = s.steps[f.step].input;
        m.allotment = f.allotment;
        m.budgetAt = s.budgetAt.isNull() ? s.id : s.budgetAt;
        m.control = controlForChildren(s);
        m.root = s.root;
        m.origin = childOrigin(s, f.step);
        if (const StepDef* d = definition ? definition->step(s.steps[f.step].name) : nullptr) {
            m.workflow = d->workflow;
            m.workflowVersion = d->workflowVersion;
        }
        out.push_back(std::move(m));
    }
    void operator()(const RunClosed& f)
    {
        if (s.parent.run.isNull())
            return;
        Message m;
        m.kind = cmd::MessageKind::ChildFinished;
        m.to = s.parent.run;
        m.step = s.parent.step;
        m.payload = f.output;
        m.as = f.as;
        for (const auto& line : s.budget)
            m.used.push_back({line.unit, line.used});
        m.confirmed = confirmedOf(s);
        m.total = totalOf(s);
        out.push_back(std::move(m));
    }
    void operator()(const AllotmentAsked& f)
    {
        Message m;
        m.kind = cmd::MessageKind::BudgetAsked;
        m.to = s.parent.run;
        m.step = s.parent.step;
        m.used = f.wanted;
        m.control.revision = s.version;
        out.push_back(std::move(m));
    }
    void operator()(const ChildGranted& f)
    {
        Message m;
        m.kind = cmd::MessageKind::BudgetGranted;
        m.to = f.child;
        if (f.more.empty())
            m.budgetAt = f.child;
        else
            m.budgetAt = s.budgetAt.isNull() ? s.id : s.budgetAt;
        for (const BudgetLine& line : s.children[s.childByRun.at(f.child)].allotment)
            m.allotment.push_back({line.unit, line.limit, 0, 0});
        if (f.more.empty())
            m.allotment.clear();
        out.push_back(std::move(m));
    }
    // A child that goes on after its answer says so, also where it says nothing else.
    void operator()(const RunReopened&) { attention = true; }
    void operator()(const ParentTold&) { attention = true; }
    void operator()(const ControlChanged&) { control = true; }
    void operator()(const ControlInherited&) { control = true; }
    void operator()(const RestCancelled&)
    {
        control = true;
        confirm = true;
    }
    void operator()(const CancelConfirmed&) { confirm = true; }
    void operator()(const ChildAnswered&) { confirm = s.restCancelled; }
    template<class F> void operator()(const F&) { }
};

}  // namespace

Control controlForChildren(const RunState& s)
{
    Control control;
    control.paused = s.paused();
    control.cancelled = s.cancelled() || s.restCancelled;
    control.compensate = s.own.compensate || s.inherited.compensate;
    control.deadline = s.deadline();
    control.revision = s.controlVersion;
    return control;
}

std::vector<Message> messagesOf(const RunState& after, const Entry& entry, const Definition* definition)
{
    Messenger messenger{after, definition, {}, false, false, false};
    for (const Fact& fact : entry.facts)
        std::visit(messenger, fact);
    if (messenger.control && after.version > 1)
        for (const auto& child : after.children) {
            if (child.answered)
                continue;
            Message m;
            m.kind = cmd::MessageKind::ControlFlow;
            m.to = child.run;
            m.control = controlForChildren(after);
            messenger.out.push_back(std::move(m));
        }
    if (messenger.confirm && !after.parent.run.isNull() && !after.closed) {
        Message m;
        m.kind = cmd::MessageKind::CancelConfirmed;
        m.to = after.parent.run;
        m.step = after.parent.step;
        m.confirmed = confirmedOf(after);
        m.total = totalOf(after);
        messenger.out.push_back(std::move(m));
    }
    if (messenger.attention && !after.parent.run.isNull() && !after.closed) {
        Message m;
        m.kind = cmd::MessageKind::ChildNeeds;
        m.to = after.parent.run;
        m.step = after.parent.step;
        m.total = static_cast<std::uint32_t>(after.told);
        m.control.revision = after.version;
        messenger.out.push_back(std::move(m));
    }
    return std::move(messenger.out);
}

namespace {

struct LedgerWriter {
    const RunState& s;
    std::vector<LedgerChange> out;

    [[nodiscard]] bool concerns(StepIx ix) const
    {
        return writes(s.steps[ix].safety) && !s.steps[ix].effect.isNull();
    }
    void put(StepIx ix, LedgerState state, const PayloadRef& result, bool wakes, bool byPerson = false)
    {
        if (!concerns(ix))
            return;
        for (auto& change : out)
            if (change.effect == s.steps[ix].effect) {  // one row per effect and entry: the last word counts
                change.state = state;
                change.result = result;
                change.wakesWaiters = change.wakesWaiters || wakes;
                change.byPerson = byPerson;
                return;
            }
        out.push_back({s.steps[ix].effect, ix, state, result, wakes, byPerson});
    }

    void operator()(const AttemptStarted& f)
    {
        if (f.purpose != Purpose::LookUp)
            put(f.step, LedgerState::InFlight, {},
                s.steps[f.step].doubt);  // who waits for people waits no more
    }
    void operator()(const AttemptEnded& f)
    {
        // An answer of a look-up (how is Completed) is followed by a fact that says what came of it.
        if (f.effect == EffectKnowledge::NotHappened && f.how != AttemptEnd::Completed
            && !s.steps[f.step].doubt)
            put(f.step, LedgerState::NotHappened, {}, true);
    }
    void operator()(const StepUnknown& f)
    {
        if (s.steps[f.step].tries > 0)
            put(f.step, LedgerState::Unknown, {}, f.lookUpAt == kNoTime);  // who waits hears that people must
    }
    void operator()(const EffectDenied& f)
    {
        // A look before the first try says nothing about what another run has under way.
        if (s.steps[f.step].tries > 0 || f.byPerson)
            put(f.step, LedgerState::NotHappened, {}, true, f.byPerson);
    }
    void operator()(const StepCompleted& f)
    {
        // A result that came from the ledger changes nothing there. One that a look-up found is as good as
        // one's own.
        if (!f.fromLedger && (s.steps[f.step].attempts > 0 || f.byPerson))
            put(f.step, LedgerState::Completed, f.output, true, f.byPerson);
    }
    template<class F> void operator()(const F&) { }
};

}  // namespace

bool mayChange(const LedgerRow& row, const LedgerChange& change, const RunId& run, std::string_view step)
{
    const bool nobodys = row.state == LedgerState::Absent || row.state == LedgerState::NotHappened;
    const bool own = row.holder == run && row.holderStep == step;
    const bool lostItsInput = row.unknowable && row.state != LedgerState::InFlight;
    return nobodys || own || (lostItsInput && change.byPerson && change.state == LedgerState::NotHappened);
}

std::vector<LedgerChange> ledgerChangesOf(const RunState& after, const Entry& entry)
{
    LedgerWriter writer{after, {}};
    if (entry.verb == Verb::Fork)
        return {};  // results that were copied are in the ledger already
    for (const Fact& fact : entry.facts)
        std::visit(writer, fact);
    return std::move(writer.out);
}

}  // namespace cairn
