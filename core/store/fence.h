#pragma once
// Moving a store to another place (core/service/copy_store.h). `meta.min_writer` is read in every write
// transaction, and a number above what a program knows stops it. Numbers from kFirstFence on are no schemas
// but fences: whoever may still read, nobody writes. A program that does not know them stops all the same.
//
// The store that is left goes through Leaving and Moved, the one that is filled is made Filling and ends
// without a fence, or as Abandoned. Each change is one transaction that fails where the store no longer is as
// it was seen, and the new place opens only after the old one is Moved: so at no instant do both take writes.

#include "core/base/result.h"
#include "core/store/rows.h"

#include <optional>

namespace cairn {

enum class FenceKind : std::uint8_t {
    Leaving,    // being moved away; may be given back
    Moved,      // moved away; may be given back only while the copy is not opened
    Filling,    // the copy of a move that has not ended
    Abandoned,  // the copy of a move that was given up: never opened
    Imported,   // made from a bundle (core/export), to be looked at: never opened for writing
};

inline constexpr std::uint32_t kFirstFence = 0x6C00'0000;  // Imported; those of moves begin at 0x7000'0000
inline constexpr std::uint32_t kCopies = 1U << 26U;        // random numbers that tell one copy from another

struct Fence {
    FenceKind kind = FenceKind::Leaving;
    std::uint32_t copy = 0;  // below kCopies; 0: no copy has been made yet
    friend bool operator==(const Fence&, const Fence&) = default;
};
[[nodiscard]] std::uint32_t minWriterOf(const Fence& fence) noexcept;
[[nodiscard]] std::optional<Fence> fenceOf(std::uint32_t minWriter) noexcept;  // nothing: none

// Why nothing is written, and what to do.
[[nodiscard]] Error fenceError(const Fence& fence);
// Asked in every write transaction. `known`: this program's schema.
[[nodiscard]] Status checkWriter(std::uint32_t minWriter, std::uint32_t known, std::uint32_t intoFence);

// In one transaction: Conflict unless min_writer is `from` and the audit ends where it was seen to; the audit
// entry is added, and min_writer set. It waits for commits under way, and those after it see the new number.
struct FenceChange {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool withoutEngines = false;  // Refused, naming one, while an engine's lease runs
    Digest auditHead;             // hash of the newest audit entry; null: not compared
    std::optional<AuditRow> audit = std::nullopt;
};
// What each store checks of it, in its transaction. `head`: of its audit.
[[nodiscard]] Status checkFenceChange(const FenceChange& change, std::uint32_t minWriter, const Digest& head);
// The engine that still lives.
[[nodiscard]] Error engineLives(const std::string& name, const std::string& host, std::int64_t pid);

}  // namespace cairn
