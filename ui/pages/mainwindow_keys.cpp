// What the window can be asked to do: one table, from which menus, shortcuts, single letters, the palette and
// the map of keys are made.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/infobox.h"
#include "ui/dialogs/palette.h"
#include "ui/dialogs/preferencesbox.h"
#include "ui/dialogs/reasonfield.h"
#include "ui/pages/dataview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/notifier.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/band.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/keystrip.h"
#include "ui/widgets/letters.h"
#include "ui/widgets/theme.h"

#include <QMenuBar>
#include <QTabBar>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

const QChar kDelete(0x7F);

ActPlace placeOf(const MainWindow& window)
{
    return window.currentRun() != nullptr  ? ActPlace::Run
        : window.currentAudit() != nullptr ? ActPlace::Audit
        : window.currentPlans() != nullptr ? ActPlace::Plans
                                           : ActPlace::Lists;
}

}  // namespace

void MainWindow::buildActions()
{
    addFileActions();
    addViewActions();
    addVerbActions();
    addPlanActions();
    addTold();
    addRunKeys();
    addMoveActions();
}

void MainWindow::addFileActions()
{
    const auto act = [this](void (MainWindow::*method)()) { return [this, method] { (this->*method)(); }; };
    m_actions.add({u"file.open"_s, tr("File"), tr("Open another store…"), QKeySequence(u"Ctrl+O"_s), {},
        false, {}, ActPlace::Anywhere, act(&MainWindow::askStore)});
    m_actions.add({u"file.export"_s, tr("File"), tr("Export runs…"), QKeySequence(u"Ctrl+E"_s), {}, false, {},
        ActPlace::Anywhere, act(&MainWindow::exportRuns)});
    m_actions.add({u"file.dot"_s, tr("File"), tr("Export graph as DOT…"), {}, {}, false, {},
        ActPlace::Anywhere, act(&MainWindow::exportDot)});
    m_actions.add({u"file.close"_s, tr("File"), tr("Close tab"), QKeySequence(u"Ctrl+W"_s), {}, false, {},
        ActPlace::Anywhere, act(&MainWindow::closeCurrent)});
    m_actions.add({u"file.quit"_s, tr("File"), tr("Quit"), QKeySequence(u"Ctrl+Q"_s), {}, false, {},
        ActPlace::Anywhere, [this] { close(); }, {}, true});
    m_actions.add({u"edit.link"_s, tr("Edit"), tr("Copy link"), {}, u'c', true, {}, ActPlace::Anywhere,
        act(&MainWindow::copyLink)});
    m_actions.add({u"edit.copy"_s, tr("Edit"), tr("Copy run id"), {}, u'c', false, {}, ActPlace::Anywhere,
        act(&MainWindow::copyId)});
    m_actions.add({u"edit.message"_s, tr("Edit"), tr("Copy the last message"), {}, {}, false, {},
        ActPlace::Anywhere, act(&MainWindow::copySaid),
        [this] { return m_lastSaid.isEmpty() ? tr("nothing has been said yet.") : QString(); }});
}

