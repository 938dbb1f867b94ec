// How attempts end: results, failures, look-ups, lost owners, time-outs; and what time itself ends.

#include "core/machine/decider.h"
#include "core/machine/retry.h"
#include "core/machine/unclear.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kMaxRetryAfter = 86'400'000;  // longer requests are capped; stated in the handbook
constexpr SpanMs kMostSpread = 10'000;         // of what was told one time to come back

Reason failureReason(FailureClass failure)
{
    switch (failure) {
    case FailureClass::Credential: return Reason::Credential;
    case FailureClass::Rejected: return Reason::Incompatible;
    default: return Reason::AttemptsExhausted;
    }
}

bool final(FailureClass failure)
{
    return failure == FailureClass::Permanent || failure == FailureClass::Credential
        || failure == FailureClass::Rejected || failure == FailureClass::TooLarge;
}

}  // namespace

std::optional<RetryPolicy> Decider::Impl::policyOf(StepIx ix) const
{
    if (const StepDef* d = def(ix); d && d->retry)
        return d->retry;
    if (const ToolDef* t = tool(ix))
        return t->retry;
    return s.driven ? std::optional(RetryPolicy{}) : std::nullopt;
}

std::optional<SpanMs> Decider::Impl::timeLeft(StepIx ix) const
{
    const auto policy = policyOf(ix);
    return policy && policy->maxTotal > 0 ? std::optional(policy->maxTotal - s.steps[ix].worked)
                                          : std::nullopt;
}

void Decider::Impl::retryLater(StepIx ix, Reason reason, TimeMs due)
{
    emit(StepWaiting{ix, reason, due, {}, {}});
}

// A member of a fan-out that allows failures is left out instead of stopping the run; its error stays on
// record.
void Decider::Impl::failStep(StepIx ix, Reason reason, const PayloadRef& error)
{
    const StepIx owner = step(ix).owner;
    const StepDef* ownerDef = owner == kNoStep ? nullptr : def(owner);
    if (ownerDef && ownerDef->forEach && ownerDef->forEach->allowFailures)
        emit(StepSkipped{ix, false, {}});
    else
        emit(StepFailed{ix, reason, error});
}

// Unknown is not failed: where the last try may have had its effect, a person says whether it had.
void Decider::Impl::exhaust(StepIx ix, const PayloadRef& error)
{
    if (step(ix).inDoubt())
        emit(StepUnknown{ix, {}, kNoTime});
    else
        failStep(ix, Reason::AttemptsExhausted, error);
}

void Decider::Impl::retryOrExhaust(StepIx ix, bool handledFailure, const PayloadRef& error)
{
    const StepRecord& r = step(ix);
    const RetryPolicy policy = policyOf(ix).value_or(RetryPolicy{});
    const bool tooMany = handledFailure ? r.failures >= policy.maxAttempts : r.lost >= policy.maxLost;
    if (tooMany) {
        exhaust(ix, error);
        return;
    }
    if (!handledFailure)
        return;  // the owner was lost, not the work: it is ready again at once
    const TimeMs due = g.now + retryDelay(policy, std::max(r.failures, 1U), g.seed, s.id, ix, r.attempts);
    if (const auto left = timeLeft(ix); left && due - g.now >= *left)
        exhaust(ix, error);
    else
        retryLater(ix, Reason::Retry, due);
}

// An unclear end of which the provider says that it had no effect is a try that failed, or a lost owner, like
// any other: it counts, and the next one waits its turn.
void Decider::Impl::retryDenied(StepIx ix)
{
    const StepRecord& r = step(ix);
    const bool lostTooOften = r.lost >= policyOf(ix).value_or(RetryPolicy{}).maxLost;
    retryOrExhaust(ix, r.failures > 0 && !lostTooOften, {});
}

