// Where the chunks of artifacts lie: read, counted, changed.

#include "core/store/postgres/roles.h"
#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

Status PostgresStore::learnPlace()
{
    CAIRN_TRY_ASSIGN(ArtifactPlace place, reading([&] { return readArtifactPlace(*m_db); }));
    m_artifacts.use(std::move(place));
    return {};
}

// The place may have been named since this connection was opened, by another process.
Result<std::string> PostgresStore::chunkBytes(ChunkRow row, const std::string& where)
{
    if (isElsewhere(row.stored, row.size) && m_artifacts.place().url.empty())
        CAIRN_TRY(learnPlace());
    return m_artifacts.bytesOf(std::move(row), where);
}

namespace {

void addTotals(Rows& rows, ChunkTotals& totals)
{
    while (rows.next()) {
        bool elsewhere = false;
        std::uint64_t count = 0, bytes = 0;
        rows.read(elsewhere, count, bytes);
        (elsewhere ? totals.elsewhere : totals.here) = count;
        (elsewhere ? totals.elsewhereBytes : totals.hereBytes) = bytes;
    }
}

}  // namespace

Result<ChunkTotals> PostgresStore::chunkTotals()
{
    Batch batch;
    batch.add(Sql::ChunkTotals);
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch, Haste::Unhurried));
    ChunkTotals totals;
    addTotals(answers.front(), totals);
    return totals;
}

Result<std::vector<ChunkRow>> PostgresStore::chunksElsewhere(
    const ArtifactId& afterArtifact, std::uint32_t afterIndex, std::size_t limit)
{
    return readAll<ChunkRow>(
        Sql::ChunksElsewhere,
        [](Rows& q, ChunkRow& r) { q.read(r.artifact, r.index, r.digest, r.size, r.stored); },
        RawId{afterArtifact.bytes}, afterIndex, limit);
}

// As a migration does it: alone, so that nobody stages by what was said before.
Status PostgresStore::changeArtifactsOnce(const ArtifactChange& change)
{
    CAIRN_TRY(ready());
    Transaction transaction(*m_db, m_options.intoFence);  // rolls back where it is left early
    CAIRN_TRY(m_db->query(Sql::Begin));
    CAIRN_TRY(m_db->query(Sql::LockMigrating));
    CAIRN_TRY_ASSIGN(const bool roles, hasRoles(*m_db));
    if (roles)
        CAIRN_TRY(becomeOwner(*m_db));
    CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(*m_db));
    CAIRN_TRY(checkWriter(numbers.minWriter, kSchema, m_options.intoFence));
    CAIRN_TRY_ASSIGN(const auto living, livingEngine(*m_db));
    if (living)
        return engineHasPlace(living->name, living->host, living->pid);
    CAIRN_TRY_ASSIGN(const ArtifactPlace present, readArtifactPlace(*m_db));
    ChunkTotals totals;
    CAIRN_TRY(m_db->query(Sql::Analyse));
    CAIRN_TRY(m_db->query(Sql::Unhurried));
    CAIRN_TRY_ASSIGN(Rows counted, m_db->query(Sql::ChunkTotals));
    addTotals(counted, totals);
    SystemRng rng;
    CAIRN_TRY_ASSIGN(const ArtifactPlace place, changedPlace(change, present, totals, rng));
    CAIRN_TRY(putArtifactPlace(*m_db, place));
    if (roles)
        CAIRN_TRY(grantRights(*m_db));
    CAIRN_TRY_ASSIGN(Rows locked, m_db->query(Sql::LockAuditHead));
    AuditHead head;
    if (!locked.next())
        return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
    locked.read(head.seq, head.hash);
    AuditRow row = change.audit;
    chain(row, head);
    addAudit(transaction.last(), {row});
    CAIRN_TRY(transaction.commit());
    return {};
}

Status PostgresStore::changeArtifacts(const ArtifactChange& change)
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    CAIRN_TRY(checkAudit(change.audit));
    for (Retrying retrying;;) {
        const Status status = changeArtifactsOnce(change);
        if (status)
            return learnPlace();
        if (!retrying.again(status.error().kind, false))
            return status;
    }
}

}  // namespace cairn::postgres
