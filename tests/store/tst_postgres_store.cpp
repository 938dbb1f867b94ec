// What is particular to the store on PostgreSQL: what the database itself refuses, its shape, several
// writers, lost answers, a server that goes away.

#include "core/base/failpoint.h"
#include "tests/store/postgres_fixture.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace cairn::testing {

using Kind = MemberResult::Kind;

class PostgresStoreTest : public QObject {
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
    void aStoreOpenedForReadingIsNotWritten();
    void anOlderStoreIsMigrated();
    void namesInOtherSchemasAreNotLookedUp();
    void lockedRunsAreLeftToOthers();
    void writersOfTheSameRunsLoseNothing();
    void oneBadMemberStandsAlone();
    void aStartInAnotherTransactionIsWaitedFor();
    void aLostAnswerIsResolvedByTheSameCommands();
    void aLostLinkBeforeCommitIsTriedAgain();
    void aRestartOfTheServerIsSurvived();
    void anotherStoreBehindTheSameNameIsRefused();
    void changesOfTransactionsUnderWayAreNotLost();
    void aCutOffAuditIsFound();

private:
    [[nodiscard]] std::string exec(const std::string& sql) const { return RawPg(m_postgres.url).exec(sql); }
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_postgres.url).value(sql); }
    [[nodiscard]] static Result<MemberResult> commitOne(StoreWriter& store, const CommitMember& member);
    void fill();

    PostgresStoreFixture m_postgres;
};

void PostgresStoreTest::cleanup()
{
    failpoint::configure("none=off");
    static_cast<void>(exec("ALTER DATABASE cairn RESET search_path"));
}

Result<MemberResult> PostgresStoreTest::commitOne(StoreWriter& store, const CommitMember& member)
{
    std::vector<MemberResult> results;
    const Status status = store.commit(std::span(&member, 1), results);
    if (!status)
        return status.error();
    return results.front();
}

// One run with a bit of everything.
void PostgresStoreTest::fill()
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

void PostgresStoreTest::theDatabaseRefusesChanges_data()
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
        "INSERT INTO cairn.audit SELECT seq + 2, time, kind, verb, actor, uid, host, run, target, command, "
        "reason, "
        "before, after, previous, hash FROM cairn.audit");
    row("workflow changed", "UPDATE cairn.workflows SET text = 'other'");
    row("as if for replication",
        "SET session_replication_role = replica; UPDATE cairn.entries SET body = ''");
    row("audit, as if for replication", "SET session_replication_role = replica; DELETE FROM cairn.audit");
}

void PostgresStoreTest::theDatabaseRefusesChanges()
{
    QFETCH(QByteArray, sql);
    fill();
    const std::string error = exec(sql.toStdString());
    QVERIFY2(error.rfind("CA001", 0) == 0, error.empty() ? "it was done" : error.c_str());
    QVERIFY(m_postgres.open()->check(true)->empty());
}

