// How long a payload keeps the thread that runs all rules: what an engine reads, checks, hashes and renders
// there itself, by size. Larger ones go beside it (kAside in core/engine/engine_impl.h), so this is what that
// bound is chosen by.

#include "core/base/json_scan.h"
#include "tests/bench/service_bench.h"

namespace {

using namespace cairn;
using namespace cairn::bench;

constexpr int kRepeats = 15;

// Objects as tools give them: names, numbers, text.
std::string jsonOf(std::size_t size)
{
    std::string text = "[";
    for (std::size_t i = 0; text.size() + 80 < size; ++i)
        text += std::string(i == 0 ? "" : ",") + R"({"id":)" + std::to_string(i) + R"(,"name":"item number )"
            + std::to_string(i) + R"(","price":12.50,"there":true})";
    return text + "]";
}

double median(const std::function<void()>& work)
{
    std::vector<double> times;
    for (int i = 0; i < kRepeats; ++i) {
        const Stopwatch watch;
        work();
        times.push_back(watch.ms());
    }
    return percentile(times, 0.5);
}

void measure(const std::string& dir, std::size_t size)
{
    const std::string name =
        size >= 1u << 20 ? std::to_string(size >> 20) + " MiB" : std::to_string(size >> 10) + " KiB";
    ServiceBench bench(freshFile(dir, "payloads.db"));
    bench.add(R"({"schema":"urn:cairn:workflow:1","name":"chain","version":1,"tools":{"noop":{"contract":1,
        "safety":"read_only","executor":"builtin","settings":{"function":"noop"}}},"steps":[
        {"name":"s0","tool":"noop"},{"name":"s1","tool":"noop","after":["s0"]},
        {"name":"s2","tool":"noop","after":["s1"],"input":{"all":{"$from":"s1"}}}]})");
    const std::string text = jsonOf(size);
    const RunId run = bench.runUpTo("chain", 1);
    Service& service = bench.service();
    figure(name + ": made, with its hashes",
        median([&] { static_cast<void>(service.newPayload(text, "application/json")); }), "ms");
    figure(name + ": checked as JSON", median([&] { static_cast<void>(findJsonFault(text)); }), "ms");

    Submission done;
    done.run = run;
    done.command.actor = {ActorKind::Engine, "bench"};
    done.payloads.push_back(service.newPayload(text, "application/json"));
    const PayloadRef ref = done.payloads.back().ref;
    cmd::Complete complete;
    complete.attempt = service.state(run)->steps[1].attempt->id;
    complete.output = ref;
    done.command.body = complete;
    bool landed = false;
    const Stopwatch submitting;
    service.submit(std::move(done), [&landed](const Outcome& outcome) { landed = outcome.ok(); });
    const double held = submitting.ms();
    while (!landed)
        static_cast<void>(service.pump());
    figure(name + ": result handed in, the next step's input rendered from it", held, "ms");
    figure(name + ": read from the store",
        median([&] { static_cast<void>(must(bench.store().payload(run, ref.id))); }), "ms");
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string dir = argument(argc, argv, "--dir", ".");
    for (const std::size_t kib : {16u, 64u, 256u, 1024u, 4096u})
        measure(dir, kib << 10);
    return 0;
}
