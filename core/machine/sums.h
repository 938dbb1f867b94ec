#pragma once
// Sums of amounts that callers and providers report: one that is absurd must not make a budget look unspent.

#include <cstdint>
#include <limits>

namespace cairn {

// Stops at the ends of the type; the same as + for whatever fits.
[[nodiscard]] constexpr std::int64_t saturatedSum(std::int64_t a, std::int64_t b) noexcept
{
    using Limits = std::numeric_limits<std::int64_t>;
    if (b > 0 && a > Limits::max() - b)
        return Limits::max();
    if (b < 0 && a < Limits::min() - b)
        return Limits::min();
    return a + b;
}

}  // namespace cairn
