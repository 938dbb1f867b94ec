#pragma once
// The stores of proofs and replays: in memory, each play with one of its own.

#include "core/report/prove.h"
#include "core/store/memory/memory_store.h"

namespace cairn::cli {

inline ProveOptions::Connect simulatedStore(const Clock& clock, std::uint64_t seed)
{
    return [database = makeMemoryDatabase({}, clock, seed)] { return connectMemory(database); };
}

}  // namespace cairn::cli
