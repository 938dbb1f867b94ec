// The engine's stand-in of the bench.

#include "tests/cases/bench.h"

#include "tests/support/clocked_reader.h"

#include <algorithm>

namespace cairn::testing {

// A host whose clock is off.
class SkewedClock final : public Clock {
public:
    SkewedClock(const Clock& right, SpanMs skew)
        : m_right(right)
        , m_skew(skew)
    {
    }
    TimeMs wallMs() const override { return m_right.wallMs() + m_skew; }
    SpanMs monotonicMs() const override { return m_right.monotonicMs(); }

private:
    const Clock& m_right;
    SpanMs m_skew;
};

// What a dead engine had pushed and not committed is never committed.
class BenchQueue final : public CommitQueue {
public:
    explicit BenchQueue(StoreWriter& writer)
        : m_inner(makeInlineQueue(writer))
    {
    }
    void drop() { m_inner.reset(); }
    void push(CommitMember member, Done done) override
    {
        if (m_inner)
            m_inner->push(std::move(member), [this, done = std::move(done)](Result<MemberResult> result) {
                if (dyingIn > 0 && --dyingIn == 0)
                    isDying = true;
                if (!isDying)
                    done(std::move(result));
            });
    }
    void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) override
    {
        if (m_inner)
            m_inner->pushAudit(std::move(row), std::move(done));
    }
    bool pump() override { return m_inner && m_inner->pump(); }
    void drain() override
    {
        if (m_inner)
            m_inner->drain();
    }

    int dyingIn = 0;
    bool isDying = false;

private:
    std::unique_ptr<CommitQueue> m_inner;
};

EngineStandIn::EngineStandIn(Bench& bench, EngineSettings settings)
    : m_bench(bench)
    , m_settings(std::move(settings))
    , m_rng(bench.rng.next())
    , m_clock(std::make_unique<SkewedClock>(bench.clock, m_settings.skew))
    , m_store(bench.connect())
    , m_reader(std::make_unique<ClockedReader>(*m_store, bench.clock))
    , m_queue(std::make_unique<BenchQueue>(*m_store))
{
    SessionRow row;
    row.id = session = makeId<SessionId>(bench.now(), bench.rng);
    row.name = m_settings.name;
    row.startedAt = row.heartbeatAt = bench.now();
    row.leaseUntil = bench.now() + m_settings.lease;
    must(m_store->openSession(row));
    ServiceConfig config;
    config.session = session;
    config.actorName = m_settings.name;
    config.serves = m_settings.serves;
    config.verifyOneIn = m_settings.verifyOneIn;
    m_service = std::make_unique<Service>(*m_reader, *m_queue, *m_clock, m_rng, config);
    m_service->setCapacity({1000, {}});
    m_service->setSessionEnded([this](const SessionId& id) { return Bench::sessionEnded(*m_store, id); });
    m_service->onCommitted([this](const RunState& after, const Entry& entry) { observe(after, entry); });
    m_service->onDisowned([this](const RunId& run, bool) { m_owned.erase(run); });
}

EngineStandIn::~EngineStandIn() { kill(); }

void EngineStandIn::kill()
{
    m_dead = true;
    m_queue->drop();
    m_service.reset();
    m_calls.clear();
}

void EngineStandIn::dieAfterCommit(int nth) { m_queue->dyingIn = nth; }

void EngineStandIn::observe(const RunState& after, const Entry& entry)
{
    if (!m_owned.contains(after.id))
        m_owned[after.id] = {after.id, 0, 0, {}};
    for (const Fact& fact : entry.facts) {
        const auto* started = std::get_if<AttemptStarted>(&fact);
        if (!started || started->session != session)
            continue;
        const StepRecord& record = after.steps[started->step];
        if (!record.attempt || record.attempt->id != started->attempt)
            continue;
        Call call;
        call.run = after.id;
        call.step = started->step;
        call.id = record.id;
        call.tool = record.tool;
        call.attempt = started->attempt;
        call.number = started->number;
        call.purpose = started->purpose;
        m_calls.push_back(std::move(call));
    }
}

bool EngineStandIn::claim()
{
    ++claims;
    auto at = m_store->now();
    auto claimed = m_store->claim(session, std::max(m_bench.now(), at ? *at : kNoTime), 64);
    if (!claimed) {
        errors.push_back(claimed.error());
        return false;
    }
    for (const ClaimedRun& run : *claimed) {
        m_owned[run.run] = run;
        m_service->own(run);
        static_cast<void>(submit(Bench::command(run.run, cmd::Recover{})));
        if (m_dead)
            return true;
    }
    return !claimed->empty();
}

bool EngineStandIn::fireDue()
{
    std::vector<RunId> due;
    for (const auto& [run, claimed] : m_owned) {
        const RunState* state = m_service->state(run);
        const Summary summary = state ? summarise(*state, m_bench.now()) : Summary{};
        if (state && summary.nextDue != kNoTime && summary.nextDue <= m_bench.now())
            due.push_back(run);
    }
    bool moved = false;
    for (const RunId& run : due)
        if (!m_dead)
            moved = submit(Bench::command(run, cmd::FireTimers{})).kind == Outcome::Kind::Committed || moved;
    return moved;
}

