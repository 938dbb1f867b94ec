// Acts: a letter or menu stages, only the sheet executes.
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/exportbox.h"
#include "ui/dialogs/infobox.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/taskstrip.h"
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QFileDialog>
#include <QLabel>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kCloseAgainMs = 10'000;  // in which closing twice means it
}

RunRef MainWindow::currentRunRef() const
{
    const RunPage* page = currentRun();
    if (const AuditPage* audit = currentAudit())
        return audit->run();
    return page != nullptr ? page->run() : m_triage->run();
}

const WhyView& MainWindow::currentWhy() const
{
    static const WhyView kNothing;
    const RunPage* page = currentRun();
    return page != nullptr ? page->detail().why : onLists() ? m_triage->why() : kNothing;
}

// The act on all runs that are marked. Only runs of the list are: what one does not see is never acted on.
void MainWindow::stageMarked(Verb verb, bool abandon)
{
    const QString name = abandon ? tr("Abandon") : verbName(verb);
    if (!BulkSheet::takes(verb))
        return say(tr("%1 is off for marked runs: each has to be read by itself. Esc takes the marks away.")
                       .arg(name));
    if (m_sheet != nullptr || m_bulk != nullptr)
        return;
    std::vector<BulkStore> stores;
    QString off;
    bool any = false;
    for (StoreIx store = 0; store < m_stores.count(); ++store)
        stores.push_back({&m_stores.source(store), m_stores.state(store).facts, actsOff(store)});
    for (const RunLine& line : m_triage->marked()) {
        any = any || stores[line.store].off.isEmpty();
        if (off.isEmpty())
            off = stores[line.store].off;
    }
    if (!any)
        return say(tr("%1 is off: %2").arg(name, off));
    std::vector<ActRequest> requests;
    QStringList names;
    for (const RunLine& line : m_triage->marked()) {
        ActRequest request;
        request.verb = verb;
        request.store = line.store;
        request.run = line.run;
        request.compensate = !abandon;
        if (verb == Verb::Retry)
            request.step = line.step;  // the step that the run's wait is about
        requests.push_back(request);
        names << (line.key.isEmpty() ? line.workflow : line.workflow + u" · "_s + line.key);
    }
    m_bulk = new BulkSheet(std::move(stores), std::move(requests), names, this);
    m_bulk->setAttribute(Qt::WA_DeleteOnClose);
    helpOn(*m_bulk, verb);
    connect(m_bulk, &BulkSheet::planWanted, this, [this, verb] {
        PlanRequest request;
        request.act.verb = verb;
        for (const ActRequest& one : m_bulk->requests())
            request.runs.push_back(one.run);
        const StoreIx store = m_bulk->requests().front().store;
        m_bulk->reject();
        openPlanSheet(store, std::move(request));
    });
    connect(m_bulk, &BulkSheet::ended, this, [this](const QString& summary) {
        say(summary);
        m_triage->clearMarks();
        m_stores.poll();
        m_triage->refresh();
    });
    m_bulk->open();
}

void MainWindow::stageAbandon()
{
    if (onLists() && !m_triage->marked().empty())
        return stageMarked(Verb::Cancel, true);
    for (const VerbLine& line : currentWhy().verbs)
        if (line.abandon)
            return stageLine(line, currentWhy().ref());
    say(tr("Abandon is off: nothing here can be stopped."));
}

// The line of what may be done that this verb means here, and one that says why it is off; null: none.
MainWindow::VerbLines MainWindow::linesFor(Verb verb) const
{
    VerbLines lines;
    // On a run's page the act is about the step that is selected, where it fits.
    const RunPage* page = currentRun();
    const StepLine* step = page != nullptr ? page->steps()->currentStep() : nullptr;
    // An earlier version can be restarted from, and nothing else done with it.
    const WhyView& why = verb == Verb::Fork && page != nullptr ? page->newest().why : currentWhy();
    for (const std::vector<VerbLine>* all : {&why.verbs, &why.more})
        for (const VerbLine& line : *all) {
            if (line.verb != verb || line.abandon)
                continue;
            if (!line.on)
                lines.off = &line;
            else if (lines.on == nullptr || (step != nullptr && line.step == step->id))
                lines.on = &line;
        }
    return lines;
}

