// What a completion costs when it is decided and applied in place, in runs of 10,000 steps.

#include "tests/support/large_runs.h"

#include <cstdio>

using namespace cairn::testing;

int main()
{
    LargeRun chain(chainOf(10'000), 4);
    const double chained = chain.completeAll();
    LargeRun fan(fanOutOf(10'000), 64);
    const double fanned = fan.completeAll();
    std::printf("completion decided and applied: %.1f us (chain of 10,000 steps), %.1f us (fan-out of 10,000)\n",
                chained / 1000, fanned / 1000);
    return chain.state().closed && fan.state().closed ? 0 : 1;
}
