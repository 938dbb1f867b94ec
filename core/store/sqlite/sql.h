#pragma once
// Names of the statements in sql.inc.

#include <cstddef>

namespace cairn::sqlite {

enum class Sql : std::size_t {
#define CAIRN_SQL(name, text) name,
#include "core/store/sqlite/sql.inc"
#undef CAIRN_SQL
};

inline constexpr std::size_t kSqlCount = 0
#define CAIRN_SQL(name, text) +1
#include "core/store/sqlite/sql.inc"
#undef CAIRN_SQL
    ;

// Columns of tombstones in the order in which they are read and written.
#define CAIRN_TOMBSTONE_COLUMNS \
    "run, versions, head, act, deleted_at, changed, root, workflow, workflow_version, created_at, " \
    "ended_at, " \
    "ended_as, rule, removed_by, public_key, signature, begun"

// Columns of run_list in the order in which readListRow reads them.
#define CAIRN_LIST_COLUMNS \
    "run, root, parent, workflow, workflow_version, key, activity, attention, reason, step, since, " \
    "next_time, " \
    "situation, resource, error, created_at, ended_at, steps, steps_done, attempt, attempts_max, amount, " \
    "currency, held_until, assigned, " \
    "version, changed"

// Columns of staged_acts in the order in which readStaged reads them.
#define CAIRN_STAGED_COLUMNS \
    "command, run, verb, target, body, reason, claimed, uid, host, seen_version, seen_digest, staged_by, " \
    "staged_at, role, expires, digest, state, code, version, audit, outcome, decided_at, confirmed_by, " \
    "confirmed_name, note, confirmed_at, address, backend, glass"

// Statements that are there for one row and for sixteen (row_batch): what comes before the rows, and a row.
#define CAIRN_ROWS4(row) row ", " row ", " row ", " row
#define CAIRN_ROWS16(row) CAIRN_ROWS4(row) ", " CAIRN_ROWS4(row) ", " CAIRN_ROWS4(row) ", " CAIRN_ROWS4(row)
#define CAIRN_INSERT_ENTRY "INSERT INTO entries(run, version, command, format, hash, body) VALUES"
#define CAIRN_ENTRY_ROW "(?, ?, ?, ?, ?, ?)"
#define CAIRN_INSERT_STEP \
    "INSERT INTO steps(run, ix, id, name, tool, agent, kind, safety, state, reason, since, due, revision, " \
    "attempts, failures, lost, input, output, error, effect, ready_at, started_at, ended_at) VALUES"
#define CAIRN_STEP_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define CAIRN_INSERT_ATTEMPT1 \
    "INSERT INTO attempts(run, step, id, number, purpose, session, worker, started_at, ended_at, how, " \
    "effect, error) VALUES"
#define CAIRN_ATTEMPT1_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define CAIRN_INSERT_ATTEMPT2 \
    "INSERT INTO attempts(run, step, id, number, purpose, session, worker, started_at, ended_at, how, " \
    "effect, error, trace, span) VALUES"
#define CAIRN_ATTEMPT2_ROW "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
#define CAIRN_INSERT_PAYLOAD "INSERT INTO payloads(run, id, hash, size, media, salt, artifact, bytes) VALUES"
#define CAIRN_PAYLOAD_ROW "(?, ?, ?, ?, ?, ?, ?, ?)"

}  // namespace cairn::sqlite
