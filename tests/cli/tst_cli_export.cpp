// Runs leave the store as files, and come back as a store to look at.

#include "tests/cli/cli_fixture.h"

#include <QtCore/QDir>

#include <csignal>

class TestCliExport : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        m_place = m_folder.filePath(QStringLiteral("place-%1").arg(m_number));
        QVERIFY(QDir().mkpath(m_place));
    }
    void aBundleGoesRound();
    void aDamagedBundleIsRefused();
    void aSignalLeavesNothing();
    void pagesTablesAndTracesAreWritten();
    void aPreviewWritesNothing();
    void aReceiptHoldsWithoutAStore();
    void anExportedRunIsPlayedAgain();
    void eachFieldIsInTheHandbook();

private:
    QString at(const char* name) const { return m_place + QLatin1Char('/') + QLatin1String(name); }
    // A run whose payment was approved and made.
    QString paid()
    {
        if (cairn({QStringLiteral("store"), QStringLiteral("init")}).code != 0)
            return {};
        const QString run = startAsk(QStringLiteral("k"));
        engineUntilIdle();
        if (cairn({QStringLiteral("approve"), run, QStringLiteral("--reason"), QStringLiteral("it is right")})
                .code
            != 0)
            return {};
        engineUntilIdle();
        return run;
    }
    Answer exported(const QString& run, const QString& file, const QStringList& more = {})
    {
        return cairn(QStringList{QStringLiteral("export"), run, QStringLiteral("-o"), file} + more);
    }
    QStringList files() const { return QDir(m_place).entryList(QDir::Files | QDir::Hidden); }

    QString m_place;
};

void TestCliExport::aBundleGoesRound()
{
    const QString run = paid();
    QVERIFY(!run.isEmpty());
    const Answer out = exported(run, at("a.zip"));
    QVERIFY2(out.code == 0, out.err.constData());
    QCOMPARE(out.json().value(QStringLiteral("runs")).toInt(), 1);
    QVERIFY(cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.contains("\"store_export\""));
    QCOMPARE(exported(run, at("a.zip")).code, 1);
    const QString store = std::exchange(m_store, QStringLiteral("/no/such/store.db"));
    const Answer proved = cairn({QStringLiteral("verify"), at("a.zip")});
    QVERIFY2(proved.code == 0, proved.out.constData());
    QVERIFY(proved.json().value(QStringLiteral("clean")).toBool());
    const Answer made =
        cairn({QStringLiteral("import"), at("a.zip"), QStringLiteral("--into"), at("copy.db")});
    QVERIFY2(made.code == 0, made.err.constData());
    QCOMPARE(files(), QStringList({QStringLiteral("a.zip"), QStringLiteral("copy.db")}));
    m_store = at("copy.db");
    for (const QStringList& read : QList<QStringList>{{QStringLiteral("list")}, {QStringLiteral("why"), run},
             {QStringLiteral("show"), run}, {QStringLiteral("history"), run}, {QStringLiteral("graph"), run},
             {QStringLiteral("context"), run}, {QStringLiteral("verify")}, {QStringLiteral("verify"), run},
             {QStringLiteral("audit"), QStringLiteral("verify")}}) {
        const Answer answer = cairn(read);
        QVERIFY2(answer.code == 0, (read.join(u' ').toUtf8() + answer.out + answer.err).constData());
    }
    const QByteArray history = cairn({QStringLiteral("history"), run}).out;
    for (const QStringList& act : QList<QStringList>{{QStringLiteral("pause"), run},
             {QStringLiteral("pause"), run, QStringLiteral("--preview")},
             {QStringLiteral("engine"), QStringLiteral("--until-idle")}}) {
        const Answer answer = cairn(act);
        QVERIFY2(answer.code != 0, qPrintable(act.join(u' ')));
        QVERIFY2((answer.out + answer.err).contains("this store was made from a bundle"),
            (act.join(u' ').toUtf8() + answer.out + answer.err).constData());
    }
    m_store = store;
    QCOMPARE(cairn({QStringLiteral("history"), run}).out, history);
}

