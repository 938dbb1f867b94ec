// Executors against real processes and a provider that is one. Everything awaited has a deadline.

#include "core/engine/builtin_executor.h"
#include "core/engine/command_executor.h"
#include "core/engine/http_executor.h"
#include "tests/support/cairn_qtest.h"

#include <QTemporaryDir>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <poll.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cairn;

namespace {

std::string slurp(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool isAlive(pid_t pid)
{
    const std::string stat = slurp("/proc/" + std::to_string(pid) + "/stat");
    const auto end = stat.rfind(')');
    return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
}

// Waits for a condition that another process makes true.
template<typename F> bool await(F condition, int seconds = 20)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until)
            return false;
        poll(nullptr, 0, 5);
    }
    return true;
}

struct Bench {
    boost::asio::io_context io;
    SystemClock clock;
    std::vector<AttemptResult> results;

    std::unique_ptr<CommandExecutor> command(CommandLimits limits = {})
    {
        auto executor = std::make_unique<CommandExecutor>(
            io, CommandConfig{std::string(CAIRN_BIN_DIR) + "/cairn-exec", limits});
        executor->onFinished([this](AttemptResult result) { results.push_back(std::move(result)); });
        return executor;
    }
    bool runFor(const std::function<bool()>& done, int seconds = 30)
    {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
        while (!done() && std::chrono::steady_clock::now() < until) {
            io.restart();
            io.run_for(std::chrono::milliseconds(20));
        }
        return done();
    }
    bool runUntil(std::size_t count, int seconds = 30)
    {
        return runFor([&] { return results.size() >= count; }, seconds);
    }
};

StartOrder order(const std::string& settings, ReplaySafety safety = ReplaySafety::ReadOnly)
{
    static std::uint8_t next = 0;
    StartOrder o;
    o.attempt.bytes[0] = ++next;
    o.run.bytes[0] = 1;
    o.step = "step";
    o.tool = "tool";
    o.safety = safety;
    o.settings = settings;
    o.input = R"({"n":1})";
    if (writes(safety))
        o.effectKey = "key-1";
    return o;
}

std::string shell(const std::string& script)
{
    std::string escaped;
    for (const char c : script)
        escaped += c == '"' || c == '\\' ? std::string("\\") + c : c == '$' ? "$$" : std::string(1, c);
    return R"({"argv":["/bin/sh","-c",")" + escaped + R"("]})";
}

// The provider.
struct Provider {
    QTemporaryDir folder;
    pid_t pid = -1;
    std::string url;
    Provider()
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            qFatal("pipe");
        const std::string program = std::string(CAIRN_BIN_DIR) + "/cairn-effectd";
        const std::string file = ledger();
        pid = fork();
        if (pid == 0) {
            dup2(ends[1], 1);
            execl(program.c_str(), program.c_str(), file.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        FILE* out = fdopen(ends[0], "r");
        unsigned port = 0;
        if (!out || fscanf(out, "%u", &port) != 1)
            qFatal("cairn-effectd does not start");
        fclose(out);
        url = "http://127.0.0.1:" + std::to_string(port);
    }
    ~Provider()
    {
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    static void post(Bench& bench, HttpExecutor& http, const std::string& url, const std::string& body)
    {
        StartOrder o = order(R"({"url":")" + url + R"("})");
        o.input = body;
        http.start(o);
        bench.runUntil(bench.results.size() + 1);
    }
    std::string ledger() const { return folder.path().toStdString() + "/ledger"; }
    std::size_t lines() const
    {
        const std::string text = slurp(ledger());
        return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    }
};

}  // namespace

class TestExecutors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // As the engine's loop does: a tool that ends before it has read its input ends no engine.
    void initTestCase() { signal(SIGPIPE, SIG_IGN); }
    void exitCodes_data();
    void exitCodes();
    void theToolSeesInputAndEnvironment();
    void aSecretIsMasked();
    void largeOutputIsCapped();
    void ignoringTermIsKilled();
    void anEscapeeIsKilled();
    void noChildOutlivesAKilledEngine();
    void noToolOutlivesTheLeaseOfAStoppedEngine();
    void theLeaseEndsATool();
    void aRenewedLeaseKeepsTheTool();
    void anEndThatWasGivenAwayIsNotWaitedFor();
    void aSecretIsReadFromAFileOnly();
    void aLargeLookUpIsNotRead();
    void httpDoesOnceAndTellsWhatIsKnown();
    void aHeldAnswerComesWithTheNextMode();
};

