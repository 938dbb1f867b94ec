// What is particular to the store on PostgreSQL: several writers, lost answers, a server that goes away,
// changes.

#include "core/base/failpoint.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"

#include <QtCore/QScopeGuard>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

namespace cairn::testing {

using Kind = MemberResult::Kind;

class PostgresStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void aStoreOpenedForReadingIsNotWritten();
    void lockedRunsAreLeftToOthers();
    void writersOfTheSameRunsLoseNothing();
    void oneBadMemberStandsAlone();
    void aTransactionThatFailedIsDecidedAnew_data();
    void aTransactionThatFailedIsDecidedAnew();
    void aStartInAnotherTransactionIsWaitedFor();
    void aLostAnswerIsResolvedByTheSameCommands();
    void aLostLinkBeforeCommitIsTriedAgain();
    void aRestartOfTheServerIsSurvived();
    void aReadIsInterrupted();
    void theHostThatAnswersIsFound();
    void anotherStoreBehindTheSameNameIsRefused();
    void changesOfTransactionsUnderWayAreNotLost();
    void theCursorGoesOnInAnotherServer();

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
        QCOMPARE(other.exec("ROLLBACK"), std::string());
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

// What the server says by itself once, in the middle of the commit, whoever is to blame.
void PostgresStoreTest::aTransactionThatFailedIsDecidedAnew_data()
{
    QTest::addColumn<QByteArray>("state");
    QTest::addColumn<bool>("reconnects");
    QTest::newRow("could not serialize") << QByteArray("40001") << false;
    QTest::newRow("deadlock") << QByteArray("40P01") << false;
    QTest::newRow("a lock that took too long") << QByteArray("55P03") << false;
    QTest::newRow("read-only meanwhile") << QByteArray("25006") << true;
}

// The key was free when it was looked at, and is taken when all is done again: what was decided at first does
// not count. The member beside it is committed.
void PostgresStoreTest::aTransactionThatFailedIsDecidedAnew()
{
    QFETCH(QByteArray, state);
    QFETCH(bool, reconnects);
    m_postgres.init();
    const auto one = m_postgres.open(), two = m_postgres.open();
    const std::vector<CommitMember> group{Writer("a").create("key"), Writer("c").create("another key")};
    const RawPg gate(m_postgres.url);
    QCOMPARE(gate.exec("SELECT pg_advisory_lock(78)"), std::string());
    // A sequence counts what is rolled back as well. The wait has no limit, whatever that of the session is.
    QCOMPARE(exec("CREATE SEQUENCE cairn.inserted; CREATE FUNCTION cairn.fails() RETURNS trigger "
                  "LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN IF nextval('cairn.inserted') = 1 THEN "
                  "PERFORM pg_advisory_xact_lock_shared(78); RAISE EXCEPTION 'again' USING ERRCODE = '"
                 + state.toStdString()
                 + "'; END IF; RETURN NEW; END $$; CREATE TRIGGER fails BEFORE INSERT ON cairn.runs "
                   "FOR EACH ROW EXECUTE FUNCTION cairn.fails()"),
        std::string());
    const std::string servers = "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity "
                                "WHERE application_name = 'cairn'";
    const std::string before = value(servers);
    std::optional<Status> status;
    std::vector<MemberResult> results;
    {
        std::jthread first([&] { status = one->commit(group, results); });
        const auto release =
            qScopeGuard([&] { static_cast<void>(gate.exec("SELECT pg_advisory_unlock(78)")); });
        QTRY_COMPARE(value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn' "
                           "AND wait_event_type = 'Lock'"),
            std::string("1"));
        QVERIFY(commitOne(*two, Writer("b").create("key"))->kind == Kind::Committed);
    }
    CAIRN_VERIFY_OK(*status);
    QCOMPARE(results.size(), std::size_t(2));
    QVERIFY(results[0].kind == Kind::KeyTaken);
    QCOMPARE(results[0].other, Writer("b").run);
    QVERIFY(results[1].kind == Kind::Committed);
    // The one that failed, the other's, and the member that was left: whoever was refused is not written.
    QCOMPARE(value("SELECT last_value FROM cairn.inserted"), std::string("3"));
    if (reconnects)
        QTRY_COMPARE(value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn'"),
            std::string("2"));
    QCOMPARE(value(servers) != before, reconnects);
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

void PostgresStoreTest::aReadIsInterrupted()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    const RawPg holder(m_postgres.url);
    QCOMPARE(holder.exec("BEGIN; LOCK TABLE cairn.run_list IN ACCESS EXCLUSIVE MODE"), std::string());
    std::optional<ErrorKind> kind;
    std::jthread reader([&] {
        const auto count = store->count({});
        kind = count ? ErrorKind::Internal : count.error().kind;
    });
    QTRY_VERIFY(value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                      "AND application_name = 'cairn'")
        == "1");
    store->interrupt();
    reader.join();
    QVERIFY(kind == ErrorKind::Cancelled);
    QCOMPARE(holder.exec("ROLLBACK"), std::string());
    QCOMPARE(*store->count({}), std::uint64_t{0});  // it goes on
}

