#pragma once
// Requests to change a run. Text and bytes that come with a command are payloads already (the service makes
// their references before deciding). Operators' commands may carry what they expect to be current.

#include "core/model/definition.h"
#include "core/model/entry.h"

#include <variant>

namespace cairn::cmd {

// --- from callers
struct Start {
    RunId run;
    RunId root;    // null: the run is its own root
    RunId origin;  // names default effect keys; null: the run itself
    ParentRef parent;
    PayloadRef input;
    Digest keyHash;
    Control inherited;
    std::vector<BudgetLine> allotment;  // replaces the definition's budget for a child
    RunId budgetAt;                     // with an allotment: the run whose budget a person sets
    bool driven = false;                // no definition: the caller owns the control flow
};
struct NewStep {
    std::string id;
    std::string name;  // a step of the definition, or free for driven runs
    StepKind kind = StepKind::Tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::string tool;
    std::string agent;
    std::vector<std::string> after;  // step ids
};
struct AddSteps {
    std::vector<NewStep> steps;
};
// Driven runs: "the result, a claim, or wait". `inputHash` is the given input's hash under the recorded salt
// where the step exists (the service computes it), the new payload's hash otherwise.
struct DrivenStep {
    NewStep step;
    PayloadRef input;
    bool sameInput = true;  // as compared by the service when the step exists
    std::string worker;
    SpanMs heartbeat = 30'000;
};
struct Signal {
    std::string name;
    Digest messageHash;
    PayloadRef data;
    bool sameDataAsBefore = true;
};

// --- from workers and executors
struct Claim {
    std::string step;
    std::string worker;
    std::vector<std::string> tools;
    SpanMs heartbeat = 30'000;
};
struct Renew {
    AttemptId attempt;
    SpanMs heartbeat = 30'000;
    PayloadRef progress;
};
struct Complete {
    AttemptId attempt;  // null: closes a driven run, `output` is the run's
    PayloadRef output;
    std::vector<Usage> used;
    std::vector<NewStep> adds;        // a decision's plan
    bool sameOutputAsBefore = false;  // a repeat of the recorded result, as compared by the service
    PayloadRef refusedReport{};       // evidence: what it said that it used, and why that was not taken
};
struct Fail {
    AttemptId attempt;
    FailureClass failure = FailureClass::Retryable;
    EffectKnowledge effect = EffectKnowledge::NoEffect;
    PayloadRef error;
    Digest signature;
    SpanMs retryAfter = -1;  // server's Retry-After; -1: none
    std::vector<Usage> used;
    bool timedOut = false;
    bool cancelled = false;  // stopped because the run was cancelled
};
struct Partial {
    AttemptId attempt;
    PayloadRef output;
};
// The answer of a look-up attempt.
struct LookedUp {
    AttemptId attempt;
    EffectKnowledge verdict = EffectKnowledge::Unknown;
    PayloadRef output;
    PayloadRef evidence;
};
struct RequestApproval {
    NewStep step;
    PayloadRef input;
    bool sameInput = true;
    ApprovalPolicy policy;
};

// --- from operators
struct Decide {  // approve or reject
    ApprovalId approval;
    bool approve = true;
    Digest expectedBinding;  // null: not checked by the caller
};
struct SetPaused {
    bool paused = true;
    std::uint64_t expectedControl = 0;
    bool checkControl = false;
};
struct Cancel {
    bool compensate = true;
    std::uint64_t expectedControl = 0;
    bool checkControl = false;
};
struct Compensate {
    std::uint64_t expectedControl = 0;
    bool checkControl = false;
};
struct RetryStep {
    std::string step;
    std::uint32_t expectedRevision = 0;
    bool checkRevision = false;
};
struct SkipStep {
    std::string step;
    PayloadRef output;
    std::uint32_t expectedRevision = 0;
    bool checkRevision = false;
};
struct RecordResult {
    std::string step;
    PayloadRef output;
    std::uint32_t expectedRevision = 0;
    bool checkRevision = false;
};
// Safest first. Compensate: it counts as done, and the run undoes what it did. Park: it stays in doubt, the
// provider is not asked any more, and a person looks after it.
enum class SettleAs : std::uint8_t { Happened = 1, NotHappened, RepeatSameKey, Compensate, Park };
// "happened", "did_not_happen", "repeat_same_key", "compensate", "park".
[[nodiscard]] std::string_view settleKey(SettleAs as) noexcept;
struct Settle {
    std::string step;
    SettleAs as = SettleAs::Happened;
    PayloadRef output;  // result, where it happened
    PayloadRef evidence;
    std::uint32_t expectedRevision = 0;
    bool checkRevision = false;
    std::string assign{};  // Park: to this person; empty: to nobody new
};
struct AmendInput {
    std::string step;
    PayloadRef input;
    std::uint32_t expectedRevision = 0;
    bool checkRevision = false;
};
struct SetDeadline {
    TimeMs deadline = kNoTime;
    std::uint64_t expectedControl = 0;
    bool checkControl = false;
};
struct SetBudget {
    std::string unit;
    std::int64_t limit = 0;
    std::uint64_t expectedControl = 0;
    bool checkControl = false;
};
struct Fork {
    RunId newRun;
    std::uint64_t fromVersion = 0;
    bool newEffects = false;
};  // decided on the empty new run
struct Migrate {
    std::uint32_t toVersion = 0;
    std::uint32_t fromVersion = 0;  // as seen; 0: from whichever it follows
};
struct Redact {
    std::vector<PayloadId> payloads;
};
// The failure of a run that ended is dealt with: retention need not keep it for that.
struct Retain { };

// Ends the lease of who works on it early, as if he were lost.
struct Takeover {
    std::string step;   // empty: the run, from the engine that has it
    AttemptId attempt;  // as seen, with `step`; null: whichever is under way
    SessionId owner;    // as seen, without `step`
    bool checkOwner = false;
};

// Annotations. Expected: version of the entry that last changed it; 0: none has.
struct Hold {
    bool held = true;
    TimeMs until = kNoTime;  // kNoTime: until it is released
    std::uint64_t expected = 0;
    bool check = false;
};
struct Assign {
    std::string to;  // empty: nobody
    std::uint64_t expected = 0;
    bool check = false;
};
struct Note {
    PayloadRef text;
    bool masked = false;
    std::uint64_t withdraw = 0;  // of the note that this entry added; 0: `text` is a new one
};

// --- from the engine
struct Advance { };  // start what can be started
struct Park {
    PayloadRef detail;
};                   // an entry does not fold to what was decided: names the field; a person resumes
struct Recover { };  // takeover: end attempts of sessions that are gone (Given::endedSessions)
struct FireTimers {
};  // everything that is due at Given::now: timers, retries, expiries, time-outs, deadline
enum class MessageKind : std::uint8_t {
    StartChild = 1,
    ChildFinished,
    ControlFlow,
    CancelConfirmed,
    EffectReleased,
    BudgetAsked,    // of a parent: `used` holds the limits that the child needs, control.revision orders them
    BudgetGranted,  // of a child: `allotment` holds its new limits
    ChildNeeds,     // of a child: who moves next there (`total`, an Attention); control.revision orders them
    // An engine's own word to a parent, in no outbox: the child cannot begin, `output` says why; it has
    // begun.
    ChildHeld,
    ChildBegun
};
inline constexpr MessageKind kLastMessage = MessageKind::ChildNeeds;  // in an outbox
// From another run's outbox. StartChild is not delivered by this command but by Start.
struct Deliver {
    MessageKind kind = MessageKind::ChildFinished;
    RunId from;
    StepIx step = kNoStep;  // the receiver's step
    Activity as = Activity::Completed;
    PayloadRef output;  // copied into the receiver
    std::vector<Usage> used;
    Control control;
    std::uint32_t confirmed = 0;
    std::uint32_t total = 0;
    EffectId effect;
    std::vector<BudgetLine> allotment;
    RunId budgetAt;
};

using Body = std::variant<Start, AddSteps, DrivenStep, Signal, Claim, Renew, Complete, Fail, Partial,
    LookedUp, RequestApproval, Decide, SetPaused, Cancel, Compensate, RetryStep, SkipStep, RecordResult,
    Settle, AmendInput, SetDeadline, SetBudget, Fork, Migrate, Redact, Retain, Advance, Park, Recover,
    FireTimers, Deliver, Hold, Assign, Note, Takeover>;

}  // namespace cairn::cmd

namespace cairn {

struct Command {
    CommandId id;  // made before anything; the same id gives the first answer again
    Actor actor;
    PayloadRef reason;               // required of persons in guarded stores
    std::uint32_t reasonLength = 0;  // trimmed characters, for the rule on reasons
    PlanId plan;
    cmd::Body body;
};

// The verb that the command's entry carries: Decide is Approve or Reject, SetPaused is Pause or Resume, Renew
// with progress is Progress, LookedUp is Reconcile; Deliver of a parent's control stays Deliver.
[[nodiscard]] Verb verbOf(const cmd::Body& body) noexcept;

}  // namespace cairn
