// What a move to another place needs of either store: the fence, the audit as it is, what cannot be moved.

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

Result<std::vector<std::string>> SqliteStore::unmovable()
{
    std::vector<std::string> found;
    const auto look = [&](Sql id, const char* what) -> Status {
        Query query(db(), id);
        CAIRN_TRY_ASSIGN(const bool row, query.step());
        if (!row)
            return {};
        std::string run;
        query.read(run);
        found.push_back((id == Sql::OpenPlan ? "plan " : "run ") + run + what);
        return {};
    };
    CAIRN_TRY(look(Sql::RedactedRun, " has a redacted payload"));
    CAIRN_TRY(look(Sql::OpenPlan, " is not finished: let it end, or abort it"));
    CAIRN_TRY(look(Sql::DeletedRun, " was deleted, and its tombstone has to stay"));
    CAIRN_TRY_ASSIGN(const std::vector<Review> open, reviews(false, 1));
    if (!open.empty())
        found.push_back("the review of act " + toText(open.front().command)
            + ", which was done by break-glass, is open: close it first (`cairn audit review`)");
    return found;
}

Status SqliteStore::extendAudit(std::span<const AuditRow> rows)
{
    CAIRN_TRY(checkFilled(m_intoFence));
    return write([&](const WriteContext&) -> Status {
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        for (const AuditRow& row : rows) {
            CAIRN_TRY(checkAuditLink(row, head.seq, head.hash));
            CAIRN_TRY(insertAudit(db(), row, head));
        }
        return {};
    });
}

Status SqliteStore::changeFenceIn(const FenceChange& change, const WriteContext& context)
{
    CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
    CAIRN_TRY(checkFenceChange(change, context.numbers.minWriter, head.hash));
    if (change.withoutEngines) {
        Query living(db(), Sql::LivingSession);
        CAIRN_TRY_ASSIGN(const bool some, living.bind(context.now).step());
        if (some) {
            std::string name, host;
            std::int64_t pid = 0;
            living.read(name, host, pid);
            return engineLives(name, host, pid);
        }
    }
    if (change.audit)
        CAIRN_TRY(insertAudit(db(), *change.audit, head));
    return Query(db(), Sql::SetMinWriter).bind(change.to).run();
}

Status SqliteStore::changeFence(const FenceChange& change)
{
    if (change.audit)
        CAIRN_TRY(checkAudit(*change.audit));
    m_changingFence = true;
    m_connection->allow({.fence = true});
    const Status status = write([&](const WriteContext& context) { return changeFenceIn(change, context); });
    m_connection->allow({});
    m_changingFence = false;
    return status;
}

}  // namespace cairn::sqlite
