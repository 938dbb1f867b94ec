// Lists of a store that is too large to be answered by sorting what matches: whichever way SQLite is asked,
// the answer is what the filter means in plain code.
#include "core/store/memory/list_match.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/store/builders.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <algorithm>
#include <functional>

using namespace cairn;
using namespace cairn::testing;

namespace {

constexpr int kRuns = 16'000;
constexpr std::size_t kPage = 300;

struct Case {
    const char* name;
    std::function<ListFilter()> filter;
};

ListFilter one(const std::function<void(ListTerm&)>& set)
{
    ListTerm term;
    set(term);
    return {term};
}

RunId runOf(int i) { return Writer("large " + std::to_string(i)).run; }

// Many filters leave more than half of the rows, some a few in a thousand that come last in one order or the
// other, one none.
const Case kCases[] = {
    {"all", [] { return ListFilter{}; }},
    {"unfinished", [] { return one([](ListTerm& t) { t.unfinishedOnly = true; }); }},
    {"a common reason", [] { return one([](ListTerm& t) { t.reason = {Reason::Approval}; }); }},
    {"a rare reason", [] { return one([](ListTerm& t) { t.reason = {Reason::Budget}; }); }},
    {"not a common reason", [] { return one([](ListTerm& t) { t.notReason = {Reason::Approval}; }); }},
    {"a step", [] { return one([](ListTerm& t) { t.step = {"pay"}; }); }},
    {"steps by prefix", [] { return one([](ListTerm& t) { t.step = {"qu*"}; }); }},
    {"a step that no run has", [] { return one([](ListTerm& t) { t.step = {"nothing"}; }); }},
    {"a step of the oldest runs", [] { return one([](ListTerm& t) { t.step = {"early"}; }); }},
    {"a workflow", [] { return one([](ListTerm& t) { t.workflow = {"purchase"}; }); }},
    {"a workflow since",
        [] {
            return one([](ListTerm& t) {
                t.workflow = {"purchase"};
                t.createdAfter = 1'020'000;
            });
        }},
    {"a version, not a step",
        [] {
            return one([](ListTerm& t) {
                t.workflow = {"review@2"};
                t.notStep = {"pay"};
            });
        }},
    {"waiting long",
        [] {
            return one([](ListTerm& t) {
                t.unfinishedOnly = true;
                t.sinceBefore = 3'000;
            });
        }},
    {"a common error", [] { return one([](ListTerm& t) { t.errorContains = {"HTTP 50"}; }); }},
    {"an error of the oldest runs", [] { return one([](ListTerm& t) { t.errorContains = {"EARLY"}; }); }},
    {"an unfinished run's error",
        [] {
            return one([](ListTerm& t) {
                t.errorContains = {"http"};
                t.unfinishedOnly = true;
            });
        }},
    {"any error",
        [] {
            return one([](ListTerm& t) {
                t.errorContains = {""};
                t.reason = {Reason::Retry};
            });
        }},
    {"a common attribute", [] { return one([](ListTerm& t) {
                                    t.attributes = {{"region", "EU"}};
                                }); }},
    {"a rare attribute", [] { return one([](ListTerm& t) {
                                  t.attributes = {{"order", "PO-17"}};
                              }); }},
    {"two attributes and a step",
        [] {
            return one([](ListTerm& t) {
                t.attributes = {{"region", "EU"}, {"half", "odd"}};
                t.step = {"pay"};
            });
        }},
    {"no such attribute", [] { return one([](ListTerm& t) {
                                   t.attributes = {{"region", "nowhere"}};
                               }); }},
    {"keys by prefix", [] { return one([](ListTerm& t) { t.key = {"order 1*"}; }); }},
    {"a root with many runs",
        [] {
            return one([](ListTerm& t) {
                t.root = runOf(0);
                t.unfinishedOnly = true;
            });
        }},
    {"roots only",
        [] {
            return one([](ListTerm& t) {
                t.rootsOnly = true;
                t.attention = {Attention::Machine};
            });
        }},
    {"a resource", [] { return one([](ListTerm& t) { t.resource = {"api"}; }); }},
    {"a large situation",
        [] {
            return one([](ListTerm& t) {
                t.situation = {"large"};
                t.sinceAfter = 2'000;
            });
        }},
    {"no situation", [] { return one([](ListTerm& t) { t.situation = {""}; }); }},
    {"one run", [] { return one([](ListTerm& t) { t.run = runOf(4711); }); }},
    {"this or that",
        [] {
            ListTerm a, b;
            a.step = {"early"};
            b.errorContains = {"said by nobody"};
            return ListFilter{a, b};
        }},
    {"this error or that",
        [] {
            ListTerm a, b;
            a.errorContains = {"early"};
            a.unfinishedOnly = true;
            b.errorContains = {"HTTP 503"};
            b.reason = {Reason::Retry};
            return ListFilter{a, b};
        }},
    {"this step or that reason",
        [] {
            ListTerm a, b;
            a.step = {"early"};
            b.reason = {Reason::Budget};
            return ListFilter{a, b};
        }},
    {"this situation or that",
        [] {
            ListTerm a, b;
            a.situation = {"large"};
            a.step = {"quote"};
            b.situation = {"small"};
            return ListFilter{a, b};
        }},
    {"an attribute or a key",
        [] {
            ListTerm a, b;
            a.attributes = {{"order", "PO-17"}};
            b.key = {"order 42"};
            return ListFilter{a, b};
        }},
};

ListRow rowOf(const Writer& writer, int i)
{
    const auto draw = mix64(static_cast<std::uint64_t>(i));
    ListRow row = writer.listRow();
    row.createdAt = 1'000'000 + i;
    row.since = 1'000 + static_cast<TimeMs>(draw / 64 % 5'000);
    row.workflow = draw % 10 < 7 ? "purchase" : "review";
    row.workflowVersion = 1 + static_cast<std::uint32_t>(draw % 2);
    row.step = i < 40 ? "early" : draw % 3 == 0 ? "pay" : "quote";
    row.key = "order " + std::to_string(i);
    if (i > 0 && draw % 4 != 0)
        row.parent = row.root = runOf(0);
    const auto kind = draw / 1024 % 100;
    row.activity = kind < 10 ? Activity::Completed
        : kind < 70          ? Activity::Waiting
        : kind < 99          ? Activity::Retrying
                             : Activity::Blocked;
    row.attention = kind < 10 ? Attention::None
        : kind < 70           ? Attention::Person
        : kind < 99           ? Attention::Machine
                              : Attention::Repair;
    row.reason = kind < 10 ? Reason::None
        : kind < 70        ? Reason::Approval
        : kind < 99        ? Reason::Retry
                           : Reason::Budget;
    row.error = i < 40 ? "early fault" : kind >= 40 && kind < 99 ? "HTTP 503 from #" : "";
    row.resource = kind % 50 == 30 ? "api" : "";
    row.situation = kind < 10 ? "" : kind < 97 ? "large" : "small";
    return row;
}

}  // namespace

