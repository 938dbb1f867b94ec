#pragma once
// The one vocabulary: every name that console, command line, manual and JSON use, in one table per kind of
// word. `key` is the stable machine word (JSON, filters); `label` is what an operator reads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cairn {

enum class Activity : std::uint8_t {
    Completed = 1,
    Failed,
    Cancelled,
    Compensated,  // finished
    Paused,
    Cancelling,
    Compensating,
    Executing,
    Retrying,
    Queued,
    Waiting,
    Blocked,
};

// Who moves next, the highest first.
enum class Attention : std::uint8_t { UnknownEffect = 1, Repair, Person, Machine, None };

enum class Reason : std::uint8_t {
    None = 0,
    OutcomeUnknown = 1,
    EffectKeyConflict,
    Worker,
    AttemptsExhausted,
    FailedChild,
    Incompatible,
    Credential,
    Approval,
    Budget,
    Deadline,
    Paused,
    EffectInFlight,
    Retry,
    Resource,
    Capacity,
    Timer,
    Signal,
    Child,
    Dependency,
    Lease,
};
inline constexpr std::size_t kReasonCount = 21;  // one past the last value

enum class StepState : std::uint8_t {
    Pending = 1,
    Ready,
    Running,
    Waiting,
    Unknown,
    Complete,
    Failed,
    Skipped,
    Cancelled,
};
[[nodiscard]] constexpr bool isFinished(StepState s) { return s >= StepState::Complete; }

enum class StepKind : std::uint8_t { Tool = 1, Decision, Approval, Timer, Signal, Run, FanOut };

enum class ReplaySafety : std::uint8_t { ReadOnly = 1, Repeatable, Irreversible };
[[nodiscard]] constexpr bool writes(ReplaySafety s) { return s != ReplaySafety::ReadOnly; }

// What an attempt is for: do the work, ask the provider whether it was done, or undo it.
enum class Purpose : std::uint8_t { Do = 1, LookUp, Undo };

// How an attempt ended.
enum class AttemptEnd : std::uint8_t {
    Completed = 1,
    Failed,     // the executor reported an error
    TimedOut,   // per-attempt or heartbeat time-out
    OwnerLost,  // the engine or worker that ran it is gone
    Cancelled,
};

// What is known about the outside effect of an attempt that did not complete.
enum class EffectKnowledge : std::uint8_t { NoEffect = 1, NotHappened, Happened, Unknown };

enum class FailureClass : std::uint8_t {
    Retryable = 1,
    Permanent,    // trying again cannot help
    RateLimited,  // the resource asked to wait; uses up no attempt
    Credential,   // a secret is missing, expired or refused
    Rejected,     // the input does not fit the receiver's contract
    TooLarge,     // a result over the size limit
    Crashed,      // ended by a signal or exit status 128+n
    NotBegun,     // the engine itself lacked what a call needs (a program, a descriptor); uses up no attempt
};

enum class ApprovalState : std::uint8_t { Pending = 1, Approved, Rejected, Expired, Cancelled, Used };

enum class ActorKind : std::uint8_t { Person = 1, Caller, Worker, Engine, Run, System };

// Operators' verbs first, then callers' and workers', then the engine's.
enum class Verb : std::uint8_t {
    Approve = 1,
    Reject,
    Pause,
    Resume,
    Cancel,
    Retry,
    Skip,
    Record,
    Settle,
    Amend,
    Deadline,
    Budget,
    Slow,
    Takeover,
    Compensate,
    Fork,
    Migrate,
    Redact,
    Start,
    AddSteps,
    Claim,
    Renew,
    Progress,
    Complete,
    Fail,
    Partial,
    Signal,
    RequestApproval,
    DrivenStep,
    Advance,
    Recover,
    FireTimers,
    Deliver,
    Reconcile,  // the answer of a look-up (added later: values are stored)
    Park,       // folding an entry again gave another state
    // Of the store as a whole: in the audit only.
    AddWorkflow,
    MigrateStore,
    BackUpStore,
    MoveClock,
    CopyStore,
    PlaceArtifacts,
    SignCheckpoint,
    AnchorAudit,
    ExportRuns,
    ImportRuns,
    // Annotations beside a run: no rule of the engine asks for them.
    Hold = 46,
    Assign = 47,
    Note = 48,
    Retain = 49,      // how long runs of a workflow are kept; of a run: its failure is dealt with
    ProposeAct = 50,  // left for somebody else to confirm
    ConfirmAct = 51,
    SetPolicy = 52,
    Plan = 53,    // one act on many runs: staged, started, stopped, finished
    Reveal = 54,  // somebody read what a workflow hides; in the audit only
};

struct Word {
    std::uint8_t value;
    std::string_view key;
    std::string_view label;
    std::string_view help;  // one line: what it means or what it does
    Attention attention;    // who moves next (activities and reasons); None elsewhere
    Activity activity;  // reasons: what the run's activity becomes (0 for None); activities: itself; else 0
};

// The table of an enum, in the order of its values and without a hole (word() and isKnown() count on that).
template<typename Enum> [[nodiscard]] std::span<const Word> words() noexcept;
template<> std::span<const Word> words<Activity>() noexcept;
template<> std::span<const Word> words<Attention>() noexcept;
template<> std::span<const Word> words<Reason>() noexcept;
template<> std::span<const Word> words<StepState>() noexcept;
template<> std::span<const Word> words<StepKind>() noexcept;
template<> std::span<const Word> words<ReplaySafety>() noexcept;
template<> std::span<const Word> words<Purpose>() noexcept;
template<> std::span<const Word> words<AttemptEnd>() noexcept;
template<> std::span<const Word> words<EffectKnowledge>() noexcept;
template<> std::span<const Word> words<FailureClass>() noexcept;
template<> std::span<const Word> words<ApprovalState>() noexcept;
template<> std::span<const Word> words<ActorKind>() noexcept;
template<> std::span<const Word> words<Verb>() noexcept;

// A value outside the table (damaged data) gives a word with key "?".
template<typename Enum> [[nodiscard]] const Word& word(Enum value) noexcept;
template<typename Enum> [[nodiscard]] std::string_view key(Enum value) noexcept { return word(value).key; }
template<typename Enum> [[nodiscard]] std::string_view label(Enum value) noexcept
{
    return word(value).label;
}
template<typename Enum> [[nodiscard]] std::optional<Enum> parseKey(std::string_view text) noexcept
{
    for (const Word& w : words<Enum>())
        if (w.key == text)
            return static_cast<Enum>(w.value);
    return std::nullopt;
}
template<typename Enum> [[nodiscard]] bool isKnown(Enum value) noexcept
{
    const auto table = words<Enum>();
    return static_cast<std::uint8_t>(value) >= table.front().value
        && static_cast<std::uint8_t>(value) <= table.back().value;
}

[[nodiscard]] const Word& unknownWord() noexcept;
template<typename Enum> const Word& word(Enum value) noexcept
{
    const auto table = words<Enum>();
    return isKnown(value)
        ? table[static_cast<std::size_t>(static_cast<std::uint8_t>(value) - table.front().value)]
        : unknownWord();
}

[[nodiscard]] constexpr bool isFinished(Activity a) { return a <= Activity::Compensated; }

}  // namespace cairn
