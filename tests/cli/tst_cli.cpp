// The program as a person or a script meets it: exit codes, JSON, previews that write nothing, refusals that
// say why.

#include "tests/cli/cli_fixture.h"

#include <QtCore/QCryptographicHash>
#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QSet>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

namespace {

// Every member name in it, at any depth.
void collectNames(const QJsonValue& value, QSet<QString>& names)
{
    if (value.isArray())
        for (const QJsonValue& item : value.toArray())
            collectNames(item, names);
    const QJsonObject object = value.toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        names.insert(it.key());
        collectNames(it.value(), names);
    }
}

}  // namespace

class TestCli : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { freshStore(); }
    void usageIsTwo();
    void aStoreThatIsNotThereIsThree();
    void startsOncePerKey();
    void unknownRunIsFour();
    void previewWritesNothing();
    void approvesAndGivesTheFirstAnswerAgain();
    void guardedStoresWantAReason();
    void namesLineAndColumn();
    void hostileTextCannotSteerTheTerminal();
    void migratesAStoreOfTheOlderProgram();
    void everyFieldOfTheJsonIsInTheHandbook();
    void aWorkflowThatCouldDoubleIsOne();
    void anAuditThatWasCutShowsAgainstAKeptHead();
    void jsonIsJsonWhateverRunsHold();
    void whatRunsHoldBeginsNoLine();
    void aDeadEngineIsNotThere();
    void aStoreThatIsALinkIsThree();
    void theExitCodeInTheErrorIsTheExitCode();
    void aKeyThatIsNoTextIsTwo();
    void watchPrintsOnlyWhatWasAskedFor();
    void aPreviewStoresNothingLarge();
    void theDrillCountsNoOldLedger();
};

void TestCli::usageIsTwo()
{
    QCOMPARE(cairn({QStringLiteral("no-such-verb")}).code, 2);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const Answer filter = cairn({QStringLiteral("list"), QStringLiteral("colour:red")});
    QCOMPARE(filter.code, 2);
    QVERIFY2(filter.err.contains("colour"), filter.err.constData());
}

void TestCli::aStoreThatIsNotThereIsThree()
{
    const Answer answer = cairn({QStringLiteral("list")});
    QCOMPARE(answer.code, 3);
    QVERIFY2(answer.err.contains(m_store.toUtf8()), answer.err.constData());
    QVERIFY(!QFile::exists(m_store));
}

void TestCli::startsOncePerKey()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString first = startAsk(QStringLiteral("k"));
    QVERIFY(!first.isEmpty());
    QCOMPARE(startAsk(QStringLiteral("k")), first);
    const Answer other = cairn({QStringLiteral("start"), QStringLiteral("ask"), QStringLiteral("--key"),
        QStringLiteral("k"), QStringLiteral("--input"), QString::fromUtf8(json("{'amount':'99.00'}"))});
    QCOMPARE(other.code, 1);
    QVERIFY2(other.out.contains("\\\"k\\\""), other.out.constData());  // the key is named
}

void TestCli::unknownRunIsFour()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("why"), QStringLiteral("nothing")}).code, 4);
}

void TestCli::previewWritesNothing()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("p"));
    const QByteArray before = storeBytes();
    const Answer preview = cairn({QStringLiteral("cancel"), run, QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QVERIFY(preview.json().value(QStringLiteral("allowed")).toBool());
    QCOMPARE(storeBytes(), before);
}

void TestCli::approvesAndGivesTheFirstAnswerAgain()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("a"));
    engineUntilIdle();
    const QJsonObject why = cairn({QStringLiteral("why"), run}).json();
    QCOMPARE(why.value(QStringLiteral("activity")).toString(), QStringLiteral("waiting"));
    QCOMPARE(why.value(QStringLiteral("reasons"))
                 .toArray()
                 .at(0)
                 .toObject()
                 .value(QStringLiteral("reason"))
                 .toString(),
        QStringLiteral("approval"));
    const QStringList approve{QStringLiteral("approve"), run, QStringLiteral("pay"),
        QStringLiteral("--reason"), QStringLiteral("checked it")};
    QCOMPARE(cairn(approve).json().value(QStringLiteral("outcome")).toString(), QStringLiteral("committed"));
    const Answer again = cairn(approve);
    QCOMPARE(again.code, 0);
    QCOMPARE(again.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("no_change"));
    QStringList reject = approve;
    reject[0] = QStringLiteral("reject");
    QCOMPARE(cairn(reject).code, 5);  // somebody decided already
    engineUntilIdle();
    QCOMPARE(cairn({QStringLiteral("why"), run}).json().value(QStringLiteral("activity")).toString(),
        QStringLiteral("completed"));
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("audit"), QStringLiteral("verify")}).code, 0);
}

