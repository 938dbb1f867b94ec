#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>

namespace cairn {

Result<std::optional<Tombstone>> MemoryStore::tombstone(const RunId& run)
{
    const auto found = m_db->tombstones.find(run);
    return found == m_db->tombstones.end() ? std::optional<Tombstone>() : std::optional(found->second);
}

Error MemoryStore::missing(const RunId& run) const
{
    const auto stone = m_db->tombstones.find(run);
    return makeError(ErrorKind::NotFound,
        stone == m_db->tombstones.end() ? "there is no run " + toText(run) : removedText(stone->second));
}

Result<std::vector<Tombstone>> MemoryStore::tombstones(const RunId& after, std::size_t limit)
{
    std::vector<Tombstone> out;
    for (auto at = m_db->tombstones.upper_bound(after); at != m_db->tombstones.end() && out.size() < limit;
         ++at)
        out.push_back(at->second);
    return out;
}

Result<std::vector<RemovedRun>> MemoryStore::removedRuns(const RunId& after, std::size_t limit)
{
    std::vector<RemovedRun> out;
    for (auto at = m_db->tombstones.upper_bound(after); at != m_db->tombstones.end() && out.size() < limit;
         ++at) {
        RemovedRun& run = out.emplace_back(RemovedRun{at->second});
        const auto kept = m_db->retired.find(at->first);
        if (kept == m_db->retired.end())
            continue;
        const RunRow& identity = kept->second.identity;
        run.kept = RemovedRun::Key{
            identity.workflow.name, identity.key, identity.keyInput, identity.keySalt, kept->second.until};
        CAIRN_TRY_ASSIGN(run.effects, effectsOfRun(at->first));
    }
    return out;
}

Result<std::vector<RetentionRow>> MemoryStore::retention()
{
    std::vector<RetentionRow> out;
    for (const auto& [workflow, row] : m_db->retention)
        out.push_back(row);
    return out;
}

Result<TreeBonds> MemoryStore::bondsOf(const RunId& root) { return m_db->bondsOf(root); }

Result<RunBytes> MemoryStore::bytesOf(const RunId& run)
{
    RunBytes bytes;
    const auto found = m_db->runs.find(run);
    if (found == m_db->runs.end())
        return bytes;
    for (const SealedEntry& entry : found->second.entries)
        bytes.entries += entry.body.size();
    for (const auto& [id, payload] : found->second.payloads)
        bytes.payloads += found->second.redacted.contains(id) ? 0 : payload.ref.size;
    return bytes;
}

Result<bool> MemoryStore::removeTree(const TreeRemoval& removal)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkRemoval(removal));
    if (m_db->bondsOf(removal.root) != TreeBonds{removal.stones.size()})
        return false;
    for (const Tombstone& stone : removal.stones) {
        const auto found = m_db->runs.find(stone.run);
        if (found == m_db->runs.end() || found->second.hot.version != stone.versions
            || found->second.hot.head != stone.head)
            return false;
    }
    const std::uint64_t act = m_db->addAudit(removal.audit);
    for (Tombstone stone : removal.stones) {
        stone.act = act;
        stone.changed = ++m_db->change;
        m_db->remove(stone, removal.keysUntil);
    }
    return true;
}

Status MemoryStore::extendRemoved(std::span<const RemovedRun> runs)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkFilled(m_intoFence));
    for (const RemovedRun& run : runs) {
        Tombstone stone = run.stone;
        stone.changed = ++m_db->change;
        m_db->tombstones[stone.run] = stone;
        if (run.kept)
            m_db->retire(stone, *run.kept);
        for (EffectRow effect : run.effects) {
            effect.revision = 1;
            m_db->effects[effect.effect] = effect;
        }
    }
    return {};
}

// Nothing is left for it: memory has no rows that would be worth a second pass.
Result<std::uint64_t> MemoryStore::sweepRemoved(std::size_t)
{
    CAIRN_TRY(mayWrite());
    return std::uint64_t{0};
}

Result<std::uint64_t> MemoryStore::forgetKeys(TimeMs now, std::size_t limit)
{
    CAIRN_TRY(mayWrite());
    std::uint64_t forgotten = 0;
    for (auto at = m_db->retired.begin(); at != m_db->retired.end() && forgotten < limit;) {
        if (at->second.until == kNoTime || at->second.until > now) {
            ++at;
            continue;
        }
        const RunRow& identity = at->second.identity;
        m_db->keys.erase({identity.workflow.name, identity.key});
        std::erase_if(m_db->effects, [&](const auto& each) { return each.second.holder == at->first; });
        at = m_db->retired.erase(at);
        ++forgotten;
    }
    return forgotten;
}

