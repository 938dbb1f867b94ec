// Durable no-op steps per second: the whole path of decide, commit and acknowledge, with the executor taken out. Every
// step is one commit of its result, which also holds the start of the next step.

#include "core/definition/parse.h"
#include "core/service/service.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/figures.h"

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace {

using namespace cairn;
using namespace cairn::bench;

template<class T> T must(Result<T> result)
{
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().text.c_str());
        std::exit(1);
    }
    return std::move(*result);
}
void must(Status status)
{
    if (!status) {
        std::fprintf(stderr, "%s\n", status.error().text.c_str());
        std::exit(1);
    }
}

std::string chainWorkflow(const std::string& name, int steps, bool writing)
{
    std::string text = R"({"schema":"urn:cairn:workflow:1","name":")" + name + R"(","version":1,"tools":{"noop":{"contract":1,"safety":")"
        + (writing ? "repeatable" : "read_only") + R"(","executor":"builtin","settings":{"function":"noop"}}},"steps":[)";
    for (int i = 0; i < steps; ++i) {
        text += i ? "," : "";
        text += R"({"name":"s)" + std::to_string(i) + R"(","tool":"noop")";
        if (i)
            text += R"(,"after":["s)" + std::to_string(i - 1) + R"("])";
        text += "}";
    }
    return text + "]}";
}

// Wakes the loop when the writer thread has answers.
struct Bell {
    std::mutex mutex;
    std::condition_variable rung;
    bool ring = false;
    void wake()
    {
        const std::lock_guard lock(mutex);
        ring = true;
        rung.notify_one();
    }
    void wait()
    {
        std::unique_lock lock(mutex);
        rung.wait(lock, [this] { return ring; });
        ring = false;
    }
};

