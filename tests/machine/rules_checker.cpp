#include "tests/machine/rules_checker.h"

#include "core/machine/retry.h"

#include <algorithm>

namespace cairn::testing {

namespace {

std::string at(const RunState& s, StepIx ix)
{
    return "step " + s.steps[ix].id + " at version " + std::to_string(s.version);
}

// The first activity that applies, from the table of DESIGN section 4 and 12.16, by a scan.
Activity expectedActivity(const RunState& s)
{
    if (s.closed)
        return s.closedAs;
    if (s.own.paused || s.inherited.paused)
        return Activity::Paused;
    if (s.compensating)
        return Activity::Compensating;
    if (s.restCancelled)
        return Activity::Cancelling;
    bool running = false, retrying = false, queued = false, waiting = false,
         blocked = s.blocked != Reason::None;
    for (const auto& step : s.steps) {
        running = running || step.attempt.has_value();
        const bool startable =
            step.state == StepState::Ready || (step.state == StepState::Pending && step.unmet == 0);
        queued = queued || (startable && !s.driven);
        if (step.state == StepState::Waiting && step.reason != Reason::Dependency) {
            const Activity a = word(step.reason).activity;
            retrying = retrying || a == Activity::Retrying;
            queued = queued || a == Activity::Queued;
            waiting = waiting || a == Activity::Waiting;
            blocked = blocked || a == Activity::Blocked;
        }
        if (step.state == StepState::Unknown && step.due != kNoTime)
            queued = true;  // the provider is to be asked
        blocked = blocked || step.state == StepState::Failed
            || (step.state == StepState::Unknown && step.due == kNoTime);
    }
    if (running)
        return Activity::Executing;
    if (s.blocked != Reason::None)
        return Activity::Blocked;
    if (retrying)
        return Activity::Retrying;
    if (queued)
        return Activity::Queued;
    if (waiting)
        return Activity::Waiting;
    return blocked ? Activity::Blocked : s.driven ? Activity::Waiting : Activity::Queued;
}

std::string wrongSets(const RunState& s)
{
    std::array<std::uint32_t, 10> counts{};
    std::set<StepIx> fresh, ready, running, unknown, failed;
    std::set<std::pair<TimeMs, StepIx>> due;
    std::size_t waiting = 0;
    for (StepIx ix = 0; ix < s.steps.size(); ++ix) {
        const StepRecord& step = s.steps[ix];
        ++counts[static_cast<std::size_t>(step.state)];
        std::uint32_t unmet = 0;
        for (const StepIx d : step.after)
            unmet +=
                s.steps[d].state != StepState::Complete && s.steps[d].state != StepState::Skipped ? 1 : 0;
        if (unmet != step.unmet)
            return at(s, ix) + ": unmet is " + std::to_string(step.unmet) + ", really "
                + std::to_string(unmet);
        if (step.state == StepState::Pending && unmet == 0)
            fresh.insert(ix);
        if (step.state == StepState::Ready)
            ready.insert(ix);
        if (step.attempt)
            running.insert(ix);
        if (step.state == StepState::Unknown)
            unknown.insert(ix);
        if (step.state == StepState::Failed)
            failed.insert(ix);
        if (step.due != kNoTime && !(step.state == StepState::Waiting && step.reason == Reason::Capacity))
            due.insert({step.due, ix});
        if ((step.state == StepState::Running)
            != (step.attempt.has_value() && step.state != StepState::Unknown))
            return at(s, ix) + ": running without an attempt, or an attempt without running";
        if (step.state != StepState::Waiting)
            continue;
        ++waiting;
        if (step.reason == Reason::None)
            return at(s, ix) + ": waits without a reason";
        if (!s.waiting[static_cast<std::size_t>(step.reason)].contains({step.since, ix}))
            return at(s, ix) + ": is not in the set of what waits";
        const bool timed = step.reason == Reason::Retry || step.reason == Reason::Resource
            || step.reason == Reason::Timer || step.reason == Reason::Capacity;
        if (timed && step.due == kNoTime)
            return at(s, ix) + ": waits for a time that is not set";
    }
    std::size_t kept = 0;
    for (const auto& set : s.waiting)
        kept += set.size();
    if (counts != s.stepsIn || fresh != s.fresh || ready != s.ready || running != s.running
        || unknown != s.unknown || failed != s.failed || due != s.due || kept != waiting)
        return "a kept set differs from a scan at version " + std::to_string(s.version);
    return {};
}

std::string wrongBudget(const RunState& s)
{
    for (const auto& line : s.budget) {
        std::int64_t reserved = 0;
        for (const auto& step : s.steps) {
            for (const auto& usage : step.held)
                reserved += usage.unit == line.unit ? usage.amount : 0;
            if (step.attempt)
                for (const auto& usage : step.attempt->reserved)
                    reserved += usage.unit == line.unit ? usage.amount : 0;
        }
        for (const auto& child : s.children)
            for (const auto& part : child.allotment)
                reserved += !child.answered && part.unit == line.unit ? part.limit : 0;
        if (reserved != line.reserved || line.used < 0)
            return "budget: " + std::to_string(line.reserved) + " is reserved, really "
                + std::to_string(reserved) + ", at version " + std::to_string(s.version);
    }
    return {};
}

}  // namespace

std::string RulesChecker::state(const RunState& s, TimeMs now)
{
    if (auto wrong = wrongSets(s); !wrong.empty())
        return wrong;
    if (auto wrong = wrongBudget(s); !wrong.empty())
        return wrong;
    const Summary summary = summarise(s, now);
    if (summary.activity != expectedActivity(s))
        return "activity is " + std::string(key(summary.activity)) + ", by the table "
            + std::string(key(expectedActivity(s)));
    if (s.closed)
        return {};
    const bool moving = summary.running > 0 || summary.nextDue != kNoTime || s.openChildren > 0;
    if (summary.primary.reason == Reason::None && !moving)
        return "unfinished, and nothing says who or what will move it, at version "
            + std::to_string(s.version);
    return {};
}

std::string RulesChecker::attempt(const RunState& after, const AttemptStarted& f)
{
    const StepRecord& step = after.steps[f.step];
    if (m_done[{after.id, f.step}])
        return at(after, f.step) + ": an attempt after its result was recorded";
    m_attempts[f.attempt] = {step.effect, f.purpose};
    if (step.safety != ReplaySafety::Irreversible || f.purpose == Purpose::LookUp || step.effect.isNull())
        return {};
    Effect& effect = m_effects[step.effect];
    if (effect.open || effect.doubt || effect.done)
        return at(after, f.step) + ": irreversible effect started again, it was "
            + (effect.done         ? "done"
                    : effect.doubt ? "in doubt"
                                   : "under way");
    effect.open = true;
    effect.by = {after.id, f.step};
    return {};
}

void RulesChecker::ended(const RunState& after, const AttemptEnded& f)
{
    const auto [id, purpose] = m_attempts[f.attempt];
    if (after.steps[f.step].safety != ReplaySafety::Irreversible || id.isNull())
        return;
    Effect& effect = m_effects[id];
    if (purpose == Purpose::LookUp) {
        if (f.how != AttemptEnd::Completed)
            return;
        effect.done = effect.done || f.effect == EffectKnowledge::Happened;
        const bool own = effect.by == std::pair(after.id, f.step);
        if (own && (f.effect == EffectKnowledge::NotHappened || f.effect == EffectKnowledge::NoEffect))
            effect.doubt = false;
        return;
    }
    effect.open = false;
    effect.done = effect.done || f.how == AttemptEnd::Completed;
    effect.doubt = f.how != AttemptEnd::Completed && f.effect != EffectKnowledge::NotHappened;
}

// What a person or a look-up says of one step is not said of another's effect under the same key.
void RulesChecker::settled(const RunState& after, const Fact& fact)
{
    const auto concerned = [&](StepIx step) -> Effect* {
        Effect& effect = m_effects[after.steps[step].effect];
        const bool free = !effect.open && !effect.doubt;
        return free || effect.by == std::pair(after.id, step) ? &effect : nullptr;
    };
    if (const auto* f = std::get_if<StepCompleted>(&fact)) {
        m_done[{after.id, f->step}] = true;
        if (Effect* effect = f->byPerson ? concerned(f->step) : nullptr)
            effect->done = true;
    }
    if (const auto* f = std::get_if<EffectDenied>(&fact))
        if (Effect* effect = concerned(f->step))
            effect->doubt = false;
}

std::string RulesChecker::ledger(const std::map<EffectId, World::Row>& rows)
{
    for (const auto& [effect, now] : rows) {
        LedgerRow& before = m_ledger[effect];
        const bool held = before.state == LedgerState::InFlight || before.state == LedgerState::Completed
            || before.state == LedgerState::Unknown;
        if (held && (before.holder != now.row.holder || before.holderStep != now.row.holderStep))
            return "the ledger's row of step " + before.holderStep + " was taken by step "
                + now.row.holderStep;
        before = now.row;
    }
    return {};
}

std::string RulesChecker::entry(const RunState& after, const Entry& entry, const Definition& definition)
{
    if (entry.version != ++m_versions[after.id])
        return "a hole before version " + std::to_string(entry.version);
    if (entry.facts.empty())
        return "an entry without facts";
    for (const Fact& fact : entry.facts) {
        if (const auto* f = std::get_if<AttemptStarted>(&fact)) {
            if (auto wrong = attempt(after, *f); !wrong.empty())
                return wrong;
            const ToolDef* tool = definition.tool(after.steps[f->step].tool);
            const SpanMs most = tool && f->purpose != Purpose::LookUp ? tool->retry.maxTotal : 0;
            if (most > 0 && (f->timeoutAt == kNoTime || f->timeoutAt > entry.time + most))
                return at(after, f->step) + ": an attempt may run past the time of its step";
        }
        if (const auto* f = std::get_if<AttemptEnded>(&fact))
            ended(after, *f);
        settled(after, fact);
        const auto* wait = std::get_if<StepWaiting>(&fact);
        if (!wait || wait->reason != Reason::Retry)
            continue;
        const StepRecord& step = after.steps[wait->step];
        const ToolDef* tool = definition.tool(step.tool);
        const RetryPolicy policy = tool ? tool->retry : RetryPolicy{};
        // When an engine that could not begin it is able to again is for the engine to say.
        const bool uncounted = std::any_of(entry.facts.begin(), entry.facts.end(), [&](const Fact& each) {
            const auto* end = std::get_if<AttemptEnded>(&each);
            return end && end->step == wait->step && end->failure == FailureClass::NotBegun
                && !end->countsAsFailure;
        });
        if (wait->due < entry.time || (!uncounted && wait->due > entry.time + policy.maxDelay))
            return at(after, wait->step) + ": a retry outside its bounds";
        if (step.failures > policy.maxAttempts)
            return at(after, wait->step) + ": more tries than allowed";
    }
    return {};
}

}  // namespace cairn::testing
