// The stores of the window: what the band says of them, and what is said when one falls silent.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/connectbox.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/band.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/safetext.h"

#include <QCoreApplication>
#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(mainwindow_stores)
};

bool production(const StoreFacts& facts)
{
    return facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive);
}

// The word over several: all environments, production first.
QString wordOf(const std::vector<StoreFacts>& all)
{
    QStringList words;
    for (const StoreFacts& facts : all)
        if (const QString word =
                production(facts) ? Words::tr("PROD") : shown(facts.environment, false, 12).toUpper();
            !words.contains(word)) {
            if (production(facts))
                words.prepend(word);
            else
                words << word;
        }
    return words.join(u" + "_s);
}

// How many of each level, where they differ.
QString levelOf(const std::vector<StoreFacts>& all)
{
    quint64 look = 0;
    quint64 guarded = 0;
    for (const StoreFacts& facts : all) {
        look += facts.mayAct ? 0 : 1;
        guarded += facts.mayAct && facts.guarded ? 1 : 0;
    }
    const quint64 free = all.size() - look - guarded;
    QStringList parts;
    for (const auto& [count, word] :
        {std::pair{guarded, Words::tr("guarded")}, {free, Words::tr("free")}, {look, Words::tr("look only")}})
        if (count == all.size())
            return {};  // as one store says it
        else if (count > 0)
            parts << countText(count) + u' ' + word;
    return parts.join(u", "_s);
}

// One that stands for all: the colour is the strictest one's.
StoreFacts standFor(const std::vector<StoreFacts>& all, std::size_t count)
{
    StoreFacts sum = all.front();
    sum.name = Words::tr("%1 stores").arg(count);
    sum.mayAct = sum.closed = false;
    for (const StoreFacts& facts : all) {
        if (production(facts))
            sum.environment = facts.environment;
        sum.guarded = sum.guarded || facts.guarded;
        sum.mayAct = sum.mayAct || facts.mayAct;
        sum.testClock = sum.testClock || facts.testClock;
        if (facts.person != sum.person)
            sum.person = Words::tr("a login of each");
    }
    if (!std::all_of(
            all.begin(), all.end(), [](const StoreFacts& facts) { return facts.standing.standby(); }))
        sum.standing = {};
    sum.closed = std::all_of(all.begin(), all.end(), [](const StoreFacts& facts) { return facts.closed; });
    return sum;
}

QString liveText(qint64 age)
{
    if (age < 0)
        return Words::tr("nothing read yet");
    return age < 3000 ? Words::tr("live") : Words::tr("read %1 ago").arg(durationText(age / 1000 * 1000));
}

}  // namespace

void MainWindow::connectStores()
{
    connect(&m_stores, &Stores::opened, this, &MainWindow::storeOpened);
    connect(&m_stores, &Stores::cannotOpen, this, &MainWindow::storeFailed);
    connect(&m_stores, &Stores::heard, this, &MainWindow::storeHeard);
    connect(&m_stores, &Stores::factsChanged, this, &MainWindow::storeChanged);
    connect(&m_stores, &Stores::changed, this, &MainWindow::applyChanges);
    connect(&m_stores, &Stores::fuller, m_triage, &TriagePage::again);
}

void MainWindow::storeOpened(StoreIx store)
{
    noteRecent(store);
    showBand();
    writeTabs();
    if (std::exchange(m_begun, true)) {
        m_triage->again();
        return;
    }
    m_triage->load();
    m_triage->focusRuns();
    writeKeys();
    setPolling(true);
    Q_EMIT ready();
}

void MainWindow::storeFailed(StoreIx store, const Failure& failure)
{
    bool hope = false;
    for (StoreIx other = 0; other < m_stores.count(); ++other)
        hope = hope || m_stores.state(other).opened || m_stores.state(other).trouble.isEmpty();
    if (!m_stores.several())
        Q_EMIT cannotOpen(told(failure));
    else if (!hope)
        Q_EMIT cannotOpen(tr("None of the stores can be opened. %1: %2 %3")
                              .arg(m_stores.nameOf(store), failure.what, failure.todo));
}

