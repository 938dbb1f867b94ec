// Policies, acts that wait for a second person, break-glass and approvals, from the command line. One user id
// is one person here, whatever name it claims: what two do together is in tst_service_agreement.

#include "tests/cli/cli_fixture.h"

namespace {

QStringList words(const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); }

const QByteArray kTwoResume = json("{'schema':'urn:cairn:policy:1','rules':[\n"
                                   " {'verbs':['resume'],'people':2,'role':'ops','expires':'1h'}]}");

}  // namespace

class TestCliAgree : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(cairn(words("store init")).code, 0);
    }
    void aStoreBeginsWithoutAPolicy();
    void mistakesAreToldWithTheirPlace();
    void aPolicyIsSetAndShown();
    void oneWhoWasSlowerIsRefused();
    void anActIsProposedAndItsAuthorCannotConfirmIt();
    void anAuthorWithdraws();
    void theGlassIsBrokenLoudly();
    void approvalsAreListedAsRecords();

private:
    // A paused run, in a store that wants two people to resume it.
    QString paused()
    {
        const QString run = startAsk(QStringLiteral("k"));
        if (cairn({QStringLiteral("pause"), run}).code != 0
            || cairn({QStringLiteral("policy"), QStringLiteral("set"),
                         file(QStringLiteral("p.json"), kTwoResume)})
                    .code
                != 0)
            return {};
        return run;
    }
    QString field(const Answer& answer, const char* name)
    {
        return answer.json().value(QLatin1String(name)).toString();
    }
};

void TestCliAgree::aStoreBeginsWithoutAPolicy()
{
    const Answer shown = cairn(words("policy show"));
    QCOMPARE(shown.code, 0);
    QCOMPARE(shown.json().value(QStringLiteral("version")).toInt(), 0);
    QVERIFY(shown.json().value(QStringLiteral("login")).isNull());
    QVERIFY(field(shown, "text").contains(QStringLiteral("urn:cairn:policy:1")));
    QCOMPARE(cairn(words("policy show --version 1")).code, 4);
}

void TestCliAgree::mistakesAreToldWithTheirPlace()
{
    const QString wrong =
        file(QStringLiteral("wrong.json"), json("{'schema':'urn:cairn:policy:1',\n 'rules':[{'people':3}]}"));
    const Answer checked = cairn({QStringLiteral("policy"), QStringLiteral("check"), wrong});
    QCOMPARE(checked.code, 1);
    QCOMPARE(checked.json().value(QStringLiteral("line")).toInt(), 2);
    QCOMPARE(checked.json().value(QStringLiteral("column")).toInt(), 21);
    QCOMPARE(field(checked, "pointer"), QStringLiteral("/rules/0/people"));
    const Answer set = cairn({QStringLiteral("policy"), QStringLiteral("set"), wrong});
    QCOMPARE(set.code, 2);
    QCOMPARE(cairn(words("policy show")).json().value(QStringLiteral("version")).toInt(), 0);
    const Answer audit = cairn(words("audit list"));
    QVERIFY2(audit.out.contains("policy_set") && audit.out.contains("refused"), audit.out.constData());
}

