#pragma once
// Numbers of things, as sentences have them. Pure.

#include <cstdint>
#include <string>

namespace cairn {

[[nodiscard]] std::string counted(std::uint64_t count, const char* one, const char* many);  // "3 entries"
[[nodiscard]] std::string counted(std::uint64_t count, const char* one);  // "3 runs": with an s

}  // namespace cairn
