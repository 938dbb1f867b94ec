// Time limits of each kind of connection, read from the server; and what is said where one is reached.

#include "tests/store/postgres_fixture.h"

namespace cairn::testing {

namespace {

std::string setting(postgres::Db& db, const char* name)
{
    postgres::Batch batch;
    batch.addText(std::string("SELECT current_setting('") + name + "')", {});
    auto answers = db.run(batch);
    if (!answers)
        qFatal("%s", errorLine(answers.error()).c_str());
    std::string value;
    if (answers->front().next())
        answers->front().read(value);
    return value;
}

}  // namespace

class PostgresLimitsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_postgres.init(); }
    void cleanup() { static_cast<void>(RawPg(m_postgres.url).exec("ALTER ROLE cairn RESET ALL")); }
    void eachConnectionIsLimitedByWhatItIsFor_data();
    void eachConnectionIsLimitedByWhatItIsFor();
    void aQueryThatTakesTooLongSaysSo();
    void whatLooksThroughWholeTablesIsNotCutShort();
    void oneLooksForLivingEngines();

private:
    PostgresStoreFixture m_postgres;
};

void PostgresLimitsTest::eachConnectionIsLimitedByWhatItIsFor_data()
{
    QTest::addColumn<bool>("readOnly");
    QTest::addColumn<bool>("builds");
    QTest::addColumn<QByteArray>("own");  // of the login
    QTest::addColumn<QByteArray>("statement");
    const auto row = [](const char* name, bool readOnly, bool builds, const char* own, const char* wanted) {
        QTest::newRow(name) << readOnly << builds << QByteArray(own) << QByteArray(wanted);
    };
    row("looks", true, false, "0", "30s");
    row("writes", false, false, "0", "1min");
    row("builds", false, true, "0", "0");
    row("looks, by a login with less", true, false, "7s", "7s");
    row("looks, by a login with more", true, false, "10min", "30s");
    row("writes, by a login with less", false, false, "40s", "40s");
    row("builds, by a login with less", false, true, "40s", "40s");
}

void PostgresLimitsTest::eachConnectionIsLimitedByWhatItIsFor()
{
    QFETCH(bool, readOnly);
    QFETCH(bool, builds);
    QFETCH(QByteArray, own);
    QFETCH(QByteArray, statement);
    QCOMPARE(
        RawPg(m_postgres.url).exec("ALTER ROLE cairn SET statement_timeout = '" + own.toStdString() + "'"),
        std::string());
    postgres::Session session;
    session.readOnly = readOnly;
    session.use = builds ? postgres::Use::Building : postgres::Use::Commands;
    const auto db = postgres::makeDb(m_postgres.url, session);
    CAIRN_VERIFY_OK(db);
    QCOMPARE(setting(**db, "statement_timeout"), statement.toStdString());
    QCOMPARE(setting(**db, "lock_timeout"), std::string("5s"));
    QCOMPARE(setting(**db, "idle_in_transaction_session_timeout"), std::string("5s"));
    QCOMPARE(setting(**db, "default_transaction_read_only"), std::string(readOnly ? "on" : "off"));
}

// A console's list, and a table that somebody has locked: the login allows it less than the wait for a lock.
void PostgresLimitsTest::aQueryThatTakesTooLongSaysSo()
{
    QCOMPARE(RawPg(m_postgres.url).exec("ALTER ROLE cairn SET statement_timeout = '2s'"), std::string());
    StoreOptions looking;
    looking.readOnly = true;
    const auto store = m_postgres.open(looking);
    const RawPg other(m_postgres.url);
    QCOMPARE(other.exec("BEGIN; LOCK TABLE cairn.run_list IN ACCESS EXCLUSIVE MODE"), std::string());
    const auto counted = store->count({});
    QCOMPARE(other.exec("ROLLBACK"), std::string());
    CAIRN_VERIFY_ERROR(counted, ErrorKind::Busy);
    for (const char* word : {"the server ended this query after ", "statement_timeout", "narrower filter"})
        QVERIFY2(counted.error().text.find(word) != std::string::npos, counted.error().text.c_str());
    QCOMPARE(*store->count({}), std::uint64_t{0});  // and the connection is as good as before
}

// The driver's own limit is lifted for a check; the login's is not.
void PostgresLimitsTest::whatLooksThroughWholeTablesIsNotCutShort()
{
    const auto db = postgres::makeDb(m_postgres.url, {true});
    CAIRN_VERIFY_OK(db);
    CAIRN_VERIFY_OK((*db)->query(postgres::Sql::BeginReading));
    CAIRN_VERIFY_OK((*db)->query(postgres::Sql::Unhurried));
    QCOMPARE(setting(**db, "statement_timeout"), std::string("0"));
    CAIRN_VERIFY_OK((*db)->query(postgres::Sql::Commit));
    QCOMPARE(setting(**db, "statement_timeout"), std::string("30s"));
    QCOMPARE(RawPg(m_postgres.url).exec("ALTER ROLE cairn SET statement_timeout = '7s'"), std::string());
    const auto limited = postgres::makeDb(m_postgres.url, {true});
    CAIRN_VERIFY_OK(limited);
    CAIRN_VERIFY_OK((*limited)->query(postgres::Sql::BeginReading));
    CAIRN_VERIFY_OK((*limited)->query(postgres::Sql::Unhurried));
    QCOMPARE(setting(**limited, "statement_timeout"), std::string("7s"));
}

void PostgresLimitsTest::oneLooksForLivingEngines()
{
    const auto store = m_postgres.open();
    const auto db = postgres::makeDb(m_postgres.url, {});
    CAIRN_VERIFY_OK(db);
    const auto living = [&] {
        const auto engine = postgres::livingEngine(**db);
        return !engine ? std::string("error") : *engine ? (*engine)->name : std::string("none");
    };
    QCOMPARE(living(), std::string("none"));
    const TimeMs now = *store->now();
    SessionRow row = sessionRow("w1", now);
    row.leaseUntil = now + 3'600'000;
    CAIRN_VERIFY_OK(store->openSession(row));
    QCOMPARE(living(), std::string("w1"));
    QVERIFY(*store->endSession(row.id, now, kNoTime));
    QCOMPARE(living(), std::string("none"));
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresLimitsTest)

#include "tst_postgres_limits.moc"
