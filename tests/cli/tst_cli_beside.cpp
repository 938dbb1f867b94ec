// What people keep beside a run, and what they do to what a run uses: hold, assign, note, takeover, slow.

#include "tests/cli/cli_fixture.h"

class TestCliBeside : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(run("store init").code, 0);
        m_run = startAsk(QStringLiteral("k"));
        QVERIFY(!m_run.isEmpty());
    }
    void aHoldIsShownFoundAndReleased();
    void aRunIsSomebodysUntilItIsNobodys();
    void aMaskedNoteIsPrintedByPayloadOnly();
    void nothingIsTakenFromNobody();
    void aResourceIsSlowedAndLeftAsTheWorkflowsSay();
    void slowingWaitsForTheSecondPersonThatThePolicyAsksFor();
    void actsOnTheStoreGoByWhatWasSeenAndAreDoneOnce();

private:
    // Words with blanks between them; # stands for the run.
    Answer run(const char* words)
    {
        QStringList all = QString::fromUtf8(words).split(QLatin1Char(' '));
        all.replaceInStrings(QStringLiteral("#"), m_run);
        return cairn(all);
    }
    QString m_run;
};

void TestCliBeside::aHoldIsShownFoundAndReleased()
{
    const Answer bare = run("hold #");
    QCOMPARE(bare.code, 2);
    QCOMPARE(run("show #").json().value(QStringLiteral("held")).toBool(true), false);
    QCOMPARE(run("hold # --until yesterday --reason disputed").code, 2);
    QCOMPARE(run("hold # --until 2h --reason disputed").code, 0);
    const QJsonObject shown = run("show #").json();
    QVERIFY(shown.value(QStringLiteral("held")).toBool());
    const QJsonObject hold = shown.value(QStringLiteral("hold")).toObject();
    QCOMPARE(hold.value(QStringLiteral("reason")).toString(), QStringLiteral("disputed"));
    QVERIFY(!hold.value(QStringLiteral("until")).isNull());
    QVERIFY(text({QStringLiteral("why"), m_run}).contains(": disputed"));
    QCOMPARE(run("list is:held").json().value(QStringLiteral("run")).toString(), m_run);
    QCOMPARE(run("hold # --off").code, 0);
    QVERIFY(run("list is:held").out.isEmpty());
    QVERIFY(run("show #").json().value(QStringLiteral("hold")).isNull());
    const QByteArray history = text({QStringLiteral("history"), m_run});
    QVERIFY2(history.contains("held: plans and retention leave it alone until "), history.constData());
    QVERIFY2(history.contains("released: plans and retention take it again"), history.constData());
}

void TestCliBeside::aRunIsSomebodysUntilItIsNobodys()
{
    QCOMPARE(run("assign # kim").code, 0);
    QCOMPARE(
        run("list assigned:kim").json().value(QStringLiteral("assigned")).toString(), QStringLiteral("kim"));
    QVERIFY(text({QStringLiteral("list")}).contains("assigned to kim"));
    QCOMPARE(run("assign # none").code, 0);
    QVERIFY(run("list assigned:kim").out.isEmpty());
    QVERIFY(run("show #").json().value(QStringLiteral("assignment")).isNull());
    QCOMPARE(run("list owner:me").code, 2);
}

void TestCliBeside::aMaskedNoteIsPrintedByPayloadOnly()
{
    QCOMPARE(run("note #").code, 2);
    QCOMPARE(run("note # called").code, 0);
    QCOMPARE(run("note # card-4711 --masked").code, 0);
    const QJsonArray notes = run("show #").json().value(QStringLiteral("notes")).toArray();
    QCOMPARE(notes.size(), 2);
    QCOMPARE(notes[0].toObject().value(QStringLiteral("text")).toString(), QStringLiteral("called"));
    const QJsonObject masked = notes[1].toObject();
    QVERIFY(masked.value(QStringLiteral("masked")).toBool());
    QVERIFY(masked.value(QStringLiteral("text")).isNull());
    for (const char* verb : {"show", "why", "history"})
        QVERIFY2(!text({QString::fromUtf8(verb), m_run}).contains("4711"), verb);
    const QString id =
        masked.value(QStringLiteral("payload")).toObject().value(QStringLiteral("id")).toString();
    QCOMPARE(text({QStringLiteral("payload"), m_run, id}), QByteArray("card-4711"));
    const QString number = QString::number(notes[0].toObject().value(QStringLiteral("note")).toInt());
    QCOMPARE(cairn({QStringLiteral("note"), m_run, QStringLiteral("--withdraw"), number}).code, 0);
    QCOMPARE(run("show #").json().value(QStringLiteral("notes")).toArray().size(), 1);
    QVERIFY(text({QStringLiteral("history"), m_run}).contains("called"));
    QCOMPARE(run("note # --withdraw 1").code, 4);
}

