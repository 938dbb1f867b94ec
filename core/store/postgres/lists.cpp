#include "core/store/postgres/list_sql.h"
#include "core/store/postgres/store_impl.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cairn::postgres {

namespace {

const char* orderBy(ListOrder order)
{
    return order == ListOrder::NewestFirst ? " ORDER BY created_at DESC, run DESC"
                                           : " ORDER BY attention, since, run";
}

// Pages go by key, never by OFFSET.
std::string afterKey(ListSql& sql, ListOrder order, const std::optional<PageKey>& after)
{
    if (!after)
        return {};
    if (order == ListOrder::NewestFirst) {
        const std::string created = sql.bind(after->a);
        return " AND (created_at, run) < (" + created + ", " + sql.bind(RawId{after->run.bytes}) + ")";
    }
    const std::string attention = sql.bind(after->a);
    const std::string since = sql.bind(after->b);
    return " AND (attention, since, run) > (" + attention + ", " + since + ", "
        + sql.bind(RawId{after->run.bytes}) + ")";
}

std::vector<ListRow> listRowsOf(Rows& rows)
{
    std::vector<ListRow> out;
    out.reserve(rows.count());
    while (rows.next())
        readListRow(rows, out.emplace_back());
    return out;
}

std::vector<GoneRun> goneRunsOf(Rows& rows)
{
    std::vector<GoneRun> out;
    while (rows.next()) {
        GoneRun& gone = out.emplace_back();
        rows.read(gone.run, gone.changed);
    }
    return out;
}

// As many of `newest`, the newest of which is the first, as there is room for.
template<class Row> void addNewest(std::vector<Row>& to, const std::vector<Row>& newest, std::size_t room)
{
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, newest.size()));
    to.insert(to.end(), newest.rend() - count, newest.rend());
}

}  // namespace

void readListRow(Rows& q, ListRow& r)
{
    q.read(r.run, r.root, r.parent, r.workflow, r.workflowVersion, r.key, r.activity, r.attention, r.reason,
        r.step, r.since, r.nextTime, r.situation, r.resource, r.error, r.createdAt, r.endedAt, r.steps,
        r.stepsDone, r.attempt, r.attemptsMax, r.amount.micros, r.amount.currency, r.heldUntil, r.assigned,
        r.version, r.changed);
}

