// The verbs that repair a run by hand, each from a run that is really stuck to where it goes on.

#include "tests/cli/cli_fixture.h"

namespace {

QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

// `fetch` ends as `script` says, on its first and only attempt; `use` reads what it gives.
QByteArray fetching(const QByteArray& script)
{
    return json("{'schema':'urn:cairn:workflow:1','name':'fetching','version':1,'tools':{'fetch':{'safety':"
                "'read_only','executor':'command','settings':{'argv':['/bin/sh','-c','"
        + script
        + "']},'retry':{'attempts':1}},'note':{'safety':'read_only','executor':'builtin','settings':{"
          "'function':'echo'}}},'steps':[{'name':'fetch','tool':'fetch','input':{'from':'there'}},{'name':"
          "'use','tool':'note','after':['fetch'],'after_skipped':true,'input':{'got':{'$from':'fetch','at':"
          "'/n','else':null}}}],'output':{'$from':'use'}}");
}

}  // namespace

class TestCliRepairs : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(cairn(words("store init")).code, 0);
    }
    void aStepIsSkippedWithASubstitute();
    void aStepIsSkippedWithNothing();
    void aResultIsRecordedByHand();
    void anInputIsAmended();
    void whatIsGivenMustBeJson();
    void aPreviewWritesNothing();
    void aDeadlineIsSetMovedAndTakenAway();
    void aBudgetIsRaised();
    void whatIsNoBudgetIsRefused();
    void aFinishedRunIsCompensated();
    void aRunMovesToANewVersion();
    void whyNamesTheCommands();
    void anActGoesByWhatWasSeen();
    void anActIsDoneOnceUnderItsId();

private:
    QString start(const QString& name, const QByteArray& workflow, const QByteArray& input = "{}")
    {
        const Answer started = cairn({QStringLiteral("start"), file(name, workflow),
            QStringLiteral("--input"), QString::fromUtf8(input)});
        return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
    }
    QString stuckFetching(const QByteArray& script = "exit 65")
    {
        const QString run = start(QStringLiteral("fetching.json"), fetching(script));
        engineUntilIdle();
        return state(run) == QLatin1String("blocked") ? run : QString();
    }
    QString state(const QString& run)
    {
        return cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("activity")).toString();
    }
    int version(const QString& run)
    {
        return cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("state_version")).toInt();
    }
    QByteArray reason(const QString& run)
    {
        return cairn({QStringLiteral("show"), run})
            .json()
            .value(QStringLiteral("reason"))
            .toString()
            .toUtf8();
    }
    QJsonObject step(const QString& run, const char* name)
    {
        const QJsonArray steps =
            cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("step_list")).toArray();
        for (const QJsonValue& value : steps)
            if (value.toObject().value(QStringLiteral("id")).toString() == QLatin1String(name))
                return value.toObject();
        return {};
    }
    QByteArray output(const QString& run, const char* name)
    {
        const QString payload =
            step(run, name).value(QStringLiteral("output")).toObject().value(QStringLiteral("id")).toString();
        QProcess process;
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("payload"), run,
                payload});
        return process.waitForFinished(60'000) ? process.readAllStandardOutput() : QByteArray();
    }
};

