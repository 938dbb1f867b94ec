// What a workflow hides is hidden in everything that the command line prints of a run; to read it is an act.

#include "tests/cli/cli_fixture.h"

#include <unistd.h>

namespace {

// Ends by itself; the account is hidden, and whoever reveals it needs a role.
const QByteArray kHiding = json(
    "{'schema':'urn:cairn:workflow:1','name':'pay','version':1,'tools':{'note':{"
    "'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}},"
    "'hidden':{'keys':['iban','*_secret'],'patterns':['card-*'],'role':'privacy'},'steps':"
    "[{'name':'say','tool':'note','input':{'$from':'input'}},"
    "{'name':'ask','tool':'note','after':['say'],'input':{'$from':'input'},'approval':{'role':'finance'}}]}");
const QByteArray kInput =
    json("{'iban':'DE02 1203 0000 0000 2020 51','amount':'12.50','note':'on card-4711','app_secret':7}");
const QByteArray kShown = json("{'iban':'[hidden: iban]','amount':'12.50','note':'on [hidden: "
                               "card-*]','app_secret':'[hidden: *_secret]'}");
const QByteArrayList kSecrets{"DE02", "2020 51", "card-4711"};

}  // namespace

class TestCliHidden : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(
            cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
        const Answer started = cairn(
            {QStringLiteral("start"), file(QStringLiteral("pay.json"), kHiding), QStringLiteral("--key"),
                QStringLiteral("k"), QStringLiteral("--input"), QString::fromUtf8(kInput)});
        QCOMPARE(started.code, 0);
        m_run = started.json().value(QStringLiteral("run")).toString();
        engineUntilIdle();
        const QJsonObject step = cairn({QStringLiteral("show"), m_run})
                                     .json()
                                     .value(QStringLiteral("step_list"))
                                     .toArray()
                                     .at(0)
                                     .toObject();
        m_payload = step.value(QStringLiteral("input")).toObject().value(QStringLiteral("id")).toString();
        QVERIFY(!m_payload.isEmpty());
    }
    void nothingThatIsPrintedHasIt();
    void toRevealIsAnActOnRecord();
    void whoLacksTheRoleIsRefusedAndThatIsOnRecord();
    void pagesHideItAndBundlesHoldIt();
    void aWorkflowThatHidesNothingIsRefused();

private:
    Answer payload(const QStringList& more = {})
    {
        return cairn(QStringList{QStringLiteral("payload"), m_run, m_payload} + more);
    }
    void setPrivacy(const QByteArray& logins)
    {
        const QString policy = file(QStringLiteral("p.json"),
            json("{'schema':'urn:cairn:policy:1','rules':[],'roles':{'privacy':[") + logins + json("]}}"));
        QCOMPARE(cairn({QStringLiteral("policy"), QStringLiteral("set"), policy}).code, 0);
    }
    QJsonObject newestAct()
    {
        const QByteArrayList lines =
            cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.trimmed().split('\n');
        QJsonObject newest;
        for (const QByteArray& line : lines)
            if (const QJsonObject act = QJsonDocument::fromJson(line).object();
                act.value(QStringLiteral("seq")).toInt() > newest.value(QStringLiteral("seq")).toInt())
                newest = act;
        return newest;
    }
    QString m_run;
    QString m_payload;
};

void TestCliHidden::nothingThatIsPrintedHasIt()
{
    const Answer hidden = payload();
    QCOMPARE(hidden.code, 0);
    QCOMPARE(hidden.out, kShown);
    QVERIFY2(hidden.err.contains("3 hidden fields; --reveal prints them"), hidden.err.constData());
    for (const char* verb : {"show", "why", "history", "context", "graph", "list"}) {
        QStringList words{QString::fromLatin1(verb)};
        if (words.first() != QStringLiteral("list"))
            words << m_run;
        const QByteArray all = cairn(words).out + text(words);
        QVERIFY(!all.isEmpty());
        for (const QByteArray& secret : kSecrets)
            QVERIFY2(!all.contains(secret), (QByteArray(verb) + ": " + secret).constData());
    }
    // The one who approves sees that something is hidden, and the rest.
    const QByteArray asked = text({QStringLiteral("why"), m_run});
    QVERIFY2(asked.contains("[hidden: iban]") && asked.contains("12.50"), asked.constData());
}

