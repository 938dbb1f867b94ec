#pragma once
// Texts that may hold a secret, on their way into a message. Pure, thread-safe.

#include <string>
#include <string_view>

namespace cairn {

// A store's URL, however mistyped, with "***" for what may be a password in it: after user:, after password=.
[[nodiscard]] std::string maskPassword(std::string_view url);

}  // namespace cairn
