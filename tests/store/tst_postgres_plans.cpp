// Every statement of the hot path starts from a run or from an index of what is to be done: the plan of each
// statement of the driver is read (EXPLAIN), and the server counts how often it had to read a whole table.

#include "core/store/message.h"
#include "tests/store/explained_pg.h"
#include "tests/store/postgres_fixture.h"

#include <algorithm>

namespace cairn::testing {

using Kind = MemberResult::Kind;

class PostgresPlansTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStatementStartsFromAKey_data();
    void everyStatementStartsFromAKey();
    void aPlanThatReadsAllIsFound_data();
    void aPlanThatReadsAllIsFound();
    void noTableIsReadWhole();
    void oldActsAreNotRead();
    void openActsOfOtherRunsAreNotRead();
    void theCountingWorks();

private:
    void explain();
    void prepare();
    [[nodiscard]] std::string scans() const;

    PostgresStoreFixture m_postgres;
    std::unique_ptr<ExplainedPg> m_explained;
};

namespace {

// A member with rows for every table.
CommitMember full(const Writer& writer, const std::string& name, StoreWriter& store)
{
    CommitMember m = writer.version == 0 ? writer.create("key " + name) : writer.next(name);
    m.steps = {stepRow(0, "s")};
    m.attempts = {attemptRow(name, 0, 1, writer.by)};
    m.approvals = {{idOf<ApprovalId>("p"), 1, ApprovalState::Pending, {}, "finance", 1, 2, 3, "", {}}};
    m.attributes = {{"order", "text", name, 0}};
    m.list = writer.listRow();
    PayloadRow large = inlinePayload("large " + name, "bytes");
    large.bytes.clear();
    large.artifact = idOf<ArtifactId>(name);
    if (!store.stageChunk(large.artifact, 0, "bytes"))
        qWarning("the chunk was not staged");
    m.payloads = {inlinePayload(name, "small"), large};
    EffectWrite write;
    write.row.effect = effectOf(name);
    write.row.tool = "pay";
    write.row.key = name;
    write.row.state = LedgerState::InFlight;
    write.row.holder = writer.run;
    m.effects = {write};
    m.waits = {{effectOf(name), 1}};
    Message message;
    message.to = writer.run;
    m.outbox = {{writer.run, m.entry.version, 0, writer.run, encodeMessage(message), 5}};
    m.resources = {{"api", 5, false, 0, 0, 0}};
    m.ancestors = {};
    AuditRow act;
    act.kind = "applied";
    act.run = writer.run;
    m.audit = act;
    return m;
}

// Three groups of twelve runs, one after the other; gives one of the runs.
RunId commitGroups(StoreWriter& store, const SessionId& session)
{
    std::vector<Writer> writers;
    for (int i = 0; i < 12; ++i)
        writers.emplace_back("new" + std::to_string(i), i % 2 == 0 ? session : SessionId{});
    std::vector<MemberResult> results;
    for (int round = 0; round < 3; ++round) {
        std::vector<CommitMember> group;
        for (std::size_t i = 0; i < writers.size(); ++i) {
            group.push_back(full(writers[i], "g" + std::to_string(round) + "/" + std::to_string(i), store));
            if (round > 0) {
                group.back().effects[0].row.effect = effectOf("g0/" + std::to_string(i));
                group.back().effects[0].row.revision = static_cast<std::uint64_t>(round);
                group.back().wake = {effectOf("g0/" + std::to_string(i))};
                group.back().waits.clear();
                group.back().delivered = OutboxRow{writers[i].run, 1, 0, {}, {}, 0};
                group.back().ancestors = {{writers[0].run, 0}};
            }
        }
        if (const Status done = store.commit(group, results); !done)
            qFatal("%s", done.error().text.c_str());
        for (std::size_t i = 0; i < writers.size(); ++i) {
            if (results[i].kind != Kind::Committed)
                qFatal("%s", results[i].error.text.c_str());
            writers[i].committed(group[i]);
        }
    }
    return writers[0].run;
}

void ownersAndResources(StoreWriter& store, const SessionId& session, const RunId& run)
{
    const TimeMs later = *store.now() + 60'000;
    const auto claimed = store.claim(session, later, 5);
    QCOMPARE(claimed->size(), std::size_t{5});
    CAIRN_VERIFY_OK(store.release(session, *claimed));
    CAIRN_VERIFY_OK(store.takeOver(run, {}));
    QVERIFY(*store.heartbeat(session, 2000, 9000));
    QVERIFY(!store.takeWakeups(session)->empty());
    CAIRN_VERIFY_OK(store.putResource({"api", 0, false, 5, 5, 0}));
    CAIRN_VERIFY_OK(store.raiseBackOff("api", 3000, true));
    CAIRN_VERIFY_OK(store.leaseSlots(session, "api", 2, 1000, 2000));
    CAIRN_VERIFY_OK(store.spendRate(session, "api", 2, 1000));
    CAIRN_VERIFY_OK(store.returnSlots(session, "api"));
    QVERIFY(*store.endSession(session, 5000, kNoTime));
    CAIRN_VERIFY_OK(store.openSession(sessionRow("t", 1000)));
    QVERIFY(!store.claim(idOf<SessionId>("session t"), later, 3)->empty());
    QVERIFY(!store.sessions(false)->empty());
    CAIRN_VERIFY_OK(store.dropSessionsEndedBefore(6000));
    CAIRN_VERIFY_OK(store.stageChunk(idOf<ArtifactId>("unused"), 0, "chunk"));
    CAIRN_VERIFY_OK(store.dropStagedBefore(later));
}

void everythingIsRead(StoreWriter& store, const RunId& run)
{
    CAIRN_VERIFY_OK(store.loadRun(run, 1, 0));
    CAIRN_VERIFY_OK(store.findCommand(run, idOf<CommandId>("x")));
    CAIRN_VERIFY_OK(store.findKey("purchase", "key n1"));
    CAIRN_VERIFY_OK(store.findRuns("01", 5));
    CAIRN_VERIFY_OK(store.payload(run, idOf<PayloadId>("payload g0/0")));
    CAIRN_VERIFY_OK(store.payload(run, idOf<PayloadId>("payload large g0/0")));
    const std::vector<PayloadId> several{
        idOf<PayloadId>("payload g0/0"), idOf<PayloadId>("payload large g0/0")};
    QCOMPARE(store.payloads(run, several)->size(), std::size_t{2});
    CAIRN_VERIFY_OK(store.effects(std::vector<EffectId>{effectOf("n1")}));
    CAIRN_VERIFY_OK(store.effectsOfRun(run));
    CAIRN_VERIFY_OK(store.steps(run));
    CAIRN_VERIFY_OK(store.attempts(run, kNoStep));
    CAIRN_VERIFY_OK(store.approvals(run));
    CAIRN_VERIFY_OK(store.attributes(run));
    CAIRN_VERIFY_OK(store.children(run));
    CAIRN_VERIFY_OK(store.auditOfRun(run));
    CAIRN_VERIFY_OK(store.audit(5, 5));
    CAIRN_VERIFY_OK(store.outbox(5, 1));
    CAIRN_VERIFY_OK(store.listRows(std::vector<RunId>{run}));
    const auto changes = store.changesSince(0, 5);
    CAIRN_VERIFY_OK(store.changesSince(changes->cursor - 5, 5));
}

}  // namespace