bool EngineStandIn::deliver()
{
    auto rows = m_store->outbox(m_settings.messages);
    if (!rows) {
        errors.push_back(rows.error());
        return false;
    }
    bool moved = false;
    for (const OutboxRow& row : *rows) {
        auto submission = m_service->deliver(row);
        if (!submission) {
            errors.push_back(submission.error());
            continue;
        }
        const Outcome outcome = submit(*std::move(submission));
        if (m_dead)
            return true;
        const bool keep = outcome.kind == Outcome::Kind::Failed
            || (outcome.kind == Outcome::Kind::Rejected && outcome.rejection.code == RejectCode::NotFound);
        if (!keep && outcome.kind != Outcome::Kind::Committed)
            must(m_store->dropOutbox(row));
        moved = moved || !keep;
    }
    return moved;
}

bool EngineStandIn::reload()
{
    auto runs = m_store->takeWakeups(session);
    if (!runs) {
        errors.push_back(runs.error());
        return false;
    }
    for (const RunId& run : *runs) {
        if (m_dead)
            return true;
        m_service->reload(run);
        if (m_service->state(run))
            static_cast<void>(submit(Bench::command(run, cmd::Advance{})));
    }
    return !runs->empty();
}

bool EngineStandIn::runCalls()
{
    if (m_calls.empty())
        return false;
    Call call = std::move(m_calls.front());
    m_calls.pop_front();
    const RunState* state = m_service->state(call.run);
    if (!state || !state->steps[call.step].attempt || state->steps[call.step].attempt->id != call.attempt)
        return true;  // ended before it began
    const StepRecord record = state->steps[call.step];
    if (record.input) {
        auto input = m_store->payload(call.run, record.input.id);
        call.input = input ? *input : errorLine(input.error());
    }
    if (writes(record.safety))
        call.key = must(m_service->effectKey(call.run, call.step));
    const auto tool = m_bench.tools.find(call.purpose == Purpose::LookUp ? call.tool + "?" : call.tool);
    Answer given = done();
    if (tool != m_bench.tools.end())
        given = tool->second(call);
    else if (call.purpose == Purpose::LookUp)
        given =
            found(m_bench.effectd.seen(call.key) ? EffectKnowledge::Happened : EffectKnowledge::NotHappened);
    else if (writes(record.safety))
        m_bench.effectd.note(m_bench.now(), call.id, call.key, call.input);
    if (m_dead)
        return true;
    if (given.kind == Answer::Kind::Killed)
        kill();
    else if (given.kind == Answer::Kind::Later)
        m_open.push_back(call);
    else
        static_cast<void>(answer(call, given));
    return true;
}

Outcome EngineStandIn::submit(Submission submission)
{
    auto answer = std::make_shared<std::optional<Outcome>>();
    m_service->submit(std::move(submission), [answer](Outcome outcome) { *answer = std::move(outcome); });
    while (!*answer && !m_queue->isDying)
        m_service->pump();
    if (m_queue->isDying) {
        kill();
        return {};
    }
    if ((*answer)->kind == Outcome::Kind::Failed)
        errors.push_back((*answer)->error);
    return **answer;
}

Outcome EngineStandIn::answer(const Call& call, const Answer& given)
{
    Submission s = Bench::command(call.run, cmd::Advance{});
    s.payloads.push_back(m_service->newPayload(given.text, given.media));
    const PayloadRef ref = s.payloads.back().ref;
    if (given.kind == Answer::Kind::Done) {
        cmd::Complete body;
        body.attempt = call.attempt;
        body.output = ref;
        s.command.body = body;
    } else if (given.kind == Answer::Kind::Found) {
        cmd::LookedUp body;
        body.attempt = call.attempt;
        body.verdict = given.effect;
        body.output = ref;
        s.command.body = body;
    } else {
        cmd::Fail body;
        body.attempt = call.attempt;
        body.failure = given.failure;
        body.effect = given.effect;
        body.error = ref;
        body.retryAfter = given.retryAfter;
        body.timedOut = given.timedOut;
        s.command.body = body;
    }
    std::erase_if(m_open, [&](const Call& open) { return open.attempt == call.attempt; });
    return submit(std::move(s));
}

Call EngineStandIn::open(const RunId& run, std::string_view step) const
{
    for (const Call& call : m_open)
        if (call.run == run && call.id == step)
            return call;
    qFatal("no call is under way at step %s", std::string(step).c_str());
}

void EngineStandIn::letGoIdle()
{
    std::vector<ClaimedRun> runs;
    for (const auto& [run, claimed] : m_owned)
        if (auto idle = m_service->idle(run))
            runs.push_back(*idle);
    for (const ClaimedRun& run : runs) {
        if (const Status given = m_store->release(session, std::span(&run, 1)); !given)
            errors.push_back(given.error());
        m_service->disown(run.run);
        m_owned.erase(run.run);
    }
}

bool EngineStandIn::turn()
{
    if (!m_dead)
        m_service->setCapacity({1000, {}});  // as the engine does: what is begun uses it up
    bool moved = false;
    const auto then = [&](auto step) {
        if (!m_dead)
            moved = step() || moved;
    };
    then([this] { return reload(); });
    then([this] { return claimsWork && claim(); });
    then([this] { return fireDue(); });
    then([this] { return runCalls(); });
    then([this] { return deliver(); });
    then([this] {
        letGoIdle();
        return false;
    });
    return moved;
}

void EngineStandIn::settle(int limit)
{
    while (turn())
        if (--limit == 0)
            qFatal("the engine does not come to rest");
}

}  // namespace cairn::testing
