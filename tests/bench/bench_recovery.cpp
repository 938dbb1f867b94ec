// Recovery with real engine processes: from SIGKILL to the next committed progress of each run that was under
// way, and from the start of an engine to its first claim on a store with many runs. Under
// packaging/with-postgres the store is on that server, which is then crashed as well. Under
// packaging/with-postgres-pair --sync nothing is measured but what a promotion takes: the primary's link is
// cut, its standby takes its place, and the pair is used up.

#include "tests/bench/bench_place.h"
#include "tests/bench/engine_process.h"
#include "tests/bench/floor.h"
#include "tests/bench/service_bench.h"

#include <csignal>
#include <map>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr auto kLook = std::chrono::milliseconds(1);
constexpr double kPatienceMs = 60'000;
constexpr int kChain = 1'000;          // steps of a run: it must not end before the last kill
constexpr const char* kNap = "100ms";  // each takes this long

std::string sleepingChain(const std::string& name, int steps, const std::string& span)
{
    std::string text = R"({"schema":"urn:cairn:workflow:1","name":")" + name
        + R"(","version":1,"tools":{"nap":{"contract":1,)"
          R"("safety":"read_only","executor":"builtin","settings":{"function":"sleep","for":")"
        + span + R"("}}},"steps":[)";
    for (int i = 0; i < steps; ++i)
        text += (i ? R"(,{"name":"s)" : R"({"name":"s)") + std::to_string(i) + R"(","tool":"nap")"
            + (i ? R"(,"after":["s)" + std::to_string(i - 1) + "\"]" : "") + "}";
    return text + "]}";
}

// A caller without an engine: its runs are nobody's until one claims them.
class Caller {
public:
    explicit Caller(const BenchPlace& place)
        : m_store(must(place.open()))
        , m_queue(makeInlineQueue(*m_store))
        , m_service(*m_store, *m_queue, m_clock, m_rng, {})
    {
    }
    RunId start(const std::string& workflow)
    {
        Submission submission;
        submission.workflow = workflow;
        submission.run = makeId<RunId>(m_clock.wallMs(), m_rng);
        submission.command.actor = {ActorKind::Caller, "bench"};
        cmd::Start body;
        body.run = submission.run;
        submission.command.body = body;
        const Outcome outcome = m_service.submitAndWait(std::move(submission));
        if (!outcome.ok())
            fail("start: " + outcome.error.text + outcome.rejection.text);
        return outcome.run;
    }
    [[nodiscard]] StoreWriter& store() { return *m_store; }

private:
    SystemClock m_clock;
    SystemRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    Service m_service;
};

struct Place {
    std::uint64_t version = 0;
    std::uint32_t stepsDone = 0;
    SessionId owner;
};

std::map<RunId, Place> placesOf(StoreReader& store, const std::vector<RunId>& runs)
{
    std::map<RunId, Place> places;
    for (const ListRow& row : must(store.listRows(runs))) {
        const HotRow hot = must(store.hot(row.run));
        places[row.run] = {hot.version, row.stepsDone, hot.owner};
    }
    return places;
}

// The living sessions by process.
SessionId sessionOf(StoreReader& store, pid_t pid)
{
    for (const SessionRow& row : must(store.sessions(false)))
        if (row.pid == pid)
            return row.id;
    return {};
}

void awaitUnderWay(StoreReader& store, const std::vector<RunId>& runs, const SessionId& owner)
{
    const Stopwatch watch;
    const auto before = placesOf(store, runs);
    std::size_t moving = 0;
    while (moving < runs.size()) {
        if (watch.ms() > kPatienceMs)
            fail("the runs do not all get under way");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        moving = 0;
        for (const auto& [run, place] : placesOf(store, runs))
            moving += place.stepsDone > before.at(run).stepsDone && (owner.isNull() || place.owner == owner)
                ? 1
                : 0;
    }
}

struct Recovery {
    std::vector<double> entryMs;  // to the first entry of a run after the kill
    std::vector<double> stepMs;   // to its first finished step after the kill
    std::vector<double> firstMs;  // of each kill: the first run that moved
    std::vector<double> lastMs;   // of each kill: the last run's finished step
};

