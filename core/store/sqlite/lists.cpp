#include "core/store/sqlite/list_sql.h"
#include "core/store/sqlite/store_impl.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

// A filter that leaves more rows than this is not answered by fetching and sorting them all.
constexpr std::int64_t kSortAtMost = 10'000;
// How many rows of the order's own index are looked at before another way is tried.
constexpr int kProbe = 5'000;

constexpr const char* kSituations = "SELECT situation, min(attention), count(*), min(nullif(since, 0)), "
                                    "min(nullif(next_time, 0)), count(nullif(assigned, '')), "
                                    "min(nullif(assigned, '')), max(assigned), count(*) OVER ()";
constexpr const char* kExample = "SELECT run, reason, workflow, workflow_version, step, error, resource";

using Index = ListSql::Index;

Index orderIndex(ListOrder order)
{
    return order == ListOrder::NewestFirst ? Index::Created : Index::Attention;
}

const char* orderBy(ListOrder order)
{
    return order == ListOrder::NewestFirst ? " ORDER BY created_at DESC, run DESC"
                                           : " ORDER BY attention, since, run";
}

// How many rows an index alone leaves of a filter, counted in that index only; more than kSortAtMost: that
// plus one.
Result<std::int64_t> rowsOf(Db& db, Index index, const ListTerm& term)
{
    const ListSql sql({ListSql::part(term, index)}, index);
    const std::string text =
        "SELECT count(*) FROM (SELECT 1" + sql.from() + " WHERE " + sql.condition() + " LIMIT ?)";
    Query query(db, text);
    sql.bindTo(query);
    CAIRN_TRY(query.bind(kSortAtMost + 1).step());
    std::int64_t count = 0;
    query.read(count);
    return count;
}

// The index that leaves the fewest rows, where these are few enough to be sorted; else None.
Result<Index> narrowest(Db& db, const ListFilter& filter)
{
    auto best = Index::None;
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

// Where rows come from when all that match have to be looked at.
Index widest(const ListFilter& filter)
{
    if (filter.size() == 1 && !filter.front().attributes.empty())
        return Index::Attribute;
    return ListSql::covering(filter);
}

// Nothing but these words, or this workflow, is asked for: a narrow index holds that, and `since` or
// `created_at` beside it.
bool asksOnly(Index index, const ListFilter& filter)
{
    if (filter.size() != 1)
        return filter.empty() && index == Index::Activity;
    ListTerm part = ListSql::part(filter.front(), index);
    const ListTerm& term = filter.front();
    if (index == Index::Activity) {
        part.sinceBefore = term.sinceBefore;
        part.sinceAfter = term.sinceAfter;
    } else if (term.workflow.size() != 1 || term.workflow.front().find('@') != std::string::npos) {
        return false;
    } else {
        part.createdBefore = term.createdBefore;
        part.createdAfter = term.createdAfter;
    }
    return ListSql({part}).condition() == ListSql({term}).condition();
}

Result<Index> countingIndex(Db& db, const ListFilter& filter, bool byWords)
{
    if (asksOnly(Index::Activity, filter))
        return Index::Activity;
    if (!byWords && asksOnly(Index::Workflow, filter))
        return Index::Workflow;
    CAIRN_TRY_ASSIGN(const auto narrow, narrowest(db, filter));
    return narrow != Index::None ? narrow : widest(filter);
}

}  // namespace

void readListRow(Query& q, ListRow& r)
{
    q.read(r.run, r.root, r.parent, r.workflow, r.workflowVersion, r.key, r.activity, r.attention, r.reason,
        r.step, r.since, r.nextTime, r.situation, r.resource, r.error, r.createdAt, r.endedAt, r.steps,
        r.stepsDone, r.attempt, r.attemptsMax, r.amount.micros, r.amount.currency, r.heldUntil, r.assigned,
        r.version, r.changed);
}

namespace {

// One page of a list; the ways to it differ in what they have to look at.
class PageQuery {
public:
    PageQuery(Db& db, const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after,
        std::size_t limit)
        : m_db(db)
        , m_filter(filter)
        , m_order(order)
        , m_after(after)
        , m_limit(limit)
    {
    }