class Bench {
public:
    explicit Bench(const std::string& path) : m_path(path)
    {
        must(sqlite::initStore(path, {}));
        m_reader = must(sqlite::openStore(path, {}));
        m_session = makeId<SessionId>(m_clock.wallMs(), m_rng);
        SessionRow row;
        row.id = m_session;
        row.name = "bench";
        row.startedAt = row.heartbeatAt = m_clock.wallMs();
        row.leaseUntil = row.startedAt + 3'600'000;
        row.serves = "*";
        must(m_reader->openSession(row));
        m_queue = must(makeThreadedQueue(must(sqlite::openStore(path, {})), [this] { m_bell.wake(); }));
        ServiceConfig config;
        config.session = m_session;
        config.actorName = "bench";
        m_service = std::make_unique<Service>(*m_reader, *m_queue, m_clock, m_rng, config);
        m_service->setCapacity({100'000, {}});
        m_service->onCommitted([this](const RunState& after, const Entry& entry) { committed(after, entry); });
    }

    void add(const std::string& text)
    {
        ParsedDefinition parsed = parseDefinition(text);
        if (!parsed) {
            std::fprintf(stderr, "%s\n", diagnosticLine("workflow", parsed.diagnostics.front()).c_str());
            std::exit(1);
        }
        must(m_reader->addWorkflow({parsed.definition->ref.name, 1, parsed.definition->ref.digest, text, ".", m_clock.wallMs()}));
    }

    // Starts `total` runs, `concurrent` at a time, and waits for all.
    void runAll(const std::string& workflow, int concurrent, int total)
    {
        m_workflow = workflow;
        m_left = total;
        m_finished = 0;
        m_steps = 0;
        m_latencies.clear();
        for (int i = 0; i < std::min(concurrent, total); ++i)
            startOne();
        while (m_finished < total) {
            if (!m_service->pump())
                m_bell.wait();
        }
    }

    void sequence(const std::string& workflow, int total)
    {
        for (int i = 0; i < total; ++i)
            runAll(workflow, 1, 1);
    }

    std::string output;          // of every step
    std::vector<double> m_latencies;
    std::uint64_t m_steps = 0;
    Service& service() { return *m_service; }
    StoreWriter& reader() { return *m_reader; }
    [[nodiscard]] double bytes() const { return fileBytes(m_path); }

private:
    void startOne()
    {
        if (m_left == 0)
            return;
        --m_left;
        Submission submission;
        submission.workflow = m_workflow;
        submission.run = makeId<RunId>(m_clock.wallMs(), m_rng);
        submission.command.actor = {ActorKind::Caller, "bench"};
        cmd::Start body;
        body.run = submission.run;
        submission.command.body = body;
        m_started[submission.run] = Stopwatch();
        m_service->submit(std::move(submission), [](const Outcome& outcome) {
            if (!outcome.ok()) {
                std::fprintf(stderr, "start: %s%s\n", outcome.error.text.c_str(), outcome.rejection.text.c_str());
                std::exit(1);
            }
        });
    }

    void committed(const RunState& after, const Entry& entry)
    {
        for (const Fact& fact : entry.facts) {
            if (const auto* start = std::get_if<AttemptStarted>(&fact); start && start->session == m_session)
                complete(after.id, start->attempt);
            if (std::holds_alternative<RunClosed>(fact)) {
                ++m_finished;
                m_latencies.push_back(m_started[after.id].ms());
                m_started.erase(after.id);
                m_closing.push_back(after.id);
                startOne();
            }
        }
    }

    void complete(const RunId& run, const AttemptId& attempt)
    {
        ++m_steps;
        Submission submission;
        submission.run = run;
        submission.command.actor = {ActorKind::Engine, "bench"};
        cmd::Complete body;
        body.attempt = attempt;
        if (!output.empty()) {
            submission.payloads.push_back(m_service->newPayload(output, "application/json"));
            body.output = submission.payloads.back().ref;
        }
        submission.command.body = body;
        m_service->submit(std::move(submission), [this](const Outcome& outcome) {
            if (!outcome.ok()) {
                std::fprintf(stderr, "complete: %s%s\n", outcome.error.text.c_str(), outcome.rejection.text.c_str());
                std::exit(1);
            }
            for (const RunId& closed : m_closing)
                m_service->disown(closed);
            m_closing.clear();
        });
    }

    std::string m_path;
    SystemClock m_clock;
    SystemRng m_rng;
    Bell m_bell;
    SessionId m_session;
    std::unique_ptr<StoreWriter> m_reader;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::string m_workflow;
    int m_left = 0;
    int m_finished = 0;
    std::unordered_map<RunId, Stopwatch> m_started;
    std::vector<RunId> m_closing;
};

void measure(Bench& bench, const std::string& kind, int concurrent, int runs, int stepsPerRun)
{
    const double before = bench.bytes();
    Stopwatch watch;
    bench.runAll(kind, concurrent, runs);
    const double seconds = watch.seconds();
    const double steps = static_cast<double>(runs) * stepsPerRun;
    const std::string name = kind + ", " + std::to_string(concurrent) + " concurrent runs";
    figure("steps: " + name, steps / seconds, "steps/s");
    figure("steps: " + name + ": run p50", percentile(bench.m_latencies, 0.5), "ms");
    figure("steps: " + name + ": run p99", percentile(bench.m_latencies, 0.99), "ms");
    figure("steps: " + name + ": file growth", std::max(0.0, bench.bytes() - before) / steps, "bytes/step");
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const int scale = std::atoi(argument(argc, argv, "--scale", "100").c_str());
    Bench bench(freshFile(dir, "bench-steps.db"));
    constexpr int kSteps = 10;
    bench.add(chainWorkflow("read-only", kSteps, false));
    bench.add(chainWorkflow("writing", kSteps, true));
    bench.add(chainWorkflow("three", 3, false));
    bench.output = R"({"ok":true})";
    for (const char* kind : {"read-only", "writing"})
        for (const int concurrent : {1, 8, 64, 512})
            measure(bench, kind, concurrent, std::max(1, (concurrent == 1 ? 300 : concurrent < 64 ? 1000 : 3000) * scale / 100), kSteps);
    bench.sequence("three", 300 * scale / 100 + 1);
    measure(bench, "three", 1, 300 * scale / 100 + 1, 3);
    freshFile(dir, "bench-steps.db");
    return 0;
}
