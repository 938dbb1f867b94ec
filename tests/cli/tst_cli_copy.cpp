// A store that moves by the program, whose process is killed on the way.

#include "tests/cli/cli_fixture.h"

#include <csignal>

class TestCliCopy : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { freshStore(); }
    void killedAnywhereTheSameCommandGoesOn_data();
    void killedAnywhereTheSameCommandGoesOn();
    void eachFieldOfItsAnswerIsOfWhatCameAlong();
    void aSignalEndsItAndItGoesOn();
    void aMovedStoreSaysSo();
    void aMoveIsGivenUp();
    void aGuardedStoreIsMovedWithAReason();
    void aPreviewMovesNothing();

private:
    QStringList copyTo(const QStringList& more = {}) const
    {
        return QStringList{QStringLiteral("store"), QStringLiteral("copy"), to()} + more;
    }
    QString to() const { return QStringLiteral("sqlite:") + m_store + QStringLiteral(".moved"); }
    // How the process ended: its exit code, or minus the signal that killed it.
    int copyWith(const QString& failpoints)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CAIRN_FAILPOINTS"), failpoints);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store} + copyTo());
        if (!process.waitForFinished(60'000))
            return -1000;
        return process.exitStatus() == QProcess::CrashExit ? -process.exitCode() : process.exitCode();
    }
    Answer inTo(const QStringList& arguments)
    {
        const QString from = std::exchange(m_store, m_store + QStringLiteral(".moved"));
        const Answer answer = cairn(arguments);
        m_store = from;
        return answer;
    }
    QJsonValue closed(bool there)
    {
        const QStringList info{QStringLiteral("store"), QStringLiteral("info")};
        return (there ? inTo(info) : cairn(info)).json().value(QStringLiteral("closed"));
    }
    // A line that is expected to be done.
    Answer done(const char* line, const QStringList& more = {})
    {
        Answer answer = cairn(QString::fromUtf8(line).split(QLatin1Char(' ')) + more);
        if (answer.code != 0)
            qWarning("%s: %d %s%s", line, answer.code, answer.out.constData(), answer.err.constData());
        return answer;
    }
    void lived();
    QString made()
    {
        return cairn({QStringLiteral("store"), QStringLiteral("init")}).code == 0
            ? startAsk(QStringLiteral("k"))
            : QString();
    }
};

void TestCliCopy::killedAnywhereTheSameCommandGoesOn_data()
{
    QTest::addColumn<QString>("point");
    for (const char* point : {"copy.fenced", "copy.made", "copy.bound", "copy.audit", "copy.shared",
             "copy.group", "copy.copied", "copy.compared", "copy.moved", "copy.opened"})
        QTest::newRow(point) << QString::fromLatin1(point);
}

