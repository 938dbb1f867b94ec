// Signed checkpoints, and both chains read by pages.

#include "core/store/sqlite/store_impl.h"

#include <algorithm>

namespace cairn::sqlite {

// A head may be added only with the newest checkpoint; that none was added later is what its digest shows.
const char* const kCheckpointTables = R"sql(
CREATE TABLE checkpoints(
  number INTEGER PRIMARY KEY, store BLOB NOT NULL, time INTEGER NOT NULL, audit_seq INTEGER NOT NULL,
  audit_head BLOB NOT NULL, runs INTEGER NOT NULL, run_heads BLOB NOT NULL, previous BLOB NOT NULL,
  public_key BLOB NOT NULL, signature BLOB NOT NULL, login TEXT NOT NULL) STRICT;
CREATE TABLE checkpoint_heads(
  checkpoint INTEGER NOT NULL, run BLOB NOT NULL, version INTEGER NOT NULL, head BLOB NOT NULL,
  PRIMARY KEY(checkpoint, run)) STRICT, WITHOUT ROWID;
CREATE INDEX checkpoint_heads_run ON checkpoint_heads(run, version, head);
CREATE TRIGGER checkpoints_in_order BEFORE INSERT ON checkpoints
WHEN NEW.number <> 1 + (SELECT ifnull(max(number), 0) FROM checkpoints)
BEGIN SELECT RAISE(ABORT, 'checkpoints are numbered without a hole'); END;
CREATE TRIGGER checkpoints_no_update BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER checkpoints_no_delete BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER checkpoint_heads_newest BEFORE INSERT ON checkpoint_heads
WHEN NEW.checkpoint IS NOT (SELECT max(number) FROM checkpoints)
BEGIN SELECT RAISE(ABORT, 'only the newest checkpoint takes heads'); END;
CREATE TRIGGER checkpoint_heads_no_update BEFORE UPDATE ON checkpoint_heads
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER checkpoint_heads_no_delete BEFORE DELETE ON checkpoint_heads
BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
)sql";

namespace {

// Bytes of another length give zeros, which no key and no signature is.
template<std::size_t Size> void take(std::array<std::uint8_t, Size>& out, const std::string& bytes)
{
    out.fill(0);
    if (bytes.size() == Size)
        std::copy(bytes.begin(), bytes.end(), out.begin());
}

void readCheckpoint(Query& q, CheckpointRow& row)
{
    std::string key, signature;
    q.read(row.number, row.store, row.time, row.auditSeq, row.auditHead, row.runs, row.runHeads, row.previous,
        key, signature, row.login);
    take(row.key.bytes, key);
    take(row.signature.bytes, signature);
}

Result<std::uint64_t> newestNumber(Db& db)
{
    std::uint64_t number = 0;
    Query query(db, Sql::NewestCheckpoint);
    CAIRN_TRY_ASSIGN(const bool row, query.step());
    if (row)
        query.read(number);
    return number;
}

}  // namespace

Result<AuditEnd> SqliteStore::auditEnd()
{
    CAIRN_TRY_ASSIGN(const AuditHead head, readAuditHead(db()));
    return AuditEnd{head.seq, head.hash, 0, {}};
}

Result<std::vector<CheckpointRow>> SqliteStore::checkpoints(std::uint64_t after, std::size_t limit)
{
    Query query(db(), Sql::Checkpoints);
    query.bind(after, limit);
    return readAll<CheckpointRow>(query, readCheckpoint);
}

Result<std::optional<CheckpointRow>> SqliteStore::newestCheckpoint()
{
    CAIRN_TRY_ASSIGN(const std::uint64_t number, newestNumber(db()));
    if (number == 0)
        return std::optional<CheckpointRow>();
    CAIRN_TRY_ASSIGN(auto rows, checkpoints(number - 1, 1));
    return rows.empty() ? std::optional<CheckpointRow>() : std::optional(std::move(rows.front()));
}

Result<std::vector<CoveredHead>> SqliteStore::coveredHeads(std::uint64_t checkpoint)
{
    Query query(db(), Sql::CoveredHeads);
    query.bind(checkpoint);
    return readAll<CoveredHead>(query, [](Query& q, CoveredHead& h) {
        q.read(h.signedHead.run, h.signedHead.version, h.signedHead.head, h.stored, h.deletedAt);
    });
}

Result<std::vector<OpenHead>> SqliteStore::runHeads(const RunId& after, std::size_t limit)
{
    Query query(db(), Sql::RunHeads);
    query.bind(Blob{after.view()}, limit);
    return readAll<OpenHead>(query, [](Query& q, OpenHead& h) {
        q.read(h.now.run, h.now.version, h.now.head, h.covered, h.coveredHead);
    });
}

// One entry object for all: its body keeps its room, so that a page needs no memory of its own.
Result<std::size_t> SqliteStore::eachEntry(const ChainPlace& after, std::size_t limit, const SeeEntry& see)
{
    Query query(db(), Sql::EachEntry);
    query.bind(Blob{after.run.view()}, after.version, limit);
    std::size_t seen = 0;
    RunId run;
    SealedEntry entry;
    CAIRN_TRY(forEach(query, [&](Query& q) {
        q.read(run, entry.version, entry.command, entry.format, entry.hash, entry.body);
        see(run, entry);
        ++seen;
    }));
    return seen;
}

// By place in the file, so that each page of it is read once.
Result<std::size_t> SqliteStore::scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see)
{
    Query query(db(), Sql::ScanEntries);
    query.bind(place.row, limit);
    std::size_t seen = 0;
    RunId run;
    SealedEntry entry;
    CAIRN_TRY(forEach(query, [&](Query& q) {
        q.read(place.row, run, entry.version, entry.command, entry.format, entry.hash, entry.body);
        see(run, entry);
        ++seen;
    }));
    return seen;
}

Status SqliteStore::appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads)
{
    return write([&](const WriteContext&) -> Status {
        CAIRN_TRY_ASSIGN(const std::uint64_t newest, newestNumber(db()));
        CAIRN_TRY(checkCheckpoint(row, heads, newest));
        CAIRN_TRY(Query(db(), Sql::InsertCheckpoint)
                      .bind(row.number, row.store, row.time, row.auditSeq, Blob{row.auditHead.view()},
                          row.runs, Blob{row.runHeads.view()}, Blob{row.previous.view()},
                          Blob{row.key.view()}, Blob{row.signature.view()}, row.login)
                      .run());
        Query insert(db(), Sql::InsertCheckpointHead);
        for (const RunHead& head : heads)
            CAIRN_TRY(insert.bind(row.number, head.run, head.version, Blob{head.head.view()}).run());
        return {};
    });
}

}  // namespace cairn::sqlite
