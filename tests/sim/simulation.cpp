#include "tests/sim/simulation.h"

#include "core/definition/parse.h"
#include "tests/sim/checker.h"
#include "tests/sim/engine.h"

#include <array>
#include <iostream>

namespace cairn::sim {

namespace {

constexpr std::array<const char*, 3> kWorkflows{
    // Five steps; a payment with a business key that several runs share, and a look-up.
    R"({"schema":"urn:cairn:workflow:1","name":"buy","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/x"]}},
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]}},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/x"]},"effect_key":"order/${/order}",
       "look_up":{"argv":["/x"]},"resource":"bank"}},
"steps":[{"name":"look","tool":"look"},{"name":"ok","kind":"approval","approval":{"role":"boss"},"after":["look"]},
{"name":"pay","tool":"pay","after":["ok"],"input":{"order":{"$from":"input","at":"/order"}}},
{"name":"note","tool":"note","after":["pay"]},{"name":"nap","kind":"timer","wait":"20s","after":["note"]}]})",
    // A fan-out, and an irreversible step that nobody can be asked about; cancelling it compensates.
    R"({"schema":"urn:cairn:workflow:1","name":"spread","version":1,"on_cancel":"compensate","tools":{
"note":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]}},
"unsend":{"safety":"repeatable","executor":"command","settings":{"argv":["/x"]}},
"send":{"safety":"irreversible","executor":"command","settings":{"argv":["/x"]},"undo":{"tool":"unsend","input":{"$from":"output"}}}},
"steps":[{"name":"many","tool":"note","for_each":{"from":"input","at":"/items"}},
{"name":"send","tool":"send","after":["many"]},{"name":"bell","kind":"signal","signal":"rung","wait":"40s","after":["send"]}]})",
    // A tree.
    R"({"schema":"urn:cairn:workflow:1","name":"tree","version":1,"tools":{
"look":{"safety":"read_only","executor":"command","settings":{"argv":["/x"]}}},
"steps":[{"name":"kid","kind":"run","workflow":"spread","workflow_version":1,"input":{"items":[1,2]}},
{"name":"kid2","kind":"run","workflow":"buy","workflow_version":1,"input":{"order":99}},
{"name":"end","tool":"look","after":["kid","kid2"]}]})"};

struct Operator {
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> service;
};

class Simulation {
public:
    Simulation(std::uint64_t seed, const std::function<void(const std::string&)>& print)
        : m_rng(seed), m_database(makeMemoryDatabase({}, m_clock, seed)), m_view(connectMemory(m_database)),
          m_checker(*m_view, m_provider), m_print(print),
          m_shared{m_clock, m_database, m_provider, [this](const std::string& line) { trace(line); },
                   [this](const Outcome& outcome) { acknowledge(outcome); }, {}, true, 0}
    {
        setUp();
    }

    Result run(std::uint32_t steps)
    {
        for (m_step = 0; m_step < steps && m_result.broken.empty(); ++m_step)
            stepOnce();
        if (m_result.broken.empty())
            calmDown();
        if (m_result.broken.empty())
            m_result.broken = m_checker.end(m_clock.wallMs());
        m_result.atStep = std::to_string(m_step);
        m_result.trace = m_trace.finish();
        m_result.faults = m_faults + m_shared.fired;
        m_result.acks = m_checker.acks();
        m_result.unknowns = m_checker.unknowns;
        for (const auto& [key, row] : m_provider.rows())
            m_result.effects += row.effects;
        for (const RunId& run : m_checker.runs()) {
            const RunState* state = m_checker.state(run);
            m_result.runs += state ? 1 : 0;
            m_result.finished += state && state->closed ? 1 : 0;
        }
        return m_result;
    }

private:
    struct Place {
        std::unique_ptr<SimEngine> engine;
        SpanMs pausedUntil = 0;
        bool dying = false;          // its next commits fail; it is gone after this tick
    };

