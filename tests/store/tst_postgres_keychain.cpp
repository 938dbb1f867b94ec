// Passwords from the keychain: when it is asked, with what, and what is said of it. The program secret-tool
// is this test's own. Run under packaging/with-postgres --tls.

#include "core/store/postgres/keychain.h"
#include "tests/store/postgres_fixture.h"
#include "tests/store/scratch.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn::testing {

namespace {

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

// As the console has one.
struct Passwords final : LoginPasswords {
    std::string given() override { return typed; }
    PasswordAnswer kept(const std::string& login) override
    {
        asked += login + '\n';
        return answer;
    }
    std::string typed, asked;
    PasswordAnswer answer;
};

}  // namespace

class PostgresKeychainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void theKeychainIsAskedWhereNothingElseHasThePassword();
    void whatTheKeychainSaysIsTold_data();
    void whatTheKeychainSaysIsTold();
    void aLockedKeychainEndsTheWait();
    void whoeverOpensMayKnowThePassword();

private:
    // A secret-tool alone on PATH: what it was asked stands in `asked`.
    void keychain(const std::string& script);
    [[nodiscard]] std::string asked() const { return fileText(m_folder.file("asked")); }
    [[nodiscard]] std::string tls(const std::string& options, const std::string& host = "localhost") const
    {
        return "postgresql://secured@" + host + ":" + m_port + "/cairn" + options;
    }
    // What is said; empty: it was not refused.
    [[nodiscard]] static std::string refused(const std::string& url)
    {
        const auto store = postgres::openStore(url, {});
        return store ? std::string() : errorLine(store.error());
    }

    PostgresStoreFixture m_postgres;
    Scratch m_folder;
    std::string m_certificates = environment("CAIRN_TLS_FOLDER");
    std::string m_ownPgpass = environment("PGPASSFILE");
    std::string m_port, m_password;
    QByteArray m_path = qgetenv("PATH");
};

void PostgresKeychainTest::initTestCase()
{
    QVERIFY2(!environment("CAIRN_TLS_STORE").empty(), "run this under packaging/with-postgres --tls");
    qputenv("HOME", m_folder.path().c_str());  // no authority, service or password of whoever runs this
    m_port = PQport(RawPg(m_postgres.url).conn);
    m_password = fileText(m_ownPgpass);
    m_password = m_password.substr(m_password.rfind(':') + 1);
    m_password.resize(m_password.size() - 1);  // the line's end
    QVERIFY(m_password.size() >= 16);
    m_postgres.drop();
    CAIRN_VERIFY_OK(postgres::initStore(environment("CAIRN_TLS_STORE"), {}));
}

void PostgresKeychainTest::init()
{
    qputenv("PATH", m_path);
    qputenv("PGPASSFILE", m_ownPgpass.c_str());
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
}

void PostgresKeychainTest::keychain(const std::string& script)
{
    const std::string folder = m_folder.file("tools"), file = folder + "/secret-tool";
    std::filesystem::create_directories(folder);
    std::filesystem::remove(m_folder.file("asked"));
    std::ofstream(file) << "#!/bin/sh\nprintf '%s\\n' \"$@\" >" << m_folder.file("asked") << '\n'
                        << script << '\n';
    std::filesystem::permissions(file, std::filesystem::perms(0700));
    qputenv("PATH", folder.c_str());
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    qputenv("PGPASSFILE", m_folder.file("no-such-file").c_str());
}

void PostgresKeychainTest::theKeychainIsAskedWhereNothingElseHasThePassword()
{
    const std::string url = tls("?sslrootcert=" + m_certificates + "/ca.crt");
    keychain("printf %s '" + m_password + "'");
    CAIRN_VERIFY_OK(postgres::openStore(url, {}));
    QCOMPARE(asked(),
        "lookup\napplication\ncairn\nhost\nlocalhost\nport\n" + m_port
            + "\ndatabase\ncairn\nuser\nsecured\n");
    // Without TLS to this machine, the same; to a server that asks for none, or where a file has it, never.
    std::filesystem::remove(m_folder.file("asked"));
    CAIRN_VERIFY_OK(postgres::openStore(tls("?sslmode=disable", "127.0.0.1"), {}));
    QVERIFY(has(asked(), "127.0.0.1"));
    std::filesystem::remove(m_folder.file("asked"));
    CAIRN_VERIFY_OK(postgres::openStore(m_postgres.url, {}));
    qputenv("PGPASSFILE", m_ownPgpass.c_str());
    CAIRN_VERIFY_OK(postgres::openStore(url, {}));
    QVERIFY2(!std::filesystem::exists(m_folder.file("asked")), asked().c_str());
    // One whose certificate is not the right one is asked nothing, and told nothing.
    qputenv("PGPASSFILE", m_folder.file("no-such-file").c_str());
    QVERIFY(has(refused(tls("?sslrootcert=" + m_certificates + "/stranger.crt")), "cannot reach"));
    QVERIFY2(!std::filesystem::exists(m_folder.file("asked")), asked().c_str());
}