void TestCli::guardedStoresWantAReason()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--guarded"),
                       QStringLiteral("--env"), QStringLiteral("prod"), QStringLiteral("--test-clock")})
                 .code,
        0);
    const QString run = startAsk(QStringLiteral("g"));
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 2);
    QCOMPARE(cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("ok")}).code, 2);
    QCOMPARE(
        cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("month-end freeze")})
            .code,
        0);
    const Answer clock = cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h")});
    QCOMPARE(clock.code, 2);
    QVERIFY2(clock.err.contains("guarded"), clock.err.constData());
    // Refused attempts are on record: those on runs, and those on the store.
    int refused = 0;
    for (const QByteArray& line : cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.split('\n'))
        refused += line.contains("\"refused\"") && line.contains("reason_missing")
                && (line.contains("\"store_clock\"") || line.contains("\"pause\""))
            ? 1
            : 0;
    QCOMPARE(refused, 3);
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h"),
                       QStringLiteral("--reason"), QStringLiteral("to see the deadline pass")})
                 .code,
        0);
}

void TestCli::namesLineAndColumn()
{
    const QString bad = file(QStringLiteral("bad.json"),
        json("{'schema':'urn:cairn:workflow:1','name':'x','version':1,\n 'tools':{},\n"
             " 'steps':[{'name':'a','tool':'missing'}]}"));
    const Answer answer = cairn({QStringLiteral("workflow"), QStringLiteral("check"), bad});
    QCOMPARE(answer.code, 1);
    QCOMPARE(answer.json().value(QStringLiteral("line")).toInt(), 3);
    QVERIFY2(answer.out.contains("missing"), answer.out.constData());
}

void TestCli::hostileTextCannotSteerTheTerminal()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("\x1b]0;owned\x07\xe2\x80\xae"));
    QVERIFY(!run.isEmpty());
    QProcess process;
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("show"), run});
    QVERIFY(process.waitForFinished(60'000));
    const QByteArray out = process.readAllStandardOutput();
    QVERIFY(out.contains("\\x1b]0;owned\\x07"));
    QVERIFY(!out.contains('\x1b') && !out.contains('\x07') && !out.contains("\xe2\x80\xae"));
}

void TestCli::migratesAStoreOfTheOlderProgram()
{
    const QString older = QStringLiteral("cairn-format1");
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}, older).code, 0);
    const Answer refused = cairn({QStringLiteral("list")});
    QCOMPARE(refused.code, 3);
    QVERIFY2(refused.err.contains("cairn store migrate"), refused.err.constData());
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("migrate")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("list")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("list")}, older).code, 0);  // the older program goes on
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("migrate"), QStringLiteral("--contract")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("list")}, older).code, 3);
}