// Nothing was called, for the engine that was to call it could not: it is tried again without having counted,
// as often as that takes.
void Decider::Impl::retryUncounted(StepIx ix, const cmd::Fail& c)
{
    const StepRecord& r = step(ix);
    const SpanMs base = c.retryAfter >= 0
        ? std::min(c.retryAfter, kMaxRetryAfter)
        : retryDelay(policyOf(ix).value_or(RetryPolicy{}), 1, g.seed, s.id, ix, r.attempts);
    const TimeMs due =
        g.now + 1 + base + jitter(std::min(base / 10 + 1, kMostSpread), g.seed, s.id, ix, r.attempts);
    if (r.state == StepState::Unknown)
        emit(StepUnknown{ix, {}, due});  // the look-up is what was to be called
    else
        retryLater(ix, Reason::Retry, due);
}

// The attempt ended without saying whether its effect happened. The rule itself is in unclear.h.
void Decider::Impl::afterUnclear(StepIx ix, Purpose purpose, EffectKnowledge knowledge, bool handledFailure)
{
    const StepRecord& r = step(ix);
    const ToolDef* t = tool(ix);
    const bool hasLookUp = t && !t->lookUp.empty();
    if (purpose == Purpose::LookUp) {
        if (r.state != StepState::Unknown) {
            if (!isFinished(r.state))                    // not cancelled with its run
                retryOrExhaust(ix, handledFailure, {});  // check_first: nothing was done yet
            return;
        }
        const RetryPolicy policy = policyOf(ix).value_or(RetryPolicy{});
        const bool again = hasLookUp && r.lookUps < policy.maxAttempts;
        emit(StepUnknown{ix, {},
            again ? g.now + retryDelay(policy, r.lookUps, g.seed, s.id, ix, r.attempts) + 1 : kNoTime});
        return;
    }
    // In a cancelled run nothing is repeated, not even under the same key: the truth is asked for, or a
    // person.
    const bool stopping = s.restCancelled && r.undoOf == kNoStep
        && (knowledge == EffectKnowledge::Unknown || knowledge == EffectKnowledge::Happened);
    const UnclearNext next = stopping ? (hasLookUp ? UnclearNext::LookUp : UnclearNext::Park)
                                      : afterUnclearEnd(r.safety, hasLookUp);
    switch (next) {
    case UnclearNext::TryAgain:
        if (!isFinished(r.state))
            retryOrExhaust(ix, handledFailure, {});
        break;
    case UnclearNext::LookUp: emit(StepUnknown{ix, {}, g.now}); break;
    case UnclearNext::Park: emit(StepUnknown{ix, {}, kNoTime}); break;
    }
}

void Decider::Impl::endUnclear(StepIx ix, AttemptEnd how, const PayloadRef& error)
{
    const StepRecord& r = step(ix);
    const Purpose purpose = r.attempt->purpose;
    AttemptEnded end;
    end.step = ix;
    end.attempt = r.attempt->id;
    end.how = how;
    end.effect = knowledgeAfterLoss(r.safety, purpose);
    end.error = error;
    // A worker that no longer renews its claim is lost; the work itself may be sound.
    const bool silent = r.attempt->heartbeatDue != kNoTime && r.attempt->heartbeatDue <= g.now
        && (r.attempt->timeoutAt == kNoTime || r.attempt->timeoutAt > g.now);
    end.countsAsLost = how == AttemptEnd::OwnerLost || silent;
    end.countsAsFailure = !end.countsAsLost;
    const EffectKnowledge knowledge = end.effect;
    const bool handled = end.countsAsFailure;
    emit(std::move(end));
    afterUnclear(ix, purpose, knowledge, handled);
}

bool Decider::Impl::own(const cmd::Complete& c)
{
    if (c.attempt.isNull()) {  // a driven run ends when its caller says so
        emit(RunClosed{Activity::Completed, c.output, false});
        return true;
    }
    const StepIx ix = s.attempts.at(c.attempt);
    const EffectKnowledge effect =
        writes(step(ix).safety) ? EffectKnowledge::Happened : EffectKnowledge::NoEffect;
    std::vector<Usage> used = c.used;
    for (const Usage& most : step(ix).attempt->reserved)  // what is not reported counts with its worst case
        if (std::none_of(used.begin(), used.end(), [&](const Usage& u) { return u.unit == most.unit; }))
            used.push_back(most);
    emit(AttemptEnded{ix, c.attempt, AttemptEnd::Completed, effect, FailureClass::Retryable, c.refusedReport,
        {}, std::move(used), false, false});
    emit(StepCompleted{ix, c.output, false, false});
    if (!s.restCancelled)  // a run that is being cancelled takes no new steps
        for (const auto& add : c.adds)
            addStep(add, kNoStep, 0);
    return true;
}

