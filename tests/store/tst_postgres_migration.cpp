// A store moves from one schema to the next while programs of both work on it: expand, migrate, contract.

#include "core/base/failpoint.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/stopped_probe.h"

#include <algorithm>
#include <thread>

namespace cairn::testing {

namespace {

constexpr std::uint32_t kSchema1 = 1;
const char* const kAltered = "store.migrate.altered";
const char* const kBeforeCommit = "store.migrate.before_commit";

}  // namespace

class PostgresMigrationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure("none=off"); }
    void bothSchemasAreAsExpected();
    void anOlderStoreIsMigrated();
    void migratingTwiceSaysAlready();
    void twoMigratorsAtOnce();
    void aMigratorThatDiesLeavesTheOldStore_data();
    void aMigratorThatDiesLeavesTheOldStore();
    void aFailedMigrationChangesNothing();
    void aStoreThatIsNotWhatItSaysIsNotMigrated();
    void theOlderProgramWorksBeforeDuringAndAfterTheExpansion();
    void aCommitOfTheOlderProgramIsWaitedFor();
    void contractingWaitsForOlderEngines();
    void aWriterStopsWhenTheStoreIsContracted();
    void aStoreThatIsMigratedWhileItIsOpenedIsSound();

private:
    [[nodiscard]] std::string exec(const std::string& sql) const { return RawPg(m_postgres.url).exec(sql); }
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_postgres.url).value(sql); }
    [[nodiscard]] std::string shape() const;
    [[nodiscard]] std::string numbers() const
    {
        return value("SELECT concat(schema, min_reader, min_writer, write_format) FROM cairn.meta");
    }
    // Programs that wait for a store's lock, or for that of a table.
    [[nodiscard]] std::string waiting() const
    {
        return value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    }
    void addOldAttempt() const;
    [[nodiscard]] QByteArray older(const char* verb) const
    {
        return StoppedProbe(verb, m_postgres.url, "").ended();
    }
    [[nodiscard]] std::unique_ptr<StoppedProgram> migrator(const char* failpoint) const
    {
        return std::make_unique<StoppedProgram>(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            QStringList{QStringLiteral("--store"), QString::fromStdString(m_postgres.url),
                QStringLiteral("store"), QStringLiteral("migrate")},
            failpoint);
    }

    PostgresStoreFixture m_postgres;
};

std::string PostgresMigrationTest::shape() const
{
    return value(
        "SELECT concat(schema, CASE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = "
        "'cairn.attempts'::regclass AND attname = 'trace' AND NOT attisdropped) THEN ' with trace' ELSE "
        "' without trace' END) FROM cairn.meta");
}

// What an engine of format 1 left.
void PostgresMigrationTest::addOldAttempt() const
{
    QCOMPARE(exec("INSERT INTO cairn.attempts SELECT '" + toText(idOf<RunId>("old")) + "', 0, '"
                 + toText(idOf<AttemptId>("old")) + "', 1, 0, NULL, 'w', 1, 0, 0, 0, NULL"),
        std::string());
}

void PostgresMigrationTest::bothSchemasAreAsExpected()
{
    for (const std::uint32_t schema : {1U, 2U}) {
        m_postgres.init(schema);
        auto db = postgres::makeDb(m_postgres.url, {});
        CAIRN_VERIFY_OK(db);
        const auto problems = postgres::shapeProblems(**db, schema);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().c_str());
        QVERIFY(!postgres::shapeProblems(**db, 3 - schema)->empty());
    }
}

