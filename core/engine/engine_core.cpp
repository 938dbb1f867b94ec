#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/engine/engine_impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kWakeups = 200;
constexpr SpanMs kClaim = 200;
constexpr SpanMs kOutbox = 500;
constexpr SpanMs kStaged = 250;
constexpr SpanMs kServed = 2'000;
constexpr SpanMs kPlans = 1'000;
constexpr SpanMs kLimits = 250;
constexpr SpanMs kAgain = 1'000;
constexpr SpanMs kReopen = 500;
constexpr SpanMs kAway = 200;  // a store that could not be reached is left alone for so long
constexpr SpanMs kLetGo = 250;
constexpr SpanMs kTidy = 3'600'000;
constexpr SpanMs kFirstTidy = 600'000;
constexpr SpanMs kFirstRetention = 60'000;
constexpr SpanMs kRetention = 3'600'000;
constexpr std::uint32_t kRefusals = 3;
constexpr int kRounds = 64;  // of answers and what follows from them, in one tick

}  // namespace

EngineCore::Impl::Impl(EngineSeams s, EngineConfig c)
    : seams(s)
    , config(std::move(c))
    , limits(s.store, s.clock)
{
    config.heartbeat = std::min(config.heartbeat, config.lease / 3);
    tidyAt = seams.clock.monotonicMs() + kFirstTidy;
    retainAt = seams.clock.monotonicMs() + kFirstRetention;
    seams.executor.onFinished([this](AttemptResult result) { finished(std::move(result)); });
}

bool EngineCore::Impl::due(SpanMs& at, SpanMs every)
{
    const SpanMs now = seams.clock.monotonicMs();
    if (now < at)
        return false;
    at = now + every;
    return true;
}

// As due(), for what asks the store. Each call to a server that is away blocks for as long as its connection
// tries; after one that failed the executors and the other clocks come first.
bool EngineCore::Impl::dueInStore(SpanMs& at, SpanMs every) { return !isAway() && due(at, every); }

Actor EngineCore::Impl::self() const { return {ActorKind::Engine, toText(session)}; }

void EngineCore::Impl::submit(const RunId& run, cmd::Body body, Service::Done done)
{
    Submission submission;
    submission.run = run;
    submission.command.actor = self();
    submission.command.body = std::move(body);
    service->submit(std::move(submission), [this, run, done = std::move(done)](Outcome outcome) {
        if (outcome.kind == Outcome::Kind::Failed) {
            notCommitted(outcome.error);
            if (owned.contains(run))
                again.insert(run);
        } else if (full && outcome.kind == Outcome::Kind::Committed) {
            leaveFull();
        }
        if (done)
            done(std::move(outcome));
    });
}

void EngineCore::Impl::trouble(const Error& error)
{
    if (error.kind == ErrorKind::Disconnected)
        awayUntil = seams.clock.monotonicMs() + kAway;
    if (error.kind == ErrorKind::Full)
        enterFull(error);
    else if (error.kind == ErrorKind::LeaseLost)
        lost = error.text;
    else if (error.kind != ErrorKind::Busy)
        log::warning("engine_store_error", {{"kind", errorKindName(error.kind)}, {"text", error.text}});
}

// After a failed sync a connection refuses every write for good. Its process would keep its runs, or come
// back to them for ever, and do nothing for them.
void EngineCore::Impl::notWritten(Refusals& refusals, const Error& error)
{
    if (error.kind != ErrorKind::Io)
        return;
    const SpanMs now = seams.clock.monotonicMs();
    if (refusals.times++ == 0)
        refusals.since = now;
    if (refusals.times >= kRefusals && now - refusals.since >= config.lease / 4)
        giveUp(error);
}

// One that slept while its store was moved would ask for a session for ever.
void EngineCore::Impl::giveUpWhereMoved(const Error& error)
{
    const auto info = seams.store.info();
    if (info && fenceOf(info->minWriter))
        giveUp(error);
}

