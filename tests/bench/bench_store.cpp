// Reading a large store: pages, counts and filters over 1,000,000 runs; and one run of 10,000 steps. With
// --store postgresql://... the former, in that database.

#include "core/query/query.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/floor.h"
#include "tests/bench/service_bench.h"
#include "tests/bench/synthetic_runs.h"

#include <functional>

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr std::size_t kPage = 100;
constexpr int kRepeats = 5;

Result<std::unique_ptr<StoreWriter>> openAt(const std::string& place, const StoreOptions& options)
{
    return postgres::isPostgresUrl(place) ? postgres::openStore(place, options)
                                          : sqlite::openStore(place, options);
}

// Median of several calls on a connection that has been used, and the first call of a fresh connection (the
// page cache of the operating system stays warm: what a console feels that is opened on a store in use).
class Reading {
public:
    explicit Reading(std::string path)
        : m_path(std::move(path))
    {
        m_store = open();
    }

    void measure(const std::string& name, const std::function<std::string(StoreReader&)>& read)
    {
        const auto fresh = open();
        const Stopwatch first;
        const std::string found = read(*fresh);
        const double cold = first.ms();
        std::vector<double> times;
        for (int i = 0; i < kRepeats; ++i) {
            const Stopwatch watch;
            static_cast<void>(read(*m_store));
            times.push_back(watch.ms());
        }
        m_slowest = std::max(m_slowest, cold);
        std::printf("%-62s %9.1f ms, fresh connection %9.1f ms  (%s)\n", name.c_str(), percentile(times, 0.5),
            cold, found.c_str());
        std::fflush(stdout);
    }
    [[nodiscard]] double slowest() const { return m_slowest; }
    [[nodiscard]] StoreReader& store() { return *m_store; }

private:
    [[nodiscard]] std::unique_ptr<StoreWriter> open() const
    {
        StoreOptions options;
        options.readOnly = true;
        return must(openAt(m_path, options));
    }

    std::string m_path;
    std::unique_ptr<StoreWriter> m_store;
    double m_slowest = 0;
};

std::string rows(std::size_t count) { return std::to_string(count) + (count == 1 ? " row" : " rows"); }

ListFilter filterOf(const std::string& text, TimeMs now)
{
    ParsedFilter parsed = parseFilter(text, now);
    if (parsed.error)
        fail(text + ": " + parsed.error->text);
    return std::move(parsed.filter);
}

void measurePages(Reading& reading, const ListFilter& filter, const std::string& name)
{
    for (const auto order : {ListOrder::AttentionThenOldest, ListOrder::NewestFirst}) {
        const char* in =
            order == ListOrder::NewestFirst ? ": first page, newest first" : ": first page, attention first";
        reading.measure(name + in, [&](StoreReader& store) {
            return rows(must(store.list(filter, order, std::nullopt, kPage)).rows.size());
        });
    }
}

void measureFilter(Reading& reading, const std::string& text, TimeMs now)
{
    const ListFilter filter = filterOf(text, now);
    measurePages(reading, filter, "filter " + text);
    reading.measure("filter " + text + ": how many",
        [&](StoreReader& store) { return std::to_string(must(store.count(filter))) + " runs"; });
}

void measureOverview(Reading& reading)
{
    ListTerm open;
    open.unfinishedOnly = true;
    measurePages(reading, {}, "all runs");
    measurePages(reading, {open}, "unfinished runs");
    reading.measure("counts by activity, attention, reason: all",
        [](StoreReader& store) { return rows(must(store.counts({})).size()); });
    reading.measure("counts by activity, attention, reason: unfinished",
        [&](StoreReader& store) { return rows(must(store.counts({open})).size()); });
    reading.measure(
        "how many runs", [](StoreReader& store) { return std::to_string(must(store.count({}))) + " runs"; });
    reading.measure("situations of the unfinished, the 500 largest",
        [&](StoreReader& store) { return rows(must(store.situations({open}, 500)).rows.size()); });
    const std::uint64_t cursor = must(reading.store().changesSince(0, 1)).cursor;
    reading.measure("changes since 500 changes ago",
        [&](StoreReader& store) { return rows(must(store.changesSince(cursor - 500, 500)).rows.size()); });
}

void measureFilters(Reading& reading, TimeMs now)
{
    const std::string customer = syntheticCustomer(4711);
    for (const std::string& text : {std::string("wait:approval"),
             "wait:approval def:" + syntheticWorkflow(19), "wait:retry def:" + syntheticWorkflow(0),
             "def:" + syntheticWorkflow(0), std::string("def:") + syntheticWorkflow(19) + "@3",
             std::string("is:open step:pay"), std::string("step:pay"), std::string("is:open step:pa*"),
             std::string("error:\"connection refused\""), std::string("is:open error:\"service-17.\""),
             std::string("error:\"said by nobody\""), std::string("is:open error:\"said by nobody\""),
             "attr.customer=" + customer, "is:open attr.customer=" + customer, std::string("attr.region=af"),
             std::string("attr.region=nowhere"), std::string("key:order-471100"),
             std::string("key:order-4711*"), std::string("resource:service-9"),
             std::string("is:open since:>30d"), std::string("created:<1d"),
             std::string("state:failed created:<1d"), std::string("-state:completed created:>80d"),
             std::string("wait:approval step:pay or wait:timer step:audit")})
        measureFilter(reading, text, now);
}