void PostgresPlansTest::prepare()
{
    m_explained.reset();  // its session counts as one of the driver's
    m_postgres.init();
    const auto store = m_postgres.open();
    for (int i = 0; i < 40; ++i) {
        Writer w("r" + std::to_string(i));
        std::vector<MemberResult> results;
        CAIRN_VERIFY_OK(
            store->commit(std::vector<CommitMember>{full(w, "n" + std::to_string(i), *store)}, results));
        QVERIFY(results.front().kind == Kind::Committed);
    }
    CAIRN_VERIFY_OK(store->openSession(sessionRow("s", 1000)));
    QCOMPARE(RawPg(m_postgres.url).exec("ANALYZE; SELECT pg_stat_reset()"), std::string());
}

namespace {

constexpr ExplainedPg::Statement kStatements[] = {
#define CAIRN_SQL(name, text) {#name, text},
#include "core/store/postgres/sql.inc"
#undef CAIRN_SQL
};

// What looks at a whole table or index because it is asked about all of it. No step of a run waits for any.
constexpr std::string_view kLooksAtAll[] = {
    // lists of what is few: hosts that are open, providers, workflows, policies, plans, reviews, settings
    "Replica", "LivingSession", "AllSessions", "Resources", "Workflows", "Reviews", "AllPlans", "PlansOfRuns",
    "Retention", "NeverStore", "ClearNeverStore", "ArtifactPlace", "PutArtifactPlace",
    // the newest one, from the end of an index
    "NewestPolicy", "NewestCheckpoint", "AuditEnd",
    // moving a store, and to another schema
    "AnyRows", "Shape", "AttemptsWithoutTrace", "RightsProblems",
    // verifying and checking
    "EachEntry", "AuditBehindHead", "BrokenHistories", "BrokenHeads", "LostEntries", "LostRows", "ListAhead",
    "ListUncounted", "BadChunks", "UnusedArtifacts", "ChunkTotals",
    // removing runs
    "InsertTombstones", "BondsOf", "RetireKeys", "AnyRemains", "LockRemains"};

bool looksAtAll(std::string_view name)
{
    return std::find(std::begin(kLooksAtAll), std::end(kLooksAtAll), name) != std::end(kLooksAtAll);
}

}  // namespace

