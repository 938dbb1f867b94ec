#include "core/report/showcase_room.h"

#include "core/base/text.h"
#include "core/definition/parse.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace cairn::showcase {

namespace {

constexpr SpanMs kLongestStep = 2'000;  // below an engine's heartbeat
constexpr Somebody kPeople[] = {{"scheduler", "uid 900"}, {"Ines Duarte", "uid 1001"},
    {"Kim Larsen", "uid 1002"}, {"Jonas Brandt", "uid 1003"}, {"Tom Aydin", "uid 1004"}};

AttemptResult doneBy(const StartOrder& order, const Play& play)
{
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = std::make_shared<Spool>(kPayloadBytes);
    if (const Status kept = result.output->append(play.output); !kept)
        return failedResult(order, FailureClass::Permanent, knowledgeWhenBroken(order), kept.error().text);
    result.used = play.used;
    return result;
}

AttemptResult failedBy(const StartOrder& order, const Play& play)
{
    AttemptResult result = failedResult(
        order, play.failure, writes(order.safety) ? play.effect : EffectKnowledge::NoEffect, play.error);
    result.retryAfter = play.retryAfter;
    result.timedOut = play.timedOut;
    result.used = play.used;
    return result;
}

}  // namespace

std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

const Somebody& somebody(unsigned number)
{
    return kPeople[std::min<std::size_t>(number, std::size(kPeople) - 1)];
}

// ---------------------------------------------------------------------------

class Tools final : public Executor {
public:
    explicit Tools(const Clock& clock)
        : m_clock(clock)
    {
    }
    void onFinished(Finished finished) override { m_finished = std::move(finished); }
    void start(StartOrder order) override
    {
        const Play& play = playOf(order);
        const SpanMs due = play.never ? kForever : m_clock.monotonicMs() + play.takes;
        m_calls.push_back({std::move(order), due});
    }
    void cancel(const AttemptId& attempt) override
    {
        const auto found = std::find_if(
            m_calls.begin(), m_calls.end(), [&](const Call& call) { return call.order.attempt == attempt; });
        if (found == m_calls.end())
            return;
        AttemptResult result =
            failedResult(found->order, FailureClass::Retryable, knowledgeWhenBroken(found->order), "stopped");
        result.cancelled = true;
        m_calls.erase(found);
        m_finished(std::move(result));
    }
    void abandon(const AttemptId& attempt) override
    {
        std::erase_if(m_calls, [&](const Call& call) { return call.order.attempt == attempt; });
    }
    [[nodiscard]] SpanMs tick() override
    {
        const SpanMs now = m_clock.monotonicMs();
        std::vector<Call> due;
        SpanMs next = kIdle;
        for (auto call = m_calls.begin(); call != m_calls.end();) {
            if (call->due <= now) {
                due.push_back(std::move(*call));
                call = m_calls.erase(call);
            } else {
                next = std::min(next, call->due == kForever ? kIdle : call->due - now);
                ++call;
            }
        }
        for (const Call& call : due)
            m_finished(answer(call.order));
        return due.empty() ? next : 0;
    }
    void forget() { m_calls.clear(); }  // their engine is gone

    std::map<std::string, Play> byTool;
    std::map<std::pair<RunId, std::string>, Play> byStep;

private:
    struct Call {
        StartOrder order;
        SpanMs due = 0;
    };
    [[nodiscard]] const Play& playOf(const StartOrder& order) const
    {
        static const Play kPlain;
        if (const auto own = byStep.find({order.run, order.step}); own != byStep.end())
            return own->second;
        const auto tool = byTool.find(order.tool);
        return tool == byTool.end() ? kPlain : tool->second;
    }
    [[nodiscard]] AttemptResult answer(const StartOrder& order)
    {
        if (order.purpose == Purpose::LookUp)
            return lookUpResult(order, R"({"happened":null,"evidence":"HTTP 504, cannot tell"})");
        const Play& play = playOf(order);
        unsigned& failed = m_failed[{order.run, order.step}];
        if (failed >= play.fails)
            return doneBy(order, play);
        ++failed;
        return failedBy(order, play);
    }