void PostgresStoreTest::redactionAndDeletionWithATombstoneAreAllowed()
{
    fill();
    QCOMPARE(exec("UPDATE cairn.payloads SET bytes = NULL, salt = NULL, redacted_by = 7"), std::string());
    CAIRN_VERIFY_ERROR(
        m_postgres.open()->payload(Writer("a").run, idOf<PayloadId>("payload p")), ErrorKind::Refused);
    QCOMPARE(exec("BEGIN; INSERT INTO cairn.tombstones SELECT run, 1, head, 1, 1, 1 FROM cairn.run_hot; "
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

void PostgresStoreTest::changedShapesAreFound_data()
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
    row("column more", "ALTER TABLE cairn.steps ADD COLUMN more text");
    row("column of another type", "ALTER TABLE cairn.steps ALTER COLUMN due TYPE integer");
    row("column may be null", "ALTER TABLE cairn.entries ALTER COLUMN body DROP NOT NULL");
    row("table gone", "DROP TABLE cairn.wakeups");
    row("table more", "CREATE TABLE cairn.more(x integer)");
    row("reference gone", "ALTER TABLE cairn.run_hot DROP CONSTRAINT run_hot_run_fkey");
    row("lost by a crash", "ALTER TABLE cairn.outbox SET UNLOGGED");
}

void PostgresStoreTest::changedShapesAreFound()
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

void PostgresStoreTest::otherSchemasAreHandled()
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

void PostgresStoreTest::aStoreIsMadeOnceAndFoundOnlyWhereItIs()
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

void PostgresStoreTest::aStoreOpenedForReadingIsNotWritten()
{
    fill();
    StoreOptions reading;
    reading.readOnly = true;
    const auto store = m_postgres.open(reading);
    QVERIFY(store->hot(Writer("a").run));
    QCOMPARE(*store->count({}), std::uint64_t{1});
    CAIRN_VERIFY_ERROR(commitOne(*store, Writer("b").create()), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(store->dropStagedBefore(1), ErrorKind::Refused);
}

void PostgresStoreTest::anOlderStoreIsMigrated()
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

// CVE-2018-1058 and its like: what others put into a schema of the search path is not called.
void PostgresStoreTest::namesInOtherSchemasAreNotLookedUp()
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

void PostgresStoreTest::lockedRunsAreLeftToOthers()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    const SessionRow session = sessionRow("s", *store->now());
    CAIRN_VERIFY_OK(store->openSession(session));
    for (const char* name : {"a", "b", "c"})
        QVERIFY(commitOne(*store, Writer(name).create())->kind == Kind::Committed);
    const TimeMs later = *store->now() + 60'000;
    {
        const RawPg other(m_postgres.url);
        QCOMPARE(other.exec("BEGIN; SELECT 1 FROM cairn.run_hot WHERE run = '" + toText(Writer("b").run)
                     + "' FOR NO KEY UPDATE"),
            std::string());
        const auto claimed = store->claim(session.id, later, 10);
        CAIRN_VERIFY_OK(claimed);
        QCOMPARE(claimed->size(), std::size_t{2});
        QVERIFY(store->hot(Writer("b").run)->owner.isNull());
    }
    const auto rest = store->claim(session.id, later, 10);
    QCOMPARE(rest->size(), std::size_t{1});
    QCOMPARE(rest->front().run, Writer("b").run);
    // A limit holds: the planner cannot take more.
    for (int i = 0; i < 20; ++i)
        QVERIFY(commitOne(*store, Writer("m" + std::to_string(i)).create())->kind == Kind::Committed);
    QCOMPARE(store->claim(session.id, later, 1)->size(), std::size_t{1});
    QCOMPARE(value("SELECT count(*) FROM cairn.run_hot WHERE owner IS NULL"), std::string("19"));
}

void PostgresStoreTest::writersOfTheSameRunsLoseNothing()
{
    constexpr int kWriters = 4, kEach = 25;
    m_postgres.init();
    const std::vector<std::string> names{"a", "b", "c"};
    for (const std::string& name : names) {
        CommitMember first = Writer(name).create();
        QVERIFY(commitOne(*m_postgres.open(), first)->kind == Kind::Committed);
    }
    std::atomic<int> committed = 0, stale = 0, other = 0;
    const auto work = [&](int number) {
        const auto store = m_postgres.open();
        SeededRng rng(static_cast<std::uint64_t>(number));
        for (int i = 0; i < kEach; ++i) {
            const std::string command = std::to_string(number) + "/" + std::to_string(i);
            std::vector<std::string> wanted = names;
            while (!wanted.empty()) {  // the same commands again, until each is there
                std::vector<CommitMember> group;
                for (const std::string& name : wanted) {
                    Writer w(name);
                    const auto hot = store->hot(w.run);
                    w.version = hot->version;
                    w.head = hot->head;
                    group.push_back(w.next(command));
                    group.back().list = w.listRow();
                    AuditRow act;
                    act.kind = "applied";
                    act.run = w.run;
                    act.command = group.back().entry.command;
                    if (i % 5 == 0)
                        group.back().audit = act;
                }
                if (rng.below(2) == 0) {
                    std::reverse(group.begin(), group.end());
                    std::reverse(wanted.begin(), wanted.end());
                }
                std::vector<MemberResult> results;
                if (!store->commit(group, results)) {
                    ++other;
                    return;
                }
                std::vector<std::string> left;
                for (std::size_t k = 0; k < results.size(); ++k) {
                    if (results[k].kind == Kind::Committed)
                        ++committed;
                    else if (results[k].kind == Kind::Stale)
                        left.push_back(wanted[k]), ++stale;
                    else
                        ++other;
                }
                wanted = left;
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kWriters; ++i)
            threads.emplace_back(work, i);
    }
    QCOMPARE(other.load(), 0);
    QCOMPARE(committed.load(), kWriters * kEach * static_cast<int>(names.size()));
    QVERIFY2(stale.load() > 0, "the writers never met: this was no test");
    const auto store = m_postgres.open();
    for (const std::string& name : names)
        QCOMPARE(store->hot(Writer(name).run)->version, std::uint64_t{1 + kWriters * kEach});
    QCOMPARE(store->audit(0, 1000)->size(), std::size_t{kWriters * 5 * 3});
    const auto problems = store->check(true);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void PostgresStoreTest::oneBadMemberStandsAlone()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    QCOMPARE(exec("CREATE FUNCTION cairn.bad() RETURNS trigger LANGUAGE plpgsql AS "
                  "$$ BEGIN IF NEW.name = 'bad' THEN RAISE EXCEPTION 'bad'; END IF; RETURN NEW; END $$; "
                  "CREATE TRIGGER bad BEFORE INSERT ON cairn.run_attributes FOR EACH ROW EXECUTE FUNCTION "
                  "cairn.bad()"),
        std::string());
    std::vector<CommitMember> group;
    for (int i = 0; i < 13; ++i) {
        group.push_back(Writer("r" + std::to_string(i)).create());
        group.back().attributes = {{i == 4 || i == 9 ? "bad" : "good", "text", "x", 0}};
    }
    std::vector<MemberResult> results;
    CAIRN_VERIFY_OK(store->commit(group, results));
    for (std::size_t i = 0; i < results.size(); ++i) {
        const bool bad = i == 4 || i == 9;
        QVERIFY2(results[i].kind == (bad ? Kind::Failed : Kind::Committed), std::to_string(i).c_str());
        QCOMPARE(store->hot(group[i].run).has_value(), !bad);
    }
    QCOMPARE(results[4].error.kind, ErrorKind::Internal);
}

// Two transactions make the same run: the second waits for the first, and is answered by what it left.
void PostgresStoreTest::aStartInAnotherTransactionIsWaitedFor()
{
    m_postgres.init();
    const auto one = m_postgres.open(), two = m_postgres.open(), three = m_postgres.open();
    Writer a("a"), b("b");
    const CommitMember first = a.create("key");
    // Held back between its last statement and COMMIT by a trigger that waits for a lock.
    const RawPg gate(m_postgres.url);
    QCOMPARE(gate.exec("SELECT pg_advisory_lock(77)"), std::string());
    QCOMPARE(
        exec("CREATE FUNCTION cairn.gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
             "PERFORM pg_advisory_xact_lock_shared(77); RETURN NULL; END $$; "
             "CREATE TRIGGER gate AFTER INSERT ON cairn.run_hot FOR EACH ROW EXECUTE FUNCTION cairn.gate()"),
        std::string());
    std::optional<Kind> firstKind, secondKind, keyKind;
    std::jthread holder([&] { firstKind = commitOne(*one, first)->kind; });
    const auto waiting = [&](const char* count) {
        return value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                     "AND application_name = 'cairn'")
            == count;
    };
    QTRY_VERIFY(waiting("1"));
    std::jthread same([&] { secondKind = commitOne(*two, first)->kind; });
    QTRY_VERIFY(waiting("2"));
    std::jthread key([&] { keyKind = commitOne(*three, b.create("key"))->kind; });
    QTRY_VERIFY(waiting("3"));
    QCOMPARE(gate.exec("SELECT pg_advisory_unlock(77)"), std::string());
    for (std::jthread* thread : {&holder, &same, &key})
        thread->join();
    QVERIFY(firstKind == Kind::Committed);
    QVERIFY(secondKind == Kind::Duplicate);
    QVERIFY(keyKind == Kind::KeyTaken);
}

void PostgresStoreTest::aLostAnswerIsResolvedByTheSameCommands()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    const std::vector<CommitMember> group{Writer("a").create("k"), Writer("b").create()};
    std::vector<MemberResult> results;
    failpoint::configure("store.after_commit=error@1");
    CAIRN_VERIFY_ERROR(store->commit(group, results), ErrorKind::OutcomeUnknown);
    CAIRN_VERIFY_OK(store->commit(group, results));
    for (const MemberResult& result : results) {
        QVERIFY(result.kind == Kind::Duplicate);
        QCOMPARE(result.version, std::uint64_t{1});
    }
    failpoint::configure("store.before_commit=error@1");
    const std::vector<CommitMember> never{Writer("c").create()};
    CAIRN_VERIFY_ERROR(store->commit(never, results), ErrorKind::Io);
    CAIRN_VERIFY_ERROR(store->hot(Writer("c").run), ErrorKind::NotFound);
    CAIRN_VERIFY_OK(store->commit(never, results));
    QVERIFY(results.front().kind == Kind::Committed);
    // What may be done twice is, unseen.
    const SessionRow session = sessionRow("s", 1000);
    CAIRN_VERIFY_OK(store->openSession(session));
    failpoint::configure("store.after_commit=error@1");
    QVERIFY(*store->heartbeat(session.id, 2000, 3000));
}

void PostgresStoreTest::aLostLinkBeforeCommitIsTriedAgain()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    Writer a("a");
    const CommitMember first = a.create();
    QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
    a.committed(first);
    const RawPg holder(m_postgres.url);
    QCOMPARE(holder.exec("BEGIN; SELECT 1 FROM cairn.run_hot FOR UPDATE"), std::string());
    std::optional<Kind> kind;
    std::jthread writer([&] {
        const auto result = commitOne(*store, a.next("x"));
        kind = result ? result->kind : Kind::Failed;
    });
    const RawPg killer(m_postgres.url);
    const std::string waiting =
        "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'cairn'";
    QTRY_VERIFY(killer.value("SELECT count(*) " + waiting) == "1");
    QCOMPARE(killer.value("SELECT pg_terminate_backend(pid)::text " + waiting), std::string("true"));
    QCOMPARE(holder.exec("ROLLBACK"), std::string());
    writer.join();
    QVERIFY(kind == Kind::Committed);
    QCOMPARE(store->hot(a.run)->version, std::uint64_t{2});
}

