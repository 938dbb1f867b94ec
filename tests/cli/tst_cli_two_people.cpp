// What two people do together on one store, each with a user id of his own: needs the right to become another
// user, which says why where it is missing.

#include "tests/cli/cli_fixture.h"

#include <QtCore/QStandardPaths>

#include <unistd.h>

namespace {

constexpr int kNobody = 65534;

const QByteArray kTwoResume = json("{'schema':'urn:cairn:policy:1','rules':[\n"
                                   " {'verbs':['resume'],'people':2,'expires':'1h'}]}");

}  // namespace

class TestCliTwoPeople : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void theAuthorCannotConfirmUnderAnyName();
    void anotherConfirmsWhatHeSawOnce();
    void whatHasChangedIsNotConfirmed();
    void anExpiredActIsNotConfirmed();
    void anotherClosesTheReview();
    void eachConsentOfAnApprovalIsOnRecord();

private:
    struct Proposed {
        QString act;
        QString digest;
    };
    // The second person: the program, copied to where he may read it, under his user id.
    Answer other(const QStringList& arguments)
    {
        QProcess process;
        const QString self = QStringLiteral("%1").arg(kNobody);
        process.start(QStringLiteral("setpriv"),
            QStringList{QStringLiteral("--reuid"), self, QStringLiteral("--regid"), self,
                QStringLiteral("--clear-groups"), QStringLiteral("env"),
                QStringLiteral("XDG_STATE_HOME=") + m_folder.filePath(QStringLiteral("other")),
                m_folder.filePath(QStringLiteral("cairn")), QStringLiteral("--store"),
                QStringLiteral("sqlite:") + m_store, QStringLiteral("--json")}
                + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    QString field(const Answer& answer, const char* name)
    {
        return answer.json().value(QLatin1String(name)).toString();
    }
    Proposed proposed()
    {
        const Answer answer = cairn({QStringLiteral("resume"), m_run, QStringLiteral("--reason"),
            QStringLiteral("the bank is back again")});
        return {field(answer, "command"), field(answer, "digest")};
    }
    Answer confirm(const Proposed& act)
    {
        return other({QStringLiteral("acts"), QStringLiteral("confirm"), act.act, QStringLiteral("--digest"),
            act.digest});
    }
    bool paused()
    {
        return cairn({QStringLiteral("show"), m_run}).json().value(QStringLiteral("activity"))
            == QStringLiteral("paused");
    }

    QString m_run;
};

void TestCliTwoPeople::initTestCase()
{
    if (::geteuid() != 0)
        QSKIP("only root may become another user here: there is no second user id to be had");
    if (QStandardPaths::findExecutable(QStringLiteral("setpriv")).isEmpty())
        QSKIP("there is no program setpriv here (util-linux), which gives a second user id");
    const QString copy = m_folder.filePath(QStringLiteral("cairn"));
    QVERIFY(QFile::copy(QStringLiteral(CAIRN_BIN_DIR "/cairn"), copy));
    const auto everybody = QFileDevice::ReadOwner | QFileDevice::ExeOwner | QFileDevice::ReadOther
        | QFileDevice::ExeOther | QFileDevice::ReadGroup | QFileDevice::ExeGroup;
    QVERIFY(QFile::setPermissions(copy, everybody));
    QVERIFY(QFile::setPermissions(m_folder.path(),
        everybody | QFileDevice::WriteOwner | QFileDevice::WriteGroup | QFileDevice::WriteOther));
}

// A paused run, in a store that both may write, and that wants two people to resume it.
void TestCliTwoPeople::init()
{
    freshStore();
    QCOMPARE(
        cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
    QVERIFY(QFile::setPermissions(m_store,
        QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ReadGroup | QFileDevice::WriteGroup
            | QFileDevice::ReadOther | QFileDevice::WriteOther));
    m_run = startAsk(QStringLiteral("k"));
    QVERIFY(!m_run.isEmpty());
    QCOMPARE(cairn({QStringLiteral("pause"), m_run}).code, 0);
    QCOMPARE(
        cairn({QStringLiteral("policy"), QStringLiteral("set"), file(QStringLiteral("p.json"), kTwoResume)})
            .code,
        0);
}

void TestCliTwoPeople::theAuthorCannotConfirmUnderAnyName()
{
    const Proposed act = proposed();
    const Answer own = cairn({QStringLiteral("--as"), QStringLiteral("nobody"), QStringLiteral("acts"),
        QStringLiteral("confirm"), act.act, QStringLiteral("--digest"), act.digest});
    QCOMPARE(own.code, 1);
    QCOMPARE(
        field(own, "text"), QStringLiteral("who proposed an act cannot confirm it: somebody else has to"));
    QVERIFY2(field(own, "what_next").contains(QStringLiteral("`cairn policy show`")), own.out.constData());
    QVERIFY(paused());
}

void TestCliTwoPeople::anotherConfirmsWhatHeSawOnce()
{
    const Proposed act = proposed();
    const Answer blind = confirm({act.act, QString(64, u'0')});
    QCOMPARE(blind.code, 5);
    QVERIFY(
        field(blind, "text").contains(QStringLiteral("look again, and confirm the digest that is shown")));
    QVERIFY(field(blind, "what_next").startsWith(QStringLiteral("look again")));
    QVERIFY(paused());

    const Answer done = confirm(act);
    QVERIFY2(done.code == 0, (done.out + done.err).constData());
    QCOMPARE(field(done, "outcome"), QStringLiteral("committed"));
    QVERIFY(!paused());
    const QByteArray audit = cairn({QStringLiteral("audit"), QStringLiteral("list")}).out;
    QVERIFY2(audit.contains("\"kind\":\"confirmed\",\"verb\":\"act_confirm\",\"actor\":\"nobody\",\"login\":"
                            "\"uid 65534\""),
        audit.constData());
    QVERIFY(audit.contains("\\\"confirmed_by\\\":\\\"uid 65534\\\""));
    QVERIFY(audit.contains("\"kind\":\"proposed\",\"verb\":\"act_propose\""));
    // Beside the proposal, its confirmation and the act.
    QCOMPARE(audit.count("\"second\":\"confirmed\",\"second_login\":\"uid 65534\""), 3);

    // It was used. Paused again, it resumes nothing.
    QCOMPARE(cairn({QStringLiteral("pause"), m_run}).code, 0);
    const Answer again = confirm(act);
    QCOMPARE(again.code, 5);
    QVERIFY(field(again, "text").startsWith(QStringLiteral("the act is done, confirmed by uid 65534")));
    QVERIFY(paused());
}

void TestCliTwoPeople::whatHasChangedIsNotConfirmed()
{
    const Proposed act = proposed();
    QCOMPARE(cairn({QStringLiteral("deadline"), m_run, QStringLiteral("2h")}).code, 0);
    const Answer late = confirm(act);
    QCOMPARE(late.code, 5);
    QVERIFY(field(late, "text")
                .startsWith(
                    QStringLiteral("pause, deadline or budget of this run has changed since it was shown")));
    QVERIFY(field(late, "text").contains(QStringLiteral("let it be proposed again")));
    QVERIFY(paused());
    QCOMPARE(confirm(proposed()).code, 0);
    QVERIFY(!paused());
}

void TestCliTwoPeople::anExpiredActIsNotConfirmed()
{
    const Proposed act = proposed();
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("1h")}).code, 0);
    const Answer late = confirm(act);
    QCOMPARE(late.code, 5);
    QVERIFY(
        field(late, "text")
            .endsWith(QStringLiteral(", and expiry is never consent; nothing was done: propose it again")));
    QVERIFY(paused());
}

