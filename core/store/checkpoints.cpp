// What stores say that keep no checkpoints, and the check that those share which do.

#include "core/store/checkpoints.h"

#include "core/store/checks.h"

#include <algorithm>
#include <map>

namespace cairn {

namespace {

Error keepsNone() { return makeError(ErrorKind::Refused, "this kind of store keeps no checkpoints"); }

}  // namespace

Result<AuditEnd> StoreReader::auditEnd() { return keepsNone(); }

Result<std::vector<CheckpointRow>> StoreReader::checkpoints(std::uint64_t, std::size_t)
{
    return std::vector<CheckpointRow>();
}

Result<std::optional<CheckpointRow>> StoreReader::newestCheckpoint()
{
    return std::optional<CheckpointRow>();
}

Result<std::vector<CoveredHead>> StoreReader::coveredHeads(std::uint64_t)
{
    return std::vector<CoveredHead>();
}

Status StoreReader::auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page)
{
    CAIRN_TRY_ASSIGN(page, audit(after, limit));
    return {};
}

Result<std::vector<AuditDay>> StoreReader::auditDays(std::uint64_t after, std::uint64_t upTo)
{
    constexpr std::uint64_t kPart = 500;
    std::map<std::int64_t, AuditDay> days;
    std::vector<AuditRow> page;
    for (std::uint64_t seq = after; seq < upTo; seq = page.back().seq) {
        CAIRN_TRY(auditPage(seq, static_cast<std::size_t>(std::min(kPart, upTo - seq)), page));
        if (page.empty())
            break;
        for (const AuditRow& row : page) {
            AuditDay& day = days[row.time / kDayMs];
            day.day = row.time / kDayMs;
            ++day.entries;
            day.refused += row.kind == "refused" ? 1 : 0;
            day.first = day.first == 0 ? row.seq : day.first;
            day.last = row.seq;
        }
    }
    std::vector<AuditDay> all;
    for (const auto& [number, day] : days)
        all.push_back(day);
    return all;
}

Result<std::vector<OpenHead>> StoreReader::runHeads(const RunId&, std::size_t) { return keepsNone(); }

Result<std::size_t> StoreReader::eachEntry(const ChainPlace&, std::size_t, const SeeEntry&)
{
    return keepsNone();
}

Result<std::size_t> StoreReader::scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see)
{
    const ChainPlace after = place.chain;
    return eachEntry(after, limit, [&](const RunId& run, const SealedEntry& entry) {
        place.chain = {run, entry.version};
        see(run, entry);
    });
}

Status StoreWriter::appendCheckpoint(const CheckpointRow&, std::span<const RunHead>) { return keepsNone(); }

Status checkCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads, std::uint64_t newest)
{
    if (row.number != newest + 1)
        return makeError(ErrorKind::Conflict,
            "checkpoint " + std::to_string(row.number) + " does not follow the newest one here, "
                + std::to_string(newest));
    const bool ordered = std::adjacent_find(heads.begin(), heads.end(),
                             [](const RunHead& a, const RunHead& b) { return !(a.run < b.run); })
        == heads.end();
    if (heads.size() != row.runs || heads.size() > kCheckpointRuns || !ordered || !isStorableText(row.login))
        return makeError(ErrorKind::InvalidInput,
            "a checkpoint names up to " + std::to_string(kCheckpointRuns)
                + " runs, each once, in the order of their ids");
    return {};
}

}  // namespace cairn