void TestCliAgree::aPolicyIsSetAndShown()
{
    const QString good = file(QStringLiteral("p.json"), kTwoResume);
    QCOMPARE(cairn({QStringLiteral("policy"), QStringLiteral("check"), good}).code, 0);
    const QByteArray before = storeBytes();
    const Answer preview =
        cairn({QStringLiteral("policy"), QStringLiteral("set"), good, QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.out.contains("rule 1: not there"), preview.out.constData());
    QVERIFY(storeBytes() == before);
    const Answer set = cairn({QStringLiteral("policy"), QStringLiteral("set"), good});
    QCOMPARE(set.code, 0);
    QCOMPARE(field(set, "outcome"), QStringLiteral("committed"));
    const Answer shown = cairn(words("policy show"));
    QCOMPARE(shown.json().value(QStringLiteral("version")).toInt(), 1);
    QCOMPARE(field(shown, "text").toUtf8(), kTwoResume);
    QVERIFY(field(shown, "login").startsWith(QStringLiteral("uid ")));
}

void TestCliAgree::oneWhoWasSlowerIsRefused()
{
    const QString good = file(QStringLiteral("p.json"), kTwoResume);
    QCOMPARE(cairn({QStringLiteral("policy"), QStringLiteral("set"), good}).code, 0);
    const Answer slower = cairn({QStringLiteral("policy"), QStringLiteral("set"), good,
        QStringLiteral("--expect"), QStringLiteral("0")});
    QCOMPARE(slower.code, 5);
    QVERIFY2(slower.out.contains("the policy has version 1, set by uid "), slower.out.constData());
    QCOMPARE(cairn(words("policy show")).json().value(QStringLiteral("version")).toInt(), 1);
}

void TestCliAgree::anActIsProposedAndItsAuthorCannotConfirmIt()
{
    const QString run = paused();
    QVERIFY(!run.isEmpty());
    const Answer preview = cairn({QStringLiteral("resume"), run, QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QCOMPARE(preview.json().value(QStringLiteral("people")).toInt(), 2);
    const Answer proposed = cairn({QStringLiteral("resume"), run, QStringLiteral("--reason"),
        QStringLiteral("the bank is back again")});
    QCOMPARE(proposed.code, 0);
    QCOMPARE(field(proposed, "outcome"), QStringLiteral("proposed"));
    QVERIFY(field(proposed, "text").startsWith(QStringLiteral("1 of 2, waiting for role ops, expires ")));
    const QString act = field(proposed, "command");
    const QString digest = field(proposed, "digest");
    QCOMPARE(digest.size(), 64);

    const Answer waiting = cairn(words("acts"));
    QCOMPARE(field(waiting, "command"), act);
    QCOMPARE(field(waiting, "digest"), digest);
    QCOMPARE(field(waiting, "role"), QStringLiteral("ops"));
    const Answer shown = cairn({QStringLiteral("acts"), QStringLiteral("show"), act});
    QCOMPARE(shown.code, 0);
    QVERIFY2(shown.out.contains("will_happen"), shown.out.constData());
    // What was not looked at is not confirmed, and another name does not make another person.
    QCOMPARE(cairn({QStringLiteral("acts"), QStringLiteral("confirm"), act}).code, 2);
    const Answer own = cairn({QStringLiteral("--as"), QStringLiteral("somebody-else"), QStringLiteral("acts"),
        QStringLiteral("confirm"), act, QStringLiteral("--digest"), digest});
    QCOMPARE(own.code, 1);
    QVERIFY2(own.out.contains("who proposed an act cannot confirm it"), own.out.constData());
    QVERIFY(cairn({QStringLiteral("show"), run}).out.contains("paused"));
    const Answer audit = cairn(words("audit list"));
    QVERIFY(audit.out.contains("act_confirm"));
    QVERIFY2(audit.out.contains("\"second\":\"waiting\",\"second_login\":null"), audit.out.constData());
}

void TestCliAgree::anAuthorWithdraws()
{
    const QString run = paused();
    const QString act = field(cairn({QStringLiteral("resume"), run}), "command");
    QVERIFY(!act.isEmpty());
    const QByteArray before = storeBytes();
    const Answer preview =
        cairn({QStringLiteral("acts"), QStringLiteral("withdraw"), act, QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QVERIFY2(preview.out.contains("withdrawn, and nobody carries it out; now it is 1 of 2, waiting for"),
        preview.out.constData());
    QVERIFY(storeBytes() == before);
    QCOMPARE(cairn({QStringLiteral("acts"), QStringLiteral("withdraw"), act}).code, 0);
    QVERIFY(cairn(words("acts")).out.isEmpty());
    const Answer again = cairn({QStringLiteral("acts"), QStringLiteral("withdraw"), act});
    QCOMPARE(again.code, 5);
    QVERIFY2(again.out.contains("the act is withdrawn by uid "), again.out.constData());
    QCOMPARE(
        cairn({QStringLiteral("acts"), QStringLiteral("withdraw"), act, QStringLiteral("--preview")}).code,
        5);
    QCOMPARE(cairn(words("acts show 0193b2aa-0000-7000-8000-000000000000")).code, 4);
    QCOMPARE(cairn(words("acts show nonsense")).code, 2);
}

void TestCliAgree::theGlassIsBrokenLoudly()
{
    const QString run = paused();
    const QStringList alone{
        QStringLiteral("--break-glass"), QStringLiteral("resume"), run, QStringLiteral("--reason")};
    QCOMPARE(cairn(alone + QStringList{QStringLiteral("short")}).code, 2);
    const Answer done = cairn(alone + QStringList{QStringLiteral("nobody else can be reached")});
    QCOMPARE(done.code, 0);
    QVERIFY(done.json().value(QStringLiteral("break_glass")).toBool());
    QVERIFY2(done.err.contains("THE GLASS WAS BROKEN"), done.err.constData());
    const Answer open = cairn(words("audit reviews"));
    QVERIFY(open.json().value(QStringLiteral("open")).toBool());
    const Answer audit = cairn(words("audit list"));
    QVERIFY2(audit.out.contains("\"second\":\"alone\",\"second_login\":null"), audit.out.constData());
    QCOMPARE(field(open, "verb"), QStringLiteral("resume"));
    const Answer own = cairn({QStringLiteral("audit"), QStringLiteral("review"), field(open, "command"),
        QStringLiteral("--reason"), QStringLiteral("it was all right")});
    QCOMPARE(own.code, 1);
    QVERIFY(cairn(words("audit reviews")).json().value(QStringLiteral("open")).toBool());
    QCOMPARE(cairn(words("store check")).code, 1);
}

void TestCliAgree::approvalsAreListedAsRecords()
{
    const QString run = startAsk(QStringLiteral("k"));
    engineUntilIdle();
    const Answer open = cairn(words("approvals"));
    QCOMPARE(field(open, "run"), run);
    QCOMPARE(field(open, "state"), QStringLiteral("pending"));
    QCOMPARE(field(open, "role"), QStringLiteral("finance"));
    QCOMPARE(open.json().value(QStringLiteral("needed")).toInt(), 1);
    QCOMPARE(field(open, "on_expiry"), QStringLiteral("expired"));
    QCOMPARE(
        open.json().value(QStringLiteral("content")).toObject().value(QStringLiteral("digest")).toString(),
        field(open, "digest"));
    QCOMPARE(
        cairn({QStringLiteral("reject"), run, QStringLiteral("--reason"), QStringLiteral("not this one")})
            .code,
        0);
    QVERIFY(cairn(words("approvals")).out.isEmpty());
    const Answer decided = cairn({QStringLiteral("approvals"), run});
    QCOMPARE(field(decided, "state"), QStringLiteral("rejected"));
    QCOMPARE(field(decided, "reason"), QStringLiteral("not this one"));
    QVERIFY(decided.json().value(QStringLiteral("content")).isNull());
}

QTEST_APPLESS_MAIN(TestCliAgree)
#include "tst_cli_agree.moc"
