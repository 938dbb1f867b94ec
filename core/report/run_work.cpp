#include "core/report/run_work.h"

namespace cairn {

RunTally::RunTally(TimeMs since, TimeMs until, EndedBy endedBy)
    : m_since(since)
    , m_until(until)
    , m_endedBy(std::move(endedBy))
{
}

void RunTally::add(const Entry& entry)
{
    m_results.clear();
    bool counted = false;  // several attempts of one engine end in one entry, and others begin in it
    for (const Fact& fact : entry.facts) {
        if (const auto* step = std::get_if<StepAdded>(&fact)) {
            m_steps.push_back({writes(step->safety) && step->kind == StepKind::Tool, false, step->undoOf});
        } else if (const auto* start = std::get_if<AttemptStarted>(&fact)) {
            began(*start, entry.time);
        } else if (const auto* end = std::get_if<AttemptEnded>(&fact)) {
            const auto open = m_open.find(end->step);
            const bool lost =
                end->how == AttemptEnd::OwnerLost && open != m_open.end() && open->second.engine;
            ended(*end, entry.time);
            if (lost && !counted)
                interrupted(entry.time);
            counted = counted || lost;
        } else if (const auto* done = std::get_if<StepCompleted>(&fact)) {
            completed(*done);
        }
    }
}

void RunTally::interrupted(TimeMs at)
{
    m_engine = {};
    if (at < m_since || at >= m_until)
        return;
    ++m_work.interruptions;
    m_work.kept.add(m_recorded);
    m_work.keptSteps += m_recordedSteps;
    m_work.keptEffects += m_recordedEffects;
}

void RunTally::began(const AttemptStarted& fact, TimeMs at)
{
    ++m_work.spent.calls;
    m_open[fact.step] = {at, !fact.session.isNull()};
    if (fact.session.isNull())
        return;
    if (!m_engine.isNull() && m_engine != fact.session) {
        if (m_endedBy(m_engine, at))
            interrupted(at);
        else if (at >= m_since && at < m_until)
            ++m_work.handedOver;
    }
    m_engine = fact.session;
}

void RunTally::ended(const AttemptEnded& fact, TimeMs at)
{
    Spent cost;
    cost.calls = 1;
    const auto open = m_open.find(fact.step);
    const bool engine = open != m_open.end() && open->second.engine;
    if (open != m_open.end()) {
        cost.worked = at > open->second.since ? at - open->second.since : 0;
        m_open.erase(open);
    }
    for (const Usage& usage : fact.used)
        cost.use(usage.unit, usage.amount);
    if (fact.how == AttemptEnd::OwnerLost && engine)
        m_work.again.add(cost);
    if (fact.how == AttemptEnd::Completed)
        m_results[fact.step] = cost;
    cost.calls = 0;  // it was counted when it began
    m_work.spent.add(cost);
}

void RunTally::completed(const StepCompleted& fact)
{
    if (fact.step >= m_steps.size())
        return;
    Step& step = m_steps[fact.step];
    if (step.undoOf < m_steps.size() && m_steps[step.undoOf].done) {
        m_steps[step.undoOf].done = false;
        --m_work.effects;
    }
    if (fact.fromLedger)
        return;
    if (step.writes && step.undoOf == kNoStep && !step.done) {
        step.done = true;
        ++m_work.effects;
    }
    if (fact.byPerson)
        return;
    if (const auto result = m_results.find(fact.step); result != m_results.end())
        m_recorded.add(result->second);
    else
        return;
    ++m_recordedSteps;
    m_recordedEffects += step.writes ? 1 : 0;
}

}  // namespace cairn
