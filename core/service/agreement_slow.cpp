// Slowing a resource: by one person or, where the policy asks for it, by two. An act on the store.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/impl.h"
#include "core/service/staged.h"
#include "core/store/checks.h"

namespace cairn {

namespace {

constexpr std::uint8_t kBodyVersion = 1;

Rejection no(RejectCode code, std::string text) { return {code, std::move(text), std::nullopt}; }

template<class F, class Row> void eachLimit(F& f, Row& row)
{
    f(row.backOffUntil);
    f(row.askedByServer);
    f(row.permitsPerSecond);
    f(row.slots);
    f(row.revision);
}

struct Put {
    WireWriter& out;
    void operator()(TimeMs v) { out.i64(v); }
    void operator()(bool v) { out.boolean(v); }
    void operator()(std::uint32_t v) { out.u32(v); }
    void operator()(std::uint64_t v) { out.u64(v); }
};
struct Get {
    WireReader& in;
    void operator()(TimeMs& v) { v = in.i64(); }
    void operator()(bool& v) { v = in.boolean(); }
    void operator()(std::uint32_t& v) { v = in.u32(); }
    void operator()(std::uint64_t& v) { v = in.u64(); }
};

// The act's body: the resource as it was seen, and as it is wanted. Its name is the act's target.
std::string bodyOf(const SlowChange& change)
{
    WireWriter out;
    out.u8(kBodyVersion);
    Put put{out};
    eachLimit(put, change.seen);
    eachLimit(put, change.wanted);
    return out.take();
}

std::string limitsJson(const ResourceRow& row)
{
    return "{\"per_second\":" + std::to_string(row.permitsPerSecond)
        + ",\"slots\":" + std::to_string(row.slots) + ",\"held_until\":"
        + (row.backOffUntil == kNoTime ? std::string("null") : jsonQuote(formatRfc3339(row.backOffUntil)))
        + "}";
}

AuditRow entryOf(const SlowChange& change, const ServiceConfig& from, TimeMs now)
{
    AuditRow row;
    row.time = now;
    row.kind = "applied";
    row.verb = Verb::Slow;
    row.actor = change.claimedName;
    row.uid = from.uid;
    row.host = from.host;
    row.login = from.login;
    row.target = change.wanted.name;
    row.reason = change.reason;
    row.before = limitsJson(change.seen);
    row.after = limitsJson(change.wanted);
    return row;
}

}  // namespace

Result<SlowChange> slowOf(const StagedAct& act)
{
    WireReader in(act.body);
    SlowChange change;
    if (act.verb == Verb::Slow && in.u8() == kBodyVersion) {
        Get get{in};
        eachLimit(get, change.seen);
        eachLimit(get, change.wanted);
        change.seen.name = change.wanted.name = act.target;
        change.reason = act.reason;
        change.claimedName = act.claimed;
        if (!in.fail() && in.atEnd() && !act.target.empty())
            return change;
    }
    return makeError(ErrorKind::InvalidInput, "act " + toText(act.command) + " is damaged");
}

Result<SlowPreview> Agreements::previewSlow(const SlowChange& change)
{
    SlowPreview preview;
    CAIRN_TRY_ASSIGN(const auto present, m_impl->policyNow());
    CAIRN_TRY_ASSIGN(const StoreInfo store, m_impl->info());
    preview.needed = whoIsNeeded(*present, {Verb::Slow, store.environment, store.safety, {}, 1});
    if (change.breakGlass && preview.needed.second())
        preview.needed.reason = std::max(preview.needed.reason, reasonMinimum(Safety::Guarded));
    CAIRN_TRY_ASSIGN(const ResourceRow now, resourceNamed(m_impl->reader, change.wanted.name));
    if (now.permitsPerSecond != change.seen.permitsPerSecond || now.slots != change.seen.slots) {
        preview.rejection = no(RejectCode::Stale, limitsMoved(now).text);
    } else if (reasonLength(change.reason) < preview.needed.reason) {
        preview.rejection = no(RejectCode::ReasonMissing,
            "slowing a resource needs a reason of at least " + std::to_string(preview.needed.reason)
                + " characters here");
    } else if (!preview.needed.second()) {
        CAIRN_TRY_ASSIGN(
            const std::string lacks, m_impl->lackedRole(*present, preview.needed.role, m_impl->config.login));
        if (!lacks.empty())
            preview.rejection = no(RejectCode::NoRight,
                "\"" + m_impl->config.login + "\" lacks the role \"" + lacks
                    + "\", which slowing a resource needs");
    }
    return preview;
}

Outcome Agreements::slow(StoreWriter& store, const SlowChange& given)
{
    const TimeMs now = m_impl->now();
    SlowChange change = given;
    change.reason = m_impl->masker({})->text(given.reason);
    auto preview = previewSlow(change);
    if (!preview)
        return failedWith({}, std::move(preview).error());
    AuditRow row = entryOf(change, m_impl->config, now);
    row.command = change.command.isNull() ? makeId<CommandId>(now, m_impl->rng) : change.command;
    Outcome outcome;
    if (preview->rejection) {
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = *std::move(preview->rejection);
        row.kind = "refused";
        row.after = "{\"refused\":true,\"why\":" + jsonQuote(outcome.rejection.text) + "}";
    } else if (preview->needed.second() && !change.breakGlass) {
        StagedAct act = proposalOnStore(row, bodyOf(change), change.seen.revision, preview->needed);
        outcome.kind = Outcome::Kind::Proposed;
        outcome.text = standingOf(act);
        row.kind = "proposed";
        row.verb = Verb::ProposeAct;
        auto with = std::make_shared<StoreChange>();
        with->propose = act;
        row.with = std::move(with);
        outcome.proposal = std::move(act);
    } else {
        outcome.glass = preview->needed.second();
        if (outcome.glass) {
            row.after.insert(row.after.size() - 1, ",\"break_glass\":true");
            auto with = std::make_shared<StoreChange>();
            with->review = Review{
                row.command, {}, row.verb, row.target, row.login, row.reason, {}, 0, now, {}, {}, kNoTime};
            row.with = std::move(with);
        }
        return slowed(store, change, std::move(row), std::move(outcome));
    }
    auto seq = m_impl->appendNow(std::move(row));
    if (!seq)
        return outcome.kind == Outcome::Kind::Rejected
            ? Service::Impl::notAudited(outcome, std::move(seq).error())
            : failedWith({}, std::move(seq).error());
    outcome.auditSeq = *seq;
    return outcome;
}

// Limits that were changed in this moment are the store's to see. What has put calls off since it was seen
// stays there, be it a person's hold or the pace of a slow limit, which engines keep in the same place: an
// act that did not know of it does not lift it.
Outcome Agreements::slowed(StoreWriter& store, const SlowChange& change, AuditRow row, Outcome outcome)
{
    auto seq = store.slowResource(change.wanted, change.seen, std::move(row));
    if (seq) {
        outcome.kind = Outcome::Kind::Committed;
        outcome.auditSeq = *seq;
    } else if (seq.error().kind == ErrorKind::Conflict) {
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = no(RejectCode::Stale, seq.error().text);
    } else {
        outcome.error = std::move(seq).error();
    }
    return outcome;
}

Outcome Agreements::carryOutSlow(StoreWriter& store, const StagedAct& act)
{
    auto change = slowOf(act);
    if (!change)
        return failedWith({}, std::move(change).error());
    if (act.confirmedBy.empty() || !notSecond(act.stagedBy, act.confirmedBy).empty()
        || actDigest(act) != act.digest)
        return failedWith({}, makeError(ErrorKind::Refused, "nobody else has confirmed this act"));
    const auto present = m_impl->policyNow();
    const auto info = m_impl->info();
    if (!present || !info)
        return failedWith({}, present ? info.error() : present.error());
    const WhoIsNeeded needed = whoIsNeeded(**present, {Verb::Slow, info->environment, info->safety, {}, 1});
    if (const Status may = m_impl->secondOfNow(**present, needed, act.stagedBy, act.confirmedBy); !may)
        return failedWith({}, may.error());
    // In the name of who carries it out; the entries on its proposal and its confirmation name those two.
    AuditRow row = entryOf(*change, m_impl->config, m_impl->now());
    row.command = deriveId<CommandId>("act-done", act.command.view());
    row.after.insert(row.after.size() - 1,
        ",\"proposed_by\":" + jsonQuote(act.stagedBy) + ",\"confirmed_by\":" + jsonQuote(act.confirmedBy));
    return slowed(store, *change, std::move(row), {});
}

}  // namespace cairn
