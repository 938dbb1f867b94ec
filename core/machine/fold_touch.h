#pragma once
// Inside of folding: what every change of a step has to keep in order (sets, counts, dependents,
// reservations).

#include "core/machine/fold.h"

#include <algorithm>

namespace cairn::fold {

inline std::size_t at(StepState s) { return static_cast<std::size_t>(s); }
inline std::size_t at(Reason r) { return static_cast<std::size_t>(r); }

inline TimeMs attemptDue(const AttemptState& attempt)
{
    if (attempt.timeoutAt == kNoTime || attempt.heartbeatDue == kNoTime)
        return attempt.timeoutAt == kNoTime ? attempt.heartbeatDue : attempt.timeoutAt;
    return std::min(attempt.timeoutAt, attempt.heartbeatDue);
}

// Whether time itself moves the step. The time of one that waits for a permit says when an engine looks again
// at the latest, if nobody owns the run: a permit is given to it, so its owner fires no timer for it.
inline bool timed(const StepRecord& s)
{
    return s.due != kNoTime && !(s.state == StepState::Waiting && s.reason == Reason::Capacity);
}

// Every change of a step goes out of the kept sets before, and back in after.
class Touch {
public:
    Touch(RunState& state, StepIx ix, const Head& head)
        : m_state(state)
        , m_ix(ix)
        , m_head(head)
        , m_before(step().state)
    {
        remove();
    }
    ~Touch()
    {
        StepRecord& s = step();
        ++s.revision;
        if (s.state != m_before)
            s.since = m_head.time;
        insert();
    }
    Touch(const Touch&) = delete;
    Touch& operator=(const Touch&) = delete;

    StepRecord& step() { return m_state.steps[m_ix]; }
    StepRecord* operator->() { return &step(); }

private:
    void remove()
    {
        const StepRecord& s = step();
        --m_state.stepsIn[at(s.state)];
        if (s.state == StepState::Pending)
            m_state.fresh.erase(m_ix);
        if (s.state == StepState::Ready)
            m_state.ready.erase(m_ix);
        if (s.attempt)
            m_state.running.erase(m_ix);
        if (s.state == StepState::Unknown)
            m_state.unknown.erase(m_ix);
        if (s.state == StepState::Failed)
            m_state.failed.erase(m_ix);
        if (s.state == StepState::Waiting)
            m_state.waiting[at(s.reason)].erase({s.since, m_ix});
        if (timed(s))
            m_state.due.erase({s.due, m_ix});
    }
    void insert()
    {
        StepRecord& s = step();
        ++m_state.stepsIn[at(s.state)];
        if (s.state == StepState::Pending && s.unmet == 0)
            m_state.fresh.insert(m_ix);
        if (s.state == StepState::Ready)
            m_state.ready.insert(m_ix);
        if (s.attempt)
            m_state.running.insert(m_ix);
        if (s.state == StepState::Unknown)
            m_state.unknown.insert(m_ix);
        if (s.state == StepState::Failed)
            m_state.failed.insert(m_ix);
        if (s.state == StepState::Waiting)
            m_state.waiting[at(s.reason)].insert({s.since, m_ix});
        if (timed(s))
            m_state.due.insert({s.due, m_ix});
    }

    RunState& m_state;
    StepIx m_ix;
    const Head& m_head;
    StepState m_before;
};

inline BudgetLine* budgetLine(RunState& state, std::string_view unit)
{
    for (auto& line : state.budget)
        if (line.unit == unit)
            return &line;
    return nullptr;
}

inline void reserve(RunState& state, const std::vector<Usage>& amounts, int sign)
{
    for (const auto& usage : amounts)
        if (auto* line = budgetLine(state, usage.unit))
            line->reserved += sign * usage.amount;
}

inline void use(RunState& state, const std::vector<Usage>& amounts)
{
    for (const auto& usage : amounts)
        if (auto* line = budgetLine(state, usage.unit))
            line->used += usage.amount;
}

// The doubt about a step's effect is over: reservations that were kept for it are let go.
inline void settleHeld(RunState& state, StepRecord& step)
{
    reserve(state, step.held, -1);
    step.held.clear();
    step.lookUps = 0;
    step.lookedUp = false;
    step.doubt = false;
}

// A finished step frees its dependents and counts down its fan-out.
inline void finish(RunState& state, StepIx ix, const Head& head)
{
    StepRecord& step = state.steps[ix];
    const bool satisfies = step.state == StepState::Complete || step.state == StepState::Skipped;
    const bool skips = step.state == StepState::Skipped && !step.byPerson;
    step.endedAt = head.time;
    if (satisfies) {
        for (const StepIx next : step.dependents) {
            Touch t(state, next, head);
            t->skippedDependency = t->skippedDependency || skips;
            --t->unmet;
        }
    }
    if (step.owner != kNoStep) {
        Touch t(state, step.owner, head);
        --t->membersOpen;
        if (step.state == StepState::Failed || step.state == StepState::Cancelled)
            ++t->membersFailed;
    }
}

// A step that had finished is open again (retry of a failed step).
inline void unfinish(RunState& state, StepIx ix, const Head& head)
{
    StepRecord& step = state.steps[ix];
    step.endedAt = kNoTime;
    if (step.owner != kNoStep) {
        Touch t(state, step.owner, head);
        ++t->membersOpen;
        if (step.state == StepState::Failed || step.state == StepState::Cancelled)
            --t->membersFailed;
    }
}

}  // namespace cairn::fold
