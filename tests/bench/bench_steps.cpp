// Durable no-op steps per second. Every step is one commit of its result, which also holds the start of the
// next step.

#include "tests/bench/disk_count.h"
#include "tests/bench/floor.h"
#include "tests/bench/service_bench.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr int kSteps = 10;  // of a run

struct Options {
    std::string dir;
    double floorSeconds = 1;
    int scale = 100;  // per cent of the usual number of runs
    [[nodiscard]] int scaled(int runs) const { return std::max(1, runs * scale / 100); }
};

// The floor's batch that is nearest to what so many concurrent runs can give a commit.
int floorBatch(int concurrent)
{
    return concurrent == 1 ? 1 : concurrent < 32 ? 10 : concurrent < 200 ? 100 : 300;
}

void printDisk(const std::string& name, const DiskCount& disk, double steps)
{
    figure(name + ": syncs", static_cast<double>(disk.syncs) / steps, "syncs/step");
    figure(name + ": written", static_cast<double>(disk.bytes) / steps, "bytes/step");
}

void concurrentRuns(
    ServiceBench& bench, Floor& floor, const Options& options, const std::string& kind, int concurrent)
{
    const int runs = options.scaled(concurrent == 1 ? 500 : concurrent < 64 ? 2000 : 6000);
    const std::string name = kind + ", " + std::to_string(concurrent) + " concurrent runs";
    const int batch = floorBatch(concurrent);
    const double before = floor.rowsPerSecond(batch, options.floorSeconds);
    const DiskCount disk = diskCount();
    const Stopwatch watch;
    bench.runAll(kind, concurrent, runs);
    const double seconds = watch.seconds();
    const double steps = static_cast<double>(runs) * kSteps;
    const DiskCount used = diskCount().since(disk);
    const double after = floor.rowsPerSecond(batch, options.floorSeconds);
    figure(name, steps / seconds, "steps/s");
    figure(name + ": floor, " + std::to_string(batch) + " rows a commit", (before + after) / 2, "rows/s");
    figure(name + ": ratio to the floor", steps / seconds / ((before + after) / 2), "");
    figure(name + ": step p50", percentile(bench.stepMs, 0.5), "ms");
    figure(name + ": step p99", percentile(bench.stepMs, 0.99), "ms");
    printDisk(name, used, steps);
}

void sequence(ServiceBench& bench, Floor& floor, const Options& options)
{
    const int steps = 1000;
    const double before = floor.rowsPerSecond(1, options.floorSeconds);
    const Stopwatch watch;
    bench.runAll("thousand", 1, options.scaled(4));
    const double rate = options.scaled(4) * steps / watch.seconds();
    figure("one run of 1,000 steps, one after another", rate, "steps/s");
    figure("one run of 1,000 steps: floor, single commits", before, "commits/s");
    figure("one run of 1,000 steps: ratio to the floor", rate / before, "");
    bench.runAll("three", 1, options.scaled(1000));
    percentiles("run of 3 steps, start to closed", bench.runMs, "ms");
}

// A large output goes through a run: into its step, and on to the two steps after it by reference.
void largeState(ServiceBench& bench)
{
    bench.output = "\"" + std::string(20u << 20, 'x') + "\"";
    const DiskCount disk = diskCount();
    const Stopwatch watch;
    bench.runAll("one", 1, 1);
    figure("20 MB output of one step: recorded in", watch.seconds(), "s");
    must(bench.store().checkpoint());
    figure("20 MB output of one step: written, log and file",
        static_cast<double>(diskCount().since(disk).bytes) / 1e6, "MB");
    figure("20 MB output of one step: syncs", static_cast<double>(diskCount().since(disk).syncs), "");
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    options.dir = argument(argc, argv, "--dir", ".");
    options.scale = number(argc, argv, "--scale", 100);
    const std::string only = argument(argc, argv, "--only", "");
    Floor floor(options.dir);
    {
        ServiceBench bench(freshFile(options.dir, "bench-steps.db"));
        for (const bool writing : {false, true})
            bench.add(chainWorkflow(writing ? "writing" : "read-only", kSteps, writing));
        bench.add(chainWorkflow("one", 1, false));
        bench.add(chainWorkflow("three", 3, false));
        bench.add(chainWorkflow("thousand", 1000, false));
        bench.output = R"({"ok":true})";
        for (const char* kind : {"read-only", "writing"})
            for (const int concurrent : {1, 8, 64, 512})
                if (only.empty() || only == kind + std::to_string(concurrent))
                    concurrentRuns(bench, floor, options, kind, concurrent);
        if (only.empty() || only == "sequence")
            sequence(bench, floor, options);
        if (only.empty() || only == "large")
            largeState(bench);
    }
    freshFile(options.dir, "bench-steps.db");
    return 0;
}
