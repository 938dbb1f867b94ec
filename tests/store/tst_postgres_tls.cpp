// To whom a password goes: over TCP to a server whose certificate was checked, or that proves by SCRAM that
// it knows the password already, and to nobody else. And where it may stand, and does not appear. Runs under
// packaging/with-postgres --tls.

#include "tests/store/fake_server.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"

#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <ifaddrs.h>
#include <net/if.h>
#include <sstream>
#include <sys/wait.h>

namespace cairn::testing {

namespace {

const std::string kSecret = "Tr0ub4dor-and-3";

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string fileText(const std::string& path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// Some address of this machine that is no loopback address; empty: it has none.
std::string networkAddress()
{
    ifaddrs* all = nullptr;
    std::string found;
    if (::getifaddrs(&all) != 0)
        return found;
    for (const ifaddrs* at = all; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_UP) == 0
            || (at->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        char text[INET_ADDRSTRLEN] = {};
        ::inet_ntop(
            AF_INET, &reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr, text, sizeof text);
        found = text;
    }
    ::freeifaddrs(all);
    return found;
}

}  // namespace

class PostgresTlsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanupTestCase();
    void theRightAuthorityPasses_data();
    void theRightAuthorityPasses();
    void serversAreRefused_data();
    void serversAreRefused();
    void methodsAreRefused_data();
    void methodsAreRefused();
    void nothingLeavesBeforeTheCertificateIsVerified_data();
    void nothingLeavesBeforeTheCertificateIsVerified();
    void withoutTlsOnlyScramIsAnswered_data();
    void withoutTlsOnlyScramIsAnswered();
    void withoutTlsNoPasswordCrossesANetwork();
    void aHostThatDoesNotAnswerIsPassedOver();
    void whatWouldWeakenTheCheckIsRefused_data();
    void whatWouldWeakenTheCheckIsRefused();
    void passwordsInUrlsAreRefused_data();
    void passwordsInUrlsAreRefused();
    void thePasswordAppearsNowhere_data();
    void thePasswordAppearsNowhere();
    void filesThatOthersCanReadAreNotUsed();

private:
    // The server as it is from the next connection on.
    void serve(const std::string& certificate, const std::string& hba = {}, const char* ssl = "on");
    [[nodiscard]] std::string tls(const std::string& options, const std::string& host = "localhost") const;
    void pgpass(const std::string& line);
    [[nodiscard]] static std::string refused(const std::string& url);
    [[nodiscard]] QByteArray run(const QStringList& arguments, const std::string& url, int expected = 0);

