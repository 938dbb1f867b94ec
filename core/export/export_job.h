#pragma once
// One export, whichever format it has: used by command line and console alike. One thread; all calls block.

#include "core/export/bundle.h"
#include "core/query/query.h"

namespace cairn::exporting {

enum class ExportFormat : std::uint8_t { Bundle, CsvHistory, CsvSteps, CsvAudit, Html, Otlp };
[[nodiscard]] std::string_view formatKey(ExportFormat format);  // bundle, csv, html, otlp

struct ExportOrder {
    ExportFormat format = ExportFormat::Bundle;
    std::vector<RunId> runs;
    std::string path;       // a new file
    BundleOptions options;  // redact and signHeads are for bundles only
};
// As writeBundle(): whatever happens, there is a whole file or none. Of another format than a bundle `tell`
// is told the bytes written. InvalidInput: redact or a signature where the format has none. Refused: the file
// is there. Cancelled.
[[nodiscard]] Result<BundleReport> writeExport(Query& query, const ExportOrder& order);

// Adds the runs that these started, each after its parent.
[[nodiscard]] Status addTrees(StoreReader& store, std::vector<RunId>& runs);

// The act that says that runs left the store, for its audit. `who` has person, host, login and reason.
[[nodiscard]] AuditRow exportAct(AuditRow who, const ExportOrder& order, TimeMs now, Rng& rng);

}  // namespace cairn::exporting
