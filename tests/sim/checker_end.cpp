// What must hold when the faults have stopped and nothing happens any more.

#include "core/model/codec.h"
#include "tests/sim/checker.h"

namespace cairn::sim {

// Where nothing happens any more a run is finished, or something outside must move it. Empty: that is so.
std::string Checker::waitsFor(const RunState& s) const
{
    const Summary summary = summarise(s, m_world.clock.wallMs());
    const Reason reason = summary.primary.reason;
    if (s.closed || reason == Reason::Signal)
        return {};
    const bool goesOn = reason == Reason::FailedChild && summary.attention == Attention::Machine;
    if (reason == Reason::Child || reason == Reason::EffectInFlight || goesOn) {
        const StepIx step = summary.primary.step;
        const RunState* other = step == kNoStep ? nullptr : state(s.steps[step].waitRun);
        if (other && !other->closed)
            return {};
    } else if (reason == Reason::Worker) {
        // One that serves everything is up.
    } else if (summary.attention < Attention::Machine) {
        return {};
    } else if (summary.activity == Activity::Cancelling) {
        for (const ChildRecord& child : s.children)
            if (const RunState* other = state(child.run); other && !other->closed)
                return {};
    }
    const auto hot = m_store->hot(s.id);
    const std::string owner = hot && !hot->owner.isNull() ? toText(hot->owner) : "nobody";
    return "owned by " + owner + ", " + std::string(key(summary.activity)) + ", " + std::string(key(reason))
        + ", next "
        + (summary.nextDue == kNoTime ? "never"
                                      : std::to_string(summary.nextDue - m_world.clock.wallMs()) + " ms");
}

void Checker::endOfRun(const Seen& seen)
{
    const RunState& s = seen.state;
    if (const std::string wait = waitsFor(s); !wait.empty())
        fail("I10 a run neither finished nor is parked (" + wait + ")", s.id, s.version);
    if (!s.running.empty())
        fail(s.closed ? "I7 a finished run has an attempt under way"
                      : "I6 an intent has neither a result nor an owner",
            s.id, s.version);
    for (const ChildRecord& child : s.children) {
        const RunState* other = state(child.run);
        if (!other)
            fail("I11 a child that was asked for never began", s.id, s.version);
        else if (other->closed && !child.answered)
            fail("I11 a finished child has not told its parent", s.id, s.version);
        else if (s.cancelled() && !other->cancelled() && !other->closed)
            fail("I11 a cancel did not reach a child", s.id, s.version);
    }
    const auto problems = verifyRun(*m_store, s.id);
    if (!problems || !problems->empty())
        fail("I2 the rows differ from the history: "
                + (problems ? problems->front().text : problems.error().text),
            s.id, s.version);
}

// What happened outside is on record as done, or as not known, or is still being settled.
void Checker::endOfLedger()
{
    for (const auto& [place, effect] : m_happened) {
        const RunState* s = state(place.first);
        const StepRecord* step = s ? s->find(place.second) : nullptr;
        if (!step || step->byPerson || step->fromLedger || step->effectDone || step->doubt)
            continue;
        if (step->state != StepState::Complete && step->state != StepState::Unknown)
            fail("the effect " + effect + " happened, and step " + step->id + " says that it did not", s->id,
                s->version);
    }
}

void Checker::endOfStore(const std::set<SessionId>& living)
{
    if (const auto rows = m_store->outbox(10); !rows || !rows->empty())
        m_world.fail("I11 a message was never delivered");
    const auto sessions = m_store->sessions(false);
    for (const SessionRow& row : *sessions)
        if (!living.contains(row.id))
            m_world.fail("a session of an engine that is gone was never ended: " + row.name);
}

void Checker::end(const std::set<SessionId>& living)
{
    step();
    for (const auto& [command, told] : m_told) {
        const auto there = m_store->findCommand(told.run, command);
        const std::uint64_t version = there && *there ? **there : 0;
        if (told.version != 0 && version != told.version)
            fail("I4 an acknowledged command is not in the history", told.run, told.version);
        else if (told.version == 0 && !told.unclear && version != 0)
            fail("I4 a caller was told that nothing was done, and it is in the history", told.run, version);
    }
    for (const auto& [id, seen] : m_seen)
        if (seen.state.version > 0)
            endOfRun(seen);
    endOfLedger();
    endOfStore(living);
    audit();
}

void Checker::audit()
{
    std::map<CommandId, int> acts;
    Digest previous;
    std::uint64_t seq = 0;
    for (;;) {
        const auto rows = m_store->audit(seq, 500);
        if (rows->empty())
            break;
        for (const AuditRow& row : *rows) {
            if (row.seq != ++seq || row.previous != previous || auditHash(row) != row.hash)
                return m_world.fail("I9 the audit chain is broken at " + std::to_string(row.seq));
            previous = row.hash;
            if (row.kind == "applied" && row.reason.empty())
                return m_world.fail("I8 an act without a reason");
            acts[row.command] += row.kind == "applied" ? 1 : 0;
        }
    }
    for (const auto& [id, seen] : m_seen) {
        const auto loaded = m_store->loadRun(id, 1, 0);
        for (std::size_t i = 0; loaded && i < loaded->entries.size(); ++i) {
            const auto entry = decodeEntry(loaded->entries[i].body, loaded->entries[i].format);
            if (entry && entry->actor.kind == ActorKind::Person && acts[entry->command] != 1)
                fail("I8 an act has " + std::to_string(acts[entry->command]) + " audit entries", id,
                    entry->version);
        }
    }
}

}  // namespace cairn::sim
