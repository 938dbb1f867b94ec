#pragma once
// One seed: engines, operators, a provider and faults, all from one sequence of random numbers.

#include "core/base/digest.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace cairn::sim {

struct Findings {
    std::string broken;  // empty: everything held
    std::string atStep;
    Digest trace;                                 // the same seed gives the same
    std::map<std::string, std::uint64_t> faults;  // fired, by name
    std::map<std::string, std::uint64_t> did;     // what the engines and the rules had to do
    std::uint64_t acks = 0;                       // commands that were acknowledged
    std::uint64_t effects = 0;                    // that really happened
    std::uint64_t unknowns = 0;                   // ends of attempts that said nothing about the effect
    std::uint64_t resolved = 0;                   // of those, later known
    std::uint64_t runs = 0;
    std::uint64_t finished = 0;
};

[[nodiscard]] Findings simulate(
    std::uint64_t seed, std::uint32_t steps, const std::function<void(const std::string&)>& print);

}  // namespace cairn::sim
