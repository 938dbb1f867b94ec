#include "core/report/prove.h"

#include "core/base/wire.h"
#include "core/machine/machine.h"

#include <algorithm>
#include <set>

namespace cairn {

const char* worstName(Worst worst) noexcept
{
    switch (worst) {
    case Worst::Once: return "once";
    case Worst::Repeated: return "repeated";
    case Worst::LookedUp: return "looked up";
    case Worst::Parked: return "parked";
    case Worst::Doubled: return "DOUBLED";
    }
    return "?";
}

namespace {

enum class Point : std::uint8_t { BeforeEffect = 1, AfterEffect };
constexpr int kMaxRounds = 20'000;
constexpr std::uint32_t kItems = 2;

// Who is called from outside: counts calls and effects per key, and takes our key where the tool is
// repeatable.
struct World {
    std::map<std::string, std::uint32_t> calls;  // by step name
    std::map<EffectId, std::uint32_t> effects;
    void call(const StepRecord& step)
    {
        ++calls[step.name];
        if (writes(step.safety))
            effects[step.effect] = step.safety == ReplaySafety::Repeatable ? 1 : effects[step.effect] + 1;
    }
    [[nodiscard]] bool happened(const EffectId& effect) const
    {
        const auto found = effects.find(effect);
        return found != effects.end() && found->second > 0;
    }
};

class Simulation {
public:
    Simulation(const Definition& definition, std::string killStep, Point point)
        : m_definition(definition)
        , m_killStep(std::move(killStep))
        , m_point(point)
    {
        m_given.definition = &m_definition;
        m_given.capacity = 1'000;
        m_given.now = 1'790'000'000'000;
        m_given.session = session();
        m_given.sessionEnded = [this](const SessionId& id) { return id != m_given.session; };
    }

    // False: the run did not come to an end.
    bool play()
    {
        cmd::Start start;
        start.run = deriveId<RunId>("prove", m_definition.ref.name);
        command(start);
        for (int round = 0; round < kMaxRounds && !m_state.closed; ++round) {
            if (!advance())
                return false;
        }
        return m_state.closed;
    }

    World world;
    bool killed = false;
    bool lookedUp = false;
    bool parked = false;

private:
    SessionId session() { return deriveId<SessionId>("session", std::to_string(++m_sessions)); }

    void command(cmd::Body body, ActorKind kind = ActorKind::Engine)
    {
        Command c;
        c.id = deriveId<CommandId>("command", std::to_string(++m_commands));
        c.actor = {kind, "prove"};
        c.reasonLength = 100;
        c.body = std::move(body);
        Decider decider(m_state, c, m_given);
        for (;;) {
            Decision decision = decider.run();
            auto* needs = std::get_if<Needs>(&decision);
            if (!needs) {
                if (const auto* entry = std::get_if<Entry>(&decision))
                    committed(*entry);
                return;
            }
            provide(*needs);
        }
    }

    void provide(const Needs& needs)
    {
        for (const StepIx ix : needs.render) {
            const StepRecord& step = m_state.steps[ix];
            Rendered rendered;
            rendered.items = kItems;
            if (writes(step.safety)) {
                WireWriter seed;
                seed.bytes(step.id);
                rendered.effect = sha256(seed.out());
            }
            m_given.rendered[ix] = rendered;
        }
        for (const EffectId& effect : needs.ledger) {
            const auto found = m_ledger.find(effect);
            m_given.ledger[effect] = found == m_ledger.end() ? LedgerRow{} : found->second;
        }
        for (const auto& resource : needs.resources)
            m_given.resources[resource] = {};
        m_given.outputRendered = m_given.outputRendered || needs.output;
    }

    void committed(const Entry& entry)
    {
        for (const auto& change : ledgerChangesOf(m_state, entry)) {
            const std::string& step = m_state.steps[change.step].id;
            if (!mayChange(m_ledger[change.effect], change, m_state.id, step))
                continue;
            LedgerRow row;
            row.state = change.state;
            row.holder = m_state.id;
            row.holderStep = m_state.steps[change.step].id;
            m_ledger[change.effect] = row;
        }
        m_given.ledger.clear();
        for (const Fact& fact : entry.facts)
            if (const auto* start = std::get_if<AttemptStarted>(&fact))
                m_attempts.push_back(start->attempt);
    }

