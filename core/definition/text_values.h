#pragma once
// Small values that definitions and payloads hold as text: spans, money, rates, instants, decimals. Pure.

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/base/text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace cairn {

// The shortest text that parseSpan (core/base/text.h) reads back.
[[nodiscard]] std::string spanText(SpanMs span);

// "12.50" to millionths. Refuses more than six decimals, exponents, and what does not fit.
[[nodiscard]] Result<std::int64_t> parseMicros(std::string_view decimal);
// An ISO 4217 code in use.
[[nodiscard]] bool isCurrency(std::string_view code) noexcept;
[[nodiscard]] std::string nearestCurrency(std::string_view code);

// "5/s", "100/m", "10/h": starts and the span that they are counted in.
[[nodiscard]] Result<std::pair<std::uint32_t, SpanMs>> parseRate(std::string_view text);

// True for the text of a JSON number.
[[nodiscard]] bool isDecimal(std::string_view text) noexcept;
// Compares two JSON numbers exactly, whatever their length: -1, 0 or 1.
[[nodiscard]] int compareDecimals(std::string_view a, std::string_view b);

// The candidate that is most like `name`, or empty where none is like it.
template<typename Range, typename Projection>
[[nodiscard]] std::string nearestName(std::string_view name, const Range& candidates, Projection projection);
[[nodiscard]] std::size_t editDistance(std::string_view a, std::string_view b);

template<typename Range, typename Projection>
std::string nearestName(std::string_view name, const Range& candidates, Projection projection)
{
    std::string best;
    std::size_t bestDistance = name.size() < 6 ? 1 : name.size() / 3;
    for (const auto& candidate : candidates) {
        const std::string_view text = projection(candidate);
        if (const std::size_t distance = editDistance(name, text);
            distance <= bestDistance && distance < text.size()) {
            if (distance < bestDistance || best.empty())
                best = std::string(text);
            bestDistance = distance;
        }
    }
    return best;
}

}  // namespace cairn
