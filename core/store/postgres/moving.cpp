// What a move to another place needs of either store: the fence, the audit as it is.

#include "core/store/postgres/roles.h"
#include "core/store/postgres/store_impl.h"

namespace cairn::postgres {

Result<std::optional<LivingEngine>> livingEngine(Db& db)
{
    CAIRN_TRY_ASSIGN(Rows clock, db.query(Sql::Now));
    TimeMs now = kNoTime;
    if (clock.next())
        clock.read(now);
    CAIRN_TRY_ASSIGN(Rows living, db.query(Sql::LivingSession, now));
    if (!living.next())
        return std::optional<LivingEngine>();
    LivingEngine engine;
    living.read(engine.name, engine.host, engine.pid);
    return std::optional(std::move(engine));
}

Status PostgresStore::extendAudit(std::span<const AuditRow> rows)
{
    CAIRN_TRY(checkFilled(m_options.intoFence));
    return write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockAuditHead);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        AuditHead head;
        if (!answers[0].next())
            return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
        answers[0].read(head.seq, head.hash);
        for (const AuditRow& row : rows) {
            CAIRN_TRY(checkAuditLink(row, head.seq, head.hash));
            head = {row.seq, row.hash};
        }
        addAudit(transaction.last(), {rows.begin(), rows.end()});
        return {};
    });
}

// As a migration does it: alone, so that no writer that has seen the old number is still under way.
Status PostgresStore::changeFenceOnce(const FenceChange& change)
{
    CAIRN_TRY(ready());
    Transaction transaction(*m_db);  // rolls back where it is left early
    CAIRN_TRY(m_db->query(Sql::Begin));
    CAIRN_TRY(m_db->query(Sql::LockMigrating));
    CAIRN_TRY_ASSIGN(const bool roles, hasRoles(*m_db));
    if (roles)
        CAIRN_TRY(becomeOwner(*m_db));
    CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(*m_db));
    CAIRN_TRY_ASSIGN(Rows locked, m_db->query(Sql::LockAuditHead));
    AuditHead head;
    if (!locked.next())
        return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
    locked.read(head.seq, head.hash);
    CAIRN_TRY(checkFenceChange(change, numbers.minWriter, head.hash));
    if (change.withoutEngines) {
        CAIRN_TRY_ASSIGN(const auto living, livingEngine(*m_db));
        if (living)
            return engineLives(living->name, living->host, living->pid);
        CAIRN_TRY_ASSIGN(const Rows waiting, m_db->query(Sql::WaitingActs, 1));
        if (waiting.count() > 0)
            return makeError(ErrorKind::Refused,
                "an act that was left for an engine still waits (`cairn acts`): let one carry it out first");
    }
    if (change.audit) {
        AuditRow row = *change.audit;
        chain(row, head);
        addAudit(transaction.last(), {row});
    }
    transaction.last().add(Sql::SetMinWriter, change.to);
    CAIRN_TRY(transaction.commit());
    return {};
}

Status PostgresStore::changeFence(const FenceChange& change)
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    if (change.audit)
        CAIRN_TRY(checkAudit(*change.audit));
    for (Retrying retrying;;) {
        const Status status = changeFenceOnce(change);
        if (status || !retrying.again(status.error().kind, false))
            return status;
    }
}

}  // namespace cairn::postgres
