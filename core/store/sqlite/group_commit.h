#pragma once
// The members of one group in one transaction. What is refused is found before anything of it is written. An
// unexpected error is rare: the group is tried without savepoints first, and where a member then fails, all
// is rolled back and written again with a savepoint for each, so that the others go through. New rows of the
// first try are kept until many can be written at once (row_batch); of the second each is written at once.

#include "core/store/sqlite/row_batch.h"

#include <map>

namespace cairn::sqlite {

class GroupCommit {
public:
    GroupCommit(Db& db, const WriteContext& context, bool savepoints)
        : m_db(db)
        , m_context(context)
        , m_savepoints(savepoints)
        , m_batch(db)
    {
    }

    // An error ends the whole transaction; what concerns the member alone is in `result`. Without savepoints
    // an error may be that of the member alone, or of one before it. `checked`: what checkContent() said. The
    // member must outlive the group.
    [[nodiscard]] Status member(const CommitMember& member, const Status& checked, MemberResult& result);
    // Before COMMIT: writes what the group kept in memory. Errors as of member().
    [[nodiscard]] Status finish();

private:
    using Kind = MemberResult::Kind;

    // True: may go on; false: `result` says why not.
    [[nodiscard]] Result<bool> admit(
        const CommitMember& member, const Status& checked, HotRow& hot, MemberResult& result);
    [[nodiscard]] Result<bool> admitCreate(const CommitMember& member, MemberResult& result);
    [[nodiscard]] Result<bool> ancestorsFit(const CommitMember& member);
    [[nodiscard]] Result<bool> admitChange(const CommitMember& member, HotRow& hot, MemberResult& result);
    [[nodiscard]] Result<bool> stillWaits(const CommitMember& member, MemberResult& result);
    [[nodiscard]] Result<bool> admitRows(const CommitMember& member, MemberResult& result);
    [[nodiscard]] Result<bool> findDuplicate(const CommitMember& member, MemberResult& result);
    [[nodiscard]] Result<bool> sessionOpen(const SessionId& session);

    [[nodiscard]] Status write(const CommitMember& member, const HotRow& hot, MemberResult& result);
    [[nodiscard]] Status writeAlone(const CommitMember& member, const HotRow& hot, MemberResult& result);
    [[nodiscard]] Status writeHead(const CommitMember& member, const HotRow& hot, MemberResult& result);
    [[nodiscard]] Status writeIdentity(const CommitMember& member);
    [[nodiscard]] Status writeList(const CommitMember& member);
    [[nodiscard]] Status writeSteps(const CommitMember& member);
    [[nodiscard]] Status writeStep(const CommitMember& member, const StepRow& s);
    [[nodiscard]] Status writeAttempt(const CommitMember& member, const AttemptRow& a);
    template<typename Row> [[nodiscard]] Status runWith(Sql id, const RunId& run, const Row& row);
    [[nodiscard]] Status writeOthers(const CommitMember& member);
    [[nodiscard]] Status writePayloads(const CommitMember& member);
    [[nodiscard]] Status writeRedactions(const CommitMember& member);
    [[nodiscard]] Status writeEffects(const CommitMember& member);
    [[nodiscard]] Status writeMessages(const CommitMember& member);
    [[nodiscard]] Status wake(const CommitMember& member, const EffectId& effect, std::uint32_t& number);
    [[nodiscard]] Result<std::uint64_t> nextChange();

    Db& m_db;
    const WriteContext& m_context;
    const bool m_savepoints;
    RowBatch m_batch;
    std::uint64_t m_change = 0;  // 0: not read yet
    std::optional<AuditHead> m_audit;
    std::map<SessionId, bool> m_sessions;
};

}  // namespace cairn::sqlite
