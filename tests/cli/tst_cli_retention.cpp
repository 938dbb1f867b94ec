// Retention and redaction from the command line: killed at any point nothing is half removed, and what was
// removed says so everywhere.

#include "tests/cli/cli_fixture.h"

class TestCliRetention : public QObject, CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void killedAnywhereNoTreeIsHalfRemoved();
    void whatWasRemovedSaysSo();
    void whoWatchesHearsOfIt();
    void rulesAreSetAndOnRecord();
    void redactionIsRefusedWhileItIsNeeded();
    void secretsAreFoundNowhere();

private:
    Answer killed(const QStringList& arguments, const QString& failpoints);
    QStringList startEnded(int count);
    QJsonObject preview();
    int inStore();
    int removed();
};

namespace {

const QStringList kWhy{QStringLiteral("--reason"), QStringLiteral("as agreed with the auditors")};

}  // namespace

void TestCliRetention::init()
{
    freshStore();
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
}

Answer TestCliRetention::killed(const QStringList& arguments, const QString& failpoints)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CAIRN_FAILPOINTS"), failpoints);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("--json")}
            + arguments);
    if (!process.waitForFinished(60'000))
        return {};
    const bool crashed = process.exitStatus() == QProcess::CrashExit;
    return {
        crashed ? -9 : process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QStringList TestCliRetention::startEnded(int count)
{
    QStringList runs;
    const QString workflow = file(QStringLiteral("quick.json"), kQuick);
    for (int i = 0; i < count; ++i)
        runs << cairn({QStringLiteral("start"), workflow, QStringLiteral("--key"), QString::number(i),
                          QStringLiteral("--input"), QStringLiteral("{\"n\":%1}").arg(i)})
                    .json()
                    .value(QStringLiteral("run"))
                    .toString();
    engineUntilIdle();
    return runs;
}

QJsonObject TestCliRetention::preview()
{
    return cairn({QStringLiteral("retention"), QStringLiteral("preview")}).json();
}

int TestCliRetention::inStore()
{
    const Answer check = cairn({QStringLiteral("store"), QStringLiteral("check")});
    return check.code == 0 ? check.json().value(QStringLiteral("runs")).toInt(-1) : -1;
}

int TestCliRetention::removed()
{
    return static_cast<int>(cairn({QStringLiteral("retention"), QStringLiteral("removed")})
                                .json()
                                .value(QStringLiteral("removed"))
                                .toArray()
                                .size());
}

void TestCliRetention::killedAnywhereNoTreeIsHalfRemoved()
{
    const QStringList runs = startEnded(6);
    QCOMPARE(inStore(), 6);
    QCOMPARE(preview().value(QStringLiteral("trees")).toInt(), 0);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("91d")}).code, 0);
    const QByteArray before = storeBytes();
    const QJsonObject shown = preview();
    QCOMPARE(shown.value(QStringLiteral("trees")).toInt(), 6);
    QCOMPARE(shown.value(QStringLiteral("removes")).toArray().size(), 6);
    QVERIFY(storeBytes() == before);

    const QStringList run = QStringList{QStringLiteral("retention"), QStringLiteral("run")} + kWhy;
    // Within a transaction, after one, and while what is left is swept: a tree is there or gone, and the
    // store is sound.
    for (const char* at : {"store.removing_tree=kill@2", "store.after_commit=kill@2",
             "store.before_commit=kill@2", "store.sweeping_removed=kill@1"}) {
        const Answer answer = killed(run, QString::fromLatin1(at));
        QVERIFY2(answer.code == -9, at);
        QCOMPARE(inStore() + removed(), 6);
        QCOMPARE(preview().value(QStringLiteral("trees")).toInt(), inStore());
    }
    const Answer rest = cairn(run);
    QCOMPARE(rest.code, 0);
    QCOMPARE(inStore(), 0);
    QCOMPARE(removed(), 6);
    QCOMPARE(preview().value(QStringLiteral("trees")).toInt(), 0);
    QVERIFY(rest.json().contains(QStringLiteral("given_back")));
    for (const QString& id : runs) {
        const Answer show = cairn({QStringLiteral("show"), id});
        QCOMPARE(show.code, 4);
    }
}