class TestSqliteLargeLists : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void answersAreWhatTheFilterMeans_data();
    void answersAreWhatTheFilterMeans();

private:
    void fill();
    std::vector<RunId> wanted(const ListFilter& filter, ListOrder order) const;
    static bool hasAttribute(int i, const std::string& name, const std::string& text);

    Scratch m_folder;
    std::unique_ptr<StoreWriter> m_store;
    std::vector<ListRow> m_rows;
};

bool TestSqliteLargeLists::hasAttribute(int i, const std::string& name, const std::string& text)
{
    if (name == "region")
        return text == (i % 10 < 9 ? "EU" : "US");
    if (name == "half")
        return text == (i % 2 == 0 ? "even" : "odd");
    return name == "order" && text == "PO-" + std::to_string(i);
}

void TestSqliteLargeLists::fill()
{
    std::vector<CommitMember> group;
    std::vector<MemberResult> results;
    for (int i = 0; i < kRuns; ++i) {
        const Writer writer("large " + std::to_string(i));
        const ListRow row = rowOf(writer, i);
        CommitMember member = writer.create(row.key);
        member.identity->parent.run = row.parent;
        member.attributes = {{"order", "text", "PO-" + std::to_string(i), 0},
            {"region", "text", i % 10 < 9 ? "EU" : "US", 0},
            {"half", "text", i % 2 == 0 ? "even" : "odd", 0}};
        member.list = row;
        group.push_back(std::move(member));
        m_rows.push_back(row);
        if (group.size() < 300 && i + 1 < kRuns)
            continue;
        CAIRN_VERIFY_OK(m_store->commit(group, results));
        for (const MemberResult& result : results)
            QVERIFY(result.kind == MemberResult::Kind::Committed);
        group.clear();
    }
}

