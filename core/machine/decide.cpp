#include "core/machine/decider.h"

#include "core/base/wire.h"

#include <algorithm>

namespace cairn {

Rejection refuse(RejectCode code, std::string text) { return Rejection{code, std::move(text), std::nullopt}; }

bool claimable(const RunState& state, const StepRecord& step, const std::vector<std::string>& tools)
{
    const bool works = step.kind == StepKind::Tool || step.kind == StepKind::Decision;
    if (!works || step.state != StepState::Ready || (state.restCancelled && step.undoOf == kNoStep))
        return false;
    return tools.empty() || std::find(tools.begin(), tools.end(), step.tool) != tools.end();
}

Digest bindingOf(const StepRecord& step, const ToolDef* tool)
{
    WireWriter w;
    w.bytes("cairn-approval");
    w.bytes(step.tool);
    w.digest(tool ? tool->contractDigest : Digest{});
    w.digest(step.effect);
    w.bytes(tool ? tool->secret : std::string{});
    w.id(step.input.id);
    w.digest(step.input.hash);
    w.i64(step.amount.micros);
    w.bytes(step.amount.currency);
    return sha256(w.out());
}

const StepDef* stepDef(const Definition* definition, const RunState& state, StepIx ix)
{
    return definition ? definition->step(state.steps[ix].name, ix) : nullptr;
}

const ToolDef* toolDef(const Definition* definition, const StepRecord& step)
{
    return definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
}

Examined examineMessage(const RunState& s, const cmd::Deliver& c)
{
    const auto child = s.childByRun.find(c.from);
    if (c.kind == cmd::MessageKind::ChildFinished || c.kind == cmd::MessageKind::CancelConfirmed
        || c.kind == cmd::MessageKind::BudgetAsked || c.kind == cmd::MessageKind::ChildHeld
        || c.kind == cmd::MessageKind::ChildBegun || c.kind == cmd::MessageKind::ChildNeeds)
        if (child == s.childByRun.end())
            return refuse(RejectCode::NotFound, "run " + toText(c.from) + " is not a child of this run");
    if (c.kind == cmd::MessageKind::ControlFlow && c.from != s.parent.run)
        return refuse(RejectCode::NotFound, "run " + toText(c.from) + " is not the parent of this run");
    if (c.kind == cmd::MessageKind::BudgetAsked
        && c.control.revision <= s.children[child->second].askedRevision)
        return NoChange{"an older request; a newer one was heard", kNoStep};
    if (c.kind == cmd::MessageKind::ChildNeeds) {
        const ChildRecord& record = s.children[child->second];
        const auto said = static_cast<Attention>(c.total);
        if (said < Attention::UnknownEffect || said > Attention::Machine)
            return refuse(
                RejectCode::InvalidInput, "who moves next in the child is not a word of this version");
        if (s.closed)
            return NoChange{"the run is over: who moves next in its child does not concern it", kNoStep};
        const bool known = record.needs == said && record.reopened == record.answered;
        if (known || c.control.revision <= record.needsRevision)
            return NoChange{"who moves next in the child was heard already", kNoStep};
    }
    if (c.kind == cmd::MessageKind::ChildHeld || c.kind == cmd::MessageKind::ChildBegun) {
        const StepRecord& r = s.steps[s.children[child->second].step];
        const Reason from = c.kind == cmd::MessageKind::ChildHeld ? Reason::Child : Reason::Incompatible;
        if (!r.waitsForChild() || r.waitRun != c.from || r.reason != from)
            return NoChange{"the step does not wait so", kNoStep};
    }
    if (c.kind == cmd::MessageKind::BudgetGranted) {
        if (c.from != s.parent.run)
            return refuse(RejectCode::NotFound, "run " + toText(c.from) + " is not the parent of this run");
        if (s.closed || s.budgetAt.isNull())
            return NoChange{"the run needs no allotment any more", kNoStep};
    }
    if (c.kind == cmd::MessageKind::ControlFlow && c.control.revision <= s.inherited.revision)
        return NoChange{"an older control message; a newer one was applied", kNoStep};
    return {};
}

MigrationAnswer fitOf(const RunState& state, const Definition& target)
{
    std::vector<RecordedStep> recorded;
    for (const StepRecord& step : state.steps)
        if (step.undoOf == kNoStep)
            recorded.push_back({step.name, step.kind, step.tool, step.state});
    return checkMigration(state.workflow, recorded, target);
}

Decider::Impl::Impl(RunState& state, const Command& command, Given& given)
    : s(state)
    , cmd(command)
    , g(given)
{
    entry.version = s.version + 1;
    entry.command = cmd.id;
    entry.verb = verbOf(cmd.body);
    entry.actor = cmd.actor;
    entry.time = g.now;
    entry.reason = cmd.reason;
    head = {entry.version, entry.verb, entry.actor, entry.time, entry.reason};
    capacity = g.capacity;
}

void Decider::Impl::emit(Fact fact)
{
    if (entry.facts.empty())
        fold::begin(s, head);
    fold::fact(s, fact, head);
    const StepIx finished = std::visit(
        [](const auto& f) -> StepIx {
            using F = std::decay_t<decltype(f)>;
            if constexpr (std::is_same_v<F, StepCompleted> || std::is_same_v<F, StepSkipped>)
                return f.step;
            return kNoStep;
        },
        fact);
    if (finished != kNoStep && s.steps[finished].owner != kNoStep)
        owners.push_back(s.steps[finished].owner);
    entry.facts.push_back(std::move(fact));
}

ApprovalRecord* Decider::Impl::approval(const ApprovalId& id)
{
    if (!id.isNull())  // the newest are asked for most
        for (auto record = s.approvals.rbegin(); record != s.approvals.rend(); ++record)
            if (record->id == id)
                return &*record;
    return nullptr;
}

// Who moves next here moves next in the parent, so it is told when that changes. Nothing is said of an entry
// that only this would make: what changes it is a fact.
void Decider::Impl::tellParent()
{
    if (s.parent.run.isNull() || s.closed || entry.facts.empty())
        return;
    if (const Attention now = attentionForParent(s); now != s.told)
        emit(ParentTold{now});
}

Decision Decider::Impl::run()
{
    needs = {};
    if (!examined) {
        auto result = examine(s, cmd, g);
        if (auto* rejection = std::get_if<Rejection>(&result))
            return std::move(*rejection);
        if (auto* nothing = std::get_if<NoChange>(&result))
            return std::move(*nothing);
        examined = true;
    }
    if (!owned) {
        if (!std::visit([this](const auto& c) { return own(c); }, cmd.body))
            return needs;
        owned = true;
        // A preview shows what would be done by two, and there is nobody to name yet.
        if (g.agreed && g.needed.second() && g.format >= kFormat2
            && (g.agreed->glass || !g.agreed->digest.isNull()))
            emit(ActAgreed{g.agreed->by, g.agreed->digest, g.agreed->glass});
    }
    if (!isAnnotation(cmd.body)) {  // beside the run: nothing follows from it
        settle();
        if (!needs.empty())
            return needs;
        tellParent();
    }
    if (entry.facts.empty())
        return NoChange{"nothing to do: the run already is in that state", kNoStep};
    return std::move(entry);
}

Decider::Decider(RunState& state, const Command& command, Given& given)
    : m_impl(std::make_unique<Impl>(state, command, given))
{
}
Decider::~Decider() = default;
Decision Decider::run() { return m_impl->run(); }

Decision decide(const RunState& state, const Command& command, const Given& given)
{
    if (auto rejection = check(state, command, given))
        return std::move(*rejection);
    RunState scratch = state;
    Given own = given;
    return Decider(scratch, command, own).run();
}

std::optional<Rejection> check(const RunState& state, const Command& command, const Given& given)
{
    auto result = examine(state, command, given);
    if (auto* rejection = std::get_if<Rejection>(&result))
        return std::move(*rejection);
    return std::nullopt;
}

std::string_view whatNext(RejectCode code) noexcept
{
    switch (code) {
    case RejectCode::Stale: return "look again (`cairn show RUN`), and decide on what is there now";
    case RejectCode::Refused:
        return "`cairn remedies RUN` lists what can be done now, and `cairn why RUN` who moves next";
    case RejectCode::NotFound: return "`cairn list` and `cairn show RUN` name what is there";
    case RejectCode::InvalidInput:
        return "mend what the text names, and give the command again: nothing was changed";
    case RejectCode::Fenced:
        return "stop working on this attempt: another one has taken its place (`cairn show RUN`)";
    case RejectCode::NoRight:
        return "ask somebody who may: `cairn policy show` tells the roles, `cairn store info` the login's";
    case RejectCode::ReasonMissing:
        return "give the command again with --reason and as many characters as are asked for";
    case RejectCode::Conflict: return "use another key or id, or the same content as before";
    case RejectCode::SecondPerson:
        return "somebody else confirms it: `cairn acts` lists what waits, with its digest";
    }
    return "`cairn remedies RUN` lists what can be done now";
}

}  // namespace cairn
