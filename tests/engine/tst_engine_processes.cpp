// Real engine processes on one SQLite file: SIGKILL, takeover, several at once, drain.

#include "core/definition/parse.h"
#include "core/service/service.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/support/cairn_qtest.h"

#include <QTemporaryDir>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cairn;

namespace {

template<typename F> bool await(F condition, int seconds = 20)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until)
            return false;
        poll(nullptr, 0, 10);
    }
    return true;
}

struct Store {
    QTemporaryDir folder;
    SystemClock clock;
    SystemRng rng;
    std::string path = folder.path().toStdString() + "/store.db";
    std::unique_ptr<StoreWriter> store;
    std::unique_ptr<CommitQueue> queue;
    std::unique_ptr<Service> client;
    std::vector<pid_t> engines;

    Store()
    {
        if (const Status made = sqlite::initStore(path, {}); !made)
            qFatal("%s", made.error().text.c_str());
        auto opened = sqlite::openStore(path, {});
        if (!opened)
            qFatal("%s", opened.error().text.c_str());
        store = *std::move(opened);
        queue = makeInlineQueue(*store);
        client = std::make_unique<Service>(*store, *queue, clock, rng, ServiceConfig{});
    }
    ~Store()
    {
        for (const pid_t pid : engines) {
            kill(pid, SIGKILL);
            waitpid(pid, nullptr, 0);
        }
    }
    std::string file(const std::string& name) const { return folder.path().toStdString() + "/" + name; }
    pid_t engine()
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            qFatal("pipe");
        const std::string program = std::string(CAIRN_BIN_DIR) + "/engine_host";
        const std::string url = "sqlite:" + path;
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(ends[1], 1);
            execl(program.c_str(), program.c_str(), url.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        char word[64] = {};
        FILE* out = fdopen(ends[0], "r");
        if (!out || fscanf(out, "%63s", word) != 1 || std::string_view(word) != "ready")
            qFatal("engine_host does not start");
        fclose(out);
        engines.push_back(pid);
        return pid;
    }
    void add(const std::string& text)
    {
        const auto parsed = parseDefinition(text);
        for (const auto& d : parsed.diagnostics)
            if (d.severity == Severity::Error)
                qFatal("%s", diagnosticLine("test", d).c_str());
        WorkflowRow row;
        row.name = parsed.definition->ref.name;
        row.version = 1;
        row.digest = parsed.definition->ref.digest;
        row.text = text;
        row.addedAt = clock.wallMs();
        if (const Status added = store->addWorkflow(row); !added)
            qFatal("%s", added.error().text.c_str());
    }
    RunId start(const std::string& workflow)
    {
        Submission s;
        s.workflow = workflow;
        s.command.actor = {ActorKind::Caller, "test"};
        s.payloads.push_back(client->newPayload("null", "application/json"));
        cmd::Start start;
        start.input = s.payloads.back().ref;
        s.command.body = start;
        const Outcome outcome = client->submitAndWait(std::move(s));
        if (outcome.kind != Outcome::Kind::Committed)
            qFatal("start: %s %s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
        return outcome.run;
    }
    RunState load(const RunId& run)
    {
        auto state = client->load(run);
        if (!state)
            qFatal("%s", state.error().text.c_str());
        return *std::move(state);
    }
    bool closed(const RunId& run) { return load(run).closed; }
    std::size_t lines(const std::string& name) const
    {
        std::ifstream in(file(name));
        std::size_t count = 0;
        for (std::string line; std::getline(in, line);)
            ++count;
        return count;
    }
};

}  // namespace

class TestEngineProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void manyRunsOnThreeEnginesRunOnce();
    void aKilledEngineIsTakenOverWithinTwoSeconds();
    void termDrainsAndLosesNothing();
};

void TestEngineProcesses::manyRunsOnThreeEnginesRunOnce()
{
    Store s;
    s.add(R"({"schema":"urn:cairn:workflow:1","name":"mark","version":1,"tools":{
        "mark":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/sh","-c","echo $$CAIRN_RUN >> )"
        + s.file("marks") + R"("]}}},"steps":[{"name":"mark","tool":"mark"}]})");
    std::vector<RunId> runs;
    for (int i = 0; i < 20; ++i)
        runs.push_back(s.start("mark"));
    for (int i = 0; i < 3; ++i)
        s.engine();
    for (const RunId& run : runs)
        QVERIFY(await([&] { return s.closed(run); }));
    QCOMPARE(s.lines("marks"), std::size_t(20));
    for (const RunId& run : runs) {
        const auto problems = verifyRun(*s.store, run);
        CAIRN_VERIFY_OK(problems);
        QCOMPARE(problems->size(), std::size_t(0));
    }
}

void TestEngineProcesses::aKilledEngineIsTakenOverWithinTwoSeconds()
{
    Store s;
    // The first attempt waits for ever; the second one, of another engine, ends at once.
    s.add(R"({"schema":"urn:cairn:workflow:1","name":"wait","version":1,"tools":{
        "wait":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/sh","-c",
        "echo x >> )"
        + s.file("tries") + R"(; [ $$CAIRN_ATTEMPT_NUMBER -gt 1 ] || exec sleep 1000"]}}},
        "steps":[{"name":"wait","tool":"wait"}]})");
    const RunId run = s.start("wait");
    const pid_t first = s.engine();
    QVERIFY(await([&] { return s.lines("tries") == 1; }));
    s.engine();
    kill(first, SIGKILL);
    const auto began = std::chrono::steady_clock::now();
    QVERIFY(await([&] { return s.closed(run); }));
    const auto took = std::chrono::steady_clock::now() - began;
    QVERIFY2(took < std::chrono::seconds(2), "takeover on one host");
    QCOMPARE(s.load(run).steps[0].lost, 1U);
    QCOMPARE(s.lines("tries"), std::size_t(2));
}

void TestEngineProcesses::termDrainsAndLosesNothing()
{
    Store s;
    s.add(R"({"schema":"urn:cairn:workflow:1","name":"slow","version":1,"tools":{
        "slow":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/sh","-c",
        "echo x >> )"
        + s.file("done") + R"(; while [ ! -e )" + s.file("go") + R"( ]; do :; done; echo 1"]}}},
        "steps":[{"name":"slow","tool":"slow"}]})");
    const RunId run = s.start("slow");
    const pid_t engine = s.engine();
    QVERIFY(await([&] { return s.lines("done") == 1; }));
    kill(engine, SIGTERM);
    std::ofstream(s.file("go")) << "go";
    int status = 0;
    QVERIFY(await([&] { return waitpid(engine, &status, WNOHANG) == engine; }));
    s.engines.clear();
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    QVERIFY(s.closed(run));
    QCOMPARE(s.load(run).steps[0].state, StepState::Complete);
    const auto sessions = s.store->sessions(false);
    CAIRN_VERIFY_OK(sessions);
    QCOMPARE(sessions->size(), std::size_t(0));
}

QTEST_APPLESS_MAIN(TestEngineProcesses)
#include "tst_engine_processes.moc"