bool Decider::Impl::own(const cmd::Fail& c)
{
    const StepIx ix = s.attempts.at(c.attempt);
    const StepRecord& r = step(ix);
    const Purpose purpose = r.attempt->purpose;
    const bool limited = c.failure == FailureClass::RateLimited;
    AttemptEnded end;
    end.step = ix;
    end.attempt = c.attempt;
    end.how = c.cancelled ? AttemptEnd::Cancelled : c.timedOut ? AttemptEnd::TimedOut : AttemptEnd::Failed;
    end.effect = purpose == Purpose::LookUp || !writes(r.safety) ? EffectKnowledge::NoEffect
        : c.effect == EffectKnowledge::NoEffect                  ? EffectKnowledge::NotHappened
                                                                 : c.effect;
    const bool nothingDone =
        end.effect == EffectKnowledge::NoEffect || end.effect == EffectKnowledge::NotHappened;
    const bool notBegun = c.failure == FailureClass::NotBegun && end.how == AttemptEnd::Failed && nothingDone;
    end.failure = c.failure;
    end.error = c.error;
    end.signature = c.signature;
    end.used = c.used;
    end.countsAsFailure = !limited && !notBegun && !c.cancelled;
    const EffectKnowledge effect = end.effect;
    emit(std::move(end));
    if (notBegun) {
        if (!isFinished(r.state))
            retryUncounted(ix, c);
        return true;
    }
    // An effect that happened without leaving a result is as little to be repeated as one that may have
    // happened.
    if (effect == EffectKnowledge::Unknown || effect == EffectKnowledge::Happened
        || (purpose == Purpose::LookUp && r.state == StepState::Unknown)) {
        afterUnclear(ix, purpose, effect, true);
        return true;
    }
    if (isFinished(r.state) || c.cancelled)
        return true;  // cancelled with the run; or stopped on request and ready again
    const auto left = timeLeft(ix);
    if (limited && left && *left <= 0) {
        exhaust(ix, c.error);
    } else if (limited) {
        const RetryPolicy policy = policyOf(ix).value_or(RetryPolicy{});
        const SpanMs asked = std::min(c.retryAfter, kMaxRetryAfter);
        const SpanMs base =
            asked >= 0 ? asked : retryDelay(policy, std::max(r.attempts, 1U), g.seed, s.id, ix, r.attempts);
        retryLater(ix, Reason::Resource,
            g.now + base + jitter(std::min(base / 10 + 1, kMostSpread), g.seed, s.id, ix, r.attempts));
    } else if (final(c.failure) && r.inDoubt()) {
        emit(StepUnknown{ix, {}, kNoTime});  // an earlier try may have had its effect
    } else if (final(c.failure)) {
        failStep(ix, failureReason(c.failure), c.error);
    } else {
        retryOrExhaust(ix, true, c.error);
    }
    return true;
}

bool Decider::Impl::own(const cmd::LookedUp& c)
{
    const StepIx ix = s.attempts.at(c.attempt);
    AttemptEnded end;
    end.step = ix;
    end.attempt = c.attempt;
    end.effect = c.verdict;
    if (c.verdict == EffectKnowledge::Happened)
        end.used = step(ix).held;  // what it really took is not known: the worst case counts
    emit(std::move(end));
    switch (c.verdict) {
    case EffectKnowledge::Happened: emit(StepCompleted{ix, c.output, false, false}); break;
    case EffectKnowledge::NoEffect:
    case EffectKnowledge::NotHappened: {
        const bool afterUnclearEnd = step(ix).state == StepState::Unknown;
        emit(EffectDenied{ix, c.evidence, false});
        if (s.restCancelled && step(ix).undoOf == kNoStep)
            emit(StepSkipped{ix, false, {}});
        else if (afterUnclearEnd)
            retryDenied(ix);
        break;
    }
    case EffectKnowledge::Unknown: emit(StepUnknown{ix, c.evidence, kNoTime}); break;
    }
    return true;
}