void TestSqliteLargeLists::initTestCase()
{
    CAIRN_VERIFY_OK(sqlite::initStore(m_folder.file("store.db"), {}));
    StoreOptions options;
    options.synchronousNormal = true;
    auto store = sqlite::openStore(m_folder.file("store.db"), options);
    CAIRN_VERIFY_OK(store);
    m_store = *std::move(store);
    fill();
}

std::vector<RunId> TestSqliteLargeLists::wanted(const ListFilter& filter, ListOrder order) const
{
    std::vector<const ListRow*> found;
    for (int i = 0; i < kRuns; ++i) {
        ListLookup look;
        look.hasAttribute = [i](const RunId&, const std::string& name, const std::string& text) {
            return hasAttribute(i, name, text);
        };
        if (matches(filter, m_rows[static_cast<std::size_t>(i)], look))
            found.push_back(&m_rows[static_cast<std::size_t>(i)]);
    }
    std::sort(found.begin(), found.end(), [order](const ListRow* a, const ListRow* b) {
        if (order == ListOrder::NewestFirst)
            return std::tie(b->createdAt, b->run) < std::tie(a->createdAt, a->run);
        return std::tie(a->attention, a->since, a->run) < std::tie(b->attention, b->since, b->run);
    });
    std::vector<RunId> runs;
    for (const ListRow* row : found)
        runs.push_back(row->run);
    return runs;
}

void TestSqliteLargeLists::answersAreWhatTheFilterMeans_data()
{
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kCases)); ++i)
        QTest::newRow(kCases[i].name) << i;
}

void TestSqliteLargeLists::answersAreWhatTheFilterMeans()
{
    QFETCH(int, index);
    const ListFilter filter = kCases[index].filter();
    for (const ListOrder order : {ListOrder::NewestFirst, ListOrder::AttentionThenOldest}) {
        const std::vector<RunId> all = wanted(filter, order);
        std::optional<PageKey> after;
        std::size_t seen = 0;
        for (int page = 0; page < 4; ++page) {  // the first, and some that follow
            const auto read = m_store->list(filter, order, after, kPage);
            CAIRN_VERIFY_OK(read);
            QCOMPARE(read->rows.size(), std::min(kPage, all.size() - seen));
            for (const ListRow& row : read->rows)
                QVERIFY2(row.run == all[seen++], qPrintable(QString::number(seen)));
            QCOMPARE(read->next.has_value(), seen < all.size());
            after = read->next;
            if (!after)
                break;
        }
        QCOMPARE(*m_store->count(filter), std::uint64_t{all.size()});
        const auto counts = m_store->counts(filter);
        CAIRN_VERIFY_OK(counts);
        std::uint64_t sum = 0;
        for (const CountRow& row : *counts)
            sum += row.count;
        QCOMPARE(sum, std::uint64_t{all.size()});
        const auto situations = m_store->situations(filter, 10);
        CAIRN_VERIFY_OK(situations);
        std::uint64_t waiting = 0;
        for (const SituationRow& row : situations->rows)
            waiting += row.count;
        ListFilter waits = filter.empty() ? ListFilter{ListTerm{}} : filter;
        for (ListTerm& term : waits)
            if (term.situation.empty())
                term.situation = {"large", "small"};
        if (filter.size() != 1 || filter.front().situation != std::vector<std::string>{""})
            QCOMPARE(waiting, std::uint64_t{wanted(waits, order).size()});
    }
}

QTEST_APPLESS_MAIN(TestSqliteLargeLists)
#include "tst_sqlite_large_lists.moc"
