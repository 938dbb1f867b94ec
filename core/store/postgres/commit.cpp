#include "core/store/postgres/group_commit.h"

#include "core/base/failpoint.h"

#include <algorithm>

namespace cairn::postgres {

namespace {

// One transaction holds at most so much: its runs' rows are locked while it is written.
constexpr std::size_t kMembersAtOnce = 256;
constexpr std::size_t kBytesAtOnce = std::size_t{8} * 1024 * 1024;
constexpr int kRaces = 5;
constexpr int kUnknowns = 8;

std::size_t weight(const CommitMember& member)
{
    std::size_t bytes = 500 + member.entry.body.size() + 200 * member.steps.size();
    for (const PayloadRow& p : member.payloads)
        bytes += p.bytes.size();
    return bytes;
}

std::size_t fitting(std::span<const CommitMember> members)
{
    std::size_t count = 0, bytes = 0;
    while (count < members.size() && count < kMembersAtOnce) {
        bytes += weight(members[count]);
        if (count > 0 && bytes > kBytesAtOnce)
            break;
        ++count;
    }
    return count;
}

// Found by another transaction's commit between our look and our write: with a new snapshot it is seen.
bool isRace(const std::string& constraint)
{
    static constexpr std::string_view kRacing[] = {"runs_pkey", "runs_key", "run_hot_pkey", "entries_pkey",
        "entries_command", "effects_pkey", "run_list_pkey"};
    return std::find(std::begin(kRacing), std::end(kRacing), constraint) != std::end(kRacing);
}

}  // namespace

// One transaction.
Status PostgresStore::commitPart(std::span<const CommitMember> members, std::span<MemberResult> results)
{
    HintSet what = hint::kNone;
    Status status = write([&](Transaction& transaction) -> Status {
        GroupCommit group(members, results);
        CAIRN_TRY_ASSIGN(const bool any, group.run(transaction));
        what = any ? group.hints() : hint::kNone;
        if (!any)
            m_db->rollback();
        return {};
    });
    hint(status, what);
    return status;
}

// A race is decided again. Where a member may be to blame, the group is halved until that one stands alone;
// the halves are transactions of their own. `done`: how many have their result.
Status PostgresStore::commitHalved(
    std::span<const CommitMember> members, std::span<MemberResult> results, std::size_t& done)
{
    Status status = commitPart(members, results);
    for (int race = 1;
         !status && m_db->verdict().concernsMember && isRace(m_db->constraint()) && race < kRaces; ++race)
        status = commitPart(members, results);
    if (status) {
        done += members.size();
        return {};
    }
    const ErrorKind kind = status.error().kind;
    const bool member = m_db->verdict().concernsMember
        && (kind == ErrorKind::Internal || kind == ErrorKind::InvalidInput || kind == ErrorKind::Refused
            || kind == ErrorKind::NoRight);
    if (!member || m_db->poisoned() || status.error().native == 0)  // 0: not the database said so
        return status;
    if (members.size() == 1) {
        results.front() = {};
        results.front().kind = MemberResult::Kind::Failed;
        results.front().error = status.error();
        ++done;
        return {};
    }
    const std::size_t half = members.size() / 2;
    CAIRN_TRY(commitHalved(members.first(half), results.first(half), done));
    return commitHalved(members.subspan(half), results.subspan(half), done);
}

Status PostgresStore::commit(std::span<const CommitMember> members, std::vector<MemberResult>& results)
{
    results.assign(members.size(), {});
    const std::span all(results);
    std::size_t done = 0;
    int unknown = 0;
    while (done < members.size()) {
        const std::size_t begin = done;
        const std::size_t count = fitting(members.subspan(begin));
        const Status status = commitHalved(members.subspan(begin, count), all.subspan(begin, count), done);
        if (!status && done == 0) {
            results.clear();
            return status;
        }
        // Of a later part: the same commands again say what has become of them.
        if (!status && status.error().kind == ErrorKind::OutcomeUnknown && ++unknown < kUnknowns)
            continue;
        if (!status) {  // an earlier part is committed: the error belongs to the members that are not
            for (auto at = done; at < members.size(); ++at) {
                results[at] = {};
                results[at].kind = MemberResult::Kind::Failed;
                results[at].error = status.error();
            }
            return {};
        }
    }
    return {};
}

}  // namespace cairn::postgres
