// What a completion costs when it is decided and applied in place, in runs of 10,000 steps. Aim: about 5 us.

#include "tests/bench/figures.h"
#include "tests/support/large_runs.h"

namespace {

using namespace cairn::bench;
using cairn::testing::LargeRun;

void measure(const char* name, const cairn::Definition& definition, std::uint32_t concurrency)
{
    std::vector<double> micros;
    for (int i = 0; i < 9; ++i) {
        LargeRun run(definition, concurrency);
        micros.push_back(run.completeAll() / 1000);
        if (!run.state().closed)
            fail(std::string(name) + ": the run did not end");
    }
    figure(std::string("completion decided and applied: ") + name, percentile(micros, 0.5), "us");
    figure(std::string("completion decided and applied: ") + name + ", slowest of 9 runs",
        percentile(micros, 1), "us");
}

}  // namespace

int main()
{
    measure("chain of 10,000 steps", cairn::testing::chainOf(10'000), 4);
    measure("fan-out of 10,000, 64 at a time", cairn::testing::fanOutOf(10'000), 64);
    return 0;
}