    const Clock& m_clock;
    Finished m_finished;
    std::vector<Call> m_calls;
    std::map<std::pair<RunId, std::string>, unsigned> m_failed;
};

// ---------------------------------------------------------------------------

struct Room::Person {
    Person(std::unique_ptr<StoreWriter> opened, const Clock& clock, Rng& rng, const Somebody& who)
        : store(std::move(opened))
        , queue(makeInlineQueue(*store))
        , service(*store, *queue, clock, rng, configOf(who))
    {
    }
    static ServiceConfig configOf(const Somebody& who)
    {
        ServiceConfig config;
        config.actorName = who.name;
        config.login = who.login;
        config.host = "ops-desk";
        config.verifyOneIn = 0;
        return config;
    }
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<CommitQueue> queue;
    Service service;
};

namespace {

// Each engine is a process of another host: whether it is gone is known when its lease has passed.
class OneProcess final : public ProcessTable {
public:
    explicit OneProcess(std::int64_t pid)
        : m_pid(pid)
    {
    }
    [[nodiscard]] ProcessIdentity self() override
    {
        return {"worker-" + std::to_string(m_pid), "boot-" + std::to_string(m_pid), "pid:[1]", m_pid, 1};
    }
    [[nodiscard]] bool isGone(std::int64_t, std::int64_t) override { return false; }

private:
    std::int64_t m_pid;
};

EngineConfig engineConfig(const std::string& name, std::vector<std::string> serves)
{
    EngineConfig config;
    config.name = name;
    config.build = "showcase";
    config.serves = std::move(serves);
    config.maxAttempts = 1'024;
    config.verifyOneIn = 0;
    return config;
}

}  // namespace

struct Room::Engine {
    Engine(std::unique_ptr<StoreWriter> reads, std::unique_ptr<StoreWriter> writes, Tools& tools,
        const Clock& clock, Rng& rng, std::int64_t pid, EngineConfig config)
        : store(std::move(reads))
        , writer(std::move(writes))
        , queue(makeInlineQueue(*writer))
        , process(pid)
        , core({clock, rng, *store, *queue, tools, process}, std::move(config))
    {
    }
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<StoreWriter> writer;
    std::unique_ptr<CommitQueue> queue;
    OneProcess process;
    EngineCore core;
};

Room::Room(ShowcaseOptions options, SpanMs before)
    : m_options(std::move(options))
    , m_clock(-before)
    , m_rng(m_options.seed)
    , m_tools(std::make_unique<Tools>(m_clock))
{
    auto opened = m_options.open();
    if (!opened) {
        m_status = opened.error();
        return;
    }
    m_store = std::move(*opened);
    setClock();
}

Room::~Room() = default;

void Room::note(const Status& status)
{
    if (m_status && !status)
        m_status = status;
}

void Room::setClock()
{
    if (m_status)
        note(m_store->setClockOffset(m_clock.offset()));
}

void Room::add(const std::string& workflow)
{
    if (!m_status)
        return;
    const ParsedDefinition parsed = parseDefinition(workflow);
    if (!parsed)
        return note(makeError(ErrorKind::Internal,
            "a workflow of the showcase is not valid: " + parsed.diagnostics.front().text));
    WorkflowRow row;
    row.name = parsed.definition->ref.name;
    row.version = parsed.definition->ref.version;
    row.digest = parsed.definition->ref.digest;
    row.text = workflow;
    row.addedAt = now();
    note(m_store->addWorkflow(row));
}

RunId Room::start(const std::string& workflow, const std::string& key, const std::string& input)
{
    if (!m_status)
        return {};
    Submission submission;
    submission.workflow = workflow;
    submission.key = key;
    submission.run = makeId<RunId>(now(), m_rng);
    submission.command.actor = {ActorKind::Caller, "scheduler"};
    submission.payloads.push_back(person(0).newPayload(json(input), "application/json"));
    cmd::Start start;
    start.input = submission.payloads.back().ref;
    submission.command.body = start;
    const Outcome outcome = person(0).submitAndWait(std::move(submission));
    if (!outcome.ok())
        note(makeError(ErrorKind::Internal,
            "the run \"" + key + "\" of " + workflow + " could not be started: " + outcome.rejection.text
                + outcome.error.text));
    return outcome.run;
}