// Why a verb is off here and now; empty: it can be staged.
QString MainWindow::verbOff(Verb verb) const
{
    if (onLists() && !m_triage->marked().empty() && verb != Verb::Slow)
        return BulkSheet::takes(verb) ? QString() : tr("each marked run has to be read by itself");
    if (currentRun() == nullptr && !onLists())
        return tr("open the run first: Enter.");
    const WhyView& why = currentWhy();
    const VerbLines lines = linesFor(verb);
    if (lines.on != nullptr)
        return actsOff(why.store);
    if (lines.off != nullptr)
        return lines.off->text;
    if (why.run.isNull() && !currentRunRef().isNull())
        return tr("why this run waits has not been read yet.");
    return why.run.isNull() ? tr("select one run, or mark several with Space.")
                            : tr("nothing in this run asks for it.");
}

void MainWindow::stage(Verb verb)
{
    // A resource is no run's own: what is marked does not matter.
    if (onLists() && !m_triage->marked().empty() && verb != Verb::Slow)
        return stageMarked(verb, false);
    if (const VerbLine* on = linesFor(verb).on)
        stageLine(*on, currentWhy().ref());
    else
        say(verbName(verb) + tr(" is off: ") + verbOff(verb));
}

// A store that does not answer could not say what the act depends on.
QString MainWindow::actsOff(StoreIx store) const
{
    const StoreState& state = m_stores.state(store);
    if (m_readOnly)
        return readOnlyText();
    if (!state.facts.mayAct)
        return state.facts.whyNot;
    if (!state.takesActs())
        return (m_stores.several() ? state.name : tr("the store")) + tr(" does not answer");
    return {};
}

void MainWindow::stageLine(const VerbLine& verb, const RunRef& run)
{
    if (const QString off = actsOff(run.store); !off.isEmpty()) {
        say(tr("%1 is off: %2").arg(verb.name, off));
        return;
    }
    if (!verb.on) {
        say(tr("%1 is off: %2").arg(verb.name, verb.text));
        return;
    }
    if (!verb.situation.isEmpty())
        return stageSituation(verb, run.store);
    openSheet(verb, run, false);
}

// On all runs of the situation that the filter lets through: those that are counted in its row.
void MainWindow::stageSituation(const VerbLine& verb, StoreIx store)
{
    const QString filter = m_triage->filterBox()->filter();
    const auto here = m_stores.several() ? filterFor(filter, m_stores.nameOf(store)) : std::optional(filter);
    const AddedTerm added = withTerm(here.value_or(QString()), termOf(u"situation"_s, verb.situation), false);
    if (!here || !added.wrong.isEmpty())
        return say(
            tr("%1 is off: %2").arg(verb.name, here ? added.wrong : tr("the filter is of other stores")));
    PlanRequest request;
    request.act.verb = verb.verb;
    request.filter = added.filter;
    openPlanSheet(store, std::move(request));
}

// `previewOnly`: it shows what would happen, and can do nothing.
void MainWindow::openSheet(const VerbLine& verb, const RunRef& run, bool previewOnly)
{
    if (m_sheet != nullptr)
        return;
    ActRequest request;
    request.verb = verb.verb;
    request.store = run.store;
    request.run = run.run;
    request.step = verb.step;
    request.approval = verb.approval;
    request.compensate = !verb.abandon;
    request.resource = verb.resource;
    const RunPage* page = currentRun();
    if (verb.verb == Verb::Redact && page != nullptr)  // what one looks at is what one means
        request.value = page->payloadShown();
    if (verb.verb == Verb::Fork && page != nullptr)
        request.value = QString::number(page->detail().version);
    if (verb.verb == Verb::Assign)  // the case is taken by whoever looks at it, unless another name is typed
        request.value = m_stores.state(run.store).facts.person;
    m_sheet = new ActSheet(m_stores.source(run.store), m_stores.state(run.store).facts, request, this);
    m_sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_sheet, &ActSheet::ended, this, [this, run](const ActResult& result) { actEnded(result, run); });
    helpOn(*m_sheet, verb.verb);
    if (previewOnly)
        m_sheet->setPreviewOnly();
    m_sheet->open();
}