void TestCliBeside::nothingIsTakenFromNobody()
{
    const Answer free = run("takeover #");
    QCOMPARE(free.code, 0);
    QCOMPARE(free.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("no_change"));
    QCOMPARE(run("takeover # pay").code, 1);  // nobody works on it
    QCOMPARE(run("takeover # none").code, 4);
}

void TestCliBeside::aResourceIsSlowedAndLeftAsTheWorkflowsSay()
{
    QCOMPARE(run("slow bank 5/s").code, 4);
    const QByteArray limited = json(
        "{'schema':'urn:cairn:workflow:1','name':'pays','version':1,'tools':{'pay':{'safety':'repeatable',"
        "'executor':'builtin','settings':{'function':'echo'},'resource':'bank'}},"
        "'limits':{'bank':{'slots':4}},'steps':[{'name':'pay','tool':'pay','input':{}}]}");
    QCOMPARE(
        cairn({QStringLiteral("workflow"), QStringLiteral("add"), file(QStringLiteral("pays.json"), limited)})
            .code,
        0);
    QCOMPARE(run("slow bank fast").code, 2);
    QCOMPARE(run("slow bank hold").code, 2);
    QCOMPARE(run("slow bank 5/s --until 5m").code, 2);
    const QByteArray before = storeBytes();
    const Answer preview = run("slow bank 5/s --preview");
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.out.contains("at most 5 a second"), preview.out.constData());
    QVERIFY2(preview.out.contains("it is called by pays@1 pay"), preview.out.constData());
    QCOMPARE(storeBytes(), before);
    const QJsonObject slowed = run("slow bank 5/s --reason too-fast").json();
    QCOMPARE(slowed.value(QStringLiteral("per_second")).toInt(), 5);
    QVERIFY(slowed.value(QStringLiteral("audit")).toInt() > 0);
    const QJsonObject held = run("slow bank hold --until 10m").json();
    QVERIFY(!held.value(QStringLiteral("held_until")).isNull());
    const QJsonObject lifted = run("slow bank none").json();
    QCOMPARE(lifted.value(QStringLiteral("per_second")).toInt(-1), 0);
    QCOMPARE(lifted.value(QStringLiteral("slots")).toInt(), 4);
    QVERIFY(lifted.value(QStringLiteral("held_until")).isNull());
    const QByteArray audit = run("audit list").out;
    QCOMPARE(audit.count("\"verb\":\"slow\""), 3);
    QVERIFY(audit.contains("\"reason\":\"too-fast\""));
}

void TestCliBeside::slowingWaitsForTheSecondPersonThatThePolicyAsksFor()
{
    const QByteArray limited = json(
        "{'schema':'urn:cairn:workflow:1','name':'pays','version':1,'tools':{'pay':{'safety':'repeatable',"
        "'executor':'builtin','settings':{'function':'echo'},'resource':'bank'}},"
        "'steps':[{'name':'pay','tool':'pay','input':{}}]}");
    QCOMPARE(
        cairn({QStringLiteral("workflow"), QStringLiteral("add"), file(QStringLiteral("pays.json"), limited)})
            .code,
        0);
    const QByteArray policy = json("{'schema':'urn:cairn:policy:1','rules':[{'verbs':['slow'],'people':2}]}");
    QCOMPARE(
        cairn({QStringLiteral("policy"), QStringLiteral("set"), file(QStringLiteral("policy.json"), policy),
                  QStringLiteral("--reason"), QStringLiteral("two people slow")})
            .code,
        0);
    const Answer preview = run("slow bank 5/s --preview");
    QCOMPARE(preview.code, 0);
    QVERIFY2(
        preview.out.contains("it waits until somebody else confirms it: 2 people"), preview.out.constData());
    const Answer proposed = run("slow bank 5/s --reason too-fast");
    QCOMPARE(proposed.code, 0);
    QCOMPARE(proposed.json().value(QStringLiteral("outcome")).toString(), QStringLiteral("proposed"));
    const QString act = proposed.json().value(QStringLiteral("command")).toString();
    QCOMPARE(run("acts").json().value(QStringLiteral("verb")).toString(), QStringLiteral("slow"));
    QVERIFY(run("acts").json().value(QStringLiteral("run")).isNull());
    const Answer shown = cairn({QStringLiteral("acts"), QStringLiteral("show"), act});
    QCOMPARE(shown.code, 0);
    QVERIFY2(shown.out.contains("calls to bank begin at most 5 a second"), shown.out.constData());
    const Answer own = cairn({QStringLiteral("acts"), QStringLiteral("confirm"), act,
        QStringLiteral("--digest"), proposed.json().value(QStringLiteral("digest")).toString()});
    QCOMPARE(own.code, 1);
    QVERIFY2(own.out.contains("who proposed an act cannot confirm it"), own.out.constData());
    QCOMPARE(cairn({QStringLiteral("acts"), QStringLiteral("withdraw"), act}).code, 0);
    // Alone it is done by breaking the glass, which somebody else looks at.
    const Answer alone = run("--break-glass slow bank 5/s --reason nobody-else-can-be-reached");
    QCOMPARE(alone.code, 0);
    QVERIFY(alone.json().value(QStringLiteral("break_glass")).toBool());
    QVERIFY(run("audit reviews").out.contains("\"slow\""));
}