// What falls silent is said once, and stands in the band as long as it lasts.
void MainWindow::storeHeard(StoreIx store)
{
    m_said.resize(std::max<std::size_t>(m_said.size(), store + 1));
    const StoreState& state = m_stores.state(store);
    if (m_said[store] != state.trouble) {
        m_said[store] = state.trouble;
        const QString who = m_stores.several() ? state.name + u": "_s : QString();
        if (!state.trouble.isEmpty())
            say(who + state.trouble);
        else if (m_stores.several())
            say(who + tr("it answers again."));
    }
    tick();
}

// Rights, level or place of a store are others now: so is what one may do.
void MainWindow::storeChanged(StoreIx store)
{
    showBand();
    m_triage->again();
    for (int i = 1; i < m_pages->count(); ++i)
        if (auto* page = qobject_cast<RunPage*>(m_pages->widget(i));
            page != nullptr && page->store() == store)
            page->load();
    const StoreFacts& facts = m_stores.state(store).facts;
    const QString who = m_stores.several() ? facts.name + u": "_s : QString();
    say(facts.mayAct
            ? who + (facts.guarded ? tr("acts are possible, each with a reason.") : tr("acts are possible."))
            : who + tr("look only: ") + facts.whyNot);
}

// --- stores opened before, another one, and places in one

void MainWindow::setStoreTester(std::function<QFuture<Reply<StoreCheck>>(const StoreWish&)> tester)
{
    m_tester = std::move(tester);
}

void MainWindow::setPasswordForgetter(std::function<QFuture<Reply<KeychainSaid>>(const QString&)> forgetter)
{
    m_forgetter = std::move(forgetter);
}

void MainWindow::useRecentFile(const QString& path)
{
    whenDone(m_recentFile.load(path), this, [this, path](const Reply<std::vector<RecentStore>>& reply) {
        std::vector<RecentStore> all = reply ? *reply.value : std::vector<RecentStore>();
        // What was opened meanwhile is newer than what the file has.
        for (auto one = m_recent.rbegin(); one != m_recent.rend(); ++one)
            all = withRecent(std::move(all), *one);
        m_recent = std::move(all);
        m_recentPath = path;
        if (!m_recent.empty())
            m_recentFile.save(path, m_recent);
    });
}

void MainWindow::noteRecent(StoreIx store)
{
    const StoreFacts& facts = m_stores.state(store).facts;
    if (facts.url.isEmpty())
        return;
    m_recent = withRecent(std::move(m_recent), {facts.url, facts.environment, facts.mayAct, facts.now});
    if (!m_recentPath.isEmpty())
        m_recentFile.save(m_recentPath, m_recent);
}

void MainWindow::askStore()
{
    auto* box = new ConnectBox(m_recent, m_tester, m_forgetter, this);
    connect(box, &ConnectBox::chosen, this, &MainWindow::storeWanted);
    box->open();
}

void MainWindow::follow(StoreIx store, const DeepLink& link)
{
    const QString which = m_stores.several() ? termOf(u"store"_s, m_stores.nameOf(store)) + u' ' : QString();
    if (!link.filter.isEmpty() || m_stores.several())
        m_triage->filterBox()->setFilter((which + link.filter).trimmed());
    if (!link.run.isEmpty())
        go(which + link.run);
    else if (link.page == u"audit"_s)
        openAudit();
}

// Stays as long as a store does not answer, or has another history than this client has verified: what is
// shown of it, how old that is, and that acts are off.
QString MainWindow::offlineText() const
{
    QStringList parts;
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        const StoreState& state = m_stores.state(store);
        const bool here = currentRun() == nullptr || currentRun()->store() == store;
        if (state.opened && here && !state.facts.rewritten.isEmpty())
            parts << tr(
                "%1: HISTORY DOES NOT EXTEND WHAT WAS VERIFIED BEFORE. %2. The check of the audit tells "
                "more; where a backup was put back on purpose: cairn audit verify --trust-anew.")
                         .arg(shown(state.name, false, 40), shown(state.facts.rewritten, false, 240));
        if (!state.opened || state.answers() || !here)
            continue;
        const QString why =
            state.trouble.isEmpty() ? tr("it owes an answer") : shown(state.trouble, false, 160);
        parts << tr("%1 does not answer (%2). What is shown of it is %3 old; %4.")
                     .arg(shown(state.name, false, 40), why, durationText(state.age() / 1000 * 1000),
                         state.takesActs() ? tr("acts wait for it") : tr("acts in it are off"));
    }
    return parts.join(u' ');
}

