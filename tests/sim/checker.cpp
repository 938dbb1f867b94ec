#include "tests/sim/checker.h"

#include "core/model/codec.h"

namespace cairn::sim {

namespace {

std::string at(const RunId& run, std::uint64_t version) { return "run " + toText(run) + " version " + std::to_string(version); }

}  // namespace

const RunState* Checker::state(const RunId& run) const
{
    const auto found = m_seen.find(run);
    return found == m_seen.end() || found->second.state.version == 0 ? nullptr : &found->second.state;
}

std::string Checker::step()
{
    const std::set<RunId> runs = m_watched;  // children are added on the way
    for (const RunId& id : runs)
        if (auto wrong = run(id); !wrong.empty())
            return wrong;
    return ledger();
}

std::string Checker::run(const RunId& id)
{
    const auto hot = m_store.hot(id);
    if (!hot && hot.error().kind == ErrorKind::NotFound)
        return {};  // its start message is still under way
    if (!hot)
        return "the store cannot be read: " + hot.error().text;
    Seen& seen = m_seen[id];
    if (hot->epoch < seen.epoch)
        return "I3 the epoch fell: " + at(id, hot->version);
    seen.epoch = hot->epoch;
    if (hot->version == seen.state.version)
        return {};
    if (hot->version < seen.state.version)
        return "I4 entries are gone: " + at(id, hot->version);
    const auto loaded = m_store.loadRun(id, seen.state.version + 1, 0);
    if (!loaded)
        return "the store cannot be read: " + loaded.error().text;
    for (const SealedEntry& sealed : loaded->entries)
        if (auto wrong = fold(seen, sealed); !wrong.empty())
            return wrong + ": " + at(id, sealed.version);
    if (seen.state.version != hot->version || seen.state.head != hot->head)
        return "I2 the hot row is not the end of the history: " + at(id, hot->version);
    for (const auto& child : seen.state.children)
        m_watched.insert(child.run);
    return {};
}

std::string Checker::fold(Seen& seen, const SealedEntry& sealed)
{
    if (sealed.version != seen.state.version + 1)
        return "I1 a hole in the history";
    if (const Status linked = checkSeal(sealed, seen.state.head); !linked)
        return "I9 the chain is broken: " + linked.error().text;
    const auto entry = decodeEntry(sealed.body, sealed.format);
    if (!entry)
        return "I2 an entry cannot be read: " + entry.error().text;
    if (!seen.commands.emplace(entry->command, entry->version).second)
        return "I8 a command was applied twice";
    apply(seen.state, *entry);
    seen.state.head = sealed.hash;
    for (const Fact& fact : entry->facts) {
        if (const auto* f = std::get_if<AttemptStarted>(&fact); f && seen.done.contains(f->step))
            return "a step with a recorded result was started again";
        if (const auto* f = std::get_if<StepCompleted>(&fact))
            seen.done.insert(f->step);
        unknowns += std::holds_alternative<StepUnknown>(fact) ? 1 : 0;
    }
    return {};
}

std::string Checker::ledger() const
{
    for (const auto& [key, row] : m_provider.rows())
        if (row.effects > 1)
            return "I5 the effect " + key + " happened " + std::to_string(row.effects) + " times";
    return {};
}

std::string Checker::audit()
{
    std::map<CommandId, int> acts;
    Digest previous;
    std::uint64_t seq = 0;
    for (;;) {
        const auto rows = m_store.audit(seq, 500);
        if (!rows)
            return "the audit cannot be read: " + rows.error().text;
        if (rows->empty())
            break;
        for (const AuditRow& row : *rows) {
            if (row.seq != ++seq || row.previous != previous || auditHash(row) != row.hash)
                return "I9 the audit chain is broken at " + std::to_string(row.seq);
            previous = row.hash;
            if (row.kind == "applied" && row.reason.empty())
                return "I8 an act without a reason";
            acts[row.command] += row.kind == "applied" ? 1 : 0;
        }
    }
    for (const auto& [id, seen] : m_seen)
        for (std::uint64_t v = 1; v <= seen.state.version; ++v) {
            const auto loaded = m_store.loadRun(id, v, v);
            if (!loaded || loaded->entries.empty())
                return "I1 an entry cannot be read: " + at(id, v);
            const auto entry = decodeEntry(loaded->entries.front().body, loaded->entries.front().format);
            if (entry && entry->actor.kind == ActorKind::Person && acts[entry->command] != 1)
                return "I8 an act has " + std::to_string(acts[entry->command]) + " audit entries: " + at(id, v);
        }
    return {};
}

// Where nothing happens any more a run is finished, or something outside must move it.
std::string Checker::parked(const RunState& s, TimeMs now) const
{
    const Summary summary = summarise(s, now);
    if (s.closed || summary.attention < Attention::Machine)
        return {};
    const Reason reason = summary.primary.reason;
    bool waits = reason == Reason::Signal || reason == Reason::Child;
    if (reason == Reason::EffectInFlight)
        for (const auto& [id, seen] : m_seen)
            waits = waits || (id == s.steps[summary.primary.step].waitRun && !seen.state.closed);
    if (waits)
        return {};
    return "I10 run " + toText(s.id) + " neither finished nor is parked: " + std::string(key(summary.activity)) + ", "
        + std::string(key(reason)) + ", next " + (summary.nextDue == kNoTime ? "never" : std::to_string(summary.nextDue - now) + " ms");
}

std::string Checker::end(TimeMs now)
{
    if (auto wrong = step(); !wrong.empty())
        return wrong;
    for (const auto& ack : m_acks) {
        const auto found = m_seen.find(ack.run);
        if (found == m_seen.end() || !found->second.commands.contains(ack.command)
            || found->second.commands.at(ack.command) != ack.version)
            return "I4 an acknowledged command is not in the history: " + at(ack.run, ack.version);
    }
    for (const auto& [id, seen] : m_seen) {
        if (seen.state.version == 0)
            continue;
        if (auto wrong = parked(seen.state, now); !wrong.empty())
            return wrong;
        if (!seen.state.running.empty() && seen.state.closed)
            return "I7 a finished run has an attempt under way: " + at(id, seen.state.version);
    }
    return audit();
}

}  // namespace cairn::sim
