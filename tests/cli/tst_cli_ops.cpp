// What an operator reads and types every day: who moves next through parents, engines that are gone, filters
// that find what lists show, results that somebody forgot, and one code for one kind of error.

#include "tests/cli/cli_fixture.h"

#include <csignal>

namespace {

QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

const QByteArray kParent = json("{'schema':'urn:cairn:workflow:1','name':'parent','version':1,'tools':{},"
                                "'steps':[{'name':'kid','kind':'run','workflow':'ask','input':{'amount':"
                                "'12.50'}}]}");

// Calls a program that says that it began, and then does nothing for long.
QByteArray sleeping(const QString& mark)
{
    return json("{'schema':'urn:cairn:workflow:1','name':'sleeping','version':1,'tools':{'nap':{'safety':"
                "'read_only','executor':'command','settings':{'argv':['/bin/sh','-c','echo > "
        + mark.toUtf8() + "; exec sleep 600']}}},'steps':[{'name':'nap','tool':'nap','input':{}}]}");
}

// A payment that ends without a word, and a step that comes after it.
const QByteArray kUnclear = json(
    "{'schema':'urn:cairn:workflow:1','name':'unclear','version':1,'tools':{'pay':{'safety':"
    "'irreversible','executor':'command','settings':{'argv':['/bin/sh','-c','kill -9 $$$$']}},"
    "'note':{'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':"
    "'pay','tool':'pay','input':{}},{'name':'tell','tool':'note','after':['pay'],'input':{}}]}");

}  // namespace

class TestCliOps : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(cairn(words("store init")).code, 0);
    }
    void aParentIsWaitedForByWhomItsChildIs();
    void anEngineThatIsGoneRunsNothing();
    void aPausedRunIsFoundAsPaused();
    void aForgottenResultIsAskedFor();
    void allDefinitionsAreCheckedFirst();
    void eachTargetSaysItsOwnOutcome();
    void whatIsAbsentIsNull();
    void oneKindOfErrorHasOneCode_data();
    void oneKindOfErrorHasOneCode();
    void aStartThatIsRefusedNamesNoRun();
    void aRefusedForkIsOnRecordUnderItsSource();
    void aDrillWithoutItsWorkflowsLeavesNothing();
    void aRetryIsShownBeforeItIsMade();
    void aPlanWithoutAnEngineSaysSo();

private:
    QString start(const char* name, const QByteArray& workflow, const QStringList& more = {})
    {
        const Answer started =
            cairn(QStringList{QStringLiteral("start"), file(QString::fromUtf8(name), workflow)} + more);
        return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
    }
    QString word(const QStringList& verb, const char* name)
    {
        return cairn(verb).json().value(QLatin1String(name)).toString();
    }
};

void TestCliOps::aParentIsWaitedForByWhomItsChildIs()
{
    QCOMPARE(cairn({QStringLiteral("workflow"), QStringLiteral("add"),
                       file(QStringLiteral("ask.json"), kApproval)})
                 .code,
        0);
    QVERIFY(!start("parent.json", kParent, words("--key p")).isEmpty());
    engineUntilIdle();
    QCOMPARE(word(words("why p"), "attention"), QStringLiteral("person"));
    // In the list and its counts too, and found by it.
    const QByteArray listed = cairn(words("list attention:person def:parent")).out;
    QVERIFY2(listed.contains("\"workflow\":\"parent\""), listed.constData());
    const QByteArray why = text(words("why p"));
    QVERIFY2(why.contains("approval by finance"), why.constData());
    const QString child = cairn(words("list def:ask")).json().value(QStringLiteral("run")).toString();
    QCOMPARE(cairn({QStringLiteral("approve"), child}).code, 0);
    engineUntilIdle();
    QCOMPARE(word(words("why p"), "activity"), QStringLiteral("completed"));
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliOps::anEngineThatIsGoneRunsNothing()
{
    const QString mark = m_folder.filePath(QStringLiteral("began-%1").arg(m_number));
    QVERIFY(!start("sleeping.json", sleeping(mark), words("--key s")).isEmpty());
    QProcess engine;
    engine.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store}
            + words("engine --lease 10m --name gone"));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(mark), 60'000);
    const auto reason = [this] {
        const QJsonArray reasons = cairn(words("why s")).json().value(QStringLiteral("reasons")).toArray();
        return reasons.isEmpty() ? QString()
                                 : reasons.at(0).toObject().value(QStringLiteral("reason")).toString();
    };
    QCOMPARE(reason(), QString());
    ::kill(static_cast<pid_t>(engine.processId()), SIGKILL);
    QVERIFY(engine.waitForFinished(60'000));
    // Its lease would say for ten minutes that it runs.
    QCOMPARE(reason(), QStringLiteral("lease"));
    const QJsonObject info = cairn(words("store info")).json();
    QCOMPARE(info.value(QStringLiteral("sessions")).toArray().size(), 0);
    QCOMPARE(info.value(QStringLiteral("silent_sessions")).toArray().size(), 1);
}

void TestCliOps::aPausedRunIsFoundAsPaused()
{
    const QString run = startAsk(QStringLiteral("k"));
    engineUntilIdle();
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 0);
    QCOMPARE(word(words("list"), "activity"), QStringLiteral("paused"));
    for (const char* found : {"list wait:paused", "list wait:approval", "list state:paused"})
        QCOMPARE(word(words(found), "run"), run);
    for (const char* none : {"list wait:paused state:waiting", "list wait:timer|lease"})
        QCOMPARE(cairn(words(none)).out, QByteArray());
    QCOMPARE(cairn({QStringLiteral("list"), QStringLiteral("--"), QStringLiteral("-wait:paused")}).out,
        QByteArray());
    QCOMPARE(cairn({QStringLiteral("list"), QStringLiteral("attr.limit:>100")}).code, 2);
}

