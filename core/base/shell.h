#pragma once
// Words for commands that people copy. Pure, any thread.

#include <string>
#include <string_view>

namespace cairn {

// As a POSIX shell reads it back as one word: itself where it needs no quotes, else in single quotes.
[[nodiscard]] std::string shellWord(std::string_view text);

}  // namespace cairn