void TestCliRetention::whatWasRemovedSaysSo()
{
    const QString key = m_folder.filePath(QStringLiteral("key-%1").arg(m_number));
    QCOMPARE(cairn({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), key}).code, 0);
    const QStringList runs = startEnded(2);
    QCOMPARE(
        cairn({QStringLiteral("audit"), QStringLiteral("checkpoint"), QStringLiteral("--key"), key}).code, 0);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("91d")}).code, 0);
    QCOMPARE(
        cairn(QStringList{QStringLiteral("retention"), QStringLiteral("run"), QStringLiteral("--key"), key}
            + kWhy)
            .code,
        0);
    for (const char* verb : {"show", "why", "history"}) {
        const Answer told = cairn({QString::fromLatin1(verb), runs.front()});
        QCOMPARE(told.code, 4);
        QVERIFY2((told.err + told.out).contains("was removed on"), (told.err + told.out).constData());
    }
    const QJsonArray gone = cairn({QStringLiteral("retention"), QStringLiteral("removed"), runs.front()})
                                .json()
                                .value(QStringLiteral("removed"))
                                .toArray();
    QCOMPARE(gone.size(), 1);
    const QJsonObject stone = gone.first().toObject();
    QCOMPARE(stone.value(QStringLiteral("signature")).toString(), QStringLiteral("good"));
    QCOMPARE(stone.value(QStringLiteral("workflow")).toString(), QStringLiteral("quick"));
    QCOMPARE(stone.value(QStringLiteral("as")).toString(), QStringLiteral("completed"));
    QCOMPARE(stone.value(QStringLiteral("rule")).toString(),
        QStringLiteral("kept 90 days after its end (version 1 of the workflow)"));
    QCOMPARE(
        cairn({QStringLiteral("audit"), QStringLiteral("verify"), QStringLiteral("--public"), key}).code, 0);
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 0);
    // Its key is still known.
    const Answer again =
        cairn({QStringLiteral("start"), file(QStringLiteral("quick.json"), kQuick), QStringLiteral("--key"),
            QStringLiteral("0"), QStringLiteral("--input"), QStringLiteral("{\"n\":0}")});
    QCOMPARE(again.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("existing"));
    QCOMPARE(again.json().value(QStringLiteral("run")).toString(), runs.front());
}