void TestCliCopy::killedAnywhereTheSameCommandGoesOn()
{
    QFETCH(QString, point);
    const QString run = made();
    QVERIFY(!run.isEmpty());
    engineUntilIdle();
    QCOMPARE(copyWith(point + QStringLiteral("=kill@1")), -SIGKILL);
    QVERIFY(!closed(false).isNull());
    if (point != QLatin1String("copy.fenced"))
        QCOMPARE(closed(true).isNull(), point == QLatin1String("copy.opened"));
    const Answer moved = cairn(copyTo());
    QVERIFY2(moved.code == 0, moved.err.constData());
    QCOMPARE(moved.json().value(QStringLiteral("already")).toBool(), point == QLatin1String("copy.opened"));
    QCOMPARE(moved.json().value(QStringLiteral("runs")).toInt(), 1);
    QVERIFY(closed(true).isNull());
    QVERIFY(!closed(false).isNull());
    // What was asked for in the old place is answered and done in the new one.
    QCOMPARE(inTo({QStringLiteral("approve"), run}).json().value(QStringLiteral("outcome")).toString(),
        QStringLiteral("committed"));
    QCOMPARE(inTo({QStringLiteral("engine"), QStringLiteral("--until-idle")}).code, 0);
    QCOMPARE(inTo({QStringLiteral("why"), run}).json().value(QStringLiteral("activity")).toString(),
        QStringLiteral("completed"));
    QCOMPARE(inTo({QStringLiteral("verify")}).code, 0);
    QCOMPARE(inTo({QStringLiteral("audit"), QStringLiteral("verify")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 0);
}

// Two runs, one of them with a redacted output; a plan that was aborted, an act that was withdrawn, and the
// tombstone of a run that was removed.
void TestCliCopy::lived()
{
    const QString quick = file(QStringLiteral("quick.json"), kQuick);
    const auto started = [&](const char* key) {
        const QJsonObject run = done("start",
            {quick, QStringLiteral("--key"), QString::fromUtf8(key), QStringLiteral("--input"),
                QStringLiteral("{\"n\":1}")})
                                    .json();
        engineUntilIdle();
        return run.value(QStringLiteral("run")).toString();
    };
    done("store init --test-clock");
    const QString gone = started("gone");
    done("store clock 91d");
    done("retention run --reason", {QStringLiteral("as agreed with the auditors")});
    QCOMPARE(cairn({QStringLiteral("show"), gone}).code, 4);
    const QString redacted = started("redacted");
    done("redact", {redacted, QStringLiteral("say"), QStringLiteral("--what"), QStringLiteral("output")});
    const QString waits = startAsk(QStringLiteral("waits"));
    done("plan stage pause", {waits});
    done("plan abort", {done("plan list").json().value(QStringLiteral("plan")).toString()});
    done("pause", {waits});
    done("policy set",
        {file(QStringLiteral("p.json"),
            json("{'schema':'urn:cairn:policy:1','rules':[{'verbs':['resume'],'people':2}]}"))});
    done("acts withdraw", {done("resume", {waits}).json().value(QStringLiteral("command")).toString()});
}

void TestCliCopy::eachFieldOfItsAnswerIsOfWhatCameAlong()
{
    lived();
    const int entries = done("store check").json().value(QStringLiteral("entries")).toInt();
    QVERIFY(entries > 4);

    const QJsonObject moved = done("store copy", {to()}).json();
    const auto number = [&](const char* field) { return moved.value(QLatin1String(field)).toInt(-1); };
    const QStringList fields{QStringLiteral("acts"), QStringLiteral("already"),
        QStringLiteral("audit_entries"), QStringLiteral("entries"), QStringLiteral("from"),
        QStringLiteral("plans"), QStringLiteral("redacted"), QStringLiteral("removed"),
        QStringLiteral("reviews"), QStringLiteral("runs"), QStringLiteral("runs_per_second"),
        QStringLiteral("to"), QStringLiteral("took_ms"), QStringLiteral("verified")};
    QCOMPARE(moved.keys(), fields);
    QCOMPARE(moved.value(QStringLiteral("from")).toString(), QStringLiteral("sqlite:") + m_store);
    QCOMPARE(moved.value(QStringLiteral("to")).toString(), to());
    QVERIFY(!moved.value(QStringLiteral("already")).toBool(true));
    QCOMPARE(number("runs"), 2);
    QCOMPARE(number("entries"), entries);
    QCOMPARE(number("audit_entries"), int(done("audit list").out.count('\n')));
    QCOMPARE(number("acts"), 1);
    QCOMPARE(number("reviews"), 0);
    QCOMPARE(number("plans"), 1);
    QCOMPARE(number("removed"), 1);
    QCOMPARE(number("redacted"), 1);
    QCOMPARE(number("verified"), 2);
    const int took = number("took_ms");
    QVERIFY(took >= 0);
    QCOMPARE(number("runs_per_second"), took == 0 ? 0 : 2 * 1000 / took);
    const QJsonObject again = done("store copy", {to()}).json();
    QVERIFY(again.value(QStringLiteral("already")).toBool());
    QCOMPARE(again.value(QStringLiteral("runs")).toInt(), 2);
    QCOMPARE(again.value(QStringLiteral("runs_per_second")).toInt(-1), 0);
    QCOMPARE(again.keys(), fields);
}

void TestCliCopy::aSignalEndsItAndItGoesOn()
{
    QVERIFY(!made().isEmpty());
    // It stops itself at the point; what it is sent meanwhile it finds when it goes on.
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CAIRN_FAILPOINTS"), QStringLiteral("copy.shared=stop@1"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store} + copyTo());
    QVERIFY(process.waitForStarted());
    const auto pid = static_cast<pid_t>(process.processId());
    const auto state = [pid] {
        QFile status(QStringLiteral("/proc/%1/stat").arg(pid));
        return status.open(QIODevice::ReadOnly) ? status.readAll().split(' ').value(2) : QByteArray();
    };
    QTRY_COMPARE_WITH_TIMEOUT(state(), QByteArray("T"), 30'000);
    QCOMPARE(::kill(pid, SIGINT), 0);
    QCOMPARE(::kill(pid, SIGCONT), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    const QByteArray said = process.readAllStandardError();
    QVERIFY2(said.contains("the same command again goes on"), said.constData());
    QVERIFY(!closed(true).isNull());
    QCOMPARE(cairn(copyTo()).code, 0);
    QVERIFY(closed(true).isNull());
}

void TestCliCopy::aMovedStoreSaysSo()
{
    const QString run = made();
    QCOMPARE(cairn(copyTo({QStringLiteral("--reason"), QStringLiteral("it has grown")})).code, 0);
    const QList<QStringList> acts{{QStringLiteral("pause"), run},
        {QStringLiteral("pause"), run, QStringLiteral("--preview")},
        {QStringLiteral("engine"), QStringLiteral("--until-idle")},
        {QStringLiteral("start"), file(QStringLiteral("ask.json"), kApproval), QStringLiteral("--key"),
            QStringLiteral("k"), QStringLiteral("--input"), QString::fromUtf8(json("{'amount':'12.50'}"))},
        {QStringLiteral("store"), QStringLiteral("migrate"), QStringLiteral("--contract")},
        {QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h")}};
    for (const QStringList& act : acts) {
        const Answer answer = cairn(act);
        QVERIFY2(answer.code != 0, qPrintable(act.join(QLatin1Char(' '))));
        if (act.value(1) != QLatin1String("clock"))
            QVERIFY2((answer.err + answer.out).contains("this store was moved"),
                qPrintable(act.join(QLatin1Char(' '))));
    }
    for (const QStringList& read : QList<QStringList>{{QStringLiteral("list")}, {QStringLiteral("show"), run},
             {QStringLiteral("history"), run}, {QStringLiteral("audit"), QStringLiteral("verify")}})
        QCOMPARE(cairn(read).code, 0);
    const QByteArray old = cairn({QStringLiteral("audit"), QStringLiteral("list")}).out;
    for (const char* word : {"\"store_copy\"", "\"it has grown\"", ".moved"})
        QVERIFY2(old.contains(word), old.constData());
    // Whoever follows the refusal's advice reads it in a line, without --json.
    QVERIFY(text({QStringLiteral("audit"), QStringLiteral("list")}).contains("after {\"to\":\"sqlite:"));
    const QByteArray moved = inTo({QStringLiteral("audit"), QStringLiteral("list")}).out;
    QVERIFY(moved.startsWith(old));
    QCOMPARE(moved.count('\n'), old.count('\n') + 1);
    QCOMPARE(
        text({QStringLiteral("store"), QStringLiteral("info")}).count("closed   this store was moved"), 1);
}

void TestCliCopy::aMoveIsGivenUp()
{
    const QString run = made();
    QVERIFY(cairn(copyTo({QStringLiteral("--abandon")})).err.contains("not being moved"));
    QCOMPARE(copyWith(QStringLiteral("copy.copied=kill@1")), -SIGKILL);
    const Answer preview = cairn(copyTo({QStringLiteral("--abandon"), QStringLiteral("--preview")}));
    QCOMPARE(preview.code, 0);
    QVERIFY(preview.json().value(QStringLiteral("allowed")).toBool());
    QVERIFY(!closed(false).isNull());
    const Answer given = cairn(copyTo({QStringLiteral("--abandon")}));
    QVERIFY2(given.code == 0, given.err.constData());
    QVERIFY(given.json().value(QStringLiteral("abandoned")).toBool());
    QVERIFY(closed(false).isNull());
    QVERIFY(closed(true).toString().contains(QLatin1String("given up")));
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 0);
    QVERIFY(cairn(copyTo()).err.contains("there is a store at"));
}

void TestCliCopy::aGuardedStoreIsMovedWithAReason()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--guarded")}).code, 0);
    QCOMPARE(cairn(copyTo()).code, 2);
    QCOMPARE(cairn(copyTo({QStringLiteral("--reason"), QStringLiteral("too short")})).code, 2);
    QVERIFY(closed(false).isNull());
    QCOMPARE(cairn(copyTo({QStringLiteral("--reason"), QStringLiteral("long enough now")})).code, 0);
}

void TestCliCopy::aPreviewMovesNothing()
{
    QVERIFY(!made().isEmpty());
    const QByteArray before = storeBytes();
    const Answer preview = cairn(copyTo({QStringLiteral("--preview")}));
    QCOMPARE(preview.code, 0);
    QVERIFY(preview.json()
                .value(QStringLiteral("will_happen"))
                .toArray()
                .at(0)
                .toString()
                .contains(QLatin1String("1 run is copied to")));
    QCOMPARE(storeBytes(), before);
    QVERIFY(!QFile::exists(m_store + QStringLiteral(".moved")));
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("copy"), QStringLiteral("sqlite:") + m_store}).code,
        1);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("copy"), QStringLiteral("/plain/path")}).code, 2);
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("copy"), QStringLiteral("sqlite:/no/such/place.db")})
            .code,
        4);
    QVERIFY(closed(false).isNull());
}

QTEST_APPLESS_MAIN(TestCliCopy)
#include "tst_cli_copy.moc"
