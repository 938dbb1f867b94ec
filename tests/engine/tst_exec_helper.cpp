// What an engine needs of its own to run programs, and what it says where that lacks.

#include "core/engine/command_executor.h"
#include "core/engine/exec_helper.h"
#include "core/engine/http_executor.h"
#include "tests/support/cairn_qtest.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace cairn;

namespace {

struct Bench {
    boost::asio::io_context io;
    SystemClock clock;
    std::vector<AttemptResult> results;

    template<typename E> void listen(E& executor)
    {
        executor.onFinished([this](AttemptResult result) { results.push_back(std::move(result)); });
    }
    bool runUntil(std::size_t count)
    {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (results.size() < count && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(std::chrono::milliseconds(20));
        }
        return results.size() >= count;
    }
};

StartOrder order(const std::string& settings)
{
    StartOrder o;
    o.attempt.bytes[0] = 1;
    o.run.bytes[0] = 1;
    o.step = "step";
    o.tool = "tool";
    o.safety = ReplaySafety::Irreversible;
    o.effectKey = "key";
    o.settings = settings;
    o.input = "null";
    return o;
}

// While it lives the process can open no descriptor more.
class NoDescriptors {
public:
    NoDescriptors()
    {
        ::getrlimit(RLIMIT_NOFILE, &m_before);
        const int next = ::fcntl(0, F_DUPFD_CLOEXEC, 0);
        ::close(next);
        rlimit none = m_before;
        none.rlim_cur = static_cast<rlim_t>(next);
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &m_before); }

private:
    rlimit m_before{};
};

void write(const QString& path, const QByteArray& text, bool mayRun)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s", qPrintable(path));
    file.close();
    const auto mine = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
    if (!file.setPermissions(mayRun ? mine | QFileDevice::ExeOwner : mine))
        qFatal("%s", qPrintable(path));
}

}  // namespace

class TestExecHelper : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itIsFoundBesideTheProgramOrNotAtAll();
    void aHelperThatIsGoneIsNoFailureOfTheTool();
    void aFullTableOfDescriptorsIsNoFailureOfTheTool();
    void noSocketIsNoFailureOfTheTool();
    void whatCannotBeRunIsNamed_data();
    void whatCannotBeRunIsNamed();
};

void TestExecHelper::itIsFoundBesideTheProgramOrNotAtAll()
{
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("bin")));
    const std::string bin = folder.path().toStdString() + "/bin";
    const QString helper = folder.path() + QStringLiteral("/bin/cairn-exec");
    const auto missing = findExecHelper(bin);
    QVERIFY(!missing);
    QCOMPARE(missing.error().kind, ErrorKind::Refused);
    for (const std::string& told : {bin + "/cairn-exec (No such file or directory)",
             bin + "/../libexec/cairn/cairn-exec", std::string("Install the package whole")})
        QVERIFY2(missing.error().text.find(told) != std::string::npos, missing.error().text.c_str());
    write(helper, "#!/bin/sh\n", false);
    const auto locked = findExecHelper(bin);
    QVERIFY(!locked);
    QVERIFY2(locked.error().text.find("/bin/cairn-exec (Permission denied)") != std::string::npos,
        locked.error().text.c_str());
    QVERIFY(!checkExecHelper(helper.toStdString()));
    QVERIFY(!checkExecHelper(bin));  // a folder
    write(helper, "#!/bin/sh\n", true);
    QCOMPARE(*findExecHelper(bin), helper.toStdString());
    QVERIFY(checkExecHelper(helper.toStdString()));
    // Programs that were installed with the drill's helpers look where they are installed too.
    QVERIFY(QDir(folder.path()).mkpath(QStringLiteral("libexec/cairn")));
    const auto fromHelpers = findExecHelper(folder.path().toStdString() + "/libexec/cairn");
    QVERIFY2(fromHelpers, fromHelpers ? "" : fromHelpers.error().text.c_str());
    QVERIFY(QFileInfo(QString::fromStdString(*fromHelpers)).canonicalFilePath()
        == QFileInfo(helper).canonicalFilePath());
}

