// How SQLite runs the statements of this driver: on a store of any size none of those that an engine makes
// again and again walks through a whole table, least of all under the write lock.

#include "core/store/sqlite/sql.h"
#include "tests/store/sqlite_fixture.h"

#include <algorithm>
#include <set>

using namespace cairn;
using namespace cairn::testing;

class PlansTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void nothingWalksThroughATable_data();
    void nothingWalksThroughATable();
    void claimsBeginWithTheEndedSessions();
    void removalsAskByTheRunsOfTheirTree();
    void theExceptionsAreNeeded();

private:
    std::vector<std::string> planOf(const std::string& sql) const;

    Folder m_folder;
    std::unique_ptr<RawDb> m_raw;
};

namespace {

struct Statement {
    const char* name;
    std::string sql;
};
const Statement kStatements[] = {
#define CAIRN_SQL(name, text) {#name, text},
#include "core/store/sqlite/sql.inc"
#undef CAIRN_SQL
};

// Tables of one row or of a few, the newest entry of the audit, what a migration, a move or a check goes
// through, and lists of everything that were asked for.
const std::set<std::string> kMayWalk = {"Numbers", "Info", "SetClockOffset", "SetNumbers", "SetMinWriter",
    "Shape", "TableCount", "ChangeCounter", "SetChangeCounter", "AttemptsWithoutTrace", "AuditHead",
    "ReturnAllSlots", "Resources", "Workflows", "WorkflowsWithText", "AllSessions", "ForeignKeyCheck",
    "BrokenHistories", "BrokenHeads", "LostEntries", "LostRows", "ListAhead", "ListUncounted", "BadChunks",
    "UnusedArtifacts", "ChangeAhead", "ArtifactPlace", "HasArtifactPlace", "ChunkTotals", "AllReviews",
    "AllPlans", "BondsOf", "RemainsOf", "Retention", "NeverStore"};
// Indexes that hold only what is asked for.
const std::set<std::string> kPartial = {"sessions_open", "sessions_left", "artifacts_staged", "staged_open",
    "reviews_open", "plans_open", "plans_under_way"};

std::string sqlOf(const std::string& name)
{
    for (const Statement& statement : kStatements)
        if (statement.name == name)
            return statement.sql;
    return {};
}

bool walks(const std::string& line)
{
    // The rows of an INSERT of sixteen are no table: "SCAN 16-ROW VALUES CLAUSE", "SCAN 16 CONSTANT ROWS".
    if (!line.starts_with("SCAN ") || line.find("CONSTANT ROW") != std::string::npos
        || line.find("VALUES CLAUSE") != std::string::npos)
        return false;
    const auto index = line.find("INDEX ");
    return index == std::string::npos || !kPartial.contains(line.substr(index + 6));
}

}  // namespace

void PlansTest::initTestCase()
{
    m_folder.init();
    m_raw = std::make_unique<RawDb>(m_folder.path);
    // As a store has it that has a bucket.
    QCOMPARE(sqlite3_exec(m_raw->db,
                 "CREATE TABLE artifact_place(one INTEGER PRIMARY KEY CHECK(one = 1), url TEXT NOT NULL, "
                 "folder TEXT NOT NULL, writes INTEGER NOT NULL) STRICT",
                 nullptr, nullptr, nullptr),
        SQLITE_OK);
}

std::vector<std::string> PlansTest::planOf(const std::string& sql) const
{
    std::vector<std::string> lines;
    sqlite3_stmt* stmt = nullptr;
    const std::string text = "EXPLAIN QUERY PLAN " + sql;
    if (sqlite3_prepare_v2(m_raw->db, text.c_str(), -1, &stmt, nullptr) != SQLITE_OK)
        return {std::string("not valid: ") + sqlite3_errmsg(m_raw->db)};
    const sqlite::StmtHandle owner(stmt);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        lines.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(stmt, 3)));
    return lines;
}

void PlansTest::nothingWalksThroughATable_data()
{
    QTest::addColumn<QString>("sql");
    for (const Statement& statement : kStatements) {
        const QString sql = QString::fromStdString(statement.sql);
        const bool reads = sql.startsWith(QLatin1String("SELECT")) || sql.startsWith(QLatin1String("UPDATE"))
            || sql.startsWith(QLatin1String("DELETE")) || sql.startsWith(QLatin1String("INSERT"));
        if (reads && !kMayWalk.contains(statement.name))
            QTest::newRow(statement.name) << sql;
    }
}

void PlansTest::nothingWalksThroughATable()
{
    QFETCH(QString, sql);
    for (const std::string& line : planOf(sql.toStdString())) {
        QVERIFY2(!line.starts_with("not valid"), line.c_str());
        QVERIFY2(!walks(line), line.c_str());
    }
}

// Not with all runs that are owned: their owners are living, but for a few.
void PlansTest::claimsBeginWithTheEndedSessions()
{
    const auto plan = planOf(sqlOf("ClaimLeft"));
    QCOMPARE(plan.size(), std::size_t(2));
    QVERIFY2(plan[0].find("INDEX sessions_left") != std::string::npos, plan[0].c_str());
    QVERIFY2(plan[1].find("INDEX run_hot_owner (owner=?)") != std::string::npos, plan[1].c_str());
    const auto due = planOf(sqlOf("ClaimDue"));
    QVERIFY2(due.front().find("INDEX run_hot_due (next_due>? AND next_due<?)") != std::string::npos
            || due.front().find("INDEX run_hot_due (next_due<?)") != std::string::npos,
        due.front().c_str());
}

// Acts and plans that are open elsewhere cost a removal nothing. What is left to be walked through is
// messages and waiters, which are there for a moment.
void PlansTest::removalsAskByTheRunsOfTheirTree()
{
    const auto plan = planOf(sqlOf("BondsOf"));
    const auto times = [&](std::string_view what) {
        return std::count_if(plan.begin(), plan.end(),
            [&](const std::string& line) { return line.find(what) != std::string::npos; });
    };
    QCOMPARE(times("INDEX staged_run (run=?)"), std::ptrdiff_t{2});
    QCOMPARE(times("INDEX plan_items_run (run=?)"), std::ptrdiff_t{1});
    QCOMPARE(times("SCAN o"), std::ptrdiff_t{1});
    QCOMPARE(times("SCAN w"), std::ptrdiff_t{1});
    QCOMPARE(times("SCAN "), std::ptrdiff_t{2});
}

// The list of exceptions holds what it needs to and nothing else, and what is looked for would be found.
void PlansTest::theExceptionsAreNeeded()
{
    for (const std::string& name : kMayWalk) {
        const auto plan = planOf(sqlOf(name));
        QVERIFY2(std::any_of(plan.begin(), plan.end(), walks), name.c_str());
    }
    QVERIFY(walks(planOf("SELECT id FROM sessions WHERE ended_at = 0 OR ? ORDER BY id").front()));
}

QTEST_APPLESS_MAIN(PlansTest)
#include "tst_sqlite_plans.moc"
