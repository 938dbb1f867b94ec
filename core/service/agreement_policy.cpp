// Setting the policy: by one person or, where the present policy asks for it, by two.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/policy_text.h"
#include "core/machine/policy.h"
#include "core/service/agreement.h"
#include "core/service/impl.h"
#include "core/service/staged.h"

namespace cairn {

namespace {

constexpr const char* kTarget = "policy";
constexpr std::size_t kAuditPage = 512;

Rejection no(RejectCode code, std::string text) { return {code, std::move(text), std::nullopt}; }

std::string linesOf(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines)
        text += "\n  " + visibleLine(line);
    return text;
}

// The act's body: the version that was seen, and the text.
std::string bodyOf(const PolicyChange& change)
{
    return std::to_string(change.expected) + "\n" + change.text;
}

AuditRow entryOf(const PolicyChange& change, const ServiceConfig& from, TimeMs now)
{
    AuditRow row;
    row.time = now;
    row.kind = "applied";
    row.verb = Verb::SetPolicy;
    row.actor = change.claimedName;
    row.uid = from.uid;
    row.host = from.host;
    row.login = from.login;
    row.target = kTarget;
    row.reason = change.reason;
    row.before = "{\"version\":" + std::to_string(change.expected) + "}";
    row.after = "{\"version\":" + std::to_string(change.expected + 1) + ",\"digest\":\""
        + hex(sha256(change.text)) + "\"}";
    return row;
}

std::shared_ptr<StoreChange> policyOf(const PolicyChange& change, const std::string& login, TimeMs now)
{
    auto with = std::make_shared<StoreChange>();
    with->policy = PolicyRow{change.expected + 1, change.text, login, change.claimedName, now};
    return with;
}

}  // namespace

Result<PolicyChange> policyChangeOf(const StagedAct& act)
{
    const std::size_t end = act.body.find('\n');
    const auto expected = jsonInt(std::string_view(act.body).substr(0, end));
    if (act.verb != Verb::SetPolicy || end == std::string::npos || !expected || *expected < 0)
        return makeError(ErrorKind::InvalidInput, "act " + toText(act.command) + " is damaged");
    return PolicyChange{
        act.body.substr(end + 1), static_cast<std::uint64_t>(*expected), act.reason, act.claimed, false};
}

Result<Policy> Agreements::policy()
{
    CAIRN_TRY_ASSIGN(const auto found, m_impl->policyNow());
    return *found;
}

Result<PolicyPreview> Agreements::previewPolicy(const PolicyChange& change)
{
    PolicyPreview preview;
    CAIRN_TRY_ASSIGN(const auto present, m_impl->policyNow());
    CAIRN_TRY_ASSIGN(const StoreInfo store, m_impl->info());
    preview.needed = whoIsNeeded(*present, {Verb::SetPolicy, store.environment, store.safety, {}, 1});
    if (change.breakGlass && preview.needed.second())
        preview.needed.reason = std::max(preview.needed.reason, reasonMinimum(Safety::Guarded));
    const auto parsed = parsePolicy(change.text);
    if (change.text.size() > kPolicyLimit || !parsed) {
        preview.rejection = no(RejectCode::InvalidInput,
            parsed ? "a policy has " + formatBytes(kPolicyLimit) + " at most"
                   : diagnosticLine(kTarget, parsed.diagnostics.front()));
        return preview;
    }
    preview.differences = policyDifferences(*present, *parsed.policy);
    if (change.expected != present->version) {
        CAIRN_TRY_ASSIGN(const auto newest, m_impl->reader.policy(0));
        preview.rejection = no(RejectCode::Stale,
            "the policy has version " + std::to_string(present->version)
                + (newest ? ", set by " + newest->login + " at " + formatInstant(newest->setAt)
                          : std::string())
                + ", and this was made from version " + std::to_string(change.expected)
                + "; nothing was changed. What would differ from it as it is:"
                + linesOf(preview.differences));
    } else if (reasonLength(change.reason) < preview.needed.reason) {
        preview.rejection = no(RejectCode::ReasonMissing,
            "setting the policy needs a reason of at least " + std::to_string(preview.needed.reason)
                + " characters here");
    } else if (!preview.needed.second()) {
        CAIRN_TRY_ASSIGN(
            const std::string lacks, m_impl->lackedRole(*present, preview.needed.role, m_impl->config.login));
        if (!lacks.empty())
            preview.rejection = no(RejectCode::NoRight,
                "\"" + m_impl->config.login + "\" lacks the role \"" + lacks
                    + "\", which setting the policy needs");
    }
    return preview;
}

