#pragma once
// JSON text (RFC 8259) as bytes: checked, and looked into, without building a tree. Values stay raw slices of
// the given text, so that numbers, escapes and white space are kept exactly as they came. Pure, thread-safe,
// never recursive.

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct JsonLimits {
    std::size_t size = 256u << 20;          // bytes of the whole text
    std::uint32_t depth = 512;              // arrays and objects inside each other
    std::size_t members = 1'000'000;        // names of all objects that are open at one time
    std::size_t stringLength = 256u << 20;  // bytes of one string as written
    bool allowNul = true;                   // \u0000 in strings (a raw NUL byte is never JSON)
};
// Payloads: kept and handed on, never interpreted as a whole.
inline constexpr JsonLimits kPayloadJson{};
// What Cairn interprets: definitions, decisions, envelopes.
inline constexpr JsonLimits kInterpretedJson{1u << 20, 64, 10'000, 256u << 10, false};

struct JsonFault {
    std::size_t offset = 0;  // byte at which the text stops being acceptable
    std::string text;        // what was expected and what was found, without the place
};

// The first fault, or nothing where `bytes` is one JSON value within the limits: valid UTF-8, no duplicate
// member names (compared after decoding), no number beyond the range of a double, no lone surrogate escape.
[[nodiscard]] std::optional<JsonFault> findJsonFault(
    std::string_view bytes, const JsonLimits& limits = kPayloadJson);
// The same as a Status: InvalidInput with "line 3, column 7 (byte 41): expected ',' or '}', found 'x'".
[[nodiscard]] Status validateJson(std::string_view bytes, const JsonLimits& limits = kPayloadJson);

struct LineColumn {
    std::uint32_t line = 1;    // from 1; lines end with LF
    std::uint32_t column = 1;  // from 1, in characters (code points)
    friend bool operator==(const LineColumn&, const LineColumn&) = default;
};
[[nodiscard]] LineColumn lineColumn(std::string_view bytes, std::size_t offset) noexcept;

// --- looking into a text that validateJson accepted
// On other input these never read out of bounds, but what they answer is not specified.

enum class JsonKind : std::uint8_t { Invalid, Null, Bool, Number, String, Array, Object };
// By the first character that is not white space.
[[nodiscard]] JsonKind jsonKind(std::string_view slice) noexcept;
// "null", "true or false", "a number", "text", "a list", "an object": for messages.
[[nodiscard]] std::string_view jsonKindName(JsonKind kind) noexcept;

// Without white space around it.
[[nodiscard]] std::string_view jsonTrim(std::string_view slice) noexcept;

struct JsonMember {
    std::string name;          // decoded
    std::string_view written;  // the name as written, with its quotes
    std::string_view value;    // raw slice
};
// InvalidInput where the slice is not an array (object).
[[nodiscard]] Result<std::vector<std::string_view>> jsonArraySlices(std::string_view slice);
[[nodiscard]] Result<std::vector<JsonMember>> jsonObjectMembers(std::string_view slice);
// Number of items without collecting them.
[[nodiscard]] Result<std::size_t> jsonArraySize(std::string_view slice);
// Item `index` of an array; NotFound where it has fewer.
[[nodiscard]] Result<std::string_view> jsonArrayItem(std::string_view slice, std::size_t index);

// The value at an RFC 6901 pointer ("" is the whole value). NotFound names the part that is missing and what
// is there; InvalidInput where the pointer itself is malformed.
[[nodiscard]] Result<std::string_view> jsonAt(std::string_view bytes, std::string_view pointer);
// Empty where the pointer is well-formed; else what is wrong with it.
[[nodiscard]] std::string jsonPointerFault(std::string_view pointer);
// The decoded parts of a well-formed pointer.
[[nodiscard]] std::vector<std::string> jsonPointerParts(std::string_view pointer);
// One part, escaped for use in a pointer (~ and /).
[[nodiscard]] std::string jsonPointerPart(std::string_view part);

// Decodes a JSON string.
[[nodiscard]] Result<std::string> jsonString(std::string_view slice);
// A whole number that fits; "1.0" and "1e2" are not whole numbers here.
[[nodiscard]] Result<std::int64_t> jsonInt(std::string_view slice);
[[nodiscard]] Result<bool> jsonBool(std::string_view slice);
// `text` (UTF-8) as a JSON string with its quotes. Control characters are escaped, all else is kept.
[[nodiscard]] std::string jsonQuote(std::string_view text);
// The same value without white space between its tokens; tokens are kept as written.
[[nodiscard]] std::string jsonCompact(std::string_view slice);

}  // namespace cairn
