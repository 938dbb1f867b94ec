#include "tests/machine/random_world.h"

#include "tests/machine/rules_checker.h"

namespace cairn::testing {

std::string randomWorkflow(std::uint8_t global, const std::vector<StepDice>& steps)
{
    static constexpr std::array kKinds{
        "read", "repeat", "once", "once", "choose", "approval", "timer", "signal", "child", "each", "repeat"};
    std::string text;
    if (global & 1)
        text += "!compensate_on_cancel\n";
    if (global & 2)
        text += "!close_on_failure\n";
    if (global & 4)
        text += "!compensate_on_failure\n";
    if (global & 8)
        text += "!budget=usd:100\n";
    if (global & 16)
        text += "!deadline=400000\n";
    text += "extra once on_demand\n";
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& [kind, options, after, more] = steps[i];
        const std::string word = kKinds[kind % kKinds.size()];
        text += "s" + std::to_string(i) + " " + word;
        const bool tool = kind % kKinds.size() < 4 || word == "repeat" || word == "choose";
        if (tool) {
            if (options & 1)
                text += " lookup";
            if (options & 2)
                text += " check_first";
            if (options & 4)
                text += " undo" + std::string(options & 8 ? "=once" : "");
            if (options & 16)
                text += " worker";
            if (options & 32)
                text += " cost=usd:30";
            if (options & 64)
                text += more & 1 ? " ask" : " needed=2";
            if (options & 128)
                text += " resource=host";
            text += more & 2 ? " retry=2" : " retry=4";
            text += more & 4 ? " lost=1" : " lost=3";
        }
        if (word == "each")
            text += std::string(" safety=") + (options & 1 ? "once" : "repeat")
                + (options & 2 ? " allow_failures" : "");
        if (word == "signal" && (options & 1))
            text += " wait=5000";
        if (word == "child" && (options & 1))
            text += " allot=usd:20";
        if (more & 8)
            text += " runs_after_skip";
        std::string list;
        for (std::size_t d = 0; d < i; ++d)
            if (after & (1U << (d % 8)))
                list += (list.empty() ? "" : ",") + ("s" + std::to_string(d));
        if (!list.empty())
            text += " after " + list;
        text += "\n";
    }
    return text;
}

struct RandomWorld::Impl {
    explicit Impl(const std::string& workflow)
        : definition(define(workflow))
        , child(define("work once retry=2\n"))
    {
        child.ref.name = "child";
    }

    RunDriver& driver(const RunId& id, const Definition& follows)
    {
        auto& slot = runs[id];
        if (!slot)
            slot = std::make_unique<RunDriver>(world, &follows);
        return *slot;
    }
    std::string start(std::string_view name)
    {
        RunDriver& d = driver(runId(name), definition);
        // All runs use the same business keys for two steps, and there are fan-outs of different sizes.
        for (const char* shared : {"s0", "s1"}) {
            d.renders[shared].key = "shared";
            d.renders[shared].input = "shared";
        }
        d.renders["s2"].items = 2;
        d.renders["s3"].items = 0;
        cmd::Start c;
        c.run = runId(name);
        return give(d, c, {ActorKind::Caller, "caller"});
    }

    std::string give(RunDriver& d, cmd::Body body, Actor actor)
    {
        const RunState before = d.state();
        const std::size_t entries = d.entries().size();
        const Decision decision = d.submit(std::move(body), std::move(actor));
        log += decisionText(decision, d.state()) + "\n";
        if (!d.problem().empty())
            return d.problem();
        const bool late = std::holds_alternative<Rejection>(decision) && std::get<Rejection>(decision).late;
        if (!std::holds_alternative<Entry>(decision) && !late)
            if (const auto changed = differences(before, d.state()); !changed.empty())
                return "refused or nothing to do, and yet \"" + changed.front() + "\" changed";
        for (std::size_t i = entries; i < d.entries().size(); ++i)
            if (auto wrong = checker.entry(d.state(), d.entries()[i], *d.definition); !wrong.empty())
                return wrong;
        if (auto wrong = checker.ledger(world.ledger); !wrong.empty())
            return wrong;
        return d.state().version == 0 ? std::string{} : RulesChecker::state(d.state(), world.now);
    }

