#include "core/model/vocabulary.h"

#include <iterator>

namespace cairn {

namespace {

constexpr Activity kNoActivity{};  // tables other than the reasons'

// A row of a table whose words say nothing about who moves next.
template<typename Enum>
constexpr Word plain(Enum value, std::string_view key, std::string_view label, std::string_view help)
{
    return {static_cast<std::uint8_t>(value), key, label, help, Attention::None, kNoActivity};
}

constexpr Word activity(
    Activity value, std::string_view key, std::string_view label, std::string_view help, Attention attention)
{
    return {static_cast<std::uint8_t>(value), key, label, help, attention, value};
}

constexpr Word reason(Reason value, std::string_view key, std::string_view label, std::string_view help,
    Attention attention, Activity leadsTo)
{
    return {static_cast<std::uint8_t>(value), key, label, help, attention, leadsTo};
}

constexpr Word kActivities[] = {
    activity(Activity::Completed, "completed", "Completed", "Finished: every step is done.", Attention::None),
    activity(Activity::Failed, "failed", "Failed", "Finished without its result.", Attention::None),
    activity(Activity::Cancelled, "cancelled", "Cancelled", "Finished: stopped by a person or its parent.",
        Attention::None),
    activity(Activity::Compensated, "compensated", "Compensated", "Finished: completed effects were undone.",
        Attention::None),
    activity(Activity::Paused, "paused", "Paused", "A person said so; Resume lifts it.", Attention::Person),
    activity(Activity::Cancelling, "cancelling", "Cancelling",
        "Attempts are under way, or children have not confirmed yet.", Attention::Machine),
    activity(Activity::Compensating, "compensating", "Compensating",
        "Completed effects are being undone, newest first.", Attention::Machine),
    activity(Activity::Executing, "executing", "Executing", "An attempt is under way.", Attention::Machine),
    activity(Activity::Retrying, "retrying", "Retrying", "The next attempt has a time.", Attention::Machine),
    activity(Activity::Queued, "queued", "Queued", "Something is ready; there is no capacity yet.",
        Attention::Machine),
    activity(Activity::Waiting, "waiting", "Waiting",
        "Waits for an approval, a time, a signal, a child or another run's effect.", Attention::Machine),
    activity(Activity::Blocked, "blocked", "Blocked", "Nothing can move it but a repair.", Attention::Repair),
};

constexpr Word kAttentions[] = {
    plain(Attention::UnknownEffect, "unknown_effect", "Effect uncertain",
        "Nobody knows whether an effect happened; people must find out."),
    plain(Attention::Repair, "repair", "Nobody can", "Nobody can move it until something is repaired."),
    plain(Attention::Person, "person", "A person must", "A person must decide or act."),
    plain(Attention::Machine, "machine", "Machine will", "It moves by itself."),
    plain(Attention::None, "none", "Finished", "Nothing is left to do."),
};

constexpr Word kReasons[] = {
    reason(Reason::None, "none", "None", "Nothing holds it.", Attention::None, kNoActivity),
    reason(Reason::OutcomeUnknown, "outcome_unknown", "Uncertain effect",
        "An effect was begun and no result is recorded: it may have happened.", Attention::UnknownEffect,
        Activity::Blocked),
    reason(Reason::EffectKeyConflict, "effect_key_conflict", "Effect key conflict",
        "The same effect key was used before with another input.", Attention::Repair, Activity::Blocked),
    reason(Reason::Worker, "worker", "No eligible worker", "No worker that is here can run the step.",
        Attention::Repair, Activity::Blocked),
    reason(Reason::AttemptsExhausted, "attempts_exhausted", "Attempts exhausted",
        "The step failed as often as its policy allows.", Attention::Repair, Activity::Blocked),
    reason(Reason::FailedChild, "failed_child", "Failed child", "A child run ended without its result.",
        Attention::Repair, Activity::Blocked),
    reason(Reason::Incompatible, "incompatible", "Mismatch",
        "What the run recorded does not fit the versions that are here.", Attention::Repair,
        Activity::Blocked),
    reason(Reason::Credential, "credential", "Credential expired or missing",
        "A secret is missing, expired or refused.", Attention::Repair, Activity::Blocked),
    reason(Reason::Approval, "approval", "Approval", "Waits for a person's yes or no.", Attention::Person,
        Activity::Waiting),
    reason(Reason::Budget, "budget", "Budget reached", "The next step would cost more than is left.",
        Attention::Person, Activity::Blocked),
    reason(Reason::Deadline, "deadline", "Deadline passed", "The run's deadline has passed.",
        Attention::Person, Activity::Blocked),
    reason(Reason::Paused, "paused", "Paused", "An operator paused it.", Attention::Person, Activity::Paused),
    reason(Reason::EffectInFlight, "effect_in_flight", "Same effect under way",
        "Another run is doing the same effect; its result will be shared.", Attention::Machine,
        Activity::Waiting),
    reason(Reason::Retry, "retry", "Back-off", "The next attempt starts by itself at its time.",
        Attention::Machine, Activity::Retrying),
    reason(Reason::Resource, "resource", "Throttled", "The called resource asked to wait.",
        Attention::Machine, Activity::Queued),
    reason(Reason::Capacity, "capacity", "Limit or lock", "A limit or a lock is held by others.",
        Attention::Machine, Activity::Queued),
    reason(Reason::Timer, "timer", "Timer", "Waits until a set time.", Attention::Machine, Activity::Waiting),
    reason(Reason::Signal, "signal", "External event", "Waits for a signal from outside.", Attention::Machine,
        Activity::Waiting),
    reason(Reason::Child, "child", "Child run", "Waits for a child run, which has a reason of its own.",
        Attention::Machine, Activity::Waiting),
    // Never a run's only reason: the earlier step has one, and that one decides. Waiting keeps it harmless.
    reason(Reason::Dependency, "dependency", "Earlier step", "Waits for an earlier step of the run.",
        Attention::Machine, Activity::Waiting),
    reason(Reason::Lease, "lease", "Worker lost",
        "The worker is gone; another takes over when its lease ends.", Attention::Machine,
        Activity::Executing),
};
static_assert(std::size(kReasons) == kReasonCount);

constexpr Word kStepStates[] = {
    plain(StepState::Pending, "pending", "Pending", "Earlier steps are not done yet."),
    plain(StepState::Ready, "ready", "Ready", "Can start as soon as there is capacity."),
    plain(StepState::Running, "running", "Running", "An attempt is under way."),
    plain(StepState::Waiting, "waiting", "Waiting", "Waits for the reason shown."),
    plain(StepState::Unknown, "unknown", "Unknown", "Its effect may have happened; somebody must find out."),
    plain(StepState::Complete, "complete", "Complete", "Its result is recorded; it never runs again."),
    plain(StepState::Failed, "failed", "Failed", "It ended without a result."),
    plain(StepState::Skipped, "skipped", "Skipped", "Left out by a condition or by an operator."),
    plain(StepState::Cancelled, "cancelled", "Cancelled", "Stopped before it began or while it ran."),
};

constexpr Word kStepKinds[] = {
    plain(StepKind::Tool, "tool", "Tool", "Calls a tool."),
    plain(
        StepKind::Decision, "decision", "Decision", "A model's choice, recorded and never asked for again."),
    plain(StepKind::Approval, "approval", "Approval", "A person's yes or no."),
    plain(StepKind::Timer, "timer", "Timer", "Waits for a time."),
    plain(StepKind::Signal, "signal", "Signal", "Waits for an event from outside."),
    plain(StepKind::Run, "run", "Run", "A child run."),
    plain(StepKind::FanOut, "fan_out", "Fan-out", "One member for each item of a list."),
};

constexpr Word kReplaySafeties[] = {
    plain(ReplaySafety::ReadOnly, "read_only", "Read-only", "Changes nothing outside; may be called again."),
    plain(ReplaySafety::Repeatable, "repeatable", "Repeatable", "The same key gives the same effect once."),
    plain(ReplaySafety::Irreversible, "irreversible", "Irreversible", "Never repeated blindly."),
};

constexpr Word kPurposes[] = {
    plain(Purpose::Do, "do", "Do", "Does the step's work."),
    plain(Purpose::LookUp, "look_up", "Look up", "Asks the provider whether the effect happened."),
    plain(Purpose::Undo, "undo", "Undo", "Undoes a completed effect."),
};

constexpr Word kAttemptEnds[] = {
    plain(AttemptEnd::Completed, "completed", "Completed", "Its result was recorded."),
    plain(AttemptEnd::Failed, "failed", "Failed", "The executor reported an error."),
    plain(AttemptEnd::TimedOut, "timed_out", "Timed out", "It took too long, or its heartbeat stopped."),
    plain(AttemptEnd::OwnerLost, "owner_lost", "Owner lost", "The engine or worker that ran it is gone."),
    plain(AttemptEnd::Cancelled, "cancelled", "Cancelled", "It was stopped because the run was cancelled."),
};

constexpr Word kEffectKnowledge[] = {
    plain(EffectKnowledge::NoEffect, "no_effect", "No effect", "Nothing was done outside."),
    plain(EffectKnowledge::NotHappened, "not_happened", "Did not happen",
        "The effect is known not to have happened."),
    plain(EffectKnowledge::Happened, "happened", "Happened", "The effect is known to have happened."),
    plain(EffectKnowledge::Unknown, "unknown", "Unknown", "The effect may or may not have happened."),
};

constexpr Word kFailureClasses[] = {
    plain(FailureClass::Retryable, "retryable", "Retryable", "Trying again may help."),
    plain(FailureClass::Permanent, "permanent", "Permanent", "Trying again cannot help."),
    plain(FailureClass::RateLimited, "rate_limited", "Rate limited",
        "The resource asked to wait; this uses up no attempt."),
    plain(FailureClass::Credential, "credential", "Credential", "A secret is missing, expired or refused."),
    plain(FailureClass::Rejected, "rejected", "Rejected", "The input does not fit the receiver's contract."),
    plain(FailureClass::TooLarge, "too_large", "Too large", "The result is over the size limit."),
    plain(FailureClass::Crashed, "crashed", "Crashed", "Ended by a signal."),
    plain(FailureClass::NotBegun, "not_begun", "Not begun",
        "The engine itself could not begin it; this uses up no attempt."),
};

constexpr Word kApprovalStates[] = {
    plain(ApprovalState::Pending, "pending", "Pending", "Nobody has decided yet."),
    plain(ApprovalState::Approved, "approved", "Approved", "A person said yes; not used yet."),
    plain(ApprovalState::Rejected, "rejected", "Rejected", "A person said no."),
    plain(ApprovalState::Expired, "expired", "Expired", "Nobody decided in time; that is never consent."),
    plain(ApprovalState::Cancelled, "cancelled", "Cancelled", "No longer needed."),
    plain(ApprovalState::Used, "used", "Used", "The effect that it allows has begun."),
};

constexpr Word kActorKinds[] = {
    plain(ActorKind::Person, "person", "Person", "A person at the console or the command line."),
    plain(ActorKind::Caller, "caller", "Caller", "A program that starts and drives runs."),
    plain(ActorKind::Worker, "worker", "Worker", "A process that executes steps."),
    plain(ActorKind::Engine, "engine", "Engine", "An engine session."),
    plain(ActorKind::Run, "run", "Run", "Another run, by a message."),
    plain(ActorKind::System, "system", "System", "Cairn itself."),
};

constexpr Word kVerbs[] = {
    plain(Verb::Approve, "approve", "Approve", "Say yes to exactly what is shown."),
    plain(Verb::Reject, "reject", "Reject", "Say no; the step does not run."),
    plain(Verb::Pause, "pause", "Pause", "No new step starts; a step under way finishes."),
    plain(Verb::Resume, "resume", "Resume", "Undo Pause."),
    plain(Verb::Cancel, "cancel", "Cancel",
        "Stops, then compensates where the workflow says so; Abandon does not compensate."),
    plain(Verb::Retry, "retry", "Retry now", "Same run, same code; skips the remaining back-off."),
    plain(Verb::Skip, "skip", "Skip step",
        "Recorded as skipped by an operator; needs a substitute output where something reads it."),
    plain(Verb::Record, "record", "Record result", "Give the step a result that was obtained by hand."),
    plain(Verb::Settle, "settle", "Set outcome", "Say whether an uncertain effect happened."),
    plain(Verb::Amend, "amend", "Amend input", "A new revision of the input; the old one is kept."),
    plain(Verb::Deadline, "deadline", "Set deadline", "Move the run's deadline."),
    plain(Verb::Budget, "budget", "Set budget", "Change a limit of the run's budget."),
    plain(Verb::Slow, "slow", "Slow down", "Hold calls to a resource to a rate, or for a time."),
    plain(Verb::Takeover, "takeover", "Take over", "End the owner's lease early; a late result is refused."),
    plain(Verb::Compensate, "compensate", "Compensate", "Undo completed effects, newest first."),
    plain(Verb::Fork, "fork", "Restart from",
        "New run id; earlier results are copied, and effects are not repeated."),
    plain(Verb::Migrate, "migrate", "Migrate", "Move the run to a newer version of its workflow."),
    plain(Verb::Redact, "redact", "Redact", "Delete payload bytes for good; what was done stays on record."),
    plain(Verb::Start, "start", "Start", "Begin a run."),
    plain(Verb::AddSteps, "add_steps", "Add steps", "Add steps to a run."),
    plain(Verb::Claim, "claim", "Claim", "Take a step to execute it."),
    plain(Verb::Renew, "renew", "Renew", "Say that an attempt is still under way."),
    plain(Verb::Progress, "progress", "Progress", "Say how far an attempt has come."),
    plain(Verb::Complete, "complete", "Complete", "Hand in an attempt's result."),
    plain(Verb::Fail, "fail", "Fail", "Report that an attempt failed."),
    plain(Verb::Partial, "partial", "Partial result", "Keep an incomplete result apart."),
    plain(Verb::Signal, "signal", "Signal", "Deliver an event from outside."),
    plain(Verb::RequestApproval, "request_approval", "Request approval", "Ask a person for a yes or no."),
    plain(Verb::DrivenStep, "driven_step", "Driven step",
        "Ask for a step's result, a claim on it, or to wait."),
    plain(Verb::Advance, "advance", "Advance", "Start what can be started."),
    plain(Verb::Recover, "recover", "Recover", "Take over after an engine that is gone."),
    plain(Verb::FireTimers, "fire_timers", "Fire timers", "Do what is due."),
    plain(Verb::Deliver, "deliver", "Deliver", "Apply a message from another run."),
    plain(Verb::Reconcile, "reconcile", "Look up effect", "Record what the provider says about an effect."),
    plain(Verb::Park, "park", "Park", "Stop a run whose entry cannot be read back as it was meant."),
    plain(Verb::AddWorkflow, "workflow_add", "Add workflow", "Add a version of a workflow to the store."),
    plain(Verb::MigrateStore, "store_migrate", "Migrate store", "Bring the store's schema to this version."),
    plain(Verb::BackUpStore, "store_backup", "Back up store", "Copy the store to a file."),
    plain(Verb::MoveClock, "store_clock", "Move clock", "Move the clock of a test-clock store on."),
    plain(Verb::CopyStore, "store_copy", "Move store", "Move the whole store to another place."),
    plain(Verb::PlaceArtifacts, "store_artifacts", "Place artifacts", "Say where large payloads lie."),
    plain(Verb::SignCheckpoint, "audit_checkpoint", "Sign checkpoint", "Sign where all histories stand."),
    plain(Verb::AnchorAudit, "audit_anchor", "Anchor audit", "Keep another store's signed head."),
    plain(Verb::ExportRuns, "store_export", "Export runs", "Write runs to a file outside the store."),
    plain(Verb::ImportRuns, "store_import", "Import runs", "Make a store to look at from a bundle."),
    plain(Verb::Hold, "hold", "Hold", "Plans and retention leave the run alone until it is released."),
    plain(Verb::Assign, "assign", "Assign", "Say who looks after the run, or that nobody does."),
    plain(Verb::Note, "note", "Note", "Keep a text beside the run, or withdraw one."),
    plain(Verb::Retain, "retain", "Retention",
        "How long runs are kept; of a failed run: that it is dealt with."),
    plain(Verb::ProposeAct, "act_propose", "Propose act", "Leave an act for somebody else to confirm."),
    plain(Verb::ConfirmAct, "act_confirm", "Confirm act", "Confirm, or refuse, what somebody else proposed."),
    plain(Verb::SetPolicy, "policy_set", "Set policy", "Say who must agree to which acts."),
    plain(Verb::Plan, "plan", "Plan", "Do one act on many runs, at a pace, and look at what became of it."),
    plain(Verb::Reveal, "reveal", "Reveal", "Show fields that the workflow hides, once, on record."),
};

constexpr Word kUnknownWord{
    0, "?", "?", "Not a word of this version: the data is damaged or newer.", Attention::None, kNoActivity};

}  // namespace

template<> std::span<const Word> words<Activity>() noexcept { return kActivities; }
template<> std::span<const Word> words<Attention>() noexcept { return kAttentions; }
template<> std::span<const Word> words<Reason>() noexcept { return kReasons; }
template<> std::span<const Word> words<StepState>() noexcept { return kStepStates; }
template<> std::span<const Word> words<StepKind>() noexcept { return kStepKinds; }
template<> std::span<const Word> words<ReplaySafety>() noexcept { return kReplaySafeties; }
template<> std::span<const Word> words<Purpose>() noexcept { return kPurposes; }
template<> std::span<const Word> words<AttemptEnd>() noexcept { return kAttemptEnds; }
template<> std::span<const Word> words<EffectKnowledge>() noexcept { return kEffectKnowledge; }
template<> std::span<const Word> words<FailureClass>() noexcept { return kFailureClasses; }
template<> std::span<const Word> words<ApprovalState>() noexcept { return kApprovalStates; }
template<> std::span<const Word> words<ActorKind>() noexcept { return kActorKinds; }
template<> std::span<const Word> words<Verb>() noexcept { return kVerbs; }

const Word& unknownWord() noexcept { return kUnknownWord; }

}  // namespace cairn