void TestCliRetention::whoWatchesHearsOfIt()
{
    const QString run = startEnded(1).front();
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("91d")}).code, 0);
    QProcess watch;
    watch.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("--json"),
            QStringLiteral("watch")});
    QVERIFY(watch.waitForStarted(60'000));
    // It watches once it has printed something that began after it.
    QByteArray printed;
    const QString workflow = file(QStringLiteral("quick.json"), kQuick);
    for (int i = 0; i < 200 && !printed.contains('\n'); ++i) {
        QCOMPARE(cairn({QStringLiteral("start"), workflow, QStringLiteral("--key"),
                           QStringLiteral("new %1").arg(i), QStringLiteral("--input"), QStringLiteral("{}")})
                     .code,
            0);
        watch.waitForReadyRead(1'000);
        printed += watch.readAllStandardOutput();
    }
    QVERIFY2(!printed.contains(run.toUtf8()), printed.constData());
    QCOMPARE(cairn(QStringList{QStringLiteral("retention"), QStringLiteral("run")} + kWhy).code, 0);
    const QByteArray told = "run " + run.toUtf8() + " was removed on ";
    for (int i = 0; i < 60 && !printed.contains(told); ++i) {
        watch.waitForReadyRead(1'000);
        printed += watch.readAllStandardOutput();
    }
    watch.terminate();
    QVERIFY(watch.waitForFinished(60'000));
    QVERIFY2(printed.contains(told), printed.constData());
    QCOMPARE(printed.count("\"removed\":"), 1);
}

void TestCliRetention::rulesAreSetAndOnRecord()
{
    startEnded(1);
    const QStringList set{QStringLiteral("retention"), QStringLiteral("set"), QStringLiteral("quick")};
    QCOMPARE(cairn(set
                 + QStringList{QStringLiteral("--keep"), QStringLiteral("5"), QStringLiteral("--redact"),
                     QStringLiteral("9")})
                 .code,
        2);
    QCOMPARE(cairn(set + QStringList{QStringLiteral("--keep"), QStringLiteral("5")} + kWhy).code, 0);
    const QJsonArray rules = cairn({QStringLiteral("retention"), QStringLiteral("rules")})
                                 .json()
                                 .value(QStringLiteral("rules"))
                                 .toArray();
    QCOMPARE(rules.size(), 2);
    QCOMPARE(rules.at(1).toObject().value(QStringLiteral("keep_days")).toInt(), 5);
    QCOMPARE(rules.at(1).toObject().value(QStringLiteral("source")).toString(),
        QStringLiteral("set in the store"));
    QVERIFY(
        cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.contains("as agreed with the auditors"));
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("6d")}).code, 0);
    QCOMPARE(preview().value(QStringLiteral("trees")).toInt(), 1);
}

void TestCliRetention::redactionIsRefusedWhileItIsNeeded()
{
    const QString waits = startAsk(QStringLiteral("k"));
    engineUntilIdle();
    const Answer refused =
        cairn({QStringLiteral("redact"), waits, QStringLiteral("--what"), QStringLiteral("input")});
    QCOMPARE(refused.code, 1);
    QVERIFY2(
        (refused.out + refused.err).contains("redact it when the run has ended"), refused.out.constData());
    const QString ended = startEnded(1).front();
    QCOMPARE(cairn({QStringLiteral("redact"), ended}).code, 2);
    QCOMPARE(cairn(QStringList{QStringLiteral("redact"), ended, QStringLiteral("say"),
                       QStringLiteral("--what"), QStringLiteral("output")}
                 + kWhy)
                 .code,
        0);
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 0);
    const QByteArray shown = text({QStringLiteral("history"), ended});
    QVERIFY2(shown.contains("1 payload redacted"), shown.constData());
    const QString bundle = m_folder.filePath(QStringLiteral("redacted-%1.zip").arg(m_number));
    QCOMPARE(cairn({QStringLiteral("export"), ended, QStringLiteral("-o"), bundle}).code, 0);
    QCOMPARE(cairn({QStringLiteral("verify"), bundle}).code, 0);
}

// Through the doors that the command line has, to the doors that lead out.
void TestCliRetention::secretsAreFoundNowhere()
{
    QCOMPARE(
        cairn(QStringList{QStringLiteral("retention"), QStringLiteral("never-store"), QStringLiteral("--key"),
                  QStringLiteral("password"), QStringLiteral("--pattern"), QStringLiteral("canary-*")}
            + kWhy)
            .code,
        0);
    const QString workflow = file(QStringLiteral("quick.json"), kQuick);
    const QString run =
        cairn({QStringLiteral("start"), workflow, QStringLiteral("--input"),
                  QStringLiteral("{\"password\":\"hush-1\",\"u\":\"http://h/?password=hush-2&a=canary-3\"}")})
            .json()
            .value(QStringLiteral("run"))
            .toString();
    QVERIFY(!run.isEmpty());
    QCOMPARE(
        cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("password: hush-4")})
            .code,
        0);
    QCOMPARE(cairn({QStringLiteral("signal"), run, QStringLiteral("go"), QStringLiteral("--id"),
                       QStringLiteral("1"), QStringLiteral("--data"), QStringLiteral("\"canary-5\"")})
                 .code,
        0);
    QCOMPARE(
        cairn({QStringLiteral("resume"), run, QStringLiteral("--reason"), QStringLiteral("canary-6 is over")})
            .code,
        0);
    engineUntilIdle();
    QByteArray all;
    for (const char* suffix : {"", "-wal"}) {
        QFile in(m_store + QString::fromLatin1(suffix));
        if (in.open(QIODevice::ReadOnly))
            all += in.readAll();
    }
    for (const char* verb : {"show", "why", "history", "context"})
        all += text({QString::fromLatin1(verb), run});
    all += text({QStringLiteral("audit"), QStringLiteral("list")});
    for (const char* format : {"--csv history", "--html", "--otlp"}) {
        const QString out = m_folder.filePath(QStringLiteral("out-%1-%2").arg(m_number).arg(all.size()));
        QCOMPARE(cairn(QStringList{QStringLiteral("export"), run, QStringLiteral("-o"), out}
                     + QString::fromLatin1(format).split(QLatin1Char(' ')))
                     .code,
            0);
        QFile in(out);
        QVERIFY(in.open(QIODevice::ReadOnly));
        all += in.readAll();
    }
    QVERIFY(all.contains("[masked: password]"));
    QVERIFY(all.contains("[masked: canary-*]"));
    for (const char* secret : {"hush-1", "hush-2", "canary-3", "hush-4", "canary-5", "canary-6"})
        QVERIFY2(!all.contains(secret), secret);
}

QTEST_GUILESS_MAIN(TestCliRetention)
#include "tst_cli_retention.moc"