    PostgresStoreFixture m_postgres;
    Scratch m_folder;
    std::string m_certificates = environment("CAIRN_TLS_FOLDER");
    std::string m_ownPgpass = environment("PGPASSFILE");
    std::string m_port, m_password;
    int m_marks = 0;
};

void PostgresTlsTest::initTestCase()
{
    QVERIFY2(!environment("CAIRN_TLS_STORE").empty(), "run this under packaging/with-postgres --tls");
    qputenv("HOME", m_folder.path().c_str());  // no authority, service or password of whoever runs this
    const RawPg raw(m_postgres.url);
    m_port = PQport(raw.conn);
    m_password = fileText(m_ownPgpass);
    m_password = m_password.substr(m_password.rfind(':') + 1);
    m_password.resize(m_password.size() - 1);  // the line's end
    QVERIFY(m_password.size() >= 16);
    m_postgres.drop();
    QCOMPARE(raw.exec("SET password_encryption = 'md5'; CREATE ROLE hashed LOGIN PASSWORD '" + kSecret + "'"),
        std::string());
    QCOMPARE(raw.exec("SET password_encryption = 'scram-sha-256'; CREATE ROLE clear LOGIN PASSWORD '"
                 + kSecret + "'; CREATE ROLE trusted LOGIN PASSWORD '" + kSecret + "'"),
        std::string());
    // The store belongs to the login that comes over TCP.
    CAIRN_VERIFY_OK(postgres::initStore(environment("CAIRN_TLS_STORE"), {}));
}

void PostgresTlsTest::init()
{
    serve("server");
    qputenv("PGPASSFILE", m_ownPgpass.c_str());
    for (const char* name : {"PGPASSWORD", "PGSERVICEFILE", "PGSSLMODE", "SSL_CERT_FILE", "PGCHANNELBINDING"})
        qunsetenv(name);
}

void PostgresTlsTest::cleanupTestCase() { serve("server"); }

void PostgresTlsTest::serve(const std::string& certificate, const std::string& hba, const char* ssl)
{
    const RawPg raw(m_postgres.url);
    const std::string mark = std::to_string(5000 + ++m_marks) + "kB";
    const std::string file = m_certificates + "/" + certificate;
    for (const std::string& sql : {"ALTER SYSTEM SET ssl_cert_file = '" + file + ".crt'",
             "ALTER SYSTEM SET ssl_key_file = '" + file + ".key'",
             std::string("ALTER SYSTEM SET ssl = ") + ssl, "ALTER SYSTEM SET work_mem = '" + mark + "'",
             "COPY (SELECT unnest(ARRAY['local all all trust', '" + hba
                 + "', 'host all all samehost scram-sha-256'])) TO '" + raw.value("SHOW hba_file") + "'",
             std::string("SELECT pg_reload_conf()")})
        QCOMPARE(raw.exec(sql), std::string());
    QTRY_COMPARE(RawPg(m_postgres.url).value("SHOW work_mem"), mark);
}

std::string PostgresTlsTest::tls(const std::string& options, const std::string& host) const
{
    return "postgresql://secured@" + host + ":" + m_port + "/cairn" + options;
}

void PostgresTlsTest::pgpass(const std::string& line)
{
    const std::string file = m_folder.file("pgpass");
    std::ofstream(file) << line << '\n';
    std::filesystem::permissions(file, std::filesystem::perms(0600));
    qputenv("PGPASSFILE", file.c_str());
}

// What is said; empty: it was not refused.
std::string PostgresTlsTest::refused(const std::string& url)
{
    const auto store = postgres::openStore(url, {});
    return store ? std::string() : errorLine(store.error());
}

void PostgresTlsTest::theRightAuthorityPasses_data()
{
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<QByteArray>("options");
    const QByteArray ca = "?sslrootcert=" + QByteArray::fromStdString(m_certificates) + "/ca.crt";
    QTest::newRow("by name") << QByteArray("localhost") << ca;
    QTest::newRow("by address") << QByteArray("127.0.0.1") << ca;
    QTest::newRow("said") << QByteArray("localhost") << ca + "&sslmode=verify-full&channel_binding=require";
    QTest::newRow("the machine's own authorities")
        << QByteArray("localhost") << QByteArray("?sslrootcert=system");
    QTest::newRow("a socket that is not there before it") << QByteArray(
        "localhost") << ca + "&host=/nowhere,localhost&port=1," + QByteArray::fromStdString(m_port);
    QTest::newRow("whoever it is, as long as he knows the password")
        << QByteArray("localhost") << QByteArray("?sslmode=require");
}

void PostgresTlsTest::theRightAuthorityPasses()
{
    QFETCH(QByteArray, host);
    QFETCH(QByteArray, options);
    qputenv("SSL_CERT_FILE", (m_certificates + "/ca.crt").c_str());
    const std::string url = has(options.toStdString(), "host=")
        ? "postgresql://secured@/cairn" + options.toStdString()
        : tls(options.toStdString(), host.toStdString());
    const auto store = postgres::openStore(url, {});
    CAIRN_VERIFY_OK(store);
    CAIRN_VERIFY_OK((*store)->addWorkflow({"w", 1, sha256("1"), "{}", "/w", 5}));
    QCOMPARE(
        RawPg(m_postgres.url)
            .value("SELECT string_agg(usename || ' ' || ssl, ',') FROM pg_stat_ssl JOIN pg_stat_activity "
                   "USING (pid) WHERE application_name = 'cairn'"),
        std::string("secured true"));
}

void PostgresTlsTest::serversAreRefused_data()
{
    QTest::addColumn<QByteArray>("certificate");
    QTest::addColumn<QByteArray>("authority");
    QTest::addColumn<QByteArray>("ssl");
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("todo");
    const auto row = [](const char* name, const char* certificate, const char* authority, const char* ssl,
                         const char* what, const char* todo) {
        QTest::newRow(name) << QByteArray(certificate) << QByteArray(authority) << QByteArray(ssl)
                            << QByteArray(what) << QByteArray(todo);
    };
    row("another name", "other", "ca.crt", "on", "does not match host name \"localhost\"",
        "use the name that the certificate was made for");
    row("an authority that is not known", "server", "stranger.crt", "on", "certificate verify failed",
        "get the right one from whoever runs the server");
    row("signed by itself", "self", "ca.crt", "on", "certificate verify failed",
        "get the right one from whoever runs the server");
    row("no authority is known", "server", "none.crt", "on", "root certificate file",
        "give sslrootcert=FILE");
    row("no TLS", "server", "ca.crt", "off", "does not support SSL", "switch TLS on there");
}

void PostgresTlsTest::serversAreRefused()
{
    QFETCH(QByteArray, certificate);
    QFETCH(QByteArray, authority);
    QFETCH(QByteArray, ssl);
    QFETCH(QByteArray, what);
    QFETCH(QByteArray, todo);
    serve(certificate.toStdString(), {}, ssl.constData());
    const std::string root = "sslrootcert=" + m_certificates + "/" + authority.toStdString();
    const std::string text = refused(tls("?" + root));
    QVERIFY2(has(text, what.toStdString()), text.c_str());
    QVERIFY2(has(text, "database cairn on localhost, port " + m_port), text.c_str());
    QVERIFY2(has(text, todo.toStdString()), text.c_str());
    QVERIFY2(has(text, "sslmode=disable"), "how it is relaxed for a test on a loopback address");
    QVERIFY2(!has(text, m_password), text.c_str());
    // Who has said what he wants is told the same, but for what he has said.
    const std::string said = refused(tls("?sslmode=verify-full&" + root));
    QVERIFY2(has(said, what.toStdString()) && has(said, todo.toStdString()), said.c_str());
    QVERIFY2(!has(said, "sslmode=disable"), said.c_str());
}

void PostgresTlsTest::methodsAreRefused_data()
{
    QTest::addColumn<QByteArray>("login");
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("options");
    QTest::addColumn<QByteArray>("what");
    const auto row = [](const char* name, const char* login, const char* method, const char* options,
                         const char* what) {
        QTest::newRow(name) << QByteArray(login) << QByteArray(method) << QByteArray(options)
                            << QByteArray(what);
    };
    row("clear text over TLS", "clear", "password", "?sslrootcert=", "channel binding");
    row("MD5 over TLS", "hashed", "md5", "?sslrootcert=", "channel binding");
    row("nothing over TLS", "trusted", "trust", "?sslrootcert=", "channel binding");
    row("clear text, unchecked TLS", "clear", "password", "?sslmode=require", "channel binding");
    row("clear text without TLS", "clear", "password", "?sslmode=disable",
        "asks for a password in clear text");
    row("MD5 without TLS", "hashed", "md5", "?sslmode=disable", "asks for a password as MD5");
}

void PostgresTlsTest::methodsAreRefused()
{
    QFETCH(QByteArray, login);
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, options);
    QFETCH(QByteArray, what);
    serve("server", "host all " + login.toStdString() + " samehost " + method.toStdString());
    // A wrong one: a server that had got it would say so.
    pgpass("*:*:*:*:wrong");
    std::string url =
        "postgresql://" + login.toStdString() + "@localhost:" + m_port + "/cairn" + options.toStdString();
    if (options.endsWith("sslrootcert="))
        url += m_certificates + "/ca.crt";
    const std::string text = refused(url);
    QVERIFY2(has(text, what.toStdString()), text.c_str());
    QVERIFY2(has(text, "database cairn on localhost, port " + m_port), text.c_str());
    QVERIFY2(has(text, "scram-sha-256") && has(text, "pg_hba.conf"), text.c_str());
    QVERIFY2(!has(text, "authentication failed"), text.c_str());
    // Asked for by name, behind a certificate that was checked for its name, it is done: poolers need it.
    if (method == "password" && options.endsWith("sslrootcert=")) {
        const std::string relaxed = refused(url + "&channel_binding=disable&sslmode=verify-full");
        QVERIFY2(
            has(relaxed, "password authentication failed") && has(relaxed, "~/.pgpass"), relaxed.c_str());
        pgpass("*:*:*:*:" + kSecret);
        QVERIFY2(
            has(refused(url + "&channel_binding=disable&sslmode=verify-full"), "needs a role of this store"),
            "it is let in, and then has no right to the store");
    }
}

