#pragma once
// A store in memory with the same contract: for the simulator and tests. State is shared by all connections
// that are made from one MemoryDatabase; not thread-safe across them.

#include "core/store/store.h"

namespace cairn {

class MemoryDatabase;  // shared state

[[nodiscard]] std::shared_ptr<MemoryDatabase> makeMemoryDatabase(
    const InitOptions& options, const Clock& clock, std::uint64_t seed);
[[nodiscard]] std::unique_ptr<StoreWriter> connectMemory(
    std::shared_ptr<MemoryDatabase> database, const StoreOptions& options = {});

// A standby that lags, and one that takes the store's place: a copy of what is there now, and the store
// replaced by it under its connections, which notice nothing.
[[nodiscard]] std::shared_ptr<MemoryDatabase> copyOf(const MemoryDatabase& database);
void replaceBy(MemoryDatabase& database, const MemoryDatabase& standby);

// Faults for the simulator: called before and after each group commit; the error it gives takes the place of
// the answer.
struct MemoryFaults {
    std::function<std::optional<Error>()> beforeCommit;
    std::function<std::optional<Error>()> afterCommit;  // committed, answer lost
};
void setFaults(MemoryDatabase& database, MemoryFaults faults);

}  // namespace cairn
