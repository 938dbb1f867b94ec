// What the PostgreSQL driver makes of SQLSTATEs and of URLs. No server is needed.

#include "core/store/postgres/conninfo.h"
#include "core/store/postgres/errors.h"
#include "core/store/postgres/params.h"
#include "core/store/postgres/postgres_store.h"
#include "tests/store/scratch.h"
#include "tests/support/cairn_qtest.h"

#include <filesystem>
#include <fstream>

namespace cairn::testing {

using postgres::classify;
using postgres::resolveTarget;

class PostgresErrorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup();
    void statesMeanWhatTheyMean_data();
    void statesMeanWhatTheyMean();
    void onlyWhatEndsTheLinkMakesACommitUnknown();
    void aCommitThatIsOnlyLocalIsRecognised();
    void statesHaveANumber();
    void arraysAreEncodedAsTheServerWantsThem();
    void urlsAreCompleted_data();
    void urlsAreCompleted();
    void aStandbyByNameIsForLookingOnly();
    void urlsAreRefused_data();
    void urlsAreRefused();
    void theEnvironmentMayRelaxTheCheck();
    void aServiceFileIsRead();
    void aFailedConnectionSaysHowToRelaxTheCheck();
    void whatWouldGiveThePasswordAwayIsRefused();
};

namespace {

std::string option(const postgres::Target& target, const std::string& key)
{
    for (const auto& option : target.options)
        if (option.key == key)
            return option.value;
    return "-";
}

}  // namespace

void PostgresErrorsTest::cleanup()
{
    for (const char* name : {"PGSSLMODE", "PGSERVICEFILE", "PGSERVICE", "PGPASSWORD", "PGCHANNELBINDING"})
        qunsetenv(name);
}

void PostgresErrorsTest::statesMeanWhatTheyMean_data()
{
    QTest::addColumn<QByteArray>("state");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QByteArray>("flags");  // r retry, d drops the connection, p poisons, m concerns a member
    const auto row = [](const char* name, const char* state, ErrorKind kind, const char* flags) {
        QTest::newRow(name) << QByteArray(state) << static_cast<int>(kind) << QByteArray(flags);
    };
    row("serialization failure", "40001", ErrorKind::Busy, "r");
    row("deadlock", "40P01", ErrorKind::Busy, "r");
    row("lock not available", "55P03", ErrorKind::Busy, "r");
    row("completion unknown", "40003", ErrorKind::OutcomeUnknown, "d");
    row("read-only server", "25006", ErrorKind::Disconnected, "rd");
    row("idle in transaction", "25P03", ErrorKind::Disconnected, "rd");
    row("shut down", "57P01", ErrorKind::Disconnected, "rd");
    row("crashed", "57P02", ErrorKind::Disconnected, "rd");
    row("starting up", "57P03", ErrorKind::Disconnected, "rd");
    row("connection failure", "08006", ErrorKind::Disconnected, "rd");
    row("protocol violation", "08P01", ErrorKind::Disconnected, "rd");
    row("too many connections", "53300", ErrorKind::Disconnected, "rd");
    row("the link was lost", "", ErrorKind::Disconnected, "rd");
    row("a plan of before a migration", "0A000", ErrorKind::Disconnected, "rd");
    row("disk full", "53100", ErrorKind::Full, "");
    row("cancelled", "57014", ErrorKind::Cancelled, "");
    row("append-only", "CA001", ErrorKind::Refused, "m");
    row("no right to it", "42501", ErrorKind::NoRight, "");
    row("wrong password", "28P01", ErrorKind::Refused, "d");
    row("no such database", "3D000", ErrorKind::NotFound, "d");
    row("no such table", "42P01", ErrorKind::SchemaMismatch, "");
    row("unique violation", "23505", ErrorKind::Internal, "m");
    row("broken text", "22021", ErrorKind::InvalidInput, "m");
    row("too long", "54000", ErrorKind::InvalidInput, "m");
    row("I/O error", "58030", ErrorKind::Io, "p");
    row("damaged", "XX001", ErrorKind::Corrupt, "p");
    row("a state of tomorrow", "ZZ999", ErrorKind::Internal, "m");
}

void PostgresErrorsTest::statesMeanWhatTheyMean()
{
    QFETCH(QByteArray, state);
    QFETCH(int, kind);
    QFETCH(QByteArray, flags);
    const auto verdict = classify(state.toStdString(), false);
    QCOMPARE(static_cast<int>(verdict.kind), kind);
    QCOMPARE(verdict.retry, flags.contains('r'));
    QCOMPARE(verdict.drops, flags.contains('d'));
    QCOMPARE(verdict.poisons, flags.contains('p'));
    QCOMPARE(verdict.concernsMember, flags.contains('m'));
}