    std::string deliver(bool twice)
    {
        auto posted = std::move(world.outbox);
        world.outbox.clear();
        for (const auto& p : posted)
            for (int i = 0; i < (twice ? 2 : 1); ++i)
                if (auto wrong = deliverOne(p); !wrong.empty())
                    return wrong;
        return {};
    }
    std::string deliverOne(const Posted& p)
    {
        const Message& m = p.message;
        const Actor actor{ActorKind::Run, "sender"};
        if (m.kind == cmd::MessageKind::StartChild) {
            cmd::Start c;
            c.run = m.to;
            c.root = m.root;
            c.origin = m.origin;
            c.parent = {p.from, m.step, m.index};
            c.input = m.payload;
            c.inherited = controlForChildren(runs.at(p.from)->state());
            c.allotment = m.allotment;
            c.budgetAt = m.budgetAt;
            return give(driver(m.to, child), c, actor);
        }
        const auto to = runs.find(m.to);
        if (to == runs.end())
            return {};
        return give(*to->second,
            cmd::Deliver{m.kind, p.from, m.step, m.as, m.payload, m.used, m.control, m.confirmed, m.total,
                m.effect, m.allotment, m.budgetAt},
            actor);
    }

    RunDriver& pick(std::uint8_t n)
    {
        auto it = runs.begin();
        std::advance(it, n % runs.size());
        return *it->second;
    }
    static std::string step(const RunDriver& d, std::uint8_t n)
    {
        return d.state().steps.empty() ? "none" : d.state().steps[n % d.state().steps.size()].id;
    }
    static AttemptId attempt(const RunDriver& d, std::uint8_t n)
    {
        std::vector<AttemptId> all;
        for (const StepIx ix : d.state().running)
            all.push_back(d.state().steps[ix].attempt->id);
        return all.empty() ? AttemptId{{1}} : all[n % all.size()];
    }
    static AttemptId oldAttempt(const RunDriver& d, std::uint8_t n)
    {
        std::set<AttemptId> all;  // ordered, so that the choice is the same each time
        for (const auto& [id, ix] : d.state().attempts)
            all.insert(id);
        auto it = all.begin();
        if (all.empty())
            return AttemptId{{1}};
        std::advance(it, n % all.size());
        return *it;
    }

    std::string move(const CommandDice& dice);
    std::string workerMove(RunDriver& d, const CommandDice& dice);
    std::string operatorMove(RunDriver& d, const CommandDice& dice);
    std::string settle();
    bool step();

    World world;
    Definition definition;
    Definition child;
    RulesChecker checker;
    std::map<RunId, std::unique_ptr<RunDriver>> runs;
    std::string log;
    std::string broken;
    const Actor engine{ActorKind::Engine, "e"};
};