void PostgresTlsTest::nothingLeavesBeforeTheCertificateIsVerified_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<bool>("closes");
    QTest::newRow("no TLS here") << QByteArray("N") << false;
    QTest::newRow("no TLS here, and a question after it")
        << QByteArray::fromStdString("N" + FakeServer::asks(3)) << false;
    QTest::newRow("TLS, and then none") << QByteArray::fromStdString("S" + FakeServer::asks(3)) << false;
    QTest::newRow("TLS, and then nonsense") << QByteArray("S") << false;
    QTest::newRow("an error") << QByteArray::fromStdString(
        FakeServer::message('E', std::string("SFATAL\0C0A000\0Mno idea\0\0", 24)))
                              << false;
    QTest::newRow("the end") << QByteArray() << true;
}

void PostgresTlsTest::nothingLeavesBeforeTheCertificateIsVerified()
{
    QFETCH(QByteArray, answer);
    QFETCH(bool, closes);
    pgpass("*:*:*:*:" + kSecret);
    for (const char* mode : {"", "&sslmode=verify-full", "&sslmode=verify-ca", "&sslmode=require"}) {
        // After "TLS": something that is no handshake, for whatever comes.
        std::vector<std::string> answers{answer.toStdString()};
        if (!closes)
            answers.insert(answers.end(), 2, FakeServer::asks(3));
        FakeServer server(std::move(answers), closes);
        const std::string text = refused("postgresql://ann@127.0.0.1:" + server.port()
            + "/cairn?connect_timeout=2&sslrootcert=" + m_certificates + "/ca.crt" + mode);
        QVERIFY2(!text.empty(), mode);
        QVERIFY2(has(text, "cairn on 127.0.0.1, port " + server.port()), text.c_str());
        QVERIFY(server.connections() > 0);
        const std::string sent = server.received();
        QVERIFY2(
            sent.rfind(FakeServer::number(8) + FakeServer::number(80877103), 0) == 0, "asked for TLS first");
        QVERIFY2(!has(sent, kSecret), mode);
        QVERIFY2(!has(sent, "ann"), "not even the login's name");
    }
}