void PostgresErrorsTest::onlyWhatEndsTheLinkMakesACommitUnknown()
{
    for (const char* state : {"", "08006", "57P01", "57P02", "40003"})
        QVERIFY2(classify(state, true).kind == ErrorKind::OutcomeUnknown, state);
    for (const char* state : {"40001", "40P01", "23505", "53100", "25006"})
        QVERIFY2(classify(state, true).kind != ErrorKind::OutcomeUnknown, state);
    QVERIFY2(!classify("", true).retry, "never blindly");
}

void PostgresErrorsTest::aCommitThatIsOnlyLocalIsRecognised()
{
    QVERIFY(postgres::isOnlyLocal("SyncRepWaitForLSN", "WARNING"));
    QVERIFY(!postgres::isOnlyLocal("SyncRepWaitForLSN", "DEBUG"));
    QVERIFY(!postgres::isOnlyLocal("", "WARNING"));
}

void PostgresErrorsTest::statesHaveANumber()
{
    QCOMPARE(postgres::nativeCode("00001"), 1);
    QCOMPARE(postgres::nativeCode("0000Z"), 35);
    QVERIFY(postgres::nativeCode("40001") != postgres::nativeCode("40P01"));
    QCOMPARE(postgres::nativeCode(""), 0);
    QCOMPARE(postgres::nativeCode("4000!"), 0);
}

void PostgresErrorsTest::arraysAreEncodedAsTheServerWantsThem()
{
    postgres::Column column;
    column.add(TimeMs{258});
    column.add(postgres::Due{0});
    const std::string wanted("\0\0\0\1\0\0\0\1\0\0\0\x14\0\0\0\2\0\0\0\1"
                             "\0\0\0\x08\0\0\0\0\0\0\1\2"
                             "\xFF\xFF\xFF\xFF",
        36);
    QCOMPARE(hex(column.bytes()), hex(wanted));
    QVERIFY(column.arrayType() == postgres::Type::Int8Array);
    const std::string empty("\0\0\0\0\0\0\0\0\0\0\x0B\x86", 12);
    QCOMPARE(hex(postgres::Column(postgres::Type::Uuid).bytes()), hex(empty));
}

void PostgresErrorsTest::urlsAreCompleted_data()
{
    QTest::addColumn<QByteArray>("url");
    QTest::addColumn<bool>("tcp");
    QTest::addColumn<QByteArray>("sslmode");
    QTest::addColumn<QByteArray>("attributes");
    QTest::newRow("a socket") << QByteArray("postgresql:///runs") << false << QByteArray("-")
                              << QByteArray("-");
    QTest::newRow("a socket's folder") << QByteArray("postgresql:///runs?host=/tmp/pg&port=5433") << false
                                       << QByteArray("-") << QByteArray("-");
    QTest::newRow("a host") << QByteArray("postgresql://ann@db.example/runs") << true
                            << QByteArray("verify-full") << QByteArray("primary");
    QTest::newRow("loopback") << QByteArray("postgres://127.0.0.1:5433/runs") << true
                              << QByteArray("verify-full") << QByteArray("primary");
    QTest::newRow("an address") << QByteArray("postgresql:///runs?hostaddr=10.0.0.1") << true
                                << QByteArray("verify-full") << QByteArray("primary");
    QTest::newRow("relaxed") << QByteArray("postgresql://localhost/runs?sslmode=disable") << true
                             << QByteArray("disable") << QByteArray("primary");
    QTest::newRow("several hosts") << QByteArray("postgresql://a.example,b.example:5433/runs") << true
                                   << QByteArray("verify-full") << QByteArray("read-write");
    QTest::newRow("several hosts, said how")
        << QByteArray("postgresql://a.example,b.example/runs?target_session_attrs=primary&sslmode=verify-ca")
        << true << QByteArray("verify-ca") << QByteArray("primary");
    // Who writes goes past a wish for a standby, which is one of those who look.
    QTest::newRow("several hosts, rather a standby")
        << QByteArray("postgresql://a.example,b.example/runs?target_session_attrs=prefer-standby") << true
        << QByteArray("verify-full") << QByteArray("read-write");
    QTest::newRow("one host, rather a standby")
        << QByteArray("postgresql://a.example/runs?target_session_attrs=prefer-standby") << true
        << QByteArray("verify-full") << QByteArray("primary");
}

