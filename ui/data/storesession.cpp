#include "ui/data/storesession.h"

#include "ui/data/actsession.h"
#include "ui/data/auditcheck.h"
#include "ui/data/exporter.h"
#include "ui/data/jobs.h"
#include "ui/data/readworld.h"

#include <utility>

namespace cairn::ui {

namespace {
// Requests of one kind supersede one another; what must not be lost has no slot.
enum Slot : int {
    NoSlot = -1,
    OverviewSlot,
    RunsSlot,
    LinesSlot,
    ChangesSlot,
    WhySlot,
    RunSlotNumber,
    HistorySlot,
    PayloadSlot,
    PreviewSlot,
    HelpSlot,
    CountsSlot,
    AuditSlot,
    WatchSlot,
    ReportSlot,
    RunAtSlot,
    CompareSlot,
    ContextSlot,
    PartSlot,
    PlansSlot,
    PlanSlot,
    DraftSlot,
};
}  // namespace

struct StoreSession::Reading {
    explicit Reading(std::shared_ptr<const StoreOpening> opening)
        : jobs(std::move(opening))
    {
    }
    Jobs<ReadWorld> jobs;
};

// Long work beside the reading thread, on connections of its own. Each is stopped when this ends.
struct StoreSession::Aside {
    struct World {
        [[nodiscard]] static Status open() { return {}; }
    };
    ~Aside()
    {
        for (const auto& stop : stops)
            stop();
    }
    std::vector<std::function<void()>> stops;
    Jobs<World> jobs;
};

struct StoreSession::Acting {
    explicit Acting(std::shared_ptr<const StoreOpening> opening)
        : jobs(std::move(opening))
    {
    }
    Jobs<ActSession> jobs;
};

StoreSession::StoreSession(StoreOpening opening, QObject* parent)
    : Source(parent)
    , m_opening(std::make_shared<const StoreOpening>(std::move(opening)))
    , m_reading(std::make_unique<Reading>(m_opening))
    , m_acting(std::make_unique<Acting>(m_opening))
{
    // The connection lives until the thread has been joined, so the pointer that interrupt uses stays good.
    m_reading->jobs.onWorld([this](ReadWorld& world) {
        world.onOpened([this](StoreReader& reader) {
            m_reading->jobs.thread().setInterrupt([&reader] { reader.interrupt(); });
        });
    });
    if (m_opening->openHints)
        listen();
}

StoreSession::~StoreSession()
{
    if (m_opening->passwords)
        m_opening->passwords->giveUp();  // before anything is joined that may wait for the keychain
    m_hints.reset();
}

void StoreSession::listen()
{
    HintOptions options;
    options.wake = [this] {
        QMetaObject::invokeMethod(
            this, [this] { hear(); }, Qt::QueuedConnection);
    };
    auto link = m_opening->openHints(options);
    if (!link) {
        m_hearing = Hearing::Deaf;
        m_deafness = qt(link.error().text);
    } else {
        m_hints = std::move(*link);
    }
    // Whoever wants to know connects first.
    QMetaObject::invokeMethod(
        this, [this] { hear(); }, Qt::QueuedConnection);
}

// What the link knows; neither call waits for anything.
void StoreSession::hear()
{
    if (m_hints) {
        const HintHealth health = m_hints->health();
        m_hearing = health.state == HintHealth::State::Listening ? Hearing::Listening
            : health.state == HintHealth::State::Deaf            ? Hearing::Deaf
                                                                 : Hearing::Beginning;
        m_deafness = qt(health.why);
        // A link that healed before anybody looked was deaf all the same: both are told, in their order.
        if (std::exchange(m_breaks, health.breaks) < health.breaks && m_hearing != Hearing::Deaf)
            Q_EMIT hearingChanged(Hearing::Deaf, m_deafness);
    }
    Q_EMIT hearingChanged(m_hearing, m_deafness);
    if (m_hints && m_hints->take() != hint::kNone)
        Q_EMIT hinted();
}

QFuture<Reply<StoreFacts>> StoreSession::facts()
{
    return m_reading->jobs.ask<StoreFacts>(NoSlot, [](ReadWorld& w) { return w.facts(); });
}

QFuture<Reply<Overview>> StoreSession::overview(const QString& filter)
{
    return m_reading->jobs.ask<Overview>(OverviewSlot, [filter](ReadWorld& w) { return w.overview(filter); });
}

QFuture<Reply<RunSlice>> StoreSession::runs(const SliceRequest& request)
{
    return m_reading->jobs.ask<RunSlice>(RunsSlot, [request](ReadWorld& w) { return w.runs(request); });
}

QFuture<Reply<std::vector<RunLine>>> StoreSession::lines(const std::vector<RunId>& runs)
{
    return m_reading->jobs.ask<std::vector<RunLine>>(
        LinesSlot, [runs](ReadWorld& w) { return w.lines(runs); });
}

QFuture<Reply<ChangeSet>> StoreSession::changes(quint64 cursor)
{
    return m_reading->jobs.ask<ChangeSet>(ChangesSlot, [cursor](ReadWorld& w) { return w.changes(cursor); });
}

QFuture<Reply<WhyView>> StoreSession::why(const RunId& run)
{
    return m_reading->jobs.ask<WhyView>(WhySlot, [run](ReadWorld& w) { return w.why(run); });
}

QFuture<Reply<WhyView>> StoreSession::whyOf(const SituationLine& situation)
{
    return m_reading->jobs.ask<WhyView>(WhySlot, [situation](ReadWorld& w) { return w.whyOf(situation); });
}

QFuture<Reply<RunDetail>> StoreSession::run(const RunId& run)
{
    return m_reading->jobs.ask<RunDetail>(NoSlot, [run](ReadWorld& w) { return w.run(run); });
}

QFuture<Reply<RunId>> StoreSession::find(const QString& text)
{
    return m_reading->jobs.ask<RunId>(NoSlot, [text](ReadWorld& w) { return w.find(text); });
}

QFuture<Reply<std::vector<HistoryLine>>> StoreSession::history(const RunId& run, quint64 from, int limit)
{
    return m_reading->jobs.ask<std::vector<HistoryLine>>(
        NoSlot, [=](ReadWorld& w) { return w.history(run, from, limit); });
}

QFuture<Reply<PayloadText>> StoreSession::payload(const RunId& run, const PayloadLine& line)
{
    return m_reading->jobs.ask<PayloadText>(PayloadSlot, [=](ReadWorld& w) { return w.payload(run, line); });
}

QFuture<Reply<std::vector<PayloadText>>> StoreSession::previews(
    const RunId& run, const std::vector<PayloadLine>& lines)
{
    return m_reading->jobs.ask<std::vector<PayloadText>>(
        PreviewSlot, [=](ReadWorld& w) { return w.previews(run, lines); });
}

QFuture<Reply<quint64>> StoreSession::savePayload(
    const RunId& run, const PayloadLine& line, const QString& path)
{
    return m_reading->jobs.ask<quint64>(NoSlot, [=](ReadWorld& w) { return w.save(run, line, path); });
}

QFuture<Reply<QString>> StoreSession::reveal(const RunId& run, const PayloadLine& line, const QString& reason)
{
    return m_reading->jobs.ask<QString>(NoSlot, [=](ReadWorld& w) { return w.reveal(run, line, reason); });
}

QFuture<Reply<QString>> StoreSession::dot(const RunId& run)
{
    return m_reading->jobs.ask<QString>(NoSlot, [run](ReadWorld& w) { return w.dot(run); });
}

QFuture<Reply<RunDetail>> StoreSession::runAt(const RunId& run, quint64 version)
{
    return m_reading->jobs.ask<RunDetail>(RunAtSlot, [=](ReadWorld& w) { return w.runAt(run, version); });
}

QFuture<Reply<std::vector<ActLine>>> StoreSession::acts(const RunId& run)
{
    return m_reading->jobs.ask<std::vector<ActLine>>(NoSlot, [run](ReadWorld& w) { return w.acts(run); });
}

QFuture<Reply<std::vector<VerbLine>>> StoreSession::stepActs(const RunId& run, quint32 step)
{
    return m_reading->jobs.ask<std::vector<VerbLine>>(
        NoSlot, [=](ReadWorld& w) { return w.stepActs(run, step); });
}

QFuture<Reply<std::vector<RelationLine>>> StoreSession::relations(const RunId& run)
{
    return m_reading->jobs.ask<std::vector<RelationLine>>(
        NoSlot, [run](ReadWorld& w) { return w.relations(run); });
}

QFuture<Reply<Comparison>> StoreSession::compare(const CompareSide& left, const CompareSide& right)
{
    return m_reading->jobs.ask<Comparison>(CompareSlot, [=](ReadWorld& w) { return w.compare(left, right); });
}

QFuture<Reply<ContextText>> StoreSession::context(const RunId& run, int tokens)
{
    return m_reading->jobs.ask<ContextText>(
        ContextSlot, [=](ReadWorld& w) { return w.context(run, tokens); });
}

QFuture<Reply<PayloadPart>> StoreSession::payloadPart(
    const RunId& run, const PayloadLine& line, quint64 offset, quint64 limit)
{
    return m_reading->jobs.ask<PayloadPart>(
        PartSlot, [=](ReadWorld& w) { return w.payloadPart(run, line, offset, limit); });
}

QFuture<Reply<ReportView>> StoreSession::report(int days)
{
    return m_reading->jobs.ask<ReportView>(ReportSlot, [days](ReadWorld& w) { return w.report(days); });
}

QFuture<Reply<Overview>> StoreSession::watch()
{
    return m_reading->jobs.ask<Overview>(WatchSlot, [](ReadWorld& w) { return w.watch(); });
}

QFuture<Reply<FilterHelp>> StoreSession::filterHelp(const FilterQuestion& question)
{
    return m_reading->jobs.ask<FilterHelp>(
        HelpSlot, [question](ReadWorld& w) { return w.filterHelp(question); });
}

QFuture<Reply<FilterCounts>> StoreSession::countFilters(const QStringList& filters)
{
    return m_reading->jobs.ask<FilterCounts>(
        CountsSlot, [filters](ReadWorld& w) { return w.countFilters(filters); });
}

QFuture<Reply<AuditSlice>> StoreSession::audit(const AuditRequest& request)
{
    return m_reading->jobs.ask<AuditSlice>(AuditSlot, [request](ReadWorld& w) { return w.audit(request); });
}

QFuture<Reply<AuditDays>> StoreSession::auditDays(quint64 after)
{
    return m_reading->jobs.ask<AuditDays>(NoSlot, [after](ReadWorld& w) { return w.auditDays(after); });
}

QFuture<Reply<AuditVerdict>> StoreSession::checkAudit(std::shared_ptr<CheckProgress> progress)
{
    aside().stops.emplace_back([progress] { progress->stop = true; });
    return m_aside->jobs.ask<AuditVerdict>(NoSlot,
        [opening = m_opening, progress](Aside::World&) { return cairn::ui::checkAudit(*opening, progress); });
}

StoreSession::Aside& StoreSession::aside()
{
    if (!m_aside)
        m_aside = std::make_unique<Aside>();
    return *m_aside;
}

QFuture<Reply<ExportSize>> StoreSession::measureExport(
    const ExportRequest& request, std::shared_ptr<ExportProgress> progress)
{
    aside().stops.emplace_back([progress] { progress->stop = true; });
    return m_aside->jobs.ask<ExportSize>(NoSlot, [opening = m_opening, request, progress](Aside::World&) {
        return cairn::ui::measureExport(*opening, request, progress);
    });
}

QFuture<Reply<ExportDone>> StoreSession::writeExport(
    const ExportRequest& request, std::shared_ptr<ExportProgress> progress)
{
    aside().stops.emplace_back([progress] { progress->stop = true; });
    return m_aside->jobs.ask<ExportDone>(NoSlot, [opening = m_opening, request, progress](Aside::World&) {
        return cairn::ui::writeExport(*opening, request, progress);
    });
}

QFuture<Reply<ActPreview>> StoreSession::preview(const ActRequest& request)
{
    return m_acting->jobs.ask<ActPreview>(NoSlot, [request](ActSession& a) { return a.preview(request); });
}

QFuture<Reply<std::vector<Fact>>> StoreSession::versions(const RunId& run)
{
    return m_acting->jobs.ask<std::vector<Fact>>(NoSlot, [run](ActSession& a) { return a.versions(run); });
}

// Look-only is not a grey button: the connection that could write is never opened.
template<typename F> QFuture<Reply<ActResult>> StoreSession::acting(F act)
{
    if (!m_opening->mayAct)
        return m_reading->jobs.ask<ActResult>(NoSlot, [opening = m_opening](ReadWorld&) -> Result<ActResult> {
            return makeError(
                ErrorKind::Refused, "This store is open for looking only: " + core(opening->whyNot));
        });
    return m_acting->jobs.ask<ActResult>(NoSlot, std::move(act), true);
}

QFuture<Reply<ActResult>> StoreSession::execute(const ActRequest& request)
{
    return acting([request](ActSession& a) { return a.execute(request); });
}

QFuture<Reply<PlanEntries>> StoreSession::plans(bool closedToo)
{
    return m_reading->jobs.ask<PlanEntries>(
        PlansSlot, [closedToo](ReadWorld& w) { return w.plans(closedToo); });
}

QFuture<Reply<PlanView>> StoreSession::plan(const PlanEntry& entry, int items)
{
    return m_acting->jobs.ask<PlanView>(PlanSlot, [=](ActSession& a) { return a.plan(entry, items); });
}

QFuture<Reply<PlanForecast>> StoreSession::previewPlan(const PlanRequest& request)
{
    return m_acting->jobs.ask<PlanForecast>(DraftSlot, [request](ActSession& a) { return a.draft(request); });
}

QFuture<Reply<PlanForecast>> StoreSession::previewEntry(const PlanEntry& entry)
{
    return m_acting->jobs.ask<PlanForecast>(NoSlot, [entry](ActSession& a) { return a.previewEntry(entry); });
}

QFuture<Reply<ActResult>> StoreSession::stagePlan(const QString& digest, const QString& reason)
{
    return acting([=](ActSession& a) { return a.stagePlan(digest, reason); });
}

QFuture<Reply<ActResult>> StoreSession::order(const PlanOrderRequest& request)
{
    return acting([request](ActSession& a) { return a.order(request); });
}

}  // namespace cairn::ui