void PostgresTlsTest::withoutTlsOnlyScramIsAnswered_data()
{
    QTest::addColumn<QByteArrayList>("answers");
    QTest::addColumn<QByteArray>("what");
    const auto row = [](const char* name, const std::vector<std::string>& answers, const char* what) {
        QByteArrayList list;
        for (const std::string& answer : answers)
            list += QByteArray::fromStdString(answer);
        QTest::newRow(name) << list << QByteArray(what);
    };
    const std::string clear = FakeServer::asks(3);
    row("clear text", {clear}, "asks for a password in clear text");
    row("MD5", {FakeServer::asks(5, "salt")}, "asks for a password as MD5");
    row("GSSAPI", {FakeServer::asks(7)}, "asks for GSSAPI");
    row("a method of tomorrow", {FakeServer::asks(77)}, "asks for authentication method 77");
    row("SCRAM, and clear text at once", {FakeServer::asksForScram() + clear},
        "asks for a password in clear text");
    row("SCRAM, then clear text", {FakeServer::asksForScram(), clear}, "asks for a password in clear text");
    row("an unknown message, then clear text", {FakeServer::message('v', "12345678") + clear},
        "asks for a password in clear text");
    row("half a question", {clear.substr(0, 7)}, "asks for half a message");
    row("nonsense", {std::string("HTTP/1.1 400 Bad Request\r\n\r\n")}, "no PostgreSQL message");
}

