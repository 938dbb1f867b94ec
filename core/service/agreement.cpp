// Who must agree to a person's act, asked of the policy for each decision; and acts that are kept until
// somebody else confirms them.

#include "core/service/agreement.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/service/impl.h"
#include "core/service/roles.h"
#include "core/service/staged.h"

namespace cairn {

namespace {

Outcome rejected(const RunId& run, RejectCode code, std::string text)
{
    Outcome outcome;
    outcome.kind = Outcome::Kind::Rejected;
    outcome.run = run;
    outcome.rejection = {code, std::move(text), std::nullopt};
    return outcome;
}

// Without what prepare() added, or will add again: the reason as a payload, and what a fork copies.
Submission asGiven(Submission submission)
{
    std::erase_if(submission.payloads, [&](const NewPayload& payload) {
        return payload.ref.id == submission.command.reason.id || !payload.copyOf.isNull();
    });
    submission.command.reason = {};
    return submission;
}

}  // namespace

std::string Service::Impl::loginOf(const Submission& submission) const
{
    const std::string& login = submission.command.actor.login;
    return login.empty() ? config.login : login;
}

// Read for each decision of a person: one that was set a moment ago holds.
Result<std::shared_ptr<const Policy>> Service::Impl::policyNow()
{
    CAIRN_TRY_ASSIGN(const StoreInfo store, info());
    CAIRN_TRY_ASSIGN(const auto row, reader.policy(0));
    const std::uint64_t version = row ? row->version : 0;
    if (policyKnown && policyKnown->version == version)
        return policyKnown;
    CAIRN_TRY_ASSIGN(Policy policy, policyOf(row, store));
    policy.version = version;
    policyKnown = std::make_shared<const Policy>(std::move(policy));
    return policyKnown;
}

Result<std::string> Service::Impl::lackedRole(
    const Policy& policy, const std::string& role, const std::string& login)
{
    CAIRN_TRY_ASSIGN(const bool holds, holdsRole(reader, policy, role, login));
    return holds ? std::string() : role;
}

Status Service::Impl::agree(Item& item, const RunState& state, Given& given, bool preview)
{
    const Submission& s = item.submission;
    if (s.command.actor.kind != ActorKind::Person)
        return {};
    CAIRN_TRY_ASSIGN(const auto policy, policyNow());
    const RunState& about = item.source ? *item.source : state;
    const cmd::Body& body = s.command.body;
    given.needed = whoIsNeeded(
        *policy, {verbOf(body), storeInfo->environment, storeInfo->safety, atStake(about, body), s.runs});
    item.glass = false;
    if (const auto* decide = std::get_if<cmd::Decide>(&body))
        if (const ApprovalRecord* record = state.findApproval(decide->approval)) {
            CAIRN_TRY_ASSIGN(given.lacksRole, lackedRole(*policy, record->role, loginOf(s)));
        }
    if (!given.needed.second()) {
        if (given.lacksRole.empty()) {
            CAIRN_TRY_ASSIGN(given.lacksRole, lackedRole(*policy, given.needed.role, loginOf(s)));
        }
        return {};
    }
    given.agreed = s.agreed;
    if (given.agreed && !given.agreed->glass) {
        // A plan is confirmed by who may confirm it as a whole, as long as the policy says so: never in place
        // of the role that an earlier rule asks for with this run and its amount.
        WhoIsNeeded needed = given.needed;
        const std::string& ofPlan = given.agreed->role;
        const std::size_t before = needed.role.empty() ? 0 : needed.rule;
        if (!ofPlan.empty() && asksForRole(*policy, verbOf(body), ofPlan, before))
            needed.role = ofPlan;
        CAIRN_TRY(secondOfNow(*policy, needed, loginOf(s), given.agreed->by.login));
    }
    if (!given.agreed) {
        CAIRN_TRY_ASSIGN(given.agreed, agreedInStore(item, state, *policy, given.needed));
    }
    item.glass = given.agreed && given.agreed->glass;
    if (item.glass)  // whatever the store asks for otherwise
        given.needed.reason = std::max(given.needed.reason, reasonMinimum(Safety::Guarded));
    if (!given.agreed && preview)
        given.agreed = Agreed{};
    return {};
}

// What was confirmed under an earlier policy is not done where the present one asks for somebody else.
Status Service::Impl::secondOfNow(
    const Policy& policy, const WhoIsNeeded& needed, const std::string& author, const std::string& confirmer)
{
    if (std::string why = notSecond(author, confirmer); !why.empty())
        return makeError(ErrorKind::Refused, std::move(why));
    CAIRN_TRY_ASSIGN(const std::string lacks, lackedRole(policy, needed.role, confirmer));
    if (lacks.empty())
        return {};
    return makeError(ErrorKind::Refused,
        "\"" + confirmer + "\", who confirmed it, lacks the role \"" + lacks
            + "\", which the policy asks for now; nothing was done: propose it again");
}

// What is done is what was confirmed, bit for bit, by somebody else whom the policy of now accepts.
Result<std::optional<Agreed>> Service::Impl::agreedInStore(
    const Item& item, const RunState& state, const Policy& policy, const WhoIsNeeded& needed)
{
    const Submission& s = item.submission;
    std::optional<StagedAct> kept;
    if (item.callersId) {
        CAIRN_TRY_ASSIGN(kept, reader.stagedAct(s.command.id));
    }
    if (!kept)
        return s.breakGlass ? std::optional(Agreed{{}, {}, true}) : std::nullopt;
    if (kept->glass)
        return std::optional(Agreed{{}, {}, true});
    // Where it has a code it was rejected or withdrawn, and waits for that to be put on record.
    if (kept->state != StagedState::Waiting || kept->code != 0 || kept->confirmedBy.empty())
        return std::optional<Agreed>();
    const auto again = stagedOf(asGiven(s), state, config);
    const bool same = again && again->run == kept->run && again->verb == kept->verb
        && again->target == kept->target && again->body == kept->body && s.reason == kept->reason;
    if (!same || actDigest(*kept) != kept->digest)
        return makeError(ErrorKind::Refused,
            "act " + toText(kept->command) + " is not what was confirmed; nothing was done");
    CAIRN_TRY(secondOfNow(policy, needed, kept->stagedBy, kept->confirmedBy));
    const std::string& name = kept->confirmedName.empty() ? kept->confirmedBy : kept->confirmedName;
    return std::optional(Agreed{{ActorKind::Person, name, kept->confirmedBy}, kept->digest, false});
}

void pin(cmd::Body& body, const RunState& seen, const SessionId& owner)
{
    if (const auto* paused = std::get_if<cmd::SetPaused>(&body); paused && paused->paused)
        return;  // depends on nothing
    std::visit(
        [&](auto& c) {
            if constexpr (requires { c.checkRevision; }) {
                const StepRecord* step = seen.find(c.step);
                if (!c.checkRevision && step) {
                    c.expectedRevision = step->revision;
                    c.checkRevision = true;
                }
            } else if constexpr (requires { c.checkControl; }) {
                if (!c.checkControl) {
                    c.expectedControl = seen.own.revision;
                    c.checkControl = true;
                }
            } else if constexpr (requires {
                                     c.fromVersion;
                                     c.toVersion;
                                 }) {
                if (c.fromVersion == 0)
                    c.fromVersion = seen.workflow.version;
            } else if constexpr (requires {
                                     c.attempt;
                                     c.checkOwner;
                                 }) {
                const StepRecord* step = c.step.empty() ? nullptr : seen.find(c.step);
                if (step && step->attempt && c.attempt.isNull())
                    c.attempt = step->attempt->id;
                if (c.step.empty() && !c.checkOwner) {
                    c.owner = owner;
                    c.checkOwner = true;
                }
            }
        },
        body);
}

// As it is to be kept; Rejected where it cannot be. Of one that is there already: as it stands.
Outcome Service::Impl::proposalOf(const Item& item, const RunState& state, const WhoIsNeeded& needed)
{
    Submission s = asGiven(item.submission);
    std::optional<StagedAct> kept;
    if (item.callersId) {
        auto found = reader.stagedAct(s.command.id);
        if (!found)
            return failedWith(s.run, std::move(found).error());
        kept = *std::move(found);
    }
    if (kept && kept->state != StagedState::Waiting) {
        Outcome outcome = outcomeOf(*kept);
        outcome.auditSeq = std::max<std::uint64_t>(outcome.auditSeq, 1);  // it is on record
        return outcome;
    }
    if (!kept) {
        SessionId owner;
        if (std::holds_alternative<cmd::Takeover>(s.command.body)) {
            auto hot = reader.hot(s.run);
            if (!hot)
                return failedWith(s.run, std::move(hot).error());
            owner = hot->owner;
        }
        pin(s.command.body, state, owner);
        auto made = stagedOf(std::move(s), state, config);
        if (!made)
            return rejected(item.submission.run, RejectCode::InvalidInput,
                made.error().text + "; the policy asks for 2 people, and such an act cannot wait");
        kept = *std::move(made);
        kept->stagedBy = loginOf(item.submission);
        kept->stagedAt = now();
    }
    kept->state = StagedState::Proposed;
    kept->role = needed.role;
    kept->expires = now() + needed.expiresAfter;
    kept->digest = actDigest(*kept);
    Outcome outcome;
    outcome.kind = Outcome::Kind::Proposed;
    outcome.run = kept->run;
    outcome.version = state.version;
    outcome.text = standingOf(*kept);
    outcome.proposal = *std::move(kept);
    return outcome;
}

void Service::Impl::keepProposal(const ItemPtr& item, Outcome outcome)
{
    AuditRow row = auditRowOf(item->submission);
    row.kind = "proposed";
    row.verb = Verb::ProposeAct;
    row.run = outcome.proposal->run;
    row.after = "{\"verb\":\"" + std::string(key(outcome.proposal->verb)) + "\",\"role\":";
    appendJsonString(row.after, outcome.proposal->role);
    row.after += ",\"expires\":\"" + formatInstant(outcome.proposal->expires) + "\",\"digest\":\""
        + hex(outcome.proposal->digest) + "\"}";
    auto change = std::make_shared<StoreChange>();
    change->propose = outcome.proposal;
    row.with = std::move(change);
    auto kept = std::make_shared<Outcome>(std::move(outcome));
    queue.pushAudit(std::move(row), [this, item, kept](Result<std::uint64_t> seq) {
        if (!seq)
            return answer(item, failedWith(kept->run, std::move(seq).error()));
        kept->auditSeq = *seq;
        answer(item, std::move(*kept));
    });
}

}  // namespace cairn
