#pragma once
// What one command writes, and what became of it.

#include "core/base/result.h"
#include "core/store/rows.h"

#include <optional>
#include <vector>

namespace cairn {

enum class OwnerChange : std::uint8_t {
    Keep,
    Release,  // by the owner; with `create`: by an engine that serves the run, for which `nextDue` holds as
              // it is
    Take,
    // By another, a person's takeover: the owner loses the run in this commit, and the epoch is raised. With
    // nobody as its owner: nothing.
    Drop
};

// The item of a plan whose act this is: done, in the transaction of the act. Run and command are the
// member's.
struct PlanOutcome {
    PlanId plan;
    std::uint32_t ord = 0;
    TimeMs doneAt = kNoTime;
};

// One command's writes on one run. All members of a group share one transaction; each is atomic by itself.
struct CommitMember {
    RunId run;
    bool create = false;                // RunStarted: `identity` is inserted, no guard
    std::uint64_t expectedVersion = 0;  // the state it was decided on
    std::uint64_t expectedEpoch = 0;
    bool checkEpoch = true;     // only owners, and who drops one, are fenced; others by the version alone
    std::uint64_t control = 0;  // after the entry: HotRow::control
    std::vector<ControlGuard> ancestors;  // Stale where one of them is gone or has changed its control since
    SessionId by;                         // committing session; null: command line, console
    SealedEntry entry;
    OwnerChange owner = OwnerChange::Keep;
    SessionId newOwner;        // Take (create only)
    TimeMs nextDue = kNoTime;  // when the run does something by itself. By another than the owner: see
                               // dueAfterCommit in checks.h
    std::optional<RunRow> identity;
    std::optional<ListRow> list;  // set only when it changed
    std::vector<StepRow> steps;   // upserts
    std::vector<AttemptRow> attempts;
    std::vector<ApprovalRow> approvals;
    std::vector<AttributeRow> attributes;
    std::vector<PayloadRow> payloads;
    std::vector<PayloadId> redacted;   // of this run: bytes and salt go; the entry is the act that says so
    std::vector<EffectWrite> effects;  // guarded by their revisions
    std::vector<std::pair<EffectId, StepIx>> waits;  // effect_waiters rows to add for this run;
                                                     // LedgerMoved where the effect is not under way any
                                                     // more
    std::vector<OutboxRow> outbox;
    std::vector<EffectId> wake;          // one EffectReleased outbox row per waiter of each, waiters removed
    std::vector<ResourceRow> resources;  // back-off: stored as the later of stored and given
    std::optional<OutboxRow>
        delivered;  // outbox row (from, version, number) that this commit answers: deleted
    std::optional<AuditRow> audit;
    // By an act that was left for an engine, or proposed and confirmed: Failed with Refused where it does not
    // wait to be carried out any more. One that this store does not have is not asked for.
    bool left = false;
    std::optional<PlanOutcome>
        planItem;  // Failed with Conflict where the item has an outcome, or is another's
};

struct MemberResult {
    enum class Kind : std::uint8_t {
        Committed,
        Stale,      // version, epoch or an ancestor's control moved, or the run is not there: load and decide
                    // again
        Duplicate,  // (run, command id) is there already, or began a run that was removed: version says where
        LedgerMoved,  // a ledger row's revision moved: read it and decide again
        KeyTaken,     // create: the key belongs to `other`, which may be of this same group
        Failed,       // error says why; neighbours are not affected
    };
    Kind kind = Kind::Committed;
    std::uint64_t version = 0;
    RunId other;
    std::uint64_t auditSeq = 0;
    bool ownerElsewhere = false;  // the run has another owner: it is woken by this transaction, unless it has
                                  // ended; then the next claim takes the run
    Error error;
};

}  // namespace cairn
