#include "tests/sim/world.h"

namespace cairn::sim {

namespace {

// Where nothing is due for a while the clock of the whole world is moved, so that time ends what waits for
// it: as a test's clock, and not as one that was stepped by mistake.
InitOptions withTestClock()
{
    InitOptions options;
    options.testClock = true;
    return options;
}

}  // namespace

World::World(std::uint64_t seed, std::function<void(const std::string&)> traceTo)
    : rng(seed)
    , database(makeMemoryDatabase(withTestClock(), clock, seed))
    , trace(std::move(traceTo))
{
}

void World::fault(const std::string& name)
{
    ++fired[name];
    trace("fault: " + name);
}

void World::fail(const std::string& what)
{
    if (!broken.empty())
        return;
    broken = what;
    trace("BROKEN: " + what);
}

bool World::chance(std::uint64_t many) { return faults && rng.below(many) == 0; }

}  // namespace cairn::sim
