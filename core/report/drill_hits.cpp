#include "core/report/drill_hits.h"

#include "core/model/codec.h"

#include <algorithm>
#include <set>

namespace cairn::drill {

void Hits::addTree(const RunId& run, Tree& tree)
{
    tree[run] = m_stage.version(run);
    if (const auto children = m_stage.store().children(run))
        for (const RunId& child : *children)
            addTree(child, tree);
}

std::map<RunId, Hits::Tree> Hits::ownedBy(pid_t pid, std::span<const RunId> runs)
{
    std::map<RunId, Tree> owned;
    auto sessions = m_stage.store().sessions(true);
    if (!sessions)
        return owned;
    std::set<SessionId> dead;
    for (const auto& session : *sessions)
        if (session.pid == pid)
            dead.insert(session.id);
    for (const RunId& run : runs) {
        const auto hot = m_stage.store().hot(run);
        if (!hot || !dead.contains(hot->owner))
            continue;
        const auto row = m_stage.row(run);
        if (row && row->attention == Attention::Machine)
            addTree(run, owned[run]);
    }
    return owned;
}

void Hits::killed(const std::map<RunId, Tree>& owned)
{
    const auto now = m_stage.store().now();
    if (!now) {
        m_stage.broken(now.error().text);
        return;
    }
    for (const auto& [run, tree] : owned)
        m_hit.insert({run, Hit{tree, *now}});
}

// What the victim decided before its death is not a recovery.
TimeMs Hits::firstAfter(const RunId& run, const Hit& hit)
{
    Tree tree;
    addTree(run, tree);
    TimeMs first = kNoTime;
    for (const auto& [id, version] : tree) {
        const auto known = hit.before.find(id);
        for (std::uint64_t next = known == hit.before.end() ? 1 : known->second + 1; next <= version;
             ++next) {
            const TimeMs time = timeOf(id, next);
            if (time < hit.at)
                continue;
            first = first == kNoTime ? time : std::min(first, time);
            break;
        }
    }
    return first;
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
    std::erase_if(m_hit, [&](const auto& hit) {
        const TimeMs moved = firstAfter(hit.first, hit.second);
        if (moved == kNoTime)
            return false;
        m_stage.now().recoveryMs.push_back(static_cast<double>(moved - hit.second.at));
        return true;
    });
}

}  // namespace cairn::drill