void MainWindow::showOffline()
{
    const QString text = offlineText();
    m_offline->setVisible(!text.isEmpty());
    if (text != m_offline->text())
        safe::setText(m_offline, text);
}

void MainWindow::showBand()
{
    std::vector<StoreFacts> all;
    QStringList names;
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        names << m_stores.nameOf(store);
        if (m_stores.state(store).opened)
            all.push_back(m_stores.state(store).facts);
    }
    if (all.empty())
        return;
    const RunPage* page = currentRun();
    if (page != nullptr && m_stores.state(page->store()).opened)
        all = {m_stores.state(page->store()).facts};
    const bool one = !m_stores.several() || page != nullptr;
    m_facts = one ? all.front() : standFor(all, m_stores.count());
    m_band->setFacts(m_facts, one ? QString() : wordOf(all),
        m_readOnly ? tr("read-only in this window")
            : one  ? QString()
                   : levelOf(all));
    setWindowTitle(one ? tr("%1 %2 – Cairn").arg(shown(m_facts.environment).toUpper(), shown(m_facts.name))
                       : tr("%1 %2 – Cairn").arg(wordOf(all), shown(names.join(u", "_s))));
    tick();
    update();
}

// Polling goes on, so what is shown is at most a second old; but somebody should know.
QString MainWindow::deafText() const
{
    QStringList names;
    for (StoreIx store = 0; store < m_stores.count(); ++store)
        if (m_stores.state(store).deaf() && (currentRun() == nullptr || currentRun()->store() == store))
            names << m_stores.nameOf(store);
    if (names.isEmpty())
        return {};
    return tr("asked every second, hints are not heard")
        + (m_stores.several() ? u": "_s + names.join(u", "_s) : QString());
}

// What is shown is as old as the standby that it is read from; empty: it is read from no standby.
QString MainWindow::standbyText() const
{
    QStringList parts;
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        const StoreState& state = m_stores.state(store);
        if (!state.facts.standing.standby() || (currentRun() != nullptr && currentRun()->store() != store))
            continue;
        parts << (m_stores.several() && currentRun() == nullptr
                ? m_stores.nameOf(store) + u": "_s + state.facts.standing.text
                : state.facts.standing.text);
    }
    return parts.join(u"; "_s);
}

QString MainWindow::status() const
{
    const RunPage* page = currentRun();
    if (m_stores.several() && page == nullptr) {
        const QString silent = m_stores.silentText();
        if (!silent.isEmpty())
            return tr("no answer: ") + silent;
        if (const QString standby = standbyText(); !standby.isEmpty())
            return standby;
        return deafText().isEmpty() ? tr("live") : deafText();
    }
    const StoreState& state = m_stores.state(page != nullptr ? page->store() : 0);
    if (state.trouble.isEmpty() && state.answers() && !standbyText().isEmpty())
        return standbyText();
    if (state.trouble.isEmpty())
        return state.answers() && !deafText().isEmpty() ? deafText() : liveText(state.age());
    const qint64 age = state.age();
    return shown(state.trouble, false, 60)
        + (age < 0 ? QString() : tr(", data is %1 old").arg(durationText(age / 1000 * 1000)));
}

void MainWindow::tick()
{
    const RunPage* page = currentRun();
    qint64 now = 0;
    bool amiss = false;
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        if (page != nullptr && page->store() != store)
            continue;
        const StoreState& state = m_stores.state(store);
        now = now == 0 ? state.now() : now;
        amiss = amiss || !state.answers() || state.deaf() || state.facts.standing.late;
    }
    if (now == 0)
        return;
    m_band->setClock(now, status(), amiss);
    showOffline();
    m_triage->tick();
    if (RunPage* open = currentRun()) {
        open->setNow(now);
        open->setOff(
            m_stores.state(open->store()).takesActs() && !m_readOnly ? QString() : actsOff(open->store()));
    }
}

}  // namespace cairn::ui
