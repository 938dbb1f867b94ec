// What an operator relies on without looking: a value that is empty is no value, what is asked is shown
// exactly, a check checks what it says, and an answer that was not written is an error.

#include "tests/cli/cli_fixture.h"

#include <sqlite3.h>

namespace {

QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

// Pays through a file that it appends its key to; `effectKey` as the workflow names it, or nothing.
QByteArray paying(const QString& ledger, const QByteArray& effectKey)
{
    return json(
        "{'schema':'urn:cairn:workflow:1','name':'paying','version':1,'tools':{'pay':{'safety':"
        "'repeatable','executor':'command','settings':{'argv':['/bin/sh','-c','echo $$CAIRN_EFFECT_KEY >> "
        + ledger.toUtf8() + "; echo {}']}" + effectKey
        + "}},'steps':[{'name':'pay','tool':'pay','input':{'to':{'$from':'input','at':'/to'}}}]}");
}

const QByteArray kWaits =
    json("{'schema':'urn:cairn:workflow:1','name':'waits','version':1,'tools':{},'steps':[{"
         "'name':'wait','kind':'signal','signal':'go'}]}");

}  // namespace

class TestCliCare : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(cairn(words("store init")).code, 0);
    }
    void emptyIsNotLeftOut_data();
    void emptyIsNotLeftOut();
    void noDigestIsTakenForAny();
    void whatIsAskedIsShownExactly();
    void aSecondAnswerIsToldWhoGaveTheFirst();
    void aForkSaysWhatIsDoneAgain_data();
    void aForkSaysWhatIsDoneAgain();
    void aChangedEntryIsFound();
    void aBrokenStoreIsNotClosed();
    void whatCannotBeWrittenIsAnError_data();
    void whatCannotBeWrittenIsAnError();
    void keysAreEachWorkflowsOwn();
    void aHeadIsTakenAsItWasPrinted();
    void aSignalThatNobodyWaitsForIsWarnedOf();
    void whatIsNoVerbIsNamed();
    void aCancelledRunOffersNoCancel();
    void aMovedStoreOffersNothing();
    void whatIsCutIsSaid();

