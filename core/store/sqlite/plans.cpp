// Plans: one act on many runs.

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

// What was frozen never changes, an outcome is not taken back, and nothing goes away.
const char* const kPlanTables = R"sql(
CREATE TABLE plans(
  id BLOB PRIMARY KEY, verb INTEGER NOT NULL, command BLOB NOT NULL, login TEXT NOT NULL, actor TEXT NOT NULL,
  uid INTEGER NOT NULL, host TEXT NOT NULL, reason TEXT NOT NULL, staged_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  spec BLOB NOT NULL, items INTEGER NOT NULL, digest BLOB, people INTEGER NOT NULL, role TEXT NOT NULL,
  revision INTEGER NOT NULL, state INTEGER NOT NULL, confirmed_by TEXT NOT NULL, confirmed_at INTEGER NOT NULL,
  note TEXT NOT NULL, aborted INTEGER NOT NULL, started_at INTEGER NOT NULL, executed_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL, holder BLOB, lease_until INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX plans_open ON plans(staged_at, id) WHERE state > 1 AND state < 6;
CREATE INDEX plans_under_way ON plans(state, staged_at, id) WHERE state IN (3, 5);
CREATE INDEX plans_staged ON plans(staged_at, id);
CREATE TABLE plan_items(
  plan BLOB NOT NULL REFERENCES plans(id), ord INTEGER NOT NULL, run BLOB NOT NULL, command BLOB NOT NULL,
  target TEXT NOT NULL, seen INTEGER NOT NULL, situation TEXT NOT NULL, state INTEGER NOT NULL,
  left_out INTEGER NOT NULL, why TEXT NOT NULL, version INTEGER NOT NULL, done_at INTEGER NOT NULL,
  fate INTEGER NOT NULL, PRIMARY KEY(plan, ord)) STRICT, WITHOUT ROWID;
CREATE INDEX plan_items_state ON plan_items(plan, state, ord);
CREATE INDEX plan_items_run ON plan_items(run, plan) WHERE state = 1;
CREATE TRIGGER plans_frozen BEFORE UPDATE ON plans
WHEN NEW.id IS NOT OLD.id OR NEW.verb IS NOT OLD.verb OR NEW.command IS NOT OLD.command OR NEW.login IS NOT OLD.login
  OR NEW.actor IS NOT OLD.actor OR NEW.uid IS NOT OLD.uid OR NEW.host IS NOT OLD.host OR NEW.reason IS NOT OLD.reason
  OR NEW.staged_at IS NOT OLD.staged_at OR NEW.expires_at IS NOT OLD.expires_at OR NEW.spec IS NOT OLD.spec
  OR NEW.items IS NOT OLD.items OR NEW.digest IS NOT OLD.digest OR NEW.people IS NOT OLD.people OR NEW.role IS NOT OLD.role
  OR NEW.revision <> OLD.revision + 1 OR NEW.state < OLD.state AND NOT (OLD.state = 4 AND NEW.state = 3)
BEGIN SELECT RAISE(ABORT, 'what a plan does is frozen, and it only moves on'); END;
CREATE TRIGGER plans_no_delete BEFORE DELETE ON plans
BEGIN SELECT RAISE(ABORT, 'plans are kept'); END;
CREATE TRIGGER plan_items_of_drafts BEFORE INSERT ON plan_items
WHEN (SELECT state FROM plans WHERE id = NEW.plan) IS NOT 1
BEGIN SELECT RAISE(ABORT, 'a plan that is frozen takes no more items'); END;
CREATE TRIGGER plan_items_frozen BEFORE UPDATE ON plan_items
WHEN NEW.plan IS NOT OLD.plan OR NEW.ord IS NOT OLD.ord OR NEW.run IS NOT OLD.run OR NEW.command IS NOT OLD.command
  OR NEW.target IS NOT OLD.target OR NEW.seen IS NOT OLD.seen OR NEW.situation IS NOT OLD.situation
  OR OLD.state <> 1 AND (NEW.state IS NOT OLD.state OR NEW.left_out IS NOT OLD.left_out OR NEW.why IS NOT OLD.why
  OR NEW.version IS NOT OLD.version OR NEW.done_at IS NOT OLD.done_at)
BEGIN SELECT RAISE(ABORT, 'an item of a plan is frozen, and has one outcome'); END;
CREATE TRIGGER plan_items_no_delete BEFORE DELETE ON plan_items
BEGIN SELECT RAISE(ABORT, 'plans are kept'); END;
)sql";