void EngineCore::Impl::giveUp(const Error& error)
{
    if (hopeless)
        return;
    hopeless = error;
    log::error("store_refuses_writes", {{"text", error.text}});
    if (config.alert)
        config.alert("store_refuses_writes", "the store refuses every write, the engine ends: " + error.text);
}

void EngineCore::Impl::notCommitted(const Error& error)
{
    trouble(error);
    notWritten(commits, error);
}

// One alert, no claims, no new attempts; results in hand are tried again slowly.
void EngineCore::Impl::enterFull(const Error& error)
{
    fullAt = seams.clock.monotonicMs() + config.fullProbe;
    if (full)
        return;
    full = stats.full = true;
    updateCapacity();
    log::error("store_full", {{"text", error.text}});
    if (config.alert)
        config.alert("store_full", "store full, paused: " + error.text);
}

void EngineCore::Impl::leaveFull()
{
    full = stats.full = false;
    updateCapacity();
    for (const auto& pending : results)
        pending->notBefore = 0;
    log::info("store_has_room", {});
    if (config.alert)
        config.alert("store_has_room", "the store has room again");
}

// Answers of the store and what follows from them.
bool EngineCore::Impl::pump()
{
    bool moved = false;
    for (int round = 0; round < kRounds && !lost; ++round) {
        const bool more = service->pump();
        submitResults();
        moved = moved || more;
        if (!more)
            return false;
    }
    return moved;
}

SpanMs EngineCore::Impl::sleepFor(SpanMs executorNext)
{
    const SpanMs now = seams.clock.monotonicMs();
    SpanMs until = std::min({heartbeatAt, sweepAt, wakeupsAt, outboxAt});
    if (draining)
        until = std::min(until, letGoAt);
    if (!draining && !full)
        until = std::min({until, takesStaged ? std::min(claimAt, stagedAt) : claimAt, plansAt});
    if (!permitQueues.empty())
        until = std::min(until, limitsAt);
    if (!again.empty() && !full)
        until = std::min(until, againAt);
    until = std::min(std::max(until, awayUntil), leaseEnds);
    if (!timers.empty() && now >= awayUntil)
        until = std::min(until, now + std::max<SpanMs>(timers.begin()->first - service->now(), 0));
    for (const auto& pending : results)
        until = std::min(until, std::max(pending->notBefore, awayUntil));
    if (now < hintsAt)
        until = std::min(until, hintsAt);
    if (!claimed.empty())
        until = now;
    return std::clamp<SpanMs>(std::min(until - now, executorNext), 0, Executor::kIdle);
}

EngineCore::EngineCore(EngineSeams seams, EngineConfig config)
    : m_impl(std::make_unique<Impl>(seams, std::move(config)))
{
}

EngineCore::~EngineCore()
{
    for (const auto& [attempt, active] : m_impl->active)
        m_impl->seams.executor.abandon(attempt);
    m_impl->seams.executor.onFinished([](AttemptResult) {});
}

Status EngineCore::open() { return m_impl->openSession(); }

