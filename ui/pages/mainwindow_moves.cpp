// Where one was before, what would happen if, and a window that does nothing for a while.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/namebox.h"
#include "ui/dialogs/palette.h"
#include "ui/pages/compareview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"

#include <QStackedWidget>
#include <QTabBar>

#include <algorithm>
#include <tuple>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kTrail = 200;  // visits that are kept
}  // namespace

void MainWindow::addMoveActions()
{
    m_actions.add({u"go.back"_s, tr("Go"), tr("Back"), QKeySequence(u"Alt+Left"_s), {}, false, {},
        ActPlace::Anywhere, [this] { walk(true); }, {}, true});
    m_actions.add({u"go.forward"_s, tr("Go"), tr("Forward"), QKeySequence(u"Alt+Right"_s), {}, false, {},
        ActPlace::Anywhere, [this] { walk(false); }});
    m_actions.add({u"go.tab"_s, tr("Go"), tr("New tab…"), QKeySequence(u"Ctrl+T"_s), {}, false, {},
        ActPlace::Anywhere, [this] { newTab(); }});
    m_actions.add({u"go.version"_s, tr("Go"), tr("Version of the run…"), QKeySequence(u"Ctrl+G"_s), {}, false,
        {}, ActPlace::Run, [this] { askVersion(); },
        [this] { return currentRun() != nullptr ? QString() : tr("open a run first: Enter."); }});
    m_actions.add({u"view.read-only"_s, tr("View"), tr("Read-only on / off"), QKeySequence(u"Ctrl+Shift+R"_s),
        {}, false, {}, ActPlace::Anywhere, [this] { setReadOnly(!m_readOnly); }, {}, true});
    addListActions();
}

void MainWindow::addListActions()
{
    const auto lists = [this] { return onLists() ? QString() : tr("it is about the lists: G R."); };
    m_actions.add({u"view.newest"_s, tr("View"), tr("Runs: newest first / who moves next"), {}, u's', false,
        {}, ActPlace::Lists,
        [this] {
            if (onLists())
                m_triage->setNewestFirst(!m_triage->newestFirst());
        },
        lists, true});
    using Panel = TriagePage::Panel;
    const std::tuple<QString, QString, Panel> panels[] = {
        {u"view.panel-attention"_s, tr("Attention on / off"), Panel::Attention},
        {u"view.panel-why"_s, tr("Why on / off"), Panel::Why}};
    for (const auto& [id, title, panel] : panels)
        m_actions.add({id, tr("View"), title, {}, {}, false, {}, ActPlace::Lists,
            [this, panel = panel] { m_triage->setPanelShown(panel, !m_triage->panelShown(panel)); }, lists});
    m_actions.add({u"view.layout-reset"_s, tr("View"), tr("Layout as it was"), {}, {}, false, {},
        ActPlace::Lists, [this] { m_triage->resetLayout(); }, lists});
    // By single keys as well: for whoever has switched those off.
    struct ListKey {
        QString id;
        QString title;
        QChar letter;
        bool shift;
    };
    const ListKey keys[] = {{u"view.list-next-problem"_s, tr("Runs: next that needs somebody"), u'e', false},
        {u"view.list-last-problem"_s, tr("Runs: previous that needs somebody"), u'e', true},
        {u"view.list-unfinished"_s, tr("Runs: only what is not finished"), u'f', false}};
    for (const ListKey& one : keys)
        m_actions.add({one.id, tr("View"), one.title, {}, {}, false, {}, ActPlace::Lists,
            [this, letter = one.letter, shift = one.shift] {
                if (onLists())
                    static_cast<void>(m_triage->takeLetter(letter, shift));
            },
            lists});
    m_actions.add({u"view.group-situation"_s, tr("View"), tr("Group by situation"), {}, {}, false, {},
        ActPlace::Lists, [this] { m_triage->setGrouping(u"situation"_s); }, lists});
    for (const QString& field : TriagePage::groupingFields())
        m_actions.add({u"view.group-"_s + field, tr("View"), tr("Group by %1").arg(field), {}, {}, false, {},
            ActPlace::Lists, [this, field] { m_triage->setGrouping(field); }, lists});
    m_actions.add({u"view.group-none"_s, tr("View"), tr("Group by nothing: runs only"), {}, {}, false, {},
        ActPlace::Lists, [this] { m_triage->setGrouping({}); }, lists});
    m_actions.add(
        {u"run.compare"_s, tr("Run"), tr("Compare the two marked runs"), {}, u'd', false, {}, ActPlace::Lists,
            [this] {
                if (onLists())
                    compareMarked();
            },
            lists, true});
    m_actions.add({u"run.what-if"_s, tr("Run"), tr("What if…"), {}, u'w', false, {}, ActPlace::Anywhere,
        [this] { whatIf(); }, {}, true});
}