    // One thing that happens: an attempt, an answer from outside, or time.
    bool advance()
    {
        while (!m_attempts.empty()) {
            const AttemptId attempt = m_attempts.front();
            m_attempts.erase(m_attempts.begin());
            const StepIx ix = m_state.attempts.at(attempt);
            if (m_state.steps[ix].attempt && m_state.steps[ix].attempt->id == attempt) {
                execute(ix, attempt);
                return true;
            }
        }
        for (const auto& approval : m_state.approvals)
            if (approval.state == ApprovalState::Pending) {
                command(cmd::Decide{approval.id, true, {}}, ActorKind::Person);
                return true;
            }
        for (const StepIx ix : m_state.unknown)
            if (!m_state.steps[ix].attempt && m_state.steps[ix].due == kNoTime) {
                settle(ix);
                return true;
            }
        for (const auto& child : m_state.children)
            if (!child.answered) {
                cmd::Deliver answer;
                answer.from = child.run;
                answer.step = child.step;
                command(answer, ActorKind::Run);
                return true;
            }
        const auto& signals = m_state.waiting[static_cast<std::size_t>(Reason::Signal)];
        if (!signals.empty()) {
            const StepRecord& step = m_state.steps[signals.begin()->second];
            const StepDef* def = m_definition.step(step.name);
            command(cmd::Signal{def ? def->signal : step.name, sha256("signal", step.id), {}, true},
                ActorKind::Caller);
            return true;
        }
        if (!m_state.due.empty()) {
            m_given.now = std::max(m_given.now, m_state.due.begin()->first);
            command(cmd::FireTimers{});
            return true;
        }
        const std::uint64_t before = m_state.version;
        command(cmd::Advance{});
        return m_state.version != before;
    }

    void execute(StepIx ix, const AttemptId& attempt)
    {
        const StepRecord step = m_state.steps[ix];
        if (step.attempt->purpose == Purpose::LookUp) {
            lookedUp = lookedUp || step.name == m_killStep;
            const bool happened = world.happened(step.effect);
            command(cmd::LookedUp{
                attempt, happened ? EffectKnowledge::Happened : EffectKnowledge::NotHappened, {}, {}});
            return;
        }
        const bool kill = !killed && step.name == m_killStep;
        if (!kill || m_point == Point::AfterEffect)
            world.call(step);
        if (!kill) {
            cmd::Complete done;
            done.attempt = attempt;
            command(done);
            return;
        }
        killed = true;
        m_attempts.clear();  // the engine is gone, and with it all that it was about to do
        m_given.session = session();
        command(cmd::Recover{});
    }

    void settle(StepIx ix)
    {
        const StepRecord& step = m_state.steps[ix];
        parked = parked || step.name == m_killStep;
        cmd::Settle act;
        act.step = step.id;
        act.as = world.happened(step.effect) ? cmd::SettleAs::Happened : cmd::SettleAs::NotHappened;
        command(act, ActorKind::Person);
    }

    const Definition& m_definition;
    std::string m_killStep;
    Point m_point;
    RunState m_state;
    Given m_given;
    std::map<EffectId, LedgerRow> m_ledger;
    std::vector<AttemptId> m_attempts;
    std::uint64_t m_commands = 0;
    int m_sessions = 0;
};

std::string noteFor(const StepProof& proof)
{
    switch (proof.worst) {
    case Worst::Once: return "never called twice";
    case Worst::Repeated:
        return writes(proof.safety) ? "called again under the same key, so the provider gives the same effect"
                                    : "called again; it has no effect outside";
    case Worst::LookedUp: return "the provider is asked by key; it is never called blindly";
    case Worst::Parked: return "a person must say whether it happened; give the tool a look_up to avoid that";
    case Worst::Doubled: return "the effect happened twice";
    }
    return {};
}

StepProof proveStep(const Definition& definition, const StepDef& def, Proof& proof)
{
    StepProof result;
    result.step = def.name;
    result.tool = def.tool;
    if (const ToolDef* tool = definition.tool(def.tool))
        result.safety = tool->safety;
    for (const Point point : {Point::BeforeEffect, Point::AfterEffect}) {
        Simulation simulation(definition, def.name, point);
        const bool ended = simulation.play();
        if (!simulation.killed)
            continue;  // never reached: it needs a decision's plan
        ++result.boundaries;
        ++proof.kills;
        if (!ended)
            proof.failures.push_back("step " + def.name + ": the run did not end after a kill");
        const std::uint32_t expected = def.forEach ? kItems : 1;
        result.calls = std::max(result.calls, simulation.world.calls[def.name]);
        Worst worst = Worst::Once;
        if (simulation.world.calls[def.name] > expected)
            worst = Worst::Repeated;
        if (simulation.lookedUp)
            worst = std::max(worst, Worst::LookedUp);
        if (simulation.parked)
            worst = std::max(worst, Worst::Parked);
        for (const auto& [effect, count] : simulation.world.effects)
            if (count > 1) {
                worst = Worst::Doubled;
                proof.failures.push_back("step " + def.name + ": an effect happened twice after a kill");
            }
        result.worst = std::max(result.worst, worst);
    }
    result.note = noteFor(result);
    return result;
}

}  // namespace

Proof proveWorkflow(const Definition& definition)
{
    Proof proof;
    for (const StepDef& def : definition.steps)
        if (!def.tool.empty())
            proof.steps.push_back(proveStep(definition, def, proof));
    return proof;
}

}  // namespace cairn
