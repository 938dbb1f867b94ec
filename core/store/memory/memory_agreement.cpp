// Policies, acts that wait for somebody else, reviews.

#include "core/store/checks.h"
#include "core/store/memory/memory_connection.h"

#include <algorithm>

namespace cairn {

namespace {

template<class Map> auto found(const Map& map, const CommandId& id)
{
    const auto at = map.find(id);
    return at == map.end() ? std::optional<typename Map::mapped_type>() : std::optional(at->second);
}

template<class Row, class Map, class Wanted, class Before>
std::vector<Row> sorted(const Map& map, std::size_t limit, const Wanted& wanted, const Before& before)
{
    std::vector<Row> rows;
    for (const auto& [id, row] : map)
        if (wanted(row))
            rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(), before);
    if (rows.size() > limit)
        rows.resize(limit);
    return rows;
}

bool older(const StagedAct& a, const StagedAct& b) { return a.stagedAt < b.stagedAt; }

}  // namespace

bool MemoryDatabase::carriedOut(const StagedAct& act) const
{
    const auto run = runs.find(act.run);
    return run != runs.end() && run->second.commands.contains(act.command);
}

Status MemoryDatabase::checkChange(const StoreChange& wanted, TimeMs now) const
{
    if (wanted.propose)
        CAIRN_TRY(checkProposed(found(staged, wanted.propose->command), *wanted.propose));
    if (wanted.decide)
        CAIRN_TRY(checkDecided(
            found(staged, wanted.decide->command), *wanted.decide, now, carriedOut(*wanted.decide)));
    if (wanted.done)
        CAIRN_TRY(checkDone(found(staged, wanted.done->act), *wanted.done));
    if (wanted.policy)
        CAIRN_TRY(checkPolicyRow(policies.size(), *wanted.policy));
    if (wanted.review)
        CAIRN_TRY(checkReview(found(reviews, wanted.review->command), *wanted.review));
    return {};
}

void MemoryDatabase::writeChange(const StoreChange& wanted, std::uint64_t seq, TimeMs at)
{
    if (wanted.propose)
        staged.insert_or_assign(wanted.propose->command, *wanted.propose);
    if (wanted.decide) {
        StagedAct& act = staged[wanted.decide->command];
        act.state = wanted.decide->state;
        act.confirmedBy = wanted.decide->confirmedBy;
        act.confirmedName = wanted.decide->confirmedName;
        act.note = wanted.decide->note;
        act.confirmedAt = wanted.decide->confirmedAt;
        act.decidedAt = isOpen(act.state) ? kNoTime : wanted.decide->decidedAt;
    }
    if (wanted.done) {
        StagedAct& act = staged[wanted.done->act];
        act.state = StagedState::Committed;
        act.version = wanted.done->version;
        act.auditSeq = seq;
        act.decidedAt = at;
    }
    if (wanted.policy)
        policies.push_back(*wanted.policy);
    if (wanted.review)
        reviews.insert_or_assign(wanted.review->command, *wanted.review);
}

Result<std::optional<StagedAct>> MemoryStore::stagedAct(const CommandId& command)
{
    return found(m_db->staged, command);
}

Result<std::vector<StagedAct>> MemoryStore::waitingActs(std::size_t limit)
{
    return sorted<StagedAct>(
        m_db->staged, limit, [](const StagedAct& act) { return isOpen(act.state); }, older);
}

Result<std::vector<StagedAct>> MemoryStore::answeredActs(const CommandId& after, std::size_t limit)
{
    return sorted<StagedAct>(
        m_db->staged, limit, [&](const StagedAct& act) { return !isOpen(act.state) && after < act.command; },
        [](const StagedAct& a, const StagedAct& b) { return a.command < b.command; });
}

Result<std::optional<PolicyRow>> MemoryStore::policy(std::uint64_t version)
{
    const std::uint64_t wanted = version == 0 ? m_db->policies.size() : version;
    if (wanted == 0 || wanted > m_db->policies.size())
        return std::optional<PolicyRow>();
    return std::optional(m_db->policies[wanted - 1]);
}

Result<std::vector<Review>> MemoryStore::reviews(bool closedToo, std::size_t limit)
{
    return sorted<Review>(
        m_db->reviews, limit, [&](const Review& review) { return closedToo || review.open(); },
        [](const Review& a, const Review& b) { return a.openedAt < b.openedAt; });
}

Result<std::vector<StagedAct>> MemoryStore::takeStaged(std::size_t limit)
{
    const TimeMs now = m_db->now();
    return sorted<StagedAct>(
        m_db->staged, limit,
        [&](const StagedAct& act) {
            return act.state == StagedState::Waiting
                || (act.state == StagedState::Proposed && act.expires <= now);
        },
        older);
}

Status MemoryStore::finishStaged(const StagedAct& act)
{
    CAIRN_TRY(mayWrite());
    const auto at = m_db->staged.find(act.command);
    if (at == m_db->staged.end() || at->second.state != StagedState::Waiting
        || act.state < StagedState::Committed || act.state > StagedState::Failed)
        return {};
    at->second.state = act.state;
    at->second.code = act.code;
    at->second.version = act.version;
    at->second.auditSeq = act.auditSeq;
    at->second.outcome = act.outcome;
    at->second.decidedAt = m_db->now();
    return {};
}

Result<std::uint64_t> MemoryStore::forgetStaged(std::size_t limit)
{
    CAIRN_TRY(mayWrite());
    const TimeMs before = m_db->now() - kKeepAnswered;
    std::uint64_t forgotten = 0;
    for (auto at = m_db->staged.begin(); at != m_db->staged.end() && forgotten < limit;) {
        const bool over = !isOpen(at->second.state) && at->second.decidedAt < before;
        at = over ? m_db->staged.erase(at) : std::next(at);
        forgotten += over ? 1 : 0;
    }
    return forgotten;
}

Status MemoryStore::extendActs(std::span<const StagedAct> acts)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkFilled(m_intoFence));
    for (const StagedAct& act : acts)
        m_db->staged.try_emplace(act.command, act);
    return {};
}

Status MemoryStore::extendReviews(std::span<const Review> reviews)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkFilled(m_intoFence));
    for (const Review& review : reviews)
        m_db->reviews.try_emplace(review.command, review);
    return {};
}

Status MemoryStore::extendPolicies(std::span<const PolicyRow> rows)
{
    CAIRN_TRY(mayWrite());
    CAIRN_TRY(checkFilled(m_intoFence));
    for (const PolicyRow& row : rows) {
        if (row.version <= m_db->policies.size())
            continue;
        CAIRN_TRY(checkPolicyRow(m_db->policies.size(), row));
        m_db->policies.push_back(row);
    }
    return {};
}

}  // namespace cairn
