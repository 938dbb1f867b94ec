#include "ui/data/exporter.h"

#include "core/export/audit_log.h"
#include "core/export/export_job.h"
#include "core/base/text.h"
#include "core/query/hidden_fields.h"
#include "core/query/query.h"
#include "core/service/staged.h"
#include "ui/data/auditfilter.h"
#include "ui/data/convert.h"
#include "ui/data/ownacts.h"
#include "ui/data/qtconvert.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(exporter)
};

namespace ex = exporting;

constexpr std::size_t kPage = 500;
constexpr std::size_t kMeasured = 40;  // runs whose payloads are counted; of more it is estimated

ex::ExportFormat formatOf(ExportKind kind)
{
    switch (kind) {
    case ExportKind::Bundle: return ex::ExportFormat::Bundle;
    case ExportKind::CsvHistory: return ex::ExportFormat::CsvHistory;
    case ExportKind::CsvSteps: return ex::ExportFormat::CsvSteps;
    case ExportKind::CsvAudit: return ex::ExportFormat::CsvAudit;
    case ExportKind::Html: return ex::ExportFormat::Html;
    default: break;
    }
    return ex::ExportFormat::Otlp;
}

Error stopped() { return makeError(ErrorKind::Cancelled, "stopped; nothing was left behind"); }

Result<std::vector<RunId>> runsOf(Query& query, const ExportRequest& request, const ExportProgress& progress)
{
    std::vector<RunId> runs = request.runs;
    if (runs.empty()) {
        CAIRN_TRY_ASSIGN(const TimeMs now, query.reader().now());
        const ParsedFilter parsed = parseFilter(core(request.filter), now);
        if (parsed.error)
            return makeError(ErrorKind::InvalidInput, parsed.error->text);
        std::optional<PageKey> after;
        do {
            if (progress.stop)
                return stopped();
            CAIRN_TRY_ASSIGN(
                const RunPage page, query.list(parsed.filter, ListOrder::NewestFirst, after, kPage));
            for (const ListRow& row : page.rows)
                runs.push_back(row.run);
            after = page.next;
        } while (after);
    }
    if (request.tree) {
        CAIRN_TRY(ex::addTrees(query.reader(), runs));
    }
    if (runs.empty())
        return makeError(ErrorKind::NotFound, "no run matches; nothing was written");
    return runs;
}

// Of one run, as the run's page lists them.
Status addPayloads(Query& query, const RunId& run, ExportSize& size)
{
    CAIRN_TRY_ASSIGN(const RunView view, query.run(run));
    CAIRN_TRY_ASSIGN(const auto attempts, query.reader().attempts(run, kNoStep));
    CAIRN_TRY_ASSIGN(const auto effects, query.reader().effectsOfRun(run));
    const RunDetail detail = detailOf(view, attempts, effects);
    std::set<PayloadId> seen;
    const auto add = [&](const std::vector<PayloadLine>& lines) {
        for (const PayloadLine& line : lines)
            if (seen.insert(line.id).second) {
                ++size.payloads;
                size.bytes += line.size;
            }
    };
    add(detail.payloads);
    for (const StepLine& step : detail.steps)
        add(step.payloads);
    return {};
}

// In the store where one may act there, else in the journal.
QString record(const StoreOpening& opening, AuditRow act)
{
    const auto seq = recordOwn(opening, std::move(act), opening.mayAct);
    if (!opening.mayAct)
        return seq ? Words::tr("This store is only looked at: entry %1 of your journal says so.").arg(*seq)
                   : Words::tr("It is on no record: ") + qt(seq.error().text);
    return seq ? Words::tr("Audit entry %1.").arg(*seq)
               : Words::tr("It is not in the store's audit: ") + qt(seq.error().text);
}

// In a guarded store an export is an act.
Status mayExport(const StoreOpening& opening, StoreReader& store, const QString& reason)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, store.info());
    CAIRN_TRY_ASSIGN(const StoreRights rights, store.rights());
    CAIRN_TRY_ASSIGN(const Replica replica, store.replica());
    const QString off = whyNoActs(opening, info, rights, replica);
    if (info.safety == Safety::Guarded && !off.isEmpty())
        return makeError(ErrorKind::NoRight,
            core(Words::tr("in a guarded store an export is an act, and it is off: ") + off));
    if (const auto missing = reasonMissing(info.safety, reasonLength(core(reason))))
        return makeError(ErrorKind::Refused, missing->text);
    return {};
}