Result<RunPage> PostgresStore::list(
    const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit)
{
    ListSql sql(filter);
    std::string text = "SELECT " CAIRN_PG_LIST_COLUMNS " FROM cairn.run_list WHERE " + sql.condition();
    text += afterKey(sql, order, after);
    text += orderBy(order);
    text += " LIMIT " + sql.bind(limit + 1);
    Batch batch;
    batch.addText(std::move(text), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    RunPage page;
    page.rows = listRowsOf(answers.front());
    if (page.rows.size() > limit) {
        page.rows.resize(limit);
        if (limit > 0)
            page.next = pageKey(page.rows.back(), order);
    }
    return page;
}

Result<std::uint64_t> PostgresStore::count(const ListFilter& filter)
{
    const ListSql sql(filter);
    Batch batch;
    batch.addText("SELECT count(*) FROM cairn.run_list WHERE " + sql.condition(), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    std::uint64_t count = 0;
    if (answers.front().next())
        answers.front().read(count);
    return count;
}

Result<std::vector<CountRow>> PostgresStore::counts(const ListFilter& filter)
{
    const ListSql sql(filter);
    Batch batch;
    batch.addText(
        "SELECT attention, activity, reason, count(*), min(nullif(since, 0)) FROM cairn.run_list WHERE "
            + sql.condition() + " GROUP BY activity, attention, reason",
        sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    std::vector<CountRow> rows;
    while (answers.front().next()) {
        CountRow& r = rows.emplace_back();
        answers.front().read(r.attention, r.activity, r.reason, r.count, r.oldest);
    }
    std::sort(rows.begin(), rows.end(), [](const CountRow& a, const CountRow& b) {
        return std::tie(a.attention, a.activity, a.reason) < std::tie(b.attention, b.activity, b.reason);
    });
    return rows;
}

Result<SituationList> PostgresStore::situations(const ListFilter& filter, std::size_t limit)
{
    ListSql sql(filter);
    const std::string from = " FROM cairn.run_list WHERE situation IS NOT NULL AND " + sql.condition();
    std::string groups = "SELECT situation, min(attention), count(*), min(nullif(since, 0)), "
                         "min(nullif(next_time, 0)), count(nullif(assigned, '')), min(nullif(assigned, '')), "
                         "max(assigned), count(*) OVER ()"
        + from + " GROUP BY situation ORDER BY 2, 4 NULLS FIRST, 1 LIMIT ";
    groups += sql.bind(limit);
    Batch batch;
    batch.addText(std::move(groups), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    SituationList list;
    std::vector<SituationRow>& rows = list.rows;
    std::map<std::string, std::size_t> places;
    Column found(Type::Text);
    while (answers.front().next()) {
        SituationRow& r = rows.emplace_back();
        answers.front().read(r.situation, r.attention, r.count, r.oldest, r.nextTime, r.assignedRuns,
            r.assigned, r.assignedLast, list.total);
        places[r.situation] = rows.size() - 1;
        found.add(r.situation);
    }
    if (rows.empty())
        return list;
    ListSql members(filter);
    std::string examples =
        "SELECT DISTINCT ON (situation) situation, run, reason, workflow, workflow_version, "
        "step, error, resource FROM cairn.run_list WHERE "
        + members.condition() + " AND situation = ANY(";
    examples += members.bind(found) + ") ORDER BY situation, since, run";
    Batch second;
    second.addText(std::move(examples), members.params());
    CAIRN_TRY_ASSIGN(auto oldest, analyse(second));
    while (oldest.front().next()) {
        std::string situation;
        oldest.front().read(situation);
        const auto at = places.find(situation);
        if (at == places.end())
            continue;
        SituationRow& r = rows[at->second];
        oldest.front().readMore(
            r.example, r.reason, r.workflow, r.workflowVersion, r.step, r.error, r.resource);
    }
    return list;
}

Result<std::vector<SituationStarts>> PostgresStore::situationStarts(
    const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    std::vector<SituationStarts> starts;
    const Column asked = Column::of(Type::Text, inOrder(situations));
    if (asked.empty())
        return starts;
    ListSql sql(filter);
    std::string text = "SELECT situation, (since - " + sql.bind(from);
    text += ") / " + sql.bind(width) + ", count(*) FROM cairn.run_list WHERE " + sql.condition();
    text += " AND situation = ANY(" + sql.bind(asked);
    text += ") AND " + sql.bind(from) + " <= since GROUP BY 1, 2 ORDER BY 1, 2";
    Batch batch;
    batch.addText(std::move(text), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    while (answers.front().next()) {
        SituationStarts& one = starts.emplace_back();
        answers.front().read(one.situation, one.slot, one.count);
    }
    return starts;
}

Result<std::vector<SituationStarts>> PostgresStore::situationNext(
    const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    std::vector<SituationStarts> next;
    ListSql sql(filter);
    std::string text = "SELECT (next_time - " + sql.bind(from);
    text += ") / " + sql.bind(width) + ", count(*) FROM cairn.run_list WHERE " + sql.condition();
    text += " AND " + sql.bind(situation) + " = situation AND " + sql.bind(from);
    text += " <= next_time GROUP BY 1 ORDER BY 1";
    Batch batch;
    batch.addText(std::move(text), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    while (answers.front().next()) {
        SituationStarts& one = next.emplace_back(SituationStarts{situation, 0, 0});
        answers.front().read(one.slot, one.count);
    }
    return next;
}

Result<std::vector<SituationPart>> PostgresStore::situationParts(
    const ListFilter& filter, const std::string& situation)
{
    ListSql sql(filter);
    std::string text =
        "SELECT workflow, step, count(*) FROM cairn.run_list WHERE " + sql.condition() + " AND situation = ";
    text += sql.bind(situation) + " GROUP BY 1, 2 ORDER BY workflow COLLATE \"C\", step COLLATE \"C\"";
    Batch batch;
    batch.addText(std::move(text), sql.params());
    CAIRN_TRY_ASSIGN(auto answers, analyse(batch));
    std::vector<SituationPart> parts;
    while (answers.front().next()) {
        SituationPart& part = parts.emplace_back();
        answers.front().read(part.workflow, part.step, part.count);
    }
    return parts;
}

Result<std::vector<ListRow>> PostgresStore::listRows(std::span<const RunId> runs)
{
    if (runs.empty())
        return std::vector<ListRow>();
    return readAll<ListRow>(Sql::ListRowsOf, readListRow, Column::of(Type::Uuid, runs));
}

// Two kinds of rows. Those of transactions older than every one still under way are settled: they are given
// in order, once, in parts of `limit`. Newer ones are given as well, as many as there is room for, but the
// cursor stays before them: an older transaction may yet commit among them. They are given again until they
// are settled.
Result<Changes> PostgresStore::changesSince(std::uint64_t cursor, std::size_t limit)
{
    return reading([&]() -> Result<Changes> {
        Changes changes;
        const std::uint64_t all = ~std::uint64_t{0} >> 1U;
        Batch batch;
        const Transaction ended(*m_db);  // also where this is left early
        batch.add(Sql::BeginReading);
        const std::size_t floorAt = batch.add(Sql::ChangeFloor);
        CAIRN_TRY_ASSIGN(auto head, m_db->run(batch));
        std::uint64_t oldest = 0, newest = 0;
        if (head[floorAt].next())
            head[floorAt].read(oldest, newest);
        const std::uint64_t floor = oldest << kPlaceBits;
        Batch rows;
        rows.add(Sql::ChangedBetween, cursor == 0 ? all : cursor, floor, limit + 1);
        rows.add(Sql::ChangedLatest, cursor == 0 ? all : std::max(cursor, floor), limit);
        rows.add(Sql::RemovedBetween, cursor == 0 ? all : cursor, floor, limit + 1);
        rows.add(Sql::RemovedLatest, cursor == 0 ? all : std::max(cursor, floor), limit);
        rows.add(Sql::Commit);
        CAIRN_TRY_ASSIGN(auto answers, m_db->run(rows));
        changes.rows = listRowsOf(answers[0]);
        changes.removed = goneRunsOf(answers[2]);
        const std::uint64_t last = keepOldest(changes, limit);
        if (changes.more) {
            changes.cursor = limit > 0 ? last + 1 : cursor;
            return changes;
        }
        addNewest(
            changes.removed, goneRunsOf(answers[3]), limit - changes.rows.size() - changes.removed.size());
        addNewest(changes.rows, listRowsOf(answers[1]), limit - changes.rows.size() - changes.removed.size());
        // Never zero, which means "from now on"; and where nothing is unsettled, not moved by idle
        // transactions.
        changes.cursor = std::max({cursor, std::min(floor, newest + 1), std::uint64_t{1}});
        return changes;
    });
}

}  // namespace cairn::postgres
