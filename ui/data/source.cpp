#include "ui/data/source.h"

namespace cairn::ui {

Source::~Source() = default;

QString told(const Failure& failure)
{
    QStringList parts{failure.what, failure.state, failure.todo};
    if (!failure.code.isEmpty())
        parts << QCoreApplication::translate("Source", "Code: %1.").arg(failure.code);
    parts.removeAll(QString());
    for (QString& part : parts)  // texts of core end without a stop where nothing follows them
        if (&part != &parts.last() && !part.isEmpty() && part.back().isLetterOrNumber())
            part += u'.';
    return parts.join(u' ');
}

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
QFuture<Reply<QString>> Source::reveal(const RunId&, const PayloadLine&, const QString&)
{
    return notOffered<QString>();
}
QFuture<Reply<AuditSlice>> Source::audit(const AuditRequest&) { return notOffered<AuditSlice>(); }
QFuture<Reply<AuditDays>> Source::auditDays(quint64) { return notOffered<AuditDays>(); }
QFuture<Reply<AuditVerdict>> Source::checkAudit(std::shared_ptr<CheckProgress>)
{
    return notOffered<AuditVerdict>();
}

QFuture<Reply<std::vector<VerbLine>>> Source::stepActs(const RunId&, quint32)
{
    return notOffered<std::vector<VerbLine>>();
}
QFuture<Reply<std::vector<Fact>>> Source::versions(const RunId&) { return notOffered<std::vector<Fact>>(); }
QFuture<Reply<PlanEntries>> Source::plans(bool) { return notOffered<PlanEntries>(); }
QFuture<Reply<PlanView>> Source::plan(const PlanEntry&, int) { return notOffered<PlanView>(); }
QFuture<Reply<PlanForecast>> Source::previewPlan(const PlanRequest&) { return notOffered<PlanForecast>(); }
QFuture<Reply<ActResult>> Source::stagePlan(const QString&, const QString&)
{
    return notOffered<ActResult>();
}
QFuture<Reply<PlanForecast>> Source::previewEntry(const PlanEntry&) { return notOffered<PlanForecast>(); }
QFuture<Reply<ActResult>> Source::order(const PlanOrderRequest&) { return notOffered<ActResult>(); }

}  // namespace cairn::ui
