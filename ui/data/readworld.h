#pragma once
// What the reading thread works with, and the reads that take more than a line. Only that thread uses it.

#include "core/query/hidden_fields.h"
#include "core/query/query.h"
#include "ui/data/storesession.h"

#include <set>

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
    // Puts on record that somebody reads what is hidden in it, where it is asked for as `plain` from then on:
    // in the store, or in the journal where the store is only looked at. Gives where it is recorded.
    [[nodiscard]] Result<QString> reveal(const RunId& run, const PayloadLine& line, const QString& reason);
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
    // An overview of everything, with what is to be told of plans.
    [[nodiscard]] Result<Overview> watch();
    [[nodiscard]] Result<FilterCounts> countFilters(const QStringList& filters);

private:
    // Where the bytes are read: what was not revealed is not given plain.
    [[nodiscard]] Result<StoreReader*> readerOf(const RunId& run, const PayloadLine& line);
    [[nodiscard]] Result<quint64> sizeOf(const RunId& run, const PayloadLine& line);
    struct Revealing {
        bool inStore = false;  // otherwise in the journal
        Safety safety = Safety::Guarded;
        std::string login;
    };
    [[nodiscard]] Result<Revealing> revealing(const std::string& role);  // NoRight: it is off
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
    std::unique_ptr<HidingStore> m_store;
    std::set<std::pair<RunId, PayloadId>> m_revealed;  // on record, by reveal()
    std::unique_ptr<Query> m_query;
    bool m_standby = false;  // as last seen with the facts, which are read anew where a link was lost
};

}  // namespace cairn::ui