private:
    QString start(const QString& name, const QByteArray& workflow, const QStringList& more = {})
    {
        const Answer started = cairn(QStringList{QStringLiteral("start"), file(name, workflow)} + more);
        return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
    }
    QString asking(const char* key)
    {
        const QString run = startAsk(QString::fromUtf8(key));
        engineUntilIdle();
        return run;
    }
    QJsonObject asked(const QStringList& verb)
    {
        return cairn(verb).json().value(QStringLiteral("approvals")).toArray().at(0).toObject();
    }
    // As somebody would who has the file.
    bool execute(const char* sql)
    {
        sqlite3* db = nullptr;
        const bool done = sqlite3_open(m_store.toUtf8().constData(), &db) == SQLITE_OK
            && sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
        if (!done)
            qWarning("%s", sqlite3_errmsg(db));
        return sqlite3_close(db) == SQLITE_OK && done;
    }
    // Another body in the first entry, and the trigger that forbids it as it was.
    bool changeAnEntry()
    {
        sqlite3* db = nullptr;
        if (sqlite3_open(m_store.toUtf8().constData(), &db) != SQLITE_OK)
            return false;
        QByteArray name, text;
        sqlite3_stmt* query = nullptr;
        sqlite3_prepare_v2(db,
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name = 'entries_no_update'", -1,
            &query, nullptr);
        if (sqlite3_step(query) == SQLITE_ROW) {
            name = reinterpret_cast<const char*>(sqlite3_column_text(query, 0));
            text = reinterpret_cast<const char*>(sqlite3_column_text(query, 1));
        }
        sqlite3_finalize(query);
        sqlite3_close(db);
        return !name.isEmpty() && execute(("DROP TRIGGER " + name).constData())
            && execute(
                "UPDATE entries SET body = CAST(substr(body, 1, length(body) - 1) || x'7f' AS BLOB) WHERE "
                "version = 1")
            && execute(text.constData());
    }
    int intoFullDevice(const QStringList& arguments, bool closed)
    {
        QProcess process;
        QString line = QStringLiteral("exec \"$0\" \"$@\" ")
            + (closed ? QStringLiteral(">&-") : QStringLiteral("> /dev/full"));
        process.start(QStringLiteral("/bin/sh"),
            QStringList{QStringLiteral("-c"), line, QStringLiteral(CAIRN_BIN_DIR "/cairn"),
                QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store}
                + arguments);
        if (!process.waitForFinished(60'000))
            return -1;
        m_said = process.readAllStandardError();
        return process.exitCode();
    }
    QByteArray m_said;
};

void TestCliCare::emptyIsNotLeftOut_data()
{
    QTest::addColumn<QStringList>("line");
    const QString none;
    const auto add = [](const char* name, const QStringList& line) { QTest::newRow(name) << line; };
    add("expect", words("approve a --expect") + QStringList{none});
    add("approval", words("approve a") + QStringList{none});
    add("reject", words("reject a --expect") + QStringList{none});
    add("head", words("audit verify --head") + QStringList{none});
    add("key", words("start ask --key") + QStringList{none});
    add("input", words("start ask --input") + QStringList{none});
    add("where", words("pause a --where") + QStringList{none});
    add("name", words("--as") + QStringList{none} + words("pause a"));
    add("output", words("settle a pay --happened --output") + QStringList{none});
    add("data", words("signal a go --id 1 --data") + QStringList{none});
}

void TestCliCare::emptyIsNotLeftOut()
{
    QFETCH(QStringList, line);
    QVERIFY(!asking("a").isEmpty());
    const QByteArray before = cairn(words("audit head")).out;
    const Answer answer = cairn(line);
    QCOMPARE(answer.code, 2);
    QVERIFY2(answer.err.contains("given and empty"), answer.err.constData());
    QCOMPARE(cairn(words("audit head")).out, before);
    QCOMPARE(cairn(words("list")).out.count('\n'), 1);
    QCOMPARE(cairn({QStringLiteral("list"), QString()}).code, 0);
    QCOMPARE(
        cairn({QStringLiteral("pause"), QStringLiteral("a"), QStringLiteral("--reason"), QString()}).code, 0);
}

void TestCliCare::noDigestIsTakenForAny()
{
    const QString run = asking("a");
    for (const char digit : {'0', '1'}) {
        const QStringList approve{
            QStringLiteral("approve"), run, QStringLiteral("--expect"), QString(64, QLatin1Char(digit))};
        QCOMPARE(cairn(approve).code, digit == '0' ? 2 : 5);
        QVERIFY(cairn(approve + QStringList{QStringLiteral("--preview")}).code != 0);
    }
    QCOMPARE(cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("reason")).toString(),
        QStringLiteral("approval"));
}

void TestCliCare::whatIsAskedIsShownExactly()
{
    const QString ledger = m_folder.filePath(QStringLiteral("asked"));
    QByteArray workflow = paying(ledger, json(",'effect_key':'order:${/to}'"));
    workflow.replace("\"tool\":\"pay\",", "\"tool\":\"pay\",\"approval\":{\"role\":\"finance\"},");
    const QString run = start(QStringLiteral("asked.json"), workflow,
        {QStringLiteral("--input"), QString::fromUtf8(json("{'to':'\\u202eL\\u00e9a'}"))});
    QVERIFY(!run.isEmpty());
    engineUntilIdle();
    QString digest;
    for (const QStringList& verb : QList<QStringList>{{QStringLiteral("why"), run},
             {QStringLiteral("show"), run}, {QStringLiteral("approve"), run, QStringLiteral("--preview")}}) {
        const QJsonObject one = asked(verb);
        QCOMPARE(one.value(QStringLiteral("step")).toString(), QStringLiteral("pay"));
        QCOMPARE(one.value(QStringLiteral("tool")).toString(), QStringLiteral("pay"));
        QVERIFY(one.value(QStringLiteral("effect_key")).toString().startsWith(QLatin1String("order:")));
        QVERIFY(one.value(QStringLiteral("text")).toString().contains(QLatin1String("\"to\"")));
        QCOMPARE(one.value(QStringLiteral("left_out_bytes")).toInt(-1), 0);
        digest = one.value(QStringLiteral("digest")).toString();
        QCOMPARE(digest.size(), 64);
        const QByteArray told = text(verb);
        const QString payload =
            one.value(QStringLiteral("input")).toObject().value(QStringLiteral("id")).toString();
        for (const QString& part : {digest, payload, QStringLiteral("order:"), QStringLiteral("| {")})
            QVERIFY2(told.contains(part.toUtf8()), told.constData());
        QVERIFY(!told.contains("\xe2\x80\xae"));
    }
    QCOMPARE(cairn({QStringLiteral("approve"), run, QStringLiteral("--expect"), digest}).code, 0);
    engineUntilIdle();
    QVERIFY(QFile::exists(ledger));
    QVERIFY(
        cairn({QStringLiteral("why"), run}).json().value(QStringLiteral("approvals")).toArray().isEmpty());
}

