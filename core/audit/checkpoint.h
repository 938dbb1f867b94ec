#pragma once
// Signed checkpoints: what is signed, how one is made, and how they are read outside of the store. A
// checkpoint signs the end of the audit, and the heads of all runs that went on since the one before; so all
// checkpoints together cover every run. One has room for kCheckpointRuns heads: where more went on, several
// are made in a row.

#include "core/store/store.h"

namespace cairn::audit {

// The bytes that are signed: a tag, and every field but signature and login.
[[nodiscard]] std::string signedBytes(const CheckpointRow& row);
// Names a checkpoint with its signature: the next one's `previous`.
[[nodiscard]] Digest checkpointHash(const CheckpointRow& row);
[[nodiscard]] Digest runHeadsDigest(std::span<const RunHead> heads);
[[nodiscard]] bool signatureHolds(const CheckpointRow& row) noexcept;

struct Checkpointed {
    std::uint64_t made = 0;  // checkpoints
    std::uint64_t runs = 0;  // heads that they cover
    CheckpointRow newest;
};
// Makes at least one, also where nothing went on. What went on since the newest is checked link by link
// first: Corrupt where it is broken, and nothing more is signed. `login`: who makes it, where the store
// knows no logins. Blocks; reads each run's row, and the entries since the newest checkpoint.
[[nodiscard]] Result<Checkpointed> makeCheckpoint(
    StoreWriter& store, const SigningKey& key, const std::string& login);

// Where the newest is `every` old by the store's clock, or there is none.
[[nodiscard]] Result<bool> checkpointDue(StoreReader& store, SpanMs every);

}  // namespace cairn::audit