// Of several hosts the one that is there and takes writes, by the URL and by a service file.
void PostgresStoreTest::theHostThatAnswersIsFound()
{
    m_postgres.init();
    const RawPg raw(m_postgres.url);
    const std::string folder = PQhost(raw.conn), port = PQport(raw.conn);
    const std::string hosts = "/nowhere," + folder;
    const std::string ports = "5432," + port;
    const auto store =
        postgres::openStore("postgresql:///cairn?host=" + hosts + "&port=" + ports + "&user=cairn", {});
    CAIRN_VERIFY_OK(store);
    QVERIFY(commitOne(**store, Writer("a").create())->kind == Kind::Committed);
    const Scratch scratch;
    std::ofstream(scratch.file("services"))
        << "[team]\nhost=" << hosts << "\nport=" << ports << "\ndbname=cairn\nuser=cairn\n";
    qputenv("PGSERVICEFILE", scratch.file("services").c_str());
    const auto service = postgres::openStore("postgresql:///?service=team", {});
    qunsetenv("PGSERVICEFILE");
    CAIRN_VERIFY_OK(service);
    QVERIFY((*service)->hot(Writer("a").run));
}

void PostgresStoreTest::anotherStoreBehindTheSameNameIsRefused()
{
    m_postgres.init();
    const auto store = m_postgres.open();
    QVERIFY(store->hot(Writer("a").run).error().kind == ErrorKind::NotFound);
    m_postgres.init();
    // What made the other store has hung up; its server process may be there for a moment longer.
    QTRY_COMPARE(
        value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn'"), std::string("1"));
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
    QCOMPARE(
        slow.exec("BEGIN; UPDATE cairn.run_list SET changed = (pg_current_xact_id()::text::bigint) << 20, "
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

// As after pg_dump and a restore into a server whose transactions have smaller numbers.
void PostgresStoreTest::theCursorGoesOnInAnotherServer()
{
    m_postgres.init();
    QCOMPARE(exec("UPDATE cairn.meta SET change_base = 1000000"), std::string());
    Writer a("a");
    {
        const auto store = m_postgres.open();
        for (int i = 0; i < 30; ++i) {
            Writer w("r" + std::to_string(i));
            CommitMember first = w.create();
            first.list = w.listRow();
            QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
        }
    }
    QCOMPARE(exec("UPDATE cairn.meta SET change_base = 0"), std::string());
    const auto store = m_postgres.open();
    const std::uint64_t cursor = store->changesSince(0, 5)->cursor;
    CommitMember first = a.create();
    first.list = a.listRow();
    QVERIFY(commitOne(*store, first)->kind == Kind::Committed);
    const auto changes = store->changesSince(cursor, 5);
    CAIRN_VERIFY_OK(changes);
    QCOMPARE(changes->rows.size(), std::size_t{1});
    QCOMPARE(changes->rows.front().run, a.run);
    QVERIFY(changes->cursor > cursor);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresStoreTest)

#include "tst_postgres_store.moc"
