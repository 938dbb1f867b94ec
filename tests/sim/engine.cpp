#include "tests/sim/engine.h"

namespace cairn::sim {

SimEngine::SimEngine(Shared& shared, std::string name, std::uint64_t seed)
    : m_shared(shared), m_name(std::move(name)), m_rng(seed), m_store(connectMemory(shared.database)),
      m_writer(connectMemory(shared.database)), m_queue(makeInlineQueue(*m_writer))
{
    SessionRow row;
    row.id = m_session = makeId<SessionId>(m_shared.clock.wallMs(), m_rng);
    row.name = m_name;
    row.startedAt = row.heartbeatAt = m_shared.clock.wallMs();
    row.leaseUntil = row.startedAt + kLease;
    m_beatSent = m_shared.clock.monotonicMs();
    static_cast<void>(m_writer->openSession(row));
    ServiceConfig config;
    config.session = m_session;
    config.actorName = m_name;
    config.verifyOneIn = 16;
    m_service = std::make_unique<Service>(*m_store, *m_queue, m_shared.clock, m_rng, config);
    m_service->setSessionEnded([this](const SessionId& id) { return m_ended.contains(id); });
    m_service->onCommitted([this](const RunState& after, const Entry& entry) { observe(after, entry); });
}

bool SimEngine::tick()
{
    if (!heartbeat())
        return false;
    watchOthers();
    claim();
    if (const auto woken = m_writer->takeWakeups(m_session))
        for (const RunId& run : *woken) {
            m_service->reload(run);
            give(run, cmd::Advance{});
        }
    calls();
    ownedRuns();
    deliver();
    m_service->drain();
    return true;
}

bool SimEngine::heartbeat()
{
    const SpanMs sent = m_shared.clock.monotonicMs();
    if (sent - m_beatSent < kLease / 4)
        return true;
    const TimeMs at = m_shared.clock.wallMs();
    const auto alive = m_writer->heartbeat(m_session, at, at + kLease);
    if (alive && *alive)
        m_beatSent = sent;
    return !alive || *alive;
}

// A session whose heartbeat has not changed for a lease, by this engine's own monotonic clock, is ended. Wall clocks that
// jump cannot end a living one.
void SimEngine::watchOthers()
{
    const auto sessions = m_store->sessions(true);
    if (!sessions)
        return;
    const SpanMs now = m_shared.clock.monotonicMs();
    for (const SessionRow& row : *sessions) {
        if (row.endedAt != kNoTime) {
            m_ended.insert(row.id);
            m_watched.erase(row.id);
            continue;
        }
        if (row.id == m_session)
            continue;
        Watched& seen = m_watched[row.id];
        if (seen.since == 0 || seen.heartbeat != row.heartbeatAt)
            seen = {row.heartbeatAt, now};
        else if (now - seen.since > kLease)
            if (const auto ended = m_writer->endSession(row.id, m_shared.clock.wallMs(), kNoTime); ended && *ended)
                m_shared.trace(m_name + " ends the session of " + row.name);
    }
}

void SimEngine::claim()
{
    const auto claimed = m_writer->claim(m_session, m_shared.clock.wallMs(), 3);
    if (!claimed)
        return;
    for (const ClaimedRun& run : *claimed) {
        m_shared.trace(m_name + " claims " + toText(run.run).substr(24));
        m_service->own(run);
        m_owned.insert(run.run);
        give(run.run, cmd::Recover{});
    }
}

void SimEngine::give(const RunId& run, cmd::Body body, std::vector<NewPayload> payloads)
{
    Submission s;
    s.run = run;
    s.command.id = makeId<CommandId>(m_shared.clock.wallMs(), m_rng);
    s.command.actor = {ActorKind::Engine, m_name};
    s.command.body = std::move(body);
    s.payloads = std::move(payloads);
    const auto open = static_cast<std::uint32_t>(m_calls.size());
    m_service->setCapacity({open >= 6 ? 0 : 6 - open, {}});
    m_service->submit(std::move(s), [this](Outcome outcome) { m_shared.acknowledged(outcome); });
}

void SimEngine::observe(const RunState& after, const Entry& entry)
{
    m_owned.insert(after.id);
    m_shared.trace(m_name + " sees " + toText(after.id).substr(24) + " " + std::to_string(entry.version) + " "
                   + std::string(key(entry.verb)));
    for (const Fact& fact : entry.facts) {
        const auto* started = std::get_if<AttemptStarted>(&fact);
        if (!started || started->session != m_session)
            continue;
        const StepRecord& step = after.steps[started->step];
        Call call;
        call.run = after.id;
        call.attempt = started->attempt;
        call.purpose = started->purpose;
        call.safety = step.safety;
        if (writes(step.safety))
            if (auto text = m_service->effectKey(after.id, started->step))
                call.key = step.tool + " " + *text;
        m_calls.push_back(std::move(call));
    }
}

void SimEngine::send(Call& call)
{
    auto request = std::make_shared<Request>();
    const SpanMs now = m_shared.clock.monotonicMs();
    request->key = call.key;
    request->keyed = call.safety == ReplaySafety::Repeatable;
    request->lookUp = call.purpose == Purpose::LookUp;
    request->arrives = now + 20 + static_cast<SpanMs>(m_rng.below(kMargin - 1000));
    request->answered = request->arrives + 20 + static_cast<SpanMs>(m_rng.below(1000));
    const std::uint64_t dice = m_shared.faults ? m_rng.below(20) : 19;
    request->answer = dice == 0 ? Answer::DoThenDrop : dice == 1 ? Answer::DropBefore : dice == 2 ? Answer::Limited : Answer::Ok;
    m_shared.fired += request->answer == Answer::Ok ? 0 : 1;
    call.request = request;
    m_shared.network.push_back(std::move(request));
}

void SimEngine::calls()
{
    const SpanMs now = m_shared.clock.monotonicMs();
    const bool mayBegin = now < m_beatSent + kLease - kMargin;
    std::vector<Call> answered;
    for (Call& call : m_calls) {
        if (!call.request && mayBegin)
            send(call);
        if (call.request && now >= call.request->answered)
            answered.push_back(call);
    }
    std::erase_if(m_calls, [now](const Call& call) { return call.request && now >= call.request->answered; });
    for (const Call& call : answered) {
        report(call);
        if (m_shared.faults && m_rng.below(30) == 0)
            report(call);  // the message comes twice
    }
}

void SimEngine::report(const Call& call)
{
    const Request& request = *call.request;
    const bool lost = request.answer == Answer::DoThenDrop || request.answer == Answer::DropBefore;
    std::vector<NewPayload> payloads;
    if (request.answer == Answer::Limited || lost) {
        cmd::Fail fail;
        fail.attempt = call.attempt;
        fail.failure = lost ? FailureClass::Retryable : FailureClass::RateLimited;
        fail.effect = lost ? EffectKnowledge::Unknown : EffectKnowledge::NotHappened;
        fail.timedOut = lost;
        fail.retryAfter = lost ? -1 : 2'000;
        payloads.push_back(m_service->newPayload(lost ? "no answer" : "429", "text/plain"));
        fail.error = payloads.back().ref;
        give(call.run, fail, std::move(payloads));
        return;
    }
    if (call.purpose == Purpose::LookUp) {
        cmd::LookedUp found;
        found.attempt = call.attempt;
        found.verdict = request.found ? EffectKnowledge::Happened : EffectKnowledge::NotHappened;
        if (request.found) {
            payloads.push_back(m_service->newPayload("{\"receipt\":\"" + request.key + "\"}", "application/json"));
            found.output = payloads.back().ref;
        }
        give(call.run, found, std::move(payloads));
        return;
    }
    cmd::Complete complete;
    complete.attempt = call.attempt;
    payloads.push_back(m_service->newPayload(request.result.empty() ? "{}" : request.result, "application/json"));
    complete.output = payloads.back().ref;
    give(call.run, complete, std::move(payloads));
}

bool SimEngine::letGo(const RunId& run)
{
    const auto release = [&](const auto& idle) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(idle)>, bool>) {
            if (!idle || !m_writer->release(m_session, std::span(&*idle, 1)))
                return false;
            m_service->disown(run);
            m_owned.erase(run);
            return true;
        }
        return false;
    };
    return release(m_service->idle(run));
}

