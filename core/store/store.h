#pragma once
// The seam to a database. One object is one connection: one "world", used by one thread at a time. All calls
// block. Errors: Busy (after the connection's own waiting), Full, Io, Corrupt, SchemaMismatch, Disconnected,
// OutcomeUnknown. After a failed sync a writer refuses every later write (Io): the caller must close it.

#include "core/base/result.h"
#include "core/store/agreement.h"
#include "core/store/checkpoints.h"
#include "core/store/hints.h"
#include "core/store/fence.h"
#include "core/store/lists.h"
#include "core/store/member.h"
#include "core/store/options.h"
#include "core/store/payload_info.h"
#include "core/store/plans.h"
#include "core/store/removal.h"
#include "core/store/replica.h"
#include "core/store/review.h"
#include "core/store/rows.h"
#include "core/store/staged_act.h"
#include "core/store/whole.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace cairn {

class StoreReader : public PlanReader, public RemovalReader, public TrendReader {
public:
    [[nodiscard]] virtual Result<StoreInfo> info() = 0;
    // Store time: the host's wall clock plus the clock offset of a test-clock store.
    [[nodiscard]] virtual Result<TimeMs> now() = 0;

    // How engines that are connected now hear hints, as each has shown it (showHints). For people to look at:
    // a login may show what it likes. Stores without hints: nothing.
    [[nodiscard]] virtual Result<std::map<SessionId, HintHealth::State>> shownHints();

    // Of this connection's login, now. Stores without logins: everything but staging.
    [[nodiscard]] virtual Result<StoreRights> rights();
    // Whether this connection reads a standby, and how old what it shows is. Stores of one place: none.
    [[nodiscard]] virtual Result<Replica> replica();
    // Acts by break-glass, oldest first; those that nobody else has looked at, or all.
    [[nodiscard]] virtual Result<std::vector<Review>> reviews(bool closedToo, std::size_t limit);
    // An act that was left for an engine, and what became of it. Stores without logins have none.
    [[nodiscard]] virtual Result<std::optional<StagedAct>> stagedAct(const CommandId& command);
    // Those that still wait, for an engine or for somebody else, oldest first.
    [[nodiscard]] virtual Result<std::vector<StagedAct>> waitingActs(std::size_t limit);
    // The policy of that version, 0: the newest; nullopt: there is none.
    [[nodiscard]] virtual Result<std::optional<PolicyRow>> policy(std::uint64_t version);
    // Whether the login is a member of the role; nullopt: this store knows no such role.
    [[nodiscard]] virtual Result<std::optional<bool>> holdsRole(
        std::string_view login, std::string_view role);
    // Those that were answered, by their command ids, from the one after `after` on.
    [[nodiscard]] virtual Result<std::vector<StagedAct>> answeredActs(
        const CommandId& after, std::size_t limit);

    // Entries from `fromVersion` (1 = all) up to `toVersion` (0 = newest). NotFound where there is no such
    // run.
    [[nodiscard]] virtual Result<LoadedRun> loadRun(
        const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion) = 0;
    [[nodiscard]] virtual Result<HotRow> hot(const RunId& run) = 0;
    // Several runs in their order, in one round trip of a server. NotFound where one of them is not there.
    // The caller sees to it that they are not too large.
    [[nodiscard]] virtual Result<std::vector<WholeRun>> wholeRuns(
        std::span<const RunId> runs, const RunParts& parts);
    // Version of the entry that answered this command; nullopt: none yet. Of a removed run only the command
    // that began it is known.
    [[nodiscard]] virtual Result<std::optional<std::uint64_t>> findCommand(
        const RunId& run, const CommandId& command) = 0;
    [[nodiscard]] virtual Result<std::optional<RunRow>> findKey(
        std::string_view workflow, std::string_view key) = 0;
    // Run ids that begin with the given lower-case hex text (dashes allowed), at most `limit`.
    [[nodiscard]] virtual Result<std::vector<RunId>> findRuns(
        std::string_view idPrefix, std::size_t limit) = 0;

