#include "core/export/export_job.h"

#include "core/base/counted.h"
#include "core/export/output_file.h"
#include "core/export/views.h"

#include <set>

namespace cairn::exporting {

namespace {

Status writeView(Query& query, const ExportOrder& order, const Sink& sink)
{
    const std::string title = order.runs.size() == 1 ? std::string("Report on a run")
                                                     : "Report on " + counted(order.runs.size(), "run");
    switch (order.format) {
    case ExportFormat::Html:
        return writeHtml(query, order.runs, {title, order.options.tool, order.options.exporter}, sink);
    case ExportFormat::Otlp: return writeOtlp(query, order.runs, order.options.tool, sink);
    case ExportFormat::CsvSteps: return writeCsv(query, order.runs, CsvTable::Steps, sink);
    case ExportFormat::CsvAudit: return writeCsv(query, order.runs, CsvTable::Audit, sink);
    default: return writeCsv(query, order.runs, CsvTable::History, sink);
    }
}

}  // namespace

std::string_view formatKey(ExportFormat format)
{
    switch (format) {
    case ExportFormat::Bundle: return "bundle";
    case ExportFormat::Html: return "html";
    case ExportFormat::Otlp: return "otlp";
    default: return "csv";
    }
}

Result<BundleReport> writeExport(Query& query, const ExportOrder& order)
{
    if (order.format == ExportFormat::Bundle)
        return writeBundle(query.reader(), order.runs, order.path, order.options);
    if (order.options.redact || order.options.signHeads)
        return makeError(ErrorKind::InvalidInput,
            "payloads are left out of, and heads are signed in, bundles only: choose a bundle, or neither");
    CAIRN_TRY_ASSIGN(const auto out, OutputFile::create(order.path));
    const Sink sink = [&](std::string_view text) -> Status {
        if (order.options.stopped())
            return makeError(ErrorKind::Cancelled, "stopped; nothing was left behind");
        CAIRN_TRY(out->write(text));
        order.options.tell({0, order.runs.size(), out->size()});
        return {};
    };
    CAIRN_TRY(writeView(query, order, sink));
    CAIRN_TRY(out->finish());
    BundleReport report;
    report.size = out->size();
    report.counts.runs = order.runs.size();
    report.counts.files = 1;
    if (formatKey(order.format) == "csv")
        report.notes.emplace_back(kCsvRule);
    return report;
}

Status addTrees(StoreReader& store, std::vector<RunId>& runs)
{
    std::set<RunId> known(runs.begin(), runs.end());
    for (std::size_t at = 0; at < runs.size(); ++at) {
        CAIRN_TRY_ASSIGN(const auto children, store.children(runs[at]));
        for (const RunId& child : children)
            if (known.insert(child).second)
                runs.push_back(child);
    }
    return {};
}

AuditRow exportAct(AuditRow who, const ExportOrder& order, TimeMs now, Rng& rng)
{
    who.time = now;
    who.kind = "applied";
    who.verb = Verb::ExportRuns;
    who.target = formatKey(order.format);
    who.command = makeId<CommandId>(now, rng);
    who.before = "{}";
    who.after = "{\"first\":\"" + (order.runs.empty() ? std::string() : toText(order.runs.front()))
        + "\",\"redacted\":" + (order.options.redact ? "true" : "false")
        + ",\"runs\":" + std::to_string(order.runs.size()) + "}";
    if (order.runs.size() == 1)
        who.run = order.runs.front();
    return who;
}

}  // namespace cairn::exporting