void TestCliRepairs::aStepIsSkippedWithASubstitute()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    QCOMPARE(cairn({QStringLiteral("skip"), run, QStringLiteral("fetch"), QStringLiteral("--output"),
                       QString::fromUtf8(json("{'n':7.10}")), QStringLiteral("--reason"),
                       QStringLiteral("the source is gone")})
                 .code,
        0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
    QCOMPARE(step(run, "fetch").value(QStringLiteral("state")).toString(), QStringLiteral("skipped"));
    QCOMPARE(output(run, "use"), json("{'got':7.10}"));
    QVERIFY(cairn(words("audit list")).out.contains("the source is gone"));
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliRepairs::aStepIsSkippedWithNothing()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    QCOMPARE(cairn({QStringLiteral("skip"), run, QStringLiteral("fetch")}).code, 0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
    QCOMPARE(output(run, "use"), json("{'got':null}"));
    QCOMPARE(cairn({QStringLiteral("skip"), run, QStringLiteral("fetch")}).code, 1);
    QCOMPARE(cairn({QStringLiteral("skip"), run, QStringLiteral("nowhere")}).code, 4);
}

void TestCliRepairs::aResultIsRecordedByHand()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    QCOMPARE(cairn({QStringLiteral("record"), run, QStringLiteral("fetch")}).code, 2);  // of what?
    QCOMPARE(cairn({QStringLiteral("record"), run, QStringLiteral("fetch"), QStringLiteral("--output"),
                       QStringLiteral("@") + file(QStringLiteral("result.json"), json("{'n':12}"))})
                 .code,
        0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
    QCOMPARE(step(run, "fetch").value(QStringLiteral("state")).toString(), QStringLiteral("complete"));
    QCOMPARE(step(run, "fetch").value(QStringLiteral("attempts")).toInt(), 1);  // it was not called again
    QCOMPARE(output(run, "use"), json("{'got':12}"));
}

void TestCliRepairs::anInputIsAmended()
{
    const QString run = stuckFetching("grep -q elsewhere && echo {} || exit 65");
    QVERIFY(!run.isEmpty());
    QCOMPARE(cairn({QStringLiteral("amend"), run, QStringLiteral("fetch"), QStringLiteral("--input"),
                       QString::fromUtf8(json("{'from':'elsewhere'}"))})
                 .code,
        0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
    // What was used cannot be changed any more.
    QCOMPARE(cairn({QStringLiteral("amend"), run, QStringLiteral("fetch"), QStringLiteral("--input"),
                       QStringLiteral("{}")})
                 .code,
        1);
}

void TestCliRepairs::whatIsGivenMustBeJson()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    const int before = version(run);
    for (const char* verb : {"skip", "record", "amend"}) {
        const Answer answer = cairn({QString::fromLatin1(verb), run, QStringLiteral("fetch"),
            QLatin1String(verb) == QLatin1String("amend") ? QStringLiteral("--input")
                                                          : QStringLiteral("--output"),
            QStringLiteral("{'n':")});
        QVERIFY2(answer.code != 0, verb);
        QVERIFY2((answer.out + answer.err).contains("JSON"), (answer.out + answer.err).constData());
    }
    QCOMPARE(version(run), before);
}

void TestCliRepairs::aPreviewWritesNothing()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    const QByteArray before = storeBytes();
    const QList<QStringList> acts{words("skip RUN fetch"), words("record RUN fetch --output 1"),
        words("amend RUN fetch --input {}"), words("deadline RUN 2h"), words("budget RUN 5 EUR")};
    for (QStringList words : acts) {
        words[1] = run;
        const Answer preview = cairn(words + QStringList{QStringLiteral("--preview")});
        QVERIFY2(preview.code == 0, qPrintable(words.join(QLatin1Char(' '))));
        QVERIFY2(!preview.json().value(QStringLiteral("will_happen")).toArray().isEmpty(),
            preview.out.constData());
    }
    QVERIFY(storeBytes() == before);
}

void TestCliRepairs::aDeadlineIsSetMovedAndTakenAway()
{
    QCOMPARE(cairn(words("store init --test-clock")).code, 1);  // there is one already
    freshStore();
    QCOMPARE(cairn(words("store init --test-clock")).code, 0);
    const QString run = startAsk(QStringLiteral("d"));
    QCOMPARE(cairn({QStringLiteral("deadline"), run, QStringLiteral("soon")}).code, 2);
    QCOMPARE(cairn({QStringLiteral("deadline"), run, QStringLiteral("2001-01-01T00:00:00Z")}).code, 2);
    QCOMPARE(cairn({QStringLiteral("deadline"), run, QStringLiteral("1h")}).code, 0);
    QCOMPARE(cairn(words("store clock 2h")).code, 0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("blocked"));
    QVERIFY(text({QStringLiteral("why"), run}).contains("Deadline passed"));
    QCOMPARE(cairn({QStringLiteral("deadline"), run, QStringLiteral("none")}).code, 0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("waiting"));
    QVERIFY(!text({QStringLiteral("why"), run}).contains("Deadline passed"));
}