void TestCliExport::aDamagedBundleIsRefused()
{
    const QString run = paid();
    QCOMPARE(exported(run, at("a.zip")).code, 0);
    QFile file(at("a.zip"));
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.resize(file.size() / 2));
    file.close();
    const Answer verdict = cairn({QStringLiteral("verify"), at("a.zip")});
    QCOMPARE(verdict.code, 1);
    QCOMPARE(verdict.json().value(QStringLiteral("kind")).toString(), QStringLiteral("archive"));
    QCOMPARE(cairn({QStringLiteral("import"), at("a.zip"), QStringLiteral("--into"), at("copy.db")}).code, 1);
    QCOMPARE(files(), QStringList(QStringLiteral("a.zip")));
    QCOMPARE(
        cairn({QStringLiteral("import"), at("none.zip"), QStringLiteral("--into"), at("copy.db")}).code, 4);
}

void TestCliExport::aSignalLeavesNothing()
{
    const QString run = paid();
    // It stops itself at the point; what it is sent meanwhile it finds when it goes on.
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CAIRN_FAILPOINTS"), QStringLiteral("export.run=stop@1"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("export"), run,
            QStringLiteral("-o"), at("a.zip")});
    QVERIFY(process.waitForStarted());
    const auto pid = static_cast<pid_t>(process.processId());
    const auto state = [pid] {
        QFile status(QStringLiteral("/proc/%1/stat").arg(pid));
        return status.open(QIODevice::ReadOnly) ? status.readAll().split(' ').value(2) : QByteArray();
    };
    QTRY_COMPARE_WITH_TIMEOUT(state(), QByteArray("T"), 30'000);
    QCOMPARE(files().size(), 1);  // under another name
    QVERIFY(!QFile::exists(at("a.zip")));
    QCOMPARE(::kill(pid, SIGINT), 0);
    QCOMPARE(::kill(pid, SIGCONT), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardError().contains("nothing was left behind"));
    QCOMPARE(files(), QStringList());
}

void TestCliExport::pagesTablesAndTracesAreWritten()
{
    const QString run = paid();
    const QList<QPair<QStringList, QByteArray>> views{{{QStringLiteral("--html")}, "<!doctype html>"},
        {{QStringLiteral("--csv"), QStringLiteral("history")}, "run,version,time"},
        {{QStringLiteral("--csv"), QStringLiteral("steps")}, "run,step,tool"},
        {{QStringLiteral("--csv"), QStringLiteral("audit")}, "run,seq,time"},
        {{QStringLiteral("--otlp")}, "{\"resourceSpans\":["}};
    for (const auto& [option, begin] : views) {
        const QString path = m_place + QLatin1Char('/') + option.join(u'-');
        const Answer answer = exported(run, path, option);
        QVERIFY2(answer.code == 0, answer.err.constData());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY2(bytes.startsWith(begin), bytes.constData());
        QVERIFY2(bytes.contains(run.toUtf8()), bytes.constData());
        // What was done to texts of a table is said with it.
        QCOMPARE(answer.err.contains("apostrophe"), option.first() == QLatin1String("--csv"));
    }
    QCOMPARE(exported(run, at("x"), {QStringLiteral("--html"), QStringLiteral("--otlp")}).code, 2);
    QCOMPARE(exported(run, at("x"), {QStringLiteral("--html"), QStringLiteral("--redact")}).code, 2);
    QCOMPARE(exported(QStringLiteral("nobody"), at("x")).code, 4);
    QVERIFY(!QFile::exists(at("x")));
}

void TestCliExport::aPreviewWritesNothing()
{
    const QString run = paid();
    QCOMPARE(exported(run, at("a.zip")).code, 0);
    const QByteArray before = storeBytes();
    QCOMPARE(exported(run, at("b.zip"), {QStringLiteral("--preview")}).code, 0);
    QCOMPARE(exported(run, at("a.zip"), {QStringLiteral("--preview")}).code, 1);
    QCOMPARE(cairn({QStringLiteral("import"), at("a.zip"), QStringLiteral("--into"), at("copy.db"),
                       QStringLiteral("--preview")})
                 .code,
        0);
    QCOMPARE(storeBytes(), before);
    QCOMPARE(files(), QStringList(QStringLiteral("a.zip")));
}

