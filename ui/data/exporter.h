#pragma once
// Exports of the console, on connections of their own, so that lists go on meanwhile. Blocks; nothing is left
// behind where one is stopped.

#include "ui/data/exportvalues.h"
#include "ui/data/storesession.h"

namespace cairn::ui {

[[nodiscard]] Result<ExportSize> measureExport(const StoreOpening& opening, const ExportRequest& request,
    const std::shared_ptr<ExportProgress>& progress);
// The act goes into the store's audit. A store that is only looked at has it in this operator's own journal
// instead; a guarded one refuses whoever may not write there. NotFound: no run matches.
[[nodiscard]] Result<ExportDone> writeExport(const StoreOpening& opening, const ExportRequest& request,
    const std::shared_ptr<ExportProgress>& progress);

}  // namespace cairn::ui
