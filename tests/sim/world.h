#pragma once
// What all parts of one simulation share: the clock, the random numbers, the database, the network and the
// trace. One thread.

#include "core/base/rng.h"
#include "core/store/memory/memory_store.h"
#include "tests/sim/provider.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cairn::sim {

class Checker;

// Thrown out of a store call: the process that made the call is gone.
struct Killed { };

// A request arrives within this once it was sent, or never; whatever becomes of the engine that sent it.
inline constexpr SpanMs kTransit = 1'000;

// A request on its way.
struct Request {
    RunId run;
    std::string step;    // id
    std::string key;     // empty: read-only
    bool keyed = false;  // the provider promises "same key, same effect"
    bool lookUp = false;
    Answer answer = Answer::Ok;
    SpanMs arrives = 0;  // monotonic
    SpanMs answered = 0;
    bool arrived = false;
    bool found = false;  // look-ups
    std::string result;
};

struct World {
    World(std::uint64_t seed, std::function<void(const std::string&)> traceTo);

    ManualClock clock;
    SeededRng rng;
    std::shared_ptr<MemoryDatabase> database;
    Provider provider;
    std::vector<std::shared_ptr<Request>> network;
    Checker* checker = nullptr;
    std::function<void(const std::string&)> trace;

    bool faults = true;
    SpanMs fullUntil = 0;                        // the store has no room
    std::map<std::string, std::uint64_t> fired;  // faults, by name
    int paused = 0;  // processes that are paused inside a store call, one within another
    // Lets time pass for everything but the process that is paused.
    std::function<void(SpanMs)> elsewhere;
    // The engine with this session is up, and stays so. Asked when the faults have stopped.
    std::function<bool(const SessionId&)> lives;
    std::string broken;  // the first thing that did not hold

    void fault(const std::string& name);
    void fail(const std::string& what);
    // True in one of `many` cases, and never when the faults have stopped.
    [[nodiscard]] bool chance(std::uint64_t many);
    [[nodiscard]] SpanMs now() const { return clock.monotonicMs(); }
    [[nodiscard]] SpanMs upTo(SpanMs span)
    {
        return static_cast<SpanMs>(rng.below(static_cast<std::uint64_t>(span)));
    }
};

}  // namespace cairn::sim
