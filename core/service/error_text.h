#pragma once
// What an error payload says, for people and for grouping. Understands text, a JSON string, and JSON objects
// with "message", "error", "detail" or "reason". Pure.

#include <string>
#include <string_view>

namespace cairn {

// As written, any number of lines; not yet made visible.
[[nodiscard]] std::string errorTextOf(std::string_view bytes, std::string_view media);
// For list rows: without what differs from run to run, one line, clipped.
[[nodiscard]] std::string normalisedError(std::string_view bytes, std::string_view media);

}  // namespace cairn
