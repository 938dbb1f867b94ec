// What the database itself refuses, and what its tables must look like. How they move to another schema:
// tst_postgres_migration.

#include "core/base/failpoint.h"
#include "tests/store/postgres_fixture.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

class PostgresSchemaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void theDatabaseRefusesChanges_data();
    void theDatabaseRefusesChanges();
    void redactionAndDeletionWithATombstoneAreAllowed();
    void changedShapesAreFound_data();
    void changedShapesAreFound();
    void otherSchemasAreHandled();
    void aStoreIsMadeOnceAndFoundOnlyWhereItIs();
    void namesInOtherSchemasAreNotLookedUp();
    void aCutOffAuditIsFound();
    void settingsThatLoseCommitsAreRaisedOrReported();

private:
    [[nodiscard]] std::string exec(const std::string& sql) const { return RawPg(m_postgres.url).exec(sql); }
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_postgres.url).value(sql); }
    [[nodiscard]] static Result<MemberResult> commitOne(StoreWriter& store, const CommitMember& member);
    void fill();

    PostgresStoreFixture m_postgres;
};

void PostgresSchemaTest::cleanup()
{
    failpoint::configure("none=off");
    static_cast<void>(exec("ALTER DATABASE cairn RESET search_path"));
}

Result<MemberResult> PostgresSchemaTest::commitOne(StoreWriter& store, const CommitMember& member)
{
    std::vector<MemberResult> results;
    const Status status = store.commit(std::span(&member, 1), results);
    if (!status)
        return status.error();
    return results.front();
}

// One run with a bit of everything.
void PostgresSchemaTest::fill()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    CAIRN_VERIFY_OK(store->addWorkflow({"purchase", 1, sha256("1"), "{}", "/w", 5}));
    Writer a("a");
    CommitMember first = a.create("k");
    first.payloads = {inlinePayload("p", "secret")};
    first.list = a.listRow();
    AuditRow act;
    act.time = 5;
    act.kind = "applied";
    act.run = a.run;
    act.reason = "because";
    first.audit = act;
    QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
}

void PostgresSchemaTest::theDatabaseRefusesChanges_data()
{
    QTest::addColumn<QByteArray>("sql");
    const auto row = [](const char* name, const char* sql) { QTest::newRow(name) << QByteArray(sql); };
    row("entry changed", "UPDATE cairn.entries SET body = ''");
    row("entry deleted", "DELETE FROM cairn.entries");
    row("entries emptied", "TRUNCATE cairn.entries");
    row("hole in the entries",
        "INSERT INTO cairn.entries SELECT run, 3, gen_random_uuid(), format, hash, body FROM cairn.entries");
    row("identity changed", "UPDATE cairn.runs SET key = 'other'");
    row("run deleted", "DELETE FROM cairn.runs");
    row("runs emptied", "TRUNCATE cairn.runs CASCADE");
    row("payload changed", "UPDATE cairn.payloads SET bytes = 'other'");
    row("payload's hash changed", "UPDATE cairn.payloads SET hash = 'other'");
    row("payload deleted", "DELETE FROM cairn.payloads");
    row("audit changed", "UPDATE cairn.audit SET reason = 'other'");
    row("audit deleted", "DELETE FROM cairn.audit");
    row("audit emptied", "TRUNCATE cairn.audit");
    row("hole in the audit",
        "INSERT INTO cairn.audit SELECT seq + 2, time, kind, verb, actor, uid, host, login, run, target, "
        "command, "
        "reason, "
        "before, after, previous, hash FROM cairn.audit");
    row("workflow changed", "UPDATE cairn.workflows SET text = 'other'");
    row("as if for replication",
        "SET session_replication_role = replica; UPDATE cairn.entries SET body = ''");
    row("audit, as if for replication", "SET session_replication_role = replica; DELETE FROM cairn.audit");
}

void PostgresSchemaTest::theDatabaseRefusesChanges()
{
    QFETCH(QByteArray, sql);
    fill();
    const std::string error = exec(sql.toStdString());
    QVERIFY2(error.rfind("CA001", 0) == 0, error.empty() ? "it was done" : error.c_str());
    QVERIFY(m_postgres.open()->check(true)->empty());
}