void TestCliCare::aSecondAnswerIsToldWhoGaveTheFirst()
{
    const QString run = asking("a");
    QCOMPARE(cairn({QStringLiteral("--as"), QStringLiteral("kim"), QStringLiteral("approve"), run}).code, 0);
    const Answer other =
        cairn({QStringLiteral("--as"), QStringLiteral("lee"), QStringLiteral("reject"), run});
    QCOMPARE(other.code, 5);
    QVERIFY2(other.out.contains("already approved by kim"), other.out.constData());
    const Answer same =
        cairn({QStringLiteral("--as"), QStringLiteral("kim"), QStringLiteral("approve"), run});
    QCOMPARE(same.code, 0);
    QVERIFY2(same.out.contains("already approved by kim"), same.out.constData());
}

void TestCliCare::aForkSaysWhatIsDoneAgain_data()
{
    QTest::addColumn<QByteArray>("effectKey");
    QTest::addColumn<bool>("fresh");
    QTest::addColumn<bool>("again");
    QTest::newRow("keys stay") << QByteArray() << false << false;
    QTest::newRow("new keys") << QByteArray() << true << true;
    QTest::newRow("named by the workflow") << json(",'effect_key':'order:${/to}'") << true << false;
}

void TestCliCare::aForkSaysWhatIsDoneAgain()
{
    QFETCH(QByteArray, effectKey);
    QFETCH(bool, fresh);
    QFETCH(bool, again);
    const QString ledger = m_folder.filePath(QStringLiteral("ledger-%1").arg(m_number));
    const QString run = start(QStringLiteral("paying.json"), paying(ledger, effectKey),
        {QStringLiteral("--input"), QString::fromUtf8(json("{'to':'x'}"))});
    engineUntilIdle();
    QStringList fork{QStringLiteral("fork"), run, QStringLiteral("--from"), QStringLiteral("1")};
    if (fresh)
        fork.append(QStringLiteral("--new-effects"));
    const QJsonObject preview = cairn(fork + QStringList{QStringLiteral("--preview")}).json();
    const QString may = QString::fromUtf8(
        QJsonDocument(preview.value(QStringLiteral("may_repeat")).toArray()).toJson(QJsonDocument::Compact));
    const QString wont =
        QString::fromUtf8(QJsonDocument(preview.value(QStringLiteral("will_not_repeat")).toArray())
                              .toJson(QJsonDocument::Compact));
    QVERIFY2(may.contains(QLatin1String("AGAIN")) == again, qPrintable(may));
    QVERIFY2(wont.contains(run) != again, qPrintable(wont));
    const QString will = QString::fromUtf8(
        QJsonDocument(preview.value(QStringLiteral("will_happen")).toArray()).toJson(QJsonDocument::Compact));
    QVERIFY2(will.contains(QLatin1String("runs next")) == again, qPrintable(will));
    const Answer forked = cairn(fork);
    QCOMPARE(forked.code, 0);
    engineUntilIdle();
    QFile lines(ledger);
    QVERIFY(lines.open(QIODevice::ReadOnly));
    QCOMPARE(lines.readAll().count('\n'), again ? 2 : 1);
    const QByteArray audit = cairn(words("audit list --after 1")).out;
    QVERIFY2(audit.contains(run.toUtf8()) && audit.contains("new_effects") == fresh, audit.constData());
    const QString other = forked.json().value(QStringLiteral("run")).toString();
    if (!again)
        QVERIFY(text({QStringLiteral("why"), other}).contains("was not done again"));
}

