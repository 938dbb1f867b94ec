#pragma once
// The state of one run: what folding its entries gives. References, never payload bytes. Counts and sets that
// decisions need are kept, not searched, so that apply costs O(steps touched) and a summary O(reasons).

#include "core/model/entry.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace cairn {

struct AttemptState {
    AttemptId id;
    Purpose purpose = Purpose::Do;
    std::uint32_t number = 0;
    SessionId session;  // null: an outside worker
    std::string worker;
    TimeMs startedAt = kNoTime;
    TimeMs timeoutAt = kNoTime;
    TimeMs heartbeatDue = kNoTime;
    ApprovalId approval;
    std::vector<Usage> reserved;
    UuidBytes trace{};
    std::uint64_t span = 0;
};

struct StepRecord {
    std::string id;
    std::string name;
    std::string tool;
    std::string agent;
    StepKind kind = StepKind::Tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    StepState state = StepState::Pending;
    bool runsAfterSkip = false;
    bool fromLedger = false;
    bool byPerson = false;    // result recorded, settled or skipped by an operator
    bool effectDone = false;  // its effect is known to have happened
    bool skippedDependency = false;
    bool holdsKey = false;  // an attempt at its effect began, and it is not known that it did not happen
    bool doubt = false;     // an attempt ended without saying whether its effect happened; nobody knows yet
    Reason reason = Reason::None;  // while Waiting or Unknown; of a Failed step, why it failed
    TimeMs since = kNoTime;        // of the present state
    TimeMs due = kNoTime;          // when time itself ends the wait
    TimeMs readyAt = kNoTime;
    TimeMs firstStartedAt = kNoTime;
    TimeMs keySince = kNoTime;  // when the first attempt at the present effect began; kNoTime: none has
    SpanMs worked = 0;          // of RetryPolicy::maxTotal: handled tries, and the waits between them
    TimeMs endedAt = kNoTime;
    std::uint32_t revision = 0;  // grows with every fact that touches the step
    std::uint32_t unmet = 0;     // unfinished dependencies
    std::uint32_t attempts = 0;  // started
    std::uint32_t failures = 0;  // handled failures
    std::uint32_t lost = 0;      // lost owners
    std::uint32_t lookUps = 0;   // look-up attempts started for the present doubt
    std::uint32_t tries = 0;     // attempts started at the present effect, look-ups not counted
    bool looked = false;         // the provider was asked about the present effect, and it had not happened
    bool lookedUp = false;       // a look-up answered "cannot tell": only a person can
    std::uint32_t membersOpen = 0;  // FanOut: unfinished members
    std::uint32_t membersFailed = 0;
    StepIx owner = kNoStep;  // FanOut that this is a member of
    std::uint32_t index = 0;
    StepIx undoOf = kNoStep;
    RunId waitRun;  // child, or holder of the effect
    PayloadRef input;
    PayloadRef output;
    PayloadRef partial;
    PayloadRef error;  // last
    PayloadRef firstError;
    PayloadRef detail;  // evidence or detail of the present wait
    Digest signature;   // of the last error
    EffectId effect;
    Money amount;
    ApprovalId approval;  // the newest asked for this step
    std::vector<StepIx> after;
    std::vector<StepIx> dependents;
    std::vector<StepIx> members;          // FanOut
    std::vector<Usage> held;              // reservations kept while the outcome is unknown
    std::optional<AttemptState> attempt;  // the current one
    AttemptId lastAttempt;                // the newest started
    AttemptId completedBy;                // the attempt that gave the result

    // It ends with its child's answer, also while the child cannot begin (Incompatible).
    [[nodiscard]] bool waitsForChild() const
    {
        return state == StepState::Waiting
            && (reason == Reason::Child || (reason == Reason::Incompatible && !waitRun.isNull()));
    }
    [[nodiscard]] bool inDoubt() const { return doubt && !attempt && !isFinished(state); }
};

// One person's yes.
struct Consent {
    Actor by;
    TimeMs at = kNoTime;
    PayloadRef note;  // the reason; null: none was given
    friend bool operator==(const Consent&, const Consent&) = default;
};

struct ApprovalRecord {
    ApprovalId id;
    StepIx step = kNoStep;
    ApprovalState state = ApprovalState::Pending;
    Digest binding;
    std::string role;
    std::uint8_t needed = 1;
    TimeMs askedAt = kNoTime;
    TimeMs expires = kNoTime;
    TimeMs decidedAt = kNoTime;
    Actor askedBy;
    std::vector<Consent> consents;  // in their order; the last of those that are needed decides
    Actor decidedBy;
    PayloadRef note;  // of the last decision
};

struct SignalRecord {
    std::string name;
    Digest messageHash;
    PayloadRef data;
    TimeMs at = kNoTime;
    StepIx consumedBy = kNoStep;
};

struct ChildRecord {
    RunId run;
    StepIx step = kNoStep;
    bool answered = false;
    Activity as = Activity::Executing;
    std::vector<BudgetLine> allotment;
    std::vector<Usage> asked;  // limits that it asks for and does not have
    std::uint64_t askedRevision = 0;
    TimeMs askedAt = kNoTime;
    PayloadRef output;        // of its last answer
    std::vector<Usage> used;  // likewise
    std::uint32_t cancelConfirmed = 0;
    std::uint32_t cancelTotal = 0;
    Attention needs = Attention::Machine;  // who moves next there, as it said last
    std::uint64_t needsRevision = 0;       // the child's version when it said so
    TimeMs needsSince = kNoTime;
    bool reopened = false;  // it had answered, and goes on since
};