    void trace(const std::string& line)
    {
        const std::string text = std::to_string(m_step) + " " + line + "\n";
        m_trace.update(text);
        if (m_print)
            m_print(text);
    }
    void acknowledge(const Outcome& outcome)
    {
        if (outcome.kind == Outcome::Kind::Committed || outcome.kind == Outcome::Kind::Repeated)
            m_checker.acknowledged({outcome.run, outcome.version, outcome.entry.command});
        if (outcome.kind == Outcome::Kind::Failed)
            trace("failed: " + outcome.error.text);
    }

    void setUp()
    {
        for (const char* text : kWorkflows) {
            const auto parsed = parseDefinition(text);
            if (!parsed)
                m_result.broken = diagnosticLine("workflow of the simulator", parsed.diagnostics.front());
            if (!parsed)
                return;
            WorkflowRow row;
            row.name = parsed.definition->ref.name;
            row.version = 1;
            row.digest = parsed.definition->ref.digest;
            row.text = text;
            if (const Status added = connectMemory(m_database)->addWorkflow(row); !added)
                m_result.broken = added.error().text;
        }
        m_engines.resize(3 + m_rng.below(3));
        for (int i = 0; i < 2; ++i) {
            Operator& op = m_operators[static_cast<std::size_t>(i)];
            op.store = connectMemory(m_database);
            op.writer = connectMemory(m_database);
            op.queue = makeInlineQueue(*op.writer);
            ServiceConfig config;
            config.uid = 1000 + static_cast<std::uint32_t>(i);
            config.host = "sim";
            op.service = std::make_unique<Service>(*op.store, *op.queue, m_clock, m_rng, config);
        }
        setFaults(*m_database, {[this] { return before(); }, [this] { return after(); }});
    }

    std::optional<Error> before()
    {
        if (m_current && m_current->dying)
            return makeError(ErrorKind::Io, "the process is gone");
        if (!m_shared.faults)
            return std::nullopt;
        const std::uint64_t dice = m_rng.below(120);
        if (dice > 2)
            return std::nullopt;
        ++m_faults;
        trace("store fault " + std::to_string(dice));
        if (dice == 0)
            return makeError(ErrorKind::Busy, "busy");
        if (dice == 1)
            return makeError(ErrorKind::Full, "full");
        if (m_current)
            m_current->dying = true;  // killed before the commit
        return m_current ? std::optional(makeError(ErrorKind::Io, "killed before a commit")) : std::nullopt;
    }
    std::optional<Error> after()
    {
        if (!m_shared.faults)
            return std::nullopt;
        const std::uint64_t dice = m_rng.below(100);
        if (dice > 1)
            return std::nullopt;
        ++m_faults;
        trace(dice == 0 ? "the answer to a commit is lost" : "killed after a commit");
        if (dice == 0 || !m_current)
            return makeError(ErrorKind::OutcomeUnknown, "the answer was lost");
        m_current->dying = true;
        return makeError(ErrorKind::Io, "killed after a commit");
    }

    void arrivals()
    {
        const SpanMs now = m_clock.monotonicMs();
        for (const auto& request : m_shared.network) {
            if (request->arrived || now < request->arrives)
                continue;
            request->arrived = true;
            if (request->answer == Answer::DropBefore || request->answer == Answer::Limited)
                continue;
            if (request->lookUp)
                request->found = m_provider.happened(request->key);
            else if (!request->key.empty())
                request->result = m_provider.call(request->key, request->keyed);
            trace("provider " + request->key + (request->lookUp ? " asked" : " called"));
        }
        std::erase_if(m_shared.network, [](const auto& request) { return request->arrived; });
    }
    // Time passes in small steps, so that requests arrive before anybody looks later.
    void pass(SpanMs span)
    {
        m_clock.advance(span);
        arrivals();
    }

