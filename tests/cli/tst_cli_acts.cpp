// What every verb has: a preview that changes nothing, and a reason that is kept; and what says which verbs
// there are.

#include "tests/cli/cli_fixture.h"

class TestCliActs : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { freshStore(); }
    void everyChangingVerbPreviewsAndTakesAReason();
    void previewsOfTheStoreChangeNothing();
    void aMigrationIsPreviewed();
    void reasonsAreKept();
    void aVerbHasACommandWhereThereIsOne();
};

static QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

void TestCliActs::everyChangingVerbPreviewsAndTakesAReason()
{
    for (const char* verb : {"start", "approve", "reject", "pause", "resume", "cancel", "retry", "settle",
             "signal", "fork", "skip", "record", "amend", "deadline", "budget", "compensate", "migrate",
             "workflow add", "audit checkpoint", "audit anchor", "store init", "store migrate",
             "store backup", "store clock", "policy set", "acts confirm", "acts reject"}) {
        const Answer help = cairn(words(verb) + QStringList{QStringLiteral("--help")});
        QVERIFY2(help.out.contains(QByteArray("Usage: cairn ") + verb), verb);
        QVERIFY2(help.out.contains("--preview") && help.out.contains("--reason"), verb);
    }
}

void TestCliActs::previewsOfTheStoreChangeNothing()
{
    const auto preview = [this](const QStringList& verb) {
        return cairn(verb + QStringList{QStringLiteral("--preview")});
    };
    QCOMPARE(preview(words("store init --env test")).code, 0);
    QVERIFY(!QFile::exists(m_store));
    QCOMPARE(cairn(words("store init")).code, 0);
    const QString ask = file(QStringLiteral("ask.json"), kApproval);
    const QString input = QString::fromUtf8(json("{'amount':'12.50'}"));
    const QString copy = m_folder.filePath(QStringLiteral("copy.db"));
    const QByteArray before = storeBytes();
    QCOMPARE(preview(words("store init")).code, 1);  // it is there
    const Answer start = preview({QStringLiteral("start"), ask, QStringLiteral("--input"), input});
    QCOMPARE(start.code, 0);
    QVERIFY(start.json().value(QStringLiteral("allowed")).toBool());
    QVERIFY2(start.out.contains("a new run starts") && start.out.contains("is added to the store"),
        start.out.constData());
    QCOMPARE(preview({QStringLiteral("start"), ask, QStringLiteral("--input"), QStringLiteral("{")}).code, 2);
    const Answer add = preview({QStringLiteral("workflow"), QStringLiteral("add"), ask});
    QCOMPARE(add.code, 0);
    QVERIFY2(add.out.contains("is added"), add.out.constData());
    QCOMPARE(preview(words("store migrate --contract")).code, 0);
    QCOMPARE(preview({QStringLiteral("store"), QStringLiteral("backup"), copy}).code, 0);
    QVERIFY(!QFile::exists(copy));
    QCOMPARE(preview({QStringLiteral("store"), QStringLiteral("backup"), ask}).code, 1);  // it exists
    QCOMPARE(preview(words("store clock 1h")).code, 1);  // no store of a test clock
    QVERIFY(storeBytes() == before);
    QVERIFY(cairn(words("workflow list")).out.isEmpty());
    // The act itself says the same of what is there by then.
    QCOMPARE(cairn({QStringLiteral("workflow"), QStringLiteral("add"), ask}).code, 0);
    QVERIFY(
        preview({QStringLiteral("workflow"), QStringLiteral("add"), ask}).out.contains("nothing changes"));
    QByteArray other = kApproval;
    other.replace("amount", "price");
    const QString changed = file(QStringLiteral("changed.json"), other);
    const Answer refused = preview({QStringLiteral("workflow"), QStringLiteral("add"), changed});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.out.contains("with other content"), refused.out.constData());
    QCOMPARE(cairn({QStringLiteral("workflow"), QStringLiteral("add"), changed}).code, 1);
    const QByteArray audit = cairn(words("audit list")).out;
    QVERIFY2(audit.contains("\"kind\":\"refused\",\"verb\":\"workflow_add\""), audit.constData());
}

void TestCliActs::aMigrationIsPreviewed()
{
    QCOMPARE(cairn(words("store init"), QStringLiteral("cairn-format1")).code, 0);
    const QByteArray before = storeBytes();
    const Answer preview = cairn(words("store migrate --contract --preview"));
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.out.contains("expanded from schema 1 to"), preview.out.constData());
    QVERIFY(storeBytes() == before);
    QCOMPARE(cairn(words("list")).code, 3);
    const Answer done = cairn(words("store migrate --contract"));
    QVERIFY(preview.json().value(QStringLiteral("will_happen")).toArray().at(0)
        == done.json().value(QStringLiteral("text")));
}

void TestCliActs::reasonsAreKept()
{
    QCOMPARE(cairn(words("store init --test-clock --reason unused")).code, 0);
    const QString ask = file(QStringLiteral("ask.json"), kApproval);
    const auto because = [](const char* why) {
        return QStringList{QStringLiteral("--reason"), QString::fromUtf8(why)};
    };
    QCOMPARE(cairn(QStringList{QStringLiteral("workflow"), QStringLiteral("add"), ask} + because("new terms"))
                 .code,
        0);
    QCOMPARE(cairn(words("store clock 1h") + because("next hour")).code, 0);
    QCOMPARE(cairn(QStringList{QStringLiteral("store"), QStringLiteral("backup"),
                       m_folder.filePath(QStringLiteral("kept.db"))}
                 + because("before the change"))
                 .code,
        0);
    const QByteArray audit = cairn(words("audit list")).out;
    for (const char* kept : {"\"workflow_add\"", "\"new terms\"", "\"store_clock\"", "\"next hour\"",
             "\"store_backup\"", "\"before the change\""})
        QVERIFY2(audit.contains(kept), kept);
    QCOMPARE(cairn(words("audit verify")).code, 0);
    const Answer started = cairn(QStringList{QStringLiteral("start"), ask, QStringLiteral("--input"),
                                     QString::fromUtf8(json("{'amount':'12.50'}"))}
        + because("the order came in"));
    QCOMPARE(started.code, 0);
    const QString run = started.json().value(QStringLiteral("run")).toString();
    QCOMPARE(
        cairn(QStringList{QStringLiteral("signal"), run} + words("paid --id 9") + because("said by mail"))
            .code,
        0);
    const QByteArray history = text({QStringLiteral("history"), run});
    QVERIFY2(history.contains("the order came in") && history.contains("said by mail"), history.constData());
}

void TestCliActs::aVerbHasACommandWhereThereIsOne()
{
    QCOMPARE(cairn(words("store init")).code, 0);
    const QString run = startAsk(QStringLiteral("c"));
    engineUntilIdle();
    const QJsonArray actions =
        cairn({QStringLiteral("why"), run}).json().value(QStringLiteral("actions")).toArray();
    QVERIFY(!actions.isEmpty());
    for (const QJsonValue& action : actions) {
        const QString verb = action.toObject().value(QStringLiteral("verb")).toString();
        // The help of what is no verb is that of the program.
        const bool there =
            cairn({verb, QStringLiteral("--help")}).out.contains("Usage: cairn " + verb.toUtf8());
        QVERIFY2(action.toObject().value(QStringLiteral("command")).toBool() == there, qPrintable(verb));
    }
}

QTEST_GUILESS_MAIN(TestCliActs)
#include "tst_cli_acts.moc"