    // Rows in order, one more than the limit where there are more.
    Result<std::vector<ListRow>> rows()
    {
        const Index ordered = orderIndex(m_order);
        if (m_filter.empty())
            return inOrder(ordered);
        CAIRN_TRY_ASSIGN(const Index narrow, narrowest(m_db, m_filter));
        if (narrow != Index::None)
            return sorted(narrow);
        if (ordered == Index::Attention && ListSql::covering(m_filter) == Index::Attention)
            return found(Index::Attention);
        CAIRN_TRY_ASSIGN(auto probed, probe(ordered));
        if (probed)
            return *std::move(probed);
        const Index wide = widest(m_filter);
        return wide == Index::None || wide == Index::Attribute ? sorted(wide) : found(wide);
    }

private:
    [[nodiscard]] bool newest() const { return m_order == ListOrder::NewestFirst; }
    [[nodiscard]] std::string afterKey() const
    {
        if (!m_after)
            return {};
        return newest() ? " AND (created_at, run) < (?, ?)" : " AND (attention, since, run) > (?, ?, ?)";
    }
    void bindAfter(Query& query) const
    {
        if (!m_after)
            return;
        query.bind(m_after->a);
        if (!newest())
            query.bind(m_after->b);
        query.bind(m_after->run);
    }
    Result<std::vector<ListRow>> read(const std::string& text, const ListSql& sql) const
    {
        Query query(m_db, text);
        sql.bindTo(query);
        bindAfter(query);
        query.bind(m_limit + 1);
        return readAll<ListRow>(query, readListRow);
    }
    // In the order's own index.
    Result<std::vector<ListRow>> inOrder(Index index) const
    {
        const ListSql sql(m_filter, index);
        return read("SELECT " CAIRN_LIST_COLUMNS + sql.from() + " WHERE " + sql.condition() + afterKey()
                + orderBy(m_order) + " LIMIT ?",
            sql);
    }
    // All rows that match are fetched, and the first of them kept. The sign keeps the planner from the
    // order's index.
    Result<std::vector<ListRow>> sorted(Index index) const
    {
        const ListSql sql(m_filter, index);
        return read("SELECT " CAIRN_LIST_COLUMNS + sql.from() + " WHERE " + sql.condition() + afterKey()
                + (newest() ? " ORDER BY +created_at DESC, run DESC" : " ORDER BY +attention, since, run")
                + " LIMIT ?",
            sql);
    }
    // What matches is found in an index that holds all that is asked for; then only these rows are fetched.
    Result<std::vector<ListRow>> found(Index index) const
    {
        const ListSql sql(m_filter, index);
        return read("SELECT " CAIRN_LIST_COLUMNS " FROM (SELECT run AS found" + sql.from() + " WHERE "
                + sql.condition() + afterKey() + orderBy(m_order)
                + " LIMIT ?) CROSS JOIN run_list ON run_list.run = found" + orderBy(m_order),
            sql);
    }
    // The first rows in order, as long as enough of them match: most filters are not rare. Nothing: they are.
    Result<std::optional<std::vector<ListRow>>> probe(Index index) const
    {
        const ListSql sql(m_filter);
        const std::string text = "SELECT " CAIRN_LIST_COLUMNS ", " + sql.condition()
            + ListSql({}, index).from() + " WHERE 1" + afterKey() + orderBy(m_order);
        Query query(m_db, text);
        sql.bindTo(query);
        bindAfter(query);
        std::vector<ListRow> rows;
        for (int seen = 0; seen < kProbe && rows.size() <= m_limit; ++seen) {
            CAIRN_TRY_ASSIGN(const bool more, query.step());
            if (!more)
                return std::optional(std::move(rows));
            ListRow row;
            readListRow(query, row);
            bool matches = false;
            query.readMore(matches);
            if (matches)
                rows.push_back(std::move(row));
        }
        return rows.size() > m_limit ? std::optional(std::move(rows)) : std::nullopt;
    }

    Db& m_db;
    const ListFilter& m_filter;
    ListOrder m_order;
    const std::optional<PageKey>& m_after;
    std::size_t m_limit;
};

}  // namespace

Result<RunPage> SqliteStore::list(
    const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit)
{
    RunPage page;
    CAIRN_TRY_ASSIGN(page.rows, PageQuery(db(), filter, order, after, limit).rows());
    if (page.rows.size() > limit) {
        page.rows.resize(limit);
        if (limit > 0)
            page.next = pageKey(page.rows.back(), order);
    }
    return page;
}

Result<std::uint64_t> SqliteStore::count(const ListFilter& filter)
{
    CAIRN_TRY_ASSIGN(const Index index, countingIndex(db(), filter, false));
    const ListSql sql(filter, index);
    Query query(db(), "SELECT count(*)" + sql.from() + " WHERE " + sql.condition());
    sql.bindTo(query);
    CAIRN_TRY(query.step());
    std::uint64_t count = 0;
    query.read(count);
    return count;
}

