#pragma once
// Anchors: checkpoints kept outside of the store, in a file of JSON lines or in the audit of another store.

#include "core/audit/checkpoint.h"

namespace cairn::audit {

// One line of JSON, without its end: the checkpoint as signed.
[[nodiscard]] std::string anchorJson(const CheckpointRow& row);
// InvalidInput: it is no anchor. The signature is not looked at.
[[nodiscard]] Result<CheckpointRow> parseAnchor(std::string_view json);

// Adds a line, under a lock, and is durable when it returns. Makes the file (mode 0644) where it is not
// there.
[[nodiscard]] Status appendAnchor(const std::string& path, const CheckpointRow& row);
// All of a file, in its order; of any store. NotFound. InvalidInput names the line that is none.
[[nodiscard]] Result<std::vector<CheckpointRow>> readAnchors(const std::string& path);

// As an entry of another store's audit, which has a chain of its own. `act` says who does it, and why.
[[nodiscard]] Status appendAnchor(StoreWriter& other, AuditRow act, const CheckpointRow& row);
// Those that another store keeps of this one.
[[nodiscard]] Result<std::vector<CheckpointRow>> readAnchors(StoreReader& other, const UuidBytes& store);

}  // namespace cairn::audit