// Annotations: who changed them last, when and by which entry.
struct HoldRecord {
    bool held = false;
    TimeMs until = kNoTime;  // kNoTime: until it is released
    Actor by;
    TimeMs at = kNoTime;
    PayloadRef reason;
    std::uint64_t version = 0;  // 0: it never was held

    friend bool operator==(const HoldRecord&, const HoldRecord&) = default;
};

struct AssignmentRecord {
    std::string to;  // empty: nobody
    Actor by;
    TimeMs at = kNoTime;
    std::uint64_t version = 0;

    friend bool operator==(const AssignmentRecord&, const AssignmentRecord&) = default;
};

struct NoteRecord {
    std::uint64_t version = 0;  // of the entry that added it: its name in the run
    PayloadRef text;
    bool masked = false;
    bool withdrawn = false;
    Actor by;
    TimeMs at = kNoTime;

    friend bool operator==(const NoteRecord&, const NoteRecord&) = default;
};

struct RunState {
    // identity
    RunId id;
    RunId root;
    RunId origin;
    RunId forkedFrom;
    std::uint64_t forkedAt = 0;
    ParentRef parent;
    WorkflowRef workflow;
    PayloadRef input;
    PayloadRef output;
    Digest keyHash;
    bool driven = false;
    TimeMs startedAt = kNoTime;
    TimeMs endedAt = kNoTime;
    TimeMs changedAt = kNoTime;  // time of the last entry

    // history
    std::uint64_t version = 0;  // 0: no entry yet
    Digest head;                // hash of the last entry; kept by the service, not by apply
    std::uint16_t format = kFormat1;

    // control
    Control own;
    Control inherited;
    std::uint64_t controlVersion = 0;  // of the entry that last changed what flows down to children
    Actor pausedBy;
    TimeMs pausedAt = kNoTime;
    PayloadRef pauseReason;
    Reason blocked = Reason::None;  // of the run as a whole
    TimeMs blockedAt = kNoTime;
    PayloadRef blockedDetail;
    bool parked =
        false;  // blocked because an entry did not fold to what was decided: until a person resumes it
    bool restCancelled = false;
    bool compensating = false;
    bool closed = false;
    bool closedByRecovery = false;
    bool failureAccepted = false;                 // a person said that it is dealt with
    std::map<PayloadId, std::uint64_t> redacted;  // by the entry of which version
    Activity closedAs = Activity::Completed;
    std::vector<BudgetLine> budget;
    RunId budgetAt;  // whose budget a person sets, where this one is an allotment; null: this run's own
    std::vector<Usage> asked;             // limits that the parent is asked for
    Attention told = Attention::Machine;  // what the parent was told last

    // graph
    std::vector<StepRecord> steps;
    std::unordered_map<std::string, StepIx> stepById;
    std::unordered_map<AttemptId, StepIx> attempts;  // all that ever were
    std::vector<ApprovalRecord> approvals;
    std::vector<SignalRecord> signals;
    std::vector<ChildRecord> children;
    std::unordered_map<RunId, std::uint32_t> childByRun;

    // kept sets
    std::array<std::uint32_t, 10> stepsIn{};  // by StepState value
    std::set<StepIx> fresh;  // Pending with nothing unmet: wait for their input to be rendered
    std::set<StepIx> ready;
    std::set<StepIx> running;  // with an attempt, look-ups of unknown steps included
    std::set<StepIx> unknown;
    std::set<StepIx> failed;
    std::array<std::set<std::pair<TimeMs, StepIx>>, kReasonCount> waiting;  // by reason, oldest first
    // Waits, retries and time-outs that time itself ends; a wait for a permit is not among them.
    std::set<std::pair<TimeMs, StepIx>> due;
    std::uint32_t openChildren = 0;
    // Children (by place) in which somebody must act, by who it is and since when.
    std::map<Attention, std::set<std::pair<TimeMs, std::uint32_t>>> needing;
    std::set<StepIx> heldInDoubt;    // wait for an effect that is in doubt where it was begun
    std::set<std::uint32_t> asking;  // children (by place) that ask for more of this run's budget

    // annotations
    HoldRecord hold;
    AssignmentRecord assigned;
    std::vector<NoteRecord> notes;

    // Until when plans and retention leave the run alone: kNoTime where they need not, kForever until it is
    // released. A time that has passed holds nothing.
    [[nodiscard]] TimeMs heldUntil() const
    {
        return !hold.held ? kNoTime : hold.until == kNoTime ? kForever : hold.until;
    }
    [[nodiscard]] bool isHeld(TimeMs now) const { return heldUntil() > now; }
    [[nodiscard]] bool paused() const { return own.paused || inherited.paused; }
    [[nodiscard]] bool cancelled() const { return own.cancelled || inherited.cancelled; }
    [[nodiscard]] std::uint64_t controlRevision() const { return own.revision; }
    [[nodiscard]] TimeMs deadline() const
    {
        if (own.deadline == kNoTime || inherited.deadline == kNoTime)
            return own.deadline == kNoTime ? inherited.deadline : own.deadline;
        return own.deadline < inherited.deadline ? own.deadline : inherited.deadline;
    }
    [[nodiscard]] const StepRecord* find(std::string_view stepId) const;
    [[nodiscard]] const ApprovalRecord* findApproval(const ApprovalId& approval) const;
};

}  // namespace cairn
