#include "core/export/audit_log.h"

#include "core/base/text.h"
#include "core/export/output_file.h"
#include "core/export/rows_json.h"
#include "core/export/views.h"

namespace cairn::exporting {

namespace {

constexpr std::size_t kPage = 1000;

}  // namespace

Result<AuditLogReport> writeAuditLog(StoreReader& store, const AuditLogOrder& order)
{
    CAIRN_TRY_ASSIGN(const auto out, OutputFile::create(order.path));
    const Sink sink = [&](std::string_view text) { return out->write(text); };
    CAIRN_TRY_ASSIGN(const AuditEnd end, store.auditEnd());
    const bool csv = order.format == AuditLogFormat::Csv;
    if (csv)
        CAIRN_TRY(sink(kAuditCsvHead));
    audit::SecondPeople seconds(store);
    AuditLogReport report;
    while (report.looked < end.seq) {
        if (order.stopped())
            return makeError(ErrorKind::Cancelled, "stopped; nothing was left behind");
        CAIRN_TRY_ASSIGN(const auto rows,
            store.audit(report.looked, std::min<std::uint64_t>(kPage, end.seq - report.looked)));
        if (rows.empty())
            break;
        for (const AuditRow& row : rows) {
            report.looked = row.seq;
            audit::SecondPerson second;
            if (csv || order.takes) {
                CAIRN_TRY_ASSIGN(second, seconds.of(row));
            }
            if (order.takes && !order.takes(row, second))
                continue;
            ++report.entries;
            CAIRN_TRY(csv ? auditCsvRow(row, second, sink) : sink(toJson(row) + "\n"));
        }
        order.tell(report.looked, end.seq, out->size());
    }
    CAIRN_TRY(out->finish());
    report.size = out->size();
    return report;
}

AuditRow auditLogAct(
    AuditRow who, const AuditLogOrder& order, const AuditLogReport& report, TimeMs now, Rng& rng)
{
    who.time = now;
    who.kind = "applied";
    who.verb = Verb::ExportRuns;
    who.target = order.format == AuditLogFormat::Csv ? "audit log, csv" : "audit log";
    who.command = makeId<CommandId>(now, rng);
    who.before = "{}";
    who.after = "{\"entries\":" + std::to_string(report.entries) + ",\"filter\":";
    appendJsonString(who.after, order.filter);
    who.after += ",\"up_to\":" + std::to_string(report.looked) + "}";
    return who;
}

}  // namespace cairn::exporting
