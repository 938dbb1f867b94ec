#pragma once
// A connection to a MemoryDatabase.

#include "core/store/memory/memory_database.h"

namespace cairn {

class MemoryStore final : public StoreWriter {
public:
    explicit MemoryStore(std::shared_ptr<MemoryDatabase> database, std::uint32_t intoFence = 0)
        : m_db(std::move(database))
        , m_intoFence(intoFence)
    {
    }

    Result<StoreInfo> info() override { return m_db->info; }
    Result<TimeMs> now() override { return m_db->now(); }
    Result<LoadedRun> loadRun(const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion) override;
    Result<HotRow> hot(const RunId& run) override;
    Result<std::optional<std::uint64_t>> findCommand(const RunId& run, const CommandId& command) override;
    Result<std::optional<RunRow>> findKey(std::string_view workflow, std::string_view key) override;
    Result<std::vector<RunId>> findRuns(std::string_view idPrefix, std::size_t limit) override;
    Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& payload) override;
    Result<std::string> payload(
        const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit) override;
    Result<std::vector<FoundPayload>> payloads(
        const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo) override;
    Result<std::vector<PayloadInfo>> redactedPayloads(const RunId& run) override;
    Result<std::vector<EffectRow>> effects(std::span<const EffectId> ids) override;
    Result<std::vector<EffectRow>> effectsOfRun(const RunId& run) override;
    Result<std::vector<ResourceRow>> resources() override;
    Result<std::vector<SessionRow>> sessions(bool endedToo) override;
    Result<std::vector<WorkflowRow>> workflows(bool withText) override;
    Result<std::optional<WorkflowRow>> workflow(std::string_view name, std::uint32_t version) override;
    Result<RunPage> list(const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after,
        std::size_t limit) override;
    Result<std::uint64_t> count(const ListFilter& filter) override;
    Result<std::vector<CountRow>> counts(const ListFilter& filter) override;
    Result<SituationList> situations(const ListFilter& filter, std::size_t limit) override;
    Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width) override;
    Result<std::vector<SituationPart>> situationParts(
        const ListFilter& filter, const std::string& situation) override;
    Result<std::vector<SituationStarts>> situationStarts(const ListFilter& filter,
        std::span<const std::string> situations, TimeMs from, SpanMs width) override;
    Result<std::vector<ListRow>> listRows(std::span<const RunId> runs) override;
    Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit) override;
    Result<std::vector<StepRow>> steps(const RunId& run) override;
    Result<std::vector<AttemptRow>> attempts(const RunId& run, StepIx step) override;
    Result<std::vector<ApprovalRow>> approvals(const RunId& run) override;
    Result<std::vector<AttributeRow>> attributes(const RunId& run) override;
    Result<std::vector<RunId>> children(const RunId& run) override;
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override;
    Result<std::vector<AuditRow>> auditOfRun(const RunId& run) override;
    Result<std::optional<std::uint64_t>> auditOfCommand(const CommandId& command) override;
    Result<std::vector<VerifyProblem>> check(bool deep) override;
    void interrupt() noexcept override { }

    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override;
    Result<std::vector<ClaimedRun>> claim(const SessionId& session, TimeMs now, std::size_t limit) override;
    Status release(const SessionId& session, std::span<const ClaimedRun> runs) override;
    Result<ClaimedRun> takeOver(const RunId& run, const SessionId& session) override;
    Status openSession(const SessionRow& session) override;
    Result<bool> heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil) override;
    Result<bool> endSession(const SessionId& session, TimeMs at, TimeMs leaseBefore) override;
    Result<std::vector<RunId>> takeWakeups(const SessionId& session) override;
    Status dropSessionsEndedBefore(TimeMs endedBefore) override;
    Result<std::vector<OutboxRow>> outbox(std::size_t limit, std::uint64_t after) override;
    Status dropOutbox(const OutboxRow& row) override;
    Status putResource(const ResourceRow& row) override;
    Result<std::uint64_t> slowResource(
        const ResourceRow& wanted, const ResourceRow& seen, AuditRow act) override;
    Status raiseBackOff(std::string_view resource, TimeMs until, bool askedByServer) override;
    Result<std::uint32_t> leaseSlots(const SessionId& session, std::string_view resource, std::uint32_t want,
        TimeMs now, TimeMs until) override;
    Result<std::uint32_t> spendRate(
        const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now) override;
    Status returnSlots(const SessionId& session, std::string_view resource) override;
    Status addWorkflow(const WorkflowRow& row) override;
    Result<std::uint64_t> appendAudit(AuditRow row) override;
    Result<std::optional<StagedAct>> stagedAct(const CommandId& command) override;
    Result<std::vector<StagedAct>> waitingActs(std::size_t limit) override;
    Result<std::vector<StagedAct>> answeredActs(const CommandId& after, std::size_t limit) override;
    Result<std::optional<PolicyRow>> policy(std::uint64_t version) override;
    Result<std::vector<Review>> reviews(bool closedToo, std::size_t limit) override;
    Result<std::vector<StagedAct>> takeStaged(std::size_t limit) override;
    Status finishStaged(const StagedAct& act) override;
    Result<std::uint64_t> forgetStaged(std::size_t limit) override;
    Status extendPolicies(std::span<const PolicyRow> rows) override;
    Status extendActs(std::span<const StagedAct> acts) override;
    Status extendReviews(std::span<const Review> reviews) override;
    Status extendAudit(std::span<const AuditRow> rows) override;
    Result<AuditEnd> auditEnd() override;
    Result<std::vector<CheckpointRow>> checkpoints(std::uint64_t after, std::size_t limit) override;
    Result<std::optional<CheckpointRow>> newestCheckpoint() override;
    Result<std::vector<CoveredHead>> coveredHeads(std::uint64_t checkpoint) override;
    Result<std::vector<OpenHead>> runHeads(const RunId& after, std::size_t limit) override;
    Result<std::size_t> eachEntry(const ChainPlace& after, std::size_t limit, const SeeEntry& see) override;
    Status appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads) override;
    Result<std::vector<PlanRow>> plans(bool closedToo, std::size_t limit) override;
    Result<std::vector<PlanRow>> plansUnderWay(std::size_t limit) override;
    Result<std::optional<PlanRow>> plan(const PlanId& plan) override;
    Result<std::vector<PlanItem>> planItems(const PlanId& plan, std::uint32_t after, std::size_t limit,
        std::optional<PlanItemState> only) override;
    Result<std::vector<PlanCount>> planCounts(const PlanId& plan) override;
    Result<std::vector<PlanOfRun>> plansOfRuns(std::span<const RunId> runs) override;
    Status changePlan(const PlanChange& change) override;
    Status changeFence(const FenceChange& change) override;
    Status setClockOffset(SpanMs offset) override;
    Status stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes) override;
    Status dropStagedBefore(TimeMs before) override;
    Status checkBackup(const std::string& path) override;
    Status backup(const std::string& path) override;
    Status checkpoint() override { return {}; }
    Result<std::optional<Tombstone>> tombstone(const RunId& run) override;
    Result<std::vector<Tombstone>> tombstones(const RunId& after, std::size_t limit) override;
    Result<std::vector<RemovedRun>> removedRuns(const RunId& after, std::size_t limit) override;
    Result<std::vector<RetentionRow>> retention() override;
    Result<TreeBonds> bondsOf(const RunId& root) override;
    Result<RunBytes> bytesOf(const RunId& run) override;
    Result<SecretList> neverStore() override;
    Status setNeverStore(const SecretList& list, const AuditRow& audit) override;
    Result<bool> removeTree(const TreeRemoval& removal) override;
    Status extendRemoved(std::span<const RemovedRun> runs) override;
    Result<std::uint64_t> sweepRemoved(std::size_t limit) override;
    Result<std::uint64_t> forgetKeys(TimeMs now, std::size_t limit) override;
    Status setRetention(const RetentionRow& row, const AuditRow& audit) override;

private:
    [[nodiscard]] Status mayWrite() const
    {
        return checkWriter(m_db->info.minWriter, kMaxFormat, m_intoFence);
    }
    [[nodiscard]] Error missing(const RunId& run) const;  // why it is not there
    [[nodiscard]] Result<const MemoryRun*> find(const RunId& run) const;
    [[nodiscard]] Result<const PayloadRow*> findPayload(const RunId& run, const PayloadId& payload) const;
    [[nodiscard]] std::vector<const ListRow*> matching(const ListFilter& filter) const;
    [[nodiscard]] ClaimedRun take(MemoryRun& run, const SessionId& session);
    [[nodiscard]] std::uint32_t leaseSlice(
        std::uint32_t want, TimeMs now, MemorySlice slice, std::string_view resource);

    std::shared_ptr<MemoryDatabase> m_db;
    std::uint32_t m_intoFence;
};

}  // namespace cairn
