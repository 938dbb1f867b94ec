#include "core/plan/left.h"

#include "core/base/text.h"
#include "core/base/wire.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cairn {

namespace {

constexpr std::uint8_t kBodyVersion = 1;
constexpr std::uint8_t kStage = 0;  // what a PlanAct is not
constexpr int kRaces = 5;           // with the executor that holds the plan
constexpr SpanMs kClocks = 60'000;  // by which that of a person's machine may be ahead

// The database reads it as well (plans_by_people): one byte each, and the digest.
struct Left {
    std::uint8_t act = kStage;
    Digest digest;
};

std::string encode(const Left& left)
{
    WireWriter out;
    out.u8(kBodyVersion);
    out.u8(left.act);
    out.digest(left.digest);
    return out.take();
}

Result<Left> decode(const StagedAct& act)
{
    Left left;
    WireReader in(act.body);
    const std::uint8_t version = in.u8();
    left.act = in.u8();
    left.digest = in.digest();
    if (in.fail() || !in.atEnd() || version != kBodyVersion
        || left.act > static_cast<std::uint8_t>(PlanAct::Abort))
        return makeError(ErrorKind::InvalidInput,
            "act " + toText(act.command) + " is damaged: it says nothing that is done to a plan");
    return left;
}

StagedAct actOf(const PlanId& plan, const CommandId& command, const Left& left, const PlanAuthor& who)
{
    StagedAct act;
    act.command = command;
    act.verb = Verb::Plan;
    act.target = toText(plan);
    act.body = encode(left);
    act.reason = who.reason;
    act.claimed = who.actor;
    act.uid = who.uid;
    act.host = who.host;
    act.stagedBy = who.login;
    return act;
}

PlanAuthor whoLeft(const StagedAct& act)
{
    return {act.stagedBy, act.claimed.empty() ? act.stagedBy : act.claimed, act.uid, act.host, act.reason};
}

Status checkSize(const PlanRow& row)
{
    if (row.items <= kMostLeftItems)
        return {};
    return makeError(ErrorKind::Refused,
        "a plan that is left for an engine has " + formatCount(kMostLeftItems)
            + " runs at most, and this one " + formatCount(row.items)
            + ": stage it in parts, or with a login that has the engine's right; nothing was staged");
}

Error notWhole(const PlanRow& plan, std::string_view why)
{
    return makeError(ErrorKind::Refused,
        "plan " + toText(plan.id) + " is not as it was left: " + std::string(why)
            + "; nothing was staged: stage it anew");
}

// What a draft says of itself is a claim: its items are read, and the digest is made again.
Status checkItems(StoreReader& store, const PlanRow& row, const Digest& looked)
{
    PlanDigest digest(row);
    std::uint32_t last = 0;
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto items, store.planItems(row.id, last, kPlanPage, {}));
        if (items.empty())
            break;
        for (const PlanItem& item : items)
            if (item.ord != ++last || item.command != itemCommand(row.id, item.run)
                || (item.state != PlanItemState::Open && item.state != PlanItemState::Skipped))
                return notWhole(row, "its items are not those of a draft");
        digest.add(items);
    }
    if (last != row.items || digest.digest() != row.digest || row.digest != looked)
        return notWhole(row, "it has another digest than was looked at");
    return {};
}

// By the rules as they are for this engine: how many people, who, and until when.
Status checkNeeded(const PlanRow& row, const WhoIsNeeded& needed, TimeMs now)
{
    if (row.people != needed.people || row.role != (needed.second() ? needed.role : std::string()))
        return notWhole(row, "the policy asks for other people now");
    if (row.stagedAt > now + kClocks || row.expiresAt != row.stagedAt + needed.expiresAfter)
        return notWhole(row, "its times are not those of its staging");
    return {};
}

// What is shown is what is done: the policy judges the row, and the runner does what the spec says.
Status checkSpec(const PlanRow& row)
{
    const auto spec = decodeSpec(row.spec);
    if (!spec)
        return notWhole(row, spec.error().text);
    if (spec->verb != row.verb)
        return notWhole(row, "it says one act, and would do another");
    return {};
}

Result<PlanRow> stageLeft(StoreWriter& store, Service& service, const PlanRow& row, const StagedAct& act,
    const Left& left, const StillAlive& alive)
{
    const PlanAuthor who = whoLeft(act);
    if (row.state != PlanState::Draft || row.login != who.login || row.reason != who.reason
        || row.command != act.command)
        return notWhole(row, "it is no draft of who left it");
    CAIRN_TRY(checkSize(row));
    CAIRN_TRY(checkSpec(row));
    CAIRN_TRY(checkItems(store, row, left.digest));
    CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
    PlanDraft draft;
    draft.row = row;
    CAIRN_TRY_ASSIGN(draft.preview, previewPlan(store, service, row, alive));
    // Where such runs are left out the runner does not look for them again: they are items that are skipped.
    if (draft.preview.of(PlanLeftOut::Uncertain) > 0)
        return notWhole(row, "an effect of a run that it would act on may happen twice");
    CAIRN_TRY_ASSIGN(draft.needed, neededNow(store, service, row, draft.preview));
    CAIRN_TRY(checkNeeded(row, draft.needed, now));
    CAIRN_TRY(checkStaging(draft));
    return freezePlan(store, draft, {row, row.revision, {}, {}, {}, act.command});
}

