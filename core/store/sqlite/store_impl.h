#pragma once
// The SQLite store: one connection. Its methods are spread over several files by what they are about.

#include "core/base/rng.h"
#include "core/store/checks.h"
#include "core/store/sqlite/connection.h"
#include "core/store/sqlite/schema.h"
#include "core/store/sqlite/sqlite_store.h"

#include <atomic>

namespace cairn::sqlite {

// What a write transaction knows about its store.
struct WriteContext {
    Numbers numbers;
    TimeMs now = kNoTime;
};

class SqliteStore final : public StoreWriter {
public:
    SqliteStore(std::unique_ptr<Connection> connection, const StoreOptions& options, StoreInfo info);

    // Reads what never changes while the store is open.
    [[nodiscard]] Status remember();

    Result<StoreInfo> info() override;
    Result<TimeMs> now() override;
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
    Result<std::vector<AuditDay>> auditDays(std::uint64_t after, std::uint64_t upTo) override;
    Status auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page) override;
    Result<std::vector<VerifyProblem>> check(bool deep) override;
    void interrupt() noexcept override;

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
    Result<std::size_t> scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see) override;
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
    Status changeArtifacts(const ArtifactChange& change) override;
    Result<ChunkTotals> chunkTotals() override;
    Result<std::vector<ChunkRow>> chunksElsewhere(
        const ArtifactId& afterArtifact, std::uint32_t afterIndex, std::size_t limit) override;
    Status setClockOffset(SpanMs offset) override;
    Status stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes) override;
    Status dropStagedBefore(TimeMs before) override;
    Status checkBackup(const std::string& path) override;
    Status backup(const std::string& path) override;
    Status checkpoint() override;
    Result<std::optional<Tombstone>> tombstone(const RunId& run) override;
    Result<std::vector<Tombstone>> tombstones(const RunId& after, std::size_t limit) override;
    Result<std::vector<RemovedRun>> removedRuns(const RunId& after, std::size_t limit) override;
    Result<std::vector<RetentionRow>> retention() override;
    Result<TreeBonds> bondsOf(const RunId& root) override;
    Result<RunBytes> bytesOf(const RunId& run) override;
    Result<StoreSpace> space() override;
    Result<SecretList> neverStore() override;
    Status setNeverStore(const SecretList& list, const AuditRow& audit) override;
    Result<bool> removeTree(const TreeRemoval& removal) override;
    Status extendRemoved(std::span<const RemovedRun> runs) override;
    Result<std::uint64_t> sweepRemoved(std::size_t limit) override;
    Result<std::uint64_t> forgetKeys(TimeMs now, std::size_t limit) override;
    Status setRetention(const RetentionRow& row, const AuditRow& audit) override;
    Result<std::uint64_t> giveBack(std::uint64_t bytes) override;

private:
    using Body = std::function<Status(const WriteContext&)>;

    // One write transaction: BEGIN IMMEDIATE, the store's numbers, the body, COMMIT. The body may run more
    // than once.
    [[nodiscard]] Status write(const Body& body);
    [[nodiscard]] Status writeOnce(const Body& body);
    [[nodiscard]] Status removing(const Body& body);  // the same, where rows of removed runs go
    [[nodiscard]] Result<std::uint64_t> sweepPayloads(const RunId& run, std::uint64_t limit);
    [[nodiscard]] Error missing(const RunId& run);  // why it is not there
    [[nodiscard]] Status learnPlace();              // of artifacts, as the store says now
    [[nodiscard]] Status changeArtifactsIn(const ArtifactChange& change, const WriteContext& context);
    // The bytes of a chunk, from wherever they lie.
    [[nodiscard]] Result<std::string> chunkBytes(ChunkRow row, const std::string& where);
    [[nodiscard]] Status changeFenceIn(const FenceChange& change, const WriteContext& context);
    void leaveTheLock() const;
    // What of a group fits into one transaction.
    struct Part {
        std::span<const CommitMember> members;
        std::span<const Status> checked;  // by checkContent()
        std::span<MemberResult> results;
        bool savepoints = false;
        bool memberFailed = false;  // without savepoints: to be written again with them
        std::size_t done = 0;
    };
    [[nodiscard]] Status commitPart(Part& part);
    [[nodiscard]] Status commitSome(Part& part, const WriteContext& context);
    struct SliceTerms {
        bool rate = false;  // else slots
        TimeMs now = kNoTime;
        TimeMs until = kNoTime;
    };
    [[nodiscard]] Result<std::uint32_t> leaseSlice(
        const SessionId& session, std::string_view resource, std::uint32_t want, const SliceTerms& terms);
    [[nodiscard]] Status requireOpen(const SessionId& session);  // LeaseLost
    [[nodiscard]] Status claimInto(
        std::vector<ClaimedRun>& claimed, const SessionId& session, TimeMs now, std::size_t limit);
    [[nodiscard]] Result<std::string> artifactSlice(
        const PayloadInfo& info, const std::string& where, std::uint64_t offset, std::uint64_t limit);
    [[nodiscard]] Status collect(Sql id, const char* table, std::vector<VerifyProblem>& problems);
    [[nodiscard]] Status checkAuditChain(std::vector<VerifyProblem>& problems);
    [[nodiscard]] Status checkChunks(std::vector<VerifyProblem>& problems);
    [[nodiscard]] Db& db() noexcept { return m_connection->db(); }
    [[nodiscard]] TimeMs storeTime(SpanMs offset) const { return m_clock.wallMs() + offset; }

    std::unique_ptr<Connection> m_connection;
    SystemClock m_clock;
    StoreOptions m_options;
    StoreInfo m_info;
    Artifacts m_artifacts;
    std::uint32_t m_intoFence = 0;
    bool m_changingFence = false;  // then the change itself says from what it may begin
    std::chrono::steady_clock::time_point m_freeUntil{};  // the lock is left to others until then
};

// Creates a store at an older schema too: for the tests of the migration.
[[nodiscard]] Status initStoreAt(const std::string& path, const InitOptions& options, std::uint32_t schema);
[[nodiscard]] Status requireStore(Db& db, const std::string& path);

// --- shared between the files
// ------------------------------------------------------------------------------------------

// Reads all rows of a query: `each` reads one.
template<typename Each> [[nodiscard]] Status forEach(Query& query, Each&& each)
{
    for (;;) {
        CAIRN_TRY_ASSIGN(const bool row, query.step());
        if (!row)
            return {};
        each(query);
    }
}
template<typename Row, typename ReadRow>
[[nodiscard]] Result<std::vector<Row>> readAll(Query& query, ReadRow&& readRow)
{
    std::vector<Row> rows;
    CAIRN_TRY(forEach(query, [&](Query& q) { readRow(q, rows.emplace_back()); }));
    return rows;
}

void readHot(Query& query, HotRow& row);
void readListRow(Query& query, ListRow& row);
void readAudit(Query& query, AuditRow& row);
// Adds to the audit chain in the open transaction; `head` (sequence and hash of the newest entry) is kept up
// to date.
struct AuditHead {
    std::uint64_t seq = 0;
    Digest hash;
};
[[nodiscard]] Result<AuditHead> readAuditHead(Db& db);
// With what goes along with it (AuditRow::with).
[[nodiscard]] Status insertAudit(Db& db, const AuditRow& given, AuditHead& head);
[[nodiscard]] Status writeChange(Db& db, const StoreChange& change, std::uint64_t seq, TimeMs now);

}  // namespace cairn::sqlite