void TestCliTwoPeople::anotherClosesTheReview()
{
    const Answer alone = cairn({QStringLiteral("--break-glass"), QStringLiteral("resume"), m_run,
        QStringLiteral("--reason"), QStringLiteral("nobody else can be reached")});
    QCOMPARE(alone.code, 0);
    QVERIFY(!paused());
    const QStringList reviews{QStringLiteral("audit"), QStringLiteral("reviews")};
    const QString act = field(cairn(reviews), "command");
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("check")}).code, 1);
    const QStringList close{QStringLiteral("audit"), QStringLiteral("review"), act,
        QStringLiteral("--reason"), QStringLiteral("with the key AKIAABCDEFGHIJKLMNOP it was all right")};
    QCOMPARE(cairn(close).code, 1);  // who broke it
    QCOMPARE(other(close).code, 0);
    QVERIFY(cairn(reviews).out.isEmpty());
    const Answer closed = cairn(reviews + QStringList{QStringLiteral("--all")});
    QCOMPARE(field(closed, "closed_by"), QStringLiteral("uid 65534"));
    QCOMPARE(field(closed, "note"), QStringLiteral("with the key [masked: access key] it was all right"));
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("check")}).code, 0);
}

// Who said yes, when and why: of everybody, not only of the last.
void TestCliTwoPeople::eachConsentOfAnApprovalIsOnRecord()
{
    const QByteArray workflow = json(
        "{'schema':'urn:cairn:workflow:1','name':'both','version':1,'tools':{'pay':{'safety':'repeatable',"
        "'executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'pay','tool':'pay','input':{}"
        ","
        "'approval':{'role':'finance','needed':2}}]}");
    const QString run = field(cairn({QStringLiteral("start"), file(QStringLiteral("both.json"), workflow),
                                  QStringLiteral("--key"), QStringLiteral("b")}),
        "run");
    QVERIFY(!run.isEmpty());
    engineUntilIdle();
    const auto yes = [&](const char* reason) {
        return QStringList{
            QStringLiteral("approve"), run, QStringLiteral("--reason"), QString::fromUtf8(reason)};
    };
    const auto consents = [&] {
        return cairn({QStringLiteral("approvals"), run}).json().value(QStringLiteral("consents")).toArray();
    };
    QVERIFY(consents().isEmpty());
    QCOMPARE(cairn(yes("the offer is the cheapest")).code, 0);
    QCOMPARE(consents().size(), 1);
    const QByteArray waits = text({QStringLiteral("why"), run});
    QVERIFY2(waits.contains("1 of 2 given, by "), waits.constData());
    QCOMPARE(other(yes("the account is theirs")).code, 0);
    const QJsonArray both = consents();
    QCOMPARE(both.size(), 2);
    const auto of = [&](int which, const char* name) {
        return both.at(which).toObject().value(QLatin1String(name)).toString();
    };
    QCOMPARE(of(0, "reason"), QStringLiteral("the offer is the cheapest"));
    QCOMPARE(of(0, "login"), QStringLiteral("uid 0"));
    QCOMPARE(of(1, "reason"), QStringLiteral("the account is theirs"));
    QCOMPARE(of(1, "login"), QStringLiteral("uid %1").arg(kNobody));
    QVERIFY(!of(0, "at").isEmpty());
    const QByteArray listed = text({QStringLiteral("approvals"), run});
    QVERIFY2(listed.contains("\"the offer is the cheapest\"") && listed.contains("\"the account is theirs\""),
        listed.constData());
}

QTEST_APPLESS_MAIN(TestCliTwoPeople)
#include "tst_cli_two_people.moc"
