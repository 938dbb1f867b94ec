#include "tests/bench/service_bench.h"

#include "core/definition/parse.h"
#include "core/store/sqlite/sqlite_store.h"

namespace cairn::bench {

namespace {

constexpr SpanMs kLongLease = 24 * 3'600'000LL;
constexpr std::size_t kReleaseBatch = 500;

std::string head(const std::string& name)
{
    return R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1)";
}

}  // namespace

std::string chainWorkflow(const std::string& name, int steps, bool writing)
{
    std::string text = head(name) + R"(,"tools":{"noop":{"contract":1,"safety":")"
        + (writing ? "repeatable" : "read_only")
        + R"(","executor":"builtin","settings":{"function":"noop"}}},"steps":[)";
    for (int i = 0; i < steps; ++i) {
        text += i ? "," : "";
        text += R"({"name":"s)" + std::to_string(i) + R"(","tool":"noop")";
        if (i)
            text += R"(,"after":["s)" + std::to_string(i - 1) + R"("])";
        text += "}";
    }
    return text + "]}";
}

std::string timerWorkflow(const std::string& name, const std::string& wait)
{
    return head(name)
        + R"(,"tools":{"noop":{"contract":1,"safety":"read_only","executor":"builtin",)"
          R"("settings":{"function":"noop"}}},"steps":[{"name":"wait","kind":"timer","wait":")"
        + wait + R"("},{"name":"go","tool":"noop","after":["wait"]}]})";
}

void Bell::wake()
{
    const std::lock_guard lock(m_mutex);
    m_ring = true;
    m_rung.notify_one();
}

void Bell::wait()
{
    std::unique_lock lock(m_mutex);
    m_rung.wait(lock, [this] { return m_ring; });
    m_ring = false;
}

ServiceBench::ServiceBench(const std::string& path)
    : m_path(path)
{
    must(sqlite::initStore(path, {}));
    openAll([&path] { return sqlite::openStore(path, {}); });
}

ServiceBench::ServiceBench(const Open& open) { openAll(open); }

void ServiceBench::openAll(const Open& open)
{
    m_store = must(open());
    m_session = makeId<SessionId>(m_clock.wallMs(), m_rng);
    SessionRow row;
    row.id = m_session;
    row.name = "bench";
    row.startedAt = row.heartbeatAt = m_clock.wallMs();
    row.leaseUntil = row.startedAt + kLongLease;
    row.serves.assign(1, '*');  // (an assigned text draws a false warning of GCC 12)
    must(m_store->openSession(row));
    m_queue = must(makeThreadedQueue(must(open()), [this] { m_bell.wake(); }));
    ServiceConfig config;
    config.session = m_session;
    config.actorName = "bench";
    m_service = std::make_unique<Service>(*m_store, *m_queue, m_clock, m_rng, config);
    m_service->onCommitted([this](const RunState& after, const Entry& entry) { committed(after, entry); });
}

ServiceBench::~ServiceBench()
{
    m_service->drain();
    must(m_store->endSession(m_session, m_clock.wallMs(), kNoTime));
}

void ServiceBench::add(const std::string& text)
{
    const ParsedDefinition parsed = parseDefinition(text);
    if (!parsed)
        fail(diagnosticLine("workflow", parsed.diagnostics.front()));
    must(m_store->addWorkflow(
        {parsed.definition->ref.name, 1, parsed.definition->ref.digest, text, ".", m_clock.wallMs()}));
}

