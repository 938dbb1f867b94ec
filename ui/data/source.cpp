#include "ui/data/source.h"

namespace cairn::ui {

Source::~Source() = default;

QFuture<Reply<ReportView>> Source::report(int) { return notOffered<ReportView>(); }
QFuture<Reply<Overview>> Source::watch() { return notOffered<Overview>(); }
QFuture<Reply<FilterHelp>> Source::filterHelp(const FilterQuestion&) { return notOffered<FilterHelp>(); }
QFuture<Reply<FilterCounts>> Source::countFilters(const QStringList&) { return notOffered<FilterCounts>(); }
QFuture<Reply<ExportSize>> Source::measureExport(const ExportRequest&, std::shared_ptr<ExportProgress>)
{
    return notOffered<ExportSize>();
}
QFuture<Reply<ExportDone>> Source::writeExport(const ExportRequest&, std::shared_ptr<ExportProgress>)
{
    return notOffered<ExportDone>();
}
QFuture<Reply<AuditSlice>> Source::audit(const AuditRequest&) { return notOffered<AuditSlice>(); }
QFuture<Reply<AuditVerdict>> Source::checkAudit(std::shared_ptr<CheckProgress>)
{
    return notOffered<AuditVerdict>();
}

}  // namespace cairn::ui
