// Deciding an act that somebody else proposed, and carrying it out.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/impl.h"
#include "core/service/staged.h"

namespace cairn {

namespace {

Rejection no(RejectCode code, std::string text) { return {code, std::move(text), std::nullopt}; }

std::string nameOf(const StagedAct& act)
{
    return act.confirmedBy
        + (act.confirmedName.empty() || act.confirmedName == act.confirmedBy
                ? std::string()
                : " (as \"" + act.confirmedName + "\")");
}

std::string_view wordOf(StagedState as)
{
    switch (as) {
    case StagedState::Waiting: return "confirmed";
    case StagedState::Refused: return "rejected";
    case StagedState::Withdrawn: return "withdrawn";
    default: return "expired";
    }
}

// Id of the entry on what was said to it. Of an act without a run each command is on record once, and one
// that was confirmed may be withdrawn later.
CommandId commandOn(const StagedAct& act)
{
    if (!act.run.isNull())
        return act.command;
    return deriveId<CommandId>(
        act.state == StagedState::Withdrawn ? "act-withdrawn" : "act-decided", act.command.view());
}

// Of what waits for an engine, or was confirmed.
std::optional<Rejection> mayNotWithdraw(
    const StagedAct& act, std::string_view login, const WithdrawFacts& facts)
{
    if (facts.doneAs > 0)
        return no(RejectCode::Stale,
            "the act was carried out already, as version " + std::to_string(facts.doneAs)
                + " of its run; nothing was withdrawn: what it did takes another act to undo");
    if (login != act.stagedBy && !facts.owner)
        return no(RejectCode::NoRight,
            "only its author, " + act.stagedBy
                + ", or an owner of the store withdraws an act that waits for an engine");
    return std::nullopt;
}

}  // namespace

std::string standingOf(const StagedAct& act)
{
    const std::string decided = act.confirmedBy.empty()
        ? std::string()
        : " by " + nameOf(act) + " at " + formatInstant(act.confirmedAt);
    switch (act.state) {
    case StagedState::Proposed:
        return "1 of 2, waiting for "
            + (act.role.empty() ? std::string("another person") : "role " + act.role) + ", expires "
            + formatInstant(act.expires);
    case StagedState::Waiting:
        if (const auto as = static_cast<StagedState>(act.code);
            as == StagedState::Refused || as == StagedState::Withdrawn)
            return std::string(wordOf(as)) + decided + ", an engine puts that on record";
        return act.confirmedBy.empty() ? "waits for an engine"
                                       : "confirmed" + decided + ", waits for an engine";
    case StagedState::Refused:
        return "rejected" + decided + (act.note.empty() ? std::string() : ": \"" + act.note + "\"");
    case StagedState::Expired:
        return "expired at " + formatInstant(act.expires)
            + " without a second person; expiry is never consent";
    case StagedState::Withdrawn: return "withdrawn" + decided;
    case StagedState::Committed: return "done" + (decided.empty() ? decided : ", confirmed" + decided);
    default: return "not done: " + act.outcome;
    }
}

std::optional<Rejection> mayNotDecide(const StagedAct& act, const ActDecision& decision,
    std::string_view login, TimeMs now, const WithdrawFacts& facts)
{
    if (act.state == StagedState::Waiting && decision.as == StagedState::Withdrawn && act.code == 0)
        return mayNotWithdraw(act, login, facts);
    if (act.state != StagedState::Proposed)
        return no(RejectCode::Stale, "the act is " + standingOf(act) + "; nothing was changed");
    if (now >= act.expires)
        return no(RejectCode::Stale,
            "the act expired at " + formatInstant(act.expires)
                + ", and expiry is never consent; nothing was done: propose it again");
    if (decision.as == StagedState::Withdrawn)
        return login == act.stagedBy
            ? std::nullopt
            : std::optional(no(RejectCode::NoRight,
                "only its author, " + act.stagedBy + ", withdraws an act; anybody else rejects it"));
    if (std::string why = notSecond(act.stagedBy, login); !why.empty())
        return no(RejectCode::NoRight, std::move(why));
    if (actDigest(act) != act.digest)
        return no(RejectCode::Refused, "the act is damaged: it is not what was proposed");
    if (decision.as == StagedState::Waiting && decision.shown != act.digest)
        return no(RejectCode::Stale,
            "this is not the act that was shown to you; nothing was confirmed: look again, and confirm the "
            "digest that is shown");
    return std::nullopt;
}

AuditRow decisionEntry(const StagedAct& act, const ServiceConfig& from, TimeMs now)
{
    AuditRow row;
    row.time = now;
    row.kind = wordOf(act.state);
    row.verb = Verb::ConfirmAct;
    row.actor = act.confirmedName.empty() ? act.confirmedBy : act.confirmedName;
    row.uid = from.uid;
    row.host = from.host;
    row.login = act.confirmedBy;
    row.run = act.run;
    row.target = act.target;
    row.command = commandOn(act);
    row.reason = act.note;
    row.after = "{\"verb\":\"" + std::string(key(act.verb)) + "\",\"proposed_by\":" + jsonQuote(act.stagedBy)
        + ",\"digest\":\"" + hex(act.digest) + "\"}";
    return row;
}

AuditRow expiryEntry(StagedAct act, const std::string& login, TimeMs now)
{
    AuditRow row;
    row.time = now;
    row.kind = wordOf(StagedState::Expired);
    row.verb = Verb::ProposeAct;
    row.actor = "system";
    row.login = login;
    row.run = act.run;
    row.target = act.target;
    row.command = commandOn(act);
    row.after = "{\"verb\":\"" + std::string(key(act.verb)) + "\",\"proposed_by\":" + jsonQuote(act.stagedBy)
        + ",\"expired\":\"" + formatInstant(act.expires) + "\"}";
    act.state = StagedState::Expired;
    act.decidedAt = now;
    auto change = std::make_shared<StoreChange>();
    change->decide = std::move(act);
    row.with = std::move(change);
    return row;
}

StagedAct proposalOnStore(
    const AuditRow& entry, std::string body, std::uint64_t seenVersion, const WhoIsNeeded& needed)
{
    StagedAct act;
    act.command = entry.command;
    act.verb = entry.verb;
    act.target = entry.target;
    act.body = std::move(body);
    act.reason = entry.reason;
    act.claimed = entry.actor;
    act.uid = entry.uid;
    act.host = entry.host;
    act.seenVersion = seenVersion;
    act.stagedBy = entry.login;
    act.stagedAt = entry.time;
    act.state = StagedState::Proposed;
    act.role = needed.role;
    act.expires = entry.time + needed.expiresAfter;
    act.digest = actDigest(act);
    return act;
}

Result<std::uint64_t> Service::Impl::appendNow(AuditRow row)
{
    auto answer = std::make_shared<std::optional<Result<std::uint64_t>>>();
    queue.pushAudit(std::move(row), [answer](Result<std::uint64_t> seq) { *answer = std::move(seq); });
    while (!*answer)
        if (!queue.pump())
            queue.drain();
    return std::move(**answer);
}

Result<Preview> Agreements::previewAct(const StagedAct& act)
{
    CAIRN_TRY_ASSIGN(Submission submission, submissionOf(act));
    return m_service.preview(submission);
}

Result<std::optional<Rejection>> Agreements::mayDecide(
    const StagedAct& act, const ActDecision& decision, std::string_view login)
{
    WithdrawFacts facts;
    if (act.state == StagedState::Waiting && decision.as == StagedState::Withdrawn) {
        CAIRN_TRY_ASSIGN(const StoreRights rights, m_impl->reader.rights());
        facts.owner = rights.owns;
        if (!act.run.isNull()) {  // one without a run has its answer as soon as it is done
            const auto done = m_impl->reader.findCommand(act.run, act.command);
            if (!done && done.error().kind != ErrorKind::NotFound)
                return done.error();
            facts.doneAs = done ? done->value_or(0) : 0;
        }
    }
    if (auto why = mayNotDecide(act, decision, login, m_impl->now(), facts))
        return why;
    CAIRN_TRY_ASSIGN(const StoreInfo store, m_impl->info());
    if (auto missing = reasonMissing(store.safety, reasonLength(decision.reason)))
        return missing;
    if (decision.as == StagedState::Withdrawn)
        return std::optional<Rejection>();
    CAIRN_TRY_ASSIGN(const auto policy, m_impl->policyNow());
    CAIRN_TRY_ASSIGN(const std::string lacks, m_impl->lackedRole(*policy, act.role, std::string(login)));
    if (!lacks.empty())
        return std::optional(no(RejectCode::NoRight,
            "\"" + std::string(login) + "\" lacks the role \"" + lacks
                + "\", for which the act waits; nothing was done: ask somebody who has it"));
    if (decision.as != StagedState::Waiting)
        return std::optional<Rejection>();
    std::optional<Rejection> refused;
    if (act.verb == Verb::SetPolicy) {
        CAIRN_TRY_ASSIGN(const PolicyChange change, policyChangeOf(act));
        CAIRN_TRY_ASSIGN(PolicyPreview now, previewPolicy(change));
        refused = std::move(now.rejection);
    } else if (act.verb == Verb::Slow) {
        CAIRN_TRY_ASSIGN(const SlowChange change, slowOf(act));
        CAIRN_TRY_ASSIGN(SlowPreview now, previewSlow(change));
        refused = std::move(now.rejection);
    } else {
        CAIRN_TRY_ASSIGN(const Preview now, previewAct(act));
        if (const auto* rejection = std::get_if<Rejection>(&now.decision))
            refused = *rejection;
    }
    if (!refused)
        return std::optional<Rejection>();
    return std::optional(no(refused->code,
        refused->text
            + ". Nothing was confirmed: the act cannot be done any more as it was proposed; reject it, "
              "and let it be proposed again where it is still wanted"));
}

Outcome Agreements::decideAct(const ActDecision& decision)
{
    const auto failed = [](const RunId& run, Error error) { return failedWith(run, std::move(error)); };
    auto found = m_impl->reader.stagedAct(decision.act);
    if (!found)
        return failed({}, std::move(found).error());
    if (!*found)
        return failed({},
            makeError(ErrorKind::NotFound,
                "there is no act " + toText(decision.act) + "; `cairn acts` lists those that wait"));
    StagedAct act = **std::move(found);
    const std::string& login = m_impl->config.login;
    auto why = mayDecide(act, decision, login);
    if (!why)
        return failed(act.run, std::move(why).error());
    act.confirmedBy = login;
    act.confirmedName = decision.claimedName;
    act.note = m_impl->maskerOf(act.run)->text(decision.reason);
    act.confirmedAt = act.decidedAt = m_impl->now();
    act.state = decision.as;
    AuditRow row = decisionEntry(act, m_impl->config, act.confirmedAt);
    Outcome outcome;
    outcome.run = act.run;
    if (*why) {
        row.kind = "refused";
        if (act.run.isNull())  // each refusal is an entry of its own
            row.command = makeId<CommandId>(row.time, m_impl->rng);
        row.after.insert(row.after.size() - 1, ",\"why\":" + jsonQuote((*why)->text));
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = **std::move(why);
    } else {
        auto change = std::make_shared<StoreChange>();
        change->decide = act;
        row.with = std::move(change);
        outcome.kind = Outcome::Kind::Committed;
        outcome.text = standingOf(act);
    }
    auto seq = m_impl->appendNow(std::move(row));
    if (!seq && outcome.kind == Outcome::Kind::Rejected)
        return Service::Impl::notAudited(outcome, std::move(seq).error());
    if (!seq)
        return failed(act.run, std::move(seq).error());
    outcome.auditSeq = *seq;
    return outcome;
}

}  // namespace cairn
