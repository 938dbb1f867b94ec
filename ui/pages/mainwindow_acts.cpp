// Menus, single letters, and acts: a letter or menu stages, only the sheet executes.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/infobox.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/band.h"
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenuBar>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTabBar>

namespace cairn::ui {

using namespace Qt::StringLiterals;

void MainWindow::buildMenus()
{
    const auto add = [this](QMenu* menu, const QString& text, const QKeySequence& keys,
                         void (MainWindow::*act)()) {
        QAction* action = menu->addAction(text);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, act);
        addAction(action);
    };
    QMenu* file = m_band->menus()->addMenu(u"File"_s);
    add(file, u"Open another store…"_s, QKeySequence(u"Ctrl+O"_s), &MainWindow::askStore);
    add(file, u"Export graph as DOT…"_s, QKeySequence(u"Ctrl+E"_s), &MainWindow::exportDot);
    add(file, u"Close tab"_s, QKeySequence(u"Ctrl+W"_s), &MainWindow::closeCurrent);
    file->addSeparator();
    QAction* quit = file->addAction(u"Quit"_s);
    quit->setShortcut(QKeySequence(u"Ctrl+Q"_s));
    connect(quit, &QAction::triggered, this, &QWidget::close);
    QMenu* edit = m_band->menus()->addMenu(u"Edit"_s);
    add(edit, u"Copy run id"_s, {}, &MainWindow::copyId);
    QMenu* view = m_band->menus()->addMenu(u"View"_s);
    add(view, u"Refresh now"_s, QKeySequence(Qt::Key_F5), &MainWindow::refresh);
    QAction* shade = view->addAction(u"Light / dark"_s);
    shade->setShortcut(QKeySequence(u"Ctrl+Shift+L"_s));
    connect(shade, &QAction::triggered, this, [this] { setDark(!m_dark); });
    QMenu* goMenu = m_band->menus()->addMenu(u"Go"_s);
    add(goMenu, u"Go to a run…"_s, QKeySequence(u"Ctrl+K"_s), &MainWindow::askGo);
    QMenu* run = m_band->menus()->addMenu(u"Run"_s);
    for (const Verb verb :
        {Verb::Approve, Verb::Reject, Verb::Pause, Verb::Resume, Verb::Retry, Verb::Settle, Verb::Cancel})
        connect(run->addAction(verbName(verb) + u"…"_s), &QAction::triggered, this,
            [this, verb] { stage(verb); });
    run->addSeparator();
    add(run, u"Abandon…"_s, {}, &MainWindow::stageAbandon);
    QMenu* help = m_band->menus()->addMenu(u"Help"_s);
    add(help, u"Handbook, about this"_s, QKeySequence(Qt::Key_F1), &MainWindow::showHandbookHere);
    add(help, u"Keys (?)"_s, {}, &MainWindow::showKeys);
    add(help, u"About Cairn"_s, {}, &MainWindow::showAbout);
}

RunRef MainWindow::currentRunRef() const
{
    const RunPage* page = currentRun();
    return page != nullptr ? page->run() : m_triage->run();
}

const WhyView& MainWindow::currentWhy() const
{
    const RunPage* page = currentRun();
    return page != nullptr ? page->detail().why : m_triage->why();
}

void MainWindow::takeLetter(QChar letter, bool shift)
{
    RunPage* page = currentRun();
    if (page != nullptr && page->takeLetter(letter, shift))
        return;
    switch (letter.unicode()) {
    case u'/':
        if (page != nullptr)
            m_tabs->setCurrentIndex(0);
        m_triage->focusFilter();
        return;
    case u'a': return stage(Verb::Approve);
    case u'x': return stage(Verb::Reject);
    case u'h': return stage(shift ? Verb::Resume : Verb::Pause);
    case u'o': return stage(Verb::Settle);
    case u'r': return stage(Verb::Retry);
    case 0x7F: return stage(Verb::Cancel);
    case u'c': return copyId();
    default: return;
    }
}

// The act on all runs that are marked. Only runs of the list are: what one does not see is never acted on.
void MainWindow::stageMarked(Verb verb, bool abandon)
{
    const QString name = abandon ? u"Abandon"_s : verbName(verb);
    if (!BulkSheet::takes(verb))
        return say(
            u"%1 is off for marked runs: each has to be read by itself. Esc takes the marks away."_s.arg(
                name));
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
        return say(u"%1 is off: %2"_s.arg(name, off));
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
    if (currentRun() == nullptr && !m_triage->marked().empty())
        return stageMarked(Verb::Cancel, true);
    for (const VerbLine& line : currentWhy().verbs)
        if (line.abandon)
            return stageLine(line, currentWhy().ref());
    say(u"Abandon is off: nothing here can be stopped."_s);
}