void PostgresStoreTest::aRestartOfTheServerIsSurvived()
{
    const char* restart = std::getenv("CAIRN_RESTART_COMMAND");
    QVERIFY2(restart != nullptr, "packaging/with-postgres exports CAIRN_RESTART_COMMAND");
    m_postgres.init();
    const auto store = m_postgres.open(), reader = m_postgres.open();
    Writer a("a");
    for (int i = 0; i < 3; ++i) {
        const CommitMember member = a.version == 0 ? a.create() : a.next(std::to_string(i));
        QVERIFY(commitOne(*store, member)->kind == Kind::Committed);
        a.committed(member);
        QCOMPARE(std::system(restart), 0);
        const auto seen = reader->hot(a.run);
        CAIRN_VERIFY_OK(seen);
        QCOMPARE(seen->version, a.version);
    }
    QVERIFY(store->check(true)->empty());
}

void PostgresStoreTest::anotherStoreBehindTheSameNameIsRefused()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    QVERIFY(store->hot(Writer("a").run).error().kind == ErrorKind::NotFound);
    m_postgres.init();
    QCOMPARE(
        value(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'cairn'"),
        std::string("1"));
    CAIRN_VERIFY_ERROR(store->hot(Writer("a").run), ErrorKind::SchemaMismatch);
    CAIRN_VERIFY_ERROR(commitOne(*store, Writer("a").create()), ErrorKind::SchemaMismatch);
}

