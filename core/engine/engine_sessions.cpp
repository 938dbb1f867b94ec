// Sessions: one's own lease, and seeing that others are gone.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/engine/engine_impl.h"
#include "core/service/sessions.h"

#include <algorithm>

namespace cairn {

Status EngineCore::Impl::openSession()
{
    identity = seams.processes.self();
    const SpanMs before = seams.clock.monotonicMs();
    CAIRN_TRY_ASSIGN(const TimeMs now, seams.store.now());
    CAIRN_TRY_ASSIGN(const StoreInfo info, seams.store.info());
    CAIRN_TRY_ASSIGN(const StoreRights may, seams.store.rights());
    if (!may.commits)
        return makeError(ErrorKind::NoRight,
            "the login \"" + may.login + "\" may not work as an engine here; it needs the role cairn_engine");
    takesStaged = may.takesStaged;
    looksAtClock = !info.testClock;
    lookAtClock(now);
    for (const SessionId& former : formerSessions)
        CAIRN_TRY(seams.store.endSession(former, now, kNoTime));
    formerSessions.clear();
    SessionRow row;
    row.id = makeId<SessionId>(seams.clock.wallMs(), seams.rng);
    row.name = config.name;
    row.host = identity.host;
    row.bootId = identity.bootId;
    row.pidNamespace = identity.pidNamespace;
    row.pid = identity.pid;
    row.startTicks = identity.startTicks;
    row.build = config.build;
    row.schema = config.schema != 0 ? config.schema : info.schema;
    for (const std::string& served : config.serves)
        row.serves += (row.serves.empty() ? "" : " ") + served;
    if (row.serves.empty())
        row.serves = "*";
    row.startedAt = row.heartbeatAt = now;
    row.leaseUntil = now + config.lease;
    CAIRN_TRY(seams.store.openSession(row));
    session = row.id;
    shown.reset();
    beats = commits = {};
    leaseEnds = before + config.lease - config.lease / 10;
    seams.executor.leaseEnds(leaseEnds);
    heartbeatAt = before + config.heartbeat;
    sweepAt = claimAt = wakeupsAt = outboxAt = servedAt = limitsAt = stagedAt = before;

    ServiceConfig wanted;
    wanted.session = session;
    wanted.acknowledged = acknowledged;
    wanted.actorName = config.name;
    wanted.serves = config.serves;
    wanted.verifyOneIn = config.verifyOneIn;
    wanted.uid = config.uid;
    wanted.host = identity.host;
    wanted.aside = [this](std::function<void(StoreReader&)> work, WorkPool::Done done) {
        background(std::move(work), std::move(done));
    };
    service = std::make_unique<Service>(seams.store, seams.queue, seams.clock, seams.rng, std::move(wanted));
    service->setSessionEnded([this](const SessionId& id) { return ended(id); });
    if (looksAtClock)  // a test's clock is moved so that time ends things
        service->setTimekeeping(
            {[this](const AttemptId& id) { return timeIsOver(id); }, [this] { return holdsExpiry(); }});
    service->onCommitted([this](const RunState& after, const Entry& entry) { committed(after, entry); });
    service->onDisowned([this](const RunId& run, bool) { forget(run); });
    limits.reset(session, config.lease, [this](const std::string& name, std::uint32_t version) {
        return service ? service->definition(name, version) : nullptr;
    });
    static_cast<void>(refreshSessions());  // and again at each claim
    openPlans(may);
    updateCapacity();
    log::info("session_opened", {{"session", session}, {"name", config.name}});
    return {};
}

// Everything in hand is given up; what was in flight is decided by the store's guards. Results that came in
// already are kept: they are accepted from whoever delivers them, as long as their attempt is the current
// one.
void EngineCore::Impl::loseSession(const std::string& why)
{
    log::warning("session_lost", {{"session", session}, {"why", why}});
    ++stats.sessionsLost;
    seams.executor.leaseEnds(0);
    for (const auto& [attempt, each] : active)
        seams.executor.abandon(attempt);
    active.clear();
    outside.clear();
    plans.reset();
    service.reset();
    for (auto& [who, word] : untold)
        word.underWay = false;
    formerSessions.push_back(session);
    session = {};
    // Those that the store had not answered are handed in again under the same command id.
    results.insert(results.end(), handed.begin(), handed.end());
    handed.clear();
    for (const auto& pending : results)
        pending->notBefore = 0;
    claimed.clear();
    unmoved.clear();
    owned.clear();
    dueOf.clear();
    timers.clear();
    hungry.clear();
    hungrySet.clear();
    permitQueues.clear();
    again.clear();
    delivering.clear();
    carryingOut.clear();
    held.clear();
    outboxAfter = 0;
    moreMessages = false;
    servedAfter.reset();
    lost.reset();
    reopenAt = seams.clock.monotonicMs();
}

void EngineCore::Impl::heartbeat()
{
    const SpanMs before = seams.clock.monotonicMs();
    const auto now = seams.store.now();
    const auto alive =
        now ? seams.store.heartbeat(session, *now, *now + config.lease) : Result<bool>(now.error());
    if (!alive) {
        trouble(alive.error());
        notWritten(beats, alive.error());
        heartbeatAt =
            before + std::max<SpanMs>(config.heartbeat / 4, 50);  // tried again well within the lease
        return;
    }
    beats = {};
    if (!*alive)
        lost = "the session was ended by another engine";
    leaseEnds = before + config.lease - config.lease / 10;
    seams.executor.leaseEnds(*alive ? leaseEnds : 0);
    lookAtClock(*now);
    if (full && seams.clock.monotonicMs() >= fullAt)
        leaveFull();  // a write went through: the rest will show
}

// Nothing is decided by this host's clock; but what its programs and logs say about time is off by as much.
void EngineCore::Impl::lookAtClock(TimeMs now)
{
    constexpr SpanMs kOff = 5'000;
    const SpanMs ahead = seams.clock.wallMs() - now;
    const bool off = ahead > kOff || ahead < -kOff;
    if (!looksAtClock || off == clockIsOff)
        return;
    clockIsOff = off;
    if (!off)
        return log::info("clock_right", {});
    const std::string text = "the clock of this host is " + formatSpan(ahead < 0 ? -ahead : ahead)
        + (ahead < 0 ? " behind" : " ahead of") + " the store's; set it right (NTP)";
    log::warning("clock_off", {{"ahead_ms", std::to_string(ahead)}, {"text", text}});
    if (config.alert)
        config.alert("clock_off", text);
}

bool EngineCore::Impl::sameHost(const SessionRow& row) const
{
    return !row.bootId.empty() && row.bootId == identity.bootId && row.pidNamespace == identity.pidNamespace;
}

// A clock that was stepped, by a person, by NTP, or because another server has taken the store's place, says
// nothing of leases that were given by it before.
void EngineCore::Impl::watchStoreClock(TimeMs now, SpanMs asked, SpanMs answered)
{
    constexpr SpanMs kStep = 1'000;
    constexpr SpanMs kLeap = 2'000;
    const StoreClock before = std::exchange(storeClock, {now, asked, answered});
    if (before.time == kNoTime)
        return;
    const SpanMs went = now - before.time;
    const SpanMs most = answered - before.asked, least = asked - before.answered;
    if (went <= most + kStep && went >= least - kStep)
        return;
    steppedAt = answered;
    if (went > most + kLeap || went < least - kLeap)
        leaptAt = answered;
    log::warning("store_clock_stepped", {{"by_ms", std::to_string(went - (went > most ? most : least))}});
}

// Set: the session is to be ended, unless its lease ends then or later. On this host, after a step of the
// store's clock, and where the last heartbeat lies in the future, it must have been silent for a whole lease
// as watched here.
std::optional<TimeMs> EngineCore::Impl::leasePassed(const SessionRow& row, TimeMs now, SpanMs mono)
{
    Seen& known = seen[row.id];
    if (known.heartbeat != row.heartbeatAt)
        known = {row.heartbeatAt, mono};
    const SpanMs patience = std::max(config.lease, row.leaseUntil - row.heartbeatAt);
    const auto silent = [&](SpanMs from) { return mono - std::max(known.since, from) >= patience; };
    if (isAhead(row, now))
        return silent(0) ? std::optional(row.leaseUntil + 1) : std::nullopt;
    if (row.leaseUntil >= now || (sameHost(row) && !silent(0)))
        return std::nullopt;
    const bool stepped = steppedAt && mono - *steppedAt < 2 * patience;
    return stepped && !silent(*steppedAt) ? std::nullopt : std::optional(now);
}

void EngineCore::Impl::sweep()
{
    const auto rows = seams.store.sessions(false);
    if (!rows)
        return trouble(rows.error());
    const SpanMs asked = seams.clock.monotonicMs();
    const auto now = seams.store.now();
    if (!now)
        return trouble(now.error());
    const SpanMs mono = seams.clock.monotonicMs();
    watchStoreClock(*now, asked, mono);
    std::erase_if(seen, [&](const auto& known) {  // those that others ended
        return std::none_of(
            rows->begin(), rows->end(), [&](const SessionRow& row) { return row.id == known.first; });
    });
    living.clear();
    for (const SessionRow& row : *rows) {
        if (row.id == session)
            continue;
        const bool gone = sameHost(row) && seams.processes.isGone(row.pid, row.startTicks);
        const auto passed = leasePassed(row, *now, mono);
        if (!gone && !passed) {
            living.insert(row.id);
            continue;
        }
        const auto ended = seams.store.endSession(row.id, *now, gone ? kNoTime : *passed);
        if (!ended) {
            trouble(ended.error());
            living.insert(row.id);
            continue;
        }
        if (!*ended && !gone) {
            living.insert(
                row.id);  // it renewed its lease meanwhile; or another ended it, as the next look shows
            continue;
        }
        seen.erase(row.id);
        claimAt = mono;  // its runs, at once
        if (*ended) {
            ++stats.sessionsEnded;
            log::warning("session_ended",
                {{"session", row.id}, {"name", row.name}, {"why", gone ? "process gone" : "lease"}});
        }
    }
}

// False: they could not be read, and a session that is not known here may be a new one.
bool EngineCore::Impl::refreshSessions()
{
    const auto rows = seams.store.sessions(false);
    if (!rows) {
        trouble(rows.error());
        return false;
    }
    living.clear();
    for (const SessionRow& row : *rows)
        living.insert(row.id);
    return true;
}

bool EngineCore::Impl::ended(const SessionId& id) const { return id != session && !living.contains(id); }

}  // namespace cairn