void Room::play(const RunId& run, const std::string& step, Play play)
{
    m_tools->byStep[{run, step}] = std::move(play);
}
void Room::play(const std::string& tool, Play play) { m_tools->byTool[tool] = std::move(play); }

void Room::engine(const std::string& name, std::vector<std::string> serves)
{
    if (!m_status)
        return;
    auto reads = m_options.open();
    auto writes = m_options.open();
    if (!reads || !writes)
        return note(!reads ? Status(reads.error()) : Status(writes.error()));
    m_engine = std::make_unique<Engine>(std::move(*reads), std::move(*writes), *m_tools, m_clock, m_rng,
        static_cast<std::int64_t>(4'000 + ++m_engines), engineConfig(name, std::move(serves)));
    note(m_engine->core.open());
}

void Room::pass(SpanMs span)
{
    if (!m_engine)
        return jump(span);
    const TimeMs end = now() + span;
    while (m_status && now() < end) {
        const SpanMs sleep = m_engine->core.tick();
        if (m_engine->core.hopeless())
            return note(*m_engine->core.hopeless());
        if (sleep <= 0)
            continue;
        m_clock.move(std::min({sleep, kLongestStep, std::max<SpanMs>(1, end - now())}));
        setClock();
    }
}

void Room::jump(SpanMs span)
{
    m_clock.move(span);
    setClock();
}

void Room::until(SpanMs before)
{
    const SpanMs span = -before - m_clock.offset();
    if (span > 0)
        pass(span);
}

void Room::stop()
{
    if (!m_engine)
        return;
    m_engine->core.drain();
    for (int turn = 0; m_status && turn < 10'000 && !m_engine->core.drained(); ++turn) {
        const SpanMs sleep = m_engine->core.tick();
        if (sleep > 0)
            jump(std::min(sleep, kLongestStep));
    }
    m_engine->core.close();
    kill();
}

void Room::kill()
{
    m_engine.reset();
    m_tools->forget();
}

Service& Room::person(unsigned number)
{
    std::unique_ptr<Person>& one = m_people[number];
    if (!one) {
        auto opened = m_options.open();
        if (!opened)
            note(opened.error());
        one = std::make_unique<Person>(
            opened ? std::move(*opened) : std::move(m_store), m_clock, m_rng, somebody(number));
    }
    return one->service;
}

PayloadRef Room::attach(std::string bytes, const char* media)
{
    m_payloads.push_back(person(0).newPayload(std::move(bytes), media));
    return m_payloads.back().ref;
}

Outcome Room::act(unsigned number, const RunId& run, cmd::Body body, const std::string& reason, bool glass)
{
    Outcome none;
    if (!m_status)
        return none;
    Submission submission;
    submission.run = run;
    submission.command.id = makeId<CommandId>(now(), m_rng);
    submission.command.actor = {ActorKind::Person, somebody(number).name, somebody(number).login};
    submission.command.body = std::move(body);
    submission.reason = reason;
    submission.payloads = std::exchange(m_payloads, {});
    submission.breakGlass = glass;
    return person(number).submitAndWait(std::move(submission));
}

Outcome Room::must(unsigned number, const RunId& run, cmd::Body body, const std::string& reason)
{
    Outcome outcome = act(number, run, std::move(body), reason);
    if (m_status && !outcome.ok())
        note(makeError(ErrorKind::Internal,
            "what " + std::string(somebody(number).name) + " does to run " + toText(run) + " (" + reason
                + ") is refused: " + outcome.rejection.text + outcome.error.text));
    return outcome;
}

RunState Room::state(const RunId& run)
{
    if (!m_status)
        return {};
    auto loaded = person(0).load(run);
    if (!loaded) {
        note(loaded.error());
        return {};
    }
    return *std::move(loaded);
}

void Room::end()
{
    kill();
    m_clock.move(-m_clock.offset());
    setClock();
    m_people.clear();
}

}  // namespace cairn::showcase