void TestExecutors::exitCodes_data()
{
    QTest::addColumn<QString>("script");
    QTest::addColumn<int>("failure");  // 0: completed
    QTest::addColumn<int>("effect");   // of an irreversible tool
    const auto row = [](const char* name, const char* script, FailureClass failure, EffectKnowledge effect) {
        QTest::newRow(name) << script << static_cast<int>(failure) << static_cast<int>(effect);
    };
    QTest::newRow("done") << "echo 1" << 0 << 0;
    row("again", "echo later >&2; exit 75", FailureClass::Retryable, EffectKnowledge::NotHappened);
    row("credential", "exit 77", FailureClass::Credential, EffectKnowledge::NotHappened);
    row("input", "exit 65", FailureClass::Rejected, EffectKnowledge::NotHappened);
    row("final", "exit 1", FailureClass::Permanent, EffectKnowledge::Unknown);
    row("128+9", "exit 137", FailureClass::Crashed, EffectKnowledge::Unknown);
    row("signal", "kill -SEGV $$", FailureClass::Crashed, EffectKnowledge::Unknown);
}

void TestExecutors::exitCodes()
{
    QFETCH(QString, script);
    QFETCH(int, failure);
    QFETCH(int, effect);
    Bench bench;
    auto executor = bench.command();
    executor->start(order(shell(script.toStdString()), ReplaySafety::Irreversible));
    QVERIFY(bench.runUntil(1));
    const AttemptResult& result = bench.results[0];
    if (failure == 0) {
        QVERIFY(result.kind == AttemptResult::Kind::Completed);
        QCOMPARE(*result.output->all(), std::string("1\n"));
        return;
    }
    QVERIFY(result.kind == AttemptResult::Kind::Failed);
    QCOMPARE(static_cast<int>(result.failure), failure);
    QCOMPARE(static_cast<int>(result.effect), effect);
    QVERIFY(!result.error.empty());
    QVERIFY(!result.cancelled);
}

void TestExecutors::theToolSeesInputAndEnvironment()
{
    qputenv("CAIRN_TEST_SHOWN", "shown");
    qputenv("CAIRN_TEST_HIDDEN", "hidden");
    Bench bench;
    auto executor = bench.command();
    std::string settings = shell(
        "cat; echo \" $CAIRN_STEP $CAIRN_EFFECT_KEY $CAIRN_TEST_SHOWN[$CAIRN_TEST_HIDDEN]$(ulimit -c)\"");
    settings.insert(settings.size() - 1, R"(,"env":["CAIRN_TEST_SHOWN"])");
    executor->start(order(settings, ReplaySafety::Repeatable));
    executor->start(order(R"({"argv":["/no/such/program"]})", ReplaySafety::Irreversible));
    QVERIFY(bench.runUntil(2));
    for (const AttemptResult& result : bench.results) {
        if (result.kind == AttemptResult::Kind::Completed) {
            QCOMPARE(*result.output->all(), std::string("{\"n\":1} step key-1 shown[]0\n"));
        } else {
            QVERIFY(result.failure == FailureClass::Permanent);
            QVERIFY(result.effect == EffectKnowledge::NotHappened);
        }
    }
}

void TestExecutors::aSecretIsMasked()
{
    qputenv("CAIRN_TEST_TOKEN", "s3cr3t-canary");
    Bench bench;
    auto executor = bench.command();
    StartOrder good = order(shell("printf '%s' \"\\\"$CAIRN_SECRET\\\"\""));
    good.secret = "env:CAIRN_TEST_TOKEN";
    StartOrder bad = order(shell("echo $CAIRN_SECRET >&2; exit 1"));
    bad.secret = "env:CAIRN_TEST_TOKEN";
    StartOrder missing = order(shell("true"));
    missing.secret = "env:CAIRN_TEST_NO_SUCH";
    executor->start(good);
    executor->start(bad);
    executor->start(missing);
    QVERIFY(bench.runUntil(3));
    for (const AttemptResult& result : bench.results) {
        QVERIFY(result.error.find("canary") == std::string::npos);
        if (result.kind == AttemptResult::Kind::Completed)
            QCOMPARE(*result.output->all(), std::string("\"[secret]\""));
        else if (result.attempt == missing.attempt)
            QVERIFY(result.failure == FailureClass::Credential);
        else
            QCOMPARE(result.error, std::string("[secret]"));
    }
}

