#include "core/store/sqlite/sql.h"
#include "tests/store/sqlite_fixture.h"

using namespace cairn;
using namespace cairn::testing;

// What may never change is refused to anybody who opens the file without taking the triggers away, and to
// this program's own connections already when a statement is prepared.
class AppendOnlyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void triggersRefuse_data();
    void triggersRefuse();
    void theAuthorizerRefuses_data();
    void theAuthorizerRefuses();
    void redactionIsTheOnlyChangeOfAPayload();
    void aRunGoesOnlyWithItsTombstone();
    void editsBehindTheTriggersAreFound_data();
    void editsBehindTheTriggersAreFound();

private:
    std::unique_ptr<Folder> m_folder;
    Writer m_writer{"a"};
};

void AppendOnlyTest::init()
{
    m_folder = std::make_unique<Folder>();
    m_folder->init();
    m_writer = Writer("a");
    const auto store = m_folder->open();
    CommitMember first = m_writer.create();
    first.payloads = {inlinePayload("p", "secret")};
    first.audit = AuditRow{};
    first.steps = {stepRow(0, "s")};
    QVERIFY(committed(*store, m_writer, first));
    CommitMember second = m_writer.next("x");
    second.audit = AuditRow{};
    second.audit->reason = "because";
    QVERIFY(committed(*store, m_writer, second));
    CAIRN_VERIFY_OK(store->addWorkflow({"w", 1, sha256("w"), "{}", "", 1}));
    CAIRN_VERIFY_OK(store->stageChunk(idOf<ArtifactId>("a"), 0, "bytes"));
}

void AppendOnlyTest::cleanup() { m_folder.reset(); }

void AppendOnlyTest::triggersRefuse_data()
{
    QTest::addColumn<QByteArray>("sql");
    for (const char* sql : {"UPDATE entries SET body = x'00'", "DELETE FROM entries",
             "UPDATE audit SET reason = ''", "DELETE FROM audit",
             "INSERT INTO audit SELECT 9, time, kind, verb, actor, uid, host, login, run, target, command, "
             "reason, "
             "before, after, "
             "previous, hash FROM audit WHERE seq = 1",
             "REPLACE INTO audit SELECT * FROM audit WHERE seq = 1",
             "INSERT INTO entries(run, version, command, format, hash, body) SELECT run, 7, x'01', 1, hash, "
             "body FROM entries",
             "REPLACE INTO entries(run, version, command, format, hash, body) SELECT run, version, command, "
             "format, hash, "
             "x'00' FROM entries WHERE version = 1",
             "UPDATE runs SET key = 'other'", "DELETE FROM runs", "UPDATE payloads SET hash = x'00'",
             "UPDATE payloads SET bytes = x'00'", "UPDATE payloads SET salt = x'00'", "DELETE FROM payloads",
             "UPDATE workflows SET text = 'x'"})
        QTest::newRow(sql) << QByteArray(sql);
}

void AppendOnlyTest::triggersRefuse()
{
    QFETCH(QByteArray, sql);
    const RawDb raw(m_folder->path);
    const std::string before =
        raw.value("SELECT (SELECT count(*) FROM entries) || (SELECT count(*) FROM audit)");
    const std::string error = raw.exec(sql.toStdString());
    QVERIFY2(!error.empty(), "this must be refused");
    QVERIFY2(error.find("append-only") != std::string::npos || error.find("hole") != std::string::npos
            || error.find("never changes") != std::string::npos || error.find("redacted") != std::string::npos
            || error.find("tombstone") != std::string::npos,
        error.c_str());
    QCOMPARE(raw.value("SELECT (SELECT count(*) FROM entries) || (SELECT count(*) FROM audit)"), before);
}

void AppendOnlyTest::theAuthorizerRefuses_data()
{
    QTest::addColumn<QByteArray>("sql");
    for (const char* sql : {"UPDATE entries SET body = x'00' WHERE 0", "DELETE FROM entries WHERE 0",
             "UPDATE audit SET reason = '' WHERE 0", "DELETE FROM audit WHERE 0",
             "DELETE FROM tombstones WHERE 0", "UPDATE checkpoints SET time = 1 WHERE 0",
             "DELETE FROM checkpoints WHERE 0", "DELETE FROM checkpoint_heads WHERE 0",
             "UPDATE runs SET key = '' WHERE 0", "DELETE FROM payloads WHERE 0",
             "UPDATE payloads SET hash = x'00' WHERE 0", "DROP TRIGGER audit_no_delete", "DROP TABLE audit",
             "ALTER TABLE audit ADD COLUMN x", "CREATE TRIGGER t AFTER INSERT ON audit BEGIN SELECT 1; END",
             "DROP INDEX entries_command", "ATTACH ':memory:' AS other", "UPDATE meta SET min_writer = 1",
             "DELETE FROM meta", "CREATE TEMP TRIGGER t AFTER INSERT ON audit BEGIN SELECT 1; END"})
        QTest::newRow(sql) << QByteArray(sql);
}

void AppendOnlyTest::theAuthorizerRefuses()
{
    QFETCH(QByteArray, sql);
    const auto connection = sqlite::Connection::open(m_folder->path, sqlite::OpenFor::Writing, {});
    CAIRN_VERIFY_OK(connection);
    const Status status = (*connection)->db().exec(sql.constData());
    CAIRN_VERIFY_ERROR(status, ErrorKind::Refused);
    QVERIFY2(status.error().text.find("not authorized") != std::string::npos, status.error().text.c_str());
}

