#include "core/base/failpoint.h"
#include "tests/store/sqlite_fixture.h"
#include "tests/store/stopped_probe.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cairn;
using namespace cairn::testing;

class SchemaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { failpoint::configure(""); }
    void bothSchemasAreAsExpected();
    void anOlderSchemaMustBeMigrated();
    void migrationGivesAttemptsTheirTrace();
    void migratingTwiceSaysAlready();
    void twoMigratorsAtOnce();
    void killedAnywhereItIsOldOrNew_data();
    void killedAnywhereItIsOldOrNew();
    void aFailedMigrationChangesNothing();
    void aDroppedColumnIsFound_data();
    void aDroppedColumnIsFound();
    void aNewerStoreIsRefused();
    void aNewerSchemaMayBeReadAndWrittenWhereItSaysSo();
    void aWriterStopsWhenTheStoreIsContracted();
    void contractingWaitsForOlderEngines();
    void contractingWaitsForRunsOfVanishedEngines();
    void anInterruptedInitCanBeRepeated();
    void aRealOlderProgramStopsWhenTheStoreIsContracted();
    void aStoreThatIsMigratedWhileItIsOpenedIsSound();
};

namespace {

constexpr auto kSchema1 = 1U;

// What an engine of format 1 left: a run with two attempts.
void addOldAttempts(const Folder& folder, const RunId& run)
{
    const RawDb raw(folder.path);
    for (const char* name : {"a1", "a2"}) {
        const std::string error = raw.exec(
            "INSERT INTO attempts(run, step, id, number, purpose, worker, started_at, "
            "ended_at, how, effect) VALUES(x'"
            + hex(run.view()) + "', 0, x'" + hex(idOf<AttemptId>(name).view()) + "', 1, 1, 'w', 5, 6, 1, 1)");
        if (!error.empty())
            qFatal("%s", error.c_str());
    }
}

std::string openSession1(const Folder& folder, TimeMs lease, TimeMs heartbeat)
{
    return RawDb(folder.path)
        .exec("INSERT INTO sessions(id, name, host, boot_id, pid_namespace, pid, start_ticks, build, format, "
              "schema, serves, "
              "started_at, heartbeat_at, lease_until, ended_at, emptied) VALUES(x'"
            + hex(idOf<SessionId>("old").view())
            + "', 'old engine', 'h', 'b', 'n', 77, 1, '0', 1, 1, '*', 1, " + std::to_string(heartbeat) + ", "
            + std::to_string(lease) + ", 0, 0)");
}

std::string shapeOf(const Folder& folder)
{
    const RawDb raw(folder.path);
    const bool two = raw.exec("SELECT trace, span FROM attempts").empty();
    return raw.value("SELECT schema FROM meta") + (two ? " with trace" : " without trace");
}

}  // namespace

void SchemaTest::bothSchemasAreAsExpected()
{
    for (const std::uint32_t schema : {1U, 2U}) {
        Folder folder;
        folder.init(schema);
        const auto connection = sqlite::Connection::open(folder.path, sqlite::OpenFor::Schema, {});
        CAIRN_VERIFY_OK(connection);
        const auto problems = sqlite::shapeProblems((*connection)->db(), schema);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().c_str());
        QVERIFY(!sqlite::shapeProblems((*connection)->db(), 3 - schema)->empty());
    }
}

void SchemaTest::anOlderSchemaMustBeMigrated()
{
    Folder folder;
    folder.init(kSchema1);
    const auto store = sqlite::openStore(folder.path, {});
    CAIRN_VERIFY_ERROR(store, ErrorKind::SchemaMismatch);
    QVERIFY(store.error().text.find("cairn store migrate") != std::string::npos);
}