void TestExecHelper::aHelperThatIsGoneIsNoFailureOfTheTool()
{
    Bench bench;
    CommandExecutor executor(bench.io, CommandConfig{"/no/such/cairn-exec", {}});
    bench.listen(executor);
    executor.start(order(R"({"argv":["/bin/true"]})"));
    QCOMPARE(bench.results.size(), std::size_t(1));
    QCOMPARE(bench.results[0].failure, FailureClass::NotBegun);
    QCOMPARE(bench.results[0].effect, EffectKnowledge::NotHappened);
    QCOMPARE(bench.results[0].error,
        std::string("the engine's helper /no/such/cairn-exec cannot be run: No such file or directory"));
}

void TestExecHelper::aFullTableOfDescriptorsIsNoFailureOfTheTool()
{
    Bench bench;
    CommandExecutor executor(bench.io, CommandConfig{std::string(CAIRN_BIN_DIR) + "/cairn-exec", {}});
    bench.listen(executor);
    QTemporaryDir folder;
    StartOrder secret = order(R"({"argv":["/bin/true"]})");
    secret.secret = "file:" + folder.path().toStdString() + "/token";
    write(folder.path() + QStringLiteral("/token"), "abc", false);
    {
        const NoDescriptors none;
        executor.start(order(R"({"argv":["/bin/true"]})"));
        executor.start(secret);
    }
    QCOMPARE(bench.results.size(), std::size_t(2));
    for (const AttemptResult& result : bench.results) {
        QCOMPARE(result.failure, FailureClass::NotBegun);
        QCOMPARE(result.effect, EffectKnowledge::NotHappened);
        QVERIFY2(result.error.find("Too many open files") != std::string::npos, result.error.c_str());
    }
    executor.start(order(R"({"argv":["/bin/true"]})"));
    QVERIFY(bench.runUntil(3));
    QCOMPARE(bench.results[2].kind, AttemptResult::Kind::Completed);
}

void TestExecHelper::noSocketIsNoFailureOfTheTool()
{
    Bench bench;
    HttpExecutor executor(bench.io, bench.clock, HttpConfig{});
    bench.listen(executor);
    bool ended = false;
    {
        const NoDescriptors none;
        executor.start(order(R"({"url":"http://127.0.0.1:9/"})"));
        ended = bench.runUntil(1);
    }
    QVERIFY(ended);
    QCOMPARE(bench.results[0].failure, FailureClass::NotBegun);
    QCOMPARE(bench.results[0].effect, EffectKnowledge::NotHappened);
    QVERIFY2(bench.results[0].error.find("Too many open files") != std::string::npos,
        bench.results[0].error.c_str());
}

void TestExecHelper::whatCannotBeRunIsNamed_data()
{
    QTest::addColumn<QString>("settings");
    QTest::addColumn<QString>("text");
    QTest::newRow("no program") << R"({"argv":["/no/such/program"]})"
                                << "the program /no/such/program cannot be run: No such file or directory";
    QTest::newRow("no folder") << R"({"argv":["/bin/true"],"cwd":"/no/such/folder"})"
                               << "the program /bin/true was not run, for its folder (cwd) /no/such/folder "
                                  "cannot be entered: No such file or directory";
    QTest::newRow("not to be run") << R"({"argv":["%1/text"]})"
                                   << "the program %1/text cannot be run: Permission denied";
    QTest::newRow("no interpreter")
        << R"({"argv":["%1/script"]})"
        << "the program %1/script cannot be run: it is there, and the interpreter "
           "that its first line names is not";
}

void TestExecHelper::whatCannotBeRunIsNamed()
{
    QFETCH(QString, settings);
    QFETCH(QString, text);
    QTemporaryDir folder;
    write(folder.path() + QStringLiteral("/text"), "a text\n", false);
    write(folder.path() + QStringLiteral("/script"), "#!/no/such/interpreter\n", true);
    const QString place = QStringLiteral("%1");
    Bench bench;
    CommandExecutor executor(bench.io, CommandConfig{std::string(CAIRN_BIN_DIR) + "/cairn-exec", {}});
    bench.listen(executor);
    executor.start(order(settings.replace(place, folder.path()).toStdString()));
    QVERIFY(bench.runUntil(1));
    QCOMPARE(bench.results[0].failure, FailureClass::Permanent);
    QCOMPARE(bench.results[0].effect, EffectKnowledge::NotHappened);
    QCOMPARE(QString::fromStdString(bench.results[0].error), text.replace(place, folder.path()));
}

QTEST_APPLESS_MAIN(TestExecHelper)
#include "tst_exec_helper.moc"
