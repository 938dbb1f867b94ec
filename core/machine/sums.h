#pragma once
// Sums of amounts that callers and providers report: one that is absurd must not make a budget look unspent.

#include "core/model/types.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

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

// Why what is said to have been used is no report; empty: it is one.
[[nodiscard]] inline std::string unusableReport(const std::vector<Usage>& used)
{
    for (const Usage& usage : used)
        if (!isReportable(usage.amount))
            return "the report of what was used is not taken: " + std::to_string(usage.amount) + " of "
                + usage.unit + "; a call uses from nothing to " + std::to_string(kMostUsed)
                + ". Nothing was recorded: report again without it";
    return {};
}

}  // namespace cairn
