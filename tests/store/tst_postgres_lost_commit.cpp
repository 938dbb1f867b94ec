// Connections cut at COMMIT: what the store says is unknown is found out by the same command ids, and nothing
// is done twice or lost.

#include "tests/store/cutting_proxy.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

class PostgresLostCommitTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aCutCommitIsResolved_data();
    void aCutCommitIsResolved();
    void whatIsHarmlessTwiceIsDoneAgainUnseen();
    void anAuditEntryIsWrittenOnce();
    void aCommitThatRolledBackIsNone();

private:
    std::unique_ptr<CuttingProxy> proxy();

    Scratch m_folder;
    PostgresStoreFixture m_postgres;
    std::string m_through;  // the store's URL by way of the proxy
    int m_proxies = 0;
};

void PostgresLostCommitTest::initTestCase() { m_postgres.init(); }

std::unique_ptr<CuttingProxy> PostgresLostCommitTest::proxy()
{
    const RawPg raw(m_postgres.url);
    const std::string server = std::string(PQhost(raw.conn)) + "/.s.PGSQL." + std::string(PQport(raw.conn));
    const std::string port = std::to_string(5432 + m_proxies++);
    m_through = "postgresql:///cairn?host=" + m_folder.path() + "&port=" + port + "&user=cairn";
    // Bind names its portal (none) and its prepared statement.
    const std::string mark = std::string(1, '\0') + "s"
        + std::to_string(static_cast<std::size_t>(postgres::Sql::Commit)) + std::string(1, '\0');
    return std::make_unique<CuttingProxy>(m_folder.file(".s.PGSQL." + port), server, mark);
}

void PostgresLostCommitTest::aCutCommitIsResolved_data()
{
    QTest::addColumn<int>("cut");
    QTest::newRow("before it is sent") << static_cast<int>(CuttingProxy::Cut::BeforeSending);
    QTest::newRow("after it is sent") << static_cast<int>(CuttingProxy::Cut::AfterSending);
    QTest::newRow("at its answer") << static_cast<int>(CuttingProxy::Cut::AtTheAnswer);
}

void PostgresLostCommitTest::aCutCommitIsResolved()
{
    QFETCH(int, cut);
    constexpr int kTrials = 40;
    const auto between = proxy();
    auto opened = postgres::openStore(m_through, {});
    CAIRN_VERIFY_OK(opened);
    StoreWriter& store = **opened;
    const std::string name = std::to_string(cut);
    Writer old("old" + name);
    std::vector<MemberResult> results;
    const CommitMember first = old.create();
    CAIRN_VERIFY_OK(store.commit(std::span(&first, 1), results));
    old.committed(first);
    int unknown = 0, there = 0, notThere = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        const std::string id = name + "/" + std::to_string(trial);
        const Writer fresh("new" + id);
        CommitMember change = old.next(id);
        AuditRow act;
        act.kind = "applied";
        act.run = old.run;
        act.command = change.entry.command;
        act.reason = id;
        change.audit = act;
        const std::vector<CommitMember> group{change, fresh.create("key " + id)};
        between->arm(static_cast<CuttingProxy::Cut>(cut));
        const Status status = store.commit(group, results);
        QVERIFY2(!status, "the cut was not noticed");
        QVERIFY2(status.error().kind == ErrorKind::OutcomeUnknown, errorLine(status.error()).c_str());
        ++unknown;
        // The connection is made anew; the group again, under the same command ids.
        const Status again = store.commit(group, results);
        CAIRN_VERIFY_OK(again);
        QVERIFY2(results[0].kind == results[1].kind, "one transaction, one outcome");
        const bool was = results[0].kind == Kind::Duplicate;
        QVERIFY(was || results[0].kind == Kind::Committed);
        ++(was ? there : notThere);
        old.committed(change);
        QCOMPARE(store.hot(old.run)->version, old.version);
        QCOMPARE(store.hot(fresh.run)->version, std::uint64_t{1});
        QCOMPARE(store.auditOfRun(old.run)->size(), std::size_t(trial + 1));
    }
    QCOMPARE(unknown, kTrials);
    QCOMPARE(between->cuts(), kTrials);
    if (static_cast<CuttingProxy::Cut>(cut) == CuttingProxy::Cut::BeforeSending)
        QCOMPARE(notThere, kTrials);
    if (static_cast<CuttingProxy::Cut>(cut) == CuttingProxy::Cut::AtTheAnswer)
        QCOMPARE(there, kTrials);
    const auto problems = store.check(true);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
}

