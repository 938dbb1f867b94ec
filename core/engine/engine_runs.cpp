// Runs that this engine owns: how they come, what wakes them, how they go.

#include "core/base/failpoint.h"
#include "core/base/log.h"
#include "core/engine/engine_impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kClaimBatch = 128;
constexpr std::size_t kServedPage = 128;
constexpr SpanMs kLookAgain = 1'000;
constexpr SpanMs kAfterReplacement = 3'000;

bool wantsStart(const RunState& state)
{
    return (!state.ready.empty() || !state.fresh.empty()) && !state.paused() && !state.closed
        && state.blocked == Reason::None;
}

}  // namespace

void EngineCore::Impl::claim()
{
    if (!claimed.empty() || owned.size() >= config.maxOwned)
        return;
    const auto now = seams.store.now();
    if (!now)
        return trouble(now.error());
    if (leavesToOthers())
        return;
    const std::size_t room = std::min<std::size_t>(kClaimBatch, config.maxOwned - owned.size());
    auto runs = seams.store.claim(session, *now, room);
    if (failpoint::hit("engine.claim-answer"))
        runs = makeError(ErrorKind::OutcomeUnknown, "failpoint engine.claim-answer");
    if (!runs)
        return lostClaim(runs.error());
    if (runs->empty())
        return;
    if (runs->size() == room)
        claimAt = seams.clock.monotonicMs();
    // Sessions that began attempts on these runs were there before: read after the claim, the list is
    // complete.
    const bool known = refreshSessions();
    stats.claimed += runs->size();
    for (const ClaimedRun& run : *runs)
        claimed.push_back({run, known});
    adoptSome();
}

// What another engine knew of runs that nobody owns now is not known here: after another server has taken the
// store's place it is given the time to park those that have lost entries before they are claimed.
bool EngineCore::Impl::leavesToOthers()
{
    const auto replacedAt = service->serverReplacedAt();
    if (!replacedAt || seams.clock.monotonicMs() >= *replacedAt + kAfterReplacement)
        return false;
    claimAt = *replacedAt + kAfterReplacement;
    return true;
}

// Loading many long runs takes longer than a lease lasts: a slice of time for it, then heartbeats again.
void EngineCore::Impl::adoptSome()
{
    const SpanMs until = seams.clock.monotonicMs() + config.lease / 20;
    do {
        if (claimed.empty())
            return;
        const Claimed next = claimed.front();
        claimed.pop_front();
        adopt(next.run, next.sessionsKnown);
    } while (seams.clock.monotonicMs() < until);
}

// Runs that the store may have given to this session, and that it does not know of, would stand still for as
// long as it lives. So it does not: it is ended, and whoever claims next takes the runs of an ended session.
void EngineCore::Impl::lostClaim(const Error& error)
{
    trouble(error);
    if (error.kind == ErrorKind::OutcomeUnknown || error.kind == ErrorKind::Disconnected)
        lost = "the answer to a claim was lost: " + error.text;
}

void EngineCore::Impl::adopt(const ClaimedRun& run, bool sessionsKnown)
{
    service->own(run);
    owned.insert(run.run);
    if (sessionsKnown)
        recover(run.run);
    else
        again.insert(run.run);
}

// Ends the attempts of ended sessions and starts what can be started; timers are armed from what that leaves.
void EngineCore::Impl::recover(const RunId& run)
{
    submit(run, cmd::Recover{}, [this, run](const Outcome& outcome) {
        const RunState* state = service ? service->state(run) : nullptr;
        if (state) {
            for (const StepIx ix : state->running)
                spendOutside(*state, ix);
            arm(*state);
            stopCancelled(*state);
        }
        if (outcome.kind != Outcome::Kind::NoChange)
            return;
        if (state && (state->blocked == Reason::Worker || state->blocked == Reason::Incompatible))
            unmoved[run] = state->version;
        maybeRelease(run);
    });
}

// Runs of which a command failed, for the store was busy or could not be read: nobody else would move them,
// as long as this session lives.
void EngineCore::Impl::lookAgain()
{
    if (again.empty() || !refreshSessions())
        return;
    for (const RunId& run : std::exchange(again, {})) {
        if (!owned.contains(run))
            continue;
        if (isAway()) {
            again.insert(run);
            continue;
        }
        service->reload(run);
        recover(run);
    }
}

