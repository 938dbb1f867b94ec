#pragma once
// Where the console gets what it shows, and whom it asks to act. Every call returns at once; the answer
// arrives in a QFuture that is finished on another thread. Continue with whenDone(), never wait for it.

#include "ui/data/actvalues.h"
#include "ui/data/runvalues.h"
#include "ui/data/auditvalues.h"
#include "ui/data/exportvalues.h"
#include "ui/data/filtervalues.h"
#include "ui/data/planvalues.h"
#include "ui/data/reportvalues.h"

#include <QCoreApplication>
#include <QFuture>
#include <QFutureWatcher>
#include <QObject>
#include <QPromise>

#include <memory>
#include <optional>

namespace cairn::ui {

struct Failure {
    QString what;             // what failed
    QString state;            // what state the store is in now: unchanged, changed, not known
    QString todo;             // what to do
    bool cancelled = false;   // superseded by a later request: show nothing
    bool notKnown = false;    // whether the store has changed
    bool ofQuestion = false;  // what was asked is wrong, or not there; the store answers well
    QString code{};           // "io 28": kind and number, for whoever looks it up; empty: of a question
};
// What failed, what state the store is in now, what to do, and the code: each where it is known. The one way
// in which failures are told.
[[nodiscard]] QString told(const Failure& failure);

template<typename T> struct Reply {
    std::optional<T> value;
    Failure failure;
    explicit operator bool() const { return value.has_value(); }
};

struct SliceRequest {
    QString filter;
    QString situation;  // key; empty: all
    std::optional<PageMark> after;
    int limit = 200;
    bool newest = false;  // the run that began last first; otherwise by who moves next, then the oldest
};

class Source : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Source() override;

    virtual QFuture<Reply<StoreFacts>> facts() = 0;
    virtual QFuture<Reply<Overview>> overview(const QString& filter) = 0;
    virtual QFuture<Reply<RunSlice>> runs(const SliceRequest& request) = 0;
    virtual QFuture<Reply<std::vector<RunLine>>> lines(const std::vector<RunId>& runs) = 0;
    virtual QFuture<Reply<ChangeSet>> changes(quint64 cursor) = 0;
    virtual QFuture<Reply<WhyView>> why(const RunId& run) = 0;
    virtual QFuture<Reply<WhyView>> whyOf(const SituationLine& situation) = 0;
    virtual QFuture<Reply<RunDetail>> run(const RunId& run) = 0;
    virtual QFuture<Reply<RunId>> find(const QString& text) = 0;  // id, beginning of an id, or key
    virtual QFuture<Reply<std::vector<HistoryLine>>> history(const RunId& run, quint64 from, int limit) = 0;
    virtual QFuture<Reply<PayloadText>> payload(const RunId& run, const PayloadLine& line) = 0;
    // Beginnings of small payloads, for a panel that shows several at once; large ones are left out.
    virtual QFuture<Reply<std::vector<PayloadText>>> previews(
        const RunId& run, const std::vector<PayloadLine>& lines) = 0;
    virtual QFuture<Reply<quint64>> savePayload(
        const RunId& run, const PayloadLine& line, const QString& path) = 0;
    // Puts on record that what is hidden in it is read; from then on it is given to who asks for it `plain`.
    // Answers where it is recorded.
    virtual QFuture<Reply<QString>> reveal(const RunId& run, const PayloadLine& line, const QString& reason);
    virtual QFuture<Reply<QString>> dot(const RunId& run) = 0;
    // A source that has none of these answers so.
    virtual QFuture<Reply<ReportView>> report(int days);
    // As overview() without a filter, beside whatever the lists ask.
    virtual QFuture<Reply<Overview>> watch();
    virtual QFuture<Reply<FilterHelp>> filterHelp(const FilterQuestion& question);
    virtual QFuture<Reply<FilterCounts>> countFilters(const QStringList& filters);
    // As checkAudit().
    virtual QFuture<Reply<ExportSize>> measureExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress);
    virtual QFuture<Reply<ExportDone>> writeExport(
        const ExportRequest& request, std::shared_ptr<ExportProgress> progress);
    virtual QFuture<Reply<AuditSlice>> audit(const AuditRequest& request);
    // Of the entries after that number, kAuditDaysPart at most.
    virtual QFuture<Reply<AuditDays>> auditDays(quint64 after);
    // Goes on beside everything else; `progress` tells how far, and stops it.
    virtual QFuture<Reply<AuditVerdict>> checkAudit(std::shared_ptr<CheckProgress> progress);

    // As it was at that version, from the history alone: nothing that is so now is told, and no act is
    // offered.
    virtual QFuture<Reply<RunDetail>> runAt(const RunId& run, quint64 version) = 0;
    virtual QFuture<Reply<std::vector<ActLine>>> acts(const RunId& run) = 0;  // refused ones too
    // What may be done about one step now, and of what not, why not; by the rules that the acts go by.
    virtual QFuture<Reply<std::vector<VerbLine>>> stepActs(const RunId& run, quint32 step);
    virtual QFuture<Reply<std::vector<RelationLine>>> relations(const RunId& run) = 0;
    // Two runs, two versions, or two attempts.
    virtual QFuture<Reply<Comparison>> compare(const CompareSide& left, const CompareSide& right) = 0;
    // What an agent would be given if it resumed the run now.
    virtual QFuture<Reply<ContextText>> context(const RunId& run, int tokens) = 0;
    virtual QFuture<Reply<PayloadPart>> payloadPart(
        const RunId& run, const PayloadLine& line, quint64 offset, quint64 limit) = 0;

    virtual QFuture<Reply<ActPreview>> preview(const ActRequest& request) = 0;
    virtual QFuture<Reply<ActResult>> execute(const ActRequest& request) = 0;

    // Plans, and acts that wait for a second person.
    virtual QFuture<Reply<PlanEntries>> plans(bool closedToo);
    virtual QFuture<Reply<PlanView>> plan(const PlanEntry& entry, int items);
    virtual QFuture<Reply<PlanForecast>> previewPlan(const PlanRequest& request);  // of one to be staged
    // Stages what was previewed last; `digest`: of that. Starts it too where nobody else is needed.
    virtual QFuture<Reply<ActResult>> stagePlan(const QString& digest, const QString& reason);
    virtual QFuture<Reply<PlanForecast>> previewEntry(const PlanEntry& entry);  // computed again, now
    virtual QFuture<Reply<ActResult>> order(const PlanOrderRequest& request);
    // Every version of the run's workflow that the store has, the newest first, and whether it would take the
    // run as it is: by the rule that Migrate goes by. Writes nothing.
    virtual QFuture<Reply<std::vector<Fact>>> versions(const RunId& run);

