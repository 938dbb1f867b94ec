#pragma once
// The PostgreSQL store: one connection, made anew where it was lost. Its methods are spread over several
// files by what they are about.

#include "core/store/checks.h"
#include "core/store/postgres/audit_head.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/postgres/schema.h"
#include "core/store/postgres/shared.h"
#include "core/store/postgres/transaction.h"

#include <thread>

namespace cairn::postgres {

class PostgresStore final : public StoreWriter {
public:
    PostgresStore(std::unique_ptr<Db> db, const StoreOptions& options);
    ~PostgresStore() override;

    // Connects, checks versions and shape, and reads what never changes while the store is open.
    [[nodiscard]] Status open();

    Result<StoreInfo> info() override;
    Result<TimeMs> now() override;
    Result<std::map<SessionId, HintHealth::State>> shownHints() override;
    Result<StoreRights> rights() override;
    Result<Replica> replica() override;
    Result<std::vector<Review>> reviews(bool closedToo, std::size_t limit) override;
    Result<std::optional<StagedAct>> stagedAct(const CommandId& command) override;
    Result<std::vector<StagedAct>> waitingActs(std::size_t limit) override;
    Result<std::optional<PolicyRow>> policy(std::uint64_t version) override;
    Result<std::optional<bool>> holdsRole(std::string_view login, std::string_view role) override;
    Result<std::vector<StagedAct>> answeredActs(const CommandId& after, std::size_t limit) override;
    Result<LoadedRun> loadRun(const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion) override;
    Result<std::vector<WholeRun>> wholeRuns(std::span<const RunId> runs, const RunParts& parts) override;
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
    Status showHints(const SessionId& session, HintHealth::State state) override;
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
    Status leaveDraft(const PlanChange& change) override;
    Status changeFence(const FenceChange& change) override;
    Status changeArtifacts(const ArtifactChange& change) override;
    Result<ChunkTotals> chunkTotals() override;
    Result<std::vector<ChunkRow>> chunksElsewhere(
        const ArtifactId& afterArtifact, std::uint32_t afterIndex, std::size_t limit) override;
    Status setClockOffset(SpanMs offset) override;
    Status closeReview(const CommandId& act, std::string_view note) override;
    Status stage(const StagedAct& act) override;
    Status decideAct(const StagedAct& act) override;
    Status extendPolicies(std::span<const PolicyRow> rows) override;
    Result<std::vector<StagedAct>> takeStaged(std::size_t limit) override;
    Status finishStaged(const StagedAct& act) override;
    Result<std::uint64_t> forgetStaged(std::size_t limit) override;
    Status extendActs(std::span<const StagedAct> acts) override;
    Status extendReviews(std::span<const Review> reviews) override;
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

private:
    using Body = std::function<Status(Transaction&)>;
    // Whether a transaction whose COMMIT was not answered may simply be done again: it has the same effect
    // twice as once.
    enum class Repeat : std::uint8_t { Never, Harmless };

