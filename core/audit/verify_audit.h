#pragma once
// `cairn audit verify`: both chains, every checkpoint, and what is known from outside of the store.

#include "core/audit/checkpoint.h"
#include "core/audit/damage.h"
#include "core/audit/history_check.h"

namespace cairn::audit {

// An entry of the audit that somebody has seen.
struct KnownHead {
    std::string from;       // for people: "checkpoint 3", "the head you kept", "anchor 3 of FILE"
    std::uint64_t seq = 0;  // 0: not said, any entry will do
    Digest hash;
};
// A checkpoint that somebody has seen, by its hash.
struct KnownCheckpoint {
    std::string from;
    std::uint64_t number = 0;
    Digest hash;
};

struct Questions {
    std::vector<PublicKey> keys;  // with which checkpoints may be signed; none: any
    std::vector<KnownHead> heads;
    std::vector<KnownCheckpoint> checkpoints;
    bool histories = true;  // the chains of runs too
    std::size_t most = 20;  // damages
};

struct Report {
    std::uint64_t entries = 0;  // of the audit
    Digest head;
    Histories histories;  // but what was found, which is below
    std::uint64_t checkpoints = 0;
    CheckpointRow newest;      // where there is one
    Digest newestHash;         // of it
    std::vector<Found> found;  // of each chain the first; empty: nothing is wrong
};
// Blocks. Cancelled after the store's interrupt(). Errors are those of the store: damage is no error.
[[nodiscard]] Result<Report> verifyAudit(StoreReader& store, const Questions& questions);

// The audit's chain alone, after an entry that is known to be whole (0: from the beginning): links and hashes
// up to the end. `known`: in any order; what lies before `seq` is not looked for.
struct AuditWalk {
    std::uint64_t seq = 0;
    Digest head;
    std::optional<Found> found;
};
[[nodiscard]] Result<AuditWalk> walkAudit(
    StoreReader& store, std::uint64_t seq, const Digest& head, std::vector<KnownHead> known);

// What anchors say of this store; those of others are left out. BadSignature where one does not hold, or is
// signed with another key than `keys` (none: any).
[[nodiscard]] std::vector<Found> askAnchors(const std::vector<CheckpointRow>& anchors, const UuidBytes& store,
    const std::string& from, Questions& questions);

}  // namespace cairn::audit
