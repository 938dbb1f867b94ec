#pragma once
// What one process meets at each of its store calls: an error, a lost answer, a pause, its end.

#include "tests/sim/world.h"
#include "core/store/hooked_store.h"

#include <optional>

namespace cairn::sim {

class Gate {
public:
    Gate(World& world, std::string name)
        : m_world(world)
        , m_name(std::move(name))
    {
    }

    // The error takes the place of the call. Throws Killed where the process ends here.
    [[nodiscard]] std::optional<Error> before(const char* what, Access access);
    // The call was done; the error takes the place of its answer.
    [[nodiscard]] std::optional<Error> after(const char* what, Access access);

    // SIGKILL: every later call throws.
    void kill() { m_dead = true; }
    [[nodiscard]] bool dead() const { return m_dead; }
    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] World& world() { return m_world; }

private:
    void die(const char* where, const char* what);
    void pause(const char* where, const char* what);
    [[nodiscard]] std::optional<Error> linkDown(const char* what);

    World& m_world;
    std::string m_name;
    bool m_dead = false;
    SpanMs m_downUntil = 0;  // its link to the store
};

// One connection of that process.
[[nodiscard]] std::unique_ptr<StoreWriter> connectThrough(Gate& gate);

}  // namespace cairn::sim