void PostgresErrorsTest::urlsAreCompleted()
{
    QFETCH(QByteArray, url);
    QFETCH(bool, tcp);
    QFETCH(QByteArray, sslmode);
    QFETCH(QByteArray, attributes);
    const auto target = resolveTarget(url.toStdString(), true);
    CAIRN_VERIFY_OK(target);
    QCOMPARE(target->tcp, tcp);
    QCOMPARE(option(*target, "sslmode"), sslmode.toStdString());
    QCOMPARE(option(*target, "target_session_attrs"), attributes.toStdString());
    QCOMPARE(option(*target, "dbname"), std::string("runs"));
    QCOMPARE(option(*target, "client_encoding"), std::string("UTF8"));
    QCOMPARE(target->verifyByDefault, sslmode == "verify-full");
    QVERIFY(target->shown.find("runs") != std::string::npos);
    // Who only reads may read from a standby.
    const std::string reading = option(*resolveTarget(url.toStdString(), false), "target_session_attrs");
    const std::string said = url.contains("prefer-standby") ? "prefer-standby"
        : url.contains("target_session_attrs")              ? "primary"
                                                            : "-";
    QCOMPARE(reading, said);
}

void PostgresErrorsTest::aStandbyByNameIsForLookingOnly()
{
    for (const std::string attributes : {"standby", "read-only"}) {
        const std::string url = "postgresql://a.example,b.example/runs?target_session_attrs=" + attributes;
        const auto writing = resolveTarget(url, true);
        CAIRN_VERIFY_ERROR(writing, ErrorKind::Refused);
        QVERIFY2(writing.error().text.find("name the primary in --store") != std::string::npos,
            writing.error().text.c_str());
        const auto reading = resolveTarget(url, false);
        CAIRN_VERIFY_OK(reading);
        QCOMPARE(option(*reading, "target_session_attrs"), attributes);
    }
}

void PostgresErrorsTest::urlsAreRefused_data()
{
    QTest::addColumn<QByteArray>("url");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("another scheme") << QByteArray("mysql://db.example/runs") << QByteArray("postgresql://");
    QTest::newRow("keywords") << QByteArray("host=db.example dbname=runs") << QByteArray("postgresql://");
    QTest::newRow("an unknown option") << QByteArray("postgresql:///runs?hots=x") << QByteArray("hots");
    QTest::newRow("a password") << QByteArray("postgresql://ann:hunter2@db.example/runs")
                                << QByteArray(".pgpass");
    QTest::newRow("a password as an option")
        << QByteArray("postgresql://db.example/runs?password=hunter2") << QByteArray(".pgpass");
    QTest::newRow("no such service") << QByteArray("postgresql:///?service=nobody-knows-it")
                                     << QByteArray("nobody-knows-it");
}

void PostgresErrorsTest::urlsAreRefused()
{
    QFETCH(QByteArray, url);
    QFETCH(QByteArray, says);
    const auto target = resolveTarget(url.toStdString(), true);
    CAIRN_VERIFY_ERROR(target, ErrorKind::InvalidInput);
    QVERIFY2(target.error().text.find(says.toStdString()) != std::string::npos, target.error().text.c_str());
    QVERIFY2(target.error().text.find("hunter2") == std::string::npos, target.error().text.c_str());
}

void PostgresErrorsTest::theEnvironmentMayRelaxTheCheck()
{
    qputenv("PGSSLMODE", "require");
    const auto target = resolveTarget("postgresql://db.example/runs", true);
    CAIRN_VERIFY_OK(target);
    QCOMPARE(option(*target, "sslmode"), std::string("-"));  // libpq takes it from there
    QVERIFY(!target->verifyByDefault);
}

void PostgresErrorsTest::aServiceFileIsRead()
{
    const Scratch folder;
    const std::string file = folder.file("services");
    std::ofstream(file) << "[team]\nhost=db.example\nport=5544\ndbname=runs\n"
                        << "[relaxed]\nhost=127.0.0.1\ndbname=runs\nsslmode=disable\n";
    qputenv("PGSERVICEFILE", file.c_str());
    const auto team = resolveTarget("postgresql:///?service=team", true);
    CAIRN_VERIFY_OK(team);
    QVERIFY(team->tcp);
    QCOMPARE(option(*team, "sslmode"), std::string("verify-full"));
    QVERIFY2(team->shown.find("db.example") != std::string::npos, team->shown.c_str());
    QVERIFY2(team->shown.find("5544") != std::string::npos, team->shown.c_str());
    const auto relaxed = resolveTarget("postgresql:///?service=relaxed", true);
    CAIRN_VERIFY_OK(relaxed);
    QVERIFY(relaxed->tcp);
    QCOMPARE(option(*relaxed, "sslmode"), std::string("-"));  // the service file says it
}