    [[nodiscard]] virtual Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& payload) = 0;
    // Up to `limit` bytes from `offset`. A read of the whole payload is checked against its hash, chunks
    // always against theirs (Corrupt). Redacted: Refused, with the act in the text.
    [[nodiscard]] virtual Result<std::string> payload(const RunId& run, const PayloadId& payload,
        std::uint64_t offset = 0, std::uint64_t limit = kPayloadLimit) = 0;
    // Several of one run in one round trip, in no order; with the bytes of those that are inline and have no
    // more than `inlineUpTo`, checked against their hashes (Corrupt). What is not there, and what is
    // redacted, is left out: payload() says why. The caller asks for kPayloadPage at a time.
    [[nodiscard]] virtual Result<std::vector<FoundPayload>> payloads(
        const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo = kInlineLimit) = 0;
    // Those of a run whose bytes are gone, by id: what payload() refuses to give. For a move.
    [[nodiscard]] virtual Result<std::vector<PayloadInfo>> redactedPayloads(const RunId& run);

    [[nodiscard]] virtual Result<std::vector<EffectRow>> effects(
        std::span<const EffectId> ids) = 0;  // absent ones are left out
    [[nodiscard]] virtual Result<std::vector<EffectRow>> effectsOfRun(const RunId& run) = 0;
    [[nodiscard]] virtual Result<std::vector<ResourceRow>> resources() = 0;
    [[nodiscard]] virtual Result<std::vector<SessionRow>> sessions(bool endedToo) = 0;
    [[nodiscard]] virtual Result<std::vector<WorkflowRow>> workflows(bool withText) = 0;
    [[nodiscard]] virtual Result<std::optional<WorkflowRow>> workflow(
        std::string_view name, std::uint32_t version) = 0;  // 0: newest

    [[nodiscard]] virtual Result<RunPage> list(const ListFilter& filter, ListOrder order,
        const std::optional<PageKey>& after, std::size_t limit) = 0;
    [[nodiscard]] virtual Result<std::uint64_t> count(const ListFilter& filter) = 0;
    [[nodiscard]] virtual Result<std::vector<CountRow>> counts(const ListFilter& filter) = 0;
    // Groups of runs that wait for the same reason in the same place, by who moves next, then the oldest
    // wait. The attention of a group is the most urgent of its runs; the other texts are those of its oldest.
    [[nodiscard]] virtual Result<SituationList> situations(const ListFilter& filter, std::size_t limit) = 0;
    [[nodiscard]] virtual Result<std::vector<ListRow>> listRows(std::span<const RunId> runs) = 0;
    // List rows changed, and runs removed, after the cursor, each the oldest first, `limit` of both together.
    // Cursor 0 gives nothing and the present cursor.
    [[nodiscard]] virtual Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit) = 0;

    [[nodiscard]] virtual Result<std::vector<StepRow>> steps(const RunId& run) = 0;
    [[nodiscard]] virtual Result<std::vector<AttemptRow>> attempts(
        const RunId& run, StepIx step) = 0;  // kNoStep: all
    [[nodiscard]] virtual Result<std::vector<ApprovalRow>> approvals(const RunId& run) = 0;
    [[nodiscard]] virtual Result<std::vector<AttributeRow>> attributes(const RunId& run) = 0;
    [[nodiscard]] virtual Result<std::vector<RunId>> children(const RunId& run) = 0;

    // Audit entries with seq > after, oldest first; of one run; the number of that of an act without a run.
    [[nodiscard]] virtual Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) = 0;
    [[nodiscard]] virtual Result<std::vector<AuditRow>> auditOfRun(const RunId& run) = 0;
    [[nodiscard]] virtual Result<std::optional<std::uint64_t>> auditOfCommand(const CommandId& command) = 0;
    // As audit(), into rows whose texts keep their room. After an error the page is of no use.
    [[nodiscard]] virtual Status auditPage(
        std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page);
    // Of entries with after < seq <= upTo how many each day has, by the day. Reads that many entries.
    [[nodiscard]] virtual Result<std::vector<AuditDay>> auditDays(std::uint64_t after, std::uint64_t upTo);

    // For audit verify (core/audit). Stores that keep none: Refused, or nothing.
    [[nodiscard]] virtual Result<AuditEnd> auditEnd();
    [[nodiscard]] virtual Result<std::vector<CheckpointRow>> checkpoints(
        std::uint64_t after, std::size_t limit);
    [[nodiscard]] virtual Result<std::optional<CheckpointRow>> newestCheckpoint();  // nullopt: none
    [[nodiscard]] virtual Result<std::vector<CoveredHead>> coveredHeads(std::uint64_t checkpoint);
    // Runs as they stand, by id, after that one. A page reads no more rows than it gives.
    [[nodiscard]] virtual Result<std::vector<OpenHead>> runHeads(const RunId& after, std::size_t limit);
    // Goes on through the entries of all runs in the order that reads fastest: mostly that in which they were
    // written, but a run's need not come in the order of versions. How many there were; 0: that is all.
    [[nodiscard]] virtual Result<std::size_t> scanEntries(
        ScanPlace& place, std::size_t limit, const SeeEntry& see);
    // Shows up to `limit` entries of all runs after that place, by (run, version). How many there were.
    [[nodiscard]] virtual Result<std::size_t> eachEntry(
        const ChainPlace& after, std::size_t limit, const SeeEntry& see);

    // How much lies where. Looks through a whole table.
    [[nodiscard]] virtual Result<ChunkTotals> chunkTotals();
    // Rows of chunks that lie in the bucket, after that one, in the order of (artifact, index).
    [[nodiscard]] virtual Result<std::vector<ChunkRow>> chunksElsewhere(
        const ArtifactId& afterArtifact, std::uint32_t afterIndex, std::size_t limit);

    // What the database itself can (shape, integrity, foreign keys, append-only triggers, audit chain).
    // Deep: reads each chunk as well, also in the bucket (Disconnected where that is not there).
    [[nodiscard]] virtual Result<std::vector<VerifyProblem>> check(bool deep) = 0;
    // What a move does not bring along because it has not ended (plans, reviews), and what to do.
    [[nodiscard]] Result<std::vector<std::string>> unmovable();

    // From any thread: the running read of this object ends with Cancelled.
    virtual void interrupt() noexcept = 0;
};