void TestCli::everyFieldOfTheJsonIsInTheHandbook()
{
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("j"));
    engineUntilIdle();
    const QList<QStringList> verbs{{QStringLiteral("list")}, {QStringLiteral("why"), run},
        {QStringLiteral("show"), run}, {QStringLiteral("remedies"), run},
        {QStringLiteral("approve"), run, QStringLiteral("--preview")}, {QStringLiteral("pause"), run},
        {QStringLiteral("plan"), QStringLiteral("stage"), QStringLiteral("resume"), run,
            QStringLiteral("--preview")},
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")},
        {QStringLiteral("audit"), QStringLiteral("head")},
        {QStringLiteral("audit"), QStringLiteral("verify")},
        {QStringLiteral("store"), QStringLiteral("info")},
        {QStringLiteral("workflow"), QStringLiteral("check"), QStringLiteral("--prove"),
            QStringLiteral(CAIRN_SOURCE_DIR "/resources/workflows/research.json")},
        {QStringLiteral("store"), QStringLiteral("copy"),
            QStringLiteral("sqlite:") + m_store + QStringLiteral(".moved")}};
    for (const QStringList& verb : verbs) {
        const Answer answer = cairn(verb);
        QCOMPARE(answer.code, 0);
        const QJsonDocument document = QJsonDocument::fromJson(answer.out);
        QVERIFY2(!document.isNull(), qPrintable(verb.join(QLatin1Char(' '))));
        QSet<QString> names;
        collectNames(
            document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object()), names);
        QVERIFY(!names.isEmpty());
        for (const QString& name : std::as_const(names))
            QVERIFY2(text.contains(QLatin1Char('`') + name + QLatin1Char('`')),
                qPrintable(verb.first() + QStringLiteral(" prints \"") + name + QStringLiteral("\"")));
    }
}

void TestCli::aWorkflowThatCouldDoubleIsOne()
{
    const auto workflow = [](const QByteArray& url) {
        return json(
            "{'schema':'urn:cairn:workflow:1','name':'w','version':1,'tools':{'p':{'safety':'repeatable',"
            "'executor':'http','settings':{'url':'"
            + url + "'}}},'steps':[{'name':'pay','tool':'p'}]}");
    };
    const QString sound = file(QStringLiteral("sound.json"), workflow("http://bank/pay"));
    const QString wrong = file(QStringLiteral("wrong.json"), workflow("http://bank/pay/${attempt}"));
    const QStringList prove{QStringLiteral("workflow"), QStringLiteral("check"), QStringLiteral("--prove")};
    const auto worst = [](const Answer& answer) {
        return answer.json()[QStringLiteral("steps")][0][QStringLiteral("worst")].toString();
    };
    const Answer good = cairn(prove + QStringList{sound});
    QCOMPARE(good.code, 0);
    QCOMPARE(worst(good), QStringLiteral("repeated"));
    const Answer bad = cairn(prove + QStringList{wrong});
    QCOMPARE(bad.code, 1);
    QCOMPARE(worst(bad), QStringLiteral("DOUBLED"));
    const QStringList keyless = prove + QStringList{sound, QStringLiteral("--keyless")};
    QCOMPARE(cairn(keyless + QStringList{QStringLiteral("p")}).code, 1);
    QCOMPARE(cairn(keyless + QStringList{QStringLiteral("q")}).code, 2);
}

void TestCli::anAuditThatWasCutShowsAgainstAKeptHead()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("h"));
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 0);
    const QString kept = cairn({QStringLiteral("audit"), QStringLiteral("head")})
                             .json()
                             .value(QStringLiteral("head"))
                             .toString();
    QCOMPARE(kept.size(), 64);
    QCOMPARE(cairn({QStringLiteral("resume"), run}).code, 0);
    const QStringList verify{QStringLiteral("audit"), QStringLiteral("verify"), QStringLiteral("--head")};
    QCOMPARE(cairn(verify + QStringList{kept}).code, 0);
    const Answer other = cairn(verify + QStringList{QString(64, QLatin1Char('0'))});
    QCOMPARE(other.code, 1);
    QVERIFY2(other.err.contains("head you kept"), other.err.constData());
}