void PostgresSchemaTest::redactionAndDeletionWithATombstoneAreAllowed()
{
    fill();
    QCOMPARE(exec("UPDATE cairn.payloads SET bytes = NULL, salt = NULL, redacted_by = 7"), std::string());
    CAIRN_VERIFY_ERROR(
        m_postgres.open()->payload(Writer("a").run, idOf<PayloadId>("payload p")), ErrorKind::Refused);
    QCOMPARE(exec("BEGIN; INSERT INTO cairn.tombstones SELECT run, 1, head, 1, 1, 1, run, 'w', 1, 1, 2, 1, "
                  "'kept', 'ann', '', '' FROM cairn.run_hot; "
                  "DELETE FROM cairn.payloads; DELETE FROM cairn.entries; DELETE FROM cairn.run_list; "
                  "DELETE FROM cairn.run_hot; DELETE FROM cairn.runs; COMMIT"),
        std::string());
    // What was deleted does not come back.
    const auto again = commitOne(*m_postgres.open(), Writer("a").create());
    CAIRN_VERIFY_OK(again);
    QVERIFY(again->kind == Kind::Failed);
    QCOMPARE(again->error.kind, ErrorKind::Refused);
    QVERIFY2(again->error.text.find("deleted") != std::string::npos, again->error.text.c_str());
}

void PostgresSchemaTest::changedShapesAreFound_data()
{
    QTest::addColumn<QByteArray>("sql");
    const auto row = [](const char* name, const char* sql) { QTest::newRow(name) << QByteArray(sql); };
    row("trigger off", "ALTER TABLE cairn.entries DISABLE TRIGGER entries_no_update");
    row("trigger off for replication", "ALTER TABLE cairn.entries ENABLE TRIGGER entries_no_update");
    row("trigger gone", "DROP TRIGGER audit_no_delete ON cairn.audit");
    row("function hollow",
        "CREATE OR REPLACE FUNCTION cairn.refuse_change() RETURNS trigger LANGUAGE plpgsql "
        "SET search_path = pg_catalog, pg_temp AS $$ BEGIN RETURN NEW; END $$");
    row("index gone", "DROP INDEX cairn.entries_command");
    row("column gone", "ALTER TABLE cairn.steps DROP COLUMN lost");
    row("column more", "ALTER TABLE cairn.steps ADD COLUMN more text");
    row("column of another type", "ALTER TABLE cairn.steps ALTER COLUMN due TYPE integer");
    row("column may be null", "ALTER TABLE cairn.entries ALTER COLUMN body DROP NOT NULL");
    row("table gone", "DROP TABLE cairn.wakeups");
    row("table more", "CREATE TABLE cairn.more(x integer)");
    row("reference gone", "ALTER TABLE cairn.run_hot DROP CONSTRAINT run_hot_run_fkey");
    row("lost by a crash", "ALTER TABLE cairn.outbox SET UNLOGGED");
}

void PostgresSchemaTest::changedShapesAreFound()
{
    QFETCH(QByteArray, sql);
    m_postgres.init();
    const auto open = m_postgres.open();
    QCOMPARE(exec(sql.toStdString()), std::string());
    CAIRN_VERIFY_ERROR(postgres::openStore(m_postgres.url, {}), ErrorKind::SchemaMismatch);
    const auto problems = open->check(false);
    CAIRN_VERIFY_OK(problems);
    QVERIFY(!problems->empty());
    QCOMPARE(problems->front().where, std::string("schema"));
}

