// What some stores have and others have not. Staging where a store has no logins: whoever may write it
// commits at once (DESIGN 9), so nothing is staged. Hints where processes cannot reach each other: none. A
// bucket for artifacts beside a store in memory: none. Standbys, break-glass: where there is one file, none.

#include "core/store/store.h"

namespace cairn {

Result<StoreRights> StoreReader::rights() { return StoreRights{}; }

Result<std::map<SessionId, HintHealth::State>> StoreReader::shownHints()
{
    return std::map<SessionId, HintHealth::State>();
}

Status StoreWriter::showHints(const SessionId&, HintHealth::State) { return {}; }

Result<std::optional<StagedAct>> StoreReader::stagedAct(const CommandId&)
{
    return std::optional<StagedAct>();
}

Result<std::vector<StagedAct>> StoreReader::waitingActs(std::size_t) { return std::vector<StagedAct>(); }

Result<std::vector<StagedAct>> StoreReader::answeredActs(const CommandId&, std::size_t)
{
    return std::vector<StagedAct>();
}

Result<Replica> StoreReader::replica() { return Replica{}; }

Result<std::vector<Review>> StoreReader::reviews(bool, std::size_t) { return std::vector<Review>(); }

Status StoreWriter::closeReview(const CommandId&, std::string_view)
{
    return makeError(ErrorKind::Refused,
        "this kind of store knows no logins: who closes a review says so through the audit");
}

Status StoreWriter::decideAct(const StagedAct&)
{
    return makeError(ErrorKind::Refused,
        "this kind of store knows no logins: who decides an act says so through the audit");
}

Status StoreWriter::extendPolicies(std::span<const PolicyRow> rows)
{
    return rows.empty() ? Status() : makeError(ErrorKind::Refused, "this kind of store keeps no policies");
}

Result<std::optional<PolicyRow>> StoreReader::policy(std::uint64_t) { return std::optional<PolicyRow>(); }

Result<std::optional<bool>> StoreReader::holdsRole(std::string_view, std::string_view)
{
    return std::optional<bool>();
}

Result<std::uint64_t> StoreWriter::forgetStaged(std::size_t) { return std::uint64_t{0}; }

Status StoreWriter::extendActs(std::span<const StagedAct> acts)
{
    return acts.empty() ? Status() : makeError(ErrorKind::Refused, "this kind of store keeps no acts");
}

Status StoreWriter::extendReviews(std::span<const Review> reviews)
{
    return reviews.empty() ? Status() : makeError(ErrorKind::Refused, "this kind of store keeps no reviews");
}

Result<std::vector<PayloadInfo>> StoreReader::redactedPayloads(const RunId&)
{
    return std::vector<PayloadInfo>();
}

Status StoreWriter::stage(const StagedAct&)
{
    return makeError(
        ErrorKind::Refused, "nothing is left for an engine in this store: whoever acts commits at once");
}

Result<std::vector<StagedAct>> StoreWriter::takeStaged(std::size_t) { return std::vector<StagedAct>(); }

Status StoreWriter::finishStaged(const StagedAct&)
{
    return makeError(
        ErrorKind::Refused, "nothing is left for an engine in this store: whoever acts commits at once");
}

Result<std::vector<PlanRow>> PlanReader::plans(bool, std::size_t) { return std::vector<PlanRow>(); }

Result<std::vector<PlanRow>> PlanReader::plansUnderWay(std::size_t) { return std::vector<PlanRow>(); }

Result<std::optional<PlanRow>> PlanReader::plan(const PlanId&) { return std::optional<PlanRow>(); }

Result<std::vector<PlanItem>> PlanReader::planItems(
    const PlanId&, std::uint32_t, std::size_t, std::optional<PlanItemState>)
{
    return std::vector<PlanItem>();
}

Result<std::vector<PlanCount>> PlanReader::planCounts(const PlanId&) { return std::vector<PlanCount>(); }

Result<std::vector<PlanOfRun>> PlanReader::plansOfRuns(std::span<const RunId>)
{
    return std::vector<PlanOfRun>();
}

Status PlanWriter::changePlan(const PlanChange&)
{
    return makeError(ErrorKind::Refused, "this kind of store keeps no plans");
}

Status PlanWriter::leaveDraft(const PlanChange&)
{
    return makeError(
        ErrorKind::Refused, "no draft is left for an engine in this store: whoever acts commits at once");
}

Result<ChunkTotals> StoreReader::chunkTotals() { return ChunkTotals{}; }

Result<std::vector<ChunkRow>> StoreReader::chunksElsewhere(const ArtifactId&, std::uint32_t, std::size_t)
{
    return std::vector<ChunkRow>();
}

Status StoreWriter::changeArtifacts(const ArtifactChange&)
{
    return makeError(ErrorKind::Refused, "this kind of store keeps its artifacts itself");
}

}  // namespace cairn