void PostgresTlsTest::withoutTlsOnlyScramIsAnswered()
{
    QFETCH(QByteArrayList, answers);
    QFETCH(QByteArray, what);
    pgpass("*:*:*:*:" + kSecret);
    std::vector<std::string> says;
    for (const QByteArray& answer : answers)
        says.push_back(answer.toStdString());
    FakeServer server(says);
    const std::string text =
        refused("postgresql://ann@127.0.0.1:" + server.port() + "/cairn?sslmode=disable&connect_timeout=2");
    QVERIFY2(has(text, what.toStdString()), text.c_str());
    QVERIFY2(has(text, "scram-sha-256"), text.c_str());
    QVERIFY2(has(text, "cairn on 127.0.0.1, port " + server.port()), text.c_str());
    const std::string sent = server.received();
    QVERIFY2(has(sent, "ann"), "it came as far as the question");
    QVERIFY2(!has(sent, kSecret), sent.c_str());
    QVERIFY2(!has(sent, "md5"), sent.c_str());
    // The real server, which asks for SCRAM, is answered.
    qputenv("PGPASSFILE", m_ownPgpass.c_str());
    CAIRN_VERIFY_OK(postgres::openStore(tls("?sslmode=disable"), {}));
}

void PostgresTlsTest::withoutTlsNoPasswordCrossesANetwork()
{
    const std::string address = networkAddress();
    if (address.empty())
        QSKIP("this machine has no address but loopback");
    FakeServer server({FakeServer::asksForScram()}, false, "0.0.0.0");
    const std::string url =
        "postgresql://ann@" + address + ":" + server.port() + "/cairn?sslmode=disable&connect_timeout=2";
    pgpass("*:*:*:*:" + kSecret);
    const std::string text = refused(url);
    QVERIFY2(has(text, "would cross a network") && has(text, "sslmode=verify-full"), text.c_str());
    const std::string sent = server.received();
    QVERIFY2(has(sent, "ann") && !has(sent, "SCRAM"), "the question was not answered");
    // Where no password is known there is none to lose, and a server that wants none is used.
    pgpass("other.example:*:*:*:" + kSecret);
    FakeServer again({FakeServer::asksForScram()}, false, "0.0.0.0");
    const std::string none = refused(
        "postgresql://ann@" + address + ":" + again.port() + "/cairn?sslmode=disable&connect_timeout=2");
    QVERIFY2(has(none, "no password supplied"), none.c_str());
}

// One that accepts and says nothing is given up after the time that was set, and the next one is tried.
void PostgresTlsTest::aHostThatDoesNotAnswerIsPassedOver()
{
    const FakeServer silent(std::vector<std::string>{});
    const std::string hosts = "/cairn?host=127.0.0.1,localhost&port=" + silent.port() + "," + m_port;
    for (const std::string& mode :
        {std::string("&sslmode=disable"), "&sslrootcert=" + m_certificates + "/ca.crt"}) {
        const auto store =
            postgres::openStore("postgresql://secured@" + hosts + mode + "&connect_timeout=2", {});
        CAIRN_VERIFY_OK(store);
    }
    const std::string nobody = refused("postgresql://secured@/cairn?host=127.0.0.1,127.0.0.1&port="
        + silent.port() + ",1&sslmode=disable&connect_timeout=2");
    QVERIFY2(has(nobody, "127.0.0.1, port " + silent.port() + ": no answer within 2 s"), nobody.c_str());
    QVERIFY2(has(nobody, "127.0.0.1, port 1: "), nobody.c_str());
}

