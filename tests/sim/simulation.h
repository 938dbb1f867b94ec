#pragma once
// One seed: engines, operators, a provider and faults, all from one sequence of random numbers.

#include "core/base/digest.h"

#include <cstdint>
#include <functional>
#include <string>

namespace cairn::sim {

struct Result {
    std::string broken;            // empty: everything held
    std::string atStep;
    Digest trace;                  // the same seed gives the same
    std::uint64_t faults = 0;      // fired: crashes, pauses, store and provider faults, clock jumps
    std::uint64_t acks = 0;        // commands that were acknowledged
    std::uint64_t effects = 0;     // that really happened
    std::uint64_t unknowns = 0;    // outcomes that became unknown
    std::uint64_t runs = 0;
    std::uint64_t finished = 0;
};

[[nodiscard]] Result simulate(std::uint64_t seed, std::uint32_t steps, const std::function<void(const std::string&)>& print);

}  // namespace cairn::sim
