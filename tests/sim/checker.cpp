#include "tests/sim/checker.h"

#include "core/model/codec.h"

#include <algorithm>

namespace cairn::sim {

namespace {

// When the faults have stopped: an owner looks at what others committed four times a second, and ends what a
// dead engine left when it takes a run over. Turns are half a second apart.
constexpr SpanMs kReached = 2'500;
constexpr SpanMs kEnded = 5'000;

std::string shortId(const RunId& run) { return toText(run).substr(24); }

}  // namespace

Checker::Checker(World& world)
    : m_world(world)
    , m_store(connectMemory(world.database))
{
}

void Checker::fail(const std::string& what, const RunId& run, std::uint64_t version)
{
    m_world.fail(what + ": run " + shortId(run) + " version " + std::to_string(version));
}

const RunState* Checker::state(const RunId& run) const
{
    const auto found = m_seen.find(run);
    return found == m_seen.end() || found->second.state.version == 0 ? nullptr : &found->second.state;
}

std::vector<RunId> Checker::known() const
{
    std::vector<RunId> runs;
    for (const auto& [id, seen] : m_seen)
        if (seen.state.version > 0)
            runs.push_back(id);
    return runs;
}

std::string Checker::effectOf(const RunId& run, const std::string& step) const
{
    const auto found = m_effects.find({run, step});
    return found == m_effects.end() ? std::string() : found->second;
}

// --- the fence
// -------------------------------------------------------------------------------------------------------

void Checker::committing(const CommitMember& member)
{
    const auto hot = m_store->hot(member.run);
    m_before[member.run] = hot ? *hot : HotRow{};
}

void Checker::committed(const std::string& by, const CommitMember& member, const MemberResult& result)
{
    if (result.kind != MemberResult::Kind::Committed)
        return;
    HotRow& before = m_before[member.run];
    if (member.create) {
        before.owner = member.owner == OwnerChange::Take ? member.newOwner : SessionId{};
        before.epoch = member.owner == OwnerChange::Take ? 1 : 0;
    } else if (member.checkEpoch && member.expectedEpoch != before.epoch) {
        fail("I3 an entry of an old owner was accepted", member.run, member.entry.version);
    }
    effects(member);
    const auto entry = decodeEntry(member.entry.body, member.entry.format);
    if (!entry)
        return fail("I2 an entry cannot be read", member.run, member.entry.version);
    std::string facts;
    for (const Fact& fact : entry->facts)
        facts += " " + std::string(factName(fact));
    m_world.trace(by + " entry " + shortId(member.run) + " " + std::to_string(member.entry.version) + " "
        + hex(member.entry.hash).substr(0, 12) + facts);
    for (const Fact& fact : entry->facts)
        if (const auto* started = std::get_if<AttemptStarted>(&fact);
            started && started->session != before.owner)
            fail("I3 a session began an attempt on a run that is not its own", member.run,
                member.entry.version);
}

// Only the step that holds a row of the ledger changes it.
void Checker::effects(const CommitMember& member)
{
    for (const EffectWrite& write : member.effects) {
        EffectRow& row = m_rows[write.row.effect];
        const bool held = row.state == LedgerState::InFlight || row.state == LedgerState::Completed
            || row.state == LedgerState::Unknown;
        if (held && (row.holder != write.row.holder || row.holderStep != write.row.holderStep))
            fail("I5 the ledger's row of another's effect was changed", member.run, member.entry.version);
        row = write.row;
    }
}

// --- calls and answers
// -----------------------------------------------------------------------------------------------

void Checker::called(const StartOrder& order, const std::string& key)
{
    run(order.run);
    const auto found = m_seen.find(order.run);
    if (found == m_seen.end() || !found->second.started.contains(order.attempt))
        return fail("a tool was called before its attempt was committed", order.run, 0);
    const RunState& state = found->second.state;
    const auto lease = m_leases.find(found->second.started.at(order.attempt));
    if (lease != m_leases.end() && m_world.now() > lease->second)
        fail("I3 a tool was called by an engine whose lease had passed", order.run, state.version);
    if (!m_called.insert(order.attempt).second)
        fail("a tool was called twice for one attempt", order.run, state.version);
    if (order.purpose == Purpose::LookUp)
        return;
    const StepRecord* step = state.find(order.step);
    if (writes(order.safety))
        m_effects[{order.run, order.step}] = key;
    if (order.safety == ReplaySafety::Irreversible
        && (!step || !step->attempt || step->attempt->id != order.attempt))
        fail("an effect was asked for after its attempt had been ended by another", order.run, state.version);
}

void Checker::happened(const Request& request) { m_happened[{request.run, request.step}] = request.key; }

void Checker::answered(const Submission& submission, const Outcome& outcome)
{
    using Kind = Outcome::Kind;
    const CommandId& id = submission.command.id;
    const RunId run = outcome.run.isNull() ? submission.run : outcome.run;
    const auto there = m_store->findCommand(submission.run, id);
    const std::uint64_t version = there && *there ? **there : 0;
    if (outcome.kind == Kind::Existing)
        m_watched.insert(run);
    if (outcome.kind == Kind::Committed || outcome.kind == Kind::Repeated) {
        ++acks;
        if (version == 0 || version != outcome.version)
            fail("I4 a command was acknowledged and is not in the history", run, outcome.version);
        m_told[id] = {run, outcome.version, false};
        return;
    }
    auto [told, isNew] = m_told.try_emplace(id, Told{submission.run, 0, false});
    if (outcome.kind == Kind::Failed && outcome.error.kind == ErrorKind::OutcomeUnknown)
        told->second.unclear = true;
    if (told->second.version == 0 && !told->second.unclear && version != 0)
        fail("I4 a caller was told that nothing was done, and it is in the history", run, version);
}

// --- after each step
// -------------------------------------------------------------------------------------------------

void Checker::step()
{
    const std::set<RunId> runs = m_watched;  // children are added on the way
    for (const RunId& id : runs)
        run(id);
    ledger();
    if (!m_world.faults)
        promptness();
}

void Checker::run(const RunId& id)
{
    const auto hot = m_store->hot(id);
    if (!hot)
        return;  // its start message is still under way
    Seen& seen = m_seen[id];
    if (hot->epoch < seen.epoch)
        fail("I3 the epoch fell", id, hot->version);
    seen.epoch = hot->epoch;
    if (hot->version == seen.state.version)
        return;
    if (hot->version < seen.state.version)
        return fail("I4 entries are gone", id, hot->version);
    const auto loaded = m_store->loadRun(id, seen.state.version + 1, 0);
    for (const SealedEntry& sealed : loaded->entries)
        fold(seen, sealed);
    if (seen.state.version != hot->version || seen.state.head != hot->head)
        fail("I2 the hot row is not the end of the history", id, hot->version);
    for (const auto& child : seen.state.children)
        m_watched.insert(child.run);
}

void Checker::fold(Seen& seen, const SealedEntry& sealed)
{
    const auto entry = decodeEntry(sealed.body, sealed.format);
    if (!entry)
        return fail("I2 an entry cannot be read", seen.state.id, sealed.version);
    if (sealed.version != seen.state.version + 1)
        fail("I1 a hole in the history", seen.state.id, sealed.version);
    if (const Status linked = checkSeal(sealed, seen.state.head); !linked)
        fail("I9 the chain is broken", seen.state.id, sealed.version);
    if (!seen.commands.emplace(entry->command, entry->version).second)
        fail("I8 a command was applied twice", seen.state.id, sealed.version);
    const RunState before = seen.state;
    apply(seen.state, *entry);
    seen.state.head = sealed.hash;
    if (entry->verb == Verb::Cancel && !m_world.faults)
        cancelled(seen.state);
    for (const Fact& fact : entry->facts)
        foldFact(seen, before, fact, entry->time);
}

void Checker::foldFact(Seen& seen, const RunState& before, const Fact& fact, TimeMs time)
{
    const RunState& s = seen.state;
    const auto known = [&](StepIx step) {
        if (seen.unclear.erase(step) > 0)
            ++resolved;
    };
    if (const auto* started = std::get_if<AttemptStarted>(&fact)) {
        seen.started.emplace(started->attempt, started->session);
        if (seen.done.contains(started->step))
            fail("a step with a recorded result was started again", s.id, s.version);
        if (started->purpose != Purpose::LookUp && seen.unclear.contains(started->step)
            && s.steps[started->step].safety == ReplaySafety::Irreversible)
            fail("I5 an irreversible step was started again after an unclear end", s.id, s.version);
    } else if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
        takeovers += ended->how == AttemptEnd::OwnerLost ? 1 : 0;
        const bool unclear = ended->effect == EffectKnowledge::Unknown;
        if (unclear && writes(s.steps[ended->step].safety) && seen.unclear.insert(ended->step).second)
            ++unknowns;
    } else if (const auto* denied = std::get_if<EffectDenied>(&fact)) {
        known(denied->step);
    } else if (const auto* complete = std::get_if<StepCompleted>(&fact)) {
        known(complete->step);
        completed(seen, before, *complete, time);
    }
    late += std::holds_alternative<LateResult>(fact) ? 1 : 0;
}