namespace {

void readPlan(Query& q, PlanRow& p)
{
    q.read(p.id, p.verb, p.command, p.login, p.actor, p.uid, p.host, p.reason, p.stagedAt, p.expiresAt,
        p.spec, p.items, p.digest, p.people, p.role, p.revision, p.state, p.confirmedBy, p.confirmedAt,
        p.note, p.aborted, p.startedAt, p.executedAt, p.endedAt, p.holder, p.leaseUntil);
}

void readItem(Query& q, PlanItem& i)
{
    q.read(i.ord, i.run, i.command, i.target, i.seen, i.situation, i.state, i.leftOut, i.why, i.version,
        i.doneAt, i.fate);
}

Status putRow(Db& db, const PlanRow& p, std::uint64_t revision)
{
    if (revision > 1)
        return Query(db, Sql::MovePlan)
            .bind(revision, p.state, p.confirmedBy, p.confirmedAt, p.note, p.aborted, p.startedAt,
                p.executedAt, p.endedAt, p.holder, p.leaseUntil, p.id)
            .run();
    return Query(db, Sql::InsertPlan)
        .bind(p.id, p.verb, p.command, p.login, p.actor, p.uid, p.host, p.reason, p.stagedAt, p.expiresAt,
            Blob{p.spec}, p.items, p.digest, p.people, p.role, revision, p.state, p.confirmedBy,
            p.confirmedAt, p.note, p.aborted, p.startedAt, p.executedAt, p.endedAt, p.holder, p.leaseUntil)
        .run();
}

Status putItems(Db& db, const PlanChange& change)
{
    Query add(db, Sql::AddPlanItem);
    for (const PlanItem& i : change.added)
        CAIRN_TRY(add.bind(change.row.id, i.ord, i.run, i.command, i.target, i.seen, i.situation, i.state,
                         i.leftOut, i.why, i.version, i.doneAt, i.fate)
                      .run());
    Query end(db, Sql::EndPlanItem);
    for (const PlanItem& i : change.done)
        CAIRN_TRY(
            end.bind(i.state, i.leftOut, i.why, i.version, i.doneAt, i.fate, change.row.id, i.ord, i.run)
                .run());
    return {};
}

}  // namespace

Result<std::vector<PlanRow>> SqliteStore::plans(bool closedToo, std::size_t limit)
{
    Query query(db(), closedToo ? Sql::AllPlans : Sql::OpenPlans);
    query.bind(limit);
    return readAll<PlanRow>(query, readPlan);
}

Result<std::vector<PlanRow>> SqliteStore::plansUnderWay(std::size_t limit)
{
    Query query(db(), Sql::PlansUnderWay);
    query.bind(limit);
    return readAll<PlanRow>(query, readPlan);
}

Result<std::optional<PlanRow>> SqliteStore::plan(const PlanId& plan)
{
    Query query(db(), Sql::PlanOf);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(plan).step());
    if (!found)
        return std::optional<PlanRow>();
    PlanRow row;
    readPlan(query, row);
    return std::optional(std::move(row));
}

Result<std::vector<PlanItem>> SqliteStore::planItems(
    const PlanId& plan, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only)
{
    Query query(db(), only ? Sql::PlanItemsIn : Sql::PlanItems);
    if (only)
        query.bind(plan, *only, after, limit);
    else
        query.bind(plan, after, limit);
    CAIRN_TRY_ASSIGN(auto items, readAll<PlanItem>(query, readItem));
    CAIRN_TRY(checkRead(plan, items));
    return items;
}

Result<std::vector<PlanCount>> SqliteStore::planCounts(const PlanId& plan)
{
    Query query(db(), Sql::PlanCounts);
    query.bind(plan);
    CAIRN_TRY_ASSIGN(auto counts, readAll<PlanCount>(query, [](Query& q, PlanCount& c) {
        q.read(c.state, c.leftOut, c.fate, c.count);
    }));
    CAIRN_TRY(checkRead(plan, counts));
    return counts;
}

Result<std::vector<PlanOfRun>> SqliteStore::plansOfRuns(std::span<const RunId> runs)
{
    std::vector<PlanOfRun> out;
    for (const RunId& run : runs) {
        Query query(db(), Sql::PlansOfRun);
        query.bind(run);
        CAIRN_TRY(forEach(query, [&](Query& q) {
            PlanOfRun& found = out.emplace_back(PlanOfRun{run, {}});
            q.read(found.plan);
        }));
    }
    return out;
}

Status SqliteStore::changePlan(const PlanChange& change)
{
    CAIRN_TRY(checkPlan(change));
    if (change.left)
        return nobodyLeaves();
    return write([&](const WriteContext&) -> Status {
        std::uint64_t revision = 0;
        {
            Query query(db(), Sql::PlanRevision);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(change.row.id).step());
            if (found)
                query.read(revision);
        }
        if (revision != change.expected)
            return planMoved(change.row.id);
        // Items before the row: a plan takes them while it is a draft, and this may be the end of that.
        if (revision == 0) {
            CAIRN_TRY(putRow(db(), change.row, 1));
            CAIRN_TRY(putItems(db(), change));
        } else {
            CAIRN_TRY(putItems(db(), change));
            CAIRN_TRY(putRow(db(), change.row, revision + 1));
        }
        if (!change.audit)
            return {};
        Query once(db(), Sql::AuditOfCommand);
        CAIRN_TRY_ASSIGN(const bool there, once.bind(change.audit->command).step());
        if (there && !change.audit->command.isNull())
            return {};
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        return insertAudit(db(), *change.audit, head);
    });
}

}  // namespace cairn::sqlite