void TestCliRepairs::aBudgetIsRaised()
{
    const QString run = start(QStringLiteral("costly.json"),
        json("{'schema':'urn:cairn:workflow:1','name':'costly','version':1,'budget':[{'amount':'1.00',"
             "'currency':'EUR'}],'tools':{'ask':{'safety':'read_only','executor':'command','settings':{"
             "'argv':['/bin/echo','{}']},'worst_case':[{'amount':'0.80','currency':'EUR'}]}},'steps':[{"
             "'name':'first','kind':'decision','tool':'ask'},{'name':'second','kind':'decision','tool':"
             "'ask','after':['first']}]}"));
    engineUntilIdle();
    QCOMPARE(reason(run), QByteArray("budget"));
    const Answer little = cairn({QStringLiteral("budget"), run, QStringLiteral("1.59 EUR")});
    QCOMPARE(little.code, 0);
    engineUntilIdle();
    QCOMPARE(reason(run), QByteArray("budget"));
    QCOMPARE(cairn({QStringLiteral("budget"), run, QStringLiteral("1.60"), QStringLiteral("EUR")}).code, 0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
}

void TestCliRepairs::whatIsNoBudgetIsRefused()
{
    const QString run = startAsk(QStringLiteral("b"));
    const int before = version(run);
    for (const char* limit : {"5", "EUR", "-1 EUR", "1.0000001 EUR", "1.5 tokens", "5 of it", "1e3 tokens"}) {
        const Answer answer =
            cairn({QStringLiteral("budget"), run, QStringLiteral("--"), QString::fromLatin1(limit)});
        QVERIFY2(answer.code == 2, limit);
    }
    QCOMPARE(version(run), before);
}

void TestCliRepairs::aFinishedRunIsCompensated()
{
    const QString undone = m_folder.filePath(QStringLiteral("undone"));
    const QString run = start(QStringLiteral("pay.json"),
        json("{'schema':'urn:cairn:workflow:1','name':'pay','version':1,'tools':{'pay':{'safety':"
             "'repeatable','executor':'command','settings':{'argv':['/bin/echo','{}']},'undo':{'tool':"
             "'refund','input':{'why':'asked'}}},'refund':{'safety':'repeatable','executor':'command',"
             "'settings':{'argv':['/bin/sh','-c','cat > UNDONE; echo {}']}}},'steps':[{'name':'pay','tool':"
             "'pay'}]}")
            .replace("UNDONE", undone.toUtf8()));
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("completed"));
    QVERIFY(!QFile::exists(undone));
    QCOMPARE(cairn({QStringLiteral("compensate"), run, QStringLiteral("--reason"),
                       QStringLiteral("ordered by mistake")})
                 .code,
        0);
    engineUntilIdle();
    QCOMPARE(state(run), QStringLiteral("compensated"));
    QVERIFY(QFile::exists(undone));
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliRepairs::aRunMovesToANewVersion()
{
    const QString run = startAsk(QStringLiteral("m"));
    const Answer same = cairn({QStringLiteral("migrate"), run});
    QVERIFY2(same.out.contains("already follows version 1"), same.out.constData());
    QCOMPARE(cairn({QStringLiteral("migrate"), run, QStringLiteral("--to"), QStringLiteral("7")}).code, 4);
    QByteArray next = kApproval;
    next.replace("\"version\":1", "\"version\":2").replace("\"8h\"", "\"9h\"");
    QCOMPARE(
        cairn({QStringLiteral("workflow"), QStringLiteral("add"), file(QStringLiteral("next.json"), next)})
            .code,
        0);
    QCOMPARE(
        cairn({QStringLiteral("migrate"), QStringLiteral("--where"), QStringLiteral("def:ask")}).code, 0);
    QCOMPARE(cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("version")).toInt(), 2);
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliRepairs::whyNamesTheCommands()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    const QByteArray why = text({QStringLiteral("why"), run});
    QVERIFY2(why.contains("skip") && !why.contains("in the library only"), why.constData());
}

