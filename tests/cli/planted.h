#pragma once
// Fifty secrets, planted through every door of the command line that takes a text. What leads out is read by
// who includes it: no secret is to be found there.

#include "tests/cli/cli_fixture.h"

// Text that shows itself (canary-*), and text that only stands where a listed name says so.
inline QString secret(int number)
{
    return (number % 2 == 1 ? QStringLiteral("canary-") : QStringLiteral("hush"))
        + QString::number(1000 + number) + QStringLiteral("x7q");
}
inline QString told(int number)
{
    return number % 2 == 1 ? QStringLiteral("it says ") + secret(number)
                           : QStringLiteral("with password=") + secret(number);
}
inline QString told(int number, const char* member)
{
    return QStringLiteral("{\"") + QLatin1String(member) + QStringLiteral("\":\"") + secret(number)
        + QStringLiteral("\"}");
}

// The second step's program prints a secret that its definition does not have in one piece, and fails.
inline const QByteArray kDoors =
    json("{'schema':'urn:cairn:workflow:1','name':'doors','version':1,'tools':{"
         "'note':{'safety':'read_only','executor':'builtin','settings':{'function':'echo'}},"
         "'says':{'safety':'read_only','executor':'command','resource':'bank','retry':{'attempts':1},"
         "'settings':{'argv':['/bin/sh','-c','printf can >&2; printf ary-1000x7q >&2; exit 1']}}},"
         "'steps':[{'name':'ask','tool':'note','input':{'$from':'input'},'approval':{'role':'finance','"
         "expires':'8h'}},"
         "{'name':'says','tool':'says'}]}");

inline const QByteArray kTwoResume = json("{'schema':'urn:cairn:policy:1','rules':[\n"
                                          " {'verbs':['resume'],'people':2,'expires':'1h'}]}");

class PlantedSecrets : protected CliFixture {
protected:
    // A new store with all of them.
    void plantAll()
    {
        freshStore();
        QCOMPARE(
            cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
        plant();
        QVERIFY(!m_run.isEmpty() && !m_other.isEmpty());
        QCOMPARE(m_secrets, 50);
    }
    // What stands around the first secret in it; empty: there is none.
    [[nodiscard]] QByteArray foundIn(const QByteArray& all) const
    {
        for (int number = 0; number <= m_secrets; ++number) {
            const auto at = all.indexOf(number == 0 ? QByteArray("canary-1000x7q") : secret(number).toUtf8());
            if (at >= 0)
                return all.mid(std::max<qsizetype>(0, at - 200), 260);
        }
        return {};
    }

    // An act with a secret as its reason; what it printed is looked through as well.
    Answer act(const char* words, const QStringList& more = {}, int code = 0)
    {
        QStringList arguments = QString::fromUtf8(words).split(QLatin1Char(' ')) + more;
        arguments << QStringLiteral("--reason") << told(++m_secrets);
        return said(arguments, code);
    }
    Answer said(const QStringList& arguments, int code = 0)
    {
        Answer answer = cairn(arguments);
        if (answer.code != code)
            qFatal("%s: %d %s%s", qPrintable(arguments.join(QLatin1Char(' '))), answer.code,
                answer.out.constData(), answer.err.constData());
        m_all += answer.out + answer.err;
        return answer;
    }
    // In both forms; whether there is anything to tell is another test's.
    void look(const QStringList& arguments)
    {
        const Answer answer = cairn(arguments);
        m_all += answer.out + answer.err + text(arguments);
    }
    QString field(const Answer& answer, const char* name)
    {
        return answer.json().value(QLatin1String(name)).toString();
    }
    QString start(const char* key)
    {
        const int first = m_secrets + 1;
        m_secrets += 2;
        const QString input = QStringLiteral("{\"note\":\"%1\",\"password\":\"%2\"}")
                                  .arg(first % 2 == 1 ? secret(first) : told(first), secret(first + 1));
        return field(said({QStringLiteral("start"), file(QStringLiteral("doors.json"), kDoors),
                         QStringLiteral("--key"), QLatin1String(key), QStringLiteral("--input"), input}),
            "run");
    }
    void engine()
    {
        said({QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
            QStringLiteral("--until-idle")});
    }
    void plant();
    void readFile(const QString& path)
    {
        QFile in(path);
        if (!in.open(QIODevice::ReadOnly))
            qFatal("%s cannot be read", qPrintable(path));
        m_all += in.readAll();
    }

    QByteArray m_all;
    int m_secrets = 0;
    QString m_run;
    QString m_other;
};

inline void PlantedSecrets::plant()
{
    act("retention never-store --key password --pattern canary-*");
    m_run = start("a");
    const QStringList run{m_run};
    act("pause", run);
    act("resume", run);
    act("hold", run);
    act("hold --off", run);
    said({QStringLiteral("note"), m_run, told(++m_secrets)});
    act("assign", {m_run, QStringLiteral("ann")});
    said({QStringLiteral("signal"), m_run, QStringLiteral("go"), QStringLiteral("--id"), QStringLiteral("1"),
        QStringLiteral("--data"), told(++m_secrets, "password")});
    act("deadline", {m_run, QStringLiteral("20h")});
    act("budget", {m_run, QStringLiteral("5 EUR")});
    act("slow bank 5/s");
    act("retention set doors --keep 30");
    act("retry", {m_run, QStringLiteral("nosuch")}, 4);
    act("plan stage pause", run);
    const QString plan = QJsonDocument::fromJson(
        said({QStringLiteral("plan"), QStringLiteral("list")}).out.split('\n').first())
                             .object()
                             .value(QStringLiteral("plan"))
                             .toString();
    act("plan start", {plan});
    act("plan abort", {plan});
    act("pause", run);
    act("policy set", {file(QStringLiteral("p.json"), kTwoResume)});
    const QString proposed = field(act("resume", run), "command");
    act("acts withdraw", {proposed});
    said({QStringLiteral("--break-glass"), QStringLiteral("resume"), m_run, QStringLiteral("--reason"),
        QStringLiteral("nobody else can be reached, ") + told(++m_secrets)});
    while (m_secrets < 37)
        said({QStringLiteral("note"), m_run, told(++m_secrets)});
    m_other = start("b");
    engine();
    act("reject", {m_other});
    act("approve", run);
    engine();
    act("record", {m_run, QStringLiteral("says"), QStringLiteral("--output"), told(++m_secrets, "password")});
    const QString third = start("c");
    act("fork", {m_run, QStringLiteral("--from"), QStringLiteral("1")});
    act("cancel", {third});
    act("redact", {third, QStringLiteral("--what"), QStringLiteral("reason")});
    act("store clock 1h");
    act("compensate", run, 1);
}
