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

// For sums that are to come back to what they were.
__extension__ typedef __int128 WideSum;

[[nodiscard]] constexpr std::int64_t saturated(WideSum sum) noexcept
{
    using Limits = std::numeric_limits<std::int64_t>;
    if (sum > Limits::max())
        return Limits::max();
    return sum < Limits::min() ? Limits::min() : static_cast<std::int64_t>(sum);
}

}  // namespace cairn
