// What waiting costs: an engine on a store of 100,000 runs that wait for timers which are due later. Aim:
// under 1 % of a core and 100 MB.

#include "tests/bench/engine_process.h"
#include "tests/bench/service_bench.h"

#include <csignal>
#include <thread>

namespace {

using namespace cairn;
using namespace cairn::bench;

void measure(const std::string& name, const std::string& path, const std::string& dir, int seconds)
{
    Process engine = startEngine("sqlite:" + path, dir, 64);
    std::this_thread::sleep_for(std::chrono::seconds(5));  // its start is not part of the figure
    const ProcessUse before = useOf(engine.pid());
    const Stopwatch watch;
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    const double span = watch.seconds();
    const ProcessUse after = useOf(engine.pid());
    if (!engine.running())
        fail("the engine ended by itself; see bench-engine.log");
    figure(name + ": CPU over " + std::to_string(seconds) + " s",
        (after.cpuSeconds - before.cpuSeconds) / span * 100, "% of a core");
    figure(name + ": resident memory", after.rssMb, "MB");
    figure(name + ": resident memory, peak", after.peakRssMb, "MB");
    figure(name + ": wake-ups", static_cast<double>(after.wakeups - before.wakeups) / span, "/s");
    figure(
        name + ": written", static_cast<double>(after.bytesWritten - before.bytesWritten) / span, "bytes/s");
    engine.kill(SIGTERM);
    engine.wait();
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    const int runs = number(argc, argv, "--runs", 100'000);
    const int seconds = number(argc, argv, "--seconds", 60);
    const std::string path = freshFile(dir, "bench-idle.db");
    {
        ServiceBench bench(path);
        bench.add(timerWorkflow("waiting", "12h"));
    }
    measure("idle engine, empty store", path, dir, seconds);
    freshFile(dir, "bench-idle.db");
    {
        ServiceBench bench(path);
        bench.add(timerWorkflow("waiting", "12h"));
        const Stopwatch watch;
        bench.startWaiting("waiting", 512, runs);
        figure("made " + std::to_string(runs) + " waiting runs at", runs / watch.seconds(), "runs/s");
    }
    measure("idle engine, " + std::to_string(runs) + " waiting runs", path, dir, seconds);
    freshFile(dir, "bench-idle.db");
    return 0;
}