void PostgresMigrationTest::anOlderStoreIsMigrated()
{
    m_postgres.init(1);
    CAIRN_VERIFY_ERROR(postgres::openStore(m_postgres.url, {}), ErrorKind::SchemaMismatch);
    const RunId run = idOf<RunId>("old");
    const AttemptId attempt = idOf<AttemptId>("old");
    QCOMPARE(exec("INSERT INTO cairn.attempts SELECT '" + toText(run) + "', 0, '" + toText(attempt)
                 + "', 1, 0, NULL, 'w', 1, 0, 0, 0, NULL"),
        std::string());
    failpoint::configure("store.migrate.before_commit=error@1");
    CAIRN_VERIFY_ERROR(postgres::migrateStore(m_postgres.url, false), ErrorKind::Io);
    QCOMPARE(value("SELECT schema FROM cairn.meta"), std::string("1"));
    const auto expanded = postgres::migrateStore(m_postgres.url, false);
    CAIRN_VERIFY_OK(expanded);
    QCOMPARE(expanded->from, 1U);
    QCOMPARE(expanded->to, postgres::kSchema);
    QVERIFY(!expanded->contracted);
    const auto store = m_postgres.open();
    QCOMPARE(store->info()->writeFormat, kFormat1);
    const auto attempts = store->attempts(run, kNoStep);
    CAIRN_VERIFY_OK(attempts);
    QVERIFY(attempts->front().trace == legacyTrace(run));
    QCOMPARE(attempts->front().span, legacySpan(attempt));
    // Contracting waits for the end of older engines.
    SessionRow old = sessionRow("old", *store->now());
    old.format = kFormat1;
    CAIRN_VERIFY_OK(store->openSession(old));
    CAIRN_VERIFY_ERROR(postgres::migrateStore(m_postgres.url, true), ErrorKind::Refused);
    QVERIFY(*store->endSession(old.id, *store->now(), kNoTime));
    const auto contracted = postgres::migrateStore(m_postgres.url, true);
    CAIRN_VERIFY_OK(contracted);
    QVERIFY(contracted->contracted);
    QCOMPARE(store->info()->minWriter, postgres::kSchema);
    QVERIFY(store->check(false)->empty());
}

void PostgresMigrationTest::migratingTwiceSaysAlready()
{
    m_postgres.init(kSchema1);
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, false));
    QCOMPARE(numbers(), std::string("2111"));
    const auto again = postgres::migrateStore(m_postgres.url, false);
    CAIRN_VERIFY_OK(again);
    QVERIFY2(again->text.find("already at schema 2") == 0, again->text.c_str());
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, true));
    QCOMPARE(numbers(), std::string("2222"));
    const auto contracted = postgres::migrateStore(m_postgres.url, true);
    QVERIFY2(contracted->text.find("already contracted") != std::string::npos, contracted->text.c_str());
}

// Both have begun when the first can go on: one does it, the other finds it done.
void PostgresMigrationTest::twoMigratorsAtOnce()
{
    m_postgres.init(kSchema1);
    addOldAttempt();
    const RawPg writer(m_postgres.url);
    QCOMPARE(writer.exec("BEGIN; SELECT pg_advisory_xact_lock_shared(1130459758, 1)"), std::string());
    std::vector<std::string> texts(2);
    std::vector<std::jthread> threads;
    for (std::string& text : texts)
        threads.emplace_back([&text, this] {
            const auto report = postgres::migrateStore(m_postgres.url, false);
            text = report ? report->text : errorLine(report.error());
        });
    QTRY_COMPARE(waiting(), std::string("2"));
    QCOMPARE(writer.exec("COMMIT"), std::string());
    threads.clear();
    std::sort(texts.begin(), texts.end());
    QVERIFY2(texts[0].find("already at schema 2") == 0, texts[0].c_str());
    QVERIFY2(texts[1].find("expanded from schema 1 to 2") == 0, texts[1].c_str());
    QCOMPARE(shape(), std::string("2 with trace"));
    QCOMPARE(value("SELECT count(*) FROM cairn.attempts WHERE trace IS NULL"), std::string("0"));
    QVERIFY(m_postgres.open()->check(false)->empty());
}

void PostgresMigrationTest::aMigratorThatDiesLeavesTheOldStore_data()
{
    QTest::addColumn<QByteArray>("point");
    QTest::newRow("after the tables were altered") << QByteArray(kAltered);
    QTest::newRow("before the commit") << QByteArray(kBeforeCommit);
}