void AppendOnlyTest::redactionIsTheOnlyChangeOfAPayload()
{
    const RawDb raw(m_folder->path);
    QCOMPARE(raw.exec("UPDATE payloads SET bytes = NULL, salt = NULL, redacted_by = 2"), std::string());
    const auto store = m_folder->open();
    const auto read = store->payload(m_writer.run, idOf<PayloadId>("payload p"));
    CAIRN_VERIFY_ERROR(read, ErrorKind::Refused);
    QVERIFY2(read.error().text.find("redacted by act 2") != std::string::npos, read.error().text.c_str());
}

void AppendOnlyTest::aRunGoesOnlyWithItsTombstone()
{
    const RawDb raw(m_folder->path);
    const std::string run = "x'" + hex(m_writer.run.view()) + "'";
    QVERIFY(raw.exec("PRAGMA foreign_keys = ON").empty());
    const std::string remove = "DELETE FROM entries WHERE run = " + run
        + "; DELETE FROM payloads WHERE run = " + run + "; DELETE FROM run_hot WHERE run = " + run
        + "; DELETE FROM steps WHERE run = " + run + "; DELETE FROM runs WHERE run = " + run;
    QVERIFY(!raw.exec("BEGIN; " + remove + "; COMMIT").empty());
    QVERIFY(raw.exec("ROLLBACK").empty());
    QCOMPARE(raw.exec("BEGIN; INSERT INTO tombstones(" CAIRN_TOMBSTONE_COLUMNS ") VALUES(" + run
                 + ", 2, x'00', 3, 4, 5, " + run + ", 'w', 1, 1, 2, 1, 'kept', 'ann', x'00', x'00', NULL); "
                 + remove + "; COMMIT"),
        std::string());
    const auto store = m_folder->open();
    CAIRN_VERIFY_ERROR(store->hot(m_writer.run), ErrorKind::NotFound);
    // It does not come back.
    const auto again = commitOne(*store, Writer("a").create());
    CAIRN_VERIFY_OK(again);
    QVERIFY(again->kind == MemberResult::Kind::Failed);
    QCOMPARE(again->error.kind, ErrorKind::Refused);
    QVERIFY(!raw.exec("DELETE FROM tombstones").empty());
    QVERIFY(store->check(true)->empty());
}

void AppendOnlyTest::editsBehindTheTriggersAreFound_data()
{
    QTest::addColumn<QByteArray>("trigger");
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const char* trigger, const char* sql, const char* text) {
        QTest::newRow(name) << QByteArray(trigger) << QByteArray(sql) << QByteArray(text);
    };
    row("audit text", "audit_no_update", "UPDATE audit SET reason = 'nothing' WHERE seq = 1",
        "was changed after it was written");
    row("audit entry removed", "audit_no_delete", "DELETE FROM audit WHERE seq = 1",
        "missing or out of order");
    row("entry removed", "entries_no_delete", "DELETE FROM entries WHERE version = 1",
        "has 1 entries up to version 2");
    row("newest entry removed", "entries_no_delete", "DELETE FROM entries WHERE version = 2",
        "has 1 entries up to version 1");
    row("newest hash", "entries_no_update", "UPDATE entries SET hash = zeroblob(32) WHERE version = 2",
        "not the head");
    row("state removed", "", "DELETE FROM run_hot", "has entries but no state");
    row("chunk bytes", "", "UPDATE artifact_chunks SET bytes = x'00'", "chunk 0 is damaged");
    row("change counter", "",
        "INSERT INTO run_list SELECT run, run, NULL, 'w', 1, NULL, 10, 4, 0, '', 0, 0, NULL, '', '', 0, 0, "
        "1, 0, 0, 0, 0, '', 0, '', 1, 99 FROM runs",
        "behind the newest change");
    row("list row ahead", "",
        "INSERT INTO run_list SELECT run, run, NULL, 'w', 1, NULL, 10, 4, 0, '', 0, 0, NULL, '', '', 0, 0, "
        "1, 0, 0, 0, 0, '', 0, '', 9, 1 FROM runs",
        "its list row is of version 9");
}

void AppendOnlyTest::editsBehindTheTriggersAreFound()
{
    QFETCH(QByteArray, trigger);
    QFETCH(QByteArray, sql);
    QFETCH(QByteArray, text);
    const auto store = m_folder->open();
    const RawDb raw(m_folder->path);
    // Somebody takes the trigger away, edits, and puts it back.
    const std::string restore = trigger.isEmpty()
        ? ""
        : raw.value("SELECT sql FROM sqlite_schema WHERE name = '" + trigger.toStdString() + "'");
    if (!trigger.isEmpty())
        QCOMPARE(raw.exec("DROP TRIGGER " + trigger.toStdString()), std::string());
    QCOMPARE(raw.exec(sql.toStdString()), std::string());
    if (!trigger.isEmpty())
        QCOMPARE(raw.exec(restore), std::string());
    const auto problems = store->check(true);
    CAIRN_VERIFY_OK(problems);
    std::string all;
    for (const VerifyProblem& problem : *problems) {
        all += problem.where + ": " + problem.text + "\n";
        QVERIFY2(problem.blocksCopy, problem.text.c_str());
    }
    QVERIFY2(all.find(text.toStdString()) != std::string::npos, all.c_str());
}

QTEST_APPLESS_MAIN(AppendOnlyTest)
#include "tst_sqlite_appendonly.moc"