Outcome Agreements::setPolicy(const PolicyChange& given)
{
    const TimeMs now = m_impl->now();
    PolicyChange change = given;
    change.reason = m_impl->masker({})->text(given.reason);
    auto preview = previewPolicy(change);
    if (!preview)
        return failedWith({}, std::move(preview).error());
    AuditRow row = entryOf(change, m_impl->config, now);
    row.command = makeId<CommandId>(now, m_impl->rng);
    Outcome outcome;
    outcome.version = change.expected + 1;
    if (preview->rejection) {
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = *std::move(preview->rejection);
        row.kind = "refused";
        row.after = "{\"refused\":true,\"why\":" + jsonQuote(outcome.rejection.text) + "}";
    } else if (preview->needed.second() && !change.breakGlass) {
        StagedAct act = proposalOnStore(row, bodyOf(change), change.expected, preview->needed);
        outcome.kind = Outcome::Kind::Proposed;
        outcome.text = standingOf(act);
        row.kind = "proposed";
        row.verb = Verb::ProposeAct;
        auto with = std::make_shared<StoreChange>();
        with->propose = act;
        row.with = std::move(with);
        outcome.proposal = std::move(act);
    } else {
        outcome.kind = Outcome::Kind::Committed;
        auto with = policyOf(change, row.login, now);
        outcome.glass = preview->needed.second();
        if (outcome.glass) {
            row.after.insert(row.after.size() - 1, ",\"break_glass\":true");
            with->review = Review{
                row.command, {}, row.verb, row.target, row.login, row.reason, {}, 0, now, {}, {}, kNoTime};
        }
        row.with = std::move(with);
    }
    auto seq = m_impl->appendNow(std::move(row));
    if (!seq)
        return outcome.kind == Outcome::Kind::Rejected
            ? Service::Impl::notAudited(outcome, std::move(seq).error())
            : failedWith({}, std::move(seq).error());
    outcome.auditSeq = *seq;
    return outcome;
}

// By its entry, which has an id that follows from the act's.
Result<std::optional<Outcome>> Agreements::carriedOut(const StagedAct& act)
{
    const auto id = deriveId<CommandId>("act-done", act.command.view());
    std::vector<AuditRow> page;
    std::uint64_t after = 0;
    do {
        CAIRN_TRY(m_impl->reader.auditPage(after, kAuditPage, page));
        for (const AuditRow& row : page) {
            after = row.seq;
            if (row.command != id || row.verb != act.verb || row.kind != "applied" || !row.run.isNull())
                continue;
            Outcome outcome;
            outcome.kind = Outcome::Kind::Committed;
            outcome.auditSeq = row.seq;
            if (const auto change = policyChangeOf(act))
                outcome.version = change->expected + 1;
            return std::optional(std::move(outcome));
        }
    } while (page.size() == kAuditPage);
    return std::optional<Outcome>();
}

Outcome Agreements::carryOut(StoreWriter& store, const StagedAct& act)
{
    if (act.verb == Verb::Slow || act.verb == Verb::SetPolicy) {
        auto done = carriedOut(act);
        if (!done)
            return failedWith({}, std::move(done).error());
        if (*done)
            return **std::move(done);
    }
    if (act.verb == Verb::Slow)
        return carryOutSlow(store, act);
    if (act.verb != Verb::SetPolicy) {
        auto submission = submissionOf(act);
        if (!submission)
            return failedWith(act.run, std::move(submission).error());
        return m_service.submitAndWait(*std::move(submission));
    }
    const TimeMs now = m_impl->now();
    auto change = policyChangeOf(act);
    if (!change)
        return failedWith({}, std::move(change).error());
    if (act.confirmedBy.empty() || !notSecond(act.stagedBy, act.confirmedBy).empty()
        || actDigest(act) != act.digest)
        return failedWith({}, makeError(ErrorKind::Refused, "nobody else has confirmed this policy"));
    // In the name of who carries it out; the entries on its proposal and its confirmation name those two.
    AuditRow row = entryOf(*change, m_impl->config, now);
    row.command = deriveId<CommandId>("act-done", act.command.view());
    row.after.insert(row.after.size() - 1,
        ",\"proposed_by\":" + jsonQuote(act.stagedBy) + ",\"confirmed_by\":" + jsonQuote(act.confirmedBy));
    row.with = policyOf(*change, act.stagedBy, now);
    Outcome outcome;
    outcome.version = change->expected + 1;
    auto seq = m_impl->appendNow(std::move(row));
    if (seq) {
        outcome.kind = Outcome::Kind::Committed;
        outcome.auditSeq = *seq;
    } else if (seq.error().kind == ErrorKind::Conflict) {
        outcome.kind = Outcome::Kind::Rejected;
        outcome.rejection = no(RejectCode::Stale,
            "the policy has changed since this one was proposed; nothing was changed: propose it again");
    } else {
        outcome.error = std::move(seq).error();
    }
    return outcome;
}

}  // namespace cairn