void PostgresMigrationTest::aMigratorThatDiesLeavesTheOldStore()
{
    QFETCH(QByteArray, point);
    m_postgres.drop();
    QCOMPARE(older("init"), QByteArray("done"));
    QCOMPARE(older("commit"), QByteArray("committed 1"));
    const auto doomed = migrator(point.constData());
    QVERIFY(doomed->stopped());
    QCOMPARE(value("SELECT count(*) FROM pg_locks WHERE relation = 'cairn.attempts'::regclass AND mode = "
                   "'AccessExclusiveLock' AND granted"),
        std::string("1"));
    doomed->kill();
    QCOMPARE(older("commit"), QByteArray("committed 2"));  // it waits until the server has noticed
    QCOMPARE(shape(), std::string("1 without trace"));
    const auto report = postgres::migrateStore(m_postgres.url, false);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->from, 1U);
    QCOMPARE(shape(), std::string("2 with trace"));
    QCOMPARE(value("SELECT count(*) FROM cairn.attempts WHERE trace IS NULL"), std::string("0"));
    QVERIFY(m_postgres.open()->check(true)->empty());
}

void PostgresMigrationTest::aFailedMigrationChangesNothing()
{
    m_postgres.init(kSchema1);
    for (const char* point : {kAltered, kBeforeCommit}) {
        QVERIFY(failpoint::configure(std::string(point) + "=error"));
        CAIRN_VERIFY_ERROR(postgres::migrateStore(m_postgres.url, false), ErrorKind::Io);
        QCOMPARE(failpoint::counts()[point], std::uint64_t{1});
        QCOMPARE(shape(), std::string("1 without trace"));
    }
}

// The number alone is not believed, before a migration as little as on opening.
void PostgresMigrationTest::aStoreThatIsNotWhatItSaysIsNotMigrated()
{
    m_postgres.init(kSchema1);
    QCOMPARE(exec("ALTER TABLE cairn.steps DROP COLUMN lost"), std::string());
    const auto report = postgres::migrateStore(m_postgres.url, false);
    CAIRN_VERIFY_ERROR(report, ErrorKind::SchemaMismatch);
    QVERIFY2(report.error().text.find("steps.lost") != std::string::npos, report.error().text.c_str());
    QCOMPARE(shape(), std::string("1 without trace"));
    QCOMPARE(exec("UPDATE cairn.meta SET schema = 2"), std::string());
    const auto opened = postgres::openStore(m_postgres.url, {});
    CAIRN_VERIFY_ERROR(opened, ErrorKind::SchemaMismatch);
    QVERIFY2(opened.error().text.find("says schema 2 but") != std::string::npos, opened.error().text.c_str());
}

// The older program is really linked with the first format only (format1_probe.cpp).
void PostgresMigrationTest::theOlderProgramWorksBeforeDuringAndAfterTheExpansion()
{
    m_postgres.drop();
    QCOMPARE(older("init"), QByteArray("done"));
    QCOMPARE(older("commit"), QByteArray("committed 1"));
    QCOMPARE(shape(), std::string("1 without trace"));
    const auto early = postgres::openStore(m_postgres.url, {});  // the newer program, before the migration
    CAIRN_VERIFY_ERROR(early, ErrorKind::SchemaMismatch);
    QVERIFY2(early.error().text.find("cairn store migrate") != std::string::npos, early.error().text.c_str());
    {
        const auto expanding = migrator(kAltered);
        QVERIFY(expanding->stopped());
        StoppedProbe during("commit", m_postgres.url, "");
        QTRY_COMPARE(waiting(), std::string("1"));
        const QByteArray said = expanding->goOn();
        QVERIFY2(said.contains("expanded from schema 1 to 2"), said.constData());
        QCOMPARE(during.ended(), QByteArray("committed 2"));
    }
    QCOMPARE(older("commit"), QByteArray("committed 3"));  // expanded: it goes on
    const RunId run = idOf<RunId>("run probe");
    {
        const auto store = m_postgres.open();
        QCOMPARE(store->loadRun(run, 1, 0)->entries.back().format, kFormat1);
        const auto attempts = store->attempts(run, kNoStep);
        QCOMPARE(attempts->size(), std::size_t{3});
        for (const AttemptRow& row : *attempts)
            QVERIFY(row.trace == legacyTrace(run) && row.span == legacySpan(row.id));
        QVERIFY(store->check(true)->empty());
    }
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, true));
    QCOMPARE(value("SELECT count(*) FROM cairn.attempts WHERE span IS NULL"), std::string("0"));
    QCOMPARE(older("commit"), QByteArray("refused: schema_mismatch"));
    QCOMPARE(older("migrate"), QByteArray("refused: schema_mismatch"));
    QCOMPARE(m_postgres.open()->hot(run)->version, std::uint64_t{3});
}

