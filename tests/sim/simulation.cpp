#include "tests/sim/simulation.h"

#include "core/base/log.h"
#include "core/definition/parse.h"
#include "tests/sim/checker.h"
#include "tests/sim/operators.h"
#include "tests/sim/process.h"
#include "tests/sim/workflows.h"

#include <algorithm>
#include <deque>

namespace cairn::sim {

namespace {

// Rounds without an entry after which nothing is expected any more: longer than a lease and all jumps of the
// clock.
constexpr int kQuiet = 160;
// Rounds in which runs are cancelled under way, to see that it is done promptly.
constexpr int kCancelling = 40;

class Simulation {
public:
    Simulation(std::uint64_t seed, const std::function<void(const std::string&)>& print)
        : m_print(print)
        , m_world(seed, [this](const std::string& line) { trace(line); })
        , m_checker(m_world)
    {
        m_world.checker = &m_checker;
        m_world.elsewhere = [this](SpanMs span) { elsewhere(span); };
        m_world.lives = [this](const SessionId& session) { return living().contains(session); };
        addWorkflows();
        addPlaces();
        m_operators.emplace_back(m_world, "ann", 1000);
        m_operators.emplace_back(m_world, "bob", 1001);
    }

    Findings run(std::uint32_t steps)
    {
        for (m_step = 0; m_step < steps && m_world.broken.empty(); ++m_step)
            stepOnce();
        if (m_world.broken.empty())
            calmDown();
        if (m_world.broken.empty())
            m_checker.end(living());
        return result();
    }

private:
    void trace(const std::string& line)
    {
        const std::string text = std::to_string(m_step) + " "
            + std::to_string(m_world.clock.monotonicMs() - 1'000'000) + " " + line + "\n";
        m_trace.update(text);
        if (m_print)
            m_print(text);
    }

    void addWorkflows()
    {
        for (const char* text : kWorkflows) {
            const auto parsed = parseDefinition(text);
            if (!parsed)
                return m_world.fail(diagnosticLine("workflow of the simulator", parsed.diagnostics.front()));
            WorkflowRow row;
            row.name = parsed.definition->ref.name;
            row.version = parsed.definition->ref.version;
            row.digest = parsed.definition->ref.digest;
            row.text = text;
            if (const Status added = connectMemory(m_world.database)->addWorkflow(row); !added)
                m_world.fail(added.error().text);
        }
    }

    // The first serves everything; of the others some serve only a part. Some stand on a host of their own.
    void addPlaces()
    {
        const std::size_t count = 3 + m_world.rng.below(3);
        const SpanMs lease = 3'000 + m_world.upTo(8'000);
        for (std::size_t i = 0; i < count; ++i) {
            EngineConfig config;
            config.name = "e" + std::to_string(i);
            config.lease = lease;
            config.heartbeat = lease / 4;
            config.drainGrace = m_world.upTo(10'000);
            config.maxAttempts = static_cast<std::uint32_t>(2 + m_world.rng.below(6));
            config.verifyOneIn = 16;
            if (i > 0 && m_world.rng.below(3) == 0)
                config.serves = m_world.rng.below(2) == 0 ? std::vector<std::string>{"buy@1", "spread"}
                                                          : std::vector<std::string>{"tree", "buy@2"};
            const std::string host = m_world.rng.below(3) == 0 ? "other" : "here";
            m_places.emplace_back(m_world, m_hosts, host, std::move(config));
        }
    }

    // --- the network and the provider

    void arrivals()
    {
        for (const auto& request : m_world.network) {
            if (request->arrived || m_world.now() < request->arrives)
                continue;
            request->arrived = true;
            arrive(*request);
        }
        std::erase_if(m_world.network, [](const auto& request) { return request->arrived; });
    }
    void arrive(Request& request)
    {
        if (request.answer == Answer::DropBefore || request.answer == Answer::Limited
            || request.answer == Answer::Refused)
            return;
        if (request.lookUp)
            request.found = m_world.provider.happened(request.key);
        else if (!request.key.empty())
            request.result = m_world.provider.call(request.key, request.keyed);
        if (!request.lookUp && !request.key.empty())
            m_checker.happened(request);
        m_world.trace("provider " + request.key
            + (request.lookUp ? request.found ? " asked: yes" : " asked: no" : " called"));
    }
    // Time passes in small steps, so that requests arrive before anybody looks later.
    void pass(SpanMs span)
    {
        for (; span > 0; span -= 50) {
            m_world.clock.advance(std::min<SpanMs>(span, 50));
            arrivals();
        }
    }

    // --- under faults

    Place& anyPlace() { return m_places[m_world.rng.below(m_places.size())]; }
    Operator& anyOperator() { return m_operators[m_world.rng.below(m_operators.size())]; }

