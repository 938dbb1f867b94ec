#pragma once
// Whether an engine is worth its cost, by what its record keeps. Pure. Internal to core/report.

#include "core/report/durability.h"

namespace cairn {

// What is counted: each keeps something ("a lost run", "lost runs").
struct Counted {
    const char* one;
    const char* many;
    std::int64_t count = 0;
};
// How many of them a month an engine has to keep to be worth its cost; without a cost: what it may cost at
// most. Nothing where what is kept is no money of that currency.
[[nodiscard]] std::optional<Formula> breakEven(const std::optional<Money>& engine, const Counted& counted,
    const Spent& kept, const Spent& month, SpanMs period);

struct Worth {
    bool needed = true;
    std::string verdict;
};
// By the money alone. `otherwise`: what to do without an engine.
[[nodiscard]] Worth worthOf(
    const std::optional<Money>& engine, const Spent& month, const std::string& otherwise);

}  // namespace cairn
