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
    CAIRN_TRY_ASSIGN(preview.needed, neededOnStore(*present, Verb::SetPolicy, change.breakGlass));
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
    } else {
        CAIRN_TRY_ASSIGN(
            preview.rejection, refusedOnStore(*present, preview.needed, Verb::SetPolicy, change.reason));
    }
    return preview;
}

AuditRow Agreements::entryOf(const PolicyChange& change)
{
    AuditRow row = entryOnStore(Verb::SetPolicy, kTarget, change.reason, change.claimedName);
    row.before = "{\"version\":" + std::to_string(change.expected) + "}";
    row.after = "{\"version\":" + std::to_string(change.expected + 1) + ",\"digest\":\""
        + hex(sha256(change.text)) + "\"}";
    return row;
}

Outcome Agreements::setPolicy(const PolicyChange& given)
{
    PolicyChange change = given;
    change.reason = m_impl->masker({})->text(given.reason);
    auto before = answeredBefore(change.command, Verb::SetPolicy, kTarget);
    if (!before)
        return failedWith({}, std::move(before).error());
    if (*before)
        return **std::move(before);
    auto preview = previewPolicy(change);
    if (!preview)
        return failedWith({}, std::move(preview).error());
    ActOnStore act{entryOf(change), bodyOf(change), change.expected, change.breakGlass,
        [this](const AuditRow& entry) { return m_impl->appendNow(entry); }};
    act.entry.command =
        change.command.isNull() ? makeId<CommandId>(act.entry.time, m_impl->rng) : change.command;
    act.entry.with = policyOf(change, act.entry.login, act.entry.time);
    Outcome outcome = doOnStore(std::move(act), std::move(preview->rejection), preview->needed);
    outcome.version = change.expected + 1;
    return outcome;
}

// By its entry, which has an id that follows from the act's.
Result<std::optional<Outcome>> Agreements::carriedOut(const StagedAct& act)
{
    CAIRN_TRY_ASSIGN(
        const auto seq, m_impl->reader.auditOfCommand(deriveId<CommandId>("act-done", act.command.view())));
    if (!seq)
        return std::optional<Outcome>();
    CAIRN_TRY_ASSIGN(const auto rows, m_impl->reader.audit(*seq - 1, 1));
    if (rows.empty() || rows.front().verb != act.verb || rows.front().kind != "applied")
        return std::optional<Outcome>();
    Outcome outcome;
    outcome.kind = Outcome::Kind::Committed;
    outcome.auditSeq = *seq;
    if (const auto change = policyChangeOf(act))
        outcome.version = change->expected + 1;
    return std::optional(std::move(outcome));
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
    auto change = policyChangeOf(act);
    if (!change)
        return failedWith({}, std::move(change).error());
    if (const Status confirmed = confirmedBySecond(act); !confirmed)
        return failedWith({}, confirmed.error());
    AuditRow row = entryOfConfirmed(entryOf(*change), act);
    auto with = policyOf(*change, act.stagedBy, row.time);
    with->done = ActDone{act.command, change->expected + 1};
    row.with = std::move(with);
    Outcome outcome = landedOnStore(m_impl->appendNow(std::move(row)));
    outcome.version = change->expected + 1;
    if (outcome.kind == Outcome::Kind::Rejected)
        outcome.rejection.text =
            "the policy has changed since this one was proposed; nothing was changed: propose it again";
    return outcome;
}

}  // namespace cairn
