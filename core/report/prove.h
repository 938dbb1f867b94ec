#pragma once
// `workflow check --prove`: kills the engine, in a simulation with the real rules, at every boundary of a
// workflow and tells per step what can happen at worst. Pure: no store, no clock; conditions are taken as
// true and lists as having two items, because what they hold is known only at run time.

#include "core/base/result.h"
#include "core/model/definition.h"

#include <string>
#include <vector>

namespace cairn {

enum class Worst : std::uint8_t {
    Once = 1,  // never called twice
    Repeated,  // called again: harmless, it has no effect, or the same key gives the same effect
    LookedUp,  // the provider is asked, then it goes on or is called for the first time
    Parked,    // a person must say whether it happened
    Doubled,   // the effect happened twice: a failure
};
[[nodiscard]] const char* worstName(Worst worst) noexcept;

struct StepProof {
    std::string step;
    std::string tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    Worst worst = Worst::Once;
    std::uint32_t boundaries = 0;  // kills tried at this step
    std::uint32_t calls = 1;       // most calls of the tool in one of them
    std::string note;              // for people
};

struct Proof {
    std::vector<StepProof> steps;  // those that call a tool
    std::uint32_t kills = 0;
    std::vector<std::string> failures;  // doubled effects, runs that did not end
};

[[nodiscard]] Proof proveWorkflow(const Definition& definition);

}  // namespace cairn
