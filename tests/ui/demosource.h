#pragma once
// A source with the mock-ups' story, for tests and pictures. Answers at once unless told to hold them back.

#include "core/base/secrets.h"
#include "ui/data/source.h"

#include <QPromise>

#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace cairn::ui::test {

// Lets answers through, holds them back until it is opened, or makes failures of them.
template<typename T> class Gate {
public:
    void close() { m_closed = true; }
    void open()
    {
        m_closed = false;
        for (auto& [promise, reply] : std::exchange(m_held, {})) {
            promise->addResult(std::move(reply));
            promise->finish();
        }
    }
    Failure fails;  // where it says something, all that comes fails with it
    [[nodiscard]] QFuture<Reply<T>> pass(T value)
    {
        Reply<T> reply =
            fails.what.isEmpty() ? Reply<T>{std::move(value), {}} : Reply<T>{std::nullopt, fails};
        auto promise = std::make_shared<QPromise<Reply<T>>>();
        promise->start();
        QFuture<Reply<T>> future = promise->future();
        m_held.push_back({promise, std::move(reply)});
        if (!m_closed)
            open();
        return future;
    }

private:
    std::vector<std::pair<std::shared_ptr<QPromise<Reply<T>>>, Reply<T>>> m_held;
    bool m_closed = false;
};

class DemoSource final : public Source {
    Q_OBJECT
public:
    explicit DemoSource(QObject* parent = nullptr);

