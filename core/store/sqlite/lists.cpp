#include "core/store/sqlite/list_sql.h"
#include "core/store/sqlite/store_impl.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

// A filter that leaves more rows than this is answered in the order's index, fewer are sorted.
constexpr std::int64_t kSortAtMost = 20'000;

constexpr const char* kSituations =
    "SELECT situation, count(*), min(nullif(since, 0)), min(nullif(next_time, 0))";
constexpr const char* kExample =
    "SELECT run, reason, attention, workflow, workflow_version, step, error, resource";

const char* orderIndex(ListOrder order)
{
    return ListSql::indexedBy(
        order == ListOrder::NewestFirst ? ListSql::Index::Created : ListSql::Index::Attention);
}

// How many rows an index alone leaves of a filter, counted in that index only; more than kSortAtMost: that
// plus one.
Result<std::int64_t> rowsOf(Db& db, ListSql::Index index, const ListTerm& term)
{
    const ListSql sql({ListSql::part(term, index)});
    const std::string text = std::string("SELECT count(*) FROM (SELECT 1 FROM run_list")
        + ListSql::indexedBy(index) + " WHERE " + sql.condition() + " LIMIT ?)";
    Query query(db, text);
    sql.bindTo(query);
    CAIRN_TRY(query.bind(kSortAtMost + 1).step());
    std::int64_t count = 0;
    query.read(count);
    return count;
}

// The index that leaves the fewest rows, where these are few enough to be sorted; else None: the order's own
// index.
Result<ListSql::Index> narrowest(Db& db, const ListFilter& filter)
{
    auto best = ListSql::Index::None;
    std::int64_t fewest = kSortAtMost + 1;
    if (filter.size() != 1)
        return best;
    for (const auto index : ListSql::candidates(filter.front())) {
        CAIRN_TRY_ASSIGN(const std::int64_t rows, rowsOf(db, index, filter.front()));
        if (rows < fewest) {
            fewest = rows;
            best = index;
        }
    }
    return best;
}

PageKey pageKey(const ListRow& row, ListOrder order)
{
    if (order == ListOrder::NewestFirst)
        return {row.createdAt, 0, row.run};
    return {static_cast<std::int64_t>(row.attention), row.since, row.run};
}

}  // namespace

void readListRow(Query& q, ListRow& r)
{
    q.read(r.run, r.root, r.parent, r.workflow, r.workflowVersion, r.key, r.activity, r.attention, r.reason,
        r.step, r.since, r.nextTime, r.situation, r.resource, r.error, r.createdAt, r.endedAt, r.steps,
        r.stepsDone, r.attempt, r.attemptsMax, r.amount.micros, r.amount.currency, r.version, r.changed);
}

Result<RunPage> SqliteStore::list(
    const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit)
{
    const ListSql sql(filter);
    CAIRN_TRY_ASSIGN(const auto narrow, narrowest(db(), filter));
    const bool newest = order == ListOrder::NewestFirst;
    std::string text = "SELECT " CAIRN_LIST_COLUMNS " FROM run_list";
    text += narrow != ListSql::Index::None ? ListSql::indexedBy(narrow) : orderIndex(order);
    text += " WHERE " + sql.condition();
    if (after)
        text += newest ? " AND (created_at, run) < (?, ?)" : " AND (attention, since, run) > (?, ?, ?)";
    text +=
        newest ? " ORDER BY created_at DESC, run DESC LIMIT ?" : " ORDER BY attention, since, run LIMIT ?";
    Query query(db(), text);
    sql.bindTo(query);
    if (after) {
        query.bind(after->a);
        if (!newest)
            query.bind(after->b);
        query.bind(after->run);
    }
    query.bind(limit + 1);
    RunPage page;
    CAIRN_TRY_ASSIGN(page.rows, readAll<ListRow>(query, readListRow));
    if (page.rows.size() > limit) {
        page.rows.resize(limit);
        if (limit > 0)
            page.next = pageKey(page.rows.back(), order);
    }
    return page;
}

Result<std::uint64_t> SqliteStore::count(const ListFilter& filter)
{
    const ListSql sql(filter);
    const std::string text = std::string("SELECT count(*) FROM run_list")
        + ListSql::indexedBy(sql.narrowing()) + " WHERE " + sql.condition();
    Query query(db(), text);
    sql.bindTo(query);
    CAIRN_TRY(query.step());
    std::uint64_t count = 0;
    query.read(count);
    return count;
}

Result<std::vector<CountRow>> SqliteStore::counts(const ListFilter& filter)
{
    const ListSql sql(filter);
    const auto index = sql.narrowing() == ListSql::Index::None ? ListSql::Index::Activity : sql.narrowing();
    const std::string text =
        std::string("SELECT attention, activity, reason, count(*), min(nullif(since, 0)) FROM run_list")
        + ListSql::indexedBy(index) + " WHERE " + sql.condition() + " GROUP BY activity, attention, reason";
    Query query(db(), text);
    sql.bindTo(query);
    CAIRN_TRY_ASSIGN(auto rows, readAll<CountRow>(query, [](Query& q, CountRow& r) {
        q.read(r.attention, r.activity, r.reason, r.count, r.oldest);
    }));
    std::sort(rows.begin(), rows.end(), [](const CountRow& a, const CountRow& b) {
        return std::tie(a.attention, a.activity, a.reason) < std::tie(b.attention, b.activity, b.reason);
    });
    return rows;
}

Result<std::vector<SituationRow>> SqliteStore::situations(const ListFilter& filter, std::size_t limit)
{
    const ListSql sql(filter);
    const std::string from =
        std::string(" FROM run_list INDEXED BY list_situation WHERE situation IS NOT NULL AND ")
        + sql.condition();
    std::vector<SituationRow> rows;
    {
        Query query(db(), std::string(kSituations) + from + " GROUP BY situation ORDER BY 2 DESC, 1 LIMIT ?");
        sql.bindTo(query);
        query.bind(limit);
        CAIRN_TRY_ASSIGN(rows, readAll<SituationRow>(query, [](Query& q, SituationRow& r) {
            q.read(r.situation, r.count, r.oldest, r.nextTime);
        }));
    }
    const std::string example =
        std::string(kExample) + from + " AND situation = ? ORDER BY since, run LIMIT 1";
    for (SituationRow& r : rows) {
        Query query(db(), example);
        sql.bindTo(query);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(r.situation).step());
        if (found)
            query.read(
                r.example, r.reason, r.attention, r.workflow, r.workflowVersion, r.step, r.error, r.resource);
    }
    return rows;
}

Result<std::vector<ListRow>> SqliteStore::listRows(std::span<const RunId> runs)
{
    std::vector<ListRow> rows;
    for (const RunId& run : runs) {
        Query query(db(), Sql::ListRowOf);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(run).step());
        if (found)
            readListRow(query, rows.emplace_back());
    }
    return rows;
}

Result<Changes> SqliteStore::changesSince(std::uint64_t cursor, std::size_t limit)
{
    Changes changes;
    changes.cursor = cursor;
    if (cursor == 0) {
        Query query(db(), Sql::ChangeCounter);
        CAIRN_TRY(query.step());
        query.read(changes.cursor);
        return changes;
    }
    Query query(db(), Sql::ChangedSince);
    query.bind(cursor, limit + 1);
    CAIRN_TRY_ASSIGN(changes.rows, readAll<ListRow>(query, readListRow));
    changes.more = changes.rows.size() > limit;
    if (changes.more)
        changes.rows.resize(limit);
    if (!changes.rows.empty())
        changes.cursor = changes.rows.back().changed;
    return changes;
}

}  // namespace cairn::sqlite