Status MemoryStore::setRetention(const RetentionRow& row, const AuditRow& audit)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkRetention(row));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_intoFence));
    if (adds)
        m_db->addAudit(audit);
    RetentionRow& stored = m_db->retention[row.workflow];
    stored = row;
    if (adds)
        stored.changedAt = m_db->now();
    return {};
}

Result<SecretList> MemoryStore::neverStore() { return m_db->neverStore; }

Status MemoryStore::setNeverStore(const SecretList& list, const AuditRow& audit)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkSecretList(list));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_intoFence));
    if (adds)
        m_db->addAudit(audit);
    SecretList sorted = list;
    for (auto* names : {&sorted.keys, &sorted.patterns}) {
        std::sort(names->begin(), names->end());
        names->erase(std::unique(names->begin(), names->end()), names->end());
    }
    m_db->neverStore = std::move(sorted);
    return {};
}

// --- the database

TreeBonds MemoryDatabase::bondsOf(const RunId& root) const
{
    TreeBonds bonds;
    std::set<RunId> tree;
    for (const auto& [id, run] : runs) {
        if (!run.list || run.list->root != root)
            continue;
        tree.insert(id);
        ++bonds.runs;
        bonds.owned += run.hot.owner.isNull() ? 0 : 1;
    }
    for (const auto& [seq, row] : outbox)
        bonds.messages += tree.contains(row.from) || tree.contains(row.to) ? 1 : 0;
    for (const auto& [effect, waiting] : waiters)
        for (const auto& [run, step] : waiting)
            bonds.waiters += tree.contains(run) ? 1 : 0;
    for (const auto& [command, act] : staged)
        if (tree.contains(act.run)) {
            bonds.acts += act.state == StagedState::Waiting ? 1 : 0;
            bonds.proposals += act.state == StagedState::Proposed ? 1 : 0;
        }
    for (const auto& [id, plan] : plans) {
        const bool waits = plan.row.state == PlanState::Staged && plan.row.expiresAt > now();
        if (!waits && plan.row.state != PlanState::Running && plan.row.state != PlanState::Paused)
            continue;
        for (const auto& [ord, item] : plan.items)
            bonds.plans += item.state == PlanItemState::Open && tree.contains(item.run) ? 1 : 0;
    }
    return bonds;
}

void MemoryDatabase::retire(const Tombstone& stone, const RemovedRun::Key& key)
{
    RunRow identity;
    identity.run = stone.run;
    identity.root = stone.root;
    identity.workflow = {key.workflow, stone.workflowVersion, {}, 0};
    identity.key = key.key;
    identity.keyInput = key.input;
    identity.keySalt = key.salt;
    identity.createdAt = stone.createdAt;
    retired[stone.run] = {identity, key.until};
    if (!key.key.empty())
        keys[{key.workflow, key.key}] = stone.run;
}

void MemoryDatabase::remove(Tombstone stone, TimeMs keysUntil)
{
    const auto found = runs.find(stone.run);
    MemoryRun& run = found->second;
    stone.begun = run.entries.front().command;
    tombstones[stone.run] = stone;
    const bool holds = std::any_of(
        effects.begin(), effects.end(), [&](const auto& each) { return each.second.holder == stone.run; });
    if (!run.identity.key.empty() || holds)
        retire(stone,
            {run.identity.workflow.name, run.identity.key, run.identity.keyInput, run.identity.keySalt,
                keysUntil});
    if (run.list)
        byChange.erase(run.list->changed);
    if (!run.identity.parent.run.isNull()) {
        const auto siblings = children.find(run.identity.parent.run);
        if (siblings != children.end() && siblings->second.erase(stone.run) > 0 && siblings->second.empty())
            children.erase(siblings);
    }
    children.erase(stone.run);
    unowned.erase({run.hot.nextDue, stone.run});
    for (const auto& [id, payload] : run.payloads)
        if (!payload.artifact.isNull())
            artifacts.erase(payload.artifact);
    runs.erase(found);
}

}  // namespace cairn
