// The command line on a PostgreSQL store with roles: what each login's acts come to, with an engine and
// without.

#include "tests/store/role_logins.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

namespace cairn::testing {

namespace {

struct Answer {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    [[nodiscard]] QString word(const char* name) const
    {
        return json().value(QLatin1String(name)).toString();
    }
};

const QByteArray kAsk = "{'schema':'urn:cairn:workflow:1','name':'ask','version':1,'tools':{},'steps':["
                        "{'name':'pay','kind':'approval','input':{},'approval':{'role':'finance'}}]}";

}  // namespace

class TestCliRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void anActWaitsForAnEngine();
    void anEngineCarriesItOut();
    void anActThatWaitsIsTakenBack();
    void anOperatorsPlanIsCarriedOutByEngines();
    void aBrokenGlassIsSeenUntilItWasReviewed();
    void whoMayOnlyReadIsToldSo();
    void rolesAreForServers();

private:
    Answer cairn(const std::string& login, const QStringList& arguments) const
    {
        QProcess process;
        const QString store = QString::fromStdString(m_roles.urlOf(login));
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            QStringList{QStringLiteral("--store"), store, QStringLiteral("--json")} + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    // Serves the store once this is done.
    void serve(QProcess& engine) const
    {
        engine.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            {QStringLiteral("--store"), QString::fromStdString(m_roles.urlOf("t_engine")),
                QStringLiteral("engine")});
        engine.setReadChannel(QProcess::StandardError);
        QVERIFY2(engine.waitForReadyRead(30'000), "it says that it serves the store");
    }
    static QStringList because(QStringList arguments)
    {
        return arguments + QStringList{QStringLiteral("--reason"), QStringLiteral("because of this test")};
    }

    RoleLogins m_roles;
    QTemporaryDir m_folder;
};

void TestCliRoles::init()
{
    m_roles.drop();
    const Answer made = cairn("cairn",
        {QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--guarded"),
            QStringLiteral("--roles")});
    QVERIFY2(made.code == 0, made.err.constData());
    QCOMPARE(made.json().value(QLatin1String("roles")).toBool(), true);
    m_roles.grantLogins();
    QFile file(m_folder.filePath(QStringLiteral("ask.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(kAsk).replace('\'', '"'));
    file.close();
    QCOMPARE(cairn("t_engine",
                 {QStringLiteral("start"), file.fileName(), QStringLiteral("--key"), QStringLiteral("k")})
                 .code,
        0);
}

void TestCliRoles::anActWaitsForAnEngine()
{
    const Answer left = cairn("t_operator", because({QStringLiteral("pause"), QStringLiteral("k")}));
    QVERIFY2(left.code == 0, left.err.constData());
    QCOMPARE(left.word("outcome"), QStringLiteral("staged"));
    QCOMPARE(left.word("text"), QStringLiteral("accepted, waits for an engine"));
    QCOMPARE(RawPg(m_roles.url).value("SELECT command FROM cairn.staged_acts").c_str(),
        qPrintable(left.word("command")));
    const Answer acts = cairn("t_auditor", {QStringLiteral("acts")});
    QCOMPARE(acts.code, 0);
    QCOMPARE(acts.word("command"), left.word("command"));
    QCOMPARE(acts.word("login"), QStringLiteral("t_operator"));
    QCOMPARE(acts.word("verb"), QStringLiteral("pause"));
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    for (const QString& name : left.json().keys() + acts.json().keys())
        QVERIFY2(text.contains('`' + name.toUtf8() + '`'), qPrintable(name));
    QVERIFY(text.contains("`staged`"));
}

void TestCliRoles::anEngineCarriesItOut()
{
    QProcess engine;
    serve(engine);
    const Answer paused = cairn("t_operator", because({QStringLiteral("pause"), QStringLiteral("k")}));
    QVERIFY2(paused.code == 0, paused.err.constData());
    QCOMPARE(paused.word("outcome"), QStringLiteral("committed"));
    // Refusals, by the rules and by the database.
    const Answer nowhere =
        cairn("t_operator", because({QStringLiteral("retry"), QStringLiteral("k"), QStringLiteral("none")}));
    QCOMPARE(nowhere.code, 4);
    QCOMPARE(nowhere.word("outcome"), QStringLiteral("rejected"));
    const Answer notHis = cairn("t_operator", because({QStringLiteral("approve"), QStringLiteral("k")}));
    QCOMPARE(notHis.code, 1);
    QVERIFY2(notHis.err.contains("cairn_approver"), notHis.err.constData());
    const Answer approved = cairn("t_approver", because({QStringLiteral("approve"), QStringLiteral("k")}));
    QVERIFY2(approved.code == 0, (approved.out + approved.err).constData());
    QCOMPARE(approved.word("outcome"), QStringLiteral("committed"));
    // The first entry is the adding of the workflow, which the engine's login did itself.
    const Answer audit = cairn("t_auditor",
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")});
    QVERIFY2(audit.out.contains("\"login\":\"t_operator\"") && audit.out.contains("\"login\":\"t_approver\"")
            && !audit.out.contains("\"login\":\"t_engine\""),
        audit.out.constData());
    const Answer sound = cairn("t_auditor", {QStringLiteral("store"), QStringLiteral("check")});
    QVERIFY2(sound.code == 0, sound.out.constData());
    engine.terminate();
    QVERIFY(engine.waitForFinished(30'000));
}

void TestCliRoles::anActThatWaitsIsTakenBack()
{
    const Answer left = cairn("t_operator", because({QStringLiteral("pause"), QStringLiteral("k")}));
    QCOMPARE(left.word("outcome"), QStringLiteral("staged"));
    const QStringList withdraw{QStringLiteral("acts"), QStringLiteral("withdraw"), left.word("command")};
    const QStringList preview = withdraw + QStringList{QStringLiteral("--preview")};
    const Answer others = cairn("t_both", preview);
    QCOMPARE(others.code, 1);
    QCOMPARE(others.word("text"),
        QStringLiteral(
            "only its author, t_operator, or an owner of the store withdraws an act that waits for "
            "an engine"));
    QCOMPARE(cairn("t_both", because(withdraw)).code, 1);
    const Answer seen = cairn("t_operator", preview);
    QVERIFY2(seen.code == 0, seen.out.constData());
    QCOMPARE(seen.json().value(QLatin1String("allowed")).toBool(), true);
    QCOMPARE(cairn("t_operator", withdraw).code, 2);  // a guarded store asks why
    const Answer taken = cairn("t_operator", because(withdraw));
    QVERIFY2(taken.code == 0, (taken.out + taken.err).constData());
    QCOMPARE(taken.word("text"), QStringLiteral("decided, waits for an engine"));
    const Answer again = cairn("t_operator", because(withdraw));
    QCOMPARE(again.code, 5);
    QVERIFY2(again.err.contains("the act is withdrawn by t_operator"), again.err.constData());
    QProcess engine;
    serve(engine);
    QTRY_VERIFY_WITH_TIMEOUT(cairn("t_auditor", {QStringLiteral("acts")}).out.isEmpty(), 30'000);
    const Answer audit = cairn("t_auditor",
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")});
    QVERIFY2(
        audit.out.contains("\"withdrawn\"") && !audit.out.contains("\"applied\""), audit.out.constData());
    engine.terminate();
    QVERIFY(engine.waitForFinished(30'000));
}

void TestCliRoles::anOperatorsPlanIsCarriedOutByEngines()
{
    QProcess engine;
    serve(engine);
    const QStringList stage{QStringLiteral("plan"), QStringLiteral("stage"), QStringLiteral("pause"),
        QStringLiteral("k"), QStringLiteral("--verify"), QStringLiteral("0")};
    const Answer staged = cairn("t_operator", because(stage));
    QVERIFY2(staged.code == 0, (staged.out + staged.err).constData());
    QCOMPARE(staged.word("state"), QStringLiteral("staged"));
    QCOMPARE(staged.word("login"), QStringLiteral("t_operator"));
    const auto order = [&](const std::string& login, const QString& verb) {
        return cairn(login, because({QStringLiteral("plan"), verb, staged.word("plan")}));
    };
    QCOMPARE(order("t_approver", QStringLiteral("start")).code, 1);
    QCOMPARE(order("t_viewer", QStringLiteral("start")).code, 1);
    QCOMPARE(order("t_operator", QStringLiteral("pause")).code, 1);  // it does not run yet
    const Answer started = order("t_operator", QStringLiteral("start"));
    QVERIFY2(started.code == 0, (started.out + started.err).constData());
    // It watches until an engine is done with it.
    const Answer run =
        cairn("t_operator", {QStringLiteral("plan"), QStringLiteral("run"), staged.word("plan")});
    QVERIFY2(run.code == 0, (run.out + run.err).constData());
    QCOMPARE(run.word("state"), QStringLiteral("closed"));
    QCOMPARE(run.json().value(QLatin1String("outcomes")).toObject().value(QLatin1String("done")).toInt(), 1);
    const Answer audit = cairn("t_auditor",
        {QStringLiteral("audit"), QStringLiteral("list"), QStringLiteral("--after"), QStringLiteral("1")});
    for (const char* kind : {"\"staged\"", "\"started\"", "\"applied\"", "\"finished\""})
        QVERIFY2(audit.out.contains(kind), audit.out.constData());
    const Answer sound = cairn("t_auditor", {QStringLiteral("store"), QStringLiteral("check")});
    QVERIFY2(sound.code == 0, sound.out.constData());
    engine.terminate();
    QVERIFY(engine.waitForFinished(30'000));
}

void TestCliRoles::aBrokenGlassIsSeenUntilItWasReviewed()
{
    const Answer left = cairn("t_breakglass", because({QStringLiteral("pause"), QStringLiteral("k")}));
    QVERIFY2(left.code == 0, left.err.constData());
    QCOMPARE(left.word("outcome"), QStringLiteral("staged"));
    const QString act = left.word("command");
    const Answer audit = cairn("t_auditor", {QStringLiteral("audit"), QStringLiteral("list")});
    QCOMPARE(audit.code, 0);
    QVERIFY2(
        audit.err.contains("1 act by break-glass that nobody else has looked at"), audit.err.constData());
    const Answer open = cairn("t_auditor", {QStringLiteral("audit"), QStringLiteral("reviews")});
    QCOMPARE(open.word("command"), act);
    QCOMPARE(open.word("login"), QStringLiteral("t_breakglass"));
    QCOMPARE(open.json().value(QLatin1String("open")).toBool(), true);
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/command-line.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    for (const QString& name : open.json().keys())
        QVERIFY2(text.contains('`' + name.toUtf8() + '`'), qPrintable(name));
    const Answer check =
        cairn("t_auditor", {QStringLiteral("store"), QStringLiteral("check"), QStringLiteral("--quick")});
    QCOMPARE(check.code, 1);
    QVERIFY2(check.out.contains("t_breakglass broke the glass"), check.out.constData());

    const QStringList review = {QStringLiteral("audit"), QStringLiteral("review"), act};
    QCOMPARE(cairn("t_approver", review).code, 2);  // a review says what was found
    QCOMPARE(cairn("t_breakglass", because(review)).code, 1);
    const Answer preview = cairn("t_approver", because(review + QStringList{QStringLiteral("--preview")}));
    QCOMPARE(preview.code, 0);
    QCOMPARE(preview.json().value(QLatin1String("allowed")).toBool(), true);
    const Answer closed = cairn("t_approver", because(review));
    QVERIFY2(closed.code == 0, closed.err.constData());
    QVERIFY(cairn("t_approver", because(review)).code != 0);
    QVERIFY(cairn("t_auditor", {QStringLiteral("audit"), QStringLiteral("reviews")}).out.isEmpty());
    const Answer all =
        cairn("t_auditor", {QStringLiteral("audit"), QStringLiteral("reviews"), QStringLiteral("--all")});
    QCOMPARE(all.word("closed_by"), QStringLiteral("t_approver"));
    QCOMPARE(all.word("note"), QStringLiteral("because of this test"));
    QVERIFY(
        !cairn("t_auditor", {QStringLiteral("audit"), QStringLiteral("list")}).err.contains("break-glass"));
    QCOMPARE(cairn("t_auditor", {QStringLiteral("store"), QStringLiteral("check"), QStringLiteral("--quick")})
                 .code,
        0);
}

void TestCliRoles::whoMayOnlyReadIsToldSo()
{
    const Answer refused = cairn("t_viewer", because({QStringLiteral("pause"), QStringLiteral("k")}));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("may only read"), refused.err.constData());
    const Answer preview = cairn(
        "t_viewer", because({QStringLiteral("pause"), QStringLiteral("k"), QStringLiteral("--preview")}));
    QVERIFY2(preview.code == 0, preview.err.constData());
    QCOMPARE(preview.json().value(QLatin1String("allowed")).toBool(), true);
    for (const char* verb : {"list", "why", "show", "history"}) {
        const QStringList run =
            verb == std::string("list") ? QStringList{} : QStringList{QStringLiteral("k")};
        const Answer read = cairn("t_viewer", QStringList{QLatin1String(verb)} + run);
        QVERIFY2(read.code == 0, read.err.constData());
    }
    QCOMPARE(cairn("t_viewer", {QStringLiteral("audit"), QStringLiteral("list")}).code, 1);
    QCOMPARE(cairn("t_nobody", {QStringLiteral("list")}).code, 3);
    QCOMPARE(cairn("t_operator", {QStringLiteral("engine")}).code, 1);
}

void TestCliRoles::rolesAreForServers()
{
    QProcess process;
    process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
        {QStringLiteral("--store"), QStringLiteral("sqlite:") + m_folder.filePath(QStringLiteral("s.db")),
            QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--roles")});
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 2);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::TestCliRoles)

#include "tst_cli_roles.moc"
