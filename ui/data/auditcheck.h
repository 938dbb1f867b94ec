#pragma once
// `cairn audit verify` for the console: both chains, every checkpoint, and what this client verified before.

#include "ui/data/auditvalues.h"
#include "ui/data/storesession.h"

namespace cairn::ui {

// Blocks; on a connection of its own, so that lists go on meanwhile. Damage is an answer, not an error.
// Cancelled where progress->stop was set.
[[nodiscard]] Result<AuditVerdict> checkAudit(
    const StoreOpening& opening, const std::shared_ptr<CheckProgress>& progress);

}  // namespace cairn::ui