void PostgresPlansTest::explain()
{
    m_explained.reset();
    m_postgres.init();
    m_explained = std::make_unique<ExplainedPg>(m_postgres.url);
}

// All that are in sql.inc, so also one that is added. In a store that nobody has analysed yet.
void PostgresPlansTest::everyStatementStartsFromAKey_data()
{
    QTest::addColumn<QByteArray>("text");
    explain();
    for (const ExplainedPg::Statement& statement : kStatements)
        if (!looksAtAll(statement.name) && ExplainedPg::hasPlan(statement.text))
            QTest::newRow(statement.name) << QByteArray(statement.text);
}

void PostgresPlansTest::everyStatementStartsFromAKey()
{
    QFETCH(QByteArray, text);
    QCOMPARE(m_explained->problem(text.toStdString()), std::string());
}

// The test above can fail, and each name that it leaves out is one of a statement.
void PostgresPlansTest::aPlanThatReadsAllIsFound_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("found");
    explain();
    QTest::newRow("a whole table") << QByteArray("SELECT to_run FROM cairn.outbox WHERE created_at = $1")
                                   << QByteArray("outbox is read whole");
    QTest::newRow("a whole index") << QByteArray("SELECT run FROM cairn.run_hot ORDER BY run LIMIT $1")
                                   << QByteArray("run_hot_pkey is read whole");
    QTest::newRow("another column of the index")
        << QByteArray("SELECT version FROM cairn.entries WHERE command = ANY($1) ORDER BY run, version")
        << QByteArray(" is read whole");
    QTest::newRow("no run") << QByteArray("SELECT run FROM cairn.run_list WHERE workflow = $1 LIMIT 5")
                            << QByteArray("run_list does not start from a run");
}

void PostgresPlansTest::aPlanThatReadsAllIsFound()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, found);
    for (const std::string_view name : kLooksAtAll)
        QVERIFY2(std::any_of(std::begin(kStatements), std::end(kStatements),
                     [&](const auto& statement) { return statement.name == name; }),
            name.data());
    const std::string problem = m_explained->problem(text.toStdString());
    QVERIFY2(problem.find(found.toStdString()) != std::string::npos, problem.c_str());
}

// Tables that are read whole, once each of the few that are small by nature is left out.
std::string PostgresPlansTest::scans() const
{
    return RawPg(m_postgres.url)
        .value("SELECT coalesce(string_agg(relname || ' ' || seq_scan, ', ' ORDER BY relname), '') FROM "
               "pg_stat_user_tables "
               "WHERE schemaname = 'cairn' AND seq_scan > 0 AND relname NOT IN ('meta', 'audit_head')");
}

void PostgresPlansTest::noTableIsReadWhole()
{
    prepare();
    {
        const auto store = m_postgres.open();
        const SessionId session = idOf<SessionId>("session s");
        const RunId run = commitGroups(*store, session);
        QVERIFY(!run.isNull());
        ownersAndResources(*store, session, run);
        everythingIsRead(*store, run);
    }
    // The counts come when the connection has ended.
    QTRY_COMPARE(
        RawPg(m_postgres.url).value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn'"),
        std::string("0"));
    QTRY_VERIFY(
        RawPg(m_postgres.url).value("SELECT idx_scan > 20 FROM pg_stat_user_tables WHERE relname = 'run_hot'")
        == "t");
    QCOMPARE(scans(), std::string());
}