void TestCliCare::aChangedEntryIsFound()
{
    QVERIFY(!asking("a").isEmpty());
    const Answer sound = cairn(words("store check"));
    QCOMPARE(sound.code, 0);
    QCOMPARE(sound.json().value(QStringLiteral("runs")).toInt(), 1);
    QVERIFY(sound.json().value(QStringLiteral("entries")).toInt() > 0);
    QCOMPARE(cairn(words("verify")).json().value(QStringLiteral("runs")).toInt(), 1);
    QVERIFY(changeAnEntry());
    const Answer found = cairn(words("store check"));
    QCOMPARE(found.code, 1);
    QVERIFY2(found.out.contains("entry 1"), found.out.constData());
    QVERIFY(text(words("store check --quick")).contains("reads no history"));
    // What it leaves out is said before it is chosen, too.
    QVERIFY(text(words("store --help")).simplified().contains("--quick reads none of these two"));
    const QByteArray help = text(words("store check --help")).simplified();
    QVERIFY2(help.contains("leaves out what takes long: the entries of runs, chunks of payloads"),
        help.constData());
}

void TestCliCare::aBrokenStoreIsNotClosed()
{
    const QString run = asking("a");
    QVERIFY(changeAnEntry());
    const QStringList copy{QStringLiteral("store"), QStringLiteral("copy"),
        QStringLiteral("sqlite:") + m_store + QStringLiteral(".moved")};
    for (const QStringList& more : {QStringList{QStringLiteral("--preview")}, QStringList()}) {
        const Answer refused = cairn(copy + more);
        QCOMPARE(refused.code, 1);
        const QByteArray said = refused.err + refused.out;
        QVERIFY2(said.contains(run.toUtf8()) && said.contains("cannot be moved"), said.constData());
        QVERIFY(cairn(words("store info")).json().value(QStringLiteral("closed")).isNull());
    }
}

void TestCliCare::whatCannotBeWrittenIsAnError_data()
{
    QTest::addColumn<QStringList>("line");
    for (const char* line : {"list", "--json list", "show a", "verify", "store info", "audit head", "--help",
             "man", "completion", "pause a --preview", "pause a"})
        QTest::newRow(line) << words(line);
}

