// Several stores in one command.

#include "tests/cli/cli_fixture.h"

namespace {

const QByteArray kNote =
    json("{'schema':'urn:cairn:workflow:1','name':'note','version':1,'tools':{'note':{'safety':'read_only',"
         "'executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'only','tool':'note',"
         "'input':{'a':1}}]}");

}  // namespace

class TestCliSeveral : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void listsComeInOneOrder();
    void whatCannotBeReadIsToldAndTheOthersAreShown();
    void whyFindsTheStoreOfARun();
    void whatChangesNamesOneStore_data();
    void whatChangesNamesOneStore();
    void watchFollowsAll();
    void oneEngineServesSeveral();
    void anEngineWithoutItsHelperDoesNotStart_data();
    void anEngineWithoutItsHelperDoesNotStart();

private:
    QString startIn(const QString& store, const QString& key)
    {
        m_store = store;
        return startAsk(key);
    }
    // With every store of `stores`.
    Answer over(const QStringList& stores, const QStringList& arguments, bool asJson = true) const
    {
        QProcess process;
        QStringList all;
        for (const QString& store : stores)
            all << QStringLiteral("--store") << QStringLiteral("sqlite:") + store;
        if (asJson)
            all << QStringLiteral("--json");
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"), all + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    static QStringList field(const QByteArray& lines, const char* name)
    {
        QStringList values;
        for (const QByteArray& line : lines.split('\n'))
            if (!line.isEmpty())
                values << QJsonDocument::fromJson(line).object().value(QLatin1String(name)).toString();
        return values;
    }

    QString m_a, m_b;
};

void TestCliSeveral::init()
{
    for (QString* store : {&m_a, &m_b}) {
        freshStore();
        *store = m_store;
        QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    }
}

void TestCliSeveral::listsComeInOneOrder()
{
    const QStringList runs{startIn(m_a, QStringLiteral("1")), startIn(m_b, QStringLiteral("2")),
        startIn(m_a, QStringLiteral("3")), startIn(m_b, QStringLiteral("4")),
        startIn(m_b, QStringLiteral("5"))};
    const Answer all = over({m_a, m_b}, {QStringLiteral("list")});
    QCOMPARE(all.code, 0);
    QCOMPARE(field(all.out, "run"), runs);
    const QString a = QStringLiteral("sqlite:") + m_a;
    const QString b = QStringLiteral("sqlite:") + m_b;
    QCOMPARE(field(all.out, "store"), (QStringList{a, b, a, b, b}));
    const Answer some =
        over({m_b, m_a}, {QStringLiteral("list"), QStringLiteral("--limit"), QStringLiteral("3")});
    QCOMPARE(field(some.out, "run"), runs.mid(0, 3));
    QVERIFY2(some.err.contains("2 more"), some.err.constData());
    const Answer text = over({m_a, m_b}, {QStringLiteral("list")}, false);
    const QByteArray name = QFileInfo(m_a).completeBaseName().toUtf8();
    QVERIFY2(text.out.startsWith(name + "  " + runs.front().toUtf8()), text.out.constData());
    // One store is not named.
    QCOMPARE(field(over({m_a}, {QStringLiteral("list")}).out, "store"), (QStringList{QString(), QString()}));
}

void TestCliSeveral::whatCannotBeReadIsToldAndTheOthersAreShown()
{
    const QString run = startIn(m_a, QStringLiteral("1"));
    const QString none = m_a + QStringLiteral(".none");
    const Answer listed = over({none, m_a}, {QStringLiteral("list")});
    QCOMPARE(listed.code, 3);
    QCOMPARE(field(listed.out, "run"), QStringList{run});
    QVERIFY2(listed.err.contains(none.toUtf8()), listed.err.constData());
    QCOMPARE(over({none, m_a}, {QStringLiteral("why"), run}).code, 3);
    const Answer missing = over({none, m_a}, {QStringLiteral("why"), QStringLiteral("other")});
    QCOMPARE(missing.code, 3);
    QVERIFY2(missing.err.contains("not in the stores that can be read"), missing.err.constData());
    QCOMPARE(over({m_a, m_b}, {QStringLiteral("why"), QStringLiteral("other")}).code, 4);
}