void PostgresTlsTest::whatWouldWeakenTheCheckIsRefused_data()
{
    QTest::addColumn<QByteArray>("options");
    QTest::newRow("TLS if there is any") << QByteArray("?sslmode=prefer");
    QTest::newRow("TLS if there must be") << QByteArray("?sslmode=allow");
    QTest::newRow("any certificate, any method") << QByteArray("?sslmode=require&channel_binding=disable");
    QTest::newRow("any name, any method") << QByteArray("?sslmode=verify-ca&channel_binding=prefer");
    QTest::newRow("any name of all the world") << QByteArray("?sslmode=verify-ca&sslrootcert=system");
}

void PostgresTlsTest::whatWouldWeakenTheCheckIsRefused()
{
    QFETCH(QByteArray, options);
    pgpass("*:*:*:*:" + kSecret);
    FakeServer server({"N", FakeServer::asks(3)});
    const std::string text =
        refused("postgresql://ann@127.0.0.1:" + server.port() + "/cairn" + options.toStdString());
    QVERIFY2(has(text, "sslmode=verify-full"), text.c_str());
    QVERIFY2(has(text, "cairn on 127.0.0.1, port " + server.port()), text.c_str());
    QCOMPARE(server.connections(), 0);
    // A socket is no network: there it means nothing.
    CAIRN_VERIFY_OK(postgres::openStore(m_postgres.url + "&" + options.toStdString().substr(1), {}));
}

void PostgresTlsTest::passwordsInUrlsAreRefused_data()
{
    QTest::addColumn<QByteArray>("url");
    for (const char* url : {"postgresql://secured:SECRET@localhost:PORT/cairn",
             "postgresql://secured@localhost:PORT/cairn?password=SECRET",
             "postgresql:///cairn?sslpassword=SECRET", "postgresql://secured:SECRET@localhost:port/cairn",
             "postgresql://secured:SECRET@[::1/cairn", "postgresql://secured:%zzSECRET@localhost/cairn",
             "postgresql://secured:SEC/RETSECRET@localhost/cairn",
             "postgress://secured:SECRET@localhost/cairn", "host=localhost password=SECRET"})
        QTest::newRow(url) << QByteArray(url);
}

void PostgresTlsTest::passwordsInUrlsAreRefused()
{
    QFETCH(QByteArray, url);
    url.replace("SECRET", m_password.c_str()).replace("PORT", m_port.c_str());
    QProcess process;
    for (const bool inArgv : {true, false}) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CAIRN_STORE"), QString::fromLatin1(url));
        process.setProcessEnvironment(environment);
        QStringList arguments{QStringLiteral("--json"), QStringLiteral("store"), QStringLiteral("info")};
        if (inArgv)
            arguments = QStringList{QStringLiteral("--store"), QString::fromLatin1(url)} + arguments;
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"), arguments);
        QVERIFY(process.waitForFinished(60'000));
        QVERIFY(process.exitCode() != 0);
        const QByteArray said = process.readAllStandardOutput() + process.readAllStandardError();
        QVERIFY2(!said.isEmpty() && !said.contains(m_password.c_str()), said.constData());
    }
    if (url.startsWith("postgresql:"))
        QVERIFY(has(refused(url.toStdString()), "~/.pgpass"));
}

QByteArray PostgresTlsTest::run(const QStringList& arguments, const std::string& url, int expected)
{
    QProcess process;
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QString::fromStdString(url)} + arguments);
    process.waitForFinished(60'000);
    const QByteArray said = process.readAllStandardOutput() + process.readAllStandardError();
    if (process.exitCode() != expected)
        qWarning("%d: %s", process.exitCode(), said.constData());
    return process.exitCode() == expected ? said : QByteArray();
}

void PostgresTlsTest::thePasswordAppearsNowhere_data()
{
    QTest::addColumn<bool>("service");
    QTest::newRow("from pgpass") << false;
    QTest::newRow("from a service file") << true;
}

