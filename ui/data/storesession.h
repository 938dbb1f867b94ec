#pragma once
// A Source on a real store. Reads run on one thread with a read connection of its own, acts on another with a
// write connection and a Service; both open lazily there. What is asked for twice is read once: a later
// request of the same kind takes the place of one that waits, and interrupts one that runs.

#include "core/store/hints.h"
#include "core/store/store.h"
#include "ui/data/source.h"
#include "ui/data/storepasswords.h"

#include <functional>
#include <memory>

namespace cairn::ui {

struct StoreOpening {
    QString url;
    QString name;  // as shown
    // Opens the store; called on the session's threads. readOnly: the connection cannot write.
    std::function<Result<std::unique_ptr<StoreWriter>>(bool readOnly)> open;
    // Makes the ear for hints; may be empty, and may give null: the store has none. Called once, and must not
    // wait for a connection.
    std::function<Result<std::shared_ptr<HintLink>>(const HintOptions& options)> openHints;
    // Where `open` and `openHints` have passwords from; null for a file. Given up when the session ends.
    std::shared_ptr<StorePasswords> passwords{};
    QString sqliteVersion;
    QString person;    // who acts
    QString identity;  // how that is known
    std::uint32_t uid = 0;
    QString host;
    bool mayAct = false;
    QString whyNot;
};

// Why nobody may act in this store from here; empty: one may.
[[nodiscard]] QString whyNoActs(const StoreOpening& opening, const StoreInfo& info, const StoreRights& rights,
    const Replica& replica = {});

class StoreSession final : public Source {
    Q_OBJECT
public:
    explicit StoreSession(StoreOpening opening, QObject* parent = nullptr);
    ~StoreSession() override;  // interrupts, joins

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
    QFuture<Reply<ReportView>> report(int days) override;
    QFuture<Reply<Overview>> watch() override;
    QFuture<Reply<FilterHelp>> filterHelp(const FilterQuestion& question) override;
    QFuture<Reply<FilterCounts>> countFilters(const QStringList& filters) override;
    QFuture<Reply<ExportSize>> measureExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress) override;
    QFuture<Reply<ExportDone>> writeExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress) override;
    QFuture<Reply<AuditSlice>> audit(const AuditRequest& request) override;
    QFuture<Reply<AuditDays>> auditDays(quint64 after) override;
    QFuture<Reply<AuditVerdict>> checkAudit(std::shared_ptr<CheckProgress> progress) override;
    QFuture<Reply<ActPreview>> preview(const ActRequest& request) override;
    QFuture<Reply<std::vector<Fact>>> versions(const RunId& run) override;
    QFuture<Reply<ActResult>> execute(const ActRequest& request) override;
    QFuture<Reply<PlanEntries>> plans(bool closedToo) override;
    QFuture<Reply<PlanView>> plan(const PlanEntry& entry, int items) override;
    QFuture<Reply<PlanForecast>> previewPlan(const PlanRequest& request) override;
    QFuture<Reply<ActResult>> stagePlan(const QString& digest, const QString& reason) override;
    QFuture<Reply<PlanForecast>> previewEntry(const PlanEntry& entry) override;
    QFuture<Reply<ActResult>> order(const PlanOrderRequest& request) override;

private:
    struct Reading;
    struct Acting;
    struct Aside;

    [[nodiscard]] Aside& aside();
    template<typename F> [[nodiscard]] QFuture<Reply<ActResult>> acting(F act);
    void listen();
    void hear();

    std::shared_ptr<const StoreOpening> m_opening;
    std::unique_ptr<Reading> m_reading;
    std::unique_ptr<Acting> m_acting;
    std::unique_ptr<Aside> m_aside;  // long work; made when there is some
    Hearing m_hearing = Hearing::None;
    QString m_deafness;
    quint64 m_breaks = 0;               // of the link, that were told
    std::shared_ptr<HintLink> m_hints;  // last: its thread calls hear()
};

}  // namespace cairn::ui
