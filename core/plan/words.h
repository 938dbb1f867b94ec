#pragma once
// The words of plans, as JSON and people have them. Pure.

#include "core/store/plans.h"

#include <array>
#include <string>
#include <string_view>

namespace cairn {

[[nodiscard]] std::string_view key(PlanState state) noexcept;
[[nodiscard]] std::string_view key(PlanItemState state) noexcept;
[[nodiscard]] std::string_view key(PlanLeftOut why) noexcept;  // "" for None
[[nodiscard]] std::string_view key(PlanFate fate) noexcept;    // "" for None
// For people: "waits for its start", "another plan has the run".
[[nodiscard]] std::string_view label(PlanState state) noexcept;
[[nodiscard]] std::string_view label(PlanLeftOut why) noexcept;
[[nodiscard]] std::string_view label(PlanFate fate) noexcept;
// The kinds that a preview counts, in their order: all but Aborted, which comes after it.
inline constexpr auto kLeftOutBefore = [] {
    std::array<PlanLeftOut, kLeftOutKinds - 2> kinds{};
    std::size_t at = 0;
    for (std::size_t kind = 1; kind < kLeftOutKinds; ++kind)
        if (static_cast<PlanLeftOut>(kind) != PlanLeftOut::Aborted)
            kinds[at++] = static_cast<PlanLeftOut>(kind);
    return kinds;
}();
// "waits for its start; 1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"
[[nodiscard]] std::string standingOf(const PlanRow& plan);

}  // namespace cairn