void TestCliExport::aReceiptHoldsWithoutAStore()
{
    const QString run = paid();
    const Answer key =
        cairn({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), at("key")});
    QVERIFY2(key.code == 0, key.err.constData());
    const QString publicKey = key.json().value(QStringLiteral("key")).toString();
    const Answer made = cairn({QStringLiteral("receipt"), run, QStringLiteral("pay"), QStringLiteral("--key"),
        at("key"), QStringLiteral("-o"), at("page")});
    QVERIFY2(made.code == 0, made.err.constData());
    m_store = QStringLiteral("/no/such/store.db");
    const QStringList check{QStringLiteral("receipt"), QStringLiteral("--check"), at("page")};
    const Answer holds = cairn(check + QStringList{QStringLiteral("--signed-by"), publicKey});
    QVERIFY2(holds.code == 0, holds.out.constData());
    QCOMPARE(holds.json().value(QStringLiteral("run")).toString(), run);
    QVERIFY(holds.json().value(QStringLiteral("known_key")).toBool());
    const QString other =
        cairn({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), at("other")})
            .json()
            .value(QStringLiteral("key"))
            .toString();
    QCOMPARE(cairn(check + QStringList{QStringLiteral("--signed-by"), other}).code, 1);
    QFile page(at("page"));
    QVERIFY(page.open(QIODevice::ReadWrite));
    QByteArray text = page.readAll();
    page.seek(0);
    page.write(text.replace("step:             pay", "step:             buy"));
    page.close();
    QCOMPARE(cairn(check).code, 1);
}

void TestCliExport::anExportedRunIsPlayedAgain()
{
    const QString run = paid();
    QCOMPARE(exported(run, at("a.zip")).code, 0);
    QCOMPARE(exported(run, at("b.zip"), {QStringLiteral("--redact")}).code, 0);
    const QString store = std::exchange(m_store, QStringLiteral("/no/such/store.db"));
    const Answer played = cairn({QStringLiteral("drill"), QStringLiteral("--from"), at("a.zip")});
    QVERIFY2(played.code == 0, (played.out + played.err).constData());
    QVERIFY(played.json().value(QStringLiteral("passed")).toBool());
    const QJsonArray runs = played.json().value(QStringLiteral("runs")).toArray();
    QCOMPARE(runs.size(), 1);
    const QJsonObject one = runs.first().toObject();
    QCOMPARE(one.value(QStringLiteral("run")).toString(), run);
    QVERIFY(one.value(QStringLiteral("replayed")).toBool());
    QVERIFY(one.value(QStringLiteral("kills")).toInt() > 0);
    for (const char* all : {"same_outcome", "effects_once", "boundaries"})
        QCOMPARE(one.value(QLatin1String(all)).toInt(), one.value(QStringLiteral("kills")).toInt());
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray handbook = page.readAll();
    for (const QString& name : one.keys())
        QVERIFY2(handbook.contains("`" + name.toUtf8() + "`"), qPrintable(name));
    const Answer redacted = cairn({QStringLiteral("drill"), QStringLiteral("--from"), at("b.zip")});
    QCOMPARE(redacted.code, 1);
    QVERIFY2((redacted.out + redacted.err).contains("export the run without --redact"),
        (redacted.out + redacted.err).constData());
    m_store = store;
}

void TestCliExport::eachFieldIsInTheHandbook()
{
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray handbook = page.readAll();
    const QString run = paid();
    const QList<Answer> answers{exported(run, at("a.zip")), cairn({QStringLiteral("verify"), at("a.zip")}),
        cairn({QStringLiteral("import"), at("a.zip"), QStringLiteral("--into"), at("copy.db")}),
        cairn({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), at("key")}),
        cairn({QStringLiteral("receipt"), run, QStringLiteral("pay"), QStringLiteral("--key"), at("key"),
            QStringLiteral("-o"), at("page")}),
        cairn({QStringLiteral("receipt"), QStringLiteral("--check"), at("page")}),
        cairn({QStringLiteral("drill"), QStringLiteral("--from"), at("a.zip")})};
    for (const Answer& answer : answers) {
        QVERIFY2(answer.code == 0, answer.err.constData());
        QVERIFY(!answer.json().isEmpty());
        for (const QString& name : answer.json().keys())
            QVERIFY2(handbook.contains("`" + name.toUtf8() + "`"), qPrintable(name));
    }
}

QTEST_APPLESS_MAIN(TestCliExport)
#include "tst_cli_export.moc"
