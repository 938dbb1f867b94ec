#pragma once
// `workflow check --prove`: plays a workflow in a simulation (the product's engine and service over a store
// in memory, a clock and a provider that are simulated), kills the engine at every boundary, and tells per
// step what can happen at worst, and where. What the templates read is made up, so that the real inputs,
// conditions and effect keys are rendered. Deterministic: the same definitions and options give the same
// answer. Blocks for as long as it takes: some milliseconds for each kill.

#include "core/base/clock.h"
#include "core/model/definition.h"
#include "core/store/store.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace cairn {

enum class Worst : std::uint8_t {
    Once = 1,  // never called twice
    Repeated,  // called again: harmless, it has no effect, or the same key gives the same effect
    LookedUp,  // the provider is asked, then it goes on or is called for the first time
    Parked,    // a person must say whether it happened, or let it go on
    Doubled,   // the effect happened twice: a failure
};
[[nodiscard]] const char* worstName(Worst worst) noexcept;

struct ProveOptions {
    // Connections to one new, empty store in memory each time that it is called. Only programs name a driver.
    using Connect = std::function<std::unique_ptr<StoreWriter>()>;
    std::function<Connect(const Clock& clock, std::uint64_t seed)> makeStore;
    std::uint64_t seed = 1;
    std::uint32_t items = 2;     // of each list, however many there are in truth
    std::uint32_t most = 4'000;  // kills in all; beyond that they are spread evenly, and the proof says so
    std::string input;           // of the run; empty: made up from what the templates read
    std::vector<Definition> children;  // workflows that it starts; others are taken as runs that complete
    std::set<std::string, std::less<>> keyless;  // tools whose provider forgets keys, whatever is declared
};

struct StepProof {
    std::string step;  // name; "undo:NAME" for its compensation, "STEP/NAME" within a child run
    std::string tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    Worst worst = Worst::Once;
    std::string boundary;          // where it was killed when the worst was first seen; empty: once
    std::string reason;            // Parked: key of the reason that the run then gives
    std::uint32_t boundaries = 0;  // kills tried at this step
    std::uint32_t calls = 0;       // most calls that arrived, in one play, for one item; 0: not reached
    std::string note;              // for people
};

struct Proof {
    std::vector<StepProof> steps;        // that call a tool, in the order of the definition
    std::uint32_t kills = 0;             // plays with a kill
    std::vector<std::string> failures;   // doubled effects, wrong records, runs that did not end
    std::vector<std::string> notProved;  // what was not reached, and why
};

[[nodiscard]] Proof proveWorkflow(const Definition& definition, const ProveOptions& options);

}  // namespace cairn