void TestCliCare::whatCannotBeWrittenIsAnError()
{
    QFETCH(QStringList, line);
    QVERIFY(!startAsk(QStringLiteral("a")).isEmpty());
    for (const bool closed : {false, true}) {
        QCOMPARE(intoFullDevice(line, closed), 1);
        QVERIFY2(m_said.contains("standard output could not be written"), m_said.constData());
    }
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliCare::keysAreEachWorkflowsOwn()
{
    QVERIFY(!startAsk(QStringLiteral("same")).isEmpty());
    const Answer other = cairn({QStringLiteral("start"), file(QStringLiteral("waits.json"), kWaits),
        QStringLiteral("--key"), QStringLiteral("same")});
    QCOMPARE(other.code, 0);
    QVERIFY2(other.err.contains("keys are each workflow's own"), other.err.constData());
    const Answer which = cairn(words("why same"));
    QCOMPARE(which.code, 2);
    QVERIFY2(
        which.err.contains("of ask") && which.err.contains("of waits") && which.err.contains("by its id"),
        which.err.constData());
}

void TestCliCare::aHeadIsTakenAsItWasPrinted()
{
    QVERIFY(!asking("a").isEmpty());
    QCOMPARE(cairn(words("pause a")).code, 0);
    const QString head = QString::fromUtf8(text(words("audit head"))).trimmed();
    const QString hash = head.section(QLatin1Char(' '), 1);
    QCOMPARE(cairn(words("resume a")).code, 0);
    const auto verify = [this](const QString& kept) {
        return cairn(words("audit verify --head") + QStringList{kept}).code;
    };
    QCOMPARE(verify(head), 0);
    QCOMPARE(verify(hash), 0);
    QCOMPARE(verify(QStringLiteral("9999 ") + hash), 1);
    for (const char* wrong : {"abc", "12", "x 12"})
        QCOMPARE(verify(QString::fromUtf8(wrong)), 2);
}

void TestCliCare::aSignalThatNobodyWaitsForIsWarnedOf()
{
    const QString run = start(QStringLiteral("waits.json"), kWaits);
    const QStringList wrong{
        QStringLiteral("signal"), run, QStringLiteral("gone"), QStringLiteral("--id"), QStringLiteral("1")};
    QVERIFY(cairn(wrong + QStringList{QStringLiteral("--preview")}).out.contains("there is \\\"go\\\""));
    const Answer sent = cairn(wrong);
    QCOMPARE(sent.code, 0);
    QVERIFY(sent.json().value(QStringLiteral("warning")).toString().contains(QLatin1String("\"go\"")));
    const Answer right = cairn(
        {QStringLiteral("signal"), run, QStringLiteral("go"), QStringLiteral("--id"), QStringLiteral("1")});
    QCOMPARE(right.code, 0);
    QVERIFY(!right.json().contains(QStringLiteral("warning")));
}

void TestCliCare::whatIsNoVerbIsNamed()
{
    const Answer wrong = cairn(words("lst"));
    QCOMPARE(wrong.code, 2);
    const QJsonObject error = QJsonDocument::fromJson(wrong.err).object();
    QCOMPARE(error.value(QStringLiteral("exit")).toInt(), 2);
    const QString said = error.value(QStringLiteral("error")).toString();
    QVERIFY2(said.contains(QLatin1String("\"lst\"")) && said.contains(QLatin1String("cairn list")),
        qPrintable(said));
    QVERIFY(cairn(words("store chek")).err.contains("store check"));
    QVERIFY(cairn(words("list --bogus")).err.startsWith("{\"error\""));
}

void TestCliCare::aCancelledRunOffersNoCancel()
{
    const QString run = startAsk(QStringLiteral("a"));
    QCOMPARE(cairn({QStringLiteral("cancel"), run}).code, 0);
    const QJsonArray actions =
        cairn({QStringLiteral("why"), run}).json().value(QStringLiteral("actions")).toArray();
    for (const QJsonValue& action : actions)
        if (action.toObject().value(QStringLiteral("verb")).toString() == QLatin1String("cancel"))
            QVERIFY(!action.toObject().value(QStringLiteral("allowed")).toBool());
}

void TestCliCare::aMovedStoreOffersNothing()
{
    const QString run = asking("a");
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("copy"),
                       QStringLiteral("sqlite:") + m_store + QStringLiteral(".moved")})
                 .code,
        0);
    const Answer why = cairn({QStringLiteral("why"), run});
    QCOMPARE(why.code, 0);
    QVERIFY(why.err.contains("this store was moved"));
    const QJsonArray actions = why.json().value(QStringLiteral("actions")).toArray();
    QVERIFY(!actions.isEmpty());
    for (const QJsonValue& action : actions)
        QVERIFY(!action.toObject().value(QStringLiteral("allowed")).toBool());
    QVERIFY(cairn(words("list")).err.contains("this store was moved"));
    QVERIFY(text({QStringLiteral("remedies"), run}).contains("No verb is taken here"));
    QVERIFY(text(words("audit list")).contains(".moved"));
}

void TestCliCare::whatIsCutIsSaid()
{
    const QString run = asking("a");
    QCOMPARE(cairn(words("pause a")).code, 0);
    const Answer history = cairn(words("history a --limit 1"));
    QCOMPARE(history.code, 0);
    QVERIFY2(history.err.contains("go on with --from 2"), history.err.constData());
    QVERIFY(cairn(words("history a")).err.isEmpty());
    QCOMPARE(cairn(words("history a --from 999")).code, 4);
    QVERIFY(cairn(words("audit list --limit 1")).err.contains("go on with --after 1"));
    QVERIFY(cairn(words("audit list")).err.isEmpty());
    for (const char* line : {"show a --at -1", "show a --at 0", "fork a --from 0", "history a --from 0"})
        QCOMPARE(cairn(words(line)).code, 2);
}

QTEST_GUILESS_MAIN(TestCliCare)
#include "tst_cli_care.moc"
