#pragma once
// What a hint says on the wire: letters. Whoever may connect to the database may send any: what is not
// understood makes everything to be looked at, and nothing else.

#include "core/store/hints.h"

#include <string>
#include <string_view>

namespace cairn::postgres {

// The channel of a database. It stands in sql.inc as well.
inline constexpr const char* kHintChannel = "cairn_hints";

[[nodiscard]] std::string hintWord(HintSet what);
[[nodiscard]] HintSet hintOf(std::string_view word) noexcept;

}  // namespace cairn::postgres
