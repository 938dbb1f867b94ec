#pragma once
// Text for people and from people. All text is UTF-8 bytes. Pure, thread-safe, no locale.

#include "core/base/clock.h"
#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// --- UTF-8 (RFC 3629: no overlong forms, no surrogates)

// The code point that begins at `at` and its length in bytes; nullopt where the bytes are not valid UTF-8.
struct CodePoint {
    char32_t value = 0;
    std::size_t size = 0;
};
[[nodiscard]] std::optional<CodePoint> codePointAt(std::string_view text, std::size_t at) noexcept;
// Position of the first byte that is not valid UTF-8; nullopt: all is well. A NUL is valid UTF-8: see
// checkText.
[[nodiscard]] std::optional<std::size_t> firstInvalidUtf8(std::string_view text) noexcept;
[[nodiscard]] inline bool isUtf8(std::string_view text) noexcept { return !firstInvalidUtf8(text); }
// InvalidInput where the text is not valid UTF-8 or holds a NUL: what no store takes as text. `what` names
// the text.
[[nodiscard]] Status checkText(std::string_view what, std::string_view text);

// --- text from runs and from outside, on its way to a person

// Shows nothing, or changes the direction of what follows: zero-width, directional and interlinear
// characters, line separators, fillers, tags. Control characters and emoji's variation selectors are not
// among them.
[[nodiscard]] bool isInvisible(char32_t c) noexcept;

// Control characters but \n and \t, DEL and C1 controls, directional and zero-width characters are written
// out (\x1b, \u{202e}), bytes that are not UTF-8 as \xNN. The result is valid UTF-8 that cannot steer a
// terminal.
[[nodiscard]] std::string visible(std::string_view text);
// The same for one line: newline and tab too, as \n and \t.
[[nodiscard]] std::string visibleLine(std::string_view text);
// At most `maxBytes` bytes, cut between code points, followed by "… (N more bytes)" where something was cut.
[[nodiscard]] std::string clipped(std::string_view text, std::size_t maxBytes);
// The text as a JSON string with its quotes. Control, directional and zero-width characters are escaped,
// bytes that are not UTF-8 become U+FFFD: the result is always valid JSON.
void appendJsonString(std::string& out, std::string_view text);

// --- time

[[nodiscard]] std::string formatInstant(TimeMs time);    // 2026-11-29 10:42:07Z
[[nodiscard]] std::string formatInstantMs(TimeMs time);  // 2026-11-29 10:42:07.123Z
[[nodiscard]] std::string formatRfc3339(TimeMs time);    // 2026-11-29T10:42:07.123Z, for JSON
// RFC 3339 date-time with its offset ("2027-04-30T17:00:00+02:00", also with a blank for the T). Refuses a
// missing offset, dates and times that do not exist, and anything around it. Digits beyond milliseconds are
// dropped.
[[nodiscard]] Result<TimeMs> parseInstant(std::string_view text);

[[nodiscard]] std::string formatSpan(SpanMs span);  // 850 ms, 12.4 s, 3 m 05 s, 1 h 04 m, 2 d 3 h
// "250ms", "30s", "5m", "2h", "1d" and sums of them from large to small ("1h30m"); at most 100 years.
[[nodiscard]] Result<SpanMs> parseSpan(std::string_view text);

// --- numbers

[[nodiscard]] std::string formatCount(std::int64_t count);  // 10 000
[[nodiscard]] std::string formatBytes(std::uint64_t size);  // 512 B, 16 KiB, 1.5 MiB (cut, never rounded up)
// Millionths with their currency: "4 860.00 EUR". All digits that are there are shown; at least the
// currency's usual.
[[nodiscard]] std::string formatMoney(std::int64_t micros, std::string_view currency);
// The amount alone, without grouping: "4860.00".
[[nodiscard]] std::string formatAmount(std::int64_t micros, std::string_view currency);
// Decimal text ("-12", "4860.00") to millionths. Refuses more than 6 decimals, exponents, blanks, and
// overflow.
[[nodiscard]] Result<std::int64_t> parseAmount(std::string_view text);

// --- ids, reasons, errors

// First 6 and last 4 characters: 0193b2…9a1f; short ones as they are.
[[nodiscard]] std::string shortId(std::string_view id);
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;  // blanks of ASCII at both ends
// How much a person wrote: code points without those that show nothing, runs of blanks counted once, ends
// trimmed.
[[nodiscard]] std::uint32_t reasonLength(std::string_view text) noexcept;
// An error's text without what differs from run to run, so that equal situations can be grouped: quoted text,
// ids, hexadecimal and other numbers, addresses are masked, blanks collapsed, at most 400 bytes. Status codes
// stay, where HTTP, status, code, errno, signal or exit comes before them: "HTTP 429" is not "HTTP 503".
[[nodiscard]] std::string errorSignature(std::string_view text);

}  // namespace cairn
