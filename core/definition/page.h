#pragma once
// The page of a provider on which a person looks up whether an effect happened: a URL in the definition of a
// tool, with {key} where the effect's key goes. Pure.

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cairn {

inline constexpr std::size_t kLongestPage = 500;

// InvalidInput: no https:// or http:// URL, blanks or control characters, or braces that are not {key}.
[[nodiscard]] Status checkPage(std::string_view page);

// The URL for an effect: its key percent-encoded (RFC 3986, 2.1), so that it stays within its place.
[[nodiscard]] std::string pageFor(std::string_view page, std::string_view effectKey);

}  // namespace cairn