void TestCliBeside::actsOnTheStoreGoByWhatWasSeenAndAreDoneOnce()
{
    constexpr const char* kFirst = "01900000-0000-7000-8000-000000000001";
    constexpr const char* kSecond = "01900000-0000-7000-8000-000000000002";
    constexpr const char* kThird = "01900000-0000-7000-8000-000000000003";
    const auto with = [&](const QByteArray& words, const char* id) {
        return run((words + " --command " + id).constData());
    };
    const auto said = [](const Answer& answer, const char* field) {
        return answer.json().value(QString::fromLatin1(field)).toVariant().toString();
    };
    const QByteArray limited = json(
        "{'schema':'urn:cairn:workflow:1','name':'pays','version':1,'tools':{'pay':{'safety':'repeatable',"
        "'executor':'builtin','settings':{'function':'echo'},'resource':'bank'}},"
        "'steps':[{'name':'pay','tool':'pay','input':{}}]}");
    QCOMPARE(
        cairn({QStringLiteral("workflow"), QStringLiteral("add"), file(QStringLiteral("pays.json"), limited)})
            .code,
        0);
    for (const char* wrong : {"5", "5,", ",0", "5,0,0", "a,b", "-5,0"})
        QCOMPARE(run((QByteArray("slow bank 5/s --expect ") + wrong).constData()).code, 2);
    QCOMPARE(with("slow bank 5/s", "4711").code, 2);

    QCOMPARE(said(run("slow bank 5/s --preview"), "expect"), QStringLiteral("0,0"));
    const Answer first = with("slow bank 5/s --expect 0,0", kFirst);
    QCOMPARE(first.code, 0);
    QCOMPARE(said(first, "per_second"), QStringLiteral("5"));
    QCOMPARE(said(run("slow bank 9/s --preview"), "expect"), QStringLiteral("5,0"));
    // The same again, where its answer was lost: whatever holds by now.
    const Answer again = with("slow bank 5/s --expect 0,0", kFirst);
    QCOMPARE(again.code, 0);
    QCOMPARE(said(again, "outcome"), QStringLiteral("repeated"));
    QCOMPARE(said(again, "audit"), said(first, "audit"));
    // Seen as it was before somebody changed it: refused. The same id may be given once it is seen as it is.
    const Answer stale = with("slow bank 7/s --expect 0,0", kSecond);
    QCOMPARE(stale.code, 5);
    QCOMPARE(run("slow bank 7/s --expect 0,0 --preview").code, 5);
    QCOMPARE(said(run("slow bank 9/s --preview"), "expect"), QStringLiteral("5,0"));
    QCOMPARE(said(with("slow bank 7/s --expect 5,0", kSecond), "per_second"), QStringLiteral("7"));
    QCOMPARE(said(run("slow bank 9/s --preview"), "expect"), QStringLiteral("7,0"));

    const QString policy =
        file(QStringLiteral("policy.json"), json("{'schema':'urn:cairn:policy:1','rules':[]}"));
    const auto set = [&](const char* id) {
        return cairn({QStringLiteral("policy"), QStringLiteral("set"), policy, QStringLiteral("--command"),
            QString::fromLatin1(id)});
    };
    const Answer another = set(kFirst);
    QCOMPARE(another.code, 2);
    QVERIFY2(another.out.contains("is that of another act"), another.out.constData());
    QCOMPARE(set(kThird).code, 0);
    const Answer repeated = set(kThird);
    QCOMPARE(repeated.code, 0);
    QCOMPARE(said(repeated, "outcome"), QStringLiteral("repeated"));
    QCOMPARE(said(run("policy show"), "version"), QStringLiteral("1"));
}

QTEST_APPLESS_MAIN(TestCliBeside)
#include "tst_cli_beside.moc"