SpanMs EngineCore::tick()
{
    Impl& e = *m_impl;
    if (e.closed)
        return Executor::kIdle;
    const SpanMs now = e.seams.clock.monotonicMs();
    e.watchHints();
    if (!e.service) {
        if (now < e.reopenAt)
            return e.reopenAt - now;
        if (const Status opened = e.openSession(); !opened) {
            e.trouble(opened.error());
            e.notWritten(e.beats, opened.error());
            if (opened.error().kind != ErrorKind::Disconnected)
                e.giveUpWhereMoved(opened.error());
            e.reopenAt = now + kReopen;
            return kReopen;
        }
    }
    // By one's own clock, counted from before the last renewal was sent: others may have taken over by now.
    if (now >= e.leaseEnds)
        e.lost = "the lease passed without a renewal";
    SpanMs executorNext = Executor::kIdle;
    bool busy = false;
    if (!e.lost) {
        executorNext = e.seams.executor.tick();
        busy = e.pump();
        for (const ClaimedRun& run : e.service->foundOwned())
            e.claimed.push_back({run, false});
        if (e.dueInStore(e.heartbeatAt, e.config.heartbeat))
            e.heartbeat();
        if (e.dueInStore(e.sweepAt, std::clamp<SpanMs>(e.config.lease / 10, 50, 1'000)))
            e.sweep();
        e.hear();
        if (e.dueInStore(e.wakeupsAt, e.polled(kWakeups)))
            e.takeWakeups();
        if (e.dueInStore(e.outboxAt, e.polled(kOutbox)))
            e.deliverOutbox();
        e.adoptSome();
        if (e.draining && e.dueInStore(e.letGoAt, kLetGo))
            e.letGo();
        if (!e.draining && !e.full) {
            if (e.dueInStore(e.claimAt, e.polled(kClaim)))
                e.claim();
            if (e.takesStaged && e.dueInStore(e.stagedAt, e.polled(kStaged)))
                e.takeStaged();
            if (e.dueInStore(e.servedAt, kServed))
                e.adoptServed();
            if (e.plans && e.dueInStore(e.plansAt, kPlans))
                e.runPlans();
        }
        if (e.draining)
            e.leavePlans();
        if (e.dueInStore(e.limitsAt, kLimits)) {
            if (const Status renewed = e.limits.tick(); !renewed)
                e.trouble(renewed.error());
            e.feedAllPermits();  // others may have given slots back, or a new second has begun
        }
        if (e.dueInStore(e.tidyAt, kTidy))
            e.tidy();
        if (e.dueInStore(e.retainAt, kRetention))
            e.retain();
        if (!e.full && e.dueInStore(e.againAt, kAgain)) {
            e.lookAgain();
            e.sayUntold();
        }
        e.fireTimers();
        e.feedHungry();
        busy = e.pump() || busy;
    }
    if (e.lost) {
        e.loseSession(*std::exchange(e.lost, std::nullopt));
        return 0;
    }
    if (e.draining && now >= e.drainUntil)
        for (auto& [attempt, active] : e.active)
            if (!std::exchange(active.cancelling, true))
                e.seams.executor.cancel(AttemptId(attempt));
    e.stats.owned = static_cast<std::uint32_t>(e.owned.size());
    e.stats.active = static_cast<std::uint32_t>(e.active.size());
    return busy ? 0 : e.sleepFor(executorNext);
}

void EngineCore::drain()
{
    Impl& e = *m_impl;
    if (std::exchange(e.draining, true))
        return;
    e.drainUntil = e.seams.clock.monotonicMs() + e.config.drainGrace;
    if (e.service)
        e.updateCapacity();
}

bool EngineCore::drained() const { return m_impl->isDrained(); }

void EngineCore::close()
{
    Impl& e = *m_impl;
    if (std::exchange(e.closed, true))
        return;
    if (!e.service)
        return e.tellUnwritten();
    e.seams.executor.leaseEnds(0);
    for (const auto& [attempt, active] : e.active)
        e.seams.executor.abandon(attempt);
    e.active.clear();
    e.outside.clear();
    e.service->drain();
    e.tellUnwritten();
    e.limits.giveBack();
    e.plans.reset();
    e.service.reset();
    // Its runs are everybody's from here on: claims take those of ended sessions.
    if (const auto now = e.seams.store.now())
        if (const auto ended = e.seams.store.endSession(e.session, *now, kNoTime); !ended)
            log::warning("session_not_ended", {{"text", ended.error().text}});
    e.session = {};
}

const std::optional<Error>& EngineCore::hopeless() const { return m_impl->hopeless; }
SessionId EngineCore::session() const { return m_impl->session; }
const EngineStats& EngineCore::stats() const { return m_impl->stats; }
Service* EngineCore::service() { return m_impl->service.get(); }

}  // namespace cairn