// Where it is in the middle of a commit the migration waits; what it wrote gets its trace.
void PostgresMigrationTest::aCommitOfTheOlderProgramIsWaitedFor()
{
    m_postgres.drop();
    QCOMPARE(older("init"), QByteArray("done"));
    StoppedProbe writer("commit", m_postgres.url, "store.before_commit");
    QVERIFY(writer.stopped());
    const auto expanding = migrator("");
    QTRY_COMPARE(waiting(), std::string("1"));
    QCOMPARE(shape(), std::string("1 without trace"));
    QCOMPARE(writer.goOn(), QByteArray("committed 1"));
    const QByteArray said = expanding->ended();
    QVERIFY2(said.contains("expanded from schema 1 to 2"), said.constData());
    QCOMPARE(value("SELECT count(*) FROM cairn.attempts WHERE trace IS NOT NULL"), std::string("1"));
}

void PostgresMigrationTest::contractingWaitsForOlderEngines()
{
    m_postgres.init(kSchema1);
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, false));
    const auto store = m_postgres.open();
    SessionRow old = sessionRow("old", *store->now());
    old.name = "old engine";
    old.format = kFormat1;
    old.schema = kSchema1;
    CAIRN_VERIFY_OK(store->openSession(old));
    Writer writer("a");
    CommitMember first = writer.create();
    first.entry = sealEntry(*decodeEntry(first.entry.body, first.entry.format), kFormat1, {});
    first.owner = OwnerChange::Take;
    first.newOwner = old.id;
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&first, 1), results));
    QVERIFY(results.front().kind == MemberResult::Kind::Committed);
    const auto refused = postgres::migrateStore(m_postgres.url, true);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
    QVERIFY2(refused.error().text.find("an older engine still lives: old engine on ") != std::string::npos,
        refused.error().text.c_str());
    // It vanished: what it held may still be taken over.
    QCOMPARE(exec("UPDATE cairn.sessions SET lease_until = 1"), std::string());
    const auto held = postgres::migrateStore(m_postgres.url, true);
    CAIRN_VERIFY_ERROR(held, ErrorKind::Refused);
    QVERIFY2(held.error().text.find("1 runs belong to an older engine") == 0, held.error().text.c_str());
    QCOMPARE(numbers(), std::string("2111"));
    QCOMPARE(exec("UPDATE cairn.sessions SET heartbeat_at = 1"), std::string());  // more than 14 days ago
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, true));
}

// One that has had the store open since before: it may read, and says why it does nothing else.
void PostgresMigrationTest::aWriterStopsWhenTheStoreIsContracted()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    const SessionRow session = sessionRow("e", *store->now());
    CAIRN_VERIFY_OK(store->openSession(session));
    Writer writer("a");
    const CommitMember first = writer.create();
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(std::span(&first, 1), results));
    writer.committed(first);
    QCOMPARE(exec("UPDATE cairn.meta SET schema = 3, min_writer = 3"), std::string());
    const auto claimed = store->claim(session.id, *store->now() + 60'000, 10);
    CAIRN_VERIFY_ERROR(claimed, ErrorKind::SchemaMismatch);
    QVERIFY2(claimed.error().text.find("neither claims nor writes") != std::string::npos,
        claimed.error().text.c_str());
    const CommitMember next = writer.next("x");
    CAIRN_VERIFY_ERROR(store->commit(std::span(&next, 1), results), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(store->heartbeat(session.id, 1, 2), ErrorKind::SchemaMismatch);
    QCOMPARE(store->hot(writer.run)->version, std::uint64_t{1});
    QVERIFY(store->hot(writer.run)->owner.isNull());
}

// It had read the number of the old tables, and would then have compared the new ones with it.
void PostgresMigrationTest::aStoreThatIsMigratedWhileItIsOpenedIsSound()
{
    m_postgres.init(1);
    StoppedProbe older("commit", m_postgres.url, "store.standing.numbers-read");
    QVERIFY(older.stopped());
    CAIRN_VERIFY_OK(postgres::migrateStore(m_postgres.url, false));
    QCOMPARE(older.goOn(), QByteArray("committed 1"));
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresMigrationTest)

#include "tst_postgres_migration.moc"
