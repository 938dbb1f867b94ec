#pragma once
// Many runs, fast: rows as a store would hold them after years, committed through the store's own seam in
// large groups. The commits are not synced one by one (the named downgrade), and there is no service: what is
// measured is reading.

#include "core/store/store.h"

namespace cairn::bench {

struct SyntheticRuns {
    std::uint32_t runs = 1'000'000;
    std::uint32_t openPerCent = 40;  // unfinished
    TimeMs now = kNoTime;            // the newest is about this old; the rest goes back 90 days
};

// Every run has its first entry, its list row, and two attributes (customer: one of 50,000; region: one of
// 8). Of the unfinished about one in three waits for a person, one in four for a timer, one in six is
// blocked.
void addSyntheticRuns(StoreWriter& store, const SyntheticRuns& shape);

// Texts that occur, for filters.
[[nodiscard]] std::string syntheticWorkflow(
    std::uint32_t number);  // 0 (one run in five) to 19 (one in a hundred)
[[nodiscard]] std::string syntheticCustomer(std::uint32_t number);

}  // namespace cairn::bench
