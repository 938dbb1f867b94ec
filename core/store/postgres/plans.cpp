// Plans: one act on many runs.

#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

namespace {

// order_plan() and plans_by_people name it by its number.
static_assert(static_cast<int>(Verb::Plan) == 53);
// What draft_plan takes.
static_assert(static_cast<int>(PlanItemState::Open) == 1 && static_cast<int>(PlanItemState::Skipped) == 3
    && static_cast<int>(PlanLeftOut::Removed) == 10 && static_cast<int>(PlanFate::None) == 0);

void readPlan(Rows& q, PlanRow& p)
{
    q.read(p.id, p.verb, p.command, p.login, p.actor, p.uid, p.host, p.reason, p.stagedAt, p.expiresAt,
        p.spec, p.items, p.digest, p.people, p.role, p.revision, p.state, p.confirmedBy, p.confirmedAt,
        p.note, p.aborted, p.startedAt, p.executedAt, p.endedAt, p.holder, p.leaseUntil);
}

void readItem(Rows& q, PlanItem& i)
{
    q.read(i.ord, i.run, i.command, i.target, i.seen, i.situation, i.state, i.leftOut, i.why, i.version,
        i.doneAt, i.fate);
}

void addRow(Batch& batch, const PlanRow& p, std::uint64_t revision)
{
    if (revision > 1)
        batch.add(Sql::MovePlan, p.id, revision, p.state, p.confirmedBy, p.confirmedAt, p.note, p.aborted,
            p.startedAt, p.executedAt, p.endedAt, p.holder, p.leaseUntil);
    else
        batch.add(Sql::InsertPlan, p.id, p.verb, p.command, p.login, p.actor, p.uid, p.host, p.reason,
            p.stagedAt, p.expiresAt, Blob{p.spec}, p.items, p.digest, p.people, p.role, revision, p.state,
            p.confirmedBy, p.confirmedAt, p.note, p.aborted, p.startedAt, p.executedAt, p.endedAt, p.holder,
            p.leaseUntil);
}

void addItems(Batch& batch, const PlanChange& change)
{
    Columns added, done;
    for (const PlanItem& i : change.added)
        added.row(i.ord, i.run, i.command, i.target, i.seen, i.situation, i.state, i.leftOut, i.why,
            i.version, i.doneAt, i.fate);
    for (const PlanItem& i : change.done)
        done.row(i.ord, i.run, i.state, i.leftOut, i.why, i.version, i.doneAt, i.fate);
    if (!added.empty())
        batch.add(Sql::AddPlanItems, change.row.id, added);
    if (!done.empty())
        batch.add(Sql::EndPlanItems, change.row.id, done);
}

// The two last answers are the audit's end and what it has of this command. Gives the entry's number; 0:
// there is one already.
Result<std::uint64_t> addEntry(Transaction& transaction, std::vector<Rows>& answers, AuditRow row)
{
    Rows& there = answers[answers.size() - 1];
    Rows& end = answers[answers.size() - 2];
    if (there.next())
        return std::uint64_t{0};
    AuditHead head;
    if (!end.next())
        return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
    end.read(head.seq, head.hash);
    chain(row, head);
    addAudit(transaction.last(), {std::move(row)});
    return head.seq;
}

}  // namespace

// Locked, as by who withdraws it.
Status checkLeft(Rows& locked, const CommandId& act)
{
    CommandId found;
    std::int64_t waits = 0;
    if (locked.next())
        locked.read(found, waits);
    return waits != 0 ? Status() : actIsOver(act);
}

Result<std::vector<PlanRow>> PostgresStore::plans(bool closedToo, std::size_t limit)
{
    return readAll<PlanRow>(closedToo ? Sql::AllPlans : Sql::OpenPlans, readPlan, limit);
}

Result<std::vector<PlanRow>> PostgresStore::plansUnderWay(std::size_t limit)
{
    return readAll<PlanRow>(Sql::PlansUnderWay, readPlan, limit);
}

