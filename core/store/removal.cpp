#include "core/store/removal.h"

#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/store/checks.h"

#include <set>

namespace cairn {

namespace {

Error keepsNone()
{
    return makeError(
        ErrorKind::Refused, "this kind of store deletes nothing: it is only read, or thrown away");
}

bool isZero(const PublicKey& key) { return key == PublicKey{}; }

}  // namespace

std::string tombstoneText(const UuidBytes& store, const Tombstone& stone)
{
    WireWriter out;
    out.raw("cairn-tombstone");
    out.u16(1);
    out.raw(std::string_view(reinterpret_cast<const char*>(store.data()), store.size()));
    out.id(stone.run);
    out.id(stone.root);
    out.bytes(stone.workflow);
    out.u32(stone.workflowVersion);
    out.u64(stone.versions);
    out.digest(stone.head);
    out.i64(stone.createdAt);
    out.i64(stone.endedAt);
    out.u8(static_cast<std::uint8_t>(stone.as));
    out.i64(stone.deletedAt);
    out.bytes(stone.rule);
    out.bytes(stone.by);
    return std::string(out.out());
}

StoneSeal sealOf(const UuidBytes& store, const Tombstone& stone)
{
    if (isZero(stone.key))
        return StoneSeal::Unsigned;
    return verifySignature(stone.key, tombstoneText(store, stone), stone.signature) ? StoneSeal::Good
                                                                                    : StoneSeal::Bad;
}

std::string removedText(const Tombstone& stone)
{
    return "run " + toText(stone.run) + " was removed on " + formatInstant(stone.deletedAt) + " by "
        + stone.by + ": " + stone.rule;
}

Status checkRetention(const RetentionRow& row)
{
    if (!isStorableText(row.workflow))
        return makeError(ErrorKind::InvalidInput, "the workflow's name must be valid text");
    if (row.keepDays == 0 || row.keepDays > kMostDays || row.redactDays > kMostDays
        || row.keysDays > kMostDays)
        return makeError(ErrorKind::InvalidInput,
            "days are from 1 to " + std::to_string(kMostDays)
                + "; 0 is for redacting (never) and keys (for ever)");
    if (row.redactDays > row.keepDays)
        return makeError(ErrorKind::InvalidInput,
            "payloads cannot be redacted after " + std::to_string(row.redactDays)
                + " days, for the run is kept " + std::to_string(row.keepDays));
    if (row.keysDays != 0 && row.keysDays < row.keepDays)
        return makeError(ErrorKind::InvalidInput,
            "keys cannot be forgotten after " + std::to_string(row.keysDays)
                + " days, for the run that holds them is kept " + std::to_string(row.keepDays));
    return {};
}

Result<bool> addsEntry(const AuditRow& audit, std::uint32_t intoFence)
{
    if (audit.kind.empty())
        CAIRN_TRY(checkFilled(intoFence));
    else
        CAIRN_TRY(checkAudit(audit));
    return !audit.kind.empty();
}

Status checkRemoval(const TreeRemoval& removal)
{
    CAIRN_TRY(checkAudit(removal.audit));
    std::set<RunId> seen;
    for (const Tombstone& stone : removal.stones) {
        if (stone.root != removal.root || stone.versions == 0 || stone.head.isNull()
            || !seen.insert(stone.run).second)
            return makeError(ErrorKind::InvalidInput, "the tombstones are not those of one tree");
        if (!isStorableText(stone.workflow) || !isStorableText(stone.rule) || !isStorableText(stone.by))
            return makeError(ErrorKind::InvalidInput, "a tombstone's rule and name must be valid text");
    }
    if (!seen.contains(removal.root))
        return makeError(ErrorKind::InvalidInput, "a tree is removed with its root");
    return {};
}

// --- stores that keep none of it

Result<std::optional<Tombstone>> RemovalReader::tombstone(const RunId&) { return std::optional<Tombstone>(); }
Result<std::vector<Tombstone>> RemovalReader::tombstones(const RunId&, std::size_t)
{
    return std::vector<Tombstone>();
}
Result<std::vector<RemovedRun>> RemovalReader::removedRuns(const RunId&, std::size_t)
{
    return std::vector<RemovedRun>();
}
Result<std::vector<RetentionRow>> RemovalReader::retention() { return std::vector<RetentionRow>(); }
Result<TreeBonds> RemovalReader::bondsOf(const RunId&) { return TreeBonds{}; }
Result<RunBytes> RemovalReader::bytesOf(const RunId&) { return RunBytes{}; }
Result<StoreSpace> RemovalReader::space() { return StoreSpace{}; }
Result<SecretList> RemovalReader::neverStore() { return SecretList{}; }
Result<bool> RemovalWriter::removeTree(const TreeRemoval&) { return keepsNone(); }
Result<std::uint64_t> RemovalWriter::sweepRemoved(std::size_t) { return std::uint64_t{0}; }
Result<std::uint64_t> RemovalWriter::forgetKeys(TimeMs, std::size_t) { return std::uint64_t{0}; }
Status RemovalWriter::extendRemoved(std::span<const RemovedRun> runs)
{
    return runs.empty() ? Status() : keepsNone();
}
Status RemovalWriter::setRetention(const RetentionRow&, const AuditRow&) { return keepsNone(); }
Status RemovalWriter::setNeverStore(const SecretList&, const AuditRow&) { return keepsNone(); }
Result<std::uint64_t> RemovalWriter::giveBack(std::uint64_t) { return std::uint64_t{0}; }

}  // namespace cairn