bool Decider::Impl::own(const cmd::Renew& c)
{
    emit(AttemptRenewed{s.attempts.at(c.attempt), c.attempt, g.now + c.heartbeat, c.progress});
    return true;
}

bool Decider::Impl::own(const cmd::Partial& c)
{
    emit(PartialResult{s.attempts.at(c.attempt), c.attempt, c.output});
    return true;
}

bool Decider::Impl::own(const cmd::Recover&)
{
    const std::vector<StepIx> running(s.running.begin(), s.running.end());
    for (const StepIx ix : running) {
        const auto& attempt = step(ix).attempt;
        if (attempt && !attempt->session.isNull() && attempt->session != g.session && g.sessionEnded
            && g.sessionEnded(attempt->session))
            endUnclear(ix, AttemptEnd::OwnerLost, {});
    }
    scanAll = true;
    return true;
}

// A step that waits for a permit goes on where one is there. Where none is, it waits as it did: nothing has
// changed, so nothing is written.
void Decider::Impl::releaseToPermit(StepIx ix)
{
    if (!g.definition)
        return;
    if (const ToolDef* t = tool(ix); t && !t->resource.empty() && mayStart(step(ix))) {
        const bool outside = t->executor == "worker";  // takes no attempt of the engine, but a permit
        if ((capacity == 0 && !outside) || spent[t->resource] >= g.resources.at(t->resource).permits)
            return;
        if (outside)
            ++spent[t->resource];
    }
    emit(StepReleased{ix, false});
    proceed(ix);
}

bool Decider::Impl::own(const cmd::Advance&)
{
    const auto waiting = s.waiting[static_cast<std::size_t>(Reason::Capacity)];
    for (const auto& [since, ix] : waiting) {
        if (const ToolDef* t = tool(ix); t && !t->resource.empty() && !g.resources.contains(t->resource)) {
            needs.resources.push_back(t->resource);
            return false;
        }
        releaseToPermit(ix);
    }
    scanAll = true;
    return true;
}

void Decider::Impl::expireApproval(StepIx ix)
{
    const ApprovalId id = step(ix).approval;
    emit(ApprovalDecided{id, ApprovalState::Expired, {}});
    emit(StepSkipped{ix, false, {}});
}

// What the steps are waiting for is over, by the store's time or by the span that the engine measured.
bool Decider::Impl::isOver(const StepRecord& r) const
{
    if (r.due == kNoTime)
        return false;
    if (r.attempt) {
        if (const auto over = g.timeIsOver ? g.timeIsOver(r.attempt->id) : std::nullopt)
            return *over;
        return r.due <= g.now && !(g.holdsExpiry && r.attempt->session.isNull());
    }
    const bool expires =
        r.state == StepState::Waiting && (r.reason == Reason::Approval || r.reason == Reason::Signal);
    return r.due <= g.now && !(g.holdsExpiry && expires);
}

bool Decider::Impl::own(const cmd::FireTimers&)
{
    std::vector<StepIx> fired;
    for (const auto& [due, ix] : s.due) {
        if (due > g.now)
            break;
        fired.push_back(ix);
    }
    for (const StepIx ix : s.running)
        if (step(ix).due > g.now)
            fired.push_back(ix);
    for (const StepIx ix : fired) {
        const StepRecord& r = step(ix);
        if (!isOver(r))
            continue;  // or an earlier one of this entry moved it
        if (r.attempt) {
            endUnclear(ix, AttemptEnd::TimedOut, {});
            continue;
        }
        if (r.state != StepState::Waiting)
            continue;  // a look-up that is due: settle() starts it
        switch (r.reason) {
        case Reason::Approval: expireApproval(ix); break;
        case Reason::Timer: emit(StepCompleted{ix, {}, false, false}); break;
        case Reason::Signal: emit(StepSkipped{ix, false, {}}); break;
        default:
            emit(StepReleased{ix, false});
            proceed(ix);
            break;
        }
    }
    if (s.deadline() != kNoTime && g.now >= s.deadline() && !g.holdsExpiry && s.blocked == Reason::None
        && !s.restCancelled)
        emit(RunBlocked{Reason::Deadline, {}});
    return true;
}

}  // namespace cairn
