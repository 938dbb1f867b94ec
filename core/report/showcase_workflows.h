#pragma once
// The workflows of the showcase, as text. Internal to it.

#include <string>
#include <vector>

namespace cairn::showcase {

// In an order in which children come before their parents.
[[nodiscard]] std::vector<std::string> workflows();
// What search-suppliers finds: a catalogue of so many bytes or a little more, on one line.
[[nodiscard]] std::string offers(std::size_t bytes);

}  // namespace cairn::showcase
