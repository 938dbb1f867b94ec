#pragma once
// What the files of the PostgreSQL store share beside the store itself: connecting, rows that are read in
// several places, and what is asked before a store is changed as a whole.

#include "core/store/postgres/audit_head.h"
#include "core/store/postgres/db.h"
#include "core/store/store.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn::postgres {

[[nodiscard]] Result<std::unique_ptr<Db>> makeDb(const std::string& url, const Session& session,
    const std::shared_ptr<LoginPasswords>& passwords = nullptr);
// Why a writer is refused by a standby, and where it should go.
[[nodiscard]] Error standbyRefusal(Db& db);
// The same, where a connection for writing was not made because the server is one; else the error as it is.
[[nodiscard]] Error whyNotOpened(
    const std::string& url, Error error, const std::shared_ptr<LoginPasswords>& passwords);
[[nodiscard]] Error noRun(const RunId& run);
// An engine whose lease has not passed, by the store's clock: the store is not changed as a whole while one
// lives. Asked in the transaction that would change it, under the lock of writers, taken alone.
struct LivingEngine {
    std::string name;
    std::string host;
    std::int64_t pid = 0;
};
[[nodiscard]] Result<std::optional<LivingEngine>> livingEngine(Db& db);
void readHot(Rows& rows, HotRow& row);
void readIdentity(Rows& rows, RunRow& row);
void readStep(Rows& rows, StepRow& row);
void readAttempt(Rows& rows, const RunId& run, AttemptRow& row);
void readApproval(Rows& rows, ApprovalRow& row);
void readAttribute(Rows& rows, AttributeRow& row);
// From the answers to IdentityOf, HotOf and Entries (from the one before `first` on). Corrupt where one is
// missing.
[[nodiscard]] Result<LoadedRun> readRun(
    std::span<Rows, 3> answers, const RunId& run, std::uint64_t first, std::uint64_t most);
void readListRow(Rows& rows, ListRow& row);
void readEffect(Rows& rows, EffectRow& row);
void readAudit(Rows& rows, AuditRow& row);

}  // namespace cairn::postgres