void PostgresKeychainTest::whatTheKeychainSaysIsTold_data()
{
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QByteArray>("told");
    QTest::addColumn<QByteArray>("untold");
    const auto row = [](const char* name, const char* script, const char* told, const char* untold) {
        QTest::newRow(name) << QByteArray(script) << QByteArray(told) << QByteArray(untold);
    };
    row("nothing there", "exit 1", "secret-tool store --label='Cairn' application cairn host localhost port",
        "refused:");
    row("nobody keeps secrets",
        "echo 'secret-tool: The name org.freedesktop.secrets was not provided by any .service files' >&2; "
        "exit 1",
        "no password supplied", "refused:");
    row("locked", "echo 'secret-tool: Cannot get secret of a locked object' >&2; exit 1",
        "the keychain refused: secret-tool: Cannot get secret of a locked object", "nobody unlocked");
    row("killed", "kill -9 $$", "no password supplied", "refused:");
    row("a wrong one", "printf wrong-and-secret", "with the password that the keychain gave",
        "wrong-and-secret");
    row("more than a password", "head -c 100000 /dev/zero | tr '\\0' 'x'", "cannot reach", "xxxxxxxxxx");
}

void PostgresKeychainTest::whatTheKeychainSaysIsTold()
{
    QFETCH(QByteArray, script);
    QFETCH(QByteArray, told);
    QFETCH(QByteArray, untold);
    keychain("PATH=/usr/bin:/bin\n" + script.toStdString());
    const std::string text = refused(tls("?sslrootcert=" + m_certificates + "/ca.crt"));
    QVERIFY2(has(text, told.toStdString()), text.c_str());
    QVERIFY2(!has(text, untold.toStdString()), text.c_str());
    QVERIFY2(has(text, "~/.pgpass") || script.startsWith("head"), text.c_str());
    // Where there is neither tool nor bus, the same words without it.
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qunsetenv("XDG_RUNTIME_DIR");
    std::filesystem::remove(m_folder.file("asked"));
    const std::string without = refused(tls("?sslrootcert=" + m_certificates + "/ca.crt"));
    QVERIFY2(has(without, "no password supplied") && has(without, "~/.pgpass"), without.c_str());
    QVERIFY(!std::filesystem::exists(m_folder.file("asked")));
}

void PostgresKeychainTest::aLockedKeychainEndsTheWait()
{
    keychain("PATH=/usr/bin:/bin\nexec sleep 1000");
    const postgres::KeychainAnswer answer = postgres::askKeychain({"h", "1", "d", "u"}, 50);
    QVERIFY(answer.kind == postgres::KeychainAnswer::Kind::Refused);
    QVERIFY2(has(answer.text, "nobody unlocked it"), answer.text.c_str());
    QVERIFY(answer.password.empty());
    QCOMPARE(postgres::keychainCommand({"a b", "", "it's", "u"}),
        std::string("secret-tool store --label='Cairn' application cairn host 'a b' port '' database "
                    "'it'\\''s' user u"));
}

// What is typed goes before the files; what is kept is asked for after them, and before secret-tool.
void PostgresKeychainTest::whoeverOpensMayKnowThePassword()
{
    const std::string url = tls("?sslrootcert=" + m_certificates + "/ca.crt");
    const auto passwords = std::make_shared<Passwords>();
    const auto open = [&] {
        StoreOptions options;
        options.passwords = passwords;
        const auto store = postgres::openStore(url, options);
        return store ? std::string() : errorLine(store.error());
    };
    QCOMPARE(open(), std::string());  // ~/.pgpass has it
    QCOMPARE(passwords->asked, std::string());
    passwords->typed = "wrong-and-secret";
    std::string said = open();
    QVERIFY2(has(said, "with the password that was typed") && !has(said, passwords->typed), said.c_str());
    keychain("printf %s '" + m_password + "'");
    passwords->typed = m_password;
    QCOMPARE(open(), std::string());
    QCOMPARE(passwords->asked, std::string());
    passwords->typed.clear();
    passwords->answer = {PasswordAnswer::Kind::Found, m_password, {}};
    QCOMPARE(open(), std::string());
    QCOMPARE(passwords->asked, "secured@localhost:" + m_port + "/cairn\n");
    QCOMPARE(*postgres::loginOf(url) + '\n', passwords->asked);
    passwords->answer = {PasswordAnswer::Kind::Refused, {}, "nobody unlocked it"};
    said = open();
    QVERIFY2(has(said, "no password supplied") && has(said, "nobody unlocked it"), said.c_str());
    QVERIFY2(!std::filesystem::exists(m_folder.file("asked")), asked().c_str());
    passwords->answer = {};
    QCOMPARE(open(), std::string());  // by secret-tool
    QVERIFY(has(asked(), "lookup\n"));
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresKeychainTest)

#include "tst_postgres_keychain.moc"
