#pragma once
// Facts: what an entry says happened. Facts are complete: folding them needs no policy, clock or definition.
// They hold ids, enums, numbers, times, hashes and payload references only; text from people or from outside
// is a payload. Tags are part of the stored format: never renumber, only add. `v.since(2, ...)` marks a field
// that entries of format 1 do not have; it is zero after decoding one, and apply() fills it (codec.h).

#include "core/model/types.h"

#include <variant>

namespace cairn {

#define CAIRN_FIELDS(...) \
    template<class Self, class V> static void each(Self& s, V&& v) { __VA_ARGS__ }

// --- the run

struct RunStarted {
    static constexpr std::uint16_t kTag = 1;
    RunId run;
    RunId root;
    ParentRef parent;      // run id null for a root
    WorkflowRef workflow;  // name empty for a driven run
    PayloadRef input;
    Digest keyHash;  // caller's key under the store's salt; null where none was given
    RunId origin;    // names default effect keys: the run itself, or what it was forked from
    RunId forkedFrom;
    std::uint64_t forkedAt = 0;  // version
    Control control;             // as inherited from the parent
    std::vector<BudgetLine> budget;
    bool driven = false;
    CAIRN_FIELDS(v("run", s.run); v("root", s.root); v("parent", s.parent); v("workflow", s.workflow);
                 v("input", s.input); v("key_hash", s.keyHash); v("origin", s.origin);
                 v("forked_from", s.forkedFrom); v("forked_at", s.forkedAt); v("control", s.control);
                 v("budget", s.budget); v("driven", s.driven);)
};

// Own control of this run (not what it inherits). Every field is the new value.
struct ControlChanged {
    static constexpr std::uint16_t kTag = 2;
    Control own;
    PlanId plan;  // the operator's act, where there is one
    CAIRN_FIELDS(v("own", s.own); v("plan", s.plan);)
};

// Control received from the parent; kept beside the own one.
struct ControlInherited {
    static constexpr std::uint16_t kTag = 3;
    Control parent;
    CAIRN_FIELDS(v("parent", s.parent);)
};

// The run as a whole cannot go on (incompatible, worker, deadline, budget); Reason::None lifts it.
struct RunBlocked {
    static constexpr std::uint16_t kTag = 4;
    Reason reason = Reason::None;
    PayloadRef detail;
    CAIRN_FIELDS(v("reason", s.reason); v("detail", s.detail);)
};

// Cancel took hold: every step that has not begun is cancelled; running attempts end on their own.
struct RestCancelled {
    static constexpr std::uint16_t kTag = 5;
    CAIRN_FIELDS(static_cast<void>(s); static_cast<void>(v);)
};

// Compensation began: the undo steps follow as StepAdded facts in the same entry.
struct CompensationStarted {
    static constexpr std::uint16_t kTag = 6;
    CAIRN_FIELDS(static_cast<void>(s); static_cast<void>(v);)
};

struct RunClosed {
    static constexpr std::uint16_t kTag = 7;
    Activity as = Activity::Completed;
    PayloadRef output;
    bool byRecovery = false;  // closed by an engine that found nothing left to do
    CAIRN_FIELDS(v("as", s.as); v("output", s.output); v("by_recovery", s.byRecovery);)
};

// A closed run goes on: a failed run is retried, or compensated later.
struct RunReopened {
    static constexpr std::uint16_t kTag = 8;
    CAIRN_FIELDS(static_cast<void>(s); static_cast<void>(v);)
};

struct RenamedStep {
    std::string from;
    std::string to;
    friend bool operator==(const RenamedStep&, const RenamedStep&) = default;
    CAIRN_FIELDS(v("from", s.from); v("to", s.to);)
};

struct RunMigrated {
    static constexpr std::uint16_t kTag = 9;
    WorkflowRef to;
    std::vector<RenamedStep> renamed;  // names in the definition; ids stay
    CAIRN_FIELDS(v("to", s.to); v("renamed", s.renamed);)
};

struct BudgetChanged {
    static constexpr std::uint16_t kTag = 10;
    std::string unit;
    std::int64_t limit = 0;
    CAIRN_FIELDS(v("unit", s.unit); v("limit", s.limit);)
};

struct PayloadsRedacted {
    static constexpr std::uint16_t kTag = 11;
    std::uint64_t act = 0;  // version of the entry that says so: it names who, when and why
    std::vector<PayloadId> payloads;
    CAIRN_FIELDS(v("act", s.act); v("payloads", s.payloads);)
};

// --- steps

struct StepAdded {
    static constexpr std::uint16_t kTag = 20;
    std::string id;    // unique in the run
    std::string name;  // the definition's step that it was made from; a driven run's step name
    StepKind kind = StepKind::Tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::string tool;
    std::string agent;
    std::vector<StepIx> after;   // dependencies
    StepIx owner = kNoStep;      // the fan-out step that this is a member of
    std::uint32_t index = 0;     // position among the owner's members
    StepIx undoOf = kNoStep;     // the step whose effect it undoes
    bool runsAfterSkip = false;  // runs although a dependency was skipped
    CAIRN_FIELDS(v("id", s.id); v("name", s.name); v("kind", s.kind); v("safety", s.safety);
                 v("tool", s.tool); v("agent", s.agent); v("after", s.after); v("owner", s.owner);
                 v("index", s.index); v("undo_of", s.undoOf); v("runs_after_skip", s.runsAfterSkip);)
};

// All dependencies are met and the input is rendered: from here on the input is these bytes.
struct StepReady {
    static constexpr std::uint16_t kTag = 21;
    StepIx step = kNoStep;
    PayloadRef input;
    EffectId effect;  // null for read-only tools
    Money amount;
    CAIRN_FIELDS(v("step", s.step); v("input", s.input); v("effect", s.effect); v("amount", s.amount);)
};

struct StepWaiting {
    static constexpr std::uint16_t kTag = 22;
    StepIx step = kNoStep;
    Reason reason = Reason::None;
    TimeMs due = kNoTime;  // when time itself ends the wait
    RunId run;             // child waited for, or holder of the effect
    PayloadRef detail;
    CAIRN_FIELDS(v("step", s.step); v("reason", s.reason); v("due", s.due); v("run", s.run);
                 v("detail", s.detail);)
};

// Back to ready: a wait ended (timer, retry time, wake-up, repair).
struct StepReleased {
    static constexpr std::uint16_t kTag = 23;
    StepIx step = kNoStep;
    bool resetCounts = false;  // an operator's retry starts the counts anew
    CAIRN_FIELDS(v("step", s.step); v("reset_counts", s.resetCounts);)
};

struct StepCompleted {
    static constexpr std::uint16_t kTag = 24;
    StepIx step = kNoStep;
    PayloadRef output;
    bool fromLedger = false;  // the effect had been completed before under the same key
    bool byPerson = false;    // recorded or settled by an operator
    CAIRN_FIELDS(v("step", s.step); v("output", s.output); v("from_ledger", s.fromLedger);
                 v("by_person", s.byPerson);)
};

struct StepFailed {
    static constexpr std::uint16_t kTag = 25;
    StepIx step = kNoStep;
    Reason reason =
        Reason::AttemptsExhausted;  // or credential, incompatible, failed_child, effect_key_conflict
    PayloadRef error;
    CAIRN_FIELDS(v("step", s.step); v("reason", s.reason); v("error", s.error);)
};

struct StepSkipped {
    static constexpr std::uint16_t kTag = 26;
    StepIx step = kNoStep;
    bool byPerson = false;
    PayloadRef output;  // a substitute, where a later step reads it
    CAIRN_FIELDS(v("step", s.step); v("by_person", s.byPerson); v("output", s.output);)
};

// A person or a look-up must say whether the effect happened.
struct StepUnknown {
    static constexpr std::uint16_t kTag = 27;
    StepIx step = kNoStep;
    PayloadRef evidence;
    TimeMs lookUpAt = kNoTime;  // when the provider is asked; kNoTime: it cannot be, a person decides
    CAIRN_FIELDS(v("step", s.step); v("evidence", s.evidence); v("look_up_at", s.lookUpAt);)
};

// The effect is known not to have happened; the step may be tried again under the same key.
struct EffectDenied {
    static constexpr std::uint16_t kTag = 28;
    StepIx step = kNoStep;
    PayloadRef evidence;
    bool byPerson = false;
    CAIRN_FIELDS(v("step", s.step); v("evidence", s.evidence); v("by_person", s.byPerson);)
};

struct InputAmended {
    static constexpr std::uint16_t kTag = 29;
    StepIx step = kNoStep;
    PayloadRef input;
    EffectId effect;
    Money amount;
    CAIRN_FIELDS(v("step", s.step); v("input", s.input); v("effect", s.effect); v("amount", s.amount);)
};

// What a person settled an uncertain effect by; how it was settled is a fact of its own in the same entry.
struct EffectEvidence {
    static constexpr std::uint16_t kTag = 30;
    StepIx step = kNoStep;
    PayloadRef evidence;
    CAIRN_FIELDS(v("step", s.step); v("evidence", s.evidence);)
};

// --- attempts

// For a writing tool this is the intent: it is committed before the tool is called.
struct AttemptStarted {
    static constexpr std::uint16_t kTag = 40;
    StepIx step = kNoStep;
    AttemptId attempt;
    Purpose purpose = Purpose::Do;
    std::uint32_t number = 1;
    SessionId session;   // the engine that executes it; null for an outside worker
    std::string worker;  // outside worker's name
    TimeMs timeoutAt = kNoTime;
    TimeMs heartbeatDue = kNoTime;
    ApprovalId approval;  // which consent it acts on
    std::vector<Usage> reserved;
    UuidBytes trace{};       // since format 2; format 1: derived from the run id
    std::uint64_t span = 0;  // since format 2; format 1: derived from the attempt id
    CAIRN_FIELDS(v("step", s.step); v("attempt", s.attempt); v("purpose", s.purpose); v("number", s.number);
                 v("session", s.session); v("worker", s.worker); v("timeout_at", s.timeoutAt);
                 v("heartbeat_due", s.heartbeatDue); v("approval", s.approval); v("reserved", s.reserved);
                 v.since(2, "trace", s.trace); v.since(2, "span", s.span);)
};

struct AttemptRenewed {
    static constexpr std::uint16_t kTag = 41;
    StepIx step = kNoStep;
    AttemptId attempt;
    TimeMs heartbeatDue = kNoTime;
    PayloadRef progress;
    CAIRN_FIELDS(v("step", s.step); v("attempt", s.attempt); v("heartbeat_due", s.heartbeatDue);
                 v("progress", s.progress);)
};

// What follows for the step (completed, waiting for a retry, unknown, failed) is a fact of its own in the
// same entry.
struct AttemptEnded {
    static constexpr std::uint16_t kTag = 42;
    StepIx step = kNoStep;
    AttemptId attempt;
    AttemptEnd how = AttemptEnd::Completed;
    EffectKnowledge effect = EffectKnowledge::NoEffect;
    FailureClass failure = FailureClass::Retryable;  // meaningful where how is Failed
    PayloadRef error;
    Digest signature;  // normalised error, hashed: groups situations
    std::vector<Usage> used;
    bool countsAsFailure = false;  // handled failure
    bool countsAsLost = false;     // lost owner
    CAIRN_FIELDS(v("step", s.step); v("attempt", s.attempt); v("how", s.how); v("effect", s.effect);
                 v("failure", s.failure); v("error", s.error); v("signature", s.signature); v("used", s.used);
                 v("counts_as_failure", s.countsAsFailure); v("counts_as_lost", s.countsAsLost);)
};

struct PartialResult {
    static constexpr std::uint16_t kTag = 43;
    StepIx step = kNoStep;
    AttemptId attempt;
    PayloadRef output;
    CAIRN_FIELDS(v("step", s.step); v("attempt", s.attempt); v("output", s.output);)
};

// A result that came after its attempt was no longer current: refused, and kept as evidence.
struct LateResult {
    static constexpr std::uint16_t kTag = 44;
    StepIx step = kNoStep;
    AttemptId attempt;
    PayloadRef evidence;
    CAIRN_FIELDS(v("step", s.step); v("attempt", s.attempt); v("evidence", s.evidence);)
};

// --- approvals, signals, children, messages

struct ApprovalRequested {
    static constexpr std::uint16_t kTag = 60;
    ApprovalId approval;
    StepIx step = kNoStep;
    Digest binding;  // rendered input, tool, contract, effect key, secret, amount and currency
    TimeMs expires = kNoTime;
    std::string role;  // who may decide
    std::uint8_t needed = 1;
    Actor askedBy;
    CAIRN_FIELDS(v("approval", s.approval); v("step", s.step); v("binding", s.binding);
                 v("expires", s.expires); v("role", s.role); v("needed", s.needed); v("asked_by", s.askedBy);)
};

struct ApprovalDecided {
    static constexpr std::uint16_t kTag = 61;
    ApprovalId approval;
    ApprovalState as = ApprovalState::Approved;
    PayloadRef note;
    CAIRN_FIELDS(v("approval", s.approval); v("as", s.as); v("note", s.note);)
};

struct SignalReceived {
    static constexpr std::uint16_t kTag = 62;
    std::string name;
    Digest messageHash;  // sender's message id under the store's salt
    PayloadRef data;
    CAIRN_FIELDS(v("name", s.name); v("message_hash", s.messageHash); v("data", s.data);)
};

struct SignalConsumed {
    static constexpr std::uint16_t kTag = 63;
    StepIx step = kNoStep;
    std::uint32_t signal = 0;  // position among the run's received signals
    CAIRN_FIELDS(v("step", s.step); v("signal", s.signal);)
};

// The start message of a child is in the outbox of this entry.
struct ChildRequested {
    static constexpr std::uint16_t kTag = 64;
    StepIx step = kNoStep;
    RunId child;
    std::vector<BudgetLine> allotment;
    CAIRN_FIELDS(v("step", s.step); v("child", s.child); v("allotment", s.allotment);)
};

struct ChildAnswered {
    static constexpr std::uint16_t kTag = 65;
    StepIx step = kNoStep;
    RunId child;
    Activity as = Activity::Completed;
    PayloadRef output;
    std::vector<Usage> used;  // of the allotment
    CAIRN_FIELDS(v("step", s.step); v("child", s.child); v("as", s.as); v("output", s.output);
                 v("used", s.used);)
};

// Descendants that confirmed a cancel, summed upwards.
struct CancelConfirmed {
    static constexpr std::uint16_t kTag = 66;
    RunId child;
    std::uint32_t confirmed = 0;
    std::uint32_t total = 0;
    CAIRN_FIELDS(v("child", s.child); v("confirmed", s.confirmed); v("total", s.total);)
};

// A child's budget is what its parent moved to it: at its start (with the same lines as RunStarted), and
// whenever the parent gave more. Limits only grow by it; other amounts are zero. `decidedBy`: the run whose
// budget a person sets, upwards from here; this run itself: its parent leaves it to this run from now on.
struct AllotmentReceived {
    static constexpr std::uint16_t kTag = 67;
    std::vector<BudgetLine> lines;
    RunId decidedBy;
    CAIRN_FIELDS(v("lines", s.lines); v("decided_by", s.decidedBy);)
};

// Out of its allotment, the run asks its parent for limits as high as these; none: it needs no more.
struct AllotmentAsked {
    static constexpr std::uint16_t kTag = 68;
    std::vector<Usage> wanted;
    CAIRN_FIELDS(v("wanted", s.wanted);)
};

// What a child asks for by now. `revision` is the child's version: an older request changes nothing.
struct ChildAsked {
    static constexpr std::uint16_t kTag = 69;
    RunId child;
    std::vector<Usage> wanted;
    std::uint64_t revision = 0;
    CAIRN_FIELDS(v("child", s.child); v("wanted", s.wanted); v("revision", s.revision);)
};

// More of this run's budget is moved to a child; none: the child decides its own budget, for it has answered.
struct ChildGranted {
    static constexpr std::uint16_t kTag = 70;
    RunId child;
    std::vector<Usage> more;
    CAIRN_FIELDS(v("child", s.child); v("more", s.more);)
};

// The parent was told who moves next here, for that is who moves next there.
struct ParentTold {
    static constexpr std::uint16_t kTag = 71;
    Attention attention = Attention::Machine;
    CAIRN_FIELDS(v("attention", s.attention);)
};

// Who moves next in a child, as it said itself. `revision` is the child's version: an older word changes
// nothing. Of a child that had answered: it is open again.
struct ChildNeeds {
    static constexpr std::uint16_t kTag = 72;
    RunId child;
    Attention attention = Attention::Machine;
    std::uint64_t revision = 0;
    CAIRN_FIELDS(v("child", s.child); v("attention", s.attention); v("revision", s.revision);)
};

// The effect that the step waits for is in doubt where it was begun: people must find out there.
struct HolderInDoubt {
    static constexpr std::uint16_t kTag = 73;
    StepIx step = kNoStep;
    CAIRN_FIELDS(v("step", s.step);)
};

// --- annotations: beside the run; what it does next never depends on them

// Plans and retention leave the run alone. Why it is held is the entry's reason.
struct HoldChanged {
    static constexpr std::uint16_t kTag = 74;
    bool held = true;
    TimeMs until = kNoTime;  // kNoTime: until it is released
    CAIRN_FIELDS(v("held", s.held); v("until", s.until);)
};

struct RunAssigned {
    static constexpr std::uint16_t kTag = 75;
    Actor to;  // a person, by the name that was given; id empty: nobody
    CAIRN_FIELDS(v("to", s.to);)
};

struct NoteAdded {
    static constexpr std::uint16_t kTag = 76;
    PayloadRef text;
    bool masked = false;  // not shown beside the run: who wants to read it asks for the payload
    CAIRN_FIELDS(v("text", s.text); v("masked", s.masked);)
};

// The note stays in the history, and is no longer shown beside the run.
struct NoteWithdrawn {
    static constexpr std::uint16_t kTag = 77;
    std::uint64_t note = 0;  // version of the entry that added it
    CAIRN_FIELDS(v("note", s.note);)
};

// A person ended the lease of who had the run, or an attempt at one step, early. What was under way ends in
// facts of its own in the same entry.
struct TakenOver {
    static constexpr std::uint16_t kTag = 78;
    SessionId from;  // engine; null: an outside worker, or nobody had the run
    StepIx step = kNoStep;
    AttemptId attempt;  // null: the run as a whole
    CAIRN_FIELDS(v("from", s.from); v("step", s.step); v("attempt", s.attempt);)
};

// A person's act for which one person is not enough: who confirmed what somebody else had proposed. Nobody:
// the glass was broken, and a review is open.
struct ActAgreed {
    static constexpr std::uint16_t kTag = 85;
    Actor by;
    Digest digest;  // of what was confirmed
    bool glass = false;
    CAIRN_FIELDS(v("by", s.by); v("digest", s.digest); v("glass", s.glass);)
};

// A person says that the failure of this run is dealt with: retention may remove it. Undone by going on.
struct FailureAccepted {
    static constexpr std::uint16_t kTag = 80;
    CAIRN_FIELDS(static_cast<void>(s); static_cast<void>(v);)
};

using Fact = std::variant<RunStarted, ControlChanged, ControlInherited, RunBlocked, RestCancelled,
    CompensationStarted, RunClosed, RunReopened, RunMigrated, BudgetChanged, PayloadsRedacted, StepAdded,
    StepReady, StepWaiting, StepReleased, StepCompleted, StepFailed, StepSkipped, StepUnknown, EffectDenied,
    InputAmended, EffectEvidence, AttemptStarted, AttemptRenewed, AttemptEnded, PartialResult, LateResult,
    ApprovalRequested, ApprovalDecided, SignalReceived, SignalConsumed, ChildRequested, ChildAnswered,
    CancelConfirmed, AllotmentReceived, AllotmentAsked, ChildAsked, ChildGranted, ParentTold, ChildNeeds,
    HolderInDoubt, HoldChanged, RunAssigned, NoteAdded, NoteWithdrawn, TakenOver, FailureAccepted, ActAgreed>;

#undef CAIRN_FIELDS

// The stable name of a fact ("step_completed"), for JSON and the history view.
[[nodiscard]] std::string_view factName(const Fact& fact) noexcept;

}  // namespace cairn