    void stepOnce()
    {
        pass(10 + m_world.upTo(400));
        const std::uint64_t dice = m_world.rng.below(400);
        if (dice < 12)
            anyOperator().start();
        else if (dice < 48)
            anyOperator().act();
        else if (dice < 56)
            misfortune();
        else
            anyPlace().turn();
        m_checker.step();
    }
    void misfortune()
    {
        switch (m_world.rng.below(8)) {
        case 0:
        case 1: anyPlace().crash(); break;
        case 2: anyPlace().pause(15'000 + m_world.upTo(10'000)); break;
        case 3: anyPlace().drain(); break;
        case 4:
        case 5: jump(); break;
        case 6:
            m_world.fault("the store is full for a while");
            m_world.fullUntil = m_world.now() + m_world.upTo(8'000);
            break;
        default: m_world.trace("nothing happens for a while"); pass(m_world.upTo(30'000));
        }
    }
    void jump()
    {
        const SpanMs span = m_world.upTo(40'000) - 20'000;
        m_world.fault("the wall clock jumps");
        m_world.trace("by " + std::to_string(span));
        m_world.clock.jumpWall(span);
    }
    // One process stands inside a store call; the others go on.
    void elsewhere(SpanMs span)
    {
        const SpanMs until = m_world.now() + span;
        while (m_world.now() < until && m_world.broken.empty())
            stepOnce();
    }

    // --- when the faults have stopped

    void calmDown()
    {
        m_world.trace("faults stop");
        m_world.faults = false;
        // Some engines never come back: what they held must not wait for them.
        for (std::size_t i = 1; i < m_places.size(); ++i)
            if (m_world.rng.below(2) == 0)
                m_places[i].crash();
            else
                m_lasting.push_back(&m_places[i]);
        m_lasting.push_back(&m_places[0]);
        for (Place* place : m_lasting)
            place->revive();
        std::uint64_t before = 0;
        int quiet = 0;
        for (int round = 0; round < 6'000 && quiet < kQuiet && m_world.broken.empty(); ++round) {
            if (round < kCancelling && m_world.rng.below(4) == 0)
                cancelOne();
            calmRound();
            const std::uint64_t versions = entries();
            quiet = versions == before ? quiet + 1 : 0;
            before = versions;
            if (quiet == kQuiet / 4 && skipToNext())
                quiet = 0;
        }
        if (m_world.broken.empty() && quiet < kQuiet)
            m_world.fail("things move for ever after the faults have stopped");
        for (int round = 0; round < 10 && living().contains(SessionId{}); ++round)
            calmRound();  // one has lost its session to the passing of time just now
    }
    // One whose calls can be stopped.
    void cancelOne()
    {
        std::vector<RunId> busy;
        for (const RunId& run : m_checker.known()) {
            const RunState& state = *m_checker.state(run);
            if (!state.cancelled() && std::any_of(state.running.begin(), state.running.end(), [&](StepIx ix) {
                    return state.steps[ix].safety != ReplaySafety::Irreversible;
                }))
                busy.push_back(run);
        }
        if (!busy.empty())
            anyOperator().cancel(busy[m_world.rng.below(busy.size())]);
    }
    void calmRound()
    {
        pass(500);
        for (Place* place : m_lasting)
            place->turn();
        m_checker.step();
    }
    [[nodiscard]] std::uint64_t entries() const
    {
        std::uint64_t versions = 0;
        for (const RunId& run : m_checker.known())
            versions += m_checker.state(run)->version;
        return versions;
    }
    // Nothing to do but to wait for a time: let it come.
    bool skipToNext()
    {
        TimeMs next = kNoTime;
        const TimeMs now = m_world.clock.wallMs();
        for (const RunId& run : m_checker.known()) {
            const RunState& state = *m_checker.state(run);
            const TimeMs due = state.closed ? kNoTime : summarise(state, now).nextDue;
            if (due > now && (next == kNoTime || due < next))
                next = due;
        }
        if (next == kNoTime || next - now > 3'600'000)
            return false;  // an approval that nobody gives
        m_world.trace("time passes until something is due");
        m_world.clock.jumpWall(std::max<SpanMs>(next - now - 1'000, 0));
        return true;
    }
    [[nodiscard]] std::set<SessionId> living() const
    {
        std::set<SessionId> sessions;
        for (const Place* place : m_lasting)
            sessions.insert(place->session());
        return sessions;
    }

    [[nodiscard]] Findings result()
    {
        Findings r;
        r.broken = m_world.broken;
        r.atStep = std::to_string(m_step);
        r.trace = m_trace.finish();
        r.faults = m_world.fired;
        r.acks = m_checker.acks;
        r.unknowns = m_checker.unknowns;
        r.resolved = m_checker.resolved;
        for (const auto& [key, row] : m_world.provider.rows())
            r.effects += row.effects;
        for (const RunId& run : m_checker.known()) {
            ++r.runs;
            r.finished += m_checker.state(run)->closed ? 1 : 0;
        }
        EngineStats sum;
        for (const Place& place : m_places) {
            const EngineStats each = place.total();
            sum.sessionsEnded += each.sessionsEnded;
            sum.sessionsLost += each.sessionsLost;
            sum.fenced += each.fenced;
            sum.delivered += each.delivered;
        }
        r.did = {{"attempts ended by takeover", m_checker.takeovers},
            {"late results kept as evidence", m_checker.late},
            {"sessions of others ended", sum.sessionsEnded}, {"own sessions lost", sum.sessionsLost},
            {"results refused", sum.fenced}, {"messages delivered", sum.delivered}};
        return r;
    }

    std::function<void(const std::string&)> m_print;
    Sha256 m_trace;
    std::uint32_t m_step = 0;
    World m_world;
    Checker m_checker;
    Hosts m_hosts;
    std::deque<Place> m_places;
    std::deque<Operator> m_operators;
    std::vector<Place*> m_lasting;  // that are up at the end
};

}  // namespace

Findings simulate(
    std::uint64_t seed, std::uint32_t steps, const std::function<void(const std::string&)>& print)
{
    return Simulation(seed, print).run(steps);
}

}  // namespace cairn::sim
