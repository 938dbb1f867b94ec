#include "core/model/fact.h"

#include <utility>

namespace cairn {

namespace {

template<typename T> struct Name;
#define CAIRN_NAME(type, name) \
    template<> struct Name<type> { \
        static constexpr std::string_view kText = name; \
    }
CAIRN_NAME(RunStarted, "run_started");
CAIRN_NAME(ControlChanged, "control_changed");
CAIRN_NAME(ControlInherited, "control_inherited");
CAIRN_NAME(RunBlocked, "run_blocked");
CAIRN_NAME(RestCancelled, "rest_cancelled");
CAIRN_NAME(CompensationStarted, "compensation_started");
CAIRN_NAME(RunClosed, "run_closed");
CAIRN_NAME(RunReopened, "run_reopened");
CAIRN_NAME(RunMigrated, "run_migrated");
CAIRN_NAME(BudgetChanged, "budget_changed");
CAIRN_NAME(PayloadsRedacted, "payloads_redacted");
CAIRN_NAME(StepAdded, "step_added");
CAIRN_NAME(StepReady, "step_ready");
CAIRN_NAME(StepWaiting, "step_waiting");
CAIRN_NAME(StepReleased, "step_released");
CAIRN_NAME(StepCompleted, "step_completed");
CAIRN_NAME(StepFailed, "step_failed");
CAIRN_NAME(StepSkipped, "step_skipped");
CAIRN_NAME(StepUnknown, "step_unknown");
CAIRN_NAME(EffectDenied, "effect_denied");
CAIRN_NAME(InputAmended, "input_amended");
CAIRN_NAME(EffectEvidence, "effect_evidence");
CAIRN_NAME(AttemptStarted, "attempt_started");
CAIRN_NAME(AttemptRenewed, "attempt_renewed");
CAIRN_NAME(AttemptEnded, "attempt_ended");
CAIRN_NAME(PartialResult, "partial_result");
CAIRN_NAME(LateResult, "late_result");
CAIRN_NAME(ApprovalRequested, "approval_requested");
CAIRN_NAME(ApprovalDecided, "approval_decided");
CAIRN_NAME(SignalReceived, "signal_received");
CAIRN_NAME(SignalConsumed, "signal_consumed");
CAIRN_NAME(ChildRequested, "child_requested");
CAIRN_NAME(ChildAnswered, "child_answered");
CAIRN_NAME(CancelConfirmed, "cancel_confirmed");
CAIRN_NAME(AllotmentReceived, "allotment_received");
CAIRN_NAME(AllotmentAsked, "allotment_asked");
CAIRN_NAME(ChildAsked, "child_asked");
CAIRN_NAME(ChildGranted, "child_granted");
CAIRN_NAME(ParentTold, "parent_told");
CAIRN_NAME(ChildNeeds, "child_needs");
CAIRN_NAME(HolderInDoubt, "holder_in_doubt");
CAIRN_NAME(HoldChanged, "hold_changed");
CAIRN_NAME(RunAssigned, "run_assigned");
CAIRN_NAME(NoteAdded, "note_added");
CAIRN_NAME(NoteWithdrawn, "note_withdrawn");
CAIRN_NAME(TakenOver, "taken_over");
CAIRN_NAME(ActAgreed, "act_agreed");
CAIRN_NAME(FailureAccepted, "failure_accepted");
#undef CAIRN_NAME

template<std::size_t... I>
constexpr std::array<std::string_view, sizeof...(I)> namesByIndex(std::index_sequence<I...>)
{
    return {Name<std::variant_alternative_t<I, Fact>>::kText...};
}

constexpr auto kNames = namesByIndex(std::make_index_sequence<std::variant_size_v<Fact>>{});

}  // namespace

std::string_view factName(const Fact& fact) noexcept
{
    return fact.valueless_by_exception() ? std::string_view("?") : kNames[fact.index()];
}

}  // namespace cairn
