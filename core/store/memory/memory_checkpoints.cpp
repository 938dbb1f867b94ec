#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

namespace cairn {

Result<AuditEnd> MemoryStore::auditEnd()
{
    if (m_db->audit.empty())
        return AuditEnd{};
    const AuditRow& last = m_db->audit.back();
    return AuditEnd{last.seq, last.hash, 0, {}};
}

Result<std::vector<CheckpointRow>> MemoryStore::checkpoints(std::uint64_t after, std::size_t limit)
{
    std::vector<CheckpointRow> out;
    for (std::uint64_t at = after; at < m_db->checkpoints.size() && out.size() < limit; ++at)
        out.push_back(m_db->checkpoints[at].row);
    return out;
}

Result<std::optional<CheckpointRow>> MemoryStore::newestCheckpoint()
{
    if (m_db->checkpoints.empty())
        return std::optional<CheckpointRow>();
    return std::optional(m_db->checkpoints.back().row);
}

Result<std::vector<CoveredHead>> MemoryStore::coveredHeads(std::uint64_t checkpoint)
{
    std::vector<CoveredHead> out;
    if (checkpoint == 0 || checkpoint > m_db->checkpoints.size())
        return out;
    for (const RunHead& head : m_db->checkpoints[checkpoint - 1].heads) {
        CoveredHead& covered = out.emplace_back(CoveredHead{head, {}, 0});
        const auto run = m_db->runs.find(head.run);
        if (run != m_db->runs.end() && head.version >= 1 && head.version <= run->second.entries.size())
            covered.stored = run->second.entries[head.version - 1].hash;
        if (const auto stone = m_db->tombstones.find(head.run); stone != m_db->tombstones.end())
            covered.deletedAt = stone->second.versions;
    }
    return out;
}

Result<std::vector<OpenHead>> MemoryStore::runHeads(const RunId& after, std::size_t limit)
{
    std::vector<OpenHead> out;
    for (auto at = m_db->runs.upper_bound(after); at != m_db->runs.end() && out.size() < limit; ++at) {
        const HotRow& hot = at->second.hot;
        const auto covered = m_db->covered.find(at->first);
        const RunHead none;
        const RunHead& last = covered == m_db->covered.end() ? none : covered->second;
        out.push_back({{at->first, hot.version, hot.head}, last.version, last.head});
    }
    return out;
}

Result<std::size_t> MemoryStore::eachEntry(const ChainPlace& after, std::size_t limit, const SeeEntry& see)
{
    std::size_t seen = 0;
    for (auto at = m_db->runs.lower_bound(after.run); at != m_db->runs.end(); ++at)
        for (const SealedEntry& entry : at->second.entries) {
            if (at->first == after.run && entry.version <= after.version)
                continue;
            if (seen == limit)
                return seen;
            see(at->first, entry);
            ++seen;
        }
    return seen;
}

Status MemoryStore::appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkCheckpoint(row, heads, m_db->checkpoints.size()));
    m_db->checkpoints.push_back({row, {heads.begin(), heads.end()}});
    for (const RunHead& head : heads)
        if (RunHead& last = m_db->covered[head.run]; last.version < head.version)
            last = head;
    return {};
}

}  // namespace cairn