// What somebody looked at a while ago is named by the version of the run: the act is done where what it
// depends on is as it was then, and refused as stale where it is not.
void TestCliRepairs::anActGoesByWhatWasSeen()
{
    const QString run = stuckFetching();
    QVERIFY(!run.isEmpty());
    const auto expecting = [&](QStringList words, int seen) {
        words[1] = run;
        return cairn(words + QStringList{QStringLiteral("--expect"), QString::number(seen)});
    };
    const int seen = version(run);
    const QJsonObject preview =
        cairn({QStringLiteral("retry"), run, QStringLiteral("fetch"), QStringLiteral("--preview")}).json();
    QCOMPARE(preview.value(QStringLiteral("seen")).toInt(), seen);
    QVERIFY(text({QStringLiteral("retry"), run, QStringLiteral("fetch"), QStringLiteral("--preview")})
                .contains("with --expect " + QByteArray::number(seen)));
    // Somebody else gives the step another input: the step is not what was looked at.
    QCOMPARE(cairn({QStringLiteral("amend"), run, QStringLiteral("fetch"), QStringLiteral("--input"),
                       QStringLiteral("{}")})
                 .code,
        0);
    const int amended = version(run);
    QVERIFY(amended > seen);
    const Answer stale = expecting(words("skip RUN fetch"), seen);
    QCOMPARE(stale.code, 5);
    QVERIFY2(stale.out.contains("has changed since it was shown"), stale.out.constData());
    QCOMPARE(expecting(words("skip RUN fetch --preview"), seen).code, 5);
    QCOMPARE(version(run), amended);
    // A deadline goes by the run's control, which that did not touch.
    QCOMPARE(expecting(words("deadline RUN 1h"), seen).code, 0);
    QCOMPARE(expecting(words("cancel RUN"), amended).code, 5);
    QCOMPARE(expecting(words("skip RUN fetch"), amended).code, 0);
    // What there is not is said.
    const int now = version(run);
    QCOMPARE(expecting(words("retry RUN fetch"), now + 1).code, 2);
    QCOMPARE(expecting(words("takeover RUN"), now).code, 2);
    QCOMPARE(expecting(words("takeover RUN use"), seen).code, 4);
    QCOMPARE(expecting(words("pause RUN"), now).code, 2);  // it depends on nothing
    QCOMPARE(version(run), now);
    QCOMPARE(cairn(words("verify")).code, 0);
}

// Who heard no answer gives the same command again.
void TestCliRepairs::anActIsDoneOnceUnderItsId()
{
    const QString run = startAsk(QStringLiteral("once"));
    const QString other = startAsk(QStringLiteral("other"));
    const QStringList id{QStringLiteral("--command"), QStringLiteral("01a22b3c-0000-7000-8000-000000000007")};
    const QStringList pause{QStringLiteral("pause"), run};
    const Answer first = cairn(pause + id);
    QCOMPARE(first.code, 0);
    QCOMPARE(first.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("committed"));
    QCOMPARE(cairn({QStringLiteral("resume"), run}).code, 0);
    const int resumed = version(run);
    const Answer again = cairn(pause + id);
    QCOMPARE(again.code, 0);
    QCOMPARE(again.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("repeated"));
    QCOMPARE(again.json().value(QStringLiteral("version")), first.json().value(QStringLiteral("version")));
    QCOMPARE(version(run), resumed);  // it was resumed after that, and stays so
    // A fork is one new run.
    const QStringList fork{QStringLiteral("fork"), run, QStringLiteral("--from"), QStringLiteral("1")};
    const QStringList forkId{
        QStringLiteral("--command"), QStringLiteral("01a22b3c-0000-7000-8000-000000000008")};
    const Answer forked = cairn(fork + forkId);
    QCOMPARE(forked.code, 0);
    QCOMPARE(forked.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("committed"));
    const Answer twice = cairn(fork + forkId);
    QCOMPARE(twice.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("repeated"));
    QCOMPARE(twice.json().value(QStringLiteral("run")), forked.json().value(QStringLiteral("run")));
    // One id is one act on one run.
    QCOMPARE(cairn(QStringList{QStringLiteral("pause"), run, other} + id).code, 2);
    QCOMPARE(
        cairn({QStringLiteral("pause"), run, QStringLiteral("--command"), QStringLiteral("mine")}).code, 2);
    QCOMPARE(version(run), resumed);
}

QTEST_GUILESS_MAIN(TestCliRepairs)
#include "tst_cli_repairs.moc"