// A transaction that began earlier and ends later has an earlier cursor: nothing of it may be passed over.
void PostgresStoreTest::changesOfTransactionsUnderWayAreNotLost()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    Writer a("a"), b("b");
    for (Writer* w : {&a, &b}) {
        CommitMember first = w->create();
        first.list = w->listRow();
        QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
        w->committed(first);
    }
    std::uint64_t cursor = store->changesSince(0, 10)->cursor;
    const RawPg slow(m_postgres.url);
    QCOMPARE(slow.exec("BEGIN; UPDATE cairn.run_list SET changed = pg_current_xact_id()::text::bigint << 20, "
                       "steps_done = 9 WHERE run = '"
                 + toText(a.run) + "'"),
        std::string());
    const auto saw = [&](const RunId& run) {
        const auto changes = store->changesSince(cursor, 10);
        cursor = changes->cursor;
        return std::any_of(
            changes->rows.begin(), changes->rows.end(), [&](const ListRow& row) { return row.run == run; });
    };
    CommitMember change = b.next("x");
    change.list = b.listRow();
    QVERIFY(commitOne(*store, change)->kind == Kind::Committed);
    QVERIFY2(saw(b.run), "what is committed is seen, whatever else is under way");
    QVERIFY(!saw(a.run));
    QCOMPARE(slow.exec("COMMIT"), std::string());
    QVERIFY2(saw(a.run), "it was passed over");
    QVERIFY(!saw(a.run));
}

void PostgresStoreTest::aCutOffAuditIsFound()
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

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresStoreTest)

#include "tst_postgres_store.moc"