void PostgresLostCommitTest::whatIsHarmlessTwiceIsDoneAgainUnseen()
{
    const auto between = proxy();
    auto opened = postgres::openStore(m_through, {});
    CAIRN_VERIFY_OK(opened);
    StoreWriter& store = **opened;
    const SessionRow session = sessionRow("harmless", 1000);
    CAIRN_VERIFY_OK(store.openSession(session));
    CAIRN_VERIFY_OK(store.putResource({"gpu", 0, false, 0, 5, 0}));
    int cuts = 0;
    for (const auto cut :
        {CuttingProxy::Cut::BeforeSending, CuttingProxy::Cut::AfterSending, CuttingProxy::Cut::AtTheAnswer}) {
        between->arm(cut);
        QVERIFY(*store.heartbeat(session.id, 2000 + cuts, 9000));
        QCOMPARE(store.sessions(false)->front().heartbeatAt, TimeMs{2000 + cuts});
        ++cuts;
        between->arm(cut);
        QCOMPARE(*store.leaseSlots(session.id, "gpu", 3, 100, 200), 3U);
        ++cuts;
        between->arm(cut);
        CAIRN_VERIFY_OK(store.stageChunk(idOf<ArtifactId>("a"), 0, "bytes"));
        ++cuts;
        // A claim is not: its engine has to be told.
        const Writer w("claimed" + std::to_string(cuts));
        std::vector<MemberResult> results;
        CAIRN_VERIFY_OK(store.commit(std::vector<CommitMember>{w.create()}, results));
        between->arm(cut);
        const auto claimed = store.claim(session.id, *store.now() + 60'000, 5);
        CAIRN_VERIFY_ERROR(claimed, ErrorKind::OutcomeUnknown);
        ++cuts;
    }
    QCOMPARE(between->cuts(), cuts);
}

void PostgresLostCommitTest::anAuditEntryIsWrittenOnce()
{
    const auto between = proxy();
    auto opened = postgres::openStore(m_through, {});
    CAIRN_VERIFY_OK(opened);
    const std::size_t before = (*opened)->audit(0, 1000)->size();
    for (const auto cut : {CuttingProxy::Cut::BeforeSending, CuttingProxy::Cut::AtTheAnswer}) {
        AuditRow act;
        act.kind = "refused";
        act.reason = std::to_string(static_cast<int>(cut));
        act.command = idOf<CommandId>("act " + act.reason);
        between->arm(cut);
        CAIRN_VERIFY_OK((*opened)->appendAudit(act));  // by its command id, which is unique
    }
    QCOMPARE(between->cuts(), 2);
    QCOMPARE((*opened)->audit(0, 1000)->size(), before + 2);
    QVERIFY((*opened)->check(false)->empty());
}

// The server answers COMMIT of a failed transaction with "ROLLBACK", which is no error to it.
void PostgresLostCommitTest::aCommitThatRolledBackIsNone()
{
    const auto db = postgres::makeDb(m_postgres.url, {});
    CAIRN_VERIFY_OK(db);
    postgres::Batch fails;
    fails.add(postgres::Sql::Begin);
    fails.addText("SELECT 1 / 0", {});
    CAIRN_VERIFY_ERROR((*db)->run(fails), ErrorKind::InvalidInput);
    QVERIFY((*db)->inTransaction());
    postgres::Batch commits;
    commits.add(postgres::Sql::Commit);
    const auto answer = (*db)->run(commits, true);
    CAIRN_VERIFY_ERROR(answer, ErrorKind::Busy);
    QVERIFY2(answer.error().text.find("rolled back") != std::string::npos, answer.error().text.c_str());
    QVERIFY((*db)->verdict().retry);
    // One that went well is one.
    postgres::Batch good;
    good.add(postgres::Sql::Begin);
    good.addText("SELECT 1", {});
    good.add(postgres::Sql::Commit);
    CAIRN_VERIFY_OK((*db)->run(good, true));
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresLostCommitTest)

#include "tst_postgres_lost_commit.moc"
