// Signed checkpoints, and both chains read by pages.

#include "core/store/postgres/schema_tables.h"
#include "core/store/postgres/store_impl.h"

#include <algorithm>

namespace cairn::postgres {

// Written through a function only, which knows by session_user who is asking. The audit's head, the last lock
// of all, keeps two checkpoints from being added at once.
const char* const kCheckpoints = R"sql(
CREATE TABLE cairn.checkpoints(
  number bigint PRIMARY KEY, store bytea NOT NULL, time bigint NOT NULL, audit_seq bigint NOT NULL,
  audit_head bytea NOT NULL, runs bigint NOT NULL, run_heads bytea NOT NULL, previous bytea NOT NULL,
  public_key bytea NOT NULL, signature bytea NOT NULL, login text COLLATE "C" NOT NULL);
CREATE TABLE cairn.checkpoint_heads(
  checkpoint bigint NOT NULL, run uuid NOT NULL, version bigint NOT NULL, head bytea NOT NULL,
  PRIMARY KEY(checkpoint, run));
CREATE INDEX checkpoint_heads_run ON cairn.checkpoint_heads(run, version, head);
CREATE FUNCTION cairn.append_checkpoint(as_number bigint, of_store bytea, at_time bigint, at_seq bigint, at_head bytea,
  run_count bigint, heads_digest bytea, before bytea, with_key bytea, signed bytea, as_login text, of_runs uuid[],
  versions bigint[], heads bytea[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM cairn.asks_read_committed();
  PERFORM 1 FROM cairn.audit_head FOR UPDATE;
  IF as_number IS DISTINCT FROM 1 + coalesce((SELECT max(c.number) FROM cairn.checkpoints c), 0) THEN
    RAISE EXCEPTION USING ERRCODE = 'CA003', MESSAGE = 'another checkpoint was added meanwhile: make the next one anew';
  END IF;
  INSERT INTO cairn.checkpoints(number, store, time, audit_seq, audit_head, runs, run_heads, previous, public_key, signature,
      login)
    VALUES(as_number, of_store, at_time, at_seq, at_head, run_count, heads_digest, before, with_key, signed,
      CASE WHEN cairn.is_filled() THEN as_login ELSE session_user::text END);
  INSERT INTO cairn.checkpoint_heads(checkpoint, run, version, head)
    SELECT as_number, x.run, x.version, x.head FROM unnest(of_runs, versions, heads) AS x(run, version, head);
END $$;
CREATE TRIGGER checkpoints_no_update BEFORE UPDATE ON cairn.checkpoints FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
CREATE TRIGGER checkpoints_no_delete BEFORE DELETE ON cairn.checkpoints FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
CREATE TRIGGER checkpoints_no_truncate BEFORE TRUNCATE ON cairn.checkpoints
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
CREATE TRIGGER checkpoint_heads_no_update BEFORE UPDATE ON cairn.checkpoint_heads FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
CREATE TRIGGER checkpoint_heads_no_delete BEFORE DELETE ON cairn.checkpoint_heads FOR EACH ROW
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
CREATE TRIGGER checkpoint_heads_no_truncate BEFORE TRUNCATE ON cairn.checkpoint_heads
  EXECUTE FUNCTION cairn.refuse_change('checkpoints are append-only');
)sql";

namespace {

// Bytes of another length give zeros, which no key and no signature is.
template<std::size_t Size> void take(std::array<std::uint8_t, Size>& out, const std::string& bytes)
{
    out.fill(0);
    if (bytes.size() == Size)
        std::copy(bytes.begin(), bytes.end(), out.begin());
}

void readCheckpoint(Rows& q, CheckpointRow& row)
{
    std::string key, signature;
    q.read(row.number, row.store, row.time, row.auditSeq, row.auditHead, row.runs, row.runHeads, row.previous,
        key, signature, row.login);
    take(row.key.bytes, key);
    take(row.signature.bytes, signature);
}

}  // namespace

Result<AuditEnd> PostgresStore::auditEnd()
{
    const auto readEnd = [](Rows& q, AuditEnd& end) { q.read(end.seq, end.hash, end.toldSeq, end.toldHash); };
    CAIRN_TRY_ASSIGN(auto ends, readAll<AuditEnd>(Sql::AuditEnd, readEnd));
    if (ends.empty())
        return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
    return ends.front();
}

Result<std::vector<CheckpointRow>> PostgresStore::checkpoints(std::uint64_t after, std::size_t limit)
{
    return readAll<CheckpointRow>(Sql::Checkpoints, readCheckpoint, after, limit);
}

Result<std::optional<CheckpointRow>> PostgresStore::newestCheckpoint()
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<CheckpointRow>(Sql::NewestCheckpoint, readCheckpoint));
    return rows.empty() ? std::optional<CheckpointRow>() : std::optional(std::move(rows.front()));
}

Result<std::vector<CoveredHead>> PostgresStore::coveredHeads(std::uint64_t checkpoint)
{
    const auto readCovered = [](Rows& q, CoveredHead& h) {
        q.read(h.signedHead.run, h.signedHead.version, h.signedHead.head, h.stored, h.deletedAt);
    };
    return readAll<CoveredHead>(Sql::CoveredHeads, readCovered, checkpoint);
}

Result<std::vector<OpenHead>> PostgresStore::runHeads(const RunId& after, std::size_t limit)
{
    const auto readOpen = [](Rows& q, OpenHead& h) {
        q.read(h.now.run, h.now.version, h.now.head, h.covered, h.coveredHead);
    };
    return readAll<OpenHead>(Sql::RunHeads, readOpen, RawId{after.bytes}, limit);
}

Result<std::size_t> PostgresStore::eachEntry(const ChainPlace& after, std::size_t limit, const SeeEntry& see)
{
    // Read whole before any is shown: what is read again after a lost connection is not shown twice.
    CAIRN_TRY_ASSIGN(Rows rows,
        reading([&] { return m_db->query(Sql::EachEntry, RawId{after.run.bytes}, after.version, limit); }));
    RunId run;
    SealedEntry entry;
    while (rows.next()) {
        rows.read(run, entry.version, entry.command, entry.format, entry.hash, entry.body);
        see(run, entry);
    }
    return rows.count();
}

Status PostgresStore::appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads)
{
    CAIRN_TRY(checkCheckpoint(row, heads, row.number - 1));
    Column runs(Type::Uuid), versions(Type::Int8), hashes(Type::Bytea);
    for (const RunHead& head : heads) {
        runs.add(head.run);
        versions.add(head.version);
        hashes.add(Blob{head.head.view()});
    }
    return write([&](Transaction& transaction) -> Status {
        Batch batch;
        batch.add(Sql::AppendCheckpoint, row.number, Blob{saltView(row.store)}, row.time, row.auditSeq,
            Blob{row.auditHead.view()}, row.runs, Blob{row.runHeads.view()}, Blob{row.previous.view()},
            Blob{row.key.view()}, Blob{row.signature.view()}, row.login, runs, versions, hashes);
        CAIRN_TRY(transaction.begin(batch));
        return {};
    });
}

}  // namespace cairn::postgres