struct ClaimedRun {
    RunId run;
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
    std::optional<TimeMs> nextDue{};  // release(): when the run is to be claimed again; not set: as stored
};

class StoreWriter : public StoreReader, public PlanWriter, public RemovalWriter {
public:
    // One transaction for the whole group, or several where one would hold the lock for more than about 20
    // ms; `results` gets one per member, in order. An error means that nothing of the group was committed
    // (OutcomeUnknown: resolve by committing again under the same command ids). Where a later part of a split
    // group fails, its members are Failed with that error instead.
    [[nodiscard]] virtual Status commit(
        std::span<const CommitMember> members, std::vector<MemberResult>& results) = 0;

    // Claims up to `limit` runs that are due and unowned, or whose owner's session has ended, oldest due
    // first, with a format that this binary may write. Raises each run's epoch.
    [[nodiscard]] virtual Result<std::vector<ClaimedRun>> claim(
        const SessionId& session, TimeMs now, std::size_t limit) = 0;
    // Gives runs back without an entry (drain), guarded by owner and epoch. `next_due` stays as it is, but
    // for a run with a wake-up that was not taken yet: that one is due at once. LeaseLost where the session
    // has ended: nobody wakes it any more, and its runs are for the next claim.
    [[nodiscard]] virtual Status release(const SessionId& session, std::span<const ClaimedRun> runs) = 0;
    // An operator's takeover of one run: owner becomes `session` (null: nobody, due at once), epoch raised.
    [[nodiscard]] virtual Result<ClaimedRun> takeOver(const RunId& run, const SessionId& session) = 0;