void MainWindow::addViewActions()
{
    const auto act = [this](void (MainWindow::*method)()) { return [this, method] { (this->*method)(); }; };
    m_actions.add({u"view.refresh"_s, tr("View"), tr("Refresh now"), QKeySequence(Qt::Key_F5), {}, false, {},
        ActPlace::Anywhere, act(&MainWindow::refresh)});
    m_actions.add({u"view.dark"_s, tr("View"), tr("Light / dark"), QKeySequence(u"Ctrl+Shift+L"_s), {}, false,
        {}, ActPlace::Anywhere, [this] { setDark(!m_dark); }});
    const auto turn = [this](int by) {
        return [this, by] {
            m_tabs->setCurrentIndex((m_tabs->currentIndex() + by + m_tabs->count()) % m_tabs->count());
        };
    };
    m_actions.add({u"view.next-tab"_s, tr("View"), tr("Next tab"), QKeySequence(u"Ctrl+Tab"_s), {}, false, {},
        ActPlace::Anywhere, turn(1)});
    m_actions.add({u"view.last-tab"_s, tr("View"), tr("Previous tab"), QKeySequence(u"Ctrl+Shift+Tab"_s), {},
        false, {}, ActPlace::Anywhere, turn(-1)});
    m_actions.add({u"view.zone"_s, tr("View"), tr("UTC / local time"), {}, {}, false, {}, ActPlace::Anywhere,
        act(&MainWindow::switchZone)});
    m_actions.add({u"view.letters"_s, tr("View"), tr("Single-letter keys on / off"), {}, {}, false, {},
        ActPlace::Anywhere, [this] {
            Preferences other = m_preferences;
            other.letters = !m_actions.lettersOn();
            setPreferences(other);
            say(m_actions.lettersOn() ? tr("Single-letter keys are on.")
                                      : tr("Single-letter keys are off: Ctrl+K has everything they did."));
        }});
    m_actions.add({u"edit.preferences"_s, tr("Edit"), tr("Preferences…"), QKeySequence(u"Ctrl+,"_s), {},
        false, {}, ActPlace::Anywhere, act(&MainWindow::askPreferences)});
    m_actions.add({u"go.palette"_s, tr("Go"), tr("Go to anything…"), QKeySequence(u"Ctrl+K"_s), u':', false,
        {}, ActPlace::Anywhere, act(&MainWindow::showPalette)});
    m_actions.add({u"go.filter"_s, tr("Go"), tr("Edit the filter"), {}, u'/', false, {}, ActPlace::Anywhere,
        [this] { goTo(u'/'); }});
    const std::pair<QChar, QString> places[] = {{u'a', tr("Attention")}, {u's', tr("Situations")},
        {u'r', tr("Runs")}, {u'v', tr("Saved views")}, {u'c', tr("Stores")}};
    for (const auto& [letter, title] : places)
        m_actions.add({u"go."_s + letter, tr("Go"), title, {}, {}, false, u"G "_s + letter.toUpper(),
            ActPlace::Anywhere, [this, letter = letter] { goTo(letter); }});
    m_actions.add({u"go.l"_s, tr("Go"), tr("Audit log"), {}, {}, false, u"G L"_s, ActPlace::Anywhere,
        [this] { openAudit(); }});
    m_actions.add({u"go.p"_s, tr("Go"), tr("Plans"), {}, {}, false, u"G P"_s, ActPlace::Anywhere,
        [this] { openPlans(); }});
    m_actions.add({u"go.report"_s, tr("Go"), tr("Report"), {}, {}, false, {}, ActPlace::Anywhere,
        [this] { openReport(); }});
    m_actions.add({u"help.handbook"_s, tr("Help"), tr("Handbook, about this"), QKeySequence(Qt::Key_F1), {},
        false, {}, ActPlace::Anywhere, act(&MainWindow::showHandbookHere)});
    m_actions.add({u"help.keys"_s, tr("Help"), tr("Keys"), {}, {}, false, u"?"_s, ActPlace::Anywhere,
        act(&MainWindow::showKeys)});
    m_actions.add({u"help.about"_s, tr("Help"), tr("About Cairn"), {}, {}, false, {}, ActPlace::Anywhere,
        act(&MainWindow::showAbout)});
}

