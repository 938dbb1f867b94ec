#include "core/report/drill_hits.h"

#include "core/model/codec.h"

#include <algorithm>

namespace cairn::drill {

Hits::Versions Hits::workedOnBy(pid_t pid, std::span<const RunId> runs)
{
    Versions versions;
    auto rows = m_stage.store().sessions(true);
    if (!rows)
        return versions;
    std::set<SessionId> sessions;  // more than one where it lost its first
    for (const auto& row : *rows)
        if (row.pid == pid)
            sessions.insert(row.id);
    for (const RunId& run : runs)
        addWorkedOn(run, sessions, versions);
    return versions;
}

void Hits::addWorkedOn(const RunId& run, const std::set<SessionId>& sessions, Versions& versions)
{
    const std::uint64_t version = m_stage.version(run);
    const auto attempts = m_stage.store().attempts(run, kNoStep);
    const bool worked =
        attempts && std::any_of(attempts->begin(), attempts->end(), [&](const AttemptRow& attempt) {
            return attempt.endedAt == kNoTime && sessions.contains(attempt.session);
        });
    if (worked)
        versions[run] = version;
    if (const auto children = m_stage.store().children(run))
        for (const RunId& child : *children)
            addWorkedOn(child, sessions, versions);
}

void Hits::killed(const Versions& versions)
{
    const auto now = m_stage.store().now();
    if (!now) {
        m_stage.broken(now.error().text);
        return;
    }
    settle();
    Kill kill;
    for (const auto& [run, version] : versions)
        kill.open += m_hit.insert({run, Hit{version, *now, m_kills.size()}}).second ? 1 : 0;
    m_kills.push_back(kill);
    ++m_stage.now().faults;
    m_stage.now().interrupted += kill.open > 0 ? 1 : 0;
}

// What the victim decided before its death is not a recovery.
TimeMs Hits::firstAfter(const RunId& run, Hit& hit)
{
    for (const std::uint64_t newest = m_stage.version(run); hit.version < newest;) {
        const TimeMs time = timeOf(run, ++hit.version);
        if (time >= hit.at)
            return time;
    }
    return kNoTime;
}

TimeMs Hits::timeOf(const RunId& run, std::uint64_t version)
{
    const auto loaded = m_stage.store().loadRun(run, version, version);
    if (loaded && loaded->entries.size() == 1) {
        const SealedEntry& sealed = loaded->entries.front();
        if (const auto entry = decodeEntry(sealed.body, sealed.format))
            return entry->time;
    }
    m_stage.broken("entry " + std::to_string(version) + " of run " + toText(run) + " cannot be read");
    return kNoTime;
}

void Hits::settle()
{
    for (auto at = m_hit.begin(); at != m_hit.end();) {
        // Its victim may have ended it in the instant before its death.
        const auto row = m_stage.row(at->first);
        const bool over = row && isFinished(row->activity);
        const TimeMs moved = firstAfter(at->first, at->second);
        if (moved == kNoTime && !over) {
            ++at;
            continue;
        }
        Kill& kill = m_kills[at->second.kill];
        --kill.open;
        if (moved != kNoTime) {
            m_stage.now().recoveryMs.push_back(static_cast<double>(moved - at->second.at));
            m_stage.now().recovered += kill.recovered ? 0 : 1;
            kill.recovered = true;
        } else if (kill.open == 0 && !kill.recovered) {
            --m_stage.now().interrupted;
        }
        at = m_hit.erase(at);
    }
}

}  // namespace cairn::drill
