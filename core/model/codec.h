#pragma once
// Entries to bytes and back, and the hash chain over them. Pure.

#include "core/base/result.h"
#include "core/model/entry.h"

#include <span>

namespace cairn {

// Encodes with the given format (1 or 2). Fields since format 2 are dropped when format is 1.
[[nodiscard]] std::string encodeEntry(const Entry& entry, std::uint16_t format);
// Refuses a format above kMaxFormat (SchemaMismatch), unknown tags, enum values outside the vocabulary, short
// or overlong input (Corrupt). Entries of format 1 have no trace and span: those are zero after decoding, and
// apply() fills them with legacyTrace and legacySpan.
[[nodiscard]] Result<Entry> decodeEntry(std::string_view body, std::uint16_t format);

[[nodiscard]] Digest entryHash(std::uint16_t format, const Digest& previous, std::string_view body);
[[nodiscard]] SealedEntry sealEntry(const Entry& entry, std::uint16_t format, const Digest& previous);
// Checks hash and link of one entry, and that its columns say what its body says; the error names the
// version.
[[nodiscard]] Status checkSeal(const SealedEntry& sealed, const Digest& previous);

// The facts as JSON text (for `history --json`, exports and people), one object per fact:
// {"fact":"step_ready",...}. Ids and digests as text, enums by their keys, 64-bit integers as numbers, times
// in milliseconds since 1970. Null ids, digests, payloads, amounts and "no step" are null; a trace and a span
// are hexadecimal text.
[[nodiscard]] std::string factJson(const Fact& fact);
[[nodiscard]] std::string entryJson(const Entry& entry);

// Trace and span of an attempt that was written by format 1.
[[nodiscard]] UuidBytes legacyTrace(const RunId& run);
[[nodiscard]] std::uint64_t legacySpan(const AttemptId& attempt);

}  // namespace cairn