void MainWindow::addVerbActions()
{
    struct VerbKey {
        Verb verb;
        QChar letter;
        bool shift;
    };
    const VerbKey verbs[] = {{Verb::Approve, u'a', false}, {Verb::Reject, u'x', false},
        {Verb::Pause, u'h', false}, {Verb::Resume, u'h', true}, {Verb::Retry, u'r', false},
        {Verb::Settle, u'o', false}, {Verb::Cancel, kDelete, false}};
    for (const VerbKey& one : verbs)
        m_actions.add({u"run."_s + verbSlug(one.verb), tr("Run"), verbName(one.verb) + u"…"_s, {}, one.letter,
            one.shift, {}, ActPlace::Anywhere, [this, verb = one.verb] { stage(verb); },
            [this, verb = one.verb] { return verbOff(verb); }});
    const VerbKey more[] = {{Verb::Assign, u't', false}, {Verb::Note, u'n', false}, {Verb::Hold, {}, false},
        {Verb::Skip, {}, false}, {Verb::Record, {}, false}, {Verb::Amend, {}, false},
        {Verb::Deadline, {}, false}, {Verb::Budget, {}, false}, {Verb::Migrate, {}, false},
        {Verb::Takeover, {}, false}, {Verb::Slow, u'p', false}, {Verb::Redact, {}, false},
        {Verb::Fork, u'm', false}, {Verb::Compensate, {}, false}};
    for (const VerbKey& one : more)
        m_actions.add({u"run."_s + verbSlug(one.verb), tr("Run"), verbName(one.verb) + u"…"_s,
            one.verb == Verb::Skip ? QKeySequence(u"Ctrl+Shift+S"_s) : QKeySequence(), one.letter, one.shift,
            {}, ActPlace::Anywhere, [this, verb = one.verb] { stage(verb); },
            [this, verb = one.verb] { return verbOff(verb); }, one.verb == Verb::Assign});
    m_actions.add({u"run.versions"_s, tr("Run"), tr("Which versions would take it"), {}, u'v', false, {},
        ActPlace::Anywhere, [this] { showVersions(); }});
    m_actions.add({u"run.abandon"_s, tr("Run"), tr("Abandon…"), {}, {}, false, {}, ActPlace::Anywhere,
        [this] { stageAbandon(); }, {}, true});
}

// Keys that a table or another widget takes by itself.
void MainWindow::addTold()
{
    const auto told = [this](ActPlace place, const QString& keys, const QString& title) {
        m_actions.add(
            {u"told.%1."_s.arg(static_cast<int>(place)) + keys, {}, title, {}, {}, false, keys, place});
    };
    told(ActPlace::Anywhere, tr("arrows, J K"), tr("move"));
    told(ActPlace::Anywhere, tr("Enter, Esc"), tr("open, back"));
    told(ActPlace::Anywhere, tr("F6, Shift+F6"), tr("next, previous panel"));
    told(ActPlace::Lists, tr("Space, Shift+arrows"), tr("mark a run, mark a range"));
    told(ActPlace::Lists, tr("Ctrl+A"), tr("mark all runs that are shown"));
    told(ActPlace::Lists, tr("Ctrl+Shift+A"), tr("mark all runs that match, shown or not"));
    told(ActPlace::Lists, tr("E, Shift+E"), tr("next, previous run that needs somebody"));
    told(ActPlace::Lists, tr("F"), tr("show only what is not finished"));
    told(ActPlace::Lists, tr("Left, Right"), tr("another cell of the row"));
    told(ActPlace::Lists, tr("+ - _"), tr("filter by the cell: only this, not this, group by this"));
    told(ActPlace::Lists, tr("Ctrl+Backspace"), tr("where nothing matches: drop the term that hides most"));
    told(ActPlace::Lists, tr("Ctrl+Space"), tr("in the filter: what can stand here"));
    told(ActPlace::Run, tr("E, Shift+E"), tr("next, previous problem"));
    told(ActPlace::Run, tr("F"), tr("show only what is not finished"));
    told(ActPlace::Run, tr("1 … 8"), tr("steps, timeline, history, data, relations, acts, compare, context"));
    told(ActPlace::Run, tr("[, ]"), tr("the run as it was one version earlier, later"));
    told(ActPlace::Run, tr("L"), tr("the timeline as a list"));
    told(ActPlace::Run, tr("Z"), tr("history: compact, or every entry"));
    told(ActPlace::Run, tr("D"), tr("compare the last two attempts, or what an act changed"));
    told(ActPlace::Run, tr("Ctrl+F, F3"), tr("find in a payload, next match"));
    told(ActPlace::Run, tr("Ctrl+PgDn"), tr("next way to show a payload"));
    told(ActPlace::Run, tr("Backspace"), tr("up to the parent run"));
    told(ActPlace::Run, tr("+ - 0"), tr("graph and timeline: nearer, farther, fit"));
    told(ActPlace::Audit, tr("V"), tr("verify, or stop it"));
    told(ActPlace::Plans, tr("A, X"), tr("confirm, reject what somebody else proposed"));
    told(ActPlace::Plans, tr("S"), tr("start the plan"));
    told(ActPlace::Plans, tr("H, Shift+H"), tr("pause the plan, let it go on"));
    told(ActPlace::Plans, tr("Delete"), tr("abort the plan, or withdraw your own act while it waits"));
    told(ActPlace::Plans, tr("Y"), tr("copy as command"));
    told(ActPlace::Plans, tr("D"), tr("compare a run of the plan, before the act and now"));
    told(ActPlace::Sheet, tr("Ctrl+Enter"), tr("execute, inside a sheet only"));
}