void Checker::completed(Seen& seen, const RunState& before, const StepCompleted& fact, TimeMs time)
{
    const RunState& s = seen.state;
    const StepRecord& step = s.steps[fact.step];
    if (!seen.done.insert(fact.step).second)
        fail("a step was completed twice", s.id, s.version);
    if (fact.step < before.steps.size() && !fact.byPerson) {
        const StepRecord& was = before.steps[fact.step];
        if (was.state == StepState::Waiting && was.reason == Reason::Timer && time < was.due)
            fail("I11 a timer fired before its time", s.id, s.version);
    }
    const std::string effect = effectOf(s.id, step.id);
    const bool called =
        step.kind == StepKind::Tool && step.members.empty() && !fact.byPerson && !fact.fromLedger;
    if (called && writes(step.safety) && !m_world.provider.happened(effect))
        fail("a step is recorded as done and its effect did not happen", s.id, s.version);
}

// Its calls that can be stopped are, by the engine that makes them.
void Checker::cancelled(const RunState& state)
{
    for (const StepIx ix : state.running) {
        const StepRecord& step = state.steps[ix];
        if (step.attempt && step.attempt->purpose == Purpose::Do && step.safety != ReplaySafety::Irreversible
            && m_world.lives(step.attempt->session) && m_called.contains(step.attempt->id)
            && !m_stopped.contains(step.attempt->id))
            m_toStop.emplace(step.attempt->id, m_world.now());
    }
}

