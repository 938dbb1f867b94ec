#include "core/model/command.h"

namespace cairn {

namespace {

struct VerbOf {
    Verb operator()(const cmd::Start&) const { return Verb::Start; }
    Verb operator()(const cmd::AddSteps&) const { return Verb::AddSteps; }
    Verb operator()(const cmd::DrivenStep&) const { return Verb::DrivenStep; }
    Verb operator()(const cmd::Signal&) const { return Verb::Signal; }
    Verb operator()(const cmd::Claim&) const { return Verb::Claim; }
    Verb operator()(const cmd::Renew& c) const { return c.progress ? Verb::Progress : Verb::Renew; }
    Verb operator()(const cmd::Complete&) const { return Verb::Complete; }
    Verb operator()(const cmd::Fail&) const { return Verb::Fail; }
    Verb operator()(const cmd::Partial&) const { return Verb::Partial; }
    Verb operator()(const cmd::LookedUp&) const { return Verb::Reconcile; }
    Verb operator()(const cmd::RequestApproval&) const { return Verb::RequestApproval; }
    Verb operator()(const cmd::Decide& c) const { return c.approve ? Verb::Approve : Verb::Reject; }
    Verb operator()(const cmd::SetPaused& c) const { return c.paused ? Verb::Pause : Verb::Resume; }
    Verb operator()(const cmd::Cancel&) const { return Verb::Cancel; }
    Verb operator()(const cmd::Compensate&) const { return Verb::Compensate; }
    Verb operator()(const cmd::RetryStep&) const { return Verb::Retry; }
    Verb operator()(const cmd::SkipStep&) const { return Verb::Skip; }
    Verb operator()(const cmd::RecordResult&) const { return Verb::Record; }
    Verb operator()(const cmd::Settle&) const { return Verb::Settle; }
    Verb operator()(const cmd::AmendInput&) const { return Verb::Amend; }
    Verb operator()(const cmd::SetDeadline&) const { return Verb::Deadline; }
    Verb operator()(const cmd::SetBudget&) const { return Verb::Budget; }
    Verb operator()(const cmd::Fork&) const { return Verb::Fork; }
    Verb operator()(const cmd::Migrate&) const { return Verb::Migrate; }
    Verb operator()(const cmd::Redact&) const { return Verb::Redact; }
    Verb operator()(const cmd::Retain&) const { return Verb::Retain; }
    Verb operator()(const cmd::Advance&) const { return Verb::Advance; }
    Verb operator()(const cmd::Park&) const { return Verb::Park; }
    Verb operator()(const cmd::Recover&) const { return Verb::Recover; }
    Verb operator()(const cmd::FireTimers&) const { return Verb::FireTimers; }
    Verb operator()(const cmd::Deliver&) const { return Verb::Deliver; }
    Verb operator()(const cmd::Takeover&) const { return Verb::Takeover; }
    Verb operator()(const cmd::Hold&) const { return Verb::Hold; }
    Verb operator()(const cmd::Assign&) const { return Verb::Assign; }
    Verb operator()(const cmd::Note&) const { return Verb::Note; }
};

}  // namespace

std::string_view cmd::settleKey(SettleAs as) noexcept
{
    switch (as) {
    case SettleAs::Happened: return "happened";
    case SettleAs::NotHappened: return "did_not_happen";
    case SettleAs::RepeatSameKey: return "repeat_same_key";
    case SettleAs::Compensate: return "compensate";
    case SettleAs::Park: return "park";
    }
    return "?";
}

Verb verbOf(const cmd::Body& body) noexcept { return std::visit(VerbOf{}, body); }

}  // namespace cairn