void MainWindow::actEnded(const ActResult& result, const RunRef& run)
{
    QString text = result.text;
    if (result.ownerElsewhere)
        text += tr(" The engine that owns the run acts on it within a second.");
    if (result.auditSeq != 0)
        text += tr(" Audit entry %1.").arg(countText(result.auditSeq));
    if (m_stores.several())
        text = m_stores.nameOf(run.store) + u": "_s + text;
    say(text);
    m_stores.poll();
    m_triage->refresh();
    for (int i = 1; i < m_pages->count(); ++i)
        if (auto* page = qobject_cast<RunPage*>(m_pages->widget(i)); page != nullptr && page->run() == run)
            page->load();
}

// Where it leads: this run, or these lists with their filter, in this store.
void MainWindow::copyLink()
{
    const RunRef run = currentRunRef();
    const StoreIx store = run.isNull() ? 0 : run.store;
    DeepLink link{m_stores.state(store).facts.url, run.isNull() ? QString() : idText(run.run), {},
        currentAudit() != nullptr ? u"audit"_s : QString()};
    if (run.isNull())
        link.filter = m_triage->filterBox()->filter();
    if (link.store.isEmpty())
        return say(tr("Copy is off: the store has not been read yet."));
    QApplication::clipboard()->setText(linkText(link));
    say(tr("Copied %1").arg(linkText(link)));
}

void MainWindow::copyId()
{
    const RunId run = currentRunRef().run;
    if (run.isNull())
        return say(tr("Copy is off: select one run."));
    QApplication::clipboard()->setText(idText(run));
    say(tr("Copied ") + idText(run));
}

// An error is gone from the window after a while; whoever reports it needs its text, code and time.
void MainWindow::copySaid()
{
    if (m_lastSaid.isEmpty())
        return say(tr("Copy is off: nothing has been said yet."));
    QApplication::clipboard()->setText(m_lastSaid);
    say(tr("Copied what was said last."));
}

AuditPage* MainWindow::openAudit()
{
    const StoreIx store = currentRunRef().isNull() ? 0 : currentRunRef().store;
    for (int i = 1; i < m_pages->count(); ++i) {
        auto* page = qobject_cast<AuditPage*>(m_pages->widget(i));
        if (page != nullptr && page->store() == store) {
            m_tabs->setCurrentIndex(i);
            return page;
        }
    }
    auto* page = new AuditPage(m_stores, store, this);
    connect(page, &AuditPage::openRun, this, [this](const RunRef& run) { openRun(run); });
    connect(page, &AuditPage::letterTyped, this, &MainWindow::takeLetter);
    connect(page, &AuditPage::failed, this, &MainWindow::trouble);
    connect(page, &AuditPage::said, this, &MainWindow::say);
    connect(page, &AuditPage::exportWanted, this, &MainWindow::exportRuns);
    const QString title = m_stores.several()
        ? tr("Audit · %1").arg(shown(m_stores.nameOf(store), false, 24)).replace(u'&', u"&&"_s)
        : tr("Audit");
    const int tab = addPage(page, title, Glyph::None);
    page->load();
    m_tabs->setCurrentIndex(tab);
    return page;
}

void MainWindow::openExport(StoreIx store, std::vector<ExportScope> scopes)
{
    auto* box = new ExportBox(m_stores.source(store), m_stores.state(store).facts, std::move(scopes), this);
    connect(box, &ExportBox::ended, this, &MainWindow::say);
    connect(box, &ExportBox::ended, this, [this, box] { m_tasks->remove(box); });
    connect(box, &ExportBox::goesOn, this, [this, box] {
        m_tasks->add(box,
            {tr("Export"), [box] { return box->state(); },
                [this, box] {
                    m_tasks->remove(box);
                    box->show();
                },
                [box] { box->stop(); }});
        say(tr("The export goes on; below is how far it is."));
    });
    box->open();
}

// What goes on is not cut off by a key too many.
void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_tasks->count() == 0 || m_closing)
        return QWidget::closeEvent(event);
    event->ignore();
    m_closing = true;
    say(tr("%1 goes on. Close again to stop it: nothing is left behind.")
            .arg(m_tasks->names().join(u", "_s)));
    QTimer::singleShot(kCloseAgainMs, this, [this] { m_closing = false; });
}

