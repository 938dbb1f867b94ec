#include "core/store/agreement.h"

#include "core/store/checks.h"

namespace cairn {

namespace {

Error conflict(std::string text) { return makeError(ErrorKind::Conflict, std::move(text)); }

// Who may is for the caller to know: these stores have no logins of their own.
Status checkWithdrawn(const StagedAct& kept, bool carriedOut)
{
    return carriedOut
        ? conflict("act " + toText(kept.command) + " was carried out already; nothing was withdrawn")
        : Status();
}

}  // namespace

Status checkProposed(const std::optional<StagedAct>& kept, const StagedAct& act)
{
    CAIRN_TRY(checkStaged(act));
    if (act.state != StagedState::Proposed || act.digest.isNull() || act.expires == kNoTime
        || act.stagedBy.empty())
        return makeError(ErrorKind::InvalidInput, "a proposal needs an author, a digest and an end");
    if (!kept)
        return {};
    if (kept->state != StagedState::Waiting || !kept->confirmedBy.empty() || actDigest(*kept) != act.digest)
        return conflict("act " + toText(act.command) + " is there already, and is not as it was");
    return {};
}

Status checkDecided(const std::optional<StagedAct>& kept, const StagedAct& act, TimeMs now, bool carriedOut)
{
    for (const std::string* text : {&act.confirmedBy, &act.confirmedName, &act.note})
        if (!isStorableText(*text))
            return makeError(ErrorKind::InvalidInput, "a text of the decision is not valid text");
    if (kept && kept->state == StagedState::Waiting && act.state == StagedState::Withdrawn)
        return checkWithdrawn(*kept, carriedOut);
    if (!kept || kept->state != StagedState::Proposed)
        return conflict("act " + toText(act.command) + " does not wait for anybody any more");
    if (act.digest != kept->digest || actDigest(*kept) != kept->digest)
        return conflict("act " + toText(act.command) + " is not what was shown");
    const bool over = now >= kept->expires;
    const bool author = act.confirmedBy == kept->stagedBy;
    switch (act.state) {
    case StagedState::Expired:
        return over ? Status() : conflict("act " + toText(act.command) + " has not expired");
    case StagedState::Withdrawn:
        return author ? Status() : makeError(ErrorKind::NoRight, "only its author withdraws an act");
    case StagedState::Waiting:
    case StagedState::Refused:
        if (act.confirmedBy.empty() || author)
            return makeError(
                ErrorKind::NoRight, "who proposed an act cannot confirm it: somebody else has to");
        return over ? conflict("act " + toText(act.command) + " has expired; nothing was decided") : Status();
    default:
        return makeError(ErrorKind::InvalidInput, "an act is confirmed, rejected, withdrawn, or expires");
    }
}

Status checkDone(const std::optional<StagedAct>& kept, const ActDone& done)
{
    return kept && kept->state == StagedState::Waiting ? Status() : actIsOver(done.act);
}

Status checkPolicyRow(std::uint64_t newest, const PolicyRow& row)
{
    for (const std::string* text : {&row.text, &row.login, &row.claimed})
        if (!isStorableText(*text))
            return makeError(ErrorKind::InvalidInput, "a text of the policy is not valid text");
    if (row.text.size() > kPolicyLimit)
        return makeError(ErrorKind::InvalidInput, "a policy has 64 KiB at most");
    if (row.version != newest + 1)
        return conflict("the policy has version " + std::to_string(newest)
            + " by now: look at what was set, and set it again");
    return {};
}

Status checkReview(const std::optional<Review>& kept, const Review& review)
{
    if (review.open())
        return kept ? conflict("the review of " + toText(review.command) + " is open already") : Status();
    if (!kept)
        return makeError(ErrorKind::NotFound, "there is no review of act " + toText(review.command));
    if (!kept->open())
        return conflict(kept->closedBy + " has closed this review already");
    if (review.closedBy.empty() || review.closedBy == kept->login)
        return makeError(ErrorKind::NoRight, "who broke the glass cannot review it: somebody else has to");
    return {};
}

}  // namespace cairn