    QFuture<Reply<StoreFacts>> facts() override;
    QFuture<Reply<Overview>> overview(const QString& filter) override;
    QFuture<Reply<RunSlice>> runs(const SliceRequest& request) override;
    QFuture<Reply<std::vector<RunLine>>> lines(const std::vector<RunId>& runs) override;
    QFuture<Reply<ChangeSet>> changes(quint64 cursor) override;
    QFuture<Reply<WhyView>> why(const RunId& run) override;
    QFuture<Reply<WhyView>> whyOf(const SituationLine& situation) override;
    QFuture<Reply<RunDetail>> run(const RunId& run) override;
    QFuture<Reply<RunId>> find(const QString& text) override;
    QFuture<Reply<std::vector<HistoryLine>>> history(const RunId& run, quint64 from, int limit) override;
    QFuture<Reply<PayloadText>> payload(const RunId& run, const PayloadLine& line) override;
    QFuture<Reply<std::vector<PayloadText>>> previews(
        const RunId& run, const std::vector<PayloadLine>& lines) override;
    QFuture<Reply<quint64>> savePayload(
        const RunId& run, const PayloadLine& line, const QString& path) override;
    QFuture<Reply<QString>> reveal(const RunId& run, const PayloadLine& line, const QString& reason) override;
    QFuture<Reply<QString>> dot(const RunId& run) override;
    QFuture<Reply<RunDetail>> runAt(const RunId& run, quint64 version) override;
    QFuture<Reply<std::vector<ActLine>>> acts(const RunId& run) override;
    QFuture<Reply<std::vector<VerbLine>>> stepActs(const RunId& run, quint32 step) override;
    QFuture<Reply<std::vector<RelationLine>>> relations(const RunId& run) override;
    QFuture<Reply<Comparison>> compare(const CompareSide& left, const CompareSide& right) override;
    QFuture<Reply<ContextText>> context(const RunId& run, int tokens) override;
    QFuture<Reply<PayloadPart>> payloadPart(
        const RunId& run, const PayloadLine& line, quint64 offset, quint64 limit) override;
    QFuture<Reply<AuditSlice>> audit(const AuditRequest& request) override;
    QFuture<Reply<AuditDays>> auditDays(quint64 after) override;
    QFuture<Reply<AuditVerdict>> checkAudit(std::shared_ptr<CheckProgress> progress) override;
    QFuture<Reply<ExportSize>> measureExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress) override;
    QFuture<Reply<ExportDone>> writeExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress) override;
    QFuture<Reply<FilterHelp>> filterHelp(const FilterQuestion& question) override;
    QFuture<Reply<FilterCounts>> countFilters(const QStringList& filters) override;
    QFuture<Reply<ActPreview>> preview(const ActRequest& request) override;
    QFuture<Reply<ActResult>> execute(const ActRequest& request) override;
    QFuture<Reply<PlanEntries>> plans(bool closedToo) override;
    QFuture<Reply<PlanView>> plan(const PlanEntry& entry, int items) override;
    QFuture<Reply<PlanForecast>> previewPlan(const PlanRequest& request) override;
    QFuture<Reply<ActResult>> stagePlan(const QString& digest, const QString& reason) override;
    QFuture<Reply<PlanForecast>> previewEntry(const PlanEntry& entry) override;
    QFuture<Reply<ActResult>> order(const PlanOrderRequest& request) override;
    QFuture<Reply<std::vector<Fact>>> versions(const RunId& run) override;

    [[nodiscard]] RunDetail detailNow(const RunId& run) const;
    [[nodiscard]] RunLine tainted(RunLine line) const;

    // What tests turn, for the views of a run (demosource_run.cpp).
    std::function<QByteArray(const PayloadLine&)>
        payloadBytes;                // none: a small object, or x as often as it is long
    std::vector<quint64> travelled;  // versions that were asked for
    std::vector<std::pair<CompareSide, CompareSide>> compared;
    std::vector<quint32> stepsAsked;  // whose acts were asked for
    Gate<std::vector<VerbLine>> stepGate;
    Gate<RunDetail> pastGate;
    Gate<PayloadPart> partGate;
    std::vector<ActLine> actLines;
    SecretList hidden;  // in payloads, until they are revealed
    QString revealOff;
    QStringList revealReasons;
    std::set<PayloadId> revealed;
    QByteArray payloadSalt;  // with the hash that goes with it; empty: of another kind of store
    QString payloadHash;
    [[nodiscard]] QByteArray bytesOf(const PayloadLine& line) const;
    [[nodiscard]] QByteArray givenOf(const PayloadLine& line) const;

    // What tests turn, for plans (demosource_plans.cpp): one that runs, and an act that waits for somebody.
    bool author = false;  // whoever looks has proposed the act
    bool closedAsked = false;
    bool waiting = true;      // the act still does
    quint64 secondWaits = 0;  // a line of the attention list says so
    std::vector<PlanRequest> drafted;
    std::vector<std::pair<QString, QString>> staged;  // digest, reason
    std::vector<PlanOrderRequest> ordered;
    std::function<void(PlanForecast&)> adjustForecast;
    ActResult orderAnswer{ActEnd::Done, QStringLiteral("Confirmed and done."), 0, 77, false};

    // What tests turn.
    StoreFacts store;
    std::vector<RunLine> all;
    RunDetail detail;
    std::vector<ChangeSet> pending;  // given out one by one
    std::vector<ActRequest> executed;
    ActResult answer{
        ActEnd::Done, QStringLiteral("Approved: place-order sends this, once."), 62, 18443, false};
    std::vector<AuditLine> acted;  // newest first
    std::vector<AuditRequest> auditRequests;
    quint64 auditTotal = 0;             // more entries than `acted` has; 0: as many
    quint64 auditLookedFrom = 1;        // how far a question looks back
    quint64 daysPart = kAuditDaysPart;  // entries that are counted at once
    std::vector<quint64> daysAsked;
    Gate<AuditVerdict> verdicts;
    AuditVerdict verdict{true,
        QStringLiteral("The audit log is whole: 3 entries, none missing, none changed."),
        QStringLiteral("no checkpoint"), {}, {QStringLiteral("Detects a changed entry.")}, 3, {}, 0, 1900};
    std::shared_ptr<CheckProgress> checking;
    std::vector<ExportRequest> exported;
    std::shared_ptr<ExportProgress> exporting;
    Gate<ExportDone> exports;
    FilterHelp help;
    std::vector<FilterQuestion> questions;
    qint64 viewRuns = 9;  // that each saved view finds
    std::optional<quint64> matches;
    int pageReads = 0;
    std::vector<SliceRequest> listed;  // what was asked of the list of runs
    int runReads = 0;
    bool hold = false;  // run() is answered by release()
    void release();
    Gate<StoreFacts> factGate;
    Gate<Overview> overviewGate;
    Gate<RunSlice> listGate;
    Gate<ChangeSet> changeGate;
    int factReads = 0;
    int overviews = 0;
    void closeAll();  // keeps silent until it is opened
    void openAll();
    void failAll(const Failure& failure);  // empty: answers again
    Gate<WhyView> whys;                    // of runs
    Gate<ActPreview> sheets;
    Gate<ActResult> actGate;
    std::vector<ActRequest> previewed;
    QString over;                             // key of a situation that has gone, with its runs
    quint64 cut = 0;                          // situations beyond what is shown
    std::vector<RunId> refuse;                // previews of these are not possible
    std::function<void(ActPreview&)> adjust;  // each preview, before it is given
    bool manyCounts = false;                  // the attention dock counts in millions
    QString taint;                            // put into every text that a run could hold

private:
    struct Held {
        std::shared_ptr<QPromise<Reply<RunDetail>>> promise;
        RunId run;
    };
    std::vector<Held> m_held;
};

constexpr qint64 kDemoNow = 1'795'949'780'000;  // 2026-11-29 10:56:20Z
[[nodiscard]] RunId demoRun(int n);
void tellOwnAndTrend(SituationLine& line);  // demosource_plans.cpp
[[nodiscard]] RunDetail demoDetail();
[[nodiscard]] std::vector<StepLine> demoSteps();

}  // namespace cairn::ui::test
