#pragma once
// Inside of folding: what every change of a step has to keep in order (sets, counts, dependents,
// reservations).

#include "core/machine/fold.h"
#include "core/machine/sums.h"

#include <algorithm>
#include <limits>

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
        m_state.heldInDoubt.erase(m_ix);
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

// All that is reserved of a unit: what is under way, or was and is in doubt, and what children were given.
inline WideSum exactlyReserved(const RunState& state, std::string_view unit)
{
    WideSum sum = 0;
    const auto add = [&](const std::vector<Usage>& amounts) {
        for (const auto& usage : amounts)
            sum += usage.unit == unit ? usage.amount : 0;
    };
    for (const StepRecord& step : state.steps) {
        add(step.held);
        if (step.attempt)
            add(step.attempt->reserved);
    }
    for (const ChildRecord& child : state.children)
        for (const auto& line : child.allotment)
            sum += !child.answered && line.unit == unit ? line.limit : 0;
    return sum;
}

// A sum at the end of its type does not say what it stands for: it is made anew then, from what remains.
inline void release(BudgetLine& line, WideSum amount, const RunState& state, WideSum stillCounted)
{
    const bool exact = line.reserved < std::numeric_limits<std::int64_t>::max();
    line.reserved =
        saturated(exact ? WideSum{line.reserved} - amount : exactlyReserved(state, line.unit) - stillCounted);
}

// Released before they are taken out of the state.
inline void reserve(RunState& state, const std::vector<Usage>& amounts, int sign)
{
    for (auto& line : state.budget) {
        WideSum sum = 0;
        for (const auto& usage : amounts)
            sum += usage.unit == line.unit ? usage.amount : 0;
        if (sum == 0)
            continue;
        if (sign < 0)
            release(line, sum, state, sum);
        else
            line.reserved = saturated(WideSum{line.reserved} + sum);
    }
}

inline void use(RunState& state, const std::vector<Usage>& amounts)
{
    for (const auto& usage : amounts)
        if (auto* line = budgetLine(state, usage.unit))
            line->used = saturatedSum(line->used, usage.amount);
}

// What is under way already, of a unit that had no limit until now.
inline std::int64_t reservedNow(const RunState& state, std::string_view unit)
{
    return saturated(exactlyReserved(state, unit));
}

// Limits only grow by it, so the order in which such messages come does not matter.
inline void receiveAllotment(RunState& state, const AllotmentReceived& f)
{
    state.budgetAt = f.decidedBy == state.id ? RunId{} : f.decidedBy;
    for (const BudgetLine& line : f.lines) {
        if (auto* own = budgetLine(state, line.unit))
            own->limit = std::max(own->limit, line.limit);
        else
            state.budget.push_back({line.unit, line.limit, 0, reservedNow(state, line.unit)});
    }
    std::erase_if(state.asked, [&](const Usage& wanted) {
        const BudgetLine* own = budgetLine(state, wanted.unit);
        return state.budgetAt.isNull() || (own && own->limit >= wanted.amount);
    });
}

inline void hearChild(RunState& state, const ChildAsked& f, const Head& head)
{
    const auto found = state.childByRun.find(f.child);
    if (found == state.childByRun.end())
        return;
    ChildRecord& child = state.children[found->second];
    if (child.asked.empty())
        child.askedAt = head.time;
    child.asked = f.wanted;
    child.askedRevision = f.revision;
    if (child.asked.empty())
        state.asking.erase(found->second);
    else
        state.asking.insert(found->second);
}

inline void grantChild(RunState& state, const ChildGranted& f)
{
    const auto found = state.childByRun.find(f.child);
    if (found == state.childByRun.end())
        return;
    ChildRecord& child = state.children[found->second];
    for (const Usage& more : f.more) {
        auto line = std::find_if(child.allotment.begin(), child.allotment.end(),
            [&](const BudgetLine& given) { return given.unit == more.unit; });
        if (line == child.allotment.end())
            line = child.allotment.insert(line, {more.unit, 0, 0, 0});
        line->limit = saturatedSum(line->limit, more.amount);
    }
    reserve(state, f.more, +1);
    child.asked.clear();
    state.asking.erase(found->second);
}

inline void forgetNeeds(RunState& state, std::uint32_t place)
{
    ChildRecord& child = state.children[place];
    if (const auto set = state.needing.find(child.needs); set != state.needing.end()) {
        set->second.erase({child.needsSince, place});
        if (set->second.empty())
            state.needing.erase(set);
    }
    child.needs = Attention::Machine;
    child.needsSince = kNoTime;
    child.reopened = false;
}

inline void hearNeeds(RunState& state, const ChildNeeds& f, const Head& head)
{
    const auto found = state.childByRun.find(f.child);
    if (found == state.childByRun.end())
        return;
    ChildRecord& child = state.children[found->second];
    forgetNeeds(state, found->second);
    child.needs = f.attention;
    child.needsRevision = f.revision;
    child.needsSince = head.time;
    child.reopened = child.answered;
    if (!child.answered && f.attention < Attention::Machine)
        state.needing[f.attention].insert({head.time, found->second});
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
