#include "core/store/sqlite/schema.h"

#include "core/base/failpoint.h"
#include "core/model/codec.h"

#include <algorithm>
#include <map>

namespace cairn::sqlite {

namespace {

// What grows with every step (entries, steps, attempts, payloads, effects) lies in the order of arrival with
// a narrow index by run: a group of commits then writes a few full pages, where tables ordered by run would
// touch one page per run and table.
constexpr const char* kRunTables = R"sql(
CREATE TABLE meta(
  one INTEGER PRIMARY KEY CHECK(one = 1), store_id BLOB NOT NULL, schema INTEGER NOT NULL, min_reader INTEGER NOT NULL,
  min_writer INTEGER NOT NULL, write_format INTEGER NOT NULL, environment TEXT NOT NULL, safety INTEGER NOT NULL,
  test_clock INTEGER NOT NULL, clock_offset INTEGER NOT NULL, salt BLOB NOT NULL, seed INTEGER NOT NULL,
  created_at INTEGER NOT NULL) STRICT;
CREATE TABLE change_counter(one INTEGER PRIMARY KEY CHECK(one = 1), value INTEGER NOT NULL) STRICT;
CREATE TABLE runs(
  run BLOB PRIMARY KEY, root BLOB NOT NULL, parent BLOB, parent_step INTEGER NOT NULL, parent_index INTEGER NOT NULL,
  workflow TEXT NOT NULL, workflow_version INTEGER NOT NULL, workflow_digest BLOB, state_schema INTEGER NOT NULL,
  key TEXT, key_input BLOB, key_salt BLOB NOT NULL, created_at INTEGER NOT NULL, forked_from BLOB,
  driven INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX runs_key ON runs(workflow, key) WHERE key IS NOT NULL;
CREATE INDEX runs_parent ON runs(parent) WHERE parent IS NOT NULL;
CREATE TABLE run_hot(
  run BLOB PRIMARY KEY REFERENCES runs(run), version INTEGER NOT NULL, epoch INTEGER NOT NULL, owner BLOB,
  control INTEGER NOT NULL, head BLOB NOT NULL, next_due INTEGER, format INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX run_hot_due ON run_hot(next_due) WHERE owner IS NULL AND next_due IS NOT NULL;
CREATE INDEX run_hot_owner ON run_hot(owner) WHERE owner IS NOT NULL;
CREATE TABLE run_list(
  run BLOB PRIMARY KEY REFERENCES runs(run), root BLOB NOT NULL, parent BLOB, workflow TEXT NOT NULL,
  workflow_version INTEGER NOT NULL, key TEXT, activity INTEGER NOT NULL, attention INTEGER NOT NULL,
  reason INTEGER NOT NULL, step TEXT NOT NULL, since INTEGER NOT NULL, next_time INTEGER NOT NULL, situation TEXT,
  resource TEXT NOT NULL, error TEXT NOT NULL, created_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
  steps INTEGER NOT NULL, steps_done INTEGER NOT NULL, attempt INTEGER NOT NULL, attempts_max INTEGER NOT NULL,
  amount INTEGER NOT NULL, currency TEXT NOT NULL, held_until INTEGER NOT NULL, assigned TEXT NOT NULL,
  version INTEGER NOT NULL, changed INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX list_created ON run_list(created_at, run);
CREATE INDEX list_attention ON run_list(attention, since, run, activity, reason, created_at, workflow,
  workflow_version, step, resource, parent);
CREATE INDEX list_activity ON run_list(activity, attention, reason, since);
CREATE INDEX list_workflow ON run_list(workflow, created_at, run);
CREATE INDEX list_root ON run_list(root);
CREATE INDEX list_parent ON run_list(parent) WHERE parent IS NOT NULL;
CREATE INDEX list_key ON run_list(key) WHERE key IS NOT NULL;
CREATE INDEX list_situation ON run_list(situation, since, run, next_time, activity, attention, reason, created_at,
  workflow, workflow_version, step, resource, parent, error, assigned) WHERE situation IS NOT NULL;
CREATE INDEX list_error ON run_list(error, attention, since, run, activity, reason, created_at, workflow,
  workflow_version, step, resource, parent) WHERE error <> '';
CREATE UNIQUE INDEX list_changed ON run_list(changed);
CREATE TABLE run_attributes(
  run BLOB NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, text TEXT NOT NULL, number INTEGER NOT NULL,
  PRIMARY KEY(run, name)) STRICT, WITHOUT ROWID;
CREATE INDEX attributes_text ON run_attributes(name, text);
CREATE TABLE entries(
  run BLOB NOT NULL, version INTEGER NOT NULL, command BLOB NOT NULL, format INTEGER NOT NULL, hash BLOB NOT NULL,
  body BLOB NOT NULL, UNIQUE(run, version)) STRICT;
CREATE UNIQUE INDEX entries_command ON entries(run, command);
)sql";

constexpr const char* kStepTables = R"sql(
CREATE TABLE steps(
  run BLOB NOT NULL, ix INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, tool TEXT NOT NULL, agent TEXT NOT NULL,
  kind INTEGER NOT NULL, safety INTEGER NOT NULL, state INTEGER NOT NULL, reason INTEGER NOT NULL,
  since INTEGER NOT NULL, due INTEGER NOT NULL, revision INTEGER NOT NULL, attempts INTEGER NOT NULL,
  failures INTEGER NOT NULL, lost INTEGER NOT NULL, input BLOB, output BLOB, error BLOB, effect BLOB,
  ready_at INTEGER NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
  UNIQUE(run, ix)) STRICT;
CREATE TABLE attempts(
  run BLOB NOT NULL, step INTEGER NOT NULL, id BLOB NOT NULL, number INTEGER NOT NULL, purpose INTEGER NOT NULL,
  session BLOB, worker TEXT NOT NULL, started_at INTEGER NOT NULL, ended_at INTEGER NOT NULL, how INTEGER NOT NULL,
  effect INTEGER NOT NULL, error BLOB, UNIQUE(run, step, id)) STRICT;
CREATE TABLE approvals(
  run BLOB NOT NULL, id BLOB NOT NULL, step INTEGER NOT NULL, state INTEGER NOT NULL, binding BLOB, role TEXT NOT NULL,
  asked_at INTEGER NOT NULL, expires INTEGER NOT NULL, decided_at INTEGER NOT NULL, decided_by TEXT NOT NULL, note BLOB,
  needed INTEGER NOT NULL, asked_by TEXT NOT NULL, deciders TEXT NOT NULL, PRIMARY KEY(run, id)) STRICT, WITHOUT ROWID;
CREATE TABLE artifacts(
  id BLOB PRIMARY KEY, staged_at INTEGER NOT NULL, adopted INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX artifacts_staged ON artifacts(staged_at) WHERE adopted = 0;
CREATE TABLE artifact_chunks(
  place INTEGER PRIMARY KEY, artifact BLOB NOT NULL REFERENCES artifacts(id), ix INTEGER NOT NULL, digest BLOB NOT NULL,
  size INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE(artifact, ix)) STRICT;
CREATE TABLE payloads(
  run BLOB NOT NULL, id BLOB NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, media TEXT NOT NULL, salt BLOB,
  artifact BLOB REFERENCES artifacts(id), redacted_by INTEGER, bytes BLOB,
  UNIQUE(run, id)) STRICT;
CREATE INDEX payloads_artifact ON payloads(artifact) WHERE artifact IS NOT NULL;
CREATE TABLE tombstones(
  run BLOB PRIMARY KEY, versions INTEGER NOT NULL, head BLOB NOT NULL, act INTEGER NOT NULL, deleted_at INTEGER NOT NULL,
  changed INTEGER NOT NULL, root BLOB NOT NULL, workflow TEXT NOT NULL, workflow_version INTEGER NOT NULL,
  created_at INTEGER NOT NULL, ended_at INTEGER NOT NULL, ended_as INTEGER NOT NULL, rule TEXT NOT NULL,
  removed_by TEXT NOT NULL, public_key BLOB NOT NULL, signature BLOB NOT NULL, begun BLOB) STRICT, WITHOUT ROWID;
CREATE INDEX tombstones_changed ON tombstones(changed);
CREATE TABLE retention(
  workflow TEXT PRIMARY KEY, keep_days INTEGER NOT NULL, redact_days INTEGER NOT NULL, keys_days INTEGER NOT NULL,
  changed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE retired_keys(
  run BLOB PRIMARY KEY REFERENCES tombstones(run), workflow TEXT NOT NULL, key TEXT, key_input BLOB, key_salt BLOB NOT NULL,
  until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX retired_key ON retired_keys(workflow, key) WHERE key IS NOT NULL;
CREATE INDEX retired_until ON retired_keys(until) WHERE until <> 0;
CREATE TABLE never_store(
  kind INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(kind, text)) STRICT, WITHOUT ROWID;
CREATE TABLE remains(run BLOB PRIMARY KEY REFERENCES tombstones(run)) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kSharedTables = R"sql(
CREATE TABLE effects(
  effect BLOB NOT NULL UNIQUE, tool TEXT NOT NULL, key TEXT NOT NULL, state INTEGER NOT NULL, holder BLOB,
  holder_step TEXT NOT NULL, input_salt BLOB NOT NULL, input_digest BLOB, result BLOB, changed_at INTEGER NOT NULL,
  revision INTEGER NOT NULL) STRICT;
CREATE INDEX effects_holder ON effects(holder);
CREATE TABLE effect_waiters(
  effect BLOB NOT NULL, run BLOB NOT NULL, step INTEGER NOT NULL, PRIMARY KEY(effect, run, step)) STRICT, WITHOUT ROWID;
CREATE TABLE outbox(
  seq INTEGER PRIMARY KEY, from_run BLOB NOT NULL, version INTEGER NOT NULL, number INTEGER NOT NULL,
  to_run BLOB NOT NULL, body BLOB NOT NULL, created_at INTEGER NOT NULL,
  UNIQUE(from_run, version, number)) STRICT;
CREATE TABLE sessions(
  id BLOB PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL, boot_id TEXT NOT NULL, pid_namespace TEXT NOT NULL,
  pid INTEGER NOT NULL, start_ticks INTEGER NOT NULL, build TEXT NOT NULL, format INTEGER NOT NULL,
  schema INTEGER NOT NULL, serves TEXT NOT NULL, started_at INTEGER NOT NULL, heartbeat_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL, ended_at INTEGER NOT NULL, emptied INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions(id) WHERE ended_at = 0;
CREATE INDEX sessions_left ON sessions(id) WHERE ended_at <> 0 AND emptied = 0;
CREATE INDEX sessions_ended ON sessions(ended_at) WHERE ended_at <> 0;
CREATE TABLE wakeups(
  session BLOB NOT NULL, run BLOB NOT NULL, PRIMARY KEY(session, run)) STRICT, WITHOUT ROWID;
CREATE TABLE resources(
  name TEXT PRIMARY KEY, back_off_until INTEGER NOT NULL, asked_by_server INTEGER NOT NULL,
  permits_per_second INTEGER NOT NULL, slots INTEGER NOT NULL, revision INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE resource_slices(
  resource TEXT NOT NULL, session BLOB NOT NULL, rate INTEGER NOT NULL, until INTEGER NOT NULL,
  permits INTEGER NOT NULL) STRICT;
CREATE INDEX slices_resource ON resource_slices(resource);
CREATE TABLE workflows(
  name TEXT NOT NULL, version INTEGER NOT NULL, digest BLOB, folder TEXT NOT NULL, added_at INTEGER NOT NULL,
  text TEXT NOT NULL, PRIMARY KEY(name, version)) STRICT, WITHOUT ROWID;
CREATE TABLE audit(
  seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL, verb INTEGER NOT NULL, actor TEXT NOT NULL,
  uid INTEGER NOT NULL, host TEXT NOT NULL, login TEXT NOT NULL, run BLOB, target TEXT NOT NULL, command BLOB, reason TEXT NOT NULL,
  before TEXT NOT NULL, after TEXT NOT NULL, previous BLOB NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE INDEX audit_run ON audit(run, seq) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX audit_command ON audit(command) WHERE run IS NULL AND command IS NOT NULL;
)sql";

// Policies, acts that wait for somebody else, acts by break-glass. None is changed but to be decided, once.
// Acts that needed nobody else come with a store that had logins, where they were answered (extendActs).
constexpr const char* kAgreementTables = R"sql(
CREATE TABLE policies(
  version INTEGER PRIMARY KEY, text TEXT NOT NULL, login TEXT NOT NULL, claimed TEXT NOT NULL,
  set_at INTEGER NOT NULL) STRICT;
CREATE TRIGGER policies_in_order BEFORE INSERT ON policies
WHEN NEW.version <> 1 + (SELECT ifnull(max(version), 0) FROM policies)
BEGIN SELECT RAISE(ABORT, 'policies are numbered without a hole'); END;
CREATE TRIGGER policies_no_update BEFORE UPDATE ON policies
BEGIN SELECT RAISE(ABORT, 'a version of the policy never changes'); END;
CREATE TRIGGER policies_no_delete BEFORE DELETE ON policies
BEGIN SELECT RAISE(ABORT, 'policies are append-only'); END;
CREATE TABLE staged_acts(
  command BLOB PRIMARY KEY, run BLOB, verb INTEGER NOT NULL, target TEXT NOT NULL, body BLOB NOT NULL,
  reason TEXT NOT NULL, claimed TEXT NOT NULL, uid INTEGER NOT NULL, host TEXT NOT NULL,
  seen_version INTEGER NOT NULL, seen_digest BLOB, staged_by TEXT NOT NULL, staged_at INTEGER NOT NULL,
  role TEXT NOT NULL, expires INTEGER NOT NULL, digest BLOB, state INTEGER NOT NULL, code INTEGER NOT NULL,
  version INTEGER NOT NULL, audit INTEGER NOT NULL, outcome TEXT NOT NULL, decided_at INTEGER NOT NULL,
  confirmed_by TEXT NOT NULL, confirmed_name TEXT NOT NULL, note TEXT NOT NULL, confirmed_at INTEGER NOT NULL,
  address TEXT NOT NULL, backend INTEGER NOT NULL, glass INTEGER NOT NULL,
  CHECK(state IN (5, 7, 8) OR (confirmed_by <> '' AND confirmed_by <> staged_by)
    OR (state NOT IN (0, 5) AND expires = 0))) STRICT, WITHOUT ROWID;
CREATE INDEX staged_open ON staged_acts(staged_at, command) WHERE state IN (0, 5);
CREATE INDEX staged_run ON staged_acts(run) WHERE state IN (0, 5);
CREATE INDEX staged_settled ON staged_acts(decided_at, command) WHERE state NOT IN (0, 5);
CREATE TRIGGER staged_decided_once BEFORE UPDATE ON staged_acts
WHEN OLD.state NOT IN (0, 5) OR (OLD.state = 0 AND NEW.state NOT IN (1, 2, 3, 4, 8))
  OR (OLD.state = 5 AND NEW.state NOT IN (0, 6, 7, 8))
  OR NEW.command IS NOT OLD.command OR NEW.run IS NOT OLD.run OR NEW.verb IS NOT OLD.verb
  OR NEW.target IS NOT OLD.target OR NEW.body IS NOT OLD.body OR NEW.reason IS NOT OLD.reason
  OR NEW.staged_by IS NOT OLD.staged_by OR NEW.staged_at IS NOT OLD.staged_at OR NEW.role IS NOT OLD.role
  OR NEW.expires IS NOT OLD.expires OR NEW.digest IS NOT OLD.digest
BEGIN SELECT RAISE(ABORT, 'a proposed act is decided once, and nothing else of it changes'); END;
CREATE TRIGGER staged_no_early_delete BEFORE DELETE ON staged_acts WHEN OLD.state IN (0, 5)
BEGIN SELECT RAISE(ABORT, 'an act that waits is not deleted'); END;
CREATE TABLE reviews(
  command BLOB PRIMARY KEY, run BLOB, verb INTEGER NOT NULL, target TEXT NOT NULL, login TEXT NOT NULL,
  reason TEXT NOT NULL, opened_at INTEGER NOT NULL, closed_by TEXT NOT NULL, note TEXT NOT NULL,
  closed_at INTEGER NOT NULL, address TEXT NOT NULL, backend INTEGER NOT NULL, CHECK(closed_by <> login)) STRICT, WITHOUT ROWID;
CREATE INDEX reviews_open ON reviews(opened_at, command) WHERE closed_at = 0;
CREATE TRIGGER reviews_closed_once BEFORE UPDATE ON reviews
WHEN OLD.closed_at <> 0 OR NEW.closed_at = 0 OR NEW.closed_by = '' OR NEW.command IS NOT OLD.command
  OR NEW.run IS NOT OLD.run OR NEW.verb IS NOT OLD.verb OR NEW.target IS NOT OLD.target
  OR NEW.login IS NOT OLD.login OR NEW.reason IS NOT OLD.reason OR NEW.opened_at IS NOT OLD.opened_at
BEGIN SELECT RAISE(ABORT, 'a review is closed once, and nothing else of it changes'); END;
CREATE TRIGGER reviews_no_delete BEFORE DELETE ON reviews
BEGIN SELECT RAISE(ABORT, 'reviews are append-only'); END;
)sql";

// What may never change is refused by the database itself. A run's rows may go only where its tombstone
// exists, which is written in the same transaction: once the rows are gone nothing can bring them back
// (runs_no_return).
constexpr const char* kTriggers = R"sql(
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries
WHEN NOT EXISTS(SELECT 1 FROM tombstones WHERE run = OLD.run)
BEGIN SELECT RAISE(ABORT, 'entries are append-only: the run has no tombstone'); END;
CREATE TRIGGER entries_in_order BEFORE INSERT ON entries
WHEN NEW.version <> 1 + (SELECT ifnull(max(version), 0) FROM entries WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'entries of a run have versions without a hole'); END;
CREATE TRIGGER runs_no_update BEFORE UPDATE ON runs
BEGIN SELECT RAISE(ABORT, 'the identity of a run never changes'); END;
CREATE TRIGGER runs_no_delete BEFORE DELETE ON runs
WHEN NOT EXISTS(SELECT 1 FROM tombstones WHERE run = OLD.run)
BEGIN SELECT RAISE(ABORT, 'a run may be deleted only with a tombstone'); END;
CREATE TRIGGER runs_no_return BEFORE INSERT ON runs
WHEN EXISTS(SELECT 1 FROM tombstones WHERE run = NEW.run)
BEGIN SELECT RAISE(ABORT, 'this run was deleted'); END;
CREATE TRIGGER payloads_no_change BEFORE UPDATE ON payloads
WHEN NEW.run IS NOT OLD.run OR NEW.id IS NOT OLD.id OR NEW.hash IS NOT OLD.hash OR NEW.size IS NOT OLD.size
  OR NEW.media IS NOT OLD.media OR (NEW.salt IS NOT NULL AND NEW.salt IS NOT OLD.salt)
  OR (NEW.bytes IS NOT NULL AND NEW.bytes IS NOT OLD.bytes)
  OR (NEW.artifact IS NOT NULL AND NEW.artifact IS NOT OLD.artifact)
BEGIN SELECT RAISE(ABORT, 'payloads can be redacted, not changed'); END;
CREATE TRIGGER payloads_no_delete BEFORE DELETE ON payloads
WHEN NOT EXISTS(SELECT 1 FROM tombstones WHERE run = OLD.run)
BEGIN SELECT RAISE(ABORT, 'payloads can be redacted, not deleted'); END;
CREATE TRIGGER tombstones_no_update BEFORE UPDATE ON tombstones
BEGIN SELECT RAISE(ABORT, 'tombstones are append-only'); END;
CREATE TRIGGER tombstones_no_delete BEFORE DELETE ON tombstones
BEGIN SELECT RAISE(ABORT, 'tombstones are append-only'); END;
CREATE TRIGGER audit_in_order BEFORE INSERT ON audit
WHEN NEW.seq <> 1 + (SELECT ifnull(max(seq), 0) FROM audit)
BEGIN SELECT RAISE(ABORT, 'audit entries are numbered without a hole'); END;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;
CREATE TRIGGER workflows_no_update BEFORE UPDATE OF name, version, digest, text ON workflows
BEGIN SELECT RAISE(ABORT, 'a version of a workflow never changes'); END;
)sql";

constexpr const char* kToSchema2 = R"sql(
ALTER TABLE attempts ADD COLUMN trace BLOB;
ALTER TABLE attempts ADD COLUMN span INTEGER;
)sql";

constexpr const char* kArtifactPlaceName = "table artifact_place";
constexpr const char* kArtifactPlace = "CREATE TABLE artifact_place(one INTEGER PRIMARY KEY CHECK(one = 1), "
                                       "url TEXT NOT NULL, folder TEXT NOT NULL, writes INTEGER NOT NULL) "
                                       "STRICT";

using Shape = std::map<std::string, std::string>;  // "table runs" -> its SQL

Result<Shape> readShape(Db& db)
{
    Shape shape;
    Query query(db, Sql::Shape);
    for (;;) {
        CAIRN_TRY_ASSIGN(const bool row, query.step());
        if (!row)
            return shape;
        std::string type, name, sql;
        query.read(type, name, sql);
        shape[type + ' ' + name] = sql;
    }
}

Result<Shape> expectedShape(std::uint32_t schema)
{
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    Db db{DbHandle(raw)};
    if (code != SQLITE_OK)
        return db.fail(code, "the expected tables");
    CAIRN_TRY(createTables(db, schema));
    return readShape(db);
}

// Made once per process: opening a store should not cost the making of another.
const Result<Shape>& knownShape(std::uint32_t schema)
{
    static const Result<Shape> first = expectedShape(1);
    static const Result<Shape> newest = expectedShape(kSchema);
    return schema < kSchema ? first : newest;
}

// A newer schema only adds: the text of `found` is that of `wanted` with something put in at one place (a
// column).
bool isExtensionOf(std::string_view found, std::string_view wanted)
{
    const auto begin =
        std::mismatch(wanted.begin(), wanted.end(), found.begin(), found.end()).first - wanted.begin();
    const auto end =
        std::mismatch(wanted.rbegin(), wanted.rend(), found.rbegin(), found.rend()).first - wanted.rbegin();
    return found.size() >= wanted.size() && static_cast<std::size_t>(begin + end) >= wanted.size();
}

}  // namespace

Status refill(Db& db)
{
    Query rows(db, Sql::AttemptsWithoutTrace);
    Query fill(db, Sql::FillTrace);
    for (;;) {
        CAIRN_TRY_ASSIGN(const bool row, rows.step());
        if (!row)
            return {};
        RunId run;
        std::uint32_t step = 0;
        AttemptId attempt;
        rows.read(run, step, attempt);
        const UuidBytes trace = legacyTrace(run);
        CAIRN_TRY(fill.bind(trace, legacySpan(attempt), run, step, attempt).run());
    }
}

Status createTables(Db& db, std::uint32_t schema)
{
    for (const char* sql :
        {kRunTables, kStepTables, kSharedTables, kAgreementTables, kTriggers, kCheckpointTables, kPlanTables})
        CAIRN_TRY(db.exec(sql));
    return schema > 1 ? expandTables(db, 1, schema) : Status();
}

Status expandTables(Db& db, std::uint32_t from, std::uint32_t to)
{
    if (from < 2 && to >= 2) {
        CAIRN_TRY(db.exec(kToSchema2));
        if (failpoint::hit("store.migrate.altered"))
            return makeError(ErrorKind::Io, "stopped by a failpoint");
        CAIRN_TRY(refill(db));
    }
    return {};
}

Result<ArtifactPlace> readArtifactPlace(Db& db)
{
    ArtifactPlace place;
    Query there(db, Sql::HasArtifactPlace);
    std::int64_t tables = 0;
    CAIRN_TRY_ASSIGN(const bool row, there.step());
    if (row)
        there.read(tables);
    if (tables == 0)
        return place;
    Query query(db, Sql::ArtifactPlace);
    CAIRN_TRY_ASSIGN(const bool found, query.step());
    if (!found)
        return makeError(ErrorKind::Corrupt, "the row that says where artifacts lie is missing");
    query.read(place.url, place.folder, place.writes);
    return place;
}

Status putArtifactPlace(Db& db, const ArtifactPlace& place)
{
    CAIRN_TRY_ASSIGN(const ArtifactPlace present, readArtifactPlace(db));
    if (present.url.empty())
        CAIRN_TRY(db.exec(kArtifactPlace));
    return Query(db, Sql::PutArtifactPlace).bind(place.url, place.folder, place.writes).run();
}

Result<Numbers> readNumbers(Db& db)
{
    Query query(db, Sql::Numbers);
    Numbers numbers;
    CAIRN_TRY_ASSIGN(const bool row, query.step());
    if (!row)
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    query.read(
        numbers.schema, numbers.minReader, numbers.minWriter, numbers.writeFormat, numbers.clockOffset);
    return numbers;
}

Result<std::vector<std::string>> shapeProblems(Db& db, std::uint32_t schema)
{
    const Result<Shape>& known = knownShape(schema);
    if (!known)
        return known.error();
    const Shape& wanted = *known;
    CAIRN_TRY_ASSIGN(const Shape found, readShape(db));
    const bool newer = schema > kSchema;
    std::vector<std::string> problems;
    for (const auto& [name, sql] : wanted) {
        const auto at = found.find(name);
        if (at == found.end())
            problems.push_back(name + " is missing");
        else if (newer ? !isExtensionOf(at->second, sql) : at->second != sql)
            problems.push_back(name + " is not as schema " + std::to_string(schema) + " has it");
    }
    if (!newer)
        for (const auto& [name, sql] : found)
            if (!wanted.contains(name) && !(name == kArtifactPlaceName && sql == kArtifactPlace))
                problems.push_back(name + " does not belong to schema " + std::to_string(schema));
    return problems;
}

Result<Standing> readStanding(Db& db)
{
    Transaction oneView(db);
    CAIRN_TRY(oneView.begin(false));
    CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(db));
    static_cast<void>(failpoint::hit("store.standing.numbers-read"));
    CAIRN_TRY_ASSIGN(auto problems, shapeProblems(db, numbers.schema));
    return Standing{numbers, std::move(problems)};
}

}  // namespace cairn::sqlite