void TestCliHidden::toRevealIsAnActOnRecord()
{
    setPrivacy("\"uid " + QByteArray::number(::getuid()) + "\"");
    const QByteArray before = storeBytes();
    const Answer preview = payload({QStringLiteral("--reveal"), QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.out.contains("3 hidden fields of payload "), preview.out.constData());
    for (const QByteArray& secret : kSecrets)
        QVERIFY(!preview.out.contains(secret));
    QCOMPARE(storeBytes(), before);
    const Answer revealed = payload(
        {QStringLiteral("--reveal"), QStringLiteral("--reason"), QStringLiteral("asked by the bank")});
    QCOMPARE(revealed.code, 0);
    QCOMPARE(revealed.out, kInput);
    const QJsonObject act = newestAct();
    QCOMPARE(act.value(QStringLiteral("verb")).toString(), QStringLiteral("reveal"));
    QCOMPARE(act.value(QStringLiteral("kind")).toString(), QStringLiteral("applied"));
    QCOMPARE(act.value(QStringLiteral("run")).toString(), m_run);
    QCOMPARE(act.value(QStringLiteral("reason")).toString(), QStringLiteral("asked by the bank"));
    QVERIFY(act.value(QStringLiteral("target")).toString().contains(m_payload));
    // It was this once.
    QCOMPARE(payload().out, kShown);
}

void TestCliHidden::whoLacksTheRoleIsRefusedAndThatIsOnRecord()
{
    setPrivacy("\"uid 4294967000\"");
    const Answer refused =
        payload({QStringLiteral("--reveal"), QStringLiteral("--reason"), QStringLiteral("I am curious")});
    QCOMPARE(refused.code, 1);
    QVERIFY2((refused.out + refused.err).contains("lacks the role"), (refused.out + refused.err).constData());
    for (const QByteArray& secret : kSecrets)
        QVERIFY(!(refused.out + refused.err).contains(secret));
    const QJsonObject act = newestAct();
    QCOMPARE(act.value(QStringLiteral("verb")).toString(), QStringLiteral("reveal"));
    QCOMPARE(act.value(QStringLiteral("kind")).toString(), QStringLiteral("refused"));
}

void TestCliHidden::pagesHideItAndBundlesHoldIt()
{
    const QString page = m_folder.filePath(QStringLiteral("run-%1.html").arg(m_number));
    QCOMPARE(
        cairn({QStringLiteral("export"), m_run, QStringLiteral("--html"), QStringLiteral("-o"), page}).code,
        0);
    QFile html(page);
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray shown = html.readAll();
    for (const QByteArray& secret : kSecrets)
        QVERIFY2(!shown.contains(secret), secret.constData());
    // A bundle has what is stored: its hashes fit.
    const QString bundle = m_folder.filePath(QStringLiteral("run-%1.zip").arg(m_number));
    QCOMPARE(cairn({QStringLiteral("export"), m_run, QStringLiteral("-o"), bundle}).code, 0);
    QCOMPARE(cairn({QStringLiteral("verify"), bundle}).code, 0);
}

void TestCliHidden::aWorkflowThatHidesNothingIsRefused()
{
    const QByteArray none =
        QByteArray(kHiding).replace("\"keys\":[\"iban\",\"*_secret\"],\"patterns\":[\"card-*\"],", "");
    QVERIFY(none != kHiding);
    const Answer checked =
        cairn({QStringLiteral("workflow"), QStringLiteral("check"), file(QStringLiteral("none.json"), none)});
    QCOMPARE(checked.code, 1);
    QVERIFY2((checked.out + checked.err).contains("nothing would be hidden"),
        (checked.out + checked.err).constData());
}

QTEST_APPLESS_MAIN(TestCliHidden)
#include "tst_cli_hidden.moc"
