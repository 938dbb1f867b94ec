// Where the chunks of artifacts lie: read, counted, changed.

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

Status SqliteStore::learnPlace()
{
    CAIRN_TRY_ASSIGN(ArtifactPlace place, readArtifactPlace(db()));
    m_artifacts.use(std::move(place));
    return {};
}

// The place may have been named since this connection was opened, by another process.
Result<std::string> SqliteStore::chunkBytes(ChunkRow row, const std::string& where)
{
    if (isElsewhere(row.stored, row.size) && m_artifacts.place().url.empty())
        CAIRN_TRY(learnPlace());
    return m_artifacts.bytesOf(std::move(row), where);
}

Result<ChunkTotals> SqliteStore::chunkTotals()
{
    ChunkTotals totals;
    Query query(db(), Sql::ChunkTotals);
    CAIRN_TRY(forEach(query, [&](Query& q) {
        bool elsewhere = false;
        std::uint64_t count = 0, bytes = 0;
        q.read(elsewhere, count, bytes);
        (elsewhere ? totals.elsewhere : totals.here) = count;
        (elsewhere ? totals.elsewhereBytes : totals.hereBytes) = bytes;
    }));
    return totals;
}

Result<std::vector<ChunkRow>> SqliteStore::chunksElsewhere(
    const ArtifactId& afterArtifact, std::uint32_t afterIndex, std::size_t limit)
{
    Query query(db(), Sql::ChunksElsewhere);
    query.bind(Blob{afterArtifact.view()}, afterIndex, limit);
    return readAll<ChunkRow>(
        query, [](Query& q, ChunkRow& r) { q.read(r.artifact, r.index, r.digest, r.size, r.stored); });
}

Status SqliteStore::changeArtifactsIn(const ArtifactChange& change, const WriteContext& context)
{
    {
        Query living(db(), Sql::LivingSession);
        CAIRN_TRY_ASSIGN(const bool some, living.bind(context.now).step());
        if (some) {
            std::string name, host;
            std::int64_t pid = 0;
            living.read(name, host, pid);
            return engineHasPlace(name, host, pid);
        }
    }
    CAIRN_TRY_ASSIGN(const ArtifactPlace present, readArtifactPlace(db()));
    CAIRN_TRY_ASSIGN(const ChunkTotals totals, chunkTotals());
    SystemRng rng;
    CAIRN_TRY_ASSIGN(const ArtifactPlace place, changedPlace(change, present, totals, rng));
    CAIRN_TRY(putArtifactPlace(db(), place));
    CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
    return insertAudit(db(), change.audit, head);
}

Status SqliteStore::changeArtifacts(const ArtifactChange& change)
{
    CAIRN_TRY(checkAudit(change.audit));
    m_connection->allow({.artifactPlace = true});
    const Status status =
        write([&](const WriteContext& context) { return changeArtifactsIn(change, context); });
    m_connection->allow({});
    CAIRN_TRY(status);
    return learnPlace();
}

}  // namespace cairn::sqlite