// Runs that stand still because nobody served their version: this engine does now. Page by page, a slice of
// time each.
void EngineCore::Impl::adoptServed()
{
    freeServed();
    const SpanMs until = seams.clock.monotonicMs() + config.lease / 20;
    ListTerm term;
    term.reason = {Reason::Worker, Reason::Incompatible};
    term.unfinishedOnly = true;
    if (std::find(config.serves.begin(), config.serves.end(), "*") == config.serves.end())
        term.workflow = config.serves;
    while (owned.size() + claimed.size() < config.maxOwned) {
        const auto page = seams.store.list({term}, ListOrder::NewestFirst, servedAfter, kServedPage);
        if (!page)
            return trouble(page.error());
        std::map<std::pair<std::string, std::uint32_t>, bool> there;
        for (const ListRow& row : page->rows) {
            const auto [place, isNew] = there.try_emplace({row.workflow, row.workflowVersion}, false);
            if (isNew)
                place->second = service->definition(row.workflow, row.workflowVersion) != nullptr;
            if (place->second && !adoptWaiting(row.run))
                return;
        }
        servedAfter = page->next;
        if (!servedAfter)
            return;
        if (seams.clock.monotonicMs() >= until) {
            servedAt = seams.clock.monotonicMs();
            return;
        }
    }
}

// False: the session is lost.
bool EngineCore::Impl::adoptWaiting(const RunId& run)
{
    if (owned.contains(run))
        return true;
    const auto hot = seams.store.hot(run);
    if (!hot || !hot->owner.isNull())
        return true;
    // What did not move although it was served (a parked run) is left alone until it has changed.
    const auto tried = unmoved.find(run);
    if (tried != unmoved.end() && tried->second == hot->version)
        return true;
    const auto taken = seams.store.takeOver(run, session);
    if (!taken) {
        lostClaim(taken.error());
        return !lost;
    }
    claimed.push_back({*taken, refreshSessions()});
    return true;
}

void EngineCore::Impl::takeWakeups()
{
    const auto woken = seams.store.takeWakeups(session);
    if (!woken) {
        // They may be taken all the same, and which they were is not known: all are looked at.
        wakeAll = wakeAll || woken.error().kind == ErrorKind::OutcomeUnknown;
        return trouble(woken.error());
    }
    std::set<RunId> runs(woken->begin(), woken->end());
    if (std::exchange(wakeAll, false))
        runs.insert(owned.begin(), owned.end());
    for (const RunId& run : runs) {
        service->reload(run);  // of one whose first commit landed and is not heard yet as well
        if (!owned.contains(run))
            continue;
        submit(run, cmd::Advance{}, [this, run](const Outcome& outcome) {
            const RunState* state = service ? service->state(run) : nullptr;
            if (!state)
                return;
            arm(*state);
            stopCancelled(*state);
            if (outcome.kind == Outcome::Kind::NoChange)
                maybeRelease(run);
        });
    }
}

void EngineCore::Impl::arm(const RunState& state)
{
    disarm(state.id);
    if (state.closed || !owned.contains(state.id))
        return;
    TimeMs due = state.due.empty() ? kNoTime : state.due.begin()->first;
    if (state.deadline() != kNoTime && state.blocked == Reason::None && !state.restCancelled)
        due = due == kNoTime ? state.deadline() : std::min(due, state.deadline());
    if (due != kNoTime)
        armAt(state.id, due);
    beHungry(state.id);
    queueForPermits(state);
}

void EngineCore::Impl::queueForPermits(const RunState& state)
{
    const auto& waiting = state.waiting[static_cast<std::size_t>(Reason::Capacity)];
    if (waiting.empty())
        return;
    const auto definition = service->definition(state.workflow.name, state.workflow.version);
    for (const auto& [since, ix] : waiting) {
        const ToolDef* tool = definition ? definition->tool(state.steps[ix].tool) : nullptr;
        if (!tool || tool->resource.empty())
            continue;
        Queue& queue = permitQueues[tool->resource];
        if (queue.members.insert(state.id).second)
            queue.order.push_back(state.id);
    }
}