    [[nodiscard]] virtual Status openSession(const SessionRow& session) = 0;
    // False: the session was ended by somebody; the engine must drop everything it holds.
    [[nodiscard]] virtual Result<bool> heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil) = 0;
    // Ends a session: on shutdown, or of another engine (lease passed, or its process seen gone). Guarded:
    // only if still open and, for `leaseBefore` != kNoTime, only if its lease ends before that. True: this
    // call ended it.
    [[nodiscard]] virtual Result<bool> endSession(
        const SessionId& session, TimeMs at, TimeMs leaseBefore) = 0;

    // Shows how the session hears hints, for as long as this connection lives; shown again by the store where
    // it is made anew. Not stored.
    [[nodiscard]] virtual Status showHints(const SessionId& session, HintHealth::State state);

    // Runs to reload for this session (commits by others); rows are removed by takeWakeups.
    [[nodiscard]] virtual Result<std::vector<RunId>> takeWakeups(const SessionId& session) = 0;
    // Forgets sessions that ended before `endedBefore` and own no run any more.
    [[nodiscard]] virtual Status dropSessionsEndedBefore(TimeMs endedBefore) = 0;
    // Undelivered messages with a seq above `after`, in the order of arrival. Several engines may see the
    // same one: delivery is idempotent. A seq may come again once its message is gone.
    [[nodiscard]] virtual Result<std::vector<OutboxRow>> outbox(
        std::size_t limit, std::uint64_t after = 0) = 0;
    [[nodiscard]] virtual Status dropOutbox(const OutboxRow& row) = 0;

    // Makes a resource, or changes its limits; the back-off of one that is there stays as it is.
    [[nodiscard]] virtual Status putResource(const ResourceRow& row) = 0;
    // Leaves a resource alone until then, or for longer where that is stored; its limits stay as they are.
    [[nodiscard]] virtual Status raiseBackOff(
        std::string_view resource, TimeMs until, bool askedByServer) = 0;
    // A person's act: limits and back-off become as given, with its audit entry in the same transaction;
    // gives its number. A back-off that the provider itself asked for, or that is another one than was
    // `seen`, stays where it is later. Conflict: its limits are not those that were `seen` any more. Once for
    // each act.command.
    [[nodiscard]] virtual Result<std::uint64_t> slowResource(
        const ResourceRow& wanted, const ResourceRow& seen, AuditRow act) = 0;
    // Slots: how many calls of a limited resource may be under way at one time, in all sessions together.
    // Leases up to `want` for this session until `until`, instead of those that it holds; gives how many it
    // holds now. Without a limit: what is wanted.
    [[nodiscard]] virtual Result<std::uint32_t> leaseSlots(const SessionId& session,
        std::string_view resource, std::uint32_t want, TimeMs now, TimeMs until) = 0;
    // Rate: how many calls may begin in one second. Takes up to `want` starts for this session and gives how
    // many it got; they count for one second from `now`, also when the session has ended. Without a limit:
    // what is wanted.
    [[nodiscard]] virtual Result<std::uint32_t> spendRate(
        const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now) = 0;
    // Gives the session's slots back. What was spent of a rate stays spent.
    [[nodiscard]] virtual Status returnSlots(const SessionId& session, std::string_view resource) = 0;

    // A version with the same digest is accepted again; another digest is refused (versions never change).
    [[nodiscard]] virtual Status addWorkflow(const WorkflowRow& row) = 0;

    [[nodiscard]] virtual Result<std::uint64_t> appendAudit(AuditRow row) = 0;
    // Entries of another store's audit as they are, numbers and hashes too. Only into a store that is being
    // filled (StoreOptions::intoFence). Conflict where they do not continue the chain here.
    [[nodiscard]] virtual Status extendAudit(std::span<const AuditRow> rows);
    // The next checkpoint with the heads that it covers, in the order of their runs. Conflict where it does
    // not continue the newest one here. `login` is filled by the store where it knows logins.
    [[nodiscard]] virtual Status appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads);
    // Policies of another store as they are. Only into a store that is being filled.
    [[nodiscard]] virtual Status extendPolicies(std::span<const PolicyRow> rows);
    // See fence.h. Afterwards this connection is bound by what it has set, as all others are.
    [[nodiscard]] virtual Status changeFence(const FenceChange& change);
    // Refused while an engine lives, and where changedPlace() says so.
    [[nodiscard]] virtual Status changeArtifacts(const ArtifactChange& change);
    [[nodiscard]] virtual Status setClockOffset(SpanMs offset) = 0;  // Refused unless a test-clock store

    // Leaves an act for an engine; the same one again changes nothing. NoRight: the login's role may not
    // stage this verb, or four eyes are wanted and these two have looked. Conflict: what was asked has
    // changed. Refused by stores without logins: whoever acts there commits at once.
    [[nodiscard]] virtual Status stage(const StagedAct& act);
    // Closes the review of an act by break-glass, with what was found. NoRight: not an approver, or who
    // acted. Conflict: it is closed already. Refused by stores without logins: there a change of the audit
    // closes it.
    [[nodiscard]] virtual Status closeReview(const CommandId& act, std::string_view note);
    // Decides a proposed act where this login may not append to the audit: act.state is Waiting (confirmed),
    // Refused or Withdrawn, act.digest what was shown, act.note the reason, act.confirmedName as claimed; the
    // login is the store's own. NoRight: the author confirms, or the role is missing. Conflict: it is decided
    // already, has expired, or is another act than was shown. Refused by stores without logins. Withdrawn
    // also of an act that waits for an engine; Conflict where its run has its entry.
    [[nodiscard]] virtual Status decideAct(const StagedAct& act);
    // Waiting acts, oldest first, that no other engine was given in the last 5 s; and proposed ones that have
    // expired, for which finishStaged() says so.
    [[nodiscard]] virtual Result<std::vector<StagedAct>> takeStaged(std::size_t limit);
    // Records what became of an act (state, code, version, auditSeq, outcome); once.
    [[nodiscard]] virtual Status finishStaged(const StagedAct& act);
    // Forgets up to `limit` acts that were answered kKeepAnswered ago by the store's clock; the audit keeps
    // what was done. How many it were.
    [[nodiscard]] virtual Result<std::uint64_t> forgetStaged(std::size_t limit);
    // Answered acts, and closed reviews, of another store as they are; those that are there stay. Only into a
    // store that is being filled.
    [[nodiscard]] virtual Status extendActs(std::span<const StagedAct> acts);
    [[nodiscard]] virtual Status extendReviews(std::span<const Review> reviews);

    // In a transaction of its own, after the chunk is durable in the bucket where it goes there; it becomes
    // visible by a payload that names its artifact.
    [[nodiscard]] virtual Status stageChunk(
        const ArtifactId& artifact, std::uint32_t index, std::string_view bytes) = 0;
    // In transactions of a few chunks each.
    [[nodiscard]] virtual Status dropStagedBefore(TimeMs before) = 0;

    // Whether backup() could begin: the same check, and nothing is written.
    [[nodiscard]] virtual Status checkBackup(const std::string& path) = 0;
    // Copies the whole store to a new file, checked after writing (Refused where the file exists).
    [[nodiscard]] virtual Status backup(const std::string& path) = 0;
    [[nodiscard]] virtual Status checkpoint() = 0;
};

// `sqlite:PATH`, `postgresql://...` or `memory:`. Opening checks schema number and shape, and min_reader /
// min_writer (SchemaMismatch).
using StoreFactory =
    std::function<Result<std::unique_ptr<StoreWriter>>(const std::string& url, const StoreOptions&)>;

}  // namespace cairn