Result<std::optional<PlanRow>> PostgresStore::plan(const PlanId& plan)
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<PlanRow>(Sql::PlanOf, readPlan, plan));
    return rows.empty() ? std::optional<PlanRow>() : std::optional(std::move(rows.front()));
}

Result<std::vector<PlanItem>> PostgresStore::planItems(
    const PlanId& plan, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only)
{
    CAIRN_TRY_ASSIGN(auto items,
        only ? readAll<PlanItem>(Sql::PlanItemsIn, readItem, plan, *only, after, limit)
             : readAll<PlanItem>(Sql::PlanItems, readItem, plan, after, limit));
    CAIRN_TRY(checkRead(plan, items));
    return items;
}

Result<std::vector<PlanCount>> PostgresStore::planCounts(const PlanId& plan)
{
    const auto readCount = [](Rows& q, PlanCount& c) { q.read(c.state, c.leftOut, c.fate, c.count); };
    CAIRN_TRY_ASSIGN(auto counts, readAll<PlanCount>(Sql::PlanCounts, readCount, plan));
    CAIRN_TRY(checkRead(plan, counts));
    return counts;
}

Result<std::vector<PlanOfRun>> PostgresStore::plansOfRuns(std::span<const RunId> runs)
{
    if (runs.empty())
        return std::vector<PlanOfRun>();
    const auto readOne = [](Rows& q, PlanOfRun& of) { q.read(of.run, of.plan); };
    return readAll<PlanOfRun>(Sql::PlansOfRuns, readOne, Column::of(Type::Uuid, runs));
}

Status PostgresStore::leaveDraft(const PlanChange& change)
{
    CAIRN_TRY(checkPlan(change));
    const PlanRow& p = change.row;
    Columns added;
    for (const PlanItem& i : change.added)
        added.row(i.ord, i.run, i.command, i.target, i.seen, i.situation, i.state, i.leftOut, i.why,
            i.version, i.doneAt, i.fate);
    if (p.state != PlanState::Draft || added.empty())
        return makeError(ErrorKind::InvalidInput, "a draft is left with items, and as a draft");
    CAIRN_TRY(this->change(Repeat::Never, Sql::DraftPlan, p.id, change.expected, p.verb, p.command, p.actor,
        p.uid, p.host, p.reason, p.stagedAt, p.expiresAt, Blob{p.spec}, p.items, p.digest, p.people, p.role,
        added));
    return {};
}

// The row is locked first, and the audit's head after all else.
Status PostgresStore::changePlan(const PlanChange& change)
{
    CAIRN_TRY(checkPlan(change));
    Status done = write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockPlan, change.row.id);
        if (change.left)
            first.add(Sql::LockStaged, Column::of(Type::Uuid, std::span(&*change.left, 1)));
        CAIRN_TRY_ASSIGN(auto locked, transaction.begin(first));
        std::uint64_t revision = 0;
        if (locked.front().next())
            locked.front().read(revision);
        if (change.left)
            CAIRN_TRY(checkLeft(locked.back(), *change.left));
        if (revision != change.expected)
            return planMoved(change.row.id);
        // Items before the row: a plan takes them while it is a draft, and this may be the end of that.
        Batch rows;
        if (revision == 0)
            addRow(rows, change.row, 1);
        addItems(rows, change);
        if (revision > 0)
            addRow(rows, change.row, revision + 1);
        if (change.audit) {
            rows.add(Sql::LockAuditHead);
            rows.add(Sql::AuditOfCommand, change.audit->command);
        }
        CAIRN_TRY_ASSIGN(auto answers, transaction.run(rows));
        std::uint64_t seq = 0;
        if (change.audit) {
            CAIRN_TRY_ASSIGN(seq, addEntry(transaction, answers, *change.audit));
        }
        if (change.left)
            transaction.last().add(Sql::FinishStaged, *change.left, StagedState::Committed, std::uint8_t{0},
                std::uint64_t{0}, seq, std::string());
        return {};
    });
    // What goes into the audit: not the lease of an executor, nor what it writes down item by item.
    hint(done, change.audit ? hint::kPlans : hint::kNone);
    return done;
}

}  // namespace cairn::postgres