void Checker::promptness()
{
    for (const auto& [attempt, since] : m_toStop)
        if (m_world.now() - since > kReached)
            return m_world.fail("I12 a cancel did not reach a call within " + std::to_string(kReached)
                + " ms: attempt " + toText(attempt).substr(24));
    std::map<AttemptId, SpanMs> left;
    for (const auto& [id, seen] : m_seen)
        for (const StepIx ix : seen.state.running) {
            const auto& attempt = seen.state.steps[ix].attempt;
            if (!attempt || attempt->session.isNull() || m_world.lives(attempt->session))
                continue;
            const auto hot = m_store->hot(id);
            if (!hot || hot->owner.isNull() || !m_world.lives(hot->owner))
                continue;
            const auto known = m_left.find(attempt->id);
            left[attempt->id] = known == m_left.end() ? m_world.now() : known->second;
            if (m_world.now() - left[attempt->id] > kEnded)
                return fail("I6 what a dead engine left goes on after its run was taken over", id,
                    seen.state.version);
        }
    m_left = std::move(left);
}

void Checker::ledger()
{
    for (const auto& [key, row] : m_world.provider.rows())
        if (row.effects > 1)
            m_world.fail("I5 the effect " + key + " happened " + std::to_string(row.effects) + " times");
}

}  // namespace cairn::sim
