#include "ui/pages/windowviews.h"

#include "ui/models/runsmodel.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"

#include <QDialog>
#include <QLineEdit>
#include <QMenu>

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
WindowView::Step runView(int number)
{
    return [number](MainWindow& window) {
        if (RunPage* page = window.currentRun())
            page->showView(number);
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
    return {{u"lists"_s, {selectFirst}}, {u"lists-filtered"_s, {filter(u"attention:person"_s), selectFirst}},
        {u"lists-nothing"_s, {filter(u"attention:person wait:timer"_s)}},
        {u"filter-completion"_s, {complete}}, {u"lists-several-marked"_s, {selectFirst, markShown}},
        {u"sheet-plan"_s, {selectFirst, markShown, act(u"plan.stage-pause"_s)}}};
}

std::vector<WindowView> runViews()
{
    const WindowView::Step approval = filter(u"wait:approval"_s);
    const WindowView::Step uncertain = filter(u"wait:outcome_unknown"_s);
    return {{u"run-steps"_s, {approval, openFirst}}, {u"run-history"_s, {approval, openFirst, runView(3)}},
        {u"run-data"_s, {approval, openFirst, runView(4)}}, {u"run-uncertain"_s, {uncertain, openFirst}},
        {u"sheet-approve"_s, {approval, selectFirst, act(u"run.approve"_s)}},
        {u"sheet-set-outcome"_s, {uncertain, selectFirst, act(u"run.set-outcome"_s)}},
        {u"sheet-pause"_s, {filter(u"wait:timer"_s), selectFirst, act(u"run.pause"_s)}}};
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
    for (std::vector<WindowView> (*some)() : {listViews, runViews, storeViews, dialogViews}) {
        std::vector<WindowView> more = some();
        std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
}

void leaveView(MainWindow& window)
{
    for (QDialog* dialog : window.findChildren<QDialog*>())
        dialog->reject();
    window.closeTabs();
    window.triage()->clearMarks();
    window.triage()->filterBox()->setFilter({});
}

QWidget* seenOf(MainWindow& window)
{
    for (QDialog* dialog : window.findChildren<QDialog*>())
        if (dialog->isVisible())
            return dialog;
    return &window;
}

}  // namespace cairn::ui