void SchemaTest::migrationGivesAttemptsTheirTrace()
{
    Folder folder;
    folder.init(kSchema1);
    const RunId run = idOf<RunId>("run");
    addOldAttempts(folder, run);
    const auto report = sqlite::migrateStore(folder.path, false);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->from, 1U);
    QCOMPARE(report->to, 2U);
    QVERIFY(!report->contracted);
    {
        const RawDb raw(folder.path);
        QCOMPARE(
            raw.value("SELECT count(*) FROM attempts WHERE trace IS NULL OR span IS NULL"), std::string("0"));
        QCOMPARE(raw.value("SELECT lower(hex(trace)) FROM attempts WHERE id = x'"
                     + hex(idOf<AttemptId>("a1").view()) + "'"),
            hex(RunId{legacyTrace(run)}.view()));
        QCOMPARE(raw.value("SELECT schema || min_reader || min_writer || write_format FROM meta"),
            std::string("2111"));
    }
    // An engine of format 1 still writes: its attempts get the same values when they are read, and when
    // contracted.
    QVERIFY(RawDb(folder.path).exec("UPDATE attempts SET trace = NULL, span = NULL").empty());
    {
        const auto store = folder.open();
        Writer writer("run");  // the run that the attempts belong to
        CommitMember first = writer.create();
        first.run = first.identity->run = run;
        const auto read = store->attempts(run, kNoStep);
        CAIRN_VERIFY_OK(read);
        QCOMPARE(read->size(), std::size_t{2});
        for (const AttemptRow& row : *read) {
            QVERIFY(row.trace == legacyTrace(run));
            QCOMPARE(row.span, legacySpan(row.id));
        }
        QCOMPARE(store->info()->writeFormat, kFormat1);
        first.entry.format = kFormat2;
        const auto refused = commitOne(*store, first);
        CAIRN_VERIFY_OK(refused);
        QCOMPARE(refused->error.kind, ErrorKind::SchemaMismatch);
    }
    const auto contracted = sqlite::migrateStore(folder.path, true);
    CAIRN_VERIFY_OK(contracted);
    QVERIFY(contracted->contracted);
    const RawDb raw(folder.path);
    QCOMPARE(raw.value("SELECT schema || min_reader || min_writer || write_format FROM meta"),
        std::string("2222"));
    QCOMPARE(
        raw.value("SELECT count(*) FROM attempts WHERE trace IS NULL OR span IS NULL"), std::string("0"));
}

void SchemaTest::migratingTwiceSaysAlready()
{
    Folder folder;
    folder.init(kSchema1);
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, false));
    const auto again = sqlite::migrateStore(folder.path, false);
    CAIRN_VERIFY_OK(again);
    QCOMPARE(again->from, 2U);
    QVERIFY(again->text.find("already at schema 2") != std::string::npos);
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, true));
    QVERIFY(sqlite::migrateStore(folder.path, true)->text.find("already contracted") != std::string::npos);
    CAIRN_VERIFY_ERROR(sqlite::migrateStore(folder.scratch.file("none"), false), ErrorKind::NotFound);
}

void SchemaTest::twoMigratorsAtOnce()
{
    for (int round = 0; round < 10; ++round) {
        Folder folder;
        folder.init(kSchema1);
        addOldAttempts(folder, idOf<RunId>("run"));
        std::string texts[2];
        {
            std::jthread threads[2];
            for (int i = 0; i < 2; ++i)
                threads[i] = std::jthread([&, i] {
                    const auto report = sqlite::migrateStore(folder.path, false);
                    texts[i] = report ? report->text : "error: " + report.error().text;
                });
        }
        const bool firstWon = texts[0].starts_with("expanded");
        QVERIFY2(texts[firstWon ? 0 : 1].starts_with("expanded"), texts[1].c_str());
        QVERIFY2(texts[firstWon ? 1 : 0].starts_with("already"), (texts[0] + " / " + texts[1]).c_str());
        QCOMPARE(shapeOf(folder), std::string("2 with trace"));
    }
}

void SchemaTest::killedAnywhereItIsOldOrNew_data()
{
    QTest::addColumn<QByteArray>("point");
    QTest::newRow("after the tables were altered") << QByteArray("store.migrate.altered");
    QTest::newRow("before the commit") << QByteArray("store.migrate.before_commit");
}