// The entries that the audit's list is asked for, or all of them.
void MainWindow::exportLog(AuditPage& audit)
{
    std::vector<ExportScope> scopes;
    if (const QString filter = audit.filterBox()->filter(); !filter.trimmed().isEmpty())
        scopes.push_back({tr("all that the filter finds: %1").arg(filter), {}, filter, true});
    scopes.push_back({tr("the whole log"), {}, {}, true});
    openExport(audit.store(), std::move(scopes));
}

// Of one store: what is marked there, the run that is looked at, or all that the filter finds.
void MainWindow::exportRuns()
{
    if (AuditPage* audit = currentAudit())
        return exportLog(*audit);
    const RunRef current = currentRunRef();
    std::vector<RunLine> marked = onLists() ? m_triage->marked() : std::vector<RunLine>();
    const StoreIx store = !marked.empty() ? marked.front().store : current.isNull() ? 0 : current.store;
    const std::size_t before = marked.size();
    std::erase_if(marked, [store](const RunLine& line) { return line.store != store; });
    std::vector<ExportScope> scopes;
    if (!marked.empty()) {
        ExportScope scope{tr("%1 marked").arg(plural(marked.size(), "run", "runs")), {}, {}};
        for (const RunLine& line : marked)
            scope.runs.push_back(line.run);
        if (before > marked.size())
            scope.text += tr(", in %1; those of other stores are left out").arg(m_stores.nameOf(store));
        scopes.push_back(std::move(scope));
    }
    if (!current.isNull() && current.store == store)
        scopes.push_back({tr("this run, %1").arg(shortId(current.run)), {current.run}, {}});
    const QString filter = m_triage->filterBox()->filter();
    if (const auto here =
            m_stores.several() ? filterFor(filter, m_stores.nameOf(store)) : std::optional(filter))
        scopes.push_back({filter.isEmpty() ? tr("all that is not finished")
                                           : tr("all that the filter finds: %1").arg(filter),
            {}, here->trimmed().isEmpty() ? u"state:open"_s : *here});
    if (scopes.empty())
        return say(tr("Export is off: select a run."));
    openExport(store, std::move(scopes));
}

void MainWindow::exportDot()
{
    const auto [store, run] = currentRunRef();
    if (run.isNull())
        return say(tr("Export is off: select one run."));
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export graph"), shortId(run).remove(u'…') + u".dot"_s);
    if (path.isEmpty())
        return;
    whenDone(m_stores.source(store).dot(run), this, [this, path](const Reply<QString>& reply) {
        if (!reply)
            return trouble(told(reply.failure));
        QSaveFile file(path);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(reply.value->toUtf8()) >= 0 && file.commit();
        say(written ? tr("Exported the graph as DOT text.")
                    : tr("Could not write the file: ") + file.errorString());
    });
}

void MainWindow::go(const QString& text)
{
    m_going = text;
    const QString looking = tr("Looking for %1, since %2.").arg(shown(text, false, 80), nowText());
    say(looking);
    whenDone(m_stores.find(text), this, [this, text, looking](const Reply<RunRef>& reply) {
        if (m_going == text)
            m_going.clear();
        if (notice() == looking)
            m_notice->hide();
        if (reply)
            openRun(*reply.value);
        else if (!reply.failure.cancelled) {
            say(told(reply.failure));
            Q_EMIT cannotGo(told(reply.failure));
        }
    });
}

// Looked at only; Migrate is the act.
void MainWindow::showVersions()
{
    const auto [store, run] = currentRunRef();
    if (run.isNull())
        return say(tr("Versions is off: select one run."));
    ++m_looking;
    whenDone(m_stores.source(store).versions(run), this, [this](const Reply<std::vector<Fact>>& reply) {
        --m_looking;
        if (!reply)
            return say(told(reply.failure));
        auto* box = new InfoBox(tr("Versions of its workflow"), *reply.value, false, this);
        box->setObjectName(u"versions"_s);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });
}

void MainWindow::showAbout()
{
    auto* box = new InfoBox(tr("About Cairn"), aboutFacts(m_facts), false, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace cairn::ui