void TestCliOps::aForgottenResultIsAskedFor()
{
    const QString run = start("unclear.json", kUnclear);
    engineUntilIdle();
    const QStringList settle{QStringLiteral("settle"), run, QStringLiteral("pay"),
        QStringLiteral("--happened"), QStringLiteral("--evidence"), QStringLiteral("ticket 4711")};
    for (const QStringList& more : {QStringList(), words("--preview")}) {
        const Answer forgotten = cairn(settle + more);
        QCOMPARE(forgotten.code, 2);
        QVERIFY2(forgotten.err.contains("--no-output") && forgotten.err.contains("tell"),
            forgotten.err.constData());
    }
    QCOMPARE(cairn(settle + words("--no-output --output 1")).code, 2);
    const Answer preview = cairn(settle + words("--no-output --preview"));
    QVERIFY2(preview.out.contains("without a result"), preview.out.constData());
    QCOMPARE(cairn(settle + words("--no-output")).code, 0);
    const QByteArray history = text({QStringLiteral("history"), run});
    QVERIFY2(history.contains("evidence: ticket 4711"), history.constData());
}

void TestCliOps::allDefinitionsAreCheckedFirst()
{
    const QString good = file(QStringLiteral("good.json"), kApproval);
    const QString bad = file(QStringLiteral("bad.json"), "{}");
    QCOMPARE(cairn({QStringLiteral("workflow"), QStringLiteral("add"), good, bad}).code, 1);
    QCOMPARE(cairn(words("workflow list")).out, QByteArray());
    QCOMPARE(cairn({QStringLiteral("workflow"), QStringLiteral("add"), good}).code, 0);
    QVERIFY(cairn(words("workflow list")).out.contains("\"ask\""));
}

void TestCliOps::eachTargetSaysItsOwnOutcome()
{
    const QString run = startAsk(QStringLiteral("there"));
    const Answer both = cairn(words("pause nosuch there"));
    QCOMPARE(both.code, 4);
    QVERIFY2(both.err.contains("nosuch"), both.err.constData());
    QCOMPARE(both.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("committed"));
    QCOMPARE(word(words("why there"), "activity"), QStringLiteral("paused"));
    // A filter beside a name could be meant either way.
    const Answer either =
        cairn({QStringLiteral("resume"), run, QStringLiteral("--where"), QStringLiteral("key:there")});
    QCOMPARE(either.code, 2);
    QCOMPARE(word(words("why there"), "activity"), QStringLiteral("paused"));
}

void TestCliOps::whatIsAbsentIsNull()
{
    const QString run = start("ask.json", kApproval, words("--input {\"amount\":\"1\"}"));
    const QJsonObject row = cairn(words("list")).json();
    for (const char* name : {"key", "resource", "error", "parent", "ended"})
        QVERIFY2(row.contains(QLatin1String(name)) && row.value(QLatin1String(name)).isNull(), name);
    QCOMPARE(cairn({QStringLiteral("pause"), run}).code, 0);
    for (const QStringList& verb : {words("list"), words("audit list"),
             QStringList{QStringLiteral("history"), run}, QStringList{QStringLiteral("show"), run}}) {
        const QByteArray out = cairn(verb).out;
        QVERIFY2(!out.isEmpty() && !out.contains(":\"\"") && !out.contains(": \"\""), out.constData());
    }
}

void TestCliOps::oneKindOfErrorHasOneCode_data()
{
    QTest::addColumn<QStringList>("line");
    QTest::addColumn<int>("code");
    const QString bad = file(QStringLiteral("wrong.json"), "{}");
    const QString folder = m_folder.path();
    const auto add = [](const char* name, const QStringList& line, int code) {
        QTest::newRow(name) << line << code;
    };
    add("check a wrong definition", words("workflow check") + QStringList{bad}, 1);
    add("add a wrong definition", words("workflow add") + QStringList{bad}, 1);
    add("start a wrong definition", words("start") + QStringList{bad}, 1);
    add("check a folder", words("workflow check") + QStringList{folder}, 2);
    add("check what is not there", words("workflow check /nosuch"), 2);
    add("engine of a wrong version", words("engine --until-idle --serves a@b"), 2);
    add("engine of version 0", words("engine --until-idle --serves a@0"), 2);
}