Q_SIGNALS:
    void hinted();  // something may have changed: look now rather than later
    void hearingChanged(cairn::ui::Hearing hearing, const QString& why);
};

// Calls `then` with the answer on the context's thread, unless the context has gone by then. (QFuture::then
// with a context asserts in Qt 6.4 where the context is gone when the answer comes: a tab closed while it was
// being read.)
template<typename T, typename F> void whenDone(QFuture<Reply<T>> future, QObject* context, F then)
{
    auto* watcher = new QFutureWatcher<Reply<T>>(context);
    QObject::connect(watcher, &QFutureWatcherBase::finished, context, [watcher, then] {
        watcher->deleteLater();
        if (watcher->future().resultCount() == 0)
            return;  // who was asked has gone
        const Reply<T> reply = watcher->result();
        then(reply);
    });
    watcher->setFuture(future);
}

// A future that has its answer already.
template<typename T> QFuture<Reply<T>> readyReply(Reply<T> reply)
{
    QPromise<Reply<T>> promise;
    promise.start();
    promise.addResult(std::move(reply));
    promise.finish();
    return promise.future();
}
template<typename T> QFuture<Reply<T>> notOffered()
{
    Failure failure;
    failure.what = QCoreApplication::translate("Source", "This source does not offer that.");
    failure.ofQuestion = true;
    return readyReply<T>({std::nullopt, failure});
}

// Drops answers that a later request has overtaken: take a ticket per request, compare when the answer
// arrives.
class Tickets {
public:
    quint64 next() { return ++m_last; }
    [[nodiscard]] bool current(quint64 ticket) const { return ticket == m_last; }

private:
    quint64 m_last = 0;
};

}  // namespace cairn::ui