void TestExecutors::largeOutputIsCapped()
{
    Bench bench;
    CommandLimits limits;
    limits.output = 4 << 20;
    auto executor = bench.command(limits);
    executor->start(order(R"({"argv":["/usr/bin/head","-c","1073741824","/dev/zero"]})"));
    executor->start(order(R"({"argv":["/usr/bin/head","-c","1000000","/dev/zero"]})"));
    QVERIFY(bench.runUntil(2));
    for (const AttemptResult& result : bench.results) {
        if (result.kind == AttemptResult::Kind::Completed) {
            QCOMPARE(result.output->size(), std::uint64_t(1'000'000));
            QVERIFY(!result.output->inMemory());
        } else {
            QVERIFY(result.failure == FailureClass::TooLarge);
        }
    }
    QVERIFY(bench.results[0].kind != bench.results[1].kind);
}

void TestExecutors::ignoringTermIsKilled()
{
    Bench bench;
    CommandLimits limits;
    limits.grace = 100;
    auto executor = bench.command(limits);
    QTemporaryDir folder;
    const std::string mark = folder.path().toStdString() + "/mark";
    const StartOrder o = order(shell("trap '' TERM; touch " + mark + "; while :; do sleep 1; done"));
    executor->start(o);
    QVERIFY(await([&] {
        bench.io.restart();
        bench.io.run_for(std::chrono::milliseconds(5));
        return access(mark.c_str(), F_OK) == 0;
    }));
    executor->cancel(o.attempt);
    QVERIFY(bench.runUntil(1));
    QVERIFY(bench.results[0].cancelled);
}

void TestExecutors::anEscapeeIsKilled()
{
    Bench bench;
    auto executor = bench.command();
    QTemporaryDir folder;
    const std::string pidFile = folder.path().toStdString() + "/pid";
    executor->start(order(shell("setsid sh -c 'echo $$ > " + pidFile + ".t; mv " + pidFile + ".t " + pidFile
        + "; exec sleep 1000' & while [ ! -e " + pidFile + " ]; do :; done; echo done")));
    QVERIFY(bench.runUntil(1));
    QVERIFY(bench.results[0].kind == AttemptResult::Kind::Completed);
    const int pid = std::stoi(slurp(pidFile));
    QVERIFY(await([&] { return !isAlive(pid); }));
}

void TestExecutors::noChildOutlivesAKilledEngine()
{
    QTemporaryDir folder;
    const std::string pidFile = folder.path().toStdString() + "/pid";
    const pid_t engine = fork();
    if (engine == 0) {
        Bench bench;
        auto executor = bench.command();
        executor->start(order(shell("(setsid sleep 1000 & echo $! >> " + pidFile + ".t); echo $$ >> "
            + pidFile + ".t; mv " + pidFile + ".t " + pidFile + "; trap '' TERM; sleep 1000")));
        bench.runUntil(1, 60);
        _exit(0);
    }
    QVERIFY(await([&] { return access(pidFile.c_str(), F_OK) == 0; }));
    kill(engine, SIGKILL);
    waitpid(engine, nullptr, 0);
    std::istringstream pids(slurp(pidFile));
    int count = 0;
    for (int pid = 0; pids >> pid; ++count)
        QVERIFY(await([&] { return !isAlive(pid); }));
    QCOMPARE(count, 2);
}

// As a debugger, a suspend or a blocked call leave it: the engine does nothing, and its tool works on.
void TestExecutors::noToolOutlivesTheLeaseOfAStoppedEngine()
{
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/";
    const pid_t engine = fork();
    if (engine == 0) {
        Bench bench;
        auto executor = bench.command();
        const SpanMs ends = bench.clock.monotonicMs() + 4'000;
        executor->leaseEnds(ends);
        std::ofstream(base + "ends") << ends;
        executor->start(order(shell("trap '' TERM; echo $$ > " + base + "pid.t; mv " + base + "pid.t " + base
            + "pid; while :; do sleep 1; done")));
        raise(SIGSTOP);
        _exit(0);
    }
    int status = 0;
    QCOMPARE(waitpid(engine, &status, WUNTRACED), engine);
    QVERIFY(WIFSTOPPED(status));
    QVERIFY(await([&] { return access((base + "pid").c_str(), F_OK) == 0; }));
    const int pid = std::stoi(slurp(base + "pid"));
    QVERIFY(await([&] { return !isAlive(pid); }));
    QVERIFY(SystemClock().monotonicMs() >= std::stoll(slurp(base + "ends")));
    QCOMPARE(waitpid(engine, &status, WNOHANG | WCONTINUED), 0);  // it is stopped as before
    kill(engine, SIGKILL);
    waitpid(engine, nullptr, 0);
}

