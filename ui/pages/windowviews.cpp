#include "ui/pages/windowviews.h"

#include "ui/models/runsmodel.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/compareview.h"
#include "ui/pages/dataview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/payloadviewer.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"

#include <QDialog>
#include <QFutureWatcher>
#include <QLineEdit>
#include <QMenu>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

WindowView::Step filter(const QString& text)
{
    return [text](MainWindow& window) { window.triage()->filterBox()->setFilter(text); };
}
WindowView::Step act(const QString& id)
{
    return [id](MainWindow& window) {
        if (const WindowAction* action = window.actionTable().find(id); action != nullptr && action->run)
            action->run();
    };
}
// The first run of the list, selected as a person would.
void selectFirst(MainWindow& window)
{
    DataTable* runs = window.triage()->runsTable();
    if (runs->model()->rowCount() > 0)
        runs->setCurrentIndex(runs->model()->index(0, 0));
    runs->setFocus();
}
void openFirst(MainWindow& window)
{
    if (const RunSlot* slot = window.triage()->runsModel()->row(0))
        window.openRun(slot->run);
}
WindowView::Step onRun(const std::function<void(RunPage&)>& what)
{
    return [what](MainWindow& window) {
        if (RunPage* page = window.currentRun())
            what(*page);
    };
}
WindowView::Step runView(const QString& name)
{
    return onRun([name](RunPage& page) { page.showNamed(name); });
}
WindowView::Step runLetter(QChar letter)
{
    return onRun([letter](RunPage& page) { page.takeLetter(letter, false); });
}
// The largest: that is what the viewer is for.
// What is asked for: its input, in which the workflow hides a field.
void openHidden(RunPage& page)
{
    for (const StepLine& step : page.newest().steps)
        if (step.root)
            for (const PayloadLine& line : step.payloads)
                if (line.role == u"input"_s)
                    return page.data()->openPayload(line);
}

void openPayload(RunPage& page)
{
    const auto& all = page.detail().payloads;
    const auto largest = std::max_element(
        all.begin(), all.end(), [](const PayloadLine& a, const PayloadLine& b) { return a.size < b.size; });
    if (largest != all.end())
        page.data()->openPayload(*largest);
}
WindowView::Step payloadAs(PayloadViewer::Mode mode)
{
    return onRun([mode](RunPage& page) { page.data()->payload()->setMode(mode); });
}

// Into the field of the sheet that is open; its preview follows.
WindowView::Step typed(const QString& text)
{
    return [text](MainWindow& window) {
        if (const ActSheet* sheet = window.sheet())
            sheet->value()->setText(text);
    };
}

void markAllShown(MainWindow& window) { window.triage()->runsModel()->markShown(); }
// What stands in the menu of the saved views.
void saveView(MainWindow& window)
{
    const QString title = TriagePage::tr("Save this filter as a view…");
    for (const QMenu* menu : window.triage()->findChildren<QMenu*>())
        for (QAction* action : menu->actions())
            if (action->text() == title)
                action->trigger();
}

std::vector<WindowView> listViews()
{
    const auto complete = [](MainWindow& window) {
        window.triage()->focusFilter();
        window.triage()->filterBox()->askValues(u"wait"_s);
    };
    const auto markShown = [](MainWindow& window) { window.triage()->runsModel()->markShown(); };
    const auto selectSituation = [](MainWindow& window) {
        DataTable* table = window.triage()->situationsTable();
        table->setFocus();
        table->setCurrentIndex(table->model()->index(0, 0));
    };
    return {{u"lists"_s, {selectFirst}},
        {u"lists-throttled"_s, {filter(u"wait:resource"_s), selectSituation}},
        {u"lists-filtered"_s, {filter(u"attention:person"_s), selectFirst}},
        {u"lists-grouped"_s, {act(u"view.group-def"_s)}},
        {u"lists-runs-only"_s, {act(u"view.group-none"_s), selectFirst}},
        {u"lists-nothing"_s, {filter(u"attention:person wait:timer"_s)}},
        {u"filter-completion"_s, {complete}}, {u"lists-several-marked"_s, {selectFirst, markShown}},
        {u"sheet-plan"_s, {selectFirst, markShown, act(u"plan.stage-pause"_s)}}};
}

std::vector<WindowView> runViews()
{
    const WindowView::Step approval = filter(u"wait:approval"_s);
    const WindowView::Step uncertain = filter(u"wait:outcome_unknown"_s);
    return {{u"run-steps"_s, {approval, openFirst}}, {u"run-uncertain"_s, {uncertain, openFirst}},
        {u"sheet-approve"_s, {approval, selectFirst, act(u"run.approve"_s)}},
        {u"sheet-set-outcome"_s, {uncertain, selectFirst, act(u"run.set-outcome"_s)}},
        {u"sheet-pause"_s, {filter(u"wait:timer"_s), selectFirst, act(u"run.pause"_s)}},
        {u"sheet-slow"_s,
            {filter(u"wait:resource"_s), selectFirst, act(u"run.slow-down"_s), typed(u"20/s"_s)}},
        {u"sheet-redact"_s,
            {filter(u"state:completed"_s), selectFirst, act(u"run.redact"_s), typed(u"output"_s)}},
        {u"what-if"_s, {approval, selectFirst, act(u"run.what-if"_s)}},
        {u"versions"_s, {approval, selectFirst, act(u"run.versions"_s)}}};
}