void PostgresSchemaTest::otherSchemasAreHandled()
{
    m_postgres.init();
    const auto older = m_postgres.open();
    const std::string newer = std::to_string(postgres::kSchema + 1);
    // A newer schema that only adds is read and written.
    QCOMPARE(exec("ALTER TABLE cairn.steps ADD COLUMN more text; UPDATE cairn.meta SET schema = " + newer),
        std::string());
    const auto opened = postgres::openStore(m_postgres.url, {});
    CAIRN_VERIFY_OK(opened);
    QVERIFY(commitOne(**opened, Writer("a").create())->kind == Kind::Committed);
    // A store that is written in a newer way stops older writers at their next transaction.
    QCOMPARE(exec("UPDATE cairn.meta SET min_writer = " + newer), std::string());
    const auto refused = commitOne(*older, Writer("b").create());
    CAIRN_VERIFY_ERROR(refused, ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(older->dropStagedBefore(1), ErrorKind::SchemaMismatch);
    QVERIFY(older->hot(Writer("a").run));
    QCOMPARE(exec("UPDATE cairn.meta SET min_reader = " + newer), std::string());
    CAIRN_VERIFY_ERROR(postgres::openStore(m_postgres.url, {}), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(postgres::migrateStore(m_postgres.url, false), ErrorKind::SchemaMismatch);
}

void PostgresSchemaTest::aStoreIsMadeOnceAndFoundOnlyWhereItIs()
{
    m_postgres.drop();
    CAIRN_VERIFY_ERROR(postgres::openStore(m_postgres.url, {}), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(postgres::migrateStore(m_postgres.url, false), ErrorKind::NotFound);
    CAIRN_VERIFY_OK(postgres::initStore(m_postgres.url, {}));
    CAIRN_VERIFY_ERROR(postgres::initStore(m_postgres.url, {}), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(postgres::openStore("postgresql:///cairn?host=/nowhere", {}), ErrorKind::Disconnected);
    const auto backup = m_postgres.open()->backup("/tmp/never");
    CAIRN_VERIFY_ERROR(backup, ErrorKind::Refused);
    QVERIFY(backup.error().text.find("pg_dump") != std::string::npos);
}

// CVE-2018-1058 and its like: what others put into a schema of the search path is not called.
void PostgresSchemaTest::namesInOtherSchemasAreNotLookedUp()
{
    m_postgres.init();
    QCOMPARE(
        exec("CREATE OR REPLACE FUNCTION public.trap(bigint, bigint) RETURNS boolean LANGUAGE plpgsql AS "
             "$$ BEGIN RAISE EXCEPTION 'trapped'; END $$; "
             "CREATE OPERATOR public.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = public.trap); "
             "CREATE TABLE public.entries(x integer); "
             "ALTER DATABASE cairn SET search_path = public, pg_catalog"),
        std::string());
    QVERIFY2(RawPg(m_postgres.url).exec("SELECT 1::bigint = 1::bigint").find("trapped") != std::string::npos,
        "the trap must be one");
    const auto store = m_postgres.open();
    Writer a("a");
    const CommitMember first = a.create();
    QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
    a.committed(first);
    QVERIFY(commitOne(*store, a.next("x"))->kind == Kind::Committed);
    QVERIFY(store->check(true)->empty());
    QCOMPARE(exec("SET search_path = pg_catalog; DROP OPERATOR public.=(bigint, bigint); DROP TABLE "
                  "public.entries"),
        std::string());
}

void PostgresSchemaTest::aCutOffAuditIsFound()
{
    fill();
    const auto store = m_postgres.open();
    QVERIFY(store->check(false)->empty());
    // Who may alter tables can take triggers away; then the head shows it.
    QCOMPARE(exec("ALTER TABLE cairn.audit DISABLE TRIGGER audit_no_delete; DELETE FROM cairn.audit; "
                  "ALTER TABLE cairn.audit ENABLE ALWAYS TRIGGER audit_no_delete"),
        std::string());
    const auto problems = store->check(false);
    CAIRN_VERIFY_OK(problems);
    QCOMPARE(problems->size(), std::size_t{1});
    QVERIFY(problems->front().text.find("ends at entry 0") != std::string::npos);
}

void PostgresSchemaTest::settingsThatLoseCommitsAreRaisedOrReported()
{
    m_postgres.init();
    QCOMPARE(exec("ALTER DATABASE cairn SET synchronous_commit = off"), std::string());
    QCOMPARE(value("SHOW synchronous_commit"), std::string("off"));
    const auto store = m_postgres.open();
    QVERIFY2(store->check(false)->empty(), "this connection raises it");
    StoreOptions downgrade;
    downgrade.synchronousNormal = true;
    QVERIFY2(m_postgres.open(downgrade)->check(false)->empty(), "asked for by name");
    QCOMPARE(exec("ALTER DATABASE cairn RESET synchronous_commit"), std::string());
    // What a connection cannot raise is reported.
    QCOMPARE(exec("ALTER SYSTEM SET full_page_writes = off"), std::string());
    QCOMPARE(exec("SELECT pg_reload_conf()"), std::string());
    QTRY_COMPARE(store->check(false)->size(), std::size_t{1});
    const auto problems = store->check(false);
    QCOMPARE(problems->front().where, std::string("server"));
    QVERIFY(problems->front().text.find("full_page_writes") != std::string::npos);
    QCOMPARE(exec("ALTER SYSTEM RESET full_page_writes"), std::string());
    QCOMPARE(exec("SELECT pg_reload_conf()"), std::string());
    QTRY_VERIFY(store->check(false)->empty());
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresSchemaTest)

#include "tst_postgres_schema.moc"