// A permit came back: those that wait for one need not wait until they look again by themselves.
void EngineCore::Impl::feedPermits(const std::string& resource)
{
    const auto found = permitQueues.find(resource);
    if (found == permitQueues.end() || !service || draining || full || active.size() >= config.maxAttempts
        || isAway())
        return;
    if (limits.backOffUntil(resource) > service->now())
        return;  // a permit would be spent for nothing
    Queue& queue = found->second;
    std::uint32_t permits = limits.permits(resource);
    // Each once: one that comes back at once, for want of an attempt, waits for the next time.
    for (std::size_t left = queue.order.size(); left > 0 && permits > 0 && !queue.order.empty() && !isAway();
         --left) {
        const RunId run = queue.order.front();
        queue.order.pop_front();
        queue.members.erase(run);
        const RunState* state = service->state(run);
        if (!state || state->waiting[static_cast<std::size_t>(Reason::Capacity)].empty())
            continue;
        --permits;
        submit(run, cmd::Advance{}, [this, run](const Outcome& outcome) {
            // The permit went to another start that is being committed: it is its turn again.
            const RunState* after = service ? service->state(run) : nullptr;
            if (after && outcome.kind == Outcome::Kind::NoChange)
                queueForPermits(*after);
        });
    }
}

void EngineCore::Impl::feedAllPermits()
{
    std::erase_if(permitQueues, [](const auto& each) { return each.second.order.empty(); });
    std::vector<std::string> names;
    for (const auto& [name, queue] : permitQueues)
        names.push_back(name);
    std::sort(names.begin(), names.end());  // one order for all engines and seeds
    for (const std::string& name : names)
        feedPermits(name);
}

void EngineCore::Impl::beHungry(const RunId& run)
{
    const RunState* state = owned.contains(run) && service ? service->state(run) : nullptr;
    if (state && wantsStart(*state) && hungrySet.insert(run).second)
        hungry.push_back(run);
}

// A run has one timer: its next.
void EngineCore::Impl::armAt(const RunId& run, TimeMs due)
{
    disarm(run);
    dueOf[run] = due;
    timers.emplace(due, run);
}

void EngineCore::Impl::disarm(const RunId& run)
{
    if (const auto found = dueOf.find(run); found != dueOf.end()) {
        timers.erase({found->second, run});
        dueOf.erase(found);
    }
}

void EngineCore::Impl::fireTimers()
{
    fireSpans();
    if (timers.empty() || isAway())
        return;
    const TimeMs now = service->now();
    while (!timers.empty() && timers.begin()->first <= now && !isAway()) {
        const RunId run = timers.begin()->second;
        disarm(run);
        submit(run, cmd::FireTimers{}, [this, run](const Outcome& outcome) {
            const RunState* state = service ? service->state(run) : nullptr;
            if (!state || outcome.kind == Outcome::Kind::Committed)
                return;
            if (outcome.kind == Outcome::Kind::NoChange)
                submit(run, cmd::Advance{}, {});  // a look-up that is due
            // Whatever it was, it is looked at again, and not in a circle. What was committed meanwhile may
            // have armed it.
            const TimeMs at = service->now();
            if (const auto armed = dueOf.find(run); armed == dueOf.end() || armed->second <= at)
                armAt(run, at + kLookAgain);
        });
    }
}

// Runs with ready steps get what capacity there is, in turn.
void EngineCore::Impl::feedHungry()
{
    if (draining || full || active.size() >= config.maxAttempts)
        return;
    std::size_t room = config.maxAttempts - active.size() + 8;
    for (std::size_t left = hungry.size(); left > 0 && room > 0; --left, --room) {
        if (isAway())
            return;
        const RunId run = hungry.front();
        hungry.pop_front();
        hungrySet.erase(run);
        const RunState* state = service->state(run);
        if (!state || !wantsStart(*state))
            continue;
        submit(run, cmd::Advance{}, [this, run](const Outcome& outcome) {
            // What was left had been spent by starts that are being committed: it is its turn again.
            if (outcome.kind == Outcome::Kind::NoChange)
                beHungry(run);
        });
    }
}

void EngineCore::Impl::maybeRelease(const RunId& run)
{
    const auto give = service->idle(run);
    if (!give || !owned.contains(run))
        return;
    if (const Status released = seams.store.release(session, std::span(&*give, 1)); !released) {
        again.insert(run);  // nothing else would let it go
        return trouble(released.error());
    }
    service->disown(run);
    forget(run);
}

void EngineCore::Impl::forget(const RunId& run)
{
    disarm(run);
    owned.erase(run);
    for (auto each = outside.begin(); each != outside.end();) {
        if (each->second.run != run) {
            ++each;
            continue;
        }
        limits.ended(each->second.resource);
        each = outside.erase(each);
    }
}

}  // namespace cairn
