#pragma once
// Acts of the operator that change nothing in a run, like an export: on record in the store where one may act
// there, else in the operator's own journal. Any thread; blocks.

#include "core/store/rows.h"
#include "ui/data/storesession.h"

namespace cairn::ui {

// Who acts, where and why; the rest is the act's.
[[nodiscard]] AuditRow ownAct(const StoreOpening& opening, const QString& reason);
// Gives the entry's number. In the store it gets the store's time, and the login where it has none.
[[nodiscard]] Result<std::uint64_t> recordOwn(const StoreOpening& opening, AuditRow act, bool inStore);

}  // namespace cairn::ui