// Acts that were answered long ago cost the polls of engines nothing: neither the table nor more than a page
// of what waits is read.
void PostgresPlansTest::oldActsAreNotRead()
{
    m_explained.reset();
    m_postgres.init();
    const RawPg raw(m_postgres.url);
    const std::string act =
        "INSERT INTO cairn.staged_acts(command, run, verb, target, body, reason, claimed, uid, host, "
        "seen_version, staged_by, address, backend, staged_at, taken_until, glass, role, expires, "
        "confirmed_by, confirmed_name, note, confirmed_at, state, code, version, "
        "audit, outcome, decided_at) SELECT gen_random_uuid(), gen_random_uuid(), 3, '', '', 'why', "
        "'', 0, '', 0, 'ann', '', 1, i, 0, 0, '', 0, '', '', '', 0, ";
    QCOMPARE(raw.exec(act + "1, 0, 0, 0, '', 9000000000000 + i FROM generate_series(1, 3000) AS i"),
        std::string());
    QCOMPARE(raw.exec(act + "1, 0, 0, 0, '', i FROM generate_series(1, 40) AS i"), std::string());
    QCOMPARE(raw.exec(act + "0, 0, 0, 0, '', 0 FROM generate_series(1, 3) AS i"), std::string());
    QCOMPARE(raw.exec("ANALYZE cairn.staged_acts; SELECT pg_stat_reset()"), std::string());
    {
        const auto store = m_postgres.open();
        for (int i = 0; i < 20; ++i) {
            CAIRN_VERIFY_OK(store->takeStaged(8));
            CAIRN_VERIFY_OK(store->waitingActs(8));
            CAIRN_VERIFY_OK(store->stagedAct(idOf<CommandId>("none")));
        }
        for (const std::uint64_t wanted : {16U, 16U, 8U, 0U}) {
            const auto forgotten = store->forgetStaged(16);
            CAIRN_VERIFY_OK(forgotten);
            QCOMPARE(*forgotten, wanted);
        }
    }
    QTRY_COMPARE(
        RawPg(m_postgres.url).value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn'"),
        std::string("0"));
    const auto read = [&] {
        return RawPg(m_postgres.url)
            .value("SELECT coalesce(sum(idx_tup_read), 0)::text FROM pg_stat_user_indexes WHERE relname = "
                   "'staged_acts'");
    };
    QTRY_VERIFY(std::stoi(read()) > 0);
    QVERIFY2(std::stoi(read()) < 1'000, read().c_str());  // 40 looks at 3 acts, and 40 that go
    QCOMPARE(scans(), std::string());
}

// A removal asks for what binds its own runs, however much is open on others.
void PostgresPlansTest::openActsOfOtherRunsAreNotRead()
{
    prepare();
    const std::string act =
        "INSERT INTO cairn.staged_acts(command, run, verb, target, body, reason, claimed, uid, host, "
        "seen_version, staged_by, address, backend, staged_at, taken_until, glass, role, expires, "
        "confirmed_by, confirmed_name, note, confirmed_at, code, version, audit, outcome, decided_at, state) "
        "SELECT gen_random_uuid(), gen_random_uuid(), 3, '', '', 'why', '', 0, '', 0, 'ann', '', 1, i, 0, 0, "
        "'', "
        "0, '', '', '', 0, 0, 0, 0, '', 0, ";
    const RawPg raw(m_postgres.url);
    for (const char* state : {"0", "5"})
        QCOMPARE(raw.exec(act + state + " FROM generate_series(1, 3000) AS i"), std::string());
    QCOMPARE(raw.exec("ANALYZE; SELECT pg_stat_reset()"), std::string());
    {
        const auto store = m_postgres.open();
        for (int i = 0; i < 40; ++i) {
            const auto bonds = store->bondsOf(idOf<RunId>("run r" + std::to_string(i)));
            CAIRN_VERIFY_OK(bonds);
            QCOMPARE(bonds->runs, std::uint64_t{1});
            QCOMPARE(bonds->acts + bonds->proposals + bonds->plans, std::uint64_t{0});
        }
    }
    QTRY_COMPARE(
        RawPg(m_postgres.url).value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cairn'"),
        std::string("0"));
    const auto sum = [&](const char* of) {
        return RawPg(m_postgres.url)
            .value("SELECT coalesce(sum(" + std::string(of)
                + "), 0)::text FROM pg_stat_user_indexes WHERE relname = 'staged_acts'");
    };
    QTRY_VERIFY(std::stoi(sum("idx_scan")) >= 80);  // two looks at each run
    QCOMPARE(sum("idx_tup_read"), std::string("0"));
    QCOMPARE(
        RawPg(m_postgres.url).value("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'staged_acts'"),
        std::string("0"));
}

// The test above can fail.
void PostgresPlansTest::theCountingWorks()
{
    prepare();
    {
        const RawPg raw(m_postgres.url);
        QCOMPARE(raw.value("SELECT count(*) FROM cairn.entries WHERE format >= 0"), std::string("40"));
    }
    QTRY_VERIFY(scans().find("entries") != std::string::npos);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresPlansTest)

#include "tst_postgres_plans.moc"