// Of runs that have something to show there: that which waits longest for an approval has come furthest;
// steps that were undone, two attempts, a child.
std::vector<WindowView> viewsOfRuns()
{
    const WindowView::Step undone = filter(u"state:compensated"_s);
    const WindowView::Step tried = filter(u"wait:attempts_exhausted"_s);
    const WindowView::Step parent = filter(u"wait:child"_s);
    const WindowView::Step input = filter(u"wait:approval"_s);
    const auto earlier = onRun([](RunPage& page) { page.travelTo(page.newest().version / 2); });
    const auto begun = onRun([](RunPage& page) { page.comparison()->compare(u"version 1"_s, u"now"_s); });
    return {{u"run-steps-undone"_s, {undone, openFirst}},
        {u"run-timeline"_s, {input, openFirst, runView(u"timeline"_s)}},
        {u"run-timeline-list"_s, {input, openFirst, runView(u"timeline"_s), runLetter(u'l')}},
        {u"run-history"_s, {input, openFirst, runView(u"history"_s)}},
        {u"run-history-full"_s, {input, openFirst, runView(u"history"_s), runLetter(u'z')}},
        {u"run-data"_s, {input, openFirst, runView(u"data"_s)}},
        {u"run-payload"_s, {input, openFirst, runView(u"data"_s), onRun(openPayload)}},
        {u"run-payload-found"_s,
            {input, openFirst, runView(u"data"_s), onRun(openPayload),
                onRun([](RunPage& page) { page.data()->payload()->find(u"CH-2040"_s); })}},
        {u"run-payload-hidden"_s, {input, openFirst, runView(u"data"_s), onRun(openHidden)}},
        {u"run-payload-text"_s,
            {input, openFirst, runView(u"data"_s), onRun(openPayload), payloadAs(PayloadViewer::Text)}},
        {u"run-payload-bytes"_s,
            {input, openFirst, runView(u"data"_s), onRun(openPayload), payloadAs(PayloadViewer::Hex)}},
        {u"run-relations"_s, {parent, openFirst, runView(u"relations"_s)}},
        {u"run-acts"_s, {input, openFirst, runView(u"acts"_s)}},
        {u"run-compare"_s, {input, openFirst, runView(u"compare"_s), begun}},
        {u"run-compare-attempts"_s, {tried, openFirst, runLetter(u'd')}},
        {u"run-context"_s, {input, openFirst, runView(u"context"_s)}},
        {u"run-earlier"_s, {input, openFirst, earlier}},
        {u"run-earlier-timeline"_s, {input, openFirst, runView(u"timeline"_s), earlier}}};
}

std::vector<WindowView> storeViews()
{
    const auto verify = [](MainWindow& window) {
        if (AuditPage* page = window.currentAudit())
            page->verify();
    };
    return {{u"report"_s, {act(u"go.report"_s)}}, {u"audit"_s, {act(u"go.l"_s)}},
        {u"audit-verified"_s, {act(u"go.l"_s), verify}}, {u"plans"_s, {act(u"go.p"_s)}},
        {u"sheet-confirm"_s, {act(u"go.p"_s), act(u"plan.confirm"_s)}}};
}

std::vector<WindowView> dialogViews()
{
    return {{u"palette"_s, {selectFirst, act(u"go.palette"_s)}}, {u"keys"_s, {act(u"help.keys"_s)}},
        {u"about"_s, {act(u"help.about"_s)}}, {u"open-store"_s, {act(u"file.open"_s)}},
        {u"preferences"_s, {act(u"edit.preferences"_s)}}, {u"handbook"_s, {act(u"help.handbook"_s)}},
        {u"save-view"_s, {filter(u"attention:person"_s), saveView}},
        {u"sheet-several"_s, {selectFirst, markAllShown, act(u"run.pause"_s)}},
        {u"export"_s, {selectFirst, act(u"file.export"_s)}}};
}

}  // namespace

std::vector<WindowView> windowViews()
{
    std::vector<WindowView> all;
    for (std::vector<WindowView> (*some)() : {listViews, runViews, viewsOfRuns, storeViews, dialogViews}) {
        std::vector<WindowView> more = some();
        std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
}

bool atRest(const MainWindow& window)
{
    // Who waits for an answer has a watcher, and so has what is read and indexed in the background.
    const RunPage* page = window.currentRun();
    return window.settled() && (window.sheet() == nullptr || window.sheet()->settled())
        && (page == nullptr || page->findChildren<QFutureWatcherBase*>().isEmpty());
}

void leaveView(MainWindow& window)
{
    for (QDialog* dialog : window.findChildren<QDialog*>())
        dialog->reject();
    window.closeTabs();
    window.triage()->setGrouping(u"situation"_s);
    window.triage()->clearMarks();
    window.triage()->filterBox()->setFilter({});
    window.unsay();
}

QWidget* seenOf(MainWindow& window)
{
    for (QDialog* dialog : window.findChildren<QDialog*>())
        if (dialog->isVisible())
            return dialog;
    return &window;
}

}  // namespace cairn::ui