// --- the trail

void MainWindow::noteVisit()
{
    if (m_walking)
        return;
    if (m_trail.empty())
        m_trail.emplace_back(m_triage);  // where everything begins
    QWidget* page = m_pages->currentWidget();
    if (m_trail.size() > m_here && m_trail[m_here] == page)
        return;
    m_trail.resize(std::min(m_trail.size(), m_here + 1));
    m_trail.emplace_back(page);
    if (m_trail.size() > kTrail)
        m_trail.erase(m_trail.begin());
    m_here = m_trail.size() - 1;
}

// A tab that was closed meanwhile is passed over.
void MainWindow::walk(bool back)
{
    for (std::size_t at = m_here; back ? at > 0 : at + 1 < m_trail.size();) {
        at = back ? at - 1 : at + 1;
        const int tab = m_trail[at].isNull() ? -1 : m_pages->indexOf(m_trail[at]);
        if (tab < 0 || tab == m_pages->currentIndex())
            continue;
        m_here = at;
        m_walking = true;
        m_tabs->setCurrentIndex(tab);
        m_walking = false;
        return;
    }
    say(back ? tr("Nothing was looked at before this.") : tr("Nothing was looked at after this."));
}

// The run that is selected in the lists; elsewhere, whatever one names.
void MainWindow::newTab()
{
    if (onLists() && !currentRunRef().isNull())
        openRun(currentRunRef());
    else
        showPalette();
}

// The run as it was then; the newest version is now.
void MainWindow::askVersion()
{
    RunPage* page = currentRun();
    if (page == nullptr || page->newest().version == 0)
        return say(tr("Version is off: open a run first."));
    const quint64 newest = page->newest().version;
    auto* box = new NameBox(
        tr("Go to version"), tr("Version, from 1 to %1, which is now").arg(countText(newest)), this);
    connect(box, &NameBox::chosen, page, [this, page, newest](const QString& text) {
        bool number = false;
        const quint64 version = text.trimmed().toULongLong(&number);
        if (!number || version == 0 || version > newest)
            return say(tr("The run has no version %1: it has 1 to %2.")
                           .arg(shown(text, false, 40), countText(newest)));
        page->travelTo(version);
    });
    box->open();
}

// --- read-only

void MainWindow::setReadOnly(bool on)
{
    m_readOnly = on;
    showBand();
    say(on ? tr("This window is read-only: it stages and executes nothing. Ctrl+Shift+R ends that.")
           : tr("This window is not read-only any more: acts are possible as the store and your rights "
                "allow."));
}

QString MainWindow::readOnlyText() const
{
    return m_readOnly ? tr("this window is read-only: Ctrl+Shift+R ends that") : QString();
}

// --- two runs, and what if

void MainWindow::compareMarked()
{
    const std::vector<RunLine> marked = m_triage->marked();
    if (marked.size() != 2)
        return say(tr("Compare is off: mark two runs with Space."));
    if (marked.front().store != marked.back().store)
        return say(tr("Compare is off: the two marked runs are of two stores."));
    RunPage* page = openRun(marked.front().ref());
    page->showNamed(u"compare"_s);
    page->comparison()->compare(u"now"_s, idText(marked.back().run));
}

// Previews of what can be done here, which write nothing: their sheets have no button that executes.
void MainWindow::whatIf()
{
    std::vector<PaletteEntry> entries;
    for (const std::vector<VerbLine>* lines : {&currentWhy().verbs, &currentWhy().more})
        for (const VerbLine& line : *lines) {
            const QString step = line.step.isEmpty() ? QString() : u", "_s + line.step;
            if (!line.situation.isEmpty()) {
                entries.push_back({tr("What if: %1").arg(line.name),
                    tr("off: of several runs the plan's sheet shows it, before anything is staged"), false,
                    {}});
                continue;
            }
            entries.push_back(
                {tr("What if: %1").arg(line.name + step), line.on ? line.text : tr("off: ") + line.text,
                    line.on, [this, line, run = currentWhy().ref()] { openSheet(line, run, true); }});
        }
    if (entries.empty())
        return say(tr("What if is off: select one run."));
    auto* box = new Palette(
        std::move(entries), [](const QString&) { return std::vector<PaletteEntry>(); }, this);
    box->setObjectName(u"what-if"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace cairn::ui
