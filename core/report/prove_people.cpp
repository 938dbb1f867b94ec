#include "core/report/prove_people.h"

#include <algorithm>

namespace cairn::proof {

namespace {

constexpr SpanMs kYear = 365LL * 86'400'000;
constexpr std::int64_t kPlenty = 1'000'000'000'000'000;

// Their connections: what they commit is a boundary for the engine.
class TheirStore final : public HookedStore {
public:
    TheirStore(std::unique_ptr<StoreWriter> store, Scene& scene)
        : HookedStore(std::move(store), {&nothing, &nothing})
        , m_scene(scene)
    {
    }
    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override
    {
        Status status = HookedStore::commit(members, results);
        if (status)
            m_scene.theyCommitted(members, results);
        return status;
    }

private:
    static std::optional<Error> nothing(const char*, Access) { return std::nullopt; }
    Scene& m_scene;
};

ServiceConfig configOf(std::size_t number)
{
    ServiceConfig config;
    config.uid = static_cast<std::uint32_t>(1'000 + number);
    config.login = "uid " + std::to_string(config.uid);
    config.host = "host";
    config.verifyOneIn = 0;
    return config;
}

}  // namespace

struct People::One {
    One(Scene& scene, const ProveOptions::Connect& connect, const Clock& clock, Rng& rng, std::size_t number)
        : store(connect(), scene)
        , queue(makeInlineQueue(store))
        , service(store, *queue, clock, rng, configOf(number))
    {
    }
    TheirStore store;
    std::unique_ptr<CommitQueue> queue;
    Service service;
};

People::People(Scene& scene, ProveOptions::Connect connect, const Clock& clock)
    : m_scene(scene)
    , m_connect(std::move(connect))
    , m_clock(clock)
{
}

People::~People() = default;

Service& People::person(std::size_t number)
{
    while (m_people.size() <= number)
        m_people.push_back(std::make_unique<One>(m_scene, m_connect, m_clock, m_rng, m_people.size()));
    return m_people[number]->service;
}

Outcome People::submit(Submission submission, std::size_t number)
{
    submission.command.id = makeId<CommandId>(m_clock.wallMs(), m_rng);
    return person(number).submitAndWait(std::move(submission));
}

Outcome People::give(const RunId& run, cmd::Body body, std::size_t number, ActorKind kind)
{
    Submission submission;
    submission.run = run;
    submission.command.actor = {kind, "person-" + std::to_string(number + 1)};
    submission.reason = kind == ActorKind::Person ? "the proof needs it to go on" : "";
    submission.command.body = std::move(body);
    return submit(std::move(submission), number);
}

Outcome People::start(const std::string& workflow, const std::string& input)
{
    Submission submission;
    submission.workflow = workflow;
    submission.run = makeId<RunId>(m_clock.wallMs(), m_rng);
    submission.command.actor = {ActorKind::Caller, "caller"};
    submission.payloads.push_back(person(0).newPayload(input, "application/json"));
    cmd::Start start;
    start.input = submission.payloads.back().ref;
    submission.command.body = start;
    return submit(std::move(submission), 0);
}

void People::cancel(const RunId& run) { static_cast<void>(give(run, cmd::Cancel{})); }

bool People::compensate(const RunId& run) { return give(run, cmd::Compensate{}).ok(); }

bool People::act()
{
    for (const auto& [id, state] : m_scene.runs()) {
        const auto refused = m_refused.find(id);
        if (refused != m_refused.end() && refused->second == state.version)
            continue;
        const std::uint64_t before = state.version;
        if (state.closed || !actOn(state))
            continue;
        if (state.version != before)
            return true;
        m_refused[id] = before;
    }
    return false;
}

bool People::actOn(const RunState& state)
{
    return approve(state) || settle(state) || unblock(state) || raiseBudget(state) || repair(state)
        || signal(state) || work(state);
}

// As many as are needed, one after the other.
bool People::approve(const RunState& state)
{
    for (const ApprovalRecord& approval : state.approvals)
        if (approval.state == ApprovalState::Pending) {
            const auto decision = m_scene.decision(state, approval);
            if (!decision)
                continue;
            static_cast<void>(
                give(state.id, cmd::Decide{approval.id, *decision, {}}, approval.consents.size()));
            return true;
        }
    return false;
}

// Looks at the provider before saying anything.
bool People::settle(const RunState& state)
{
    for (const StepIx ix : state.unknown) {
        const StepRecord& step = state.steps[ix];
        if (step.attempt || step.due != kNoTime)
            continue;
        m_scene.parked(state, ix, Reason::OutcomeUnknown);
        Submission submission;
        submission.run = state.id;
        submission.command.actor = {ActorKind::Person, "person-1"};
        submission.reason = "looked at the provider";
        cmd::Settle act;
        act.step = step.id;
        act.as = cmd::SettleAs::NotHappened;
        if (m_scene.happened(state.id, step.id)) {
            act.as = cmd::SettleAs::Happened;
            submission.payloads.push_back(person(0).newPayload(
                m_scene.outputOf(state.id, step.id), m_scene.mediaOf(state.id, step.id)));
            act.output = submission.payloads.back().ref;
        }
        submission.command.body = act;
        static_cast<void>(submit(std::move(submission), 0));
        return true;
    }
    return false;
}

bool People::unblock(const RunState& state)
{
    if (state.blocked == Reason::None)
        return false;
    m_scene.trouble("", "the run was blocked: " + std::string(label(state.blocked)));
    if (state.blocked == Reason::Deadline)
        static_cast<void>(give(state.id, cmd::SetDeadline{m_clock.wallMs() + kYear, 0, false}));
    else
        static_cast<void>(give(state.id, cmd::SetPaused{false, 0, false}));
    return true;
}

bool People::raiseBudget(const RunState& state)
{
    const auto& waiting = state.waiting[static_cast<std::size_t>(Reason::Budget)];
    if (waiting.empty())
        return false;
    m_scene.parked(state, waiting.begin()->second, Reason::Budget);
    for (const BudgetLine& line : state.budget)
        if (line.limit < kPlenty) {
            static_cast<void>(give(state.id, cmd::SetBudget{line.unit, kPlenty, 0, false}));
            return true;
        }
    return false;
}

bool People::repair(const RunState& state)
{
    for (const StepIx ix : state.failed)
        if (repairStep(state, ix))
            return true;
    return false;
}

// Attempts that were used up are granted anew. Whatever else fails here fails for what the proof made up: a
// result is recorded, so that the steps after it are seen.
bool People::repairStep(const RunState& state, StepIx ix)
{
    const StepRecord& step = state.steps[ix];
    if (m_scene.staysFailed(state, step))
        return false;
    if (step.reason == Reason::AttemptsExhausted) {
        m_scene.parked(state, ix, step.reason);
        return give(state.id, cmd::RetryStep{step.id, 0, false}).ok();
    }
    std::string why(label(step.reason));
    if (step.error)
        if (const auto text = m_people.front()->store.payload(state.id, step.error.id, 0, 300))
            why += ": " + *text;
    m_scene.trouble(m_scene.pathOf(state, ix), why);
    Submission submission;
    submission.run = state.id;
    submission.command.actor = {ActorKind::Person, "person-1"};
    submission.reason = "the made-up values do not fit";
    submission.payloads.push_back(
        person(0).newPayload(m_scene.outputOf(state.id, step.id), m_scene.mediaOf(state.id, step.id)));
    submission.command.body = cmd::RecordResult{step.id, submission.payloads.back().ref, 0, false};
    return submit(std::move(submission), 0).ok();
}

bool People::signal(const RunState& state)
{
    const auto& waiting = state.waiting[static_cast<std::size_t>(Reason::Signal)];
    const auto sent = std::find_if(waiting.begin(), waiting.end(),
        [&](const auto& wait) { return m_scene.isSignalled(state, state.steps[wait.second]); });
    if (sent == waiting.end())
        return false;
    const StepRecord& step = state.steps[sent->second];
    const StepDef* def = m_scene.definitionOf(state).step(step.name);
    const auto id = person(0).saltedId("event of " + step.id);
    if (!def || !id)
        return false;
    Submission submission;
    submission.run = state.id;
    submission.command.actor = {ActorKind::Caller, "caller"};
    submission.payloads.push_back(
        person(0).newPayload(m_scene.outputOf(state.id, step.id), m_scene.mediaOf(state.id, step.id)));
    submission.command.body = cmd::Signal{def->signal, *id, submission.payloads.back().ref, true};
    static_cast<void>(submit(std::move(submission), 0));
    return true;
}

// --- outside workers

bool People::work(const RunState& state)
{
    const Definition& definition = m_scene.definitionOf(state);
    for (const StepIx ix : state.ready) {
        const StepRecord& step = state.steps[ix];
        const ToolDef* tool = definition.tool(step.tool);
        if (!tool || tool->executor != "worker")
            continue;
        Submission submission;
        submission.run = state.id;
        submission.command.actor = {ActorKind::Worker, "worker"};
        submission.command.body = cmd::Claim{step.id, "worker", {tool->name}, tool->heartbeatTimeout};
        const Outcome claimed = submit(std::move(submission), 0);
        if (!claimed.ok())
            continue;
        if (m_scene.runs().at(state.id).steps[ix].attempt)
            doWork(state.id, ix);
        return true;
    }
    return false;
}

void People::doWork(const RunId& run, StepIx ix)
{
    const RunState& state = m_scene.runs().at(run);
    const StepRecord& step = state.steps[ix];
    const std::string path = m_scene.pathOf(state, ix);
    StartOrder order;
    order.run = run;
    order.step = step.id;
    order.attempt = step.attempt->id;
    order.purpose = step.attempt->purpose;
    order.tool = step.tool;
    order.safety = step.safety;
    order.executor = "worker";
    if (writes(step.safety))
        if (auto key = person(0).effectKey(run, ix))
            order.effectKey = *std::move(key);
    if (m_scene.killsWorker(path, "before the request was sent"))
        return;
    m_scene.called(order);
    if (m_scene.killsWorker(path, "after the provider acted, before its answer"))
        return;
    if (m_scene.killsWorker(path, "with the answer in hand, before its commit"))
        return;
    Submission submission;
    submission.run = run;
    submission.command.actor = {ActorKind::Worker, "worker"};
    submission.payloads.push_back(
        person(0).newPayload(m_scene.outputOf(run, order.step), m_scene.mediaOf(run, order.step)));
    cmd::Complete done;
    done.attempt = order.attempt;
    done.output = submission.payloads.back().ref;
    submission.command.body = done;
    static_cast<void>(submit(std::move(submission), 0));
}

}  // namespace cairn::proof