void watchRecovery(
    StoreReader& store, const std::map<RunId, Place>& before, const Stopwatch& since, Recovery& out)
{
    std::vector<RunId> quiet, unfinished;
    for (const auto& [run, place] : before) {
        quiet.push_back(run);
        unfinished.push_back(run);
    }
    bool first = true;
    while (!unfinished.empty()) {
        if (since.ms() > kPatienceMs)
            fail(std::to_string(unfinished.size()) + " runs did not come back");
        const auto places = placesOf(store, unfinished);
        const double ms = since.ms();
        std::erase_if(quiet, [&](const RunId& run) {
            const bool moved = places.at(run).version > before.at(run).version;
            if (moved)
                out.entryMs.push_back(ms);
            if (moved && std::exchange(first, false))
                out.firstMs.push_back(ms);
            return moved;
        });
        std::erase_if(unfinished, [&](const RunId& run) {
            const bool done = places.at(run).stepsDone > before.at(run).stepsDone;
            if (done)
                out.stepMs.push_back(ms);
            return done;
        });
        std::this_thread::sleep_for(kLook);
    }
    out.lastMs.push_back(since.ms());
}

void print(const std::string& name, const Recovery& recovery)
{
    percentiles(name + ", next entry of a run", recovery.entryMs, "ms");
    percentiles(name + ", next finished step of a run", recovery.stepMs, "ms");
    percentiles(name + ", first run that moved", recovery.firstMs, "ms");
    percentiles(name + ", last run that moved", recovery.lastMs, "ms");
}

const BenchPlace& withNappers(BenchPlace& place)
{
    place.anew();
    ServiceBench([&place] { return place.open(); }).add(sleepingChain("napping", kChain, kNap));
    return place;
}

std::vector<RunId> startNappers(Caller& caller, int runs)
{
    std::vector<RunId> ids;
    for (int i = 0; i < runs; ++i)
        ids.push_back(caller.start("napping"));
    return ids;
}

// Another engine is started the moment the first is killed, as a service manager does (without its delay).
void restarted(BenchPlace& place, int runs, int kills)
{
    Caller caller(withNappers(place));
    const std::vector<RunId> ids = startNappers(caller, runs);
    Recovery recovery;
    Process engine = startEngine(place.url(), place.dir(), 2 * runs);
    for (int i = 0; i < kills; ++i) {
        awaitUnderWay(caller.store(), ids, {});
        engine.kill(SIGKILL);
        const Stopwatch since;
        Process next = startEngine(place.url(), place.dir(), 2 * runs);
        engine.wait();
        watchRecovery(caller.store(), placesOf(caller.store(), ids), since, recovery);
        engine = std::move(next);
    }
    engine.kill(SIGKILL);
    engine.wait();
    print("kill and restart, " + std::to_string(runs) + " runs", recovery);
}

// Two engines share the store; the one that owns the runs is killed, the other takes them over.
void takenOver(BenchPlace& place, int runs, int kills)
{
    Caller caller(withNappers(place));
    const std::vector<RunId> ids = startNappers(caller, runs);
    Recovery recovery;
    Process owner = startEngine(place.url(), place.dir(), 2 * runs);
    awaitUnderWay(caller.store(), ids, {});
    for (int i = 0; i < kills; ++i) {
        Process standby = startEngine(place.url(), place.dir(), 2 * runs);
        const Stopwatch opening;
        while (sessionOf(caller.store(), standby.pid()).isNull() && opening.ms() < kPatienceMs)
            std::this_thread::sleep_for(kLook);
        awaitUnderWay(caller.store(), ids, sessionOf(caller.store(), owner.pid()));
        owner.kill(SIGKILL);
        const Stopwatch since;
        owner.wait();
        watchRecovery(caller.store(), placesOf(caller.store(), ids), since, recovery);
        owner = std::move(standby);
    }
    owner.kill(SIGKILL);
    owner.wait();
    print("kill with a second engine present, " + std::to_string(runs) + " runs", recovery);
}

