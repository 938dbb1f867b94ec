#pragma once
// What a store says of a payload.

#include "core/base/result.h"
#include "core/store/rows.h"

#include <optional>
#include <string>

namespace cairn {

struct PayloadInfo {
    PayloadRef ref;
    Salt salt{};
    bool redacted = false;
    ArtifactId artifact;  // null: inline
    std::int64_t by = 0;  // where it is redacted: PayloadRow::redactedBy
};
// Why its bytes are not there; `by`: as stored.
[[nodiscard]] Error redactedError(const PayloadId& payload, std::int64_t by);

// One of several that were read at once.
struct FoundPayload {
    PayloadInfo info;
    std::optional<std::string> bytes;  // of inline ones, up to the size that was asked for
};
inline constexpr std::size_t kPayloadPage = 500;  // that many inline ones are at most 8 MiB

}  // namespace cairn