    void tick(Place& place)
    {
        if (m_clock.monotonicMs() < place.pausedUntil)
            return;
        if (!place.engine) {
            place.engine = std::make_unique<SimEngine>(m_shared, "e" + std::to_string(m_started++), m_rng.next());
            trace("starts " + place.engine->name());
        }
        m_current = &place;
        const bool lives = place.engine->tick();
        m_current = nullptr;
        if (lives && !place.dying)
            return;
        trace(place.engine->name() + (place.dying ? " is gone" : " was ended"));
        place.engine.reset();
        place.dying = false;
        if (m_shared.faults)
            place.pausedUntil = m_clock.monotonicMs() + static_cast<SpanMs>(m_rng.below(20'000));
    }

    void stepOnce()
    {
        pass(20 + static_cast<SpanMs>(m_rng.below(400)));
        const std::uint64_t dice = m_rng.below(100);
        Place& place = m_engines[m_rng.below(m_engines.size())];
        if (dice < 3 && m_runs.size() < 8)
            start();
        else if (dice < 12)
            act();
        else if (dice == 12 && place.engine)
            crash(place);
        else if (dice == 13)
            pause(place);
        else if (dice == 14)
            jump();
        else if (dice == 15)
            pass(static_cast<SpanMs>(m_rng.below(30'000)));
        else
            tick(place);
        m_result.broken = m_checker.step();
    }

    void crash(Place& place)
    {
        ++m_faults;
        trace(place.engine->name() + " crashes");
        place.engine.reset();
    }
    void pause(Place& place)
    {
        ++m_faults;
        place.pausedUntil = m_clock.monotonicMs() + 2 * kLease;
        trace("a pause longer than the lease");
    }
    void jump()
    {
        ++m_faults;
        const auto span = static_cast<SpanMs>(m_rng.below(40'000)) - 20'000;
        m_clock.jumpWall(span);
        trace("the wall clock jumps by " + std::to_string(span));
    }

    void start()
    {
        Operator& op = m_operators[m_rng.below(2)];
        const std::size_t kind = m_rng.below(3);
        static constexpr std::array kNames{"buy", "spread", "tree"};
        Submission s;
        s.workflow = kNames[kind];
        s.key = m_rng.below(3) == 0 ? "key" + std::to_string(m_rng.below(4)) : "";
        s.command.actor = {ActorKind::Caller, "caller"};
        const std::string input = "{\"order\":" + std::to_string(m_rng.below(3)) + ",\"items\":[1,2,3]}";
        s.payloads.push_back(op.service->newPayload(input, "application/json"));
        cmd::Start start;
        start.input = s.payloads.back().ref;
        s.command.body = start;
        const Outcome outcome = op.service->submitAndWait(std::move(s));
        acknowledge(outcome);
        trace("start " + std::string(kNames[kind]) + " " + std::to_string(static_cast<int>(outcome.kind)));
        // Repeated: the first answer was lost. Failed: it may be there all the same.
        const bool made = outcome.kind == Outcome::Kind::Committed || outcome.kind == Outcome::Kind::Repeated;
        if (made)
            m_runs.push_back(outcome.run);
        if (made || outcome.kind == Outcome::Kind::Failed)
            m_checker.watch(outcome.run);
    }

    // One allowed act of an honest operator, on any run; now and then given twice, as after a lost answer.
    void act()
    {
        const std::set<RunId>& all = m_checker.runs();
        if (all.empty())
            return;
        auto it = all.begin();
        std::advance(it, m_rng.below(all.size()));
        Operator& op = m_operators[m_rng.below(2)];
        const auto state = op.service->load(*it);
        if (!state)
            return;
        std::vector<cmd::Body> choices;
        for (const Action& action : explain(*state, op.service->explainGiven(*state)).actions)
            if (action.allowed)
                if (auto body = bodyOf(*state, action, op))
                    choices.push_back(*body);
        if (m_rng.below(6) == 0)
            choices.push_back(cmd::Signal{"rung", sha256(std::to_string(m_rng.below(3))), {}, true});
        if (choices.empty())
            return;
        Submission s;
        s.run = *it;
        s.command.id = makeId<CommandId>(m_clock.wallMs(), m_rng);
        s.command.body = choices[m_rng.below(choices.size())];
        const bool person = !std::holds_alternative<cmd::Signal>(s.command.body);
        s.command.actor = {person ? ActorKind::Person : ActorKind::Caller, person ? "ann" : "bell"};
        s.reason = person ? "because the simulator says so" : "";
        const int times = m_rng.below(5) == 0 ? 2 : 1;
        for (int i = 0; i < times; ++i) {
            const Outcome outcome = m_operators[m_rng.below(2)].service->submitAndWait(s);
            trace("act " + std::string(key(verbOf(s.command.body))) + " " + std::to_string(static_cast<int>(outcome.kind)));
            acknowledge(outcome);
        }
    }

    std::optional<cmd::Body> bodyOf(const RunState& state, const Action& action, Operator& op)
    {
        const std::string step = action.step == kNoStep ? "" : state.steps[action.step].id;
        switch (action.verb) {
        case Verb::Approve: return cmd::Decide{action.approval, true, {}};
        case Verb::Reject: return m_rng.below(5) ? std::optional<cmd::Body>{} : cmd::Decide{action.approval, false, {}};
        case Verb::Pause: return m_rng.below(5) ? std::optional<cmd::Body>{} : cmd::SetPaused{true, 0, false};
        case Verb::Resume: return cmd::SetPaused{false, 0, false};
        case Verb::Retry: return cmd::RetryStep{step, 0, false};
        case Verb::Skip: return m_rng.below(5) ? std::optional<cmd::Body>{} : cmd::SkipStep{step, {}, 0, false};
        case Verb::Cancel: return m_rng.below(8) ? std::optional<cmd::Body>{} : cmd::Cancel{true};
        case Verb::Settle: {
            // Looks at the provider's own books before saying anything.
            const auto text = op.service->effectKey(state.id, action.step);
            if (!text)
                return std::nullopt;
            const bool happened = m_provider.happened(state.steps[action.step].tool + " " + *text);
            return cmd::Settle{step, happened ? cmd::SettleAs::Happened : cmd::SettleAs::NotHappened, {}, {}, 0, false};
        }
        default: return std::nullopt;
        }
    }

    // Faults stop; engines work until nothing happens any more.
    void calmDown()
    {
        trace("faults stop");
        m_shared.faults = false;
        std::uint64_t before = 0;
        int quiet = 0;
        for (int round = 0; round < 4'000 && quiet < 90 && m_result.broken.empty(); ++round) {
            pass(500);
            for (Place& place : m_engines) {
                place.pausedUntil = 0;
                tick(place);
            }
            m_result.broken = m_checker.step();
            std::uint64_t versions = 0;
            for (const RunId& run : m_checker.runs())
                if (const RunState* state = m_checker.state(run))
                    versions += state->version;
            quiet = versions == before ? quiet + 1 : 0;
            before = versions;
            const bool timer = quiet == 80 && skipToNext();
            quiet = timer ? 0 : quiet;
        }
        if (m_result.broken.empty() && quiet < 90)
            m_result.broken = "things move for ever after the faults have stopped";
    }
    // Nothing to do but to wait for a time: let it come.
    bool skipToNext()
    {
        TimeMs next = kNoTime;
        for (const RunId& run : m_checker.runs())
            if (const RunState* state = m_checker.state(run); state && !state->closed) {
                const TimeMs due = summarise(*state, m_clock.wallMs()).nextDue;
                if (due > m_clock.wallMs() && (next == kNoTime || due < next))
                    next = due;
            }
        if (next == kNoTime)
            return false;
        const SpanMs span = next - m_clock.wallMs();
        m_clock.jumpWall(std::max<SpanMs>(span - 1'000, 0));
        return true;
    }

    ManualClock m_clock;
    SeededRng m_rng;
    Provider m_provider;
    std::shared_ptr<MemoryDatabase> m_database;
    std::unique_ptr<StoreWriter> m_view;
    Checker m_checker;
    std::function<void(const std::string&)> m_print;
    Shared m_shared;
    std::vector<Place> m_engines;
    std::array<Operator, 2> m_operators;
    std::vector<RunId> m_runs;
    Place* m_current = nullptr;
    Sha256 m_trace;
    Result m_result;
    std::uint64_t m_faults = 0;
    std::uint64_t m_started = 1;
    std::uint32_t m_step = 0;
};

}  // namespace

Result simulate(std::uint64_t seed, std::uint32_t steps, const std::function<void(const std::string&)>& print)
{
    return Simulation(seed, print).run(steps);
}

}  // namespace cairn::sim