Result<std::vector<CountRow>> SqliteStore::counts(const ListFilter& filter)
{
    CAIRN_TRY_ASSIGN(const Index index, countingIndex(db(), filter, true));
    const ListSql sql(filter, index);
    Query query(db(),
        "SELECT attention, activity, reason, count(*), min(nullif(since, 0))" + sql.from() + " WHERE "
            + sql.condition() + " GROUP BY activity, attention, reason");
    sql.bindTo(query);
    CAIRN_TRY_ASSIGN(auto rows, readAll<CountRow>(query, [](Query& q, CountRow& r) {
        q.read(r.attention, r.activity, r.reason, r.count, r.oldest);
    }));
    std::sort(rows.begin(), rows.end(), [](const CountRow& a, const CountRow& b) {
        return std::tie(a.attention, a.activity, a.reason) < std::tie(b.attention, b.activity, b.reason);
    });
    return rows;
}

Result<SituationList> SqliteStore::situations(const ListFilter& filter, std::size_t limit)
{
    const ListSql sql(filter, Index::Situation);
    const std::string from = sql.from() + " WHERE situation IS NOT NULL AND " + sql.condition();
    SituationList list;
    {
        Query query(db(), std::string(kSituations) + from + " GROUP BY situation ORDER BY 2, 4, 1 LIMIT ?");
        sql.bindTo(query);
        query.bind(limit);
        CAIRN_TRY_ASSIGN(list.rows, readAll<SituationRow>(query, [&list](Query& q, SituationRow& r) {
            q.read(r.situation, r.attention, r.count, r.oldest, r.nextTime, r.assignedRuns, r.assigned,
                r.assignedLast, list.total);
        }));
    }
    const std::string example =
        std::string(kExample) + from + " AND situation = ? ORDER BY since, run LIMIT 1";
    for (SituationRow& r : list.rows) {
        Query query(db(), example);
        sql.bindTo(query);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(r.situation).step());
        if (found)
            query.read(r.example, r.reason, r.workflow, r.workflowVersion, r.step, r.error, r.resource);
    }
    return list;
}

// Each situation is a stretch of the index, of which only what began since is read.
Result<std::vector<SituationStarts>> SqliteStore::situationStarts(
    const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    const ListSql sql(filter, Index::Situation);
    const std::string text = "SELECT (since - ?) / ? AS slot, count(*)" + sql.from()
        + " WHERE situation IS NOT NULL AND " + sql.condition()
        + " AND situation = ? AND since >= ? GROUP BY slot ORDER BY slot";
    std::vector<SituationStarts> starts;
    for (const std::string& situation : inOrder(situations)) {
        Query query(db(), text);
        query.bind(from, width);
        sql.bindTo(query);
        query.bind(situation, from);
        CAIRN_TRY(forEach(query, [&](Query& q) {
            SituationStarts& one = starts.emplace_back(SituationStarts{situation, 0, 0});
            q.read(one.slot, one.count);
        }));
    }
    return starts;
}

Result<std::vector<SituationStarts>> SqliteStore::situationNext(
    const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width)
{
    CAIRN_TRY(checkSlots(width));
    const ListSql sql(filter, Index::Situation);
    const std::string text = "SELECT (next_time - ?) / ? AS slot, count(*)" + sql.from()
        + " WHERE situation IS NOT NULL AND " + sql.condition()
        + " AND situation = ? AND next_time >= ? GROUP BY slot ORDER BY slot";
    std::vector<SituationStarts> next;
    Query query(db(), text);
    query.bind(from, width);
    sql.bindTo(query);
    query.bind(situation, from);
    CAIRN_TRY(forEach(query, [&](Query& q) {
        SituationStarts& one = next.emplace_back(SituationStarts{situation, 0, 0});
        q.read(one.slot, one.count);
    }));
    return next;
}

Result<std::vector<SituationPart>> SqliteStore::situationParts(
    const ListFilter& filter, const std::string& situation)
{
    const ListSql sql(filter, Index::Situation);
    const std::string text = "SELECT workflow, step, count(*)" + sql.from()
        + " WHERE situation IS NOT NULL AND " + sql.condition()
        + " AND situation = ? GROUP BY workflow, step ORDER BY workflow, step";
    Query query(db(), text);
    sql.bindTo(query);
    query.bind(situation);
    return readAll<SituationPart>(
        query, [](Query& q, SituationPart& part) { q.read(part.workflow, part.step, part.count); });
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
    Query removed(db(), Sql::RemovedSince);
    removed.bind(cursor, limit + 1);
    CAIRN_TRY_ASSIGN(changes.removed,
        readAll<GoneRun>(removed, [](Query& q, GoneRun& gone) { q.read(gone.run, gone.changed); }));
    if (const std::uint64_t last = keepOldest(changes, limit); last != 0)
        changes.cursor = last;
    return changes;
}

}  // namespace cairn::sqlite