void PostgresTlsTest::thePasswordAppearsNowhere()
{
    QFETCH(bool, service);
    std::string url = environment("CAIRN_TLS_STORE");
    if (service) {
        const std::string file = m_folder.file("services");
        std::ofstream(file) << "[team]\nhost=localhost\nport=" << m_port
                            << "\ndbname=cairn\nuser=secured\nsslrootcert=" << m_certificates
                            << "/ca.crt\npassword=" << m_password << '\n';
        std::filesystem::permissions(file, std::filesystem::perms(0600));
        qputenv("PGSERVICEFILE", file.c_str());
        qputenv("PGPASSFILE", m_folder.file("no-such-file").c_str());
        url = "postgresql:///?service=team";
    }
    QByteArray said;
    const auto tell = [&](const QStringList& arguments) {
        const QByteArray text = run(arguments, url);
        QVERIFY2(!text.isEmpty(), qPrintable(arguments.join(QLatin1Char(' '))));
        said += text;
    };
    const auto words = [](const char* text) { return QString::fromLatin1(text).split(QLatin1Char(' ')); };
    for (const char* verb : {"--json store info", "store info", "--json store check", "store migrate",
             "engine --name w1 --until-idle", "audit head"})
        tell(words(verb));
    QVERIFY2(said.contains("\"server\""), said.constData());
    QVERIFY2(!said.contains(m_password.c_str()), said.constData());
    // While it runs: stopped when it has logged in.
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(
        QStringLiteral("CAIRN_FAILPOINTS"), QStringLiteral("store.standing.numbers-read=stop@1"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QString::fromStdString(url)} + words("--json store info"));
    QVERIFY(process.waitForStarted());
    siginfo_t info{};
    const auto pid = static_cast<id_t>(process.processId());
    QVERIFY(::waitid(P_PID, pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0 && info.si_code == CLD_STOPPED);
    for (const char* file : {"cmdline", "environ", "comm"}) {
        const std::string text = fileText("/proc/" + std::to_string(pid) + "/" + file);
        QVERIFY(!text.empty());
        QVERIFY2(!has(text, m_password), file);
    }
    ::kill(static_cast<pid_t>(pid), SIGCONT);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 0);
    // What the server stores and logs of it is its own; the store holds nothing of it.
    QCOMPARE(RawPg(m_postgres.url)
                 .value("SELECT count(*) FROM cairn.sessions s WHERE s::text LIKE '%" + m_password + "%'"),
        std::string("0"));
}

void PostgresTlsTest::filesThatOthersCanReadAreNotUsed()
{
    const std::string file = m_folder.file("open-services"), name = m_folder.file("open-pgpass");
    std::ofstream(file) << "[team]\nhost=localhost\nport=" << m_port
                        << "\ndbname=cairn\nuser=secured\nsslrootcert=" << m_certificates
                        << "/ca.crt\npassword=" << m_password << '\n';
    std::filesystem::permissions(file, std::filesystem::perms(0640));
    qputenv("PGSERVICEFILE", file.c_str());
    const std::string text = refused("postgresql:///?service=team");
    QVERIFY2(has(text, "chmod 600 " + file) && !has(text, m_password), text.c_str());
    std::ofstream(name) << "*:*:*:*:" << m_password << '\n';
    std::filesystem::permissions(name, std::filesystem::perms(0644));
    qputenv("PGPASSFILE", name.c_str());
    const std::string ignored = refused(environment("CAIRN_TLS_STORE"));
    QVERIFY2(has(ignored, "no password supplied") && has(ignored, "chmod 600"), ignored.c_str());
    // Every program that is started from here would inherit it.
    qputenv("PGPASSFILE", m_ownPgpass.c_str());
    qputenv("PGPASSWORD", m_password.c_str());
    const std::string inherited = refused(environment("CAIRN_TLS_STORE"));
    QVERIFY2(has(inherited, "unset PGPASSWORD") && !has(inherited, m_password), inherited.c_str());
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresTlsTest)

#include "tst_postgres_tls.moc"