void SchemaTest::killedAnywhereItIsOldOrNew()
{
    QFETCH(QByteArray, point);
    Folder folder;
    folder.init(kSchema1);
    addOldAttempts(folder, idOf<RunId>("run"));
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
        failpoint::configure(point.toStdString() + "=kill");
        static_cast<void>(sqlite::migrateStore(folder.path, false));
        ::_exit(3);  // not reached
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY2(
        WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the migrator must have died at the failpoint");
    QCOMPARE(shapeOf(folder), std::string("1 without trace"));
    const auto report = sqlite::migrateStore(folder.path, false);
    CAIRN_VERIFY_OK(report);
    QCOMPARE(report->from, 1U);
    CAIRN_VERIFY_OK(sqlite::openStore(folder.path, {}));
}

void SchemaTest::aFailedMigrationChangesNothing()
{
    Folder folder;
    folder.init(kSchema1);
    for (const char* point : {"store.migrate.altered=error", "store.migrate.before_commit=error"}) {
        QVERIFY(failpoint::configure(point));
        CAIRN_VERIFY_ERROR(sqlite::migrateStore(folder.path, false), ErrorKind::Io);
        QCOMPARE(failpoint::counts().size(),
            std::size_t(std::string(point).find("altered") != std::string::npos ? 1 : 2));
        failpoint::configure("");
        QCOMPARE(shapeOf(folder), std::string("1 without trace"));
    }
}

void SchemaTest::aDroppedColumnIsFound_data()
{
    QTest::addColumn<QByteArray>("sql");
    QTest::newRow("column") << QByteArray("ALTER TABLE steps DROP COLUMN lost");
    QTest::newRow("index") << QByteArray("DROP INDEX run_hot_due");
    QTest::newRow("trigger") << QByteArray("DROP TRIGGER audit_no_delete");
    QTest::newRow("weakened trigger")
        << QByteArray("DROP TRIGGER audit_no_delete; CREATE TRIGGER audit_no_delete BEFORE "
                      "DELETE ON audit BEGIN SELECT 1; END");
    QTest::newRow("table") << QByteArray("DROP TABLE wakeups");
    QTest::newRow("added trigger") << QByteArray(
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT 1; END");
}

void SchemaTest::aDroppedColumnIsFound()
{
    QFETCH(QByteArray, sql);
    Folder folder;
    folder.init();
    CAIRN_VERIFY_OK(sqlite::openStore(folder.path, {}));
    const std::string error = RawDb(folder.path).exec(sql.toStdString());
    QVERIFY2(error.empty(), error.c_str());
    const auto store = sqlite::openStore(folder.path, {});
    CAIRN_VERIFY_ERROR(store, ErrorKind::SchemaMismatch);
}

void SchemaTest::aNewerStoreIsRefused()
{
    Folder folder;
    folder.init();
    QVERIFY(RawDb(folder.path).exec("UPDATE meta SET schema = 3, min_reader = 3, min_writer = 3").empty());
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.path, {}), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(sqlite::migrateStore(folder.path, false), ErrorKind::SchemaMismatch);
    QCOMPARE(RawDb(folder.path).value("SELECT schema FROM meta"), std::string("3"));
}

void SchemaTest::aNewerSchemaMayBeReadAndWrittenWhereItSaysSo()
{
    Folder folder;
    folder.init();
    Writer writer("a");
    QVERIFY(committed(*folder.open(), writer, writer.create()));
    // Expanded by a newer program: a column and a table more; both may still use it.
    QVERIFY(RawDb(folder.path)
                .exec("ALTER TABLE steps ADD COLUMN more TEXT; CREATE TABLE extra(x); "
                      "UPDATE meta SET schema = 3")
                .empty());
    QVERIFY(committed(*folder.open(), writer, writer.next("x")));
    // Only reading is left.
    QVERIFY(RawDb(folder.path).exec("UPDATE meta SET min_writer = 3").empty());
    const auto store = folder.open();
    QCOMPARE(store->loadRun(writer.run, 1, 0)->entries.size(), std::size_t{2});
    CAIRN_VERIFY_ERROR(commitOne(*store, writer.next("y")), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(store->openSession(sessionRow("e", 1)), ErrorKind::SchemaMismatch);
    // The additions do not excuse what is missing.
    QVERIFY(RawDb(folder.path).exec("DROP INDEX effects_holder").empty());
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.path, {}), ErrorKind::SchemaMismatch);
}

void SchemaTest::aWriterStopsWhenTheStoreIsContracted()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    const SessionRow session = sessionRow("e", *store->now());
    CAIRN_VERIFY_OK(store->openSession(session));
    Writer writer("a", session.id);
    QVERIFY(committed(*store, writer, writer.create()));
    QVERIFY(RawDb(folder.path).exec("UPDATE meta SET schema = 3, min_writer = 3").empty());
    const auto refused = commitOne(*store, writer.next("x"));
    CAIRN_VERIFY_ERROR(refused, ErrorKind::SchemaMismatch);
    QVERIFY(refused.error().text.find("neither claims nor writes") != std::string::npos);
    CAIRN_VERIFY_ERROR(store->heartbeat(session.id, 1, 2), ErrorKind::SchemaMismatch);
    QCOMPARE(store->hot(writer.run)->version, std::uint64_t{1});
}

