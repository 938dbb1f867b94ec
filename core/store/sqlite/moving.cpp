// What a move to another place needs of either store: the fence, the audit as it is.

#include "core/store/sqlite/store_impl.h"

namespace cairn::sqlite {

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
