#include "tests/sim/operators.h"

#include "tests/sim/checker.h"

#include <algorithm>
#include <array>

namespace cairn::sim {

namespace {

constexpr std::size_t kRuns = 8;  // that are started from outside

std::string kindText(Outcome::Kind kind)
{
    static constexpr std::array kNames{
        "committed", "repeated", "existing", "no change", "rejected", "failed", "proposed"};
    return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

Operator::Operator(World& world, std::string name, std::uint32_t uid)
    : m_world(world)
    , m_name(std::move(name))
    , m_uid(uid)
{
    begin();
}

// A program of its own: the command line, or a console.
void Operator::begin()
{
    if (m_gate)
        m_gate->kill();
    m_service.reset();
    m_queue.reset();
    m_store.reset();
    m_writer.reset();
    m_gate = std::make_unique<Gate>(m_world, m_name);
    m_store = connectThrough(*m_gate);
    m_writer = connectThrough(*m_gate);
    m_queue = std::make_unique<SimQueue>(*m_gate, *m_writer);
    m_rng = std::make_unique<SeededRng>(m_world.rng.next());
    ServiceConfig config;
    config.uid = m_uid;
    config.host = "sim";
    config.verifyOneIn = 16;
    m_service = std::make_unique<Service>(*m_store, *m_queue, m_world.clock, *m_rng, config);
}

template<typename Work> void Operator::carefully(Work work)
{
    if (m_busy)
        return;
    m_busy = true;
    try {
        work();
    } catch (const Killed&) {
        m_again = true;
    }
    if (std::exchange(m_again, false))
        begin();  // the program is started again
    m_busy = false;
}

void Operator::start()
{
    if (m_world.checker->roots() < kRuns)
        carefully([this] { startOne(); });
}

void Operator::act()
{
    carefully([this] { actOnce(); });
}

void Operator::cancel(const RunId& run)
{
    carefully([this, run] {
        Submission s;
        s.run = run;
        s.command.id = makeId<CommandId>(m_world.clock.wallMs(), *m_rng);
        s.command.actor = {ActorKind::Person, "ann"};
        s.command.body = cmd::Cancel{true};
        s.reason = "because the simulator says so";
        give(s);
    });
}

void Operator::give(const Submission& submission)
{
    const Outcome outcome = m_service->submitAndWait(submission);
    m_world.trace(m_name + ": " + std::string(key(verbOf(submission.command.body))) + " "
        + toText(outcome.run).substr(24) + " " + kindText(outcome.kind)
        + (outcome.kind == Outcome::Kind::Failed          ? ": " + outcome.error.text
                : outcome.kind == Outcome::Kind::Rejected ? ": " + outcome.rejection.text
                                                          : ""));
    m_world.checker->answered(submission, outcome);
    m_again = m_again || (outcome.kind == Outcome::Kind::Failed && outcome.error.kind != ErrorKind::Busy);
}

void Operator::startOne()
{
    static constexpr std::array kNames{"buy", "spread", "tree"};
    Submission s;
    s.workflow = kNames[m_world.rng.below(kNames.size())];
    s.workflowVersion =
        s.workflow == "buy" ? static_cast<std::uint32_t>(m_world.rng.below(3)) : 0;  // 0: the newest
    s.key = m_world.rng.below(3) == 0 ? "key" + std::to_string(m_world.rng.below(4)) : "";
    s.run = makeId<RunId>(m_world.clock.wallMs(), *m_rng);
    s.command.id = makeId<CommandId>(m_world.clock.wallMs(), *m_rng);
    s.command.actor = {ActorKind::Caller, "caller"};
    const std::string input = "{\"order\":" + std::to_string(m_world.rng.below(3)) + ",\"items\":[1,2,3]}";
    s.payloads.push_back(m_service->newPayload(input, "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    m_world.checker->watch(s.run);
    give(s);
}

void Operator::actOnce()
{
    const std::vector<RunId> all = m_world.checker->known();
    if (all.empty())
        return;
    const RunId run = all[m_world.rng.below(all.size())];
    const auto state = m_service->load(run);
    if (!state)
        return;
    std::vector<cmd::Body> choices;
    for (const Action& action : explain(*state, m_service->explainGiven(*state)).actions)
        if (action.allowed)
            if (auto body = bodyOf(*state, action))
                choices.push_back(*body);
    if (m_world.rng.below(6) == 0)
        choices.push_back(cmd::Signal{"rung", sha256(std::to_string(m_world.rng.below(3))), {}, true});
    if (choices.empty())
        return;
    Submission s;
    s.run = run;
    s.command.id = makeId<CommandId>(m_world.clock.wallMs(), *m_rng);
    s.command.body = choices[m_world.rng.below(choices.size())];
    const bool person = !std::holds_alternative<cmd::Signal>(s.command.body);
    s.command.actor = {person ? ActorKind::Person : ActorKind::Caller, person ? "ann" : "bell"};
    s.reason = person ? "because the simulator says so" : "";
    const int times = m_world.rng.below(5) == 0 ? 2 : 1;
    for (int i = 0; i < times; ++i)
        give(s);
}

std::optional<cmd::Body> Operator::bodyOf(const RunState& state, const Action& action)
{
    const std::string step = action.step == kNoStep ? "" : state.steps[action.step].id;
    const auto seldom = [this](std::uint64_t many) { return m_world.rng.below(many) == 0; };
    switch (action.verb) {
    case Verb::Approve: return cmd::Decide{action.approval, true, {}};
    case Verb::Reject:
        return seldom(5) ? std::optional<cmd::Body>(cmd::Decide{action.approval, false, {}}) : std::nullopt;
    case Verb::Pause:
        return seldom(5) ? std::optional<cmd::Body>(cmd::SetPaused{true, 0, false}) : std::nullopt;
    case Verb::Resume: return cmd::SetPaused{false, 0, false};
    case Verb::Retry: return cmd::RetryStep{step, 0, false};
    case Verb::Skip:
        return seldom(5) ? std::optional<cmd::Body>(cmd::SkipStep{step, {}, 0, false}) : std::nullopt;
    case Verb::Record:
        return seldom(6) ? std::optional<cmd::Body>(cmd::RecordResult{step, {}, 0, false}) : std::nullopt;
    case Verb::Cancel: return seldom(8) ? std::optional<cmd::Body>(cmd::Cancel{true}) : std::nullopt;
    case Verb::Settle: {
        // Asks the provider before saying anything, and knows whether a request may still be on its way.
        const std::string effect = m_world.checker->effectOf(state.id, step);
        const bool onItsWay = std::any_of(m_world.network.begin(), m_world.network.end(),
            [&](const auto& request) { return !request->lookUp && request->key == effect; });
        if (onItsWay)
            return std::nullopt;
        const bool happened = m_world.provider.happened(effect);
        return cmd::Settle{step, happened ? cmd::SettleAs::Happened : cmd::SettleAs::NotHappened, {}, {},
            state.steps[action.step].revision, true};
    }
    default: return std::nullopt;
    }
}

}  // namespace cairn::sim