// On record in the name of who left it; a draft of theirs is over with that.
Status putRefusal(StoreWriter& store, const PlanRow& row, const StagedAct& act, const Error& why, TimeMs now)
{
    AuditRow entry = refusedPlan(row, whoLeft(act), act.command, why, now);
    if (row.state != PlanState::Draft || row.login != act.stagedBy) {
        CAIRN_TRY(store.appendAudit(std::move(entry)));
        return {};
    }
    PlanChange change{row, row.revision, {}, {}, std::move(entry)};
    change.row.state = PlanState::Closed;
    change.row.aborted = true;
    change.row.note = why.text;
    change.row.endedAt = now;
    return store.changePlan(change);
}

Result<PlanRow> carryOut(StoreWriter& store, Service& service, const StagedAct& act, const StillAlive& alive)
{
    CAIRN_TRY_ASSIGN(const Left left, decode(act));
    const auto id = parseId<PlanId>(act.target);
    if (!id)
        return makeError(ErrorKind::InvalidInput, "act " + toText(act.command) + " names no plan");
    if (left.act != kStage)
        return orderPlan(store, service,
            {*id, static_cast<PlanAct>(left.act), left.digest, act.command, true}, whoLeft(act));
    CAIRN_TRY_ASSIGN(const auto row, store.plan(*id));
    if (!row)
        return makeError(ErrorKind::NotFound, "there is no draft of plan " + toText(*id));
    auto staged = stageLeft(store, service, *row, act, left, alive);
    if (!staged && (staged.error().kind == ErrorKind::Refused || staged.error().kind == ErrorKind::NoRight))
        CAIRN_TRY(putRefusal(store, *row, act, staged.error(), service.now()));
    return staged;
}

}  // namespace

Result<StagedAct> leavePlan(StoreWriter& store, const PlanDraft& draft)
{
    CAIRN_TRY(checkStaging(draft));
    CAIRN_TRY(checkSize(draft.row));
    PlanChange change;
    change.row = draft.row;
    change.row.state = PlanState::Draft;
    for (std::size_t at = 0; at < draft.items.size(); at += kPlanPage) {
        const auto end = std::min(draft.items.size(), at + kPlanPage);
        change.added.assign(draft.items.begin() + static_cast<std::ptrdiff_t>(at),
            draft.items.begin() + static_cast<std::ptrdiff_t>(end));
        CAIRN_TRY(store.leaveDraft(change));
        ++change.expected;
    }
    const PlanRow& row = draft.row;
    StagedAct act = actOf(
        row.id, row.command, {kStage, row.digest}, {row.login, row.actor, row.uid, row.host, row.reason});
    CAIRN_TRY(store.stage(act));
    return act;
}

Result<StagedAct> leaveOrder(
    StoreWriter& store, Service& service, const PlanOrder& order, const PlanAuthor& who)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
    CAIRN_TRY_ASSIGN(const auto found, store.plan(order.plan));
    if (!found)
        return makeError(ErrorKind::NotFound,
            "there is no plan " + toText(order.plan) + "; `cairn plan list --all` tells all");
    CAIRN_TRY(previewOrder(store, service, *found, order, who, info, now));
    StagedAct act =
        actOf(order.plan, order.command, {static_cast<std::uint8_t>(order.act), order.digest}, who);
    CAIRN_TRY(store.stage(act));
    return act;
}

Outcome carryOutOrder(StoreWriter& store, Service& service, const StagedAct& act, const StillAlive& alive)
{
    Outcome outcome;
    for (int race = 0; race < kRaces; ++race) {
        const auto row = carryOut(store, service, act, alive);
        if (row) {
            outcome.kind = Outcome::Kind::Committed;
            return outcome;
        }
        outcome.error = row.error();
        if (outcome.error.kind != ErrorKind::Conflict)
            break;
    }
    const ErrorKind kind = outcome.error.kind;
    if (kind != ErrorKind::Refused && kind != ErrorKind::NoRight && kind != ErrorKind::Conflict)
        return outcome;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.rejection = {kind == ErrorKind::Conflict ? RejectCode::Stale
            : kind == ErrorKind::NoRight             ? RejectCode::NoRight
                                                     : RejectCode::Refused,
        outcome.error.text, std::nullopt};
    return outcome;
}

}  // namespace cairn