void TestCliOps::oneKindOfErrorHasOneCode()
{
    QFETCH(QStringList, line);
    QFETCH(int, code);
    const Answer answer = cairn(line);
    QVERIFY2(answer.code == code, (answer.out + answer.err).constData());
}

void TestCliOps::aStartThatIsRefusedNamesNoRun()
{
    const QString ask = file(QStringLiteral("ask.json"), kApproval);
    const QStringList first{QStringLiteral("start"), ask, QStringLiteral("--key"), QStringLiteral("k"),
        QStringLiteral("--input"), QStringLiteral("1")};
    QCOMPARE(cairn(first).code, 0);
    QStringList other = first;
    other.back() = QStringLiteral("2");
    const Answer refused = cairn(other);
    QVERIFY(refused.code != 0);
    QVERIFY2(refused.json().contains(QStringLiteral("run"))
            && refused.json().value(QStringLiteral("run")).isNull(),
        refused.out.constData());
    const Answer preview = cairn({QStringLiteral("start"), ask, QStringLiteral("--preview")});
    QVERIFY(preview.json().value(QStringLiteral("run")).isNull());
    QVERIFY2(preview.out.contains("cairn cancel"), preview.out.constData());
}

void TestCliOps::aRefusedForkIsOnRecordUnderItsSource()
{
    freshStore();
    QCOMPARE(cairn(words("store init --guarded")).code, 0);
    const QString run = startAsk(QStringLiteral("k"));
    QCOMPARE(cairn({QStringLiteral("fork"), run, QStringLiteral("--from"), QStringLiteral("1")}).code, 2);
    const QList<QByteArray> lines = cairn(words("audit list")).out.trimmed().split('\n');
    const QJsonObject last = QJsonDocument::fromJson(lines.last()).object();
    QCOMPARE(last.value(QStringLiteral("kind")).toString(), QStringLiteral("refused"));
    QCOMPARE(last.value(QStringLiteral("verb")).toString(), QStringLiteral("fork"));
    QCOMPARE(last.value(QStringLiteral("run")).toString(), run);
}

void TestCliOps::aDrillWithoutItsWorkflowsLeavesNothing()
{
    freshStore();
    const Answer refused = cairn(words("drill --workflow repo-review --definitions /nosuch"));
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("/nosuch"), refused.err.constData());
    QVERIFY(!QFile::exists(m_store) && !QFile::exists(m_store + QStringLiteral(".drill")));
}

void TestCliOps::aRetryIsShownBeforeItIsMade()
{
    const QByteArray missing = json(
        "{'schema':'urn:cairn:workflow:1','name':'missing','version':1,'tools':{'look':{'safety':'read_only',"
        "'executor':'command','settings':{'argv':['/nosuch/program']}}},'steps':[{'name':'look','tool':"
        "'look','input':{}}]}");
    const QString run = start("missing.json", missing);
    engineUntilIdle();
    QCOMPARE(word({QStringLiteral("why"), run}, "activity"), QStringLiteral("blocked"));
    const QByteArray before = storeBytes();
    const QStringList retry{QStringLiteral("retry"), run, QStringLiteral("look")};
    const Answer preview = cairn(retry + words("--preview"));
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.json().value(QStringLiteral("allowed")).toBool() && preview.out.contains("runs next"),
        preview.out.constData());
    QVERIFY(storeBytes() == before);
    QCOMPARE(word(retry, "outcome"), QStringLiteral("committed"));
}

void TestCliOps::aPlanWithoutAnEngineSaysSo()
{
    const QString run = startAsk(QStringLiteral("k"));
    engineUntilIdle();
    const QString plan =
        word({QStringLiteral("plan"), QStringLiteral("stage"), QStringLiteral("pause"), run}, "plan");
    const Answer started = cairn({QStringLiteral("plan"), QStringLiteral("start"), plan});
    QCOMPARE(started.code, 0);
    QCOMPARE(started.err.trimmed(),
        "no engine is there to carry it out: start one, or `cairn plan run " + plan.toUtf8() + "`");
    QCOMPARE(started.json().value(QStringLiteral("state")).toString(), QStringLiteral("running"));
    QCOMPARE(word({QStringLiteral("why"), run}, "activity"), QStringLiteral("waiting"));
    QCOMPARE(cairn({QStringLiteral("plan"), QStringLiteral("pause"), plan}).err, QByteArray());
    QVERIFY(cairn({QStringLiteral("plan"), QStringLiteral("continue"), plan})
                .err.startsWith("no engine is there"));
}

QTEST_GUILESS_MAIN(TestCliOps)
#include "tst_cli_ops.moc"