    // One write transaction. The body may run more than once; it begins the transaction itself, with its
    // first statements. COMMIT follows it.
    [[nodiscard]] Status write(const Body& body, Repeat repeat = Repeat::Never);
    [[nodiscard]] Status writeOnce(const Body& body);
    [[nodiscard]] Error missing(const RunId& run);
    [[nodiscard]] Status learnPlace();  // of artifacts, as the store says now
    [[nodiscard]] Status changeArtifactsOnce(const ArtifactChange& change);
    // The bytes of a chunk, from wherever they lie.
    [[nodiscard]] Result<std::string> chunkBytes(ChunkRow row, const std::string& where);
    [[nodiscard]] Status changeFenceOnce(const FenceChange& change);
    // One statement, and nothing to look at before: gives the rows that it changed.
    template<typename... T>
    [[nodiscard]] Result<std::uint64_t> change(Repeat repeat, Sql id, const T&... values)
    {
        std::uint64_t changed = 0;
        CAIRN_TRY(write(
            [&](Transaction& transaction) -> Status {
                Batch batch;
                batch.add(id, values...);
                CAIRN_TRY_ASSIGN(const auto answers, transaction.begin(batch));
                changed = answers.front().affected();
                return {};
            },
            repeat));
        return changed;
    }
    // What others may want to look at, once it was acknowledged. Where the answer was lost it may be there
    // all the same: that is said as well, later.
    void hint(const Status& written, HintSet what) noexcept;
    // Where this connection sends them itself: what waits, once the last is long enough ago.
    void sendHints() noexcept;
    [[nodiscard]] Status continueChanges();
    // Makes the connection anew where it was lost, and checks that it is still the same store.
    [[nodiscard]] Status ready();
    // A read, again where the connection was lost.
    template<typename Body> [[nodiscard]] auto reading(Body&& body) -> decltype(body())
    {
        for (Retrying retrying;;) {
            const Status connected = ready();
            auto result = connected ? body() : decltype(body())(connected.error());
            if (result || !retrying.again(result.error().kind, false))
                return result;
        }
    }
    template<typename Row, typename ReadRow, typename... T>
    [[nodiscard]] Result<std::vector<Row>> readAll(Sql id, ReadRow&& readRow, const T&... values)
    {
        return reading([&]() -> Result<std::vector<Row>> {
            CAIRN_TRY_ASSIGN(Rows rows, m_db->query(id, values...));
            std::vector<Row> out;
            out.reserve(rows.count());
            while (rows.next())
                readRow(rows, out.emplace_back());
            return out;
        });
    }
    // Rows of one run: NotFound where there are none because there is no such run.
    template<typename Row>
    [[nodiscard]] Result<std::vector<Row>> ofRun(const RunId& run, Result<std::vector<Row>> rows)
    {
        if (rows && rows->empty())
            CAIRN_TRY(hot(run));
        return rows;
    }
    // Statements that look at many rows, in one snapshot, each with the plan that suits its values.
    // Unhurried: whole tables are looked through, for as long as it takes.
    enum class Haste : std::uint8_t { Usual, Unhurried };
    [[nodiscard]] Result<std::vector<Rows>> analyse(const Batch& batch, Haste haste = Haste::Usual);

    [[nodiscard]] Status commitPart(std::span<const CommitMember> members, std::span<MemberResult> results);
    [[nodiscard]] Status commitHalved(
        std::span<const CommitMember> members, std::span<MemberResult> results, std::size_t& done);
    struct SliceTerms {
        bool rate = false;  // else slots
        TimeMs now = kNoTime;
        TimeMs until = kNoTime;
    };
    [[nodiscard]] Result<std::uint32_t> leaseSlice(
        const SessionId& session, std::string_view resource, std::uint32_t want, const SliceTerms& terms);
    [[nodiscard]] Status claimInto(Transaction& transaction, std::vector<ClaimedRun>& claimed,
        const SessionId& session, TimeMs now, std::size_t limit);
    [[nodiscard]] Result<std::string> artifactSlice(
        const PayloadInfo& info, const std::string& where, std::uint64_t offset, std::uint64_t limit);
    [[nodiscard]] Status checkAuditChain(std::vector<VerifyProblem>& problems);
    [[nodiscard]] Status checkChunks(std::vector<VerifyProblem>& problems);
    [[nodiscard]] Status checkReviews(std::vector<VerifyProblem>& problems);
    [[nodiscard]] Status checkSettings(std::vector<VerifyProblem>& problems);

    std::unique_ptr<Db> m_db;
    SystemClock m_clock;
    StoreOptions m_options;
    Artifacts m_artifacts;
    [[nodiscard]] Result<StoreInfo> readInfo();
    StoreInfo m_info;  // as of open(); where the server stands, as last seen
    bool m_opened = false;
    TimeMs m_serverTime = kNoTime;  // at m_serverTimeAt of the monotonic clock
    SpanMs m_serverTimeAt = 0;
    TimeMs m_lastNow = kNoTime;
    std::optional<SpanMs> m_wholeAt;  // when a standby was seen to show all that its primary had, monotonic
    std::string m_label;              // the connection's application_name; empty: as the URL says
    HintSet m_untold = hint::kNone;
    SpanMs m_hintsAt = 0;  // when the next may be sent, by the monotonic clock
};

// Creates a store at an older schema too: for the tests of the migration.
[[nodiscard]] Status initStoreAt(const std::string& url, const InitOptions& options, std::uint32_t schema);

// A change cursor is a transaction's number and a place in it.
inline constexpr unsigned kPlaceBits = 20;

}  // namespace cairn::postgres
