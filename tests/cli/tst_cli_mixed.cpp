// A file and a server side by side: one command reads both, and one engine serves both.

#include "tests/cli/cli_fixture.h"
#include "tests/store/postgres_fixture.h"

namespace {

const QByteArray kNote =
    json("{'schema':'urn:cairn:workflow:1','name':'note','version':1,'tools':{'note':{'safety':'read_only',"
         "'executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'only','tool':'note',"
         "'input':{'a':1}}]}");

}  // namespace

class TestCliMixed : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void listsOfBothComeInOneOrder();
    void whyFindsTheStoreOfARun();
    void watchFollowsBoth();
    void oneEngineServesBoth();
    void aServerThatIsAwayLeavesTheFile();

private:
    static Answer over(const QStringList& stores, const QStringList& arguments)
    {
        QProcess process;
        QStringList all;
        for (const QString& store : stores)
            all << QStringLiteral("--store") << store;
        process.start(
            QStringLiteral(CAIRN_BIN_DIR "/cairn"), all + QStringList{QStringLiteral("--json")} + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    QString startIn(const QString& store, const char* key)
    {
        const QStringList start{QStringLiteral("start"), file(QStringLiteral("ask.json"), kApproval),
            QStringLiteral("--key"), QString::fromUtf8(key), QStringLiteral("--input"),
            QString::fromUtf8(json("{'amount':'12.50'}"))};
        return over({store}, start).json().value(QStringLiteral("run")).toString();
    }
    static QStringList field(const QByteArray& lines, const char* name)
    {
        QStringList values;
        for (const QByteArray& line : lines.split('\n'))
            if (!line.isEmpty())
                values << QJsonDocument::fromJson(line).object().value(QLatin1String(name)).toString();
        return values;
    }

    cairn::testing::PostgresStoreFixture m_postgres;
    QString m_here, m_there;
};

void TestCliMixed::init()
{
    freshStore();
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    m_here = QStringLiteral("sqlite:") + m_store;
    m_postgres.init(cairn::postgres::kSchema, {});
    m_there = QString::fromStdString(m_postgres.url);
}

void TestCliMixed::listsOfBothComeInOneOrder()
{
    const QStringList runs{
        startIn(m_here, "1"), startIn(m_there, "2"), startIn(m_here, "3"), startIn(m_there, "4")};
    const Answer all = over({m_here, m_there}, {QStringLiteral("list")});
    QCOMPARE(all.code, 0);
    QCOMPARE(field(all.out, "run"), runs);
    const QStringList stores = field(all.out, "store");
    QCOMPARE(stores.size(), 4);
    QCOMPARE(stores.at(0), m_here);
    QVERIFY2(stores.at(1).startsWith(QStringLiteral("postgresql:")), qPrintable(stores.at(1)));
    QCOMPARE(stores.at(0), stores.at(2));
    QCOMPARE(stores.at(1), stores.at(3));
}

void TestCliMixed::whyFindsTheStoreOfARun()
{
    static_cast<void>(startIn(m_here, "here"));
    const QString run = startIn(m_there, "there");
    const Answer told = over({m_here, m_there}, {QStringLiteral("why"), QStringLiteral("there")});
    QCOMPARE(told.code, 0);
    QCOMPARE(told.json().value(QStringLiteral("run")).toString(), run);
    QVERIFY(told.json().value(QStringLiteral("store")).toString().startsWith(QStringLiteral("postgresql:")));
}

void TestCliMixed::watchFollowsBoth()
{
    const QString a = startIn(m_here, "a");
    const QString b = startIn(m_there, "b");
    QProcess watch;
    watch.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), m_here, QStringLiteral("--store"), m_there, QStringLiteral("watch")});
    QVERIFY(watch.waitForStarted(60'000));
    QByteArray printed;
    for (int i = 0; i < 200 && !(printed.contains(a.toUtf8()) && printed.contains(b.toUtf8())); ++i) {
        const QString verb = i % 2 == 0 ? QStringLiteral("pause") : QStringLiteral("resume");
        QCOMPARE(over({m_here}, {verb, a}).code, 0);
        QCOMPARE(over({m_there}, {verb, b}).code, 0);
        watch.waitForReadyRead(1'000);
        printed += watch.readAllStandardOutput();
    }
    watch.terminate();
    QVERIFY(watch.waitForFinished(60'000));
    QVERIFY2(printed.contains(a.toUtf8()) && printed.contains(b.toUtf8()), printed.constData());
}

void TestCliMixed::oneEngineServesBoth()
{
    const QString definition = file(QStringLiteral("note.json"), kNote);
    for (const QString& store : {m_here, m_there})
        QCOMPARE(over({store}, {QStringLiteral("start"), definition}).code, 0);
    const Answer served = over({m_here, m_there}, {QStringLiteral("engine"), QStringLiteral("--until-idle")});
    QVERIFY2(served.code == 0, served.err.constData());
    for (const QString& store : {m_here, m_there})
        QCOMPARE(field(over({store}, {QStringLiteral("list")}).out, "activity"),
            QStringList{QStringLiteral("completed")});
}

// What can be read is shown, and it is said what is missing.
void TestCliMixed::aServerThatIsAwayLeavesTheFile()
{
    const QString run = startIn(m_here, "1");
    const QString away =
        QStringLiteral("postgresql://nobody@127.0.0.1:1/none?sslmode=disable&connect_timeout=2");
    const Answer listed = over({m_here, away}, {QStringLiteral("list")});
    QCOMPARE(listed.code, 3);
    QCOMPARE(field(listed.out, "run"), QStringList{run});
    QVERIFY2(listed.err.contains("127.0.0.1"), listed.err.constData());
}

CAIRN_POSTGRES_TEST_MAIN(TestCliMixed)
#include "tst_cli_mixed.moc"