// What a run's page does by single keys, for whoever has switched those off, or looks for it in a menu.
void MainWindow::addRunKeys()
{
    const auto off = [this] { return currentRun() != nullptr ? QString() : tr("open a run first."); };
    const auto with = [this](const std::function<void(RunPage&)>& act) {
        return [this, act] {
            if (RunPage* page = currentRun())
                act(*page);
            else
                say(tr("That is off: open a run first."));
        };
    };
    const QString views[] = {tr("Run: steps"), tr("Run: timeline"), tr("Run: history"), tr("Run: data"),
        tr("Run: relations"), tr("Run: acts"), tr("Run: compare"), tr("Run: context")};
    const QStringList names = RunPage::viewNames();
    for (int i = 0; i < static_cast<int>(std::size(views)); ++i)
        m_actions.add({u"view.run-"_s + names.at(i), tr("View"), views[i],
            QKeySequence(QKeyCombination(Qt::CTRL, static_cast<Qt::Key>(Qt::Key_1 + i))), {}, false, {},
            ActPlace::Run, with([i](RunPage& page) { page.showView(i + 1); }), off, i == 0});
    struct RunKey {
        QString id;
        QString title;
        QChar letter;
        bool shift;
    };
    const RunKey keys[] = {{u"view.run-next-problem"_s, tr("Run: next problem"), u'e', false},
        {u"view.run-last-problem"_s, tr("Run: previous problem"), u'e', true},
        {u"view.run-unfinished"_s, tr("Run: only what is not finished"), u'f', false},
        {u"view.run-earlier"_s, tr("Run: one version earlier"), u'[', false},
        {u"view.run-later"_s, tr("Run: one version later"), u']', false},
        {u"view.run-list"_s, tr("Run: timeline as a list"), u'l', false},
        {u"view.run-compact"_s, tr("Run: history, compact or every entry"), u'z', false},
        {u"view.run-changed"_s, tr("Run: compare the last two attempts"), u'd', false}};
    for (const RunKey& one : keys)
        m_actions.add({one.id, tr("View"), one.title, {}, {}, false, {}, ActPlace::Run,
            with([letter = one.letter, shift = one.shift](
                     RunPage& page) { static_cast<void>(page.takeLetter(letter, shift)); }),
            off, one.letter == u'e' && !one.shift});
}

