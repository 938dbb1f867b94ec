// Acts on the store itself, setting the policy and slowing a resource: who is needed, why one is refused, and
// how it is put on record are the same for both.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/impl.h"
#include "core/service/staged.h"

namespace cairn {

namespace {

Rejection no(RejectCode code, std::string text) { return {code, std::move(text), std::nullopt}; }

std::string_view doing(Verb verb) { return verb == Verb::Slow ? "slowing a resource" : "setting the policy"; }

std::string both(std::string_view before, Verb verb, std::string_view after)
{
    std::string text(before);
    text += doing(verb);
    return text += after;
}

// The entry's `after` is one JSON object; this goes before its end.
void add(AuditRow& row, std::string_view members) { row.after.insert(row.after.size() - 1, members); }

std::shared_ptr<StoreChange> changeOf(const AuditRow& row)
{
    return row.with ? std::make_shared<StoreChange>(*row.with) : std::make_shared<StoreChange>();
}

}  // namespace

AuditRow Agreements::entryOnStore(Verb verb, std::string target, std::string reason, std::string claimed)
{
    AuditRow row;
    row.time = m_impl->now();
    row.kind = "applied";
    row.verb = verb;
    row.actor = std::move(claimed);
    row.uid = m_impl->config.uid;
    row.host = m_impl->config.host;
    row.login = m_impl->config.login;
    if (row.login.empty())  // an engine's service, which carries out what somebody confirmed
        if (const auto rights = m_impl->reader.rights())
            row.login = loginOf(*rights, m_impl->config.uid);
    row.target = std::move(target);
    row.reason = std::move(reason);
    return row;
}

Result<WhoIsNeeded> Agreements::neededOnStore(const Policy& present, Verb verb, bool glass)
{
    CAIRN_TRY_ASSIGN(const StoreInfo store, m_impl->info());
    WhoIsNeeded needed = whoIsNeeded(present, {verb, store.environment, store.safety, {}, 1});
    if (glass && needed.second())
        needed.reason = std::max(needed.reason, reasonMinimum(Safety::Guarded));
    return needed;
}

Result<std::optional<Rejection>> Agreements::refusedOnStore(
    const Policy& present, const WhoIsNeeded& needed, Verb verb, std::string_view reason)
{
    if (reasonLength(reason) < needed.reason)
        return std::optional(no(RejectCode::ReasonMissing,
            both({}, verb,
                " needs a reason of at least " + std::to_string(needed.reason) + " characters here")));
    if (needed.second())
        return std::optional<Rejection>();
    const std::string& login = m_impl->config.login;
    CAIRN_TRY_ASSIGN(const std::string lacks, m_impl->lackedRole(present, needed.role, login));
    if (lacks.empty())
        return std::optional<Rejection>();
    return std::optional(no(RejectCode::NoRight,
        both("\"" + login + "\" lacks the role \"" + lacks + "\", which ", verb, " needs")));
}

Result<std::optional<Outcome>> Agreements::answeredBefore(
    const CommandId& command, Verb verb, std::string_view target)
{
    if (command.isNull())
        return std::optional<Outcome>();
    CAIRN_TRY_ASSIGN(const auto seq, m_impl->reader.auditOfCommand(command));
    if (!seq)
        return std::optional<Outcome>();
    CAIRN_TRY_ASSIGN(const auto rows, m_impl->reader.audit(*seq - 1, 1));
    Outcome outcome;
    outcome.auditSeq = *seq;
    if (!rows.empty() && rows.front().kind == "applied" && rows.front().verb == verb
        && rows.front().target == target) {
        outcome.kind = Outcome::Kind::Repeated;
        return std::optional(std::move(outcome));
    }
    CAIRN_TRY_ASSIGN(const auto proposal, m_impl->reader.stagedAct(command));
    if (proposal && proposal->verb == verb && proposal->target == target)
        return std::optional(outcomeOf(*proposal));
    outcome.kind = Outcome::Kind::Rejected;
    outcome.rejection = no(RejectCode::InvalidInput,
        "the command id " + toText(command) + " is that of another act, audit entry " + std::to_string(*seq)
            + ": give a new one");
    return std::optional(std::move(outcome));
}

// Under an id of its own: what was refused was not done, and the caller's may be given again once the reason
// is gone.
Outcome Agreements::refuseOnStore(AuditRow row, Rejection rejection)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.rejection = std::move(rejection);
    row.kind = "refused";
    row.command = makeId<CommandId>(row.time, m_impl->rng);
    row.after = "{\"refused\":true,\"why\":" + jsonQuote(outcome.rejection.text) + "}";
    row.with = nullptr;
    auto seq = m_impl->appendNow(std::move(row));
    if (!seq)
        return Service::Impl::notAudited(outcome, std::move(seq).error());
    outcome.auditSeq = *seq;
    return outcome;
}

Outcome Agreements::proposeOnStore(AuditRow row, StagedAct act)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Proposed;
    outcome.text = standingOf(act);
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    auto with = std::make_shared<StoreChange>();
    with->propose = act;
    row.with = std::move(with);
    outcome.proposal = std::move(act);
    auto seq = m_impl->appendNow(std::move(row));
    if (!seq)
        return failedWith({}, std::move(seq).error());
    outcome.auditSeq = *seq;
    return outcome;
}

Outcome Agreements::doOnStore(ActOnStore act, std::optional<Rejection> rejection, const WhoIsNeeded& needed)
{
    AuditRow& row = act.entry;
    if (rejection)
        return refuseOnStore(std::move(row), *std::move(rejection));
    if (needed.second() && !act.breakGlass) {
        StagedAct proposal = proposalOnStore(row, std::move(act.body), act.seenVersion, needed);
        return proposeOnStore(std::move(row), std::move(proposal));
    }
    const bool glass = needed.second();
    if (glass) {
        add(row, ",\"break_glass\":true");
        auto with = changeOf(row);
        with->review = Review{
            row.command, {}, row.verb, row.target, row.login, row.reason, {}, 0, row.time, {}, {}, kNoTime};
        row.with = std::move(with);
    }
    Outcome outcome = landedOnStore(act.write(row));
    outcome.glass = glass && outcome.kind == Outcome::Kind::Committed;
    // Somebody else was faster, after the preview: a refusal like any other.
    if (outcome.kind == Outcome::Kind::Rejected)
        return refuseOnStore(std::move(row), std::move(outcome.rejection));
    return outcome;
}

Outcome Agreements::landedOnStore(Result<std::uint64_t> seq)
{
    Outcome outcome;
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

// In the name of who carries it out, and the answer of the act: one that was withdrawn in this moment is not
// done. The entries on its proposal and its confirmation name those two.
AuditRow Agreements::entryOfConfirmed(AuditRow row, const StagedAct& act)
{
    row.command = deriveId<CommandId>("act-done", act.command.view());
    auto with = std::make_shared<StoreChange>();
    with->done = ActDone{act.command, 0};
    row.with = std::move(with);
    add(row,
        ",\"proposed_by\":" + jsonQuote(act.stagedBy) + ",\"confirmed_by\":" + jsonQuote(act.confirmedBy));
    return row;
}

Status Agreements::confirmedBySecond(const StagedAct& act)
{
    if (act.confirmedBy.empty() || !notSecond(act.stagedBy, act.confirmedBy).empty()
        || actDigest(act) != act.digest)
        return makeError(ErrorKind::Refused, "nobody else has confirmed this act");
    return {};
}

}  // namespace cairn