void TestCli::jsonIsJsonWhateverRunsHold()
{
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
    // A woman technologist is two characters with a zero-width joiner between them; then a directional
    // override, one of the tags beyond 16 bits, DEL, and what is harmless.
    const QString key =
        QString::fromUtf8("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\xe2\x80\xae\xf3\xa0\x80\x81\x7f "
                          "\xc3\xa9 \\u{200d} \"q\"");
    const QString run = startAsk(key);
    QVERIFY(!run.isEmpty());
    QCOMPARE(
        cairn({QStringLiteral("--as"), key, QStringLiteral("pause"), run, QStringLiteral("--reason"), key})
            .code,
        0);
    const QList<QStringList> verbs{{QStringLiteral("list")}, {QStringLiteral("show"), run},
        {QStringLiteral("why"), run}, {QStringLiteral("remedies"), run}, {QStringLiteral("graph"), run},
        {QStringLiteral("context"), run},
        {QStringLiteral("history"), run, QStringLiteral("--from"), QStringLiteral("2")},
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")},
        {QStringLiteral("cancel"), run, QStringLiteral("--preview")},
        {QStringLiteral("store"), QStringLiteral("info")},
        {QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1m")}};
    for (const QStringList& verb : verbs) {
        const Answer answer = cairn(verb);
        QCOMPARE(answer.code, 0);
        QJsonParseError error;
        QJsonDocument::fromJson(answer.out, &error);
        QVERIFY2(error.error == QJsonParseError::NoError,
            (verb.join(u' ').toUtf8() + ": " + answer.out).constData());
        for (const char* raw : {"\xe2\x80\x8d", "\xe2\x80\xae", "\xf3\xa0\x80\x81", "\x7f"})
            QVERIFY2(!answer.out.contains(raw), answer.out.constData());
    }
    const Answer listed = cairn({QStringLiteral("list")});
    QCOMPARE(listed.json().value(QStringLiteral("key")).toString(), key);
    QVERIFY2(listed.out.contains("\\u200d") && listed.out.contains("\\udb40\\udc01")
            && listed.out.contains("\xc3\xa9"),
        listed.out.constData());
    // After the adding of the workflow and before the clock that was moved on.
    const Answer audit = cairn(
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")});
    const QByteArray paused = audit.out.left(audit.out.indexOf('\n'));
    QCOMPARE(QJsonDocument::fromJson(paused).object().value(QStringLiteral("actor")).toString(), key);
}

void TestCli::whatRunsHoldBeginsNoLine()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString forged = QStringLiteral("kim\n99 root act approve\tx\n  approve     go on");
    const QString run = startAsk(forged);
    QVERIFY(!run.isEmpty());
    engineUntilIdle();
    for (const char* verb : {"pause", "resume", "pause"})
        QCOMPARE(cairn({QStringLiteral("--as"), forged, QString::fromLatin1(verb), run,
                           QStringLiteral("--reason"), forged})
                     .code,
            0);
    const Answer unknown = cairn({QStringLiteral("--as"), forged, QStringLiteral("retry"), run, forged});
    QVERIFY(unknown.code != 0);
    QVERIFY(cairn({QStringLiteral("signal"), run, forged, QStringLiteral("--id"), forged}).code <= 1);
    const QList<QStringList> verbs{{QStringLiteral("audit"), QStringLiteral("list")},
        {QStringLiteral("list")}, {QStringLiteral("show"), run}, {QStringLiteral("why"), run},
        {QStringLiteral("remedies"), run}, {QStringLiteral("history"), run}, {QStringLiteral("graph"), run},
        {QStringLiteral("why"), forged}, {QStringLiteral("why"), forged + QLatin1Char('!')},
        {QStringLiteral("retry"), run, forged},
        {QStringLiteral("retry"), run, forged, QStringLiteral("--preview")},
        {QStringLiteral("approve"), run, forged}, {QStringLiteral("payload"), run, forged},
        {QStringLiteral("start"), forged}, {QStringLiteral("list"), forged}};
    for (const QStringList& verb : verbs) {
        const QByteArray out = text(verb);
        QVERIFY(!out.isEmpty());
        const QList<QByteArray> lines = out.split('\n');
        for (const QByteArray& line : lines)
            QVERIFY2(
                !line.startsWith("99 root") && !line.contains("\tx") && !line.startsWith("  approve     go"),
                (verb.join(u' ').toUtf8() + ":\n" + out).constData());
    }
    const QByteArray audit = text({QStringLiteral("audit"), QStringLiteral("list")});
    QVERIFY2(audit.contains("kim\\n99 root act approve\\tx"), audit.constData());
    QCOMPARE(audit.count('\n'), cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.count('\n'));
}

// Killed with SIGKILL: nobody ends its session, and once its lease has passed it is not there any more.
void TestCli::aDeadEngineIsNotThere()
{
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
    QProcess engine;
    engine.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("engine"),
            QStringLiteral("--name"), QStringLiteral("doomed")});
    QByteArray ready;
    engine.setReadChannel(QProcess::StandardError);
    while (!ready.contains('\n') && engine.waitForReadyRead(60'000))
        ready += engine.readAllStandardError();
    QVERIFY2(ready.contains("doomed"), ready.constData());
    const QStringList info{QStringLiteral("store"), QStringLiteral("info")};
    QCOMPARE(cairn(info).json().value(QStringLiteral("sessions")).toArray().size(), 1);
    engine.kill();
    QVERIFY(engine.waitForFinished(60'000));
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h")}).code, 0);
    const QString plain = file(QStringLiteral("plain.json"),
        json("{'schema':'urn:cairn:workflow:1','name':'plain','version':1,'tools':{'note':{'safety':"
             "'read_only','executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'only',"
             "'tool':'note'}]}"));
    const QString run =
        cairn({QStringLiteral("start"), plain}).json().value(QStringLiteral("run")).toString();
    const QJsonObject dead = cairn(info).json();
    QCOMPARE(dead.value(QStringLiteral("sessions")).toArray().size(), 0);
    QCOMPARE(dead.value(QStringLiteral("silent_sessions")).toArray().size(), 1);
    const QByteArray told = text(info);
    QVERIFY2(told.contains("engines  0\n"), told.constData());
    const QByteArray why = text({QStringLiteral("why"), run});
    QVERIFY2(why.contains("No engine is running."), why.constData());
}

void TestCli::aStoreThatIsALinkIsThree()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 1);  // refused, and can be reached
    const QString link = m_store + QStringLiteral("-link");
    QVERIFY(QFile::link(m_store, link));
    m_store = link;
    const QList<QStringList> verbs{{QStringLiteral("list")}, {QStringLiteral("pause"), QStringLiteral("x")},
        {QStringLiteral("store"), QStringLiteral("info")}, {QStringLiteral("store"), QStringLiteral("init")},
        {QStringLiteral("store"), QStringLiteral("migrate")},
        {QStringLiteral("engine"), QStringLiteral("--until-idle")}};
    for (const QStringList& verb : verbs) {
        const Answer answer = cairn(verb);
        QVERIFY2(answer.code == 3, (verb.join(u' ').toUtf8() + " " + answer.err).constData());
        QCOMPARE(QJsonDocument::fromJson(answer.err).object().value(QStringLiteral("exit")).toInt(), 3);
        QVERIFY2(answer.err.contains("is a link"), answer.err.constData());
    }
}

void TestCli::theExitCodeInTheErrorIsTheExitCode()
{
    const QList<QStringList> verbs{{QStringLiteral("list")}, {QStringLiteral("why"), QStringLiteral("x")},
        {QStringLiteral("store"), QStringLiteral("check")},
        {QStringLiteral("store"), QStringLiteral("migrate")},
        {QStringLiteral("engine"), QStringLiteral("--until-idle")},
        {QStringLiteral("pause"), QStringLiteral("x")}};
    for (const QStringList& verb : verbs) {  // there is no store
        const Answer answer = cairn(verb);
        QVERIFY2(answer.code == 3, (verb.join(u' ').toUtf8() + " " + answer.err).constData());
        QCOMPARE(QJsonDocument::fromJson(answer.err).object().value(QStringLiteral("exit")).toInt(), 3);
    }
    m_store = QStringLiteral("x");
    const Answer scheme = cairn({QStringLiteral("--store"), QStringLiteral("odd:x"), QStringLiteral("list")});
    QCOMPARE(scheme.code, 2);
    m_store = m_folder.filePath(QStringLiteral("exit.db"));
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const Answer unknown = cairn({QStringLiteral("why"), QStringLiteral("nothing")});
    QCOMPARE(unknown.code, 4);
    QCOMPARE(QJsonDocument::fromJson(unknown.err).object().value(QStringLiteral("exit")).toInt(), 4);
}

void TestCli::aKeyThatIsNoTextIsTwo()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    for (const QString& option : {QString(), QStringLiteral("--json ")}) {
        QProcess process;  // no argument of QProcess can hold the byte
        process.start(QStringLiteral("/bin/sh"),
            {QStringLiteral("-c"),
                QStringLiteral("exec \"$0\" --store \"$1\" ") + option
                    + QStringLiteral("start \"$2\" --input '{\"amount\":\"1\"}' --key \"$(printf '\\377')\""),
                QStringLiteral(CAIRN_BIN_DIR "/cairn"), QStringLiteral("sqlite:") + m_store,
                file(QStringLiteral("ask.json"), kApproval)});
        QVERIFY(process.waitForFinished(60'000));
        const QByteArray said = process.readAllStandardError() + process.readAllStandardOutput();
        QVERIFY2(process.exitCode() == 2 && said.contains("key"), said.constData());
    }
}

void TestCli::watchPrintsOnlyWhatWasAskedFor()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString wanted = startAsk(QStringLiteral("wanted"));
    const QString other = startAsk(QStringLiteral("other"));
    QProcess watch;
    watch.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("--json"),
            QStringLiteral("watch"), QStringLiteral("run:") + wanted});
    QVERIFY(watch.waitForStarted(60'000));
    QByteArray printed;
    for (int i = 0; i < 200 && printed.count('\n') < 2; ++i) {
        const QString verb = i % 2 == 0 ? QStringLiteral("pause") : QStringLiteral("resume");
        QCOMPARE(cairn({verb, other}).code, 0);
        QCOMPARE(cairn({verb, wanted}).code, 0);
        watch.waitForReadyRead(1'000);
        printed += watch.readAllStandardOutput();
    }
    watch.terminate();
    QVERIFY(watch.waitForFinished(60'000));
    QCOMPARE(watch.exitCode(), 0);
    printed += watch.readAllStandardOutput();
    QVERIFY2(printed.contains(wanted.toUtf8()), "the changes were not printed");
    QVERIFY2(!printed.contains(other.toUtf8()), printed.constData());
}

void TestCli::aPreviewStoresNothingLarge()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString run = startAsk(QStringLiteral("large"));
    const QString data =
        QLatin1Char('@') + file(QStringLiteral("large.json"), '"' + QByteArray(3 << 20, 'x') + '"');
    const QStringList signal{QStringLiteral("signal"), run, QStringLiteral("paid"), QStringLiteral("--id"),
        QStringLiteral("9"), QStringLiteral("--data"), data};
    const QByteArray before = storeBytes();
    const Answer preview = cairn(signal + QStringList{QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QVERIFY(preview.json().value(QStringLiteral("preview")).toBool());
    const QStringList settle{QStringLiteral("settle"), run, QStringLiteral("pay"),
        QStringLiteral("--happened"), QStringLiteral("--output"), data, QStringLiteral("--evidence"), data};
    QVERIFY(!cairn(settle + QStringList{QStringLiteral("--preview")}).out.isEmpty());
    QVERIFY(storeBytes() == before);
    QCOMPARE(cairn(signal).json().value(QStringLiteral("outcome")).toString(), QStringLiteral("committed"));
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 0);
    const Answer history =
        cairn({QStringLiteral("history"), run, QStringLiteral("--from"), QStringLiteral("2")});
    const QString payload = history.json()
                                .value(QStringLiteral("facts"))
                                .toArray()
                                .at(0)
                                .toObject()
                                .value(QStringLiteral("data"))
                                .toObject()
                                .value(QStringLiteral("id"))
                                .toString();
    QCOMPARE(cairn({QStringLiteral("payload"), run, payload}).out.size(), (3 << 20) + 2);
}

void TestCli::theDrillCountsNoOldLedger()
{
    const QString folder = m_store + QStringLiteral(".drill");
    QVERIFY(QDir().mkdir(folder));
    const Answer answer = cairn({QStringLiteral("drill")});
    QCOMPARE(answer.code, 1);
    QVERIFY2(answer.err.contains(folder.toUtf8()), answer.err.constData());
    QVERIFY(!QFile::exists(m_store));
    QVERIFY(QDir(folder).isEmpty());
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