void MainWindow::addRunHints(const QString& place, std::vector<KeyHint>& hints)
{
    const bool value = place == DataView::tr("Value");
    if (place == RunPage::tr("Timeline"))
        hints.insert(hints.end(), {{{u"+"_s, u"-"_s, u"0"_s}, tr("zoom")}, {{u"L"_s}, tr("list")}});
    if (value)
        hints.insert(hints.end(),
            {{{u"Ctrl F"_s}, tr("find")}, {{u"F3"_s}, tr("next match")},
                {{u"C"_s, u"⇧C"_s}, tr("copy path, value")}});
    hints.push_back({{u"E"_s}, tr("next problem")});
    hints.push_back({{u"F"_s}, tr("only unfinished")});
    hints.push_back({{u"1"_s, u"8"_s}, tr("views")});
    hints.push_back({{u"["_s, u"]"_s}, tr("version")});
    hints.push_back({{u"Esc"_s}, tr("back")});
    if (!value)  // there it copies the path
        hints.push_back({{u"C"_s}, tr("copy id")});
}

void MainWindow::buildMenus()
{
    QMap<QString, QMenu*> menus;
    for (const QString& title :
        {tr("File"), tr("Edit"), tr("View"), tr("Go"), tr("Run"), tr("Plan"), tr("Help")})
        menus.insert(title, m_band->menus()->addMenu(u'&' + title));
    for (const WindowAction& one : m_actions.all()) {
        QMenu* menu = menus.value(one.menu);
        if (menu == nullptr)
            continue;
        if (one.separated)
            menu->addSeparator();
        QAction* action = menu->addAction(one.title);
        action->setObjectName(one.id);
        action->setShortcut(one.keys);
        connect(action, &QAction::triggered, this, one.run);
        addAction(action);
    }
}

void MainWindow::setLettersOn(bool on) { m_actions.setLettersOn(on); }

// --- preferences

void MainWindow::usePreferencesFile(const QString& path)
{
    whenDone(m_preferencesFile.load(path), this, [this, path](const Reply<Preferences>& reply) {
        m_usesTray = true;
        setPreferences(reply ? *reply.value : m_preferences);
        ReasonTemplates& reasons = ReasonTemplates::instance();
        reasons.setTexts(m_preferences.reasons);
        connect(&reasons, &ReasonTemplates::changed, this, [this] {
            Preferences other = m_preferences;
            other.reasons = ReasonTemplates::instance().texts();
            setPreferences(other);
        });
        m_preferencesPath = path;
        m_notifier->start();
    });
}

void MainWindow::setPreferences(const Preferences& preferences)
{
    const bool other = preferences != m_preferences;
    const bool shade = preferences.shade != m_preferences.shade;
    const bool look =
        preferences.contrast != m_preferences.contrast || preferences.colours != m_preferences.colours;
    m_preferences = preferences;
    setLettersOn(preferences.letters);
    QString wrong;
    Letters::bind(Letters::parse(preferences.bound, wrong).value_or(Letters::Bound()));
    if (!wrong.isEmpty())
        say(tr("The keys of the preferences are not bound: %1.").arg(wrong));
    m_triage->setRowSize(preferences.dense ? 22 : 28);
    m_notifier->setRules(preferences.rules);
    m_notifier->setTray(preferences.tray && m_usesTray);
    if (preferences.localTime != localTime())
        switchZone();
    if (shade)
        setDark(
            preferences.shade == Shade::System ? platformPrefersDark() : preferences.shade == Shade::Dark);
    else if (look)
        setDark(m_dark);
    writeKeys();
    if (other && !m_preferencesPath.isEmpty())
        m_preferencesFile.save(m_preferencesPath, m_preferences);
}

ThemeLook MainWindow::look() const
{
    ThemeLook look{.dark = m_dark,
        .contrast =
            m_preferences.contrast || (m_preferences.shade == Shade::System && platformPrefersContrast())};
    for (std::size_t i = 0; i < kFamilies; ++i)
        if (!m_preferences.colours[i].isEmpty())
            look.own[i] = QColor(m_preferences.colours[i]);
    return look;
}