std::string RandomWorld::Impl::workerMove(RunDriver& d, const CommandDice& dice)
{
    const auto [verb, run, at, detail] = dice;
    const auto knowledge = static_cast<EffectKnowledge>(1 + detail % 4);
    switch (verb % 9) {
    case 0:
    case 1: {
        const AttemptId id = attempt(d, at);
        const auto found = d.state().attempts.find(id);
        if (found != d.state().attempts.end()
            && d.state().steps[found->second].attempt->purpose == Purpose::LookUp)
            return give(d, cmd::LookedUp{id, knowledge, payload("found"), payload("seen")}, engine);
        cmd::Complete c{id, payload("r" + std::to_string(detail)), {{"usd", detail % 30}}, {}, false};
        if (detail % 16 == 0)
            c.adds.push_back(
                {"x" + std::to_string(detail), "extra", StepKind::Tool, ReplaySafety::ReadOnly, "", "", {}});
        return give(d, c, engine);
    }
    case 2:
    case 3: {
        cmd::Fail c;
        c.attempt = attempt(d, at);
        c.failure = static_cast<FailureClass>(1 + detail % words<FailureClass>().size());
        c.effect = static_cast<EffectKnowledge>(1 + (detail / 7) % 4);
        c.cancelled = detail > 240;
        c.error = payload("error");
        c.retryAfter = detail % 3 == 0 ? detail * 100 : -1;
        return give(d, c, engine);
    }
    case 4: return give(d, cmd::LookedUp{attempt(d, at), knowledge, payload("found"), {}}, engine);
    case 5:
        return give(d, cmd::Claim{detail % 2 ? step(d, at) : "", "w", {step(d, at)}, 30'000},
            {ActorKind::Worker, "w"});
    case 6: return give(d, cmd::Renew{attempt(d, at), 30'000, {}}, {ActorKind::Worker, "w"});
    case 7:
        return give(d, cmd::Complete{oldAttempt(d, at), payload("late"), {}, {}, detail % 2 == 0}, engine);
    default: return give(d, cmd::Partial{attempt(d, at), payload("half")}, engine);
    }
}

std::string RandomWorld::Impl::operatorMove(RunDriver& d, const CommandDice& dice)
{
    const auto [verb, run, at, detail] = dice;
    const Actor person{ActorKind::Person, detail % 2 ? "ann" : "bob"};
    const std::string id = step(d, at);
    switch (verb % 14) {
    case 0:
    case 1: {
        if (d.state().approvals.empty())
            return {};
        return give(d,
            cmd::Decide{d.state().approvals[at % d.state().approvals.size()].id, detail % 5 != 0, {}},
            person);
    }
    case 2: return give(d, cmd::SetPaused{detail % 2 == 0, 0, false}, person);
    case 3: return detail % 3 ? std::string{} : give(d, cmd::Cancel{detail % 2 == 0}, person);
    case 4: return give(d, cmd::Compensate{}, person);
    case 5: return give(d, cmd::RetryStep{id, 0, false}, person);
    case 6: return give(d, cmd::SkipStep{id, {}, 0, false}, person);
    case 7: return give(d, cmd::RecordResult{id, payload("by hand"), 0, false}, person);
    case 8:
        return give(d,
            cmd::Settle{id, static_cast<cmd::SettleAs>(1 + detail % 5), payload("by hand"), {}, 0, false},
            person);
    case 9:
        d.renders[id].input = "amended " + std::to_string(detail % 4);
        return give(d, cmd::AmendInput{id, payload(d.renders[id].input), 0, false}, person);
    case 10:
        return give(d, cmd::SetDeadline{detail % 4 ? world.now + detail * 1000 : kNoTime, 0, false}, person);
    case 11: return give(d, cmd::SetBudget{"usd", detail * 2, 0, false}, person);
    case 12:
        if (detail % 8 == 0)
            return give(d, cmd::Park{payload("another due times")}, {ActorKind::System, "cairn"});
        if (detail % 8 == 1)
            return give(d, cmd::Takeover{detail % 16 == 1 ? id : "", {}, {}, false}, person);
        if (detail % 8 == 2)
            return give(d, cmd::Hold{detail % 16 == 2, kNoTime, 0, false}, person);
        if (detail % 8 == 3)
            return give(d, cmd::Assign{detail % 16 == 3 ? "ann" : "", 0, false}, person);
        if (detail % 8 == 4)
            return give(d, cmd::Note{payload("a note"), detail % 16 == 4, 0}, person);
        return give(d, cmd::Redact{{d.state().input.id}}, person);
    default:
        return give(d,
            cmd::Signal{id, sha256("id" + std::to_string(detail % 8)), payload("data"), detail % 16 != 0},
            {ActorKind::Caller, "c"});
    }
}

std::string RandomWorld::Impl::move(const CommandDice& dice)
{
    const auto [verb, run, at, detail] = dice;
    if (runs.empty())
        for (const char* name : {"a", "b"})
            if (auto wrong = start(name); !wrong.empty())
                return wrong;
    RunDriver& d = pick(run);
    if (verb < 110)
        return workerMove(d, dice);
    if (verb < 170)
        return operatorMove(d, dice);
    switch (verb % 10) {
    case 0: return start("c");
    case 1: return give(d, cmd::Advance{}, engine);
    case 2:
        world.ended.insert(d.session);
        d.session = sessionId("s" + std::to_string(world.ended.size() + 1) + toText(d.state().id));
        return give(d, cmd::Recover{}, engine);
    case 3: world.now += detail * 100; return give(d, cmd::FireTimers{}, engine);
    case 4: world.now += detail * 2000; return give(d, cmd::FireTimers{}, engine);
    case 5: return deliver(detail % 4 == 0);
    case 6: d.capacity = detail % 4; return give(d, cmd::Advance{}, engine);
    case 7: d.served = detail % 3 != 0; return give(d, cmd::Advance{}, engine);
    case 8: {
        auto& view = world.resources["host"];
        view.backOffUntil = detail % 2 ? world.now + detail * 10 : kNoTime;
        view.permits = detail % 3;
        return {};
    }
    default: return deliver(false);
    }
}

// One thing that moves by itself. False: nothing does.
bool RandomWorld::Impl::step()
{
    std::size_t before = 0;
    for (const auto& [id, d] : runs)
        before += d->entries().size();
    broken = deliver(false);
    std::vector<RunDriver*> all;
    for (const auto& [id, d] : runs)
        all.push_back(d.get());
    for (RunDriver* d : all) {
        if (!broken.empty())
            return false;
        if (d->state().closed || d->state().version == 0)
            continue;
        d->served = true;
        d->capacity = 100;
        broken = give(*d, cmd::Advance{}, engine);
        const std::vector<StepIx> running(d->state().running.begin(), d->state().running.end());
        for (const StepIx ix : running) {
            const auto& attempt = d->state().steps[ix].attempt;
            if (!attempt || !broken.empty())
                continue;
            broken = attempt->purpose == Purpose::LookUp
                ? give(
                    *d, cmd::LookedUp{attempt->id, EffectKnowledge::Happened, payload("found"), {}}, engine)
                : give(*d, cmd::Complete{attempt->id, payload("done"), {}, {}, false}, engine);
        }
        if (broken.empty())
            broken = give(*d, cmd::FireTimers{}, engine);
    }
    world.now += 600'000;
    std::size_t after = 0;
    for (const auto& [id, d] : runs)
        after += d->entries().size();
    return after != before || !world.outbox.empty();
}

std::string RandomWorld::Impl::settle()
{
    world.resources["host"] = ResourceView{};
    for (int quiet = 0, round = 0; quiet < 3 && broken.empty(); ++round) {
        quiet = step() ? 0 : quiet + 1;
        if (round > 300)
            return "things move for ever";
    }
    if (!broken.empty())
        return broken;
    for (const auto& [id, d] : runs) {
        const RunState& s = d->state();
        if (s.closed || s.version == 0)
            continue;
        for (const auto& [since, ix] : s.waiting[static_cast<std::size_t>(Reason::EffectInFlight)])
            if (const auto row = world.ledger.find(s.steps[ix].effect);
                row != world.ledger.end() && row->second.row.state == LedgerState::Completed)
                return "step " + s.steps[ix].id + " waits for an effect that is over";
        const Summary summary = summarise(s, world.now);
        const bool worker = std::any_of(s.ready.begin(), s.ready.end(), [&](StepIx ix) {
            const ToolDef* tool = d->definition->tool(s.steps[ix].tool);
            return tool && tool->executor == "worker";
        });
        const bool parked = summary.attention < Attention::Machine;
        const bool waits = summary.primary.reason == Reason::Signal || summary.primary.reason == Reason::Child
            || summary.primary.reason == Reason::EffectInFlight;
        if (!worker && !parked && !waits)
            return "nothing more happens, and the run is neither finished nor parked: "
                + summaryText(s, world.now);
    }
    return {};
}

RandomWorld::RandomWorld(const std::string& workflow)
    : m_impl(std::make_unique<Impl>(workflow))
{
}
RandomWorld::~RandomWorld() = default;
std::string RandomWorld::move(const CommandDice& dice) { return m_impl->move(dice); }
std::string RandomWorld::settle() { return m_impl->settle(); }
const std::string& RandomWorld::log() const { return m_impl->log; }
std::size_t RandomWorld::entries() const
{
    std::size_t sum = 0;
    for (const auto& [id, d] : m_impl->runs)
        sum += d->entries().size();
    return sum;
}
std::string RandomWorld::bytes() const
{
    std::string out;
    for (const auto& [id, d] : m_impl->runs)
        for (const auto& entry : d->entries())
            out += encodeEntry(entry, kMaxFormat);
    return out;
}

}  // namespace cairn::testing
