// A store that is read from a standby (packaging/with-postgres-pair): it opens for looking only and says how
// old what it shows is, in the store and on the command line; whoever would act is told where to. Each test
// uses up a pair of servers, and is a test of ctest by itself.

#include "core/store/postgres/postgres_store.h"
#include "tests/store/builders.h"
#include "tests/store/raw_pg.h"
#include "tests/support/cairn_qtest.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdlib>

using namespace cairn;
using namespace cairn::testing;

class StandbyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itIsLookedAtOnly();
    void itSaysHowFarItIsBehind();
    void aPrimaryThatIsGoneIsTold();
};

namespace {

constexpr int kPatience = 60'000;

int pair(const char* verb)
{
    const char* command = std::getenv("CAIRN_PAIR_COMMAND");
    return command == nullptr ? -1 : std::system((std::string(command) + ' ' + verb).c_str());
}

std::string both()
{
    const char* url = std::getenv("CAIRN_STORE");
    return url == nullptr ? "" : url;
}

// postgresql://cairn@PRIMARY:5432,STANDBY:5432/cairn?...
std::string standbyUrl()
{
    const std::string url = both();
    const auto host = url.find('@') + 1, comma = url.find(',');
    return url.substr(0, host) + url.substr(comma + 1);
}

std::unique_ptr<StoreWriter> opened(const std::string& url, bool readOnly)
{
    StoreOptions options;
    options.readOnly = readOnly;
    auto store = postgres::openStore(url, options);
    if (!store)
        qFatal("%s", store.error().text.c_str());
    return *std::move(store);
}

void make()
{
    if (const Status made = postgres::initStore(both(), {}); !made)
        qFatal("%s", made.error().text.c_str());
    if (pair("following") != 0)
        qFatal("the standby does not follow");
}

struct Answer {
    int code = -1;
    QByteArray out, err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

Answer run(const std::string& url, const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QString::fromStdString(url)} + arguments);
    if (!process.waitForFinished(kPatience))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

Replica seen(StoreReader& store)
{
    const auto replica = store.replica();
    if (!replica)
        qFatal("%s", replica.error().text.c_str());
    return *replica;
}

}  // namespace

void StandbyTest::itIsLookedAtOnly()
{
    make();
    const auto store = opened(standbyUrl(), true);
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).behind() == 0, kPatience);
    QVERIFY(seen(*store).standby && seen(*store).receives);
    QCOMPARE(replicaText(seen(*store)), std::string("Standby, up to date"));
    const auto writing = postgres::openStore(standbyUrl(), {});
    CAIRN_VERIFY_ERROR(writing, ErrorKind::Refused);
    for (const char* word : {"is a standby", "name the primary (it follows 10.", "in --store"})
        QVERIFY2(writing.error().text.find(word) != std::string::npos, writing.error().text.c_str());
    // A list of hosts: who looks goes to the standby, who writes to the primary.
    const std::string rather = both() + "&target_session_attrs=prefer-standby";
    QVERIFY(seen(*opened(rather, true)).standby);
    QVERIFY(!seen(*opened(rather, false)).standby);
    CAIRN_VERIFY_OK(opened(rather, false)->putResource({"bank", kNoTime, false, 1, 1, 0}));
    CAIRN_VERIFY_ERROR(postgres::openStore(both() + "&target_session_attrs=standby", {}), ErrorKind::Refused);
    QVERIFY(seen(*opened(both() + "&target_session_attrs=standby", true)).standby);
    QVERIFY(!seen(*opened(both(), false)).standby);

    const Answer info =
        run(standbyUrl(), {QStringLiteral("--json"), QStringLiteral("store"), QStringLiteral("info")});
    QVERIFY2(info.code == 0, info.err.constData());
    const QJsonObject told = info.json().value(QLatin1String("standby")).toObject();
    QCOMPARE(told.value(QLatin1String("receives")).toBool(), true);
    QVERIFY(told.value(QLatin1String("text")).toString().startsWith(QLatin1String("Standby, ")));
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    for (const QString& name : told.keys())
        QVERIFY2(text.contains('`' + name.toUtf8() + '`'), qPrintable(name));
    const Answer act =
        run(standbyUrl(), {QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h")});
    QCOMPARE(act.code, 3);
    QVERIFY2(act.err.contains("name the primary"), act.err.constData());
    QVERIFY(run(both(), {QStringLiteral("--json"), QStringLiteral("store"), QStringLiteral("info")})
                .json()
                .value(QLatin1String("standby"))
                .isNull());
}

// Replay is held up, so what was received is not shown.
void StandbyTest::itSaysHowFarItIsBehind()
{
    make();
    const auto primary = opened(both(), false);
    const auto store = opened(standbyUrl(), true);
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).behind() == 0, kPatience);
    const RawPg raw(standbyUrl());
    QCOMPARE(raw.exec("SELECT pg_wal_replay_pause()"), std::string());
    QTRY_COMPARE_WITH_TIMEOUT(
        raw.value("SELECT pg_get_wal_replay_pause_state()"), std::string("paused"), kPatience);
    CAIRN_VERIFY_OK(primary->putResource({"bank", kNoTime, false, 1, 1, 0}));
    QTRY_VERIFY_WITH_TIMEOUT(!seen(*store).replaysAll, kPatience);
    QVERIFY(store->resources()->empty());
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).late(), kPatience);
    const std::string text = replicaText(seen(*store));
    QVERIFY2(text.starts_with("Standby, ") && text.ends_with(" s behind"), text.c_str());
    // One line beside each answer, and the answers themselves as ever.
    for (const QStringList& words : {QStringList{QStringLiteral("list")},
             QStringList{QStringLiteral("watch"), QStringLiteral("--for"), QStringLiteral("1s")}}) {
        const Answer read = run(standbyUrl(), words);
        QCOMPARE(read.code, 0);
        QVERIFY2(read.err.contains("Standby, ") && read.err.contains("behind"), read.err.constData());
    }
    QCOMPARE(raw.exec("SELECT pg_wal_replay_resume()"), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).behind() == 0, kPatience);
    QCOMPARE(store->resources()->size(), std::size_t{1});
    QVERIFY(!run(standbyUrl(), {QStringLiteral("list")}).err.contains("Standby"));
}

void StandbyTest::aPrimaryThatIsGoneIsTold()
{
    make();
    const auto primary = opened(both(), false);
    const auto store = opened(standbyUrl(), true);
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).behind() == 0, kPatience);
    // An engine whose heartbeats do not come: what looks whole may be a link that is dead.
    SessionRow engine = sessionRow("w1", *primary->now());
    engine.leaseUntil = engine.startedAt + 1;
    CAIRN_VERIFY_OK(primary->openSession(engine));
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).silent, kPatience);
    QVERIFY(seen(*store).receives);
    QVERIFY2(replicaText(seen(*store)).starts_with("Standby, at most "), replicaText(seen(*store)).c_str());
    QVERIFY(*primary->endSession(engine.id, *primary->now(), kNoTime));
    QTRY_VERIFY_WITH_TIMEOUT(!seen(*store).silent && seen(*store).behind() == 0, kPatience);

    QCOMPARE(pair("cut"), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!seen(*store).receives, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).late(), kPatience);
    const std::string text = replicaText(seen(*store));
    QVERIFY2(text.ends_with("and it receives nothing from its primary"), text.c_str());
    QCOMPARE(pair("mend"), 0);
    QTRY_VERIFY_WITH_TIMEOUT(seen(*store).receives && seen(*store).behind() == 0, kPatience);
}

QTEST_GUILESS_MAIN(StandbyTest)
#include "tst_cli_standby.moc"
