#include "core/audit/second_person.h"

#include "core/base/json_scan.h"

namespace cairn::audit {

namespace {

constexpr std::size_t kMostReviews = 10'000;

struct Word {
    std::string_view key;
    std::string_view label;
};
constexpr Word kWords[] = {
    {"", ""},
    {"confirmed", ""},
    {"rejected", "rejected by "},
    {"waiting", "waits for somebody else"},
    {"nobody_came", "nobody came"},
    {"withdrawn", "withdrawn before anybody came"},
    {"asked", "was needed: see a later entry"},
    {"alone", "NOBODY: by break-glass, REVIEW OPEN"},
    {"reviewed", "by break-glass, reviewed by "},
    {"glass", "NOBODY: by break-glass, review not known here"},
};

const Word& wordOf(Second kind) noexcept
{
    const auto place = static_cast<std::size_t>(kind);
    return kWords[place < std::size(kWords) ? place : 0];
}

// What the entry's state after says; most say nothing, and are not read for it.
std::optional<std::string_view> member(const std::string& json, std::string_view name)
{
    if (json.find('"' + std::string(name) + '"') == std::string::npos || findJsonFault(json))
        return std::nullopt;
    const auto value = jsonAt(json, '/' + std::string(name));
    return value ? std::optional(*value) : std::nullopt;
}

SecondPerson someone(Second kind, std::string login) { return {kind, std::move(login)}; }

}  // namespace

std::string_view key(Second kind) noexcept { return wordOf(kind).key; }

std::string label(const SecondPerson& second)
{
    return std::string(wordOf(second.kind).label) + second.login;
}

Result<TimeMs> SecondPeople::now()
{
    if (m_now == kNoTime) {
        CAIRN_TRY_ASSIGN(m_now, m_store.now());
    }
    return m_now;
}

// Open ones first: of very many it is the closed ones that are left out.
Status SecondPeople::readReviews()
{
    if (m_reviewsRead)
        return {};
    for (const bool closedToo : {false, true}) {
        const auto reviews = m_store.reviews(closedToo, kMostReviews);
        if (!reviews && reviews.error().kind == ErrorKind::NoRight)
            break;
        CAIRN_TRY(reviews);
        for (const Review& review : *reviews)
            m_glass.try_emplace(review.command,
                review.open() ? SecondPerson{Second::Alone} : someone(Second::Reviewed, review.closedBy));
    }
    m_reviewsRead = true;
    return {};
}

Result<SecondPerson> SecondPeople::ofProposal(const CommandId& command)
{
    const auto kept = m_store.stagedAct(command);
    if (!kept && kept.error().kind == ErrorKind::NoRight)
        return SecondPerson{Second::Asked};
    CAIRN_TRY(kept);
    if (!*kept)
        return SecondPerson{Second::Asked};
    const StagedAct& act = **kept;
    // One that is decided keeps what was said in `code` until an engine has put it on record.
    const StagedState said =
        act.state == StagedState::Waiting && act.code != 0 ? static_cast<StagedState>(act.code) : act.state;
    switch (said) {
    case StagedState::Proposed: {
        CAIRN_TRY_ASSIGN(const TimeMs at, now());
        return SecondPerson{at < act.expires ? Second::Waiting : Second::NobodyCame};
    }
    case StagedState::Refused: return someone(Second::Rejected, act.confirmedBy);
    case StagedState::Expired: return SecondPerson{Second::NobodyCame};
    case StagedState::Withdrawn: return SecondPerson{Second::Withdrawn};
    default:
        return act.confirmedBy.empty() ? SecondPerson{Second::Asked}
                                       : someone(Second::Confirmed, act.confirmedBy);
    }
}

Result<SecondPerson> SecondPeople::ofPlan(const std::string& text)
{
    if (const auto known = m_plans.find(text); known != m_plans.end())
        return known->second;
    SecondPerson second;
    if (const auto id = parseId<PlanId>(text)) {
        CAIRN_TRY_ASSIGN(const std::optional<PlanRow> plan, m_store.plan(*id));
        if (plan && plan->people > 1) {
            CAIRN_TRY_ASSIGN(const TimeMs at, now());
            second = !plan->confirmedBy.empty() ? someone(Second::Confirmed, plan->confirmedBy)
                : plan->aborted                 ? SecondPerson{Second::Withdrawn}
                : at < plan->expiresAt && plan->state == PlanState::Staged ? SecondPerson{Second::Waiting}
                                                                           : SecondPerson{Second::NobodyCame};
        }
    }
    m_plans.emplace(text, second);
    return second;
}

Result<SecondPerson> SecondPeople::of(const AuditRow& row)
{
    if (row.kind == "refused")
        return SecondPerson{};
    if (row.kind == "reviewed")
        return someone(Second::Reviewed, row.login);
    if (row.verb == Verb::ConfirmAct)
        return row.kind == "confirmed" ? someone(Second::Confirmed, row.login)
            : row.kind == "rejected"   ? someone(Second::Rejected, row.login)
            : row.kind == "withdrawn"  ? SecondPerson{Second::Withdrawn}
                                       : SecondPerson{};
    if (row.verb == Verb::ProposeAct)
        return row.kind == "expired" ? SecondPerson{Second::NobodyCame} : ofProposal(row.command);
    if (const auto confirmed = member(row.after, "confirmed_by"))
        if (auto login = jsonString(*confirmed); login && !login->empty())
            return someone(Second::Confirmed, *std::move(login));
    if (row.verb == Verb::Plan)
        return row.kind == "confirmed" ? someone(Second::Confirmed, row.login) : ofPlan(row.target);
    CAIRN_TRY(readReviews());
    if (const auto glass = m_glass.find(row.command); glass != m_glass.end())
        return glass->second;
    return SecondPerson{member(row.after, "break_glass") ? Second::Glass : Second::None};
}

}  // namespace cairn::audit