void measureDeepPage(Reading& reading)
{
    std::optional<PageKey> after;
    for (int page = 0; page < 100; ++page)
        after = must(reading.store().list({}, ListOrder::NewestFirst, after, kPage)).next;
    reading.measure("all runs: page 101, newest first", [&](StoreReader& store) {
        return rows(must(store.list({}, ListOrder::NewestFirst, after, kPage)).rows.size());
    });
}

void fill(const std::string& place, std::uint32_t runs, int openPerCent, TimeMs now)
{
    StoreOptions unsynced;
    unsynced.synchronousNormal = true;
    const auto store = must(openAt(place, unsynced));
    const Stopwatch watch;
    SyntheticRuns shape;
    shape.runs = runs;
    shape.openPerCent = static_cast<std::uint32_t>(openPerCent);
    shape.now = now;
    addSyntheticRuns(*store, shape);
    figure("made " + std::to_string(runs) + " runs in", watch.seconds(), "s");
}

void read(const std::string& place, TimeMs now)
{
    Reading reading(place);
    measureOverview(reading);
    measureDeepPage(reading);
    measureFilters(reading, now);
    figure("the slowest of all these, fresh connection", reading.slowest(), "ms");
}

void manyRuns(const std::string& dir, std::uint32_t runs, int openPerCent, bool keep)
{
    const std::string path = dir + "/bench-store-" + std::to_string(runs) + ".db";
    const TimeMs now = SystemClock().wallMs();
    if (!keep || !std::filesystem::exists(path)) {
        freshFile(dir, std::filesystem::path(path).filename());
        must(sqlite::initStore(path, {}));
        fill(path, runs, openPerCent, now);
    }
    figure("store file", fileBytes(path) / 1e6, "MB");
    read(path, now);
    if (!keep)
        freshFile(dir, std::filesystem::path(path).filename());
}

void largeRun(const std::string& dir, int steps)
{
    Floor floor(dir);
    {
        ServiceBench bench(freshFile(dir, "bench-large-run.db"));
        bench.output = R"({"ok":true})";
        bench.add(chainWorkflow("large", steps, false));
        const Stopwatch making;
        const RunId run = bench.runUpTo("large", static_cast<std::uint64_t>(steps) - 500);
        const std::string name = "run of " + std::to_string(steps) + " steps";
        figure(name + ": made, " + std::to_string(steps - 500) + " done, at",
            (steps - 500) / making.seconds(), "steps/s");
        std::vector<double> commits;
        for (int i = 0; i < 300; ++i)
            commits.push_back(bench.completeOne(run));
        percentiles(name + ": one more step, decided to acknowledged", commits, "ms");
        figure(name + ": floor, single commits", 1000 / floor.rowsPerSecond(1, 1), "ms/commit");
        StoreOptions reads;
        reads.readOnly = true;
        const auto reader = must(sqlite::openStore(bench.path(), reads));
        const SystemClock clock;
        Query query(*reader, clock);
        Stopwatch watch;
        const LoadedRun loaded = must(reader->loadRun(run, 1, 0));
        figure(name + ": read its " + std::to_string(loaded.entries.size()) + " entries", watch.ms(), "ms");
        watch.restart();
        const RunState state = must(bench.service().load(run));
        figure(name + ": read, check the chain, and fold", watch.ms(), "ms");
        watch.restart();
        const auto stepRows = must(reader->steps(run));
        figure(name + ": list of its " + std::to_string(stepRows.size()) + " steps", watch.ms(), "ms");
        watch.restart();
        static_cast<void>(must(query.run(run)));
        figure(name + ": as a run window opens (fold, why, sentence)", watch.ms(), "ms");
        watch.restart();
        static_cast<void>(must(query.history(run, state.version - 99, 100)));
        figure(name + ": its newest 100 entries, told", watch.ms(), "ms");
    }
    freshFile(dir, "bench-large-run.db");
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const std::string only = argument(argc, argv, "--only", "");
    const auto runs = static_cast<std::uint32_t>(number(argc, argv, "--runs", 1'000'000));
    if (const std::string store = argument(argc, argv, "--store", ""); !store.empty()) {
        const TimeMs now = SystemClock().wallMs();
        must(postgres::initStore(store, {}));
        fill(store, runs, number(argc, argv, "--open", 40), now);
        read(store, now);
        return 0;
    }
    std::filesystem::create_directories(dir);
    if (only != "runs")
        largeRun(dir, number(argc, argv, "--steps", 10'000));
    if (only != "run")
        manyRuns(dir, runs, number(argc, argv, "--open", 40), argument(argc, argv, "--keep", "no") == "yes");
    return 0;
}
