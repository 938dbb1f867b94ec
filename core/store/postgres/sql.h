#pragma once
// Names of the statements in sql.inc.

#include "core/store/postgres/rights_sql.h"

#include <cstddef>

namespace cairn::postgres {

enum class Sql : std::size_t {
#define CAIRN_SQL(name, text) name,
#include "core/store/postgres/sql.inc"
#undef CAIRN_SQL
};

inline constexpr std::size_t kSqlCount = 0
#define CAIRN_SQL(name, text) +1
#include "core/store/postgres/sql.inc"
#undef CAIRN_SQL
    ;

// Columns of run_list in the order in which readListRow reads them.
#define CAIRN_PG_LIST_COLUMNS \
    "run, root, parent, workflow, workflow_version, key, activity, attention, reason, step, since, " \
    "next_time, " \
    "situation, resource, error, created_at, ended_at, steps, steps_done, attempt, attempts_max, amount, " \
    "currency, held_until, assigned, " \
    "version, changed"

// Columns of staged_acts in the order in which readStaged reads them.
#define CAIRN_PG_TOMBSTONE_COLUMNS \
    "run, versions, head, act, deleted_at, changed, root, workflow, workflow_version, created_at, " \
    "ended_at, " \
    "ended_as, rule, removed_by, public_key, signature, begun"
#define CAIRN_PG_STAGED_COLUMNS \
    "command, run, verb, target, body, reason, claimed, uid, host, seen_version, seen_digest, staged_by, " \
    "address, backend, staged_at, state, code, version, audit, outcome, decided_at, glass, role, expires, " \
    "digest, confirmed_by, confirmed_name, note, confirmed_at"

// Columns of plans in the order in which readPlan reads them.
#define CAIRN_PG_PLAN_COLUMNS \
    "id, verb, command, login, actor, uid, host, reason, staged_at, expires_at, spec, items, digest, " \
    "people, role, revision, state, confirmed_by, confirmed_at, note, aborted, started_at, executed_at, " \
    "ended_at, holder, lease_until"

}  // namespace cairn::postgres
