#pragma once
// Signed checkpoints as a store keeps them, and what it takes to make and to check one: the ends of both
// chains, read by pages. What is signed, and what it means, is in core/audit.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/base/signing.h"
#include "core/model/entry.h"

#include <cstdint>
#include <functional>
#include <string>

namespace cairn {

struct CheckpointRow {
    std::uint64_t number = 0;  // gapless from 1
    UuidBytes store{};         // id of the store that it was made in
    TimeMs time = kNoTime;     // by that store's clock
    std::uint64_t auditSeq = 0;
    Digest auditHead;        // hash of that entry; null where there was none
    std::uint32_t runs = 0;  // how many heads of runs it covers
    Digest runHeads;         // over those, in the order of the runs' ids
    Digest previous;         // of the checkpoint before; null for the first
    PublicKey key{};
    Signature signature{};
    std::string login{};  // who put it here, as the store vouches for it; not signed
};

// Where the history of one run stood.
struct RunHead {
    RunId run;
    std::uint64_t version = 0;
    Digest head;
    friend bool operator==(const RunHead&, const RunHead&) = default;
};

// A run as it stands now, and the highest version that a checkpoint covers (0: none).
struct OpenHead {
    RunHead now;
    std::uint64_t covered = 0;
    Digest coveredHead;  // what was signed for it
};

// A head that a checkpoint covers, and what is there now.
struct CoveredHead {
    RunHead signedHead;
    Digest stored;                // hash of that entry as stored; null: there is no such entry
    std::uint64_t deletedAt = 0;  // number of entries that the run had when it was deleted; 0: it was not
};

// The newest entry of the audit, and where the store keeps its end a second time (PostgreSQL), that.
struct AuditEnd {
    std::uint64_t seq = 0;
    Digest hash;
    std::uint64_t toldSeq = 0;
    Digest toldHash;
};

// A place in the order of (run, version).
struct ChainPlace {
    RunId run;
    std::uint64_t version = 0;
};
// Where a scan of all entries stands; a new one begins it. Its fields are the store's.
struct ScanPlace {
    ChainPlace chain;
    std::int64_t row = 0;
};
// One entry of one run; `previous` is not set. Valid during the call only.
using SeeEntry = std::function<void(const RunId& run, const SealedEntry& entry)>;

inline constexpr std::size_t kCheckpointRuns = 2'000;  // of one checkpoint, so that it is written in a few ms

}  // namespace cairn