// From exec to the claim of a run that is due, among many that wait.
void firstClaim(BenchPlace& place, int waiting, int times)
{
    place.anew();
    {
        ServiceBench bench([&place] { return place.open(); });
        bench.add(timerWorkflow("waiting", "12h"));
        bench.add(chainWorkflow("short", 1, false));
        bench.startWaiting("waiting", 512, waiting);
    }
    Caller caller(place);
    std::vector<double> claimed, closed;
    for (int i = 0; i < times; ++i) {
        const RunId run = caller.start("short");
        const Stopwatch since;
        Process engine = startEngine(place.url(), place.dir(), 64);
        while (must(caller.store().hot(run)).owner.isNull() && since.ms() < kPatienceMs)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        claimed.push_back(since.ms());
        while (!isFinished(must(caller.store().listRows(std::span(&run, 1))).front().activity)
            && since.ms() < kPatienceMs)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        closed.push_back(since.ms());
        engine.kill(SIGTERM);
        engine.wait();
    }
    percentiles("engine start to first claim, " + std::to_string(waiting) + " runs", claimed, "ms");
    percentiles("engine start to that run's end, " + std::to_string(waiting) + " runs", closed, "ms");
}

// The server crashes and comes back; the engine lives on and finds its way by itself. Counted from the moment
// at which the server answers again.
void serverCrashed(BenchPlace& place, int runs, int crashes)
{
    const char* restart = std::getenv("CAIRN_RESTART_COMMAND");
    if (restart == nullptr)
        fail("CAIRN_RESTART_COMMAND is not set; packaging/with-postgres sets it");
    {
        withNappers(place);
    }
    std::vector<RunId> ids;
    {
        Caller caller(place);
        ids = startNappers(caller, runs);
    }
    Recovery recovery;
    Process engine = startEngine(place.url(), place.dir(), 2 * runs);
    for (int i = 0; i < crashes; ++i) {
        std::map<RunId, Place> before;
        {
            Caller caller(place);
            awaitUnderWay(caller.store(), ids, {});
            before = placesOf(caller.store(), ids);
        }
        Process command = must(Process::start({restart}, {}, place.dir() + "/bench-restart.log", false));
        command.wait();
        const Stopwatch since;
        Caller caller(place);
        watchRecovery(caller.store(), before, since, recovery);
    }
    engine.kill(SIGKILL);
    engine.wait();
    print("the server crashed and was started again, " + std::to_string(runs) + " runs", recovery);
}

void command(const BenchPlace& place, const char* program, const char* word)
{
    must(Process::start({program, word}, {}, place.dir() + "/bench-restart.log", false)).wait();
}

// The engine lives on. What the standby had when it was promoted is what the runs have to go on from: with a
// synchronous one that is all that was acknowledged.
void promoted(BenchPlace& place, const char* pair, int runs)
{
    withNappers(place);
    std::vector<RunId> ids;
    Process engine = startEngine(place.url(), place.dir(), 2 * runs);
    {
        Caller caller(place);
        ids = startNappers(caller, runs);
        awaitUnderWay(caller.store(), ids, {});
    }
    Recovery recovery;
    command(place, pair, "following");
    command(place, pair, "cut");
    const Stopwatch away;
    command(place, pair, "promote");
    const double took = away.ms();
    const Stopwatch since;
    Caller caller(place);
    watchRecovery(caller.store(), placesOf(caller.store(), ids), since, recovery);
    engine.kill(SIGKILL);
    engine.wait();
    figure("the promotion itself took", took, "ms");
    print("a standby was promoted, " + std::to_string(runs) + " runs", recovery);
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const int runs = number(argc, argv, "--runs", 64);
    const int kills = number(argc, argv, "--kills", 20);
    BenchPlace place(dir, "bench-recovery.db");
    std::printf("the store is %s\n", place.words().c_str());
    if (const char* pair = std::getenv("CAIRN_PAIR_COMMAND")) {
        promoted(place, pair, runs);
        return 0;
    }
    if (!place.onServer())
        figure("floor: single commits", Floor(dir).rowsPerSecond(1, 2), "commits/s");
    restarted(place, runs, kills);
    takenOver(place, runs, kills);
    if (place.onServer())
        serverCrashed(place, runs, kills);
    firstClaim(place, number(argc, argv, "--waiting", 100'000), 10);
    return 0;
}