Result<ExportDone> writeLog(const StoreOpening& opening, const ExportRequest& request,
    const std::shared_ptr<ExportProgress>& progress)
{
    CAIRN_TRY_ASSIGN(const auto store, opening.open(true));
    CAIRN_TRY(mayExport(opening, *store, request.reason));
    CAIRN_TRY_ASSIGN(const TimeMs now, store->now());
    const AuditFilter filter(core(request.filter), now);
    if (!filter.state().valid)
        return makeError(ErrorKind::InvalidInput, core(filter.state().text));
    ex::AuditLogOrder order;
    order.format =
        request.kind == ExportKind::AuditTable ? ex::AuditLogFormat::Csv : ex::AuditLogFormat::JsonLines;
    order.path = core(request.path);
    order.filter = core(request.filter);
    if (!request.filter.trimmed().isEmpty())
        order.takes = [&filter](const AuditRow& row, const audit::SecondPerson& second) {
            return filter.takes(row, second);
        };
    order.stopped = [progress] { return progress->stop.load(); };
    order.tell = [progress](std::uint64_t looked, std::uint64_t inAll, std::uint64_t bytes) {
        progress->runs = looked;
        progress->runsInAll = inAll;
        progress->bytes = bytes;
    };
    CAIRN_TRY_ASSIGN(const ex::AuditLogReport report, ex::writeAuditLog(*store, order));
    ExportDone done;
    done.path = request.path;
    done.size = report.size;
    done.entries = report.entries;
    SystemRng rng;
    done.recorded =
        record(opening, ex::auditLogAct(ownAct(opening, request.reason), order, report, now, rng));
    return done;
}

}  // namespace

Result<ExportSize> measureExport(const StoreOpening& opening, const ExportRequest& request,
    const std::shared_ptr<ExportProgress>& progress)
{
    CAIRN_TRY_ASSIGN(const auto store, opening.open(true));
    if (isOfAudit(request.kind)) {
        CAIRN_TRY_ASSIGN(const AuditEnd end, store->auditEnd());
        ExportSize size;
        size.entries = end.seq;
        return size;
    }
    SystemClock clock;
    Query query(*store, clock);
    CAIRN_TRY_ASSIGN(const std::vector<RunId> runs, runsOf(query, request, *progress));
    ExportSize size;
    size.runs = runs.size();
    for (std::size_t at = 0; at < runs.size(); at += kPage) {
        if (progress->stop)
            return stopped();
        const std::size_t count = std::min(kPage, runs.size() - at);
        CAIRN_TRY_ASSIGN(const auto rows, query.rows(std::span(runs).subspan(at, count)));
        for (const ListRow& row : rows)
            size.entries += row.version;
    }
    const std::size_t measured = std::min(runs.size(), kMeasured);
    for (std::size_t i = 0; i < measured; ++i) {
        if (progress->stop)
            return stopped();
        CAIRN_TRY(addPayloads(query, runs[i], size));
    }
    if (measured < runs.size()) {
        size.estimated = true;
        size.payloads = size.payloads * runs.size() / measured;
        size.bytes = size.bytes * runs.size() / measured;
    }
    if (request.redact)
        size.bytes = 0;
    return size;
}

Result<ExportDone> writeExport(const StoreOpening& opening, const ExportRequest& request,
    const std::shared_ptr<ExportProgress>& progress)
{
    if (isOfAudit(request.kind))
        return writeLog(opening, request, progress);
    CAIRN_TRY_ASSIGN(auto opened, opening.open(true));
    const auto store = std::make_unique<HidingStore>(std::move(opened));
    SystemClock clock;
    // A bundle has what is stored, with hashes that fit; in what people read hidden fields stay hidden.
    const bool bundle = request.kind == ExportKind::Bundle;
    Query query(bundle ? store->stored() : *store, clock);
    CAIRN_TRY(mayExport(opening, *store, request.reason));
    ex::ExportOrder order;
    order.format = formatOf(request.kind);
    CAIRN_TRY_ASSIGN(order.runs, runsOf(query, request, *progress));
    order.path = core(request.path);
    order.options.redact = request.redact;
    order.options.tool = "cairn-console";
    order.options.exporter = core(opening.person);
    order.options.filter = core(request.filter);
    order.options.stopped = [progress] { return progress->stop.load(); };
    progress->runsInAll = order.runs.size();
    order.options.tell = [progress](const ex::BundleProgress& now) {
        progress->runs = now.runs;
        progress->bytes = now.bytes;
    };
    if (!request.keyFile.isEmpty()) {
        CAIRN_TRY_ASSIGN(const SigningKey key, readKey(core(request.keyFile)));
        order.options.signHeads = ex::signWith(key);
    }
    CAIRN_TRY_ASSIGN(const ex::BundleReport report, ex::writeExport(query, order));
    ExportDone done{request.path, report.size, report.counts.runs, 0, report.counts.withheld, {}, {}};
    for (const std::string& note : report.notes)
        done.notes << qt(note);
    SystemRng rng;
    done.recorded =
        record(opening, ex::exportAct(ownAct(opening, request.reason), order, clock.wallMs(), rng));
    return done;
}

}  // namespace cairn::ui