void TestExecutors::theLeaseEndsATool()
{
    Bench bench;
    auto executor = bench.command();
    executor->leaseEnds(bench.clock.monotonicMs() + 300);
    executor->start(order(shell("sleep 1000"), ReplaySafety::Irreversible));
    QVERIFY(bench.runUntil(1));
    QVERIFY(bench.results[0].kind == AttemptResult::Kind::Failed);
    QVERIFY(bench.results[0].effect == EffectKnowledge::Unknown);
    QVERIFY2(bench.results[0].error.find("lease") != std::string::npos, bench.results[0].error.c_str());
    executor->leaseEnds(0);
    executor->start(order(shell("sleep 1000")));
    QVERIFY(bench.runUntil(2));
    QVERIFY(bench.results[1].kind == AttemptResult::Kind::Failed);
}

void TestExecutors::aRenewedLeaseKeepsTheTool()
{
    Bench bench;
    auto executor = bench.command();
    QTemporaryDir folder;
    const std::string go = folder.path().toStdString() + "/go";
    const std::string begun = folder.path().toStdString() + "/begun";
    const SpanMs first = bench.clock.monotonicMs() + 4'000;
    executor->leaseEnds(first);
    executor->start(
        order(shell("echo > " + begun + "; while [ ! -e " + go + " ]; do sleep 0.05; done; echo done")));
    QVERIFY(await([&] { return access(begun.c_str(), F_OK) == 0; }));
    executor->leaseEnds(bench.clock.monotonicMs() + 600'000);
    QVERIFY(await([&] { return bench.clock.monotonicMs() > first + 200; }));
    std::ofstream(go) << "go";
    QVERIFY(bench.runUntil(1));
    QVERIFY(bench.results[0].kind == AttemptResult::Kind::Completed);
}

void TestExecutors::anEndThatWasGivenAwayIsNotWaitedFor()
{
    Bench bench;
    auto executor = bench.command();
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/";
    executor->start(order(shell("echo $$ > " + base + "pid.t; mv " + base + "pid.t " + base
        + "pid; while [ ! -e " + base + "go ]; do :; done; echo 7")));
    QVERIFY(await([&] { return access((base + "pid").c_str(), F_OK) == 0; }));
    // What somebody has to whom the tool passed its standard output.
    const int kept = open(
        ("/proc/" + std::to_string(std::stoi(slurp(base + "pid"))) + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC);
    QVERIFY(kept >= 0);
    std::ofstream(base + "go") << "go";
    QVERIFY(bench.runUntil(1));
    close(kept);
    QVERIFY(bench.results[0].kind == AttemptResult::Kind::Completed);
    QCOMPARE(*bench.results[0].output->all(), std::string("7\n"));
}

void TestExecutors::aSecretIsReadFromAFileOnly()
{
    Bench bench;
    auto executor = bench.command();
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString() + "/";
    QCOMPARE(mkfifo((base + "pipe").c_str(), 0600), 0);
    std::ofstream(base + "large") << std::string(64 * 1024 + 1, 'x');
    std::ofstream(base + "right") << std::string(64 * 1024 - 1, 'x') << '\n';
    std::size_t count = 0;
    for (const std::string name : {"pipe", "large", "none", "."}) {
        StartOrder o = order(shell("echo 1"));
        o.secret = "file:" + base + name;
        executor->start(o);  // answers at once: nothing is waited for
        QCOMPARE(bench.results.size(), ++count);
        QVERIFY2(bench.results.back().failure == FailureClass::Credential, name.c_str());
    }
    StartOrder o = order(shell("echo ${#CAIRN_SECRET}"));
    o.secret = "file:" + base + "right";
    executor->start(o);
    QVERIFY(bench.runUntil(count + 1));
    QCOMPARE(*bench.results.back().output->all(), std::string("65535\n"));
}

void TestExecutors::aLargeLookUpIsNotRead()
{
    Bench bench;
    auto executor = bench.command();
    StartOrder o = order(shell("echo '{\"happened\":true,\"output\":\"'; head -c 2000000 /dev/zero | tr "
                               "'\\0' x; echo '\"}'"),
        ReplaySafety::Irreversible);
    o.purpose = Purpose::LookUp;
    executor->start(o);
    QVERIFY(bench.runUntil(1));
    QVERIFY(bench.results[0].kind == AttemptResult::Kind::LookedUp);
    QVERIFY(bench.results[0].verdict == EffectKnowledge::Unknown);
    QVERIFY2(bench.results[0].evidence.find("at most 1 MiB") != std::string::npos,
        bench.results[0].evidence.c_str());
}

void TestExecutors::httpDoesOnceAndTellsWhatIsKnown()
{
    Provider provider;
    Bench bench;
    HttpExecutor http(bench.io, bench.clock, {});
    http.onFinished([&](AttemptResult result) { bench.results.push_back(std::move(result)); });
    const auto call = [&](const std::string& path, Purpose purpose = Purpose::Do,
                          const std::string& key = "key 1/ü") {
        StartOrder o = order(R"({"url":")" + provider.url + path + R"("})", ReplaySafety::Irreversible);
        o.effectKey = key;
        o.purpose = purpose;
        http.start(o);
        const std::size_t want = bench.results.size() + 1;
        if (!bench.runUntil(want))
            qFatal("no answer");
        return bench.results.back();
    };
    using Kind = AttemptResult::Kind;
    QVERIFY(call("/payments").kind == Kind::Completed);
    QVERIFY(call("/payments").kind == Kind::Completed);
    QCOMPARE(provider.lines(), std::size_t(1));  // by its key, once
    QCOMPARE(call("/payments/${key}", Purpose::LookUp).verdict, EffectKnowledge::Happened);
    QCOMPARE(call("/payments/${key}", Purpose::LookUp, "other").verdict, EffectKnowledge::NotHappened);

    Provider::post(bench, http, provider.url + "/mode/pay", "do-then-drop@1");
    const AttemptResult dropped = call("/do/pay", Purpose::Do, "k2");
    QVERIFY(dropped.kind == Kind::Failed);
    QCOMPARE(dropped.effect, EffectKnowledge::Unknown);
    QCOMPARE(call("/seen/${key}", Purpose::LookUp, "k2").verdict, EffectKnowledge::Happened);
    QCOMPARE(provider.lines(), std::size_t(2));  // not sent twice by libcurl

    Provider::post(bench, http, provider.url + "/mode/pay", "429:30@1");
    const AttemptResult limited = call("/do/pay", Purpose::Do, "k3");
    QCOMPARE(limited.failure, FailureClass::RateLimited);
    QCOMPARE(limited.retryAfter, SpanMs(30'000));
    QCOMPARE(limited.effect, EffectKnowledge::NotHappened);

    StartOrder refused = order(R"({"url":"http://127.0.0.1:1/"})", ReplaySafety::Irreversible);
    http.start(refused);
    QVERIFY(bench.runUntil(bench.results.size() + 1));
    QCOMPARE(bench.results.back().failure, FailureClass::Retryable);
    QCOMPARE(bench.results.back().effect, EffectKnowledge::NotHappened);
}

// What the drill relies on: the effect is done at once, its answer comes when another mode is set, and no
// earlier.
void TestExecutors::aHeldAnswerComesWithTheNextMode()
{
    Provider provider;
    Bench bench;
    HttpExecutor http(bench.io, bench.clock, {});
    http.onFinished([&](AttemptResult result) { bench.results.push_back(std::move(result)); });
    const auto call = [&](const std::string& key) {
        StartOrder o = order(R"({"url":")" + provider.url + R"(/do/pay"})", ReplaySafety::Irreversible);
        o.effectKey = key;
        http.start(o);
        return o.attempt;
    };
    const auto ended = [&](const AttemptId& attempt) {
        return std::any_of(bench.results.begin(), bench.results.end(),
            [&](const AttemptResult& result) { return result.attempt == attempt; });
    };
    Provider::post(bench, http, provider.url + "/mode/pay", "hold@1");
    const AttemptId held = call("k1");
    QVERIFY(bench.runFor([&] { return provider.lines() == 1; }));  // it met the mode: the next does not
    const AttemptId free = call("k2");
    QVERIFY(bench.runFor([&] { return ended(free); }));
    QVERIFY(!ended(held));
    Provider::post(bench, http, provider.url + "/mode/pay", "ok");
    QVERIFY(bench.runFor([&] { return ended(held); }));
    QCOMPARE(provider.lines(), std::size_t(2));
}

QTEST_APPLESS_MAIN(TestExecutors)
#include "tst_executors.moc"
