#pragma once
// The chains of all runs, read once in the order that reads fastest and compared with where each run is said
// to stand. Keeps some 90 bytes for each run meanwhile. Engines may go on meanwhile: what looks wrong is
// looked at again before it is said.

#include "core/audit/damage.h"
#include "core/store/store.h"

namespace cairn::audit {

struct Histories {
    std::uint64_t entries = 0;
    std::uint64_t runs = 0;
    std::uint64_t uncovered = 0;  // runs that went on since the newest checkpoint that covers them
    std::vector<Found> found;     // one for each damaged run, `most` at most
};
// Blocks for as long as it takes to read all entries; the store's interrupt() ends it (Cancelled).
[[nodiscard]] Result<Histories> checkHistories(StoreReader& store, std::size_t most);

}  // namespace cairn::audit
