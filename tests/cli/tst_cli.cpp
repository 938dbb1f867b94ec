// The program as a person or a script meets it: exit codes, JSON, previews that write nothing, refusals that
// say why.

#include "tests/support/cairn_qtest.h"

#include <QtCore/QCryptographicHash>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QSet>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

namespace {

struct Answer {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

// Written with ' for ", which is easier to read in C++.
QByteArray json(QByteArray text) { return text.replace('\'', '"'); }

const QByteArray kApproval = json(
    "{'schema':'urn:cairn:workflow:1','name':'ask','version':1,'tools':{'note':{'safety':'read_only',"
    "'executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'pay','tool':'note',"
    "'input':{'amount':{'$from':'input','at':'/amount'}},'approval':{'role':'finance','expires':'8h'}}]}");

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

class TestCli : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
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
    void anAuditThatWasCutShowsAgainstAKeptHead();

private:
    Answer cairn(const QStringList& arguments, const QString& program = QStringLiteral("cairn"));
    QString file(const QString& name, const QByteArray& bytes);
    QByteArray storeBytes();
    QString startAsk(const QString& key);
    void engineUntilIdle();

    QTemporaryDir m_folder;
    QString m_store;
    int m_number = 0;
};

void TestCli::init() { m_store = m_folder.filePath(QStringLiteral("store-%1.db").arg(++m_number)); }

Answer TestCli::cairn(const QStringList& arguments, const QString& program)
{
    QProcess process;
    QStringList all{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("--json")};
    process.start(QStringLiteral(CAIRN_BIN_DIR "/") + program, all + arguments);
    if (!process.waitForFinished(60'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QString TestCli::file(const QString& name, const QByteArray& bytes)
{
    QFile out(m_folder.filePath(name));
    if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
        qFatal("cannot write a test file");
    return out.fileName();
}

QByteArray TestCli::storeBytes()
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const char* suffix : {"", "-wal"}) {
        QFile in(m_store + QString::fromLatin1(suffix));
        if (in.open(QIODevice::ReadOnly))
            hash.addData(in.readAll());
    }
    return hash.result();
}

QString TestCli::startAsk(const QString& key)
{
    const Answer started =
        cairn({QStringLiteral("start"), file(QStringLiteral("ask.json"), kApproval), QStringLiteral("--key"),
            key, QStringLiteral("--input"), QString::fromUtf8(json("{'amount':'12.50'}"))});
    return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
}

void TestCli::engineUntilIdle()
{
    const Answer engine = cairn({QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
        QStringLiteral("--until-idle")});
    QCOMPARE(engine.code, 0);
}

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
                       QStringLiteral("--env"), QStringLiteral("prod")})
                 .code,
        0);
    const QString run = startAsk(QStringLiteral("g"));
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 2);
    QCOMPARE(cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("ok")}).code, 2);
    QCOMPARE(
        cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("month-end freeze")})
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
        {QStringLiteral("audit"), QStringLiteral("list")}, {QStringLiteral("audit"), QStringLiteral("head")},
        {QStringLiteral("audit"), QStringLiteral("verify")},
        {QStringLiteral("store"), QStringLiteral("info")}};
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

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