void SimEngine::ownedRuns()
{
    m_service->drain();
    const std::set<RunId> owned = m_owned;
    for (const RunId& run : owned) {
        const RunState* state = m_service->state(run);
        if (!state) {
            m_owned.erase(run);
            continue;
        }
        const TimeMs now = m_service->now();
        const Summary summary = summarise(*state, now);
        if (letGo(run))
            continue;
        if (summary.nextDue != kNoTime && summary.nextDue <= now) {
            give(run, cmd::FireTimers{});
            give(run, cmd::Advance{});
        }
    }
}

void SimEngine::deliver()
{
    const auto rows = m_writer->outbox(10);
    if (!rows)
        return;
    for (const OutboxRow& row : *rows) {
        auto submission = m_service->deliver(row);
        if (!submission)
            continue;
        const int times = m_shared.faults && m_rng.below(20) == 0 ? 2 : 1;
        for (int i = 0; i < times; ++i)
            m_service->submit(*submission, [this, row](Outcome outcome) {
                m_shared.acknowledged(outcome);
                const bool early = outcome.kind == Outcome::Kind::Rejected && outcome.rejection.code == RejectCode::NotFound;
                if (outcome.kind != Outcome::Kind::Failed && outcome.kind != Outcome::Kind::Committed && !early)
                    static_cast<void>(m_writer->dropOutbox(row));
            });
    }
}

}  // namespace cairn::sim