void MainWindow::stage(Verb verb)
{
    if (currentRun() == nullptr && !m_triage->marked().empty())
        return stageMarked(verb, false);
    const WhyView& why = currentWhy();
    const VerbLine* off = nullptr;
    // On a run's page the act is about the step that is selected, where it fits.
    const RunPage* page = currentRun();
    const StepLine* step = page != nullptr ? page->steps()->currentStep() : nullptr;
    const VerbLine* on = nullptr;
    for (const VerbLine& line : why.verbs) {
        if (line.verb != verb || line.abandon)
            continue;
        if (!line.on)
            off = &line;
        else if (on == nullptr || (step != nullptr && line.step == step->id))
            on = &line;
    }
    if (on != nullptr)
        stageLine(*on, why.ref());
    else if (off != nullptr)
        say(verbName(verb) + u" is off: "_s + off->text);
    else if (why.run.isNull() && !currentRunRef().isNull())
        say(verbName(verb) + u" is off: why this run waits has not been read yet."_s);
    else if (why.run.isNull())
        say(verbName(verb) + u" is off: select one run, or mark several with Space."_s);
    else
        say(verbName(verb) + u" is off: nothing in this run asks for it."_s);
}

// A store that does not answer could not say what the act depends on.
QString MainWindow::actsOff(StoreIx store) const
{
    const StoreState& state = m_stores.state(store);
    if (!state.facts.mayAct)
        return state.facts.whyNot;
    if (!state.takesActs())
        return (m_stores.several() ? state.name : u"the store"_s) + u" does not answer"_s;
    return {};
}

void MainWindow::stageLine(const VerbLine& verb, const RunRef& run)
{
    if (const QString off = actsOff(run.store); !off.isEmpty()) {
        say(u"%1 is off: %2"_s.arg(verb.name, off));
        return;
    }
    if (!verb.on) {
        say(u"%1 is off: %2"_s.arg(verb.name, verb.text));
        return;
    }
    if (m_sheet != nullptr)
        return;
    ActRequest request;
    request.verb = verb.verb;
    request.store = run.store;
    request.run = run.run;
    request.step = verb.step;
    request.approval = verb.approval;
    request.compensate = !verb.abandon;
    m_sheet = new ActSheet(m_stores.source(run.store), m_stores.state(run.store).facts, request, this);
    m_sheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_sheet, &ActSheet::ended, this, [this, run](const ActResult& result) { actEnded(result, run); });
    helpOn(*m_sheet, verb.verb);
    m_sheet->open();
}

void MainWindow::actEnded(const ActResult& result, const RunRef& run)
{
    QString text = result.text;
    if (result.ownerElsewhere)
        text += u" The engine that owns the run acts on it within a second."_s;
    if (result.auditSeq != 0)
        text += u" Audit entry %1."_s.arg(countText(result.auditSeq));
    if (m_stores.several())
        text = m_stores.nameOf(run.store) + u": "_s + text;
    say(text);
    m_stores.poll();
    m_triage->refresh();
    for (int i = 1; i < m_pages->count(); ++i)
        if (auto* page = static_cast<RunPage*>(m_pages->widget(i)); page->run() == run)
            page->load();
}

void MainWindow::copyId()
{
    const RunId run = currentRunRef().run;
    if (run.isNull())
        return say(u"Copy is off: select one run."_s);
    QApplication::clipboard()->setText(idText(run));
    say(u"Copied "_s + idText(run));
}

void MainWindow::exportDot()
{
    const auto [store, run] = currentRunRef();
    if (run.isNull())
        return say(u"Export is off: select one run."_s);
    const QString path =
        QFileDialog::getSaveFileName(this, u"Export graph"_s, shortId(run).remove(u'…') + u".dot"_s);
    if (path.isEmpty())
        return;
    whenDone(m_stores.source(store).dot(run), this, [this, path](const Reply<QString>& reply) {
        if (!reply)
            return trouble(reply.failure.what);
        QSaveFile file(path);
        const bool written =
            file.open(QIODevice::WriteOnly) && file.write(reply.value->toUtf8()) >= 0 && file.commit();
        say(written ? u"Exported the graph as DOT text."_s
                    : u"Could not write the file: "_s + file.errorString());
    });
}

void MainWindow::askGo()
{
    auto* box = new GoBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &GoBox::chosen, this, &MainWindow::go);
    box->open();
}

void MainWindow::askStore()
{
    auto* box = new OpenBox(this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    connect(box, &OpenBox::chosen, this, &MainWindow::storeWanted);
    box->open();
}

void MainWindow::go(const QString& text)
{
    m_going = text;
    whenDone(m_stores.find(text), this, [this, text](const Reply<RunRef>& reply) {
        if (m_going == text)
            m_going.clear();
        if (reply)
            openRun(*reply.value);
        else if (!reply.failure.cancelled) {
            say(reply.failure.what + u' ' + reply.failure.todo);
            Q_EMIT cannotGo(reply.failure.what);
        }
    });
}

void MainWindow::showKeys()
{
    auto* box = new InfoBox(u"Keys"_s, allKeys(), true, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::showAbout()
{
    auto* box = new InfoBox(u"About Cairn"_s, aboutFacts(m_facts), false, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace cairn::ui