void PostgresErrorsTest::aFailedConnectionSaysHowToRelaxTheCheck()
{
    const auto strict = postgres::openStore("postgresql://127.0.0.1:1/runs", {});
    CAIRN_VERIFY_ERROR(strict, ErrorKind::Disconnected);
    QVERIFY2(strict.error().text.find("sslmode=disable") != std::string::npos, strict.error().text.c_str());
    const auto relaxed = postgres::openStore("postgresql://127.0.0.1:1/runs?sslmode=disable", {});
    CAIRN_VERIFY_ERROR(relaxed, ErrorKind::Disconnected);
    QVERIFY2(relaxed.error().text.find("verify-full") == std::string::npos, relaxed.error().text.c_str());
}

// How servers of all kinds fare with it: tst_postgres_tls.
void PostgresErrorsTest::whatWouldGiveThePasswordAwayIsRefused()
{
    const auto binding = [](const char* url) { return option(*resolveTarget(url, true), "channel_binding"); };
    QCOMPARE(binding("postgresql://db.example/runs"), std::string("require"));
    QCOMPARE(binding("postgresql://db.example/runs?sslmode=require"), std::string("require"));
    QCOMPARE(binding("postgresql:///runs"), std::string("-"));
    QCOMPARE(binding("postgresql://db.example/runs?sslmode=verify-full&channel_binding=disable"),
        std::string("disable"));
    for (const char* url :
        {"postgresql://db.example/runs?sslmode=prefer", "postgresql://db.example/runs?sslmode=allow",
            "postgresql://db.example/runs?sslmode=require&channel_binding=disable",
            "postgresql://db.example/runs?sslmode=require&sslrootcert=system"})
        CAIRN_VERIFY_ERROR(resolveTarget(url, true), ErrorKind::InvalidInput);
    CAIRN_VERIFY_OK(resolveTarget("postgresql:///runs?sslmode=prefer", true));
    qputenv("PGSSLMODE", "prefer");
    CAIRN_VERIFY_ERROR(resolveTarget("postgresql://db.example/runs", true), ErrorKind::InvalidInput);
    qunsetenv("PGSSLMODE");
    // Hosts that differ in what they need, or have to be watched, are tried one by one.
    QCOMPARE(resolveTarget("postgresql://a.example,b.example/runs", true)->hosts.size(), std::size_t{1});
    QCOMPARE(resolveTarget("postgresql://a.example,b.example/runs?sslmode=disable", true)->hosts.size(),
        std::size_t{2});
    const auto mixed = resolveTarget("postgresql:///runs?host=/tmp,b.example&port=1,2", true);
    QCOMPARE(mixed->hosts.size(), std::size_t{2});
    QVERIFY(!mixed->hosts[0].tcp && mixed->hosts[1].tcp);
    QCOMPARE(mixed->hosts[1].shown(), std::string("b.example, port 2"));
    const Scratch folder;
    const std::string file = folder.file("services");
    std::ofstream(file) << "[team]\nhost=db.example\npassword=hunter2\n";
    std::filesystem::permissions(file, std::filesystem::perms(0640));
    qputenv("PGSERVICEFILE", file.c_str());
    const auto open = resolveTarget("postgresql:///?service=team", true);
    CAIRN_VERIFY_ERROR(open, ErrorKind::InvalidInput);
    QVERIFY2(open.error().text.find("chmod 600 " + file) != std::string::npos, open.error().text.c_str());
    std::filesystem::permissions(file, std::filesystem::perms(0600));
    CAIRN_VERIFY_OK(resolveTarget("postgresql:///?service=team", true));
    qputenv("PGPASSWORD", "hunter2");
    CAIRN_VERIFY_ERROR(resolveTarget("postgresql:///runs", true), ErrorKind::InvalidInput);
}

}  // namespace cairn::testing

QTEST_APPLESS_MAIN(cairn::testing::PostgresErrorsTest)

#include "tst_postgres_errors.moc"
