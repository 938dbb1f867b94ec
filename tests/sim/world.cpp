#include "tests/sim/world.h"

namespace cairn::sim {

World::World(std::uint64_t seed, std::function<void(const std::string&)> traceTo)
    : rng(seed)
    , database(makeMemoryDatabase({}, clock, seed))
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
