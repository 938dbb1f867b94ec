#pragma once
// How entries are added to the audit's chain.

#include "core/store/postgres/db.h"
#include "core/store/agreement.h"

namespace cairn::postgres {

// The chain's end, locked by LockAuditHead in the open transaction.
struct AuditHead {
    std::uint64_t seq = 0;
    Digest hash;
};
// Fills in number, previous hash and hash; `head` moves on.
void chain(AuditRow& row, AuditHead& head);
// What goes along with an entry (AuditRow::with). Before the entry, which may name who it is about.
void addChange(Batch& batch, const StoreChange& change, std::uint64_t seq);
// Refused: the act, whose row was locked (Sql::LockStaged), does not wait to be carried out any more.
[[nodiscard]] Status checkLeft(Rows& locked, const CommandId& act);
// Adds the sealed rows to the batch, each after what goes along with it.
void addAudit(Batch& batch, const std::vector<AuditRow>& rows);

}  // namespace cairn::postgres
