// Results as large as they may be, and larger: nothing loads the value, so that the run can be looked at,
// cancelled, exported and removed on a small machine. Memory is each process's own peak, as the system
// counted it.

#include "tests/cli/cli_fixture.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr qint64 kLarge = 200'000'000;
constexpr qint64 kLimit = 268'435'456;             // of a payload
constexpr qint64 kPeakLimit = 96LL * 1024 * 1024;  // far below the value, far above what a small run takes
// Of the engine, which masks a result before it is stored: copies of it are in memory together.
constexpr qint64 kEngineLimit = 4 * kLarge;

// A step whose result has so many bytes, and an approval that its run then waits for.
QByteArray workflow(const char* name, qint64 bytes)
{
    return json("{'schema':'urn:cairn:workflow:1','name':'" + QByteArray(name)
        + "','version':1,'retention':{'keep_days':1},'tools':{'fetch':{'safety':'read_only','executor':'"
          "command',"
          "'settings':{'argv':['/bin/sh','-c','yes | head -c "
        + QByteArray::number(bytes)
        + "']}}},'steps':[{'name':'fetch','tool':'fetch','input':{}},"
          "{'name':'ask','kind':'approval','after':['fetch'],'input':{},'approval':{'role':'ops'}}]}");
}

}  // namespace

class TestCliLarge : public QObject, CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(
            cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
    }
    void c41_nothingLoadsALargeValue();
    void c41_aResultOverTheLimitFailsItsStep();

private:
    struct Measured {
        int code = -1;
        qint64 peak = 0;  // bytes of memory
        QByteArray out;   // its beginning
        qint64 size = 0;  // of all that it printed
    };
    Measured measured(const QStringList& arguments)
    {
        std::vector<QByteArray> words{
            CAIRN_BIN_DIR "/cairn", "--store", QByteArray("sqlite:") + m_store.toUtf8(), "--json"};
        for (const QString& argument : arguments)
            words.push_back(argument.toUtf8());
        std::vector<char*> argv;
        for (QByteArray& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        const QByteArray path = m_folder.filePath(QStringLiteral("printed")).toUtf8();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 1, path.constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        pid_t pid = -1;
        const int failed = posix_spawn(&pid, argv.front(), &actions, nullptr, argv.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        Measured result;
        int status = 0;
        rusage used{};
        if (failed != 0 || wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status))
            return result;
        result.code = WEXITSTATUS(status);
        result.peak = static_cast<qint64>(used.ru_maxrss) * 1024;
        QFile printed(QString::fromUtf8(path));
        if (printed.open(QIODevice::ReadOnly)) {
            result.size = printed.size();
            result.out = printed.read(64 * 1024);
        }
        return result;
    }
    // Runs it, and says what was not as it should be.
    QByteArray wrong(const QStringList& arguments, qint64 most = kPeakLimit)
    {
        const Measured done = measured(arguments);
        qInfo("%-60s exit %d, %4lld MiB", qPrintable(arguments.join(u' ').left(60)), done.code,
            static_cast<long long>(done.peak >> 20));
        if (done.code != 0)
            return arguments.join(u' ').toUtf8() + " ended with " + QByteArray::number(done.code) + ": "
                + done.out;
        if (done.peak > most)
            return arguments.join(u' ').toUtf8() + " took " + QByteArray::number(done.peak)
                + " bytes of memory";
        return {};
    }
    QString started(const QByteArray& definition)
    {
        return cairn({QStringLiteral("start"), file(QStringLiteral("large.json"), definition)})
            .json()
            .value(QStringLiteral("run"))
            .toString();
    }
    QJsonObject step(const QString& run)
    {
        return cairn({QStringLiteral("show"), run})
            .json()
            .value(QStringLiteral("step_list"))
            .toArray()
            .at(0)
            .toObject();
    }
};

void TestCliLarge::c41_nothingLoadsALargeValue()
{
    const QString run = started(workflow("large", kLarge));
    QVERIFY(!run.isEmpty());
    const QStringList engine{QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
        QStringLiteral("--until-idle")};
    QCOMPARE(wrong(engine, kEngineLimit), QByteArray());
    const QJsonObject output = step(run).value(QStringLiteral("output")).toObject();
    QCOMPARE(output.value(QStringLiteral("size")).toInteger(), kLarge);

    const QString bundle = m_folder.filePath(QStringLiteral("large.zip"));
    for (const QStringList& verb : {QStringList{QStringLiteral("list")},
             QStringList{QStringLiteral("why"), run}, QStringList{QStringLiteral("show"), run},
             QStringList{QStringLiteral("history"), run}, QStringList{QStringLiteral("context"), run},
             QStringList{QStringLiteral("cancel"), run, QStringLiteral("--preview")},
             QStringList{QStringLiteral("cancel"), run},
             QStringList{QStringLiteral("payload"), run, output.value(QStringLiteral("id")).toString()},
             engine, QStringList{QStringLiteral("verify"), run},
             QStringList{QStringLiteral("export"), run, QStringLiteral("-o"), bundle},
             QStringList{QStringLiteral("verify"), bundle},
             QStringList{QStringLiteral("export"), run, QStringLiteral("--html"), QStringLiteral("-o"),
                 m_folder.filePath(QStringLiteral("large.html"))}})
        QCOMPARE(wrong(verb), QByteArray());
    QCOMPARE(cairn({QStringLiteral("show"), run}).json().value(QStringLiteral("activity")).toString(),
        QStringLiteral("cancelled"));

    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("clock"), QStringLiteral("2d")}).code, 0);
    const qint64 before = QFileInfo(m_store).size();
    QVERIFY(before > kLarge);
    QCOMPARE(wrong({QStringLiteral("retention"), QStringLiteral("run"), QStringLiteral("--reason"),
                 QStringLiteral("as agreed with the auditors")}),
        QByteArray());
    QCOMPARE(cairn({QStringLiteral("show"), run}).code, 4);
}

void TestCliLarge::c41_aResultOverTheLimitFailsItsStep()
{
    const QString over = started(workflow("over", kLimit + 1));
    QCOMPARE(wrong({QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
                 QStringLiteral("--until-idle")}),
        QByteArray());
    const QJsonObject failed = step(over);
    QCOMPARE(failed.value(QStringLiteral("state")).toString(), QStringLiteral("failed"));
    QCOMPARE(failed.value(QStringLiteral("attempts")).toInt(), 1);  // typed: trying again would be no better
    const QByteArray why = text({QStringLiteral("why"), over});
    QVERIFY2(why.contains("256 MiB") || why.contains("268435456"), why.constData());
    QCOMPARE(wrong({QStringLiteral("cancel"), over}), QByteArray());
}

QTEST_APPLESS_MAIN(TestCliLarge)
#include "tst_cli_large.moc"
