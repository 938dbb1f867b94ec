#pragma once
// What bundles and receipts need of keys beside core/base/signing.h.

#include "core/base/signing.h"

#include <optional>
#include <string>
#include <string_view>

namespace cairn::exporting {

// Base64 with padding, and nothing else: the one text that base64() makes of those bytes.
[[nodiscard]] std::optional<std::string> parseBase64(std::string_view text);
// The first 16 hexadecimal digits of SHA-256 of the key: to be read out, and compared.
[[nodiscard]] std::string fingerprint(const PublicKey& key);

}  // namespace cairn::exporting
