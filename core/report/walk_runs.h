#pragma once
// All runs of a list with their histories, in bounded memory: one page of rows, and at most kWalkEntries
// entries, are held at a time. Blocks on the store.

#include "core/store/store.h"

#include <functional>

namespace cairn {

inline constexpr std::size_t kWalkRuns = 64;         // read together
inline constexpr std::uint64_t kWalkEntries = 4096;  // of these, in all; a longer run is read in parts

struct RunWalk {
    // A page of the list after the key; Query::list, or the store's.
    std::function<Result<RunPage>(const std::optional<PageKey>&)> page;
    // False: the run's history is not read, and neither of the others is called for it.
    std::function<bool(const ListRow&)> wants;
    // Its entries in order, from the first on; then its end. The entries of one run come together.
    std::function<void(const ListRow&, const Entry&, const SealedEntry&)> entry;
    std::function<void(const ListRow&)> done;
};

// How many wanted runs were removed meanwhile: those got no `done`, and perhaps some of their entries.
[[nodiscard]] Result<std::uint64_t> walkRuns(StoreReader& store, const RunWalk& walk);

}  // namespace cairn
