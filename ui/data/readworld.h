#pragma once
// What the reading thread works with, and the reads that take more than a line. Only that thread uses it.

#include "core/query/query.h"
#include "ui/data/storesession.h"

namespace cairn::ui {

class ReadWorld {
public:
    explicit ReadWorld(std::shared_ptr<const StoreOpening> opening)
        : m_opening(std::move(opening))
    {
    }

    [[nodiscard]] Status open();
    void onOpened(std::function<void(StoreReader&)> hook) { m_hook = std::move(hook); }

    [[nodiscard]] Result<StoreFacts> facts();
    [[nodiscard]] Result<Overview> overview(const QString& filter);
    [[nodiscard]] Result<RunSlice> runs(const SliceRequest& request);
    [[nodiscard]] Result<std::vector<RunLine>> lines(const std::vector<RunId>& runs);
    [[nodiscard]] Result<ChangeSet> changes(quint64 cursor);
    [[nodiscard]] Result<WhyView> why(const RunId& run);
    [[nodiscard]] Result<WhyView> whyOf(const SituationLine& situation);
    [[nodiscard]] Result<RunDetail> run(const RunId& run);
    [[nodiscard]] Result<RunId> find(const QString& text);
    [[nodiscard]] Result<std::vector<HistoryLine>> history(const RunId& run, quint64 from, int limit);
    [[nodiscard]] Result<PayloadText> payload(const RunId& run, const PayloadLine& line);
    [[nodiscard]] Result<std::vector<PayloadText>> previews(
        const RunId& run, const std::vector<PayloadLine>& lines);
    [[nodiscard]] Result<quint64> save(const RunId& run, const PayloadLine& line, const QString& path);
    [[nodiscard]] Result<QString> dot(const RunId& run);
    // readworld_run.cpp
    [[nodiscard]] Result<RunDetail> runAt(const RunId& run, quint64 version);
    [[nodiscard]] Result<std::vector<ActLine>> acts(const RunId& run);
    [[nodiscard]] Result<std::vector<VerbLine>> stepActs(const RunId& run, quint32 step);
    [[nodiscard]] Result<std::vector<RelationLine>> relations(const RunId& run);
    [[nodiscard]] Result<Comparison> compare(const CompareSide& left, const CompareSide& right);
    [[nodiscard]] Result<ContextText> context(const RunId& run, int tokens);
    [[nodiscard]] Result<PayloadPart> payloadPart(
        const RunId& run, const PayloadLine& line, quint64 offset, quint64 limit);
    [[nodiscard]] Result<FilterHelp> filterHelp(const FilterQuestion& question);
    [[nodiscard]] Result<ReportView> report(int days);
    [[nodiscard]] Result<AuditSlice> audit(const AuditRequest& request);
    [[nodiscard]] Result<AuditDays> auditDays(quint64 after);
    [[nodiscard]] Result<PlanEntries> plans(bool closedToo);  // readplans.cpp
    [[nodiscard]] Result<FilterCounts> countFilters(const QStringList& filters);

private:
    [[nodiscard]] Result<ListFilter> filterOf(const QString& text, TimeMs now) const;

    // Without how far they are.
    [[nodiscard]] Result<PlanEntries> planEntries(bool closedToo, std::vector<PlanRow>& rows);
    [[nodiscard]] Status addProgress(const PlanRow& row, PlanEntry& entry);
    [[nodiscard]] Status addSecond(Overview& overview);
    [[nodiscard]] Status addProposed(const RunId& run, WhyView& why);
    [[nodiscard]] Status closeVerbs(WhyView& why);
    [[nodiscard]] Result<Replica> replica();
    [[nodiscard]] Status readSituations(const QString& filter, const ListFilter& terms, Overview& overview);

    std::shared_ptr<const StoreOpening> m_opening;
    std::function<void(StoreReader&)> m_hook;
    SystemClock m_clock;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<Query> m_query;
    bool m_standby = false;  // as last seen with the facts, which are read anew where a link was lost
};

}  // namespace cairn::ui
