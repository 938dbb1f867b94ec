#pragma once
// Rows of a store as JSON objects, and back: what bundles are made of. Ids and digests as text, bytes as
// base64, enums by their keys, times in milliseconds, whole numbers as numbers. What is read is hostile: each
// member must be there, with its type, and nothing else beside it.

#include "core/base/result.h"
#include "core/store/whole.h"

#include <string>
#include <string_view>

namespace cairn::exporting {

struct DefinitionRow {
    std::string name;
    std::uint32_t version = 0;
    Digest digest;
    TimeMs addedAt = kNoTime;
};

// A run but for its entries and payloads.
[[nodiscard]] std::string stateJson(const WholeRun& whole);
[[nodiscard]] Result<WholeRun> parseState(std::string_view json);

[[nodiscard]] std::string toJson(const SealedEntry& entry);
[[nodiscard]] std::string toJson(const PayloadInfo& info);
[[nodiscard]] std::string toJson(const AuditRow& row);
[[nodiscard]] std::string toJson(const DefinitionRow& row);
// InvalidInput says which member is wrong.
[[nodiscard]] Status parseRow(std::string_view json, SealedEntry& entry);
[[nodiscard]] Status parseRow(std::string_view json, PayloadInfo& info);
[[nodiscard]] Status parseRow(std::string_view json, AuditRow& row);
[[nodiscard]] Status parseRow(std::string_view json, DefinitionRow& row);

}  // namespace cairn::exporting