void TestCliSeveral::whyFindsTheStoreOfARun()
{
    static_cast<void>(startIn(m_a, QStringLiteral("both")));
    static_cast<void>(startIn(m_b, QStringLiteral("both")));
    const QString run = startIn(m_b, QStringLiteral("one"));
    const Answer told = over({m_a, m_b}, {QStringLiteral("why"), QStringLiteral("one")});
    QCOMPARE(told.code, 0);
    QCOMPARE(told.json().value(QStringLiteral("run")).toString(), run);
    QCOMPARE(told.json().value(QStringLiteral("store")).toString(), QStringLiteral("sqlite:") + m_b);
    const Answer both = over({m_a, m_b}, {QStringLiteral("why"), QStringLiteral("both")});
    QCOMPARE(both.code, 2);
    QVERIFY2(both.err.contains("name one --store"), both.err.constData());
}

void TestCliSeveral::whatChangesNamesOneStore_data()
{
    QTest::addColumn<QString>("verb");
    for (const char* verb : {"pause", "cancel", "show"})
        QTest::newRow(verb) << QString::fromLatin1(verb);
}

void TestCliSeveral::whatChangesNamesOneStore()
{
    QFETCH(const QString, verb);
    const QString run = startIn(m_a, QStringLiteral("1"));
    const QByteArray before = storeBytes();
    const Answer refused = over({m_a, m_b}, {verb, run});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("exactly one --store"), refused.err.constData());
    QCOMPARE(storeBytes(), before);
    QCOMPARE(over({m_a, m_a}, {QStringLiteral("list")}).code, 2);
}

void TestCliSeveral::watchFollowsAll()
{
    const QString a = startIn(m_a, QStringLiteral("a"));
    const QString b = startIn(m_b, QStringLiteral("b"));
    QProcess watch;
    watch.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_a, QStringLiteral("--store"),
            QStringLiteral("sqlite:") + m_b, QStringLiteral("watch")});
    QVERIFY(watch.waitForStarted(60'000));
    QByteArray printed;
    for (int i = 0; i < 200 && !(printed.contains(a.toUtf8()) && printed.contains(b.toUtf8())); ++i) {
        const QString verb = i % 2 == 0 ? QStringLiteral("pause") : QStringLiteral("resume");
        QCOMPARE(over({m_a}, {verb, a}).code, 0);
        QCOMPARE(over({m_b}, {verb, b}).code, 0);
        watch.waitForReadyRead(1'000);
        printed += watch.readAllStandardOutput();
    }
    watch.terminate();
    QVERIFY(watch.waitForFinished(60'000));
    QVERIFY2(printed.contains(a.toUtf8()) && printed.contains(b.toUtf8()), printed.constData());
    QVERIFY2(printed.contains(QFileInfo(m_b).completeBaseName().toUtf8() + "  " + b.toUtf8()),
        printed.constData());
}

void TestCliSeveral::oneEngineServesSeveral()
{
    const QString definition = file(QStringLiteral("note.json"), kNote);
    for (const QString& store : {m_a, m_b})
        QCOMPARE(over({store}, {QStringLiteral("start"), definition}).code, 0);
    const Answer served = over({m_a, m_b}, {QStringLiteral("engine"), QStringLiteral("--until-idle")});
    QCOMPARE(served.code, 0);
    for (const QString& store : {m_a, m_b}) {
        QVERIFY2(served.err.contains("serves sqlite:" + store.toUtf8()), served.err.constData());
        QCOMPARE(field(over({store}, {QStringLiteral("list")}).out, "activity"),
            QStringList{QStringLiteral("completed")});
    }
    QCOMPARE(
        over({m_a, m_a + QStringLiteral(".none")}, {QStringLiteral("engine"), QStringLiteral("--until-idle")})
            .code,
        3);
}

void TestCliSeveral::anEngineWithoutItsHelperDoesNotStart_data()
{
    QTest::addColumn<bool>("both");
    QTest::newRow("one store") << false;
    QTest::newRow("two stores") << true;
}

// The program alone, as somebody copies it from one machine to another.
void TestCliSeveral::anEngineWithoutItsHelperDoesNotStart()
{
    QFETCH(bool, both);
    QTemporaryDir folder;
    const QString alone = folder.path() + QStringLiteral("/cairn");
    QVERIFY(QFile::copy(QStringLiteral(CAIRN_BIN_DIR "/cairn"), alone));
    QStringList arguments{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_a};
    if (both)
        arguments << QStringLiteral("--store") << QStringLiteral("sqlite:") + m_b;
    QProcess process;
    process.start(alone, arguments << QStringLiteral("engine") << QStringLiteral("--until-idle"));
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QVERIFY(process.exitCode() != 0);
    const QByteArray told = process.readAllStandardError();
    QVERIFY2(told.contains("the engine cannot start: it has no cairn-exec"), told.constData());
    QVERIFY2(told.contains(alone.toUtf8() + "-exec"), told.constData());
}

QTEST_GUILESS_MAIN(TestCliSeveral)
#include "tst_cli_several.moc"
