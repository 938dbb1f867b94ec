#pragma once
// What became of the runs of a plan: moved, finished, back in the same situation, not yet, unknown.

#include "core/store/store.h"

#include <array>
#include <cstdint>

namespace cairn {

// Of an item that was done; `now`: the run's row, null: it is not there any more. Pure.
[[nodiscard]] PlanFate fateOf(Verb verb, const PlanItem& item, const ListRow* now);

// Of items that were done at `since` or later; all others are left out.
struct PlanFates {
    std::array<std::uint64_t, 6> count{};  // by PlanFate
    std::uint64_t done = 0;
    [[nodiscard]] std::uint64_t of(PlanFate fate) const { return count[static_cast<std::size_t>(fate)]; }
};

// Reads items and rows page by page: memory does not grow with the plan. `upTo`: ord of the last item to look
// at; 0: all. `each`, where given, gets each item with its fate set.
using SeeFate = std::function<void(PlanItem item)>;
[[nodiscard]] Result<PlanFates> readFates(StoreReader& reader, const PlanId& plan, Verb verb, TimeMs since,
    std::uint32_t upTo, const SeeFate& each = {});

}  // namespace cairn
