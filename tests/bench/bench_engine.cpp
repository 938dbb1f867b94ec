// A real engine process and a caller beside it, as a user runs them: the caller starts runs and sees them
// end, the engine (`cairn engine`) claims them and calls their tools, which are built-in no-ops. This is what
// tests/bench/peers compares with other systems; bench_steps and bench_postgres_steps have the executor, the
// claims and the second process taken out.

#include "core/definition/parse.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/engine_process.h"
#include "tests/bench/service_bench.h"

#include <csignal>
#include <deque>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr int kSteps = 10;            // of a run
constexpr int kConcurrency = 1024;    // attempts at one time: never the limit
constexpr std::size_t kLookAt = 128;  // of the oldest runs that are under way
constexpr double kPatienceSeconds = 120;
constexpr int kKilledRuns = 100;
constexpr const char* kNap = "100ms";  // a step of theirs

Result<std::unique_ptr<StoreWriter>> openAt(const std::string& url)
{
    StoreOptions options;
    options.sendsHints = true;  // as the command line does
    if (postgres::isPostgresUrl(url))
        return postgres::openStore(url, options);
    return sqlite::openStore(url.substr(url.find(':') + 1), options);
}

std::string nappingWorkflow()
{
    std::string text = chainWorkflow("napping", kSteps, false);
    const std::string noop = R"({"function":"noop"})";
    return text.replace(
        text.find(noop), noop.size(), R"({"function":"sleep","for":")" + std::string(kNap) + R"("})");
}

// A process that starts runs and wants to know when they have ended.
class Caller {
public:
    explicit Caller(const std::string& url)
        : m_store(must(openAt(url)))
        , m_queue(makeInlineQueue(*m_store))
        , m_service(*m_store, *m_queue, m_clock, m_rng, {})
    {
    }

    void add(const std::string& text)
    {
        const ParsedDefinition parsed = parseDefinition(text);
        if (!parsed)
            fail(diagnosticLine("workflow", parsed.diagnostics.front()));
        must(m_store->addWorkflow(
            {parsed.definition->ref.name, 1, parsed.definition->ref.digest, text, ".", m_clock.wallMs()}));
    }
    // Those that are started together share commits.
    void start(const std::string& workflow, int count)
    {
        for (int i = 0; i < count; ++i) {
            Submission submission;
            submission.workflow = workflow;
            submission.run = makeId<RunId>(m_clock.wallMs(), m_rng);
            submission.command.actor = {ActorKind::Caller, "bench"};
            cmd::Start body;
            body.run = submission.run;
            submission.command.body = body;
            m_underWay.push_back({submission.run, Stopwatch()});
            m_service.submit(std::move(submission), [](const Outcome& outcome) {
                if (!outcome.ok())
                    fail("start: " + outcome.error.text + outcome.rejection.text);
            });
        }
        m_service.drain();
    }
    // Looks at the oldest of the runs under way, and keeps how long those took that have ended.
    void look(std::vector<double>& runMs)
    {
        std::vector<RunId> oldest;
        for (std::size_t i = 0; i < std::min(kLookAt, m_underWay.size()); ++i)
            oldest.push_back(m_underWay[i].run);
        std::vector<RunId> ended;
        for (const ListRow& row : must(m_store->listRows(oldest)))
            if (isFinished(row.activity))
                ended.push_back(row.run);
        std::erase_if(m_underWay, [&](const UnderWay& one) {
            const bool over = std::find(ended.begin(), ended.end(), one.run) != ended.end();
            if (over)
                runMs.push_back(one.since.ms());
            return over;
        });
    }
    [[nodiscard]] int underWay() const { return static_cast<int>(m_underWay.size()); }
    [[nodiscard]] std::vector<RunId> runs() const
    {
        std::vector<RunId> all;
        for (const UnderWay& one : m_underWay)
            all.push_back(one.run);
        return all;
    }
    [[nodiscard]] StoreWriter& store() { return *m_store; }

private:
    struct UnderWay {
        RunId run;
        Stopwatch since;
    };
    SystemClock m_clock;
    SystemRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    Service m_service;
    std::deque<UnderWay> m_underWay;
};

struct Place {
    std::string url;
    std::string dir;
};