void SchemaTest::contractingWaitsForOlderEngines()
{
    Folder folder;
    folder.init(kSchema1);
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, false));
    const TimeMs now = SystemClock().wallMs();
    QCOMPARE(openSession1(folder, now + 60'000, now), std::string());
    const auto refused = sqlite::migrateStore(folder.path, true);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::Refused);
    QVERIFY2(refused.error().text.find("old engine on h, process 77") != std::string::npos,
        refused.error().text.c_str());
    QCOMPARE(RawDb(folder.path).value("SELECT min_writer FROM meta"), std::string("1"));
    QVERIFY(RawDb(folder.path).exec("UPDATE sessions SET lease_until = 1").empty());  // its lease has passed
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, true));
}

void SchemaTest::contractingWaitsForRunsOfVanishedEngines()
{
    Folder folder;
    folder.init(kSchema1);
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, false));
    const TimeMs now = SystemClock().wallMs();
    QCOMPARE(openSession1(folder, now - 1000, now - 60'000), std::string());
    {
        const auto store = folder.open();
        Writer writer("a");
        CommitMember first = writer.create();
        first.entry = sealEntry(*decodeEntry(first.entry.body, first.entry.format), kFormat1, {});
        first.owner = OwnerChange::Take;
        first.newOwner = idOf<SessionId>("old");
        QVERIFY(committed(*store, writer, first));
    }
    CAIRN_VERIFY_ERROR(sqlite::migrateStore(folder.path, true), ErrorKind::Refused);
    QVERIFY(
        RawDb(folder.path).exec("UPDATE sessions SET heartbeat_at = 1").empty());  // more than 14 days ago
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, true));
}

void SchemaTest::anInterruptedInitCanBeRepeated()
{
    Folder folder;
    QCOMPARE(
        RawDb(folder.path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value("PRAGMA journal_mode = WAL"),
        std::string("wal"));
    folder.init();
    CAIRN_VERIFY_OK(sqlite::openStore(folder.path, {}));
}

// The older program is really linked with the first format only (format1_probe.cpp).
void SchemaTest::aRealOlderProgramStopsWhenTheStoreIsContracted()
{
    Folder folder;
    const auto older = [&](const char* verb) {
        QProcess process;
        process.start(QStringLiteral(CAIRN_FORMAT1_PROBE),
            {QString::fromLatin1(verb), QString::fromStdString(folder.path)});
        process.waitForFinished(20'000);
        return process.readAllStandardOutput().trimmed();
    };
    QCOMPARE(older("init"), QByteArray("done"));
    QCOMPARE(older("commit"), QByteArray("committed 1"));
    QCOMPARE(shapeOf(folder), std::string("1 without trace"));
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.path, {}), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, false));
    QCOMPARE(older("commit"), QByteArray("committed 2"));  // expanded: the older program goes on
    {
        const auto store = folder.open();
        const RunId run = idOf<RunId>("run probe");
        QCOMPARE(store->loadRun(run, 1, 0)->entries.back().format, kFormat1);
        const auto attempts = store->attempts(run, kNoStep);
        QCOMPARE(attempts->size(), std::size_t{2});
        for (const AttemptRow& row : *attempts)
            QVERIFY(row.trace == legacyTrace(run) && row.span == legacySpan(row.id));
        QVERIFY(store->check(true)->empty());
    }
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, true));
    QCOMPARE(RawDb(folder.path).value("SELECT count(*) FROM attempts WHERE span IS NULL"), std::string("0"));
    QCOMPARE(older("commit"), QByteArray("refused: schema_mismatch"));
    QCOMPARE(older("migrate"), QByteArray("refused: schema_mismatch"));
}

// It had read the number of the old tables, and would then have compared the new ones with it.
void SchemaTest::aStoreThatIsMigratedWhileItIsOpenedIsSound()
{
    Folder folder;
    folder.init(kSchema1);
    StoppedProbe older("commit", folder.path, "store.standing.numbers-read");
    QVERIFY(older.stopped());
    CAIRN_VERIFY_OK(sqlite::migrateStore(folder.path, false));
    QCOMPARE(older.goOn(), QByteArray("committed 1"));
}

QTEST_APPLESS_MAIN(SchemaTest)
#include "tst_sqlite_schema.moc"