void ServiceBench::begin(const std::string& workflow, int total)
{
    m_workflow = workflow;
    m_left = total;
    m_finished = 0;
    m_waiting = false;
    m_stopAfter = 0;
    m_submitted = m_acknowledged = 0;
    runMs.clear();
    stepMs.clear();
    m_service->setCapacity({1'000'000'000, {}});
}

void ServiceBench::pumpUntil(const std::function<bool()>& done)
{
    while (!done()) {
        if (!m_service->pump())
            m_bell.wait();
        letGo();
    }
}

void ServiceBench::runAll(const std::string& workflow, int concurrent, int total)
{
    begin(workflow, total);
    for (int i = 0; i < std::min(concurrent, total); ++i)
        startOne();
    pumpUntil([&] { return m_finished == total; });
    m_service->drain();
}

void ServiceBench::startWaiting(const std::string& workflow, int concurrent, int total)
{
    begin(workflow, total);
    m_waiting = true;
    for (int i = 0; i < std::min(concurrent, total); ++i)
        startOne();
    pumpUntil([&] { return m_finished == total; });
    must(m_store->release(m_session, m_idle));
    m_idle.clear();
}

RunId ServiceBench::runUpTo(const std::string& workflow, std::uint64_t steps)
{
    begin(workflow, 1);
    m_stopAfter = steps;
    startOne();
    const RunId run = m_startedAt.begin()->first;
    pumpUntil([&] { return m_acknowledged == steps && !m_open.isNull(); });
    return run;
}

double ServiceBench::completeOne(const RunId& run)
{
    ++m_stopAfter;
    const auto before = m_acknowledged;
    const Stopwatch watch;
    complete(run, std::exchange(m_open, {}));
    pumpUntil([&] { return m_acknowledged > before && !m_open.isNull(); });
    return watch.ms();
}

void ServiceBench::startOne()
{
    if (m_left == 0)
        return;
    --m_left;
    Submission submission;
    submission.workflow = m_workflow;
    const RunId run = submission.run = makeId<RunId>(m_clock.wallMs(), m_rng);
    submission.command.actor = {ActorKind::Caller, "bench"};
    cmd::Start body;
    body.run = run;
    submission.command.body = body;
    m_startedAt[run] = Stopwatch();
    m_service->submit(std::move(submission), [this, run](const Outcome& outcome) {
        if (!outcome.ok())
            fail("start: " + outcome.error.text + outcome.rejection.text);
        started(run);
    });
}

// A waiting run is given back as an engine gives it back: from what the service says of it, in batches.
void ServiceBench::started(const RunId& run)
{
    if (!m_waiting)
        return;
    const auto idle = m_service->idle(run);
    if (!idle)
        fail("a run that should wait is not idle");
    m_idle.push_back(*idle);
    m_closing.push_back(run);
    m_startedAt.erase(run);
    ++m_finished;
    startOne();
}

void ServiceBench::letGo()
{
    for (const RunId& run : std::exchange(m_closing, {}))
        m_service->disown(run);
    if (m_idle.size() >= kReleaseBatch) {
        must(m_store->release(m_session, m_idle));
        m_idle.clear();
    }
}

void ServiceBench::committed(const RunState& after, const Entry& entry)
{
    for (const Fact& fact : entry.facts) {
        if (const auto* start = std::get_if<AttemptStarted>(&fact); start && start->session == m_session)
            complete(after.id, start->attempt);
        if (std::holds_alternative<RunClosed>(fact)) {
            ++m_finished;
            runMs.push_back(m_startedAt[after.id].ms());
            m_startedAt.erase(after.id);
            m_closing.push_back(after.id);
            startOne();
        }
    }
}

void ServiceBench::complete(const RunId& run, const AttemptId& attempt)
{
    if (m_stopAfter > 0 && m_submitted == m_stopAfter) {
        m_open = attempt;
        return;
    }
    ++m_submitted;
    Submission submission;
    submission.run = run;
    submission.command.actor = {ActorKind::Engine, "bench"};
    cmd::Complete body;
    body.attempt = attempt;
    if (!output.empty()) {
        submission.payloads.push_back(m_service->newPayload(output, "application/json"));
        body.output = submission.payloads.back().ref;
    }
    submission.command.body = body;
    m_service->submit(std::move(submission), [this, since = Stopwatch()](const Outcome& outcome) {
        if (!outcome.ok())
            fail("complete: " + outcome.error.text + outcome.rejection.text);
        ++m_acknowledged;
        stepMs.push_back(since.ms());
    });
}

}  // namespace cairn::bench