void MainWindow::askPreferences()
{
    auto* box = new PreferencesBox(m_preferences, this);
    connect(box, &PreferencesBox::changed, this, &MainWindow::setPreferences);
    box->open();
}

// A notice leads to the lists; what one may do there is asked of the store anew.
void MainWindow::connectNotifier()
{
    m_notifier->setRules(m_preferences.rules);
    connect(m_notifier, &Notifier::noticed, this,
        [this](const Notice& notice) { say(notice.title + u": "_s + notice.text); });
    connect(m_notifier, &Notifier::chosen, this, [this](const Notice& notice) {
        showNormal();
        raise();
        activateWindow();
        goTo(notice.ofPlan() ? u'p' : u's');
        if (!notice.situation.isEmpty() && !notice.ofPlan()) {
            const QString which =
                m_stores.several() ? termOf(u"store"_s, m_stores.nameOf(notice.store)) + u' ' : QString();
            m_triage->filterBox()->setFilter(which + termOf(u"situation"_s, notice.situation));
        }
        refresh();
    });
}

void MainWindow::switchZone()
{
    setLocalTime(!localTime());
    tick();
    refresh();
}

// g, then a letter: to a panel of the lists.
void MainWindow::goTo(QChar letter)
{
    if (!onLists())
        m_tabs->setCurrentIndex(0);
    QWidget* panel = letter == u'a' ? m_triage->attentionTable()
        : letter == u's'            ? m_triage->situationsTable()
        : letter == u'r'            ? m_triage->runsTable()
        : letter == u'v'            ? m_triage->viewsTable()
        : letter == u'c'            ? m_triage->storesTable()
                                    : nullptr;
    if (letter == u'/')
        m_triage->focusFilter();
    else if (panel != nullptr && panel->isVisible())
        panel->setFocus(Qt::ShortcutFocusReason);
    else if (panel != nullptr)
        say(letter == u'v' ? tr("No view has been saved.")
                           : tr("One store is open; its name is in the band."));
    writeKeys();
}

void MainWindow::takeLetter(QChar letter, bool shift)
{
    if (!m_actions.lettersOn())
        return;
    if (std::exchange(m_goPending, false)) {
        if (const WindowAction* action = m_actions.find(u"go."_s + letter))
            action->run();
        return;
    }
    if (letter == u'g' && !shift) {
        m_goPending = true;
        return;
    }
    RunPage* page = currentRun();
    if (page != nullptr && page->takeLetter(letter, shift))
        return;
    if (takePlanLetter(letter, shift) || (onLists() && m_triage->takeLetter(letter, shift)))
        return;
    if (const WindowAction* action = m_actions.byLetter(letter, shift))
        action->run();
}

// --- palette and map

void MainWindow::showPalette()
{
    std::vector<PaletteEntry> entries;
    for (const WindowAction& action : m_actions.all()) {
        if (!action.run || action.id == u"go.palette"_s)
            continue;
        const QString off = action.whyOff ? action.whyOff() : QString();
        const QString menu = action.menu.isEmpty() ? QString() : action.menu + u": "_s;
        entries.push_back({menu + action.title, off.isEmpty() ? m_actions.keysOf(action) : tr("off: ") + off,
            off.isEmpty(), action.run});
    }
    for (const SavedView& view : m_triage->views())
        entries.push_back({tr("View: ") + view.name, view.filter, true, [this, view] {
                               goTo(u'r');
                               m_triage->showView(view);
                           }});
    const auto more = [this](const QString& text) {
        return std::vector<PaletteEntry>{{tr("Go to run %1").arg(text), tr("id, its beginning, or key"), true,
            [this, text] { go(text); }}};
    };
    auto* box = new Palette(std::move(entries), more, this);
    box->setObjectName(u"palette"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::showKeys()
{
    auto* box = new InfoBox(tr("Keys"), m_actions.map(placeOf(*this)), true, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

}  // namespace cairn::ui
