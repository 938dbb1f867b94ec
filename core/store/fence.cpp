#include "core/store/fence.h"

#include "core/store/store.h"

namespace cairn {

namespace {

constexpr unsigned kKindShift = 26;  // above the number of the copy
constexpr std::uint32_t kFirstMove = 0x7000'0000;

}  // namespace

std::uint32_t minWriterOf(const Fence& fence) noexcept
{
    if (fence.kind == FenceKind::Imported)
        return kFirstFence | (fence.copy & (kCopies - 1));
    return kFirstMove | static_cast<std::uint32_t>(fence.kind) << kKindShift | (fence.copy & (kCopies - 1));
}

std::optional<Fence> fenceOf(std::uint32_t minWriter) noexcept
{
    if (minWriter < kFirstFence)
        return std::nullopt;
    if (minWriter < kFirstMove)
        return Fence{FenceKind::Imported, minWriter & (kCopies - 1)};
    return Fence{static_cast<FenceKind>((minWriter >> kKindShift) & 3U), minWriter & (kCopies - 1)};
}

Error fenceError(const Fence& fence)
{
    switch (fence.kind) {
    case FenceKind::Leaving:
        return makeError(ErrorKind::Refused,
            "this store is being moved: `cairn audit list` tells where to; nothing is written into it");
    case FenceKind::Moved:
        return makeError(ErrorKind::Refused,
            "this store was moved: `cairn audit list` tells where to; nothing is written into it");
    case FenceKind::Filling:
        return makeError(ErrorKind::Refused,
            "this store is the copy of a move that has not ended; nothing is written into it before: "
            "`cairn store copy` again, as it was begun, goes on");
    case FenceKind::Imported:
        return makeError(ErrorKind::Refused,
            "this store was made from a bundle, to be looked at: nothing is written into it; act on the run "
            "in the store that it was exported from");
    case FenceKind::Abandoned: break;
    }
    return makeError(ErrorKind::Refused,
        "this store is what a move left that was given up; it is never opened again: remove it");
}

Status checkWriter(std::uint32_t minWriter, std::uint32_t known, std::uint32_t intoFence)
{
    if (minWriter <= known || (intoFence != 0 && minWriter == intoFence))
        return {};
    if (const auto fence = fenceOf(minWriter))
        return fenceError(*fence);
    return makeError(ErrorKind::SchemaMismatch,
        "this store is written by schema " + std::to_string(minWriter)
            + " and newer; this program knows schema " + std::to_string(known)
            + " and neither claims nor writes");
}

Status checkFenceChange(const FenceChange& change, std::uint32_t minWriter, const Digest& head)
{
    if (minWriter == change.from && (change.auditHead.isNull() || change.auditHead == head))
        return {};
    if (const auto fence = fenceOf(minWriter))
        return makeError(ErrorKind::Conflict, fenceError(*fence).text);
    return makeError(ErrorKind::Conflict, "the store has changed since it was looked at; look again");
}

Error engineLives(const std::string& name, const std::string& host, std::int64_t pid)
{
    return makeError(ErrorKind::Refused,
        "an engine still lives: " + name + " on " + host + ", process " + std::to_string(pid)
            + "; end it, or wait until its lease has passed, then move the store");
}

// What waits for somebody, or is carried out, would go on in either place, or in none.
Result<std::vector<std::string>> StoreReader::unmovable()
{
    std::vector<std::string> found;
    CAIRN_TRY_ASSIGN(const std::vector<PlanRow> open, plans(false, 1));
    if (!open.empty())
        found.push_back("plan " + toText(open.front().id) + " is not finished: let it end, or abort it");
    CAIRN_TRY_ASSIGN(const std::vector<Review> unseen, reviews(false, 1));
    if (!unseen.empty())
        found.push_back("the review of act " + toText(unseen.front().command)
            + ", which was done by break-glass, is open: close it first (`cairn audit review`)");
    return found;
}

Status StoreWriter::extendAudit(std::span<const AuditRow>)
{
    return makeError(ErrorKind::Refused, "this store cannot be filled from another");
}

Status StoreWriter::changeFence(const FenceChange&)
{
    return makeError(ErrorKind::Refused, "this store cannot be moved");
}

}  // namespace cairn
