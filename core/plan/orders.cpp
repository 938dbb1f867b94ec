#include "core/plan/orders.h"

#include "core/service/agreement.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/plan/words.h"
#include "core/service/roles.h"

#include <algorithm>

namespace cairn {

namespace {

Error refused(std::string text) { return makeError(ErrorKind::Refused, std::move(text)); }

Error notNow(const PlanRow& plan, std::string_view wanted)
{
    return refused(
        "plan " + toText(plan.id) + " " + std::string(label(plan.state)) + ": " + std::string(wanted));
}

Result<PlanRow> confirm(PlanRow row, const PlanOrder& order, const PlanAuthor& who, TimeMs now)
{
    if (row.state != PlanState::Staged)
        return notNow(row, "only one that waits for its start is confirmed");
    if (row.people < 2)
        return refused("plan " + toText(row.id) + " needs nobody to confirm it: start it");
    if (!row.confirmedBy.empty())
        return refused(row.confirmedBy + " has confirmed this plan already: it can be started");
    if (std::string why = notSecond(row.login, who.login); !why.empty())
        return makeError(ErrorKind::NoRight, std::move(why));
    if (order.digest != row.digest)
        return makeError(ErrorKind::Conflict,
            "this is not the plan that was looked at: its digest is " + hex(row.digest)
                + "; look at it again before confirming it");
    row.confirmedBy = who.login;
    row.confirmedAt = now;
    return row;
}

Result<PlanRow> start(PlanRow row, TimeMs now)
{
    if (row.state != PlanState::Staged)
        return notNow(row,
            row.state == PlanState::Paused ? "`cairn plan continue` lets it go on"
                                           : "only one that waits for its start is started");
    if (row.people > 1 && row.confirmedBy.empty())
        return refused("plan " + toText(row.id) + " needs a second person"
            + (row.role.empty() ? std::string() : " of the role " + row.role) + ": 1 of "
            + std::to_string(row.people) + " so far, expires " + formatInstant(row.expiresAt)
            + "; somebody else confirms it with `cairn plan confirm`");
    row.state = PlanState::Running;
    row.startedAt = now;
    row.note.clear();
    return row;
}

Result<PlanRow> abort(PlanRow row, TimeMs now)
{
    if (row.state == PlanState::Verifying || row.state == PlanState::Closed)
        return notNow(row, "every run has its outcome already, so there is nothing to stop");
    // Nothing of one that never began needs an outcome, nor to be looked after.
    const bool began = row.state == PlanState::Running || row.state == PlanState::Paused;
    row.aborted = true;
    row.state = began ? PlanState::Verifying : PlanState::Closed;
    row.endedAt = began ? kNoTime : now;
    row.note = "aborted";
    return row;
}

std::string refusalJson(std::string_view code, const std::string& why)
{
    std::string out = "{\"refused\":";
    appendJsonString(out, code);
    out += ",\"why\":";
    appendJsonString(out, why);
    return out + "}";
}

std::string stateJson(const PlanRow& plan)
{
    std::string out = "{\"state\":";
    appendJsonString(out, key(plan.state));
    out += ",\"verb\":";
    appendJsonString(out, key(plan.verb));
    out += ",\"items\":" + std::to_string(plan.items) + ",\"digest\":";
    appendJsonString(out, hex(plan.digest));
    return out + "}";
}

// With what the runs were found by, as it was written.
std::string stagedJson(const PlanRow& staged, const PlanDraft& draft)
{
    std::string out = stateJson(staged);
    out.pop_back();
    out += ",\"included\":" + std::to_string(draft.preview.included) + ",\"filter\":";
    const auto spec = decodeSpec(draft.row.spec);
    appendJsonString(out, spec ? std::string_view(spec->filter) : std::string_view());
    return out + "}";
}

constexpr const char* kKinds[] = {"?", "confirmed", "started", "paused", "continued", "aborted"};

std::string_view codeOf(const Error& error)
{
    return error.kind == ErrorKind::Conflict ? "stale"
        : error.kind == ErrorKind::NoRight   ? "no_right"
                                             : "refused";
}

}  // namespace

std::string_view key(PlanAct act) noexcept
{
    constexpr std::string_view kKeys[] = {"?", "confirm", "start", "pause", "continue", "abort"};
    const auto place = static_cast<std::size_t>(act);
    return kKeys[place < std::size(kKeys) ? place : 0];
}

AuditRow planAudit(const PlanRow& plan, std::string kind, const PlanAuthor& who, const CommandId& command,
    TimeMs now, std::string after)
{
    AuditRow row;
    row.time = now;
    row.kind = std::move(kind);
    row.verb = Verb::Plan;
    row.actor = who.actor;
    row.uid = who.uid;
    row.host = who.host;
    row.login = who.login;
    row.target = toText(plan.id);
    row.command = command;
    row.reason = who.reason;
    row.after = std::move(after);
    return row;
}

bool runsAtOnce(const PlanRow& plan, const PlanSpec& spec) noexcept
{
    return plan.items <= kAtOnceRuns && spec.pace.rate == 0 && spec.pace.canary == 0 && spec.pace.verify == 0;
}

Result<PlanRow> decideOrder(
    const PlanRow& plan, const PlanOrder& order, const PlanAuthor& who, const StoreInfo& info, TimeMs now)
{
    if (const auto missing = reasonMissing(info.safety, reasonLength(who.reason)))
        return refused(missing->text);
    const bool begins = order.act == PlanAct::Confirm || order.act == PlanAct::Start;
    if (begins && plan.state == PlanState::Staged && now >= plan.expiresAt)
        return refused("plan " + toText(plan.id) + " expired at " + formatInstant(plan.expiresAt)
            + " without having been started: abort it, and stage it anew");
    PlanRow row = plan;
    switch (order.act) {
    case PlanAct::Confirm: return confirm(std::move(row), order, who, now);
    case PlanAct::Start: return start(std::move(row), now);
    case PlanAct::Pause:
        if (row.state != PlanState::Running)
            return notNow(row, "only one that runs can be paused");
        row.state = PlanState::Paused;
        row.note = "paused by " + who.login;
        return row;
    case PlanAct::Continue:
        if (row.state != PlanState::Paused)
            return notNow(row, "only one that is paused can be continued");
        row.state = PlanState::Running;
        row.startedAt = now;
        row.note.clear();
        return row;
    case PlanAct::Abort: return abort(std::move(row), now);
    }
    return makeError(ErrorKind::InvalidInput, "this is nothing that is done to a plan");
}

namespace {

Status mayConfirm(StoreReader& store, Service& service, const PlanRow& plan, const PlanAuthor& who)
{
    if (plan.role.empty())
        return {};
    CAIRN_TRY_ASSIGN(const Policy policy, Agreements(service).policy());
    CAIRN_TRY_ASSIGN(const bool holds, holdsRole(store, policy, plan.role, who.login));
    if (holds)
        return {};
    return makeError(ErrorKind::NoRight,
        "\"" + who.login + "\" lacks the role \"" + plan.role + "\", which whoever confirms this plan needs");
}

// The policy of now, which may have become stricter since the plan was staged. Amounts are asked for again
// with each item.
Status stillAgreed(StoreReader& store, Service& service, const StoreInfo& info, const PlanRow& plan)
{
    CAIRN_TRY_ASSIGN(const Policy policy, Agreements(service).policy());
    const WhoIsNeeded needed =
        whoIsNeeded(policy, {plan.verb, info.environment, info.safety, {}, plan.items});
    if (!needed.second())
        return {};
    const std::string again = "; nothing was started: abort plan " + toText(plan.id) + ", and stage it anew";
    if (plan.people < 2)
        return refused("the policy asks for 2 people for this by now (rule " + std::to_string(needed.rule)
            + "), and one was enough when it was staged" + again);
    // That of the plan's amounts or runs together, where the policy still has it; else that of now.
    const bool kept = !plan.role.empty() && asksForRole(policy, plan.verb, plan.role);
    const std::string& role = kept ? plan.role : needed.role;
    CAIRN_TRY_ASSIGN(const bool holds, holdsRole(store, policy, role, plan.confirmedBy));
    if (holds)
        return {};
    return refused("\"" + plan.confirmedBy + "\", who confirmed it, lacks the role \"" + role
        + "\", which the policy asks for now" + again);
}

}  // namespace

Result<PlanRow> previewOrder(StoreReader& store, Service& service, const PlanRow& plan,
    const PlanOrder& order, const PlanAuthor& who, const StoreInfo& info, TimeMs now)
{
    CAIRN_TRY_ASSIGN(PlanRow decided, decideOrder(plan, order, who, info, now));
    if (order.act == PlanAct::Confirm)
        CAIRN_TRY(mayConfirm(store, service, plan, who));
    if (order.act == PlanAct::Start || order.act == PlanAct::Continue)
        CAIRN_TRY(stillAgreed(store, service, info, plan));
    return decided;
}

std::string reasonLacked(const WhoIsNeeded& needed, std::string_view reason)
{
    if (reasonLength(reason) >= needed.reason)
        return {};
    return "this plan needs a reason of at least " + std::to_string(needed.reason) + " characters";
}

Status checkStaging(const PlanDraft& draft)
{
    if (std::string why = reasonLacked(draft.needed, draft.row.reason); !why.empty())
        return refused(std::move(why));
    if (draft.preview.blocked())
        return refused("in " + formatCount(static_cast<std::int64_t>(draft.preview.uncertain))
            + " of the runs an effect may happen twice, and this act does not settle that: settle them "
              "first, or leave them out (--leave-out-uncertain)");
    if (draft.preview.included == 0)
        return refused("0 of the runs would be changed: the preview says of each why; nothing was staged");
    return {};
}

Result<PlanRow> freezePlan(StoreWriter& store, const PlanDraft& draft, PlanChange change)
{
    CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
    change.row.state = PlanState::Staged;
    const PlanAuthor who{draft.row.login, draft.row.actor, draft.row.uid, draft.row.host, draft.row.reason};
    change.audit =
        planAudit(change.row, "staged", who, draft.row.command, now, stagedJson(change.row, draft));
    CAIRN_TRY(store.changePlan(change));
    change.row.revision = change.expected + 1;
    return std::move(change.row);
}

Result<PlanRow> stagePlan(StoreWriter& store, const PlanDraft& draft)
{
    CAIRN_TRY(checkStaging(draft));
    PlanChange change;
    change.row = draft.row;
    change.row.state = PlanState::Draft;
    for (std::size_t at = 0; at < draft.items.size(); at += kPlanPage) {
        const auto end = std::min(draft.items.size(), at + kPlanPage);
        change.added.assign(draft.items.begin() + static_cast<std::ptrdiff_t>(at),
            draft.items.begin() + static_cast<std::ptrdiff_t>(end));
        CAIRN_TRY(store.changePlan(change));
        ++change.expected;
    }
    change.added.clear();
    return freezePlan(store, draft, std::move(change));
}

AuditRow refusedPlan(
    const PlanRow& plan, const PlanAuthor& who, const CommandId& command, const Error& why, TimeMs now)
{
    return planAudit(plan, "refused", who, command, now, refusalJson(codeOf(why), why.text));
}

Result<PlanRow> orderPlan(StoreWriter& store, Service& service, const PlanOrder& order, const PlanAuthor& who)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
    CAIRN_TRY_ASSIGN(const auto found, store.plan(order.plan));
    if (!found)
        return makeError(ErrorKind::NotFound,
            "there is no plan " + toText(order.plan) + "; `cairn plan list --all` tells all");
    Result<PlanRow> decided = previewOrder(store, service, *found, order, who, info, now);
    if (!decided) {
        CAIRN_TRY(store.appendAudit(refusedPlan(*found, who, order.command, decided.error(), now)));
        return decided;
    }
    PlanChange change;
    change.row = *std::move(decided);
    change.expected = found->revision;
    if (order.left)
        change.left = order.command;
    const auto place = static_cast<std::size_t>(order.act);
    change.audit = planAudit(change.row, kKinds[place], who, order.command, now, stateJson(change.row));
    CAIRN_TRY(store.changePlan(change));
    change.row.revision = change.expected + 1;
    return std::move(change.row);
}

}  // namespace cairn
