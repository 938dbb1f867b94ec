#pragma once
// What work costs, added up and scaled without a rounding error on the way: whole tokens, money in
// millionths. Pure.

#include "core/base/clock.h"

#include <cstdint>
#include <map>
#include <string>

namespace cairn {

inline constexpr SpanMs kMonth = SpanMs{30} * 24 * 3'600'000;  // of a report: thirty days

// amount * part / whole, rounded half away from zero; stops at the ends of the type. whole > 0, part >= 0.
[[nodiscard]] std::int64_t scaled(std::int64_t amount, std::int64_t part, std::int64_t whole) noexcept;

struct Spent {
    std::int64_t calls = 0;
    SpanMs worked = 0;  // calls that ran beside each other are added
    std::map<std::string, std::int64_t, std::less<>>
        used;  // by unit: "tokens" or another, or a currency in millionths

    void use(const std::string& unit, std::int64_t amount);
    void add(const Spent& more);
    [[nodiscard]] Spent times(std::int64_t part, std::int64_t whole) const;
    friend bool operator==(const Spent&, const Spent&) = default;
};

// "12 340 tokens", "4.10 EUR".
[[nodiscard]] std::string unitText(const std::string& unit, std::int64_t amount);
// "3 calls, 12 s, 1 200 tokens, 4.10 EUR"; "nothing".
[[nodiscard]] std::string spentText(const Spent& spent);

}  // namespace cairn