// Each has a new engine, which has all its runs to itself.
struct Bench {
    explicit Bench(const Place& where)
        : place(where)
        , caller(where.url)
        , engine(startEngine(where.url, where.dir, kConcurrency))
    {
        while (must(caller.store().sessions(false)).empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ~Bench()
    {
        engine.kill(SIGTERM);
        engine.wait();
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    const Place& place;
    Caller caller;
    Process engine;
};

void await(Bench& bench, const Stopwatch& since, std::vector<double>& runMs)
{
    if (since.seconds() > kPatienceSeconds)
        fail(std::to_string(bench.caller.underWay()) + " runs do not end; see bench-engine.log");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    bench.caller.look(runMs);
}

// Starts runs for so many seconds, `concurrent` at a time, and waits until all have ended.
double runFor(
    Bench& bench, const std::string& workflow, int concurrent, double seconds, std::vector<double>& runMs)
{
    const Stopwatch watch;
    while (watch.seconds() < seconds || bench.caller.underWay() > 0) {
        const int room = watch.seconds() < seconds ? concurrent - bench.caller.underWay() : 0;
        if (room > 0)
            bench.caller.start(workflow, room);
        await(bench, watch, runMs);
    }
    return watch.seconds();
}

void steps(const Place& place, double seconds)
{
    for (const int concurrent : {1, 8, 64, 512}) {
        Bench bench(place);
        std::vector<double> runMs;
        runFor(
            bench, "ten", std::min(concurrent, 64), seconds / 10, runMs);  // connections, prepared statements
        runMs.clear();
        const double took = runFor(bench, "ten", concurrent, seconds, runMs);
        const std::string name = "10 steps, " + std::to_string(concurrent) + " runs at a time";
        figure(name, static_cast<double>(runMs.size()) * kSteps / took, "steps/s");
        figure(name + ": run p50", percentile(runMs, 0.5), "ms");
        figure(name + ": run p99", percentile(runMs, 0.99), "ms");
    }
}

void sequences(const Place& place, double seconds)
{
    Bench bench(place);
    std::vector<double> runMs;
    runFor(bench, "three", 1, seconds, runMs);
    figure("3 steps: run p50", percentile(runMs, 0.5), "ms");
    figure("3 steps: run p99", percentile(runMs, 0.99), "ms");
    figure("1,000 steps in one run", 1000 / runFor(bench, "thousand", 1, 0.001, runMs), "steps/s");
}

double stepsDone(Caller& caller, const std::vector<RunId>& runs)
{
    double done = 0;
    for (const ListRow& row : must(caller.store().listRows(runs)))
        done += row.stepsDone;
    return done;
}

// The engine dies when half of the steps are done, and another one is started at once, as a service manager
// does. A step is repeated where it has another attempt.
void killed(const Place& place)
{
    Bench bench(place);
    bench.caller.start("napping", kKilledRuns);
    const std::vector<RunId> runs = bench.caller.runs();
    const Stopwatch began;
    std::vector<double> runMs;
    while (stepsDone(bench.caller, runs) < kKilledRuns * kSteps / 2.0)
        await(bench, began, runMs);
    bench.engine.kill(SIGKILL);
    const Stopwatch since;
    Process next = startEngine(place.url, place.dir, kConcurrency);
    while (bench.caller.underWay() > 0)
        await(bench, since, runMs);
    figure("kill with 100 runs: all ended after", since.seconds(), "s");
    double attempts = 0;
    for (const RunId& run : runs)
        attempts += static_cast<double>(must(bench.caller.store().attempts(run, kNoStep)).size());
    figure("kill with 100 runs: steps repeated", attempts - kKilledRuns * kSteps, "steps");
    bench.engine.wait();
    bench.engine = std::move(next);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const std::string url = argument(argc, argv, "--store", ("sqlite:" + dir + "/bench-engine.db").c_str());
    const double seconds = std::atof(argument(argc, argv, "--seconds", "4").c_str());
    const bool server = postgres::isPostgresUrl(url);
    must(server ? postgres::initStore(url, {}) : sqlite::initStore(freshFile(dir, "bench-engine.db"), {}));
    const Place place{url, dir};
    {
        Caller caller(url);
        for (const auto& [name, count] :
            {std::pair("ten", kSteps), std::pair("three", 3), std::pair("thousand", 1000)})
            caller.add(chainWorkflow(name, count, false));
        caller.add(nappingWorkflow());
    }
    steps(place, seconds);
    sequences(place, seconds);
    killed(place);
    if (!server)
        freshFile(dir, "bench-engine.db");
    return 0;
}
