// What the triage page reads, and when it reads it again.
#include "ui/data/format.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/whypanel.h"

#include <QScrollBar>

#include <algorithm>
#include <map>
#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr qint64 kViewsMs = 10'000;  // how often saved views are counted while things change
constexpr int kMostAgain = 2000;     // rows of the list that are read again at once
}  // namespace

// Takes a ticket, counts the request, and hands the answer on unless a later request has overtaken it. A
// request that failed leaves `dirty` set: the next look for changes asks again.
template<typename T, typename F>
void TriagePage::follow(QFuture<Reply<T>> future, Tickets& tickets, F then, bool* dirty)
{
    const quint64 ticket = tickets.next();
    ++m_open;
    whenDone(future, this, [this, ticket, &tickets, then, dirty](const Reply<T>& reply) {
        --m_open;
        const bool current = tickets.current(ticket);
        if (current && reply)
            then(*reply.value);
        else if (current && !reply.failure.cancelled)
            noteFailure(reply.failure);
        catchUp();
        if (current && !reply && dirty != nullptr)
            *dirty = true;
    });
}

// What was never read says why; what was read stays.
void TriagePage::noteFailure(const Failure& failure)
{
    m_filterAt = 0;
    for (PanelNote* note : m_notes)
        if (!note->isHidden())
            note->fail(told(failure));
    Q_EMIT failed(told(failure));
}

void TriagePage::load()
{
    for (PanelNote* note : m_notes)
        if (!note->isHidden())
            note->begin();
    loadOverview();
    loadRuns();
}

void TriagePage::refresh()
{
    m_stores.touchAll();
    m_fresh = 0;
    loadOverview();
    loadRuns();
    loadGroups();
    loadWhy();
}

void TriagePage::loadOverview()
{
    m_dirty = false;
    follow(
        m_stores.overview(m_filter->filter()), m_overviewTickets,
        [this](const Overview& o) { showOverview(o); }, &m_dirty);
}

void TriagePage::showOverview(const Overview& overview)
{
    const Overview before = std::exchange(m_overview, overview);
    m_overviewAt = monotonicMs();
    m_notes[0]->end();
    if (overview.filter.valid) {
        m_notes[1]->end();
    } else {  // titles and tables keep what the last valid filter gave
        m_filterAt = 0;
        m_overview.situations = before.situations;
        m_overview.matching = before.matching;
        m_overview.cutSituations = before.cutSituations;
        m_overview.hiddenSituations = before.hiddenSituations;
    }
    m_attention->setAtLeast(!overview.shares.empty());
    m_attention->setLines(overview.attention);
    QStringList counts;  // of those who have to move, and of what nobody can
    for (const AttentionLine& line : overview.attention)
        if (line.head && line.count > 0)
            counts << line.word + u" "_s + countText(line.count);
    m_announcer->tell(counts.isEmpty() ? tr("No run waits") : counts.join(u", "_s));
    showStores();
    fitAttention();
    QString effect;
    if (!m_filter->filter().isEmpty() && overview.filter.valid)
        effect =
            tr("valid · leaves %1 of %2 runs").arg(countText(overview.matching), countText(overview.all));
    m_filter->setState(overview.filter, effect);
    if (!overview.filter.valid)
        return writeTitles();
    m_quiet = true;
    m_situations->setSituations(overview.situations);
    keepSituation();
    m_quiet = false;
    explainNothing();
    loadPlans();
    if (monotonicMs() - m_viewsAt > kViewsMs) {
        countViews();
        loadGroups();
    }
    writeTitles();
    if (run().isNull() && situation() == nullptr)
        loadWhy();
}

// The row of the situation that is selected may have gone, or come back: no other takes its place, as the
// list below is about that one.
void TriagePage::keepSituation()
{
    if (m_situation.isEmpty())
        return;
    const int row = m_situations->rowOf({m_situationOf, m_situation});
    if (row == m_situationsTable->currentRow())
        return;
    m_situationsTable->setCurrentIndex(row < 0 ? QModelIndex() : m_situations->index(row, 0));
    if (row < 0)
        m_situationsTable->clearSelection();
}

void TriagePage::loadRuns()
{
    m_listDirty = false;
    const ListRequest request{listFilter(), m_situationOf, m_situation, {},
        std::clamp(m_runs->rowCount(), 200, kMostAgain), m_newest};
    follow(
        m_stores.runs(request), m_runsTickets,
        [this](const RunSlice& slice) {
            m_pageTickets.next();  // pages of the old list are of no use any more
            m_quiet = true;
            m_runs->setFirst(slice);
            m_quiet = false;
            m_fresh = 0;
            showRuns(slice);
        },
        &m_listDirty);
}

void TriagePage::showRuns(const RunSlice& slice)
{
    m_listed = true;
    m_filterAt = 0;
    m_notes[2]->end();
    m_listAt = slice.at;
    m_listShares = slice.shares;
    if (m_runsTable->currentRow() < 0 && m_runs->rowCount() > 0) {
        m_quiet = true;
        m_runsTable->setCurrentIndex(m_runs->index(0, 0));
        m_quiet = false;
    }
    const RunSlot* slot = m_runs->row(m_runsTable->currentRow());
    m_run = slot != nullptr ? slot->run : RunRef();
    writeTitles();
    loadWhy();
}

// The list again, while somebody reads further down: what belongs to it no more goes, nothing comes in, and
// the row at the top of the view stays where it is.
void TriagePage::settleRuns()
{
    m_listDirty = false;
    const ListRequest request{listFilter(), m_situationOf, m_situation, {},
        std::clamp(m_runs->rowCount(), 200, kMostAgain), m_newest};
    follow(
        m_stores.runs(request), m_runsTickets,
        [this](const RunSlice& slice) {
            const QPersistentModelIndex top = m_runsTable->indexAt(QPoint(1, 1));
            const int offset = top.isValid() ? m_runsTable->rowViewportPosition(top.row()) : 0;
            m_quiet = true;
            m_fresh = static_cast<quint64>(m_runs->settle(slice));
            m_quiet = false;
            QScrollBar* bar = m_runsTable->verticalScrollBar();
            if (top.isValid())
                bar->setValue(bar->value() + m_runsTable->rowViewportPosition(top.row()) - offset);
            showRuns(slice);
        },
        &m_listDirty);
}

void TriagePage::loadPage()
{
    const ListRequest request{listFilter(), m_situationOf, m_situation, m_runs->places(), 200, m_newest};
    follow(m_stores.page(request), m_pageTickets, [this](const RunSlice& slice) {
        m_runs->addPage(slice);
        writeTitles();
    });
}

// Each store by itself: one that keeps silent leaves its rows as they are, and holds up no others.
void TriagePage::loadLines(const std::vector<RunRef>& runs)
{
    std::map<StoreIx, std::vector<RunId>> wanted;
    for (const RunRef& ref : runs)
        wanted[ref.store].push_back(ref.run);
    for (const auto& [store, ids] : wanted) {
        ++m_asides;
        whenDone(m_stores.source(store).lines(ids), this,
            [this, store = store](const Reply<std::vector<RunLine>>& reply) {
                --m_asides;
                if (!reply && !reply.failure.cancelled)
                    Q_EMIT failed(told(reply.failure));
                if (!reply)
                    return;
                std::vector<RunLine> lines = *reply.value;
                for (RunLine& line : lines)
                    line.store = store;
                m_runs->setLines(lines);
            });
    }
}

RunRef TriagePage::run() const { return m_situation.isEmpty() || m_whyOfRun ? m_run : RunRef(); }

const SituationLine* TriagePage::situation() const
{
    return m_situation.isEmpty() ? nullptr
                                 : m_situations->row(m_situations->rowOf({m_situationOf, m_situation}));
}

const WhyView& TriagePage::why() const
{
    static const WhyView kNothing;
    return m_why->why().run == run().run && (run().isNull() || m_why->why().store == run().store)
        ? m_why->why()
        : kNothing;
}

// What the panel tells is what letters and buttons act on. While the answer about another run is under way,
// and where it failed, it tells nothing.
void TriagePage::loadWhy()
{
    m_whyAt = monotonicMs();
    const quint64 ticket = m_whyTickets.next();
    const RunRef of = run();
    const SituationLine* line = situation();
    const StoreIx store = !of.isNull() ? of.store : line != nullptr ? line->store : 0;
    QString subject = !of.isNull() ? idText(of.run) : line != nullptr ? line->key : QString();
    if (!subject.isEmpty())
        subject += u" "_s + QString::number(store);
    if (subject.isEmpty()) {
        m_whySubject.clear();
        m_told.reset();
        if (m_listAt != 0)
            m_why->setEmpty(nothingText());
        Q_EMIT whyChanged();
        return;
    }
    if (subject != m_whySubject) {
        m_whySubject = subject;
        m_told.reset();
        m_why->setEmpty(tr("Reading why, since %1.").arg(nowText()));
        Q_EMIT whyChanged();
    }
    ++m_asides;
    Source& source = m_stores.source(store);
    whenDone(of.isNull() ? source.whyOf(*line) : source.why(of.run), this,
        [this, ticket, store](Reply<WhyView> reply) {
            --m_asides;
            if (reply)
                reply.value->store = store;
            if (m_whyTickets.current(ticket))
                showWhy(reply);
        });
}

void TriagePage::showWhy(const Reply<WhyView>& reply)
{
    if (reply) {
        m_told = *reply.value;
        showVerbs();
    } else if (m_told && !m_stores.state(m_told->store).takesActs()) {
        showVerbs();  // what was read stays; that it is old stands in the status
    } else if (!reply.failure.cancelled) {
        m_told.reset();
        m_why->setEmpty(tr("Why could not be read: %1 F5 reads it again.").arg(told(reply.failure)));
        Q_EMIT failed(told(reply.failure));
    }
    Q_EMIT whyChanged();
}

void TriagePage::showVerbs()
{
    if (!m_told)
        return;
    WhyView why = *m_told;
    const StoreState& state = m_stores.state(why.store);
    if (!state.takesActs())
        for (VerbLine& verb : why.verbs) {
            verb.on = false;
            verb.text = (m_stores.several() ? state.name : tr("the store")) + tr(" does not answer");
        }
    m_why->setWhy(why);
}

// Where there is no run to tell of.
QString TriagePage::nothingText() const
{
    if (!m_situation.isEmpty())
        return tr("This situation is over: no run waits for this any more. Esc shows all runs.");
    return m_overview.allClear.isEmpty() ? tr("No run is selected.") : m_overview.allClear;
}

void TriagePage::merge(const ChangeSet& changes)
{
    if (!changes.lines.empty()) {
        m_runs->merge(changes.lines);
        m_dirty = true;
        m_listDirty = true;
        for (const RunLine& line : changes.lines)
            if (line.ref() == m_run)
                loadWhy();
    }
    if (!changes.removed.empty()) {
        std::vector<RunRef> removed;
        for (const RunId& run : changes.removed)
            removed.push_back({changes.store, run});
        m_runs->drop(removed);
        m_dirty = m_listDirty = true;
        if (std::find(removed.begin(), removed.end(), m_run) != removed.end())
            loadWhy();
    }
    catchUp();
    writeTitles();
}

// Counts and list are read again until they agree with the store, at most once at a time. While nobody reads
// further down, new rows come in by themselves; otherwise they are announced. A row that belongs to the list
// no more goes.
void TriagePage::catchUp()
{
    if (m_open > 0 || !(m_dirty || m_listDirty))
        return;
    if (m_dirty)
        loadOverview();
    if (m_listDirty && readsFromTop())
        loadRuns();
    else if (m_listDirty)
        settleRuns();
}

bool TriagePage::readsFromTop() const
{
    return m_runsTable->verticalScrollBar()->value() == 0 && m_runsTable->currentRow() <= 0
        && m_runs->marks() == 0;
}

void TriagePage::again()
{
    m_dirty = m_listDirty = true;
    catchUp();
}

std::vector<qint64> TriagePage::nows() const
{
    std::vector<qint64> all;
    for (StoreIx store = 0; store < m_stores.count(); ++store)
        all.push_back(m_stores.state(store).now());
    return all;
}

qint64 TriagePage::now() const
{
    for (const qint64 one : nows())
        if (one != 0)
            return one;
    return 0;
}

void TriagePage::tick()
{
    // The sentence says "asked 3 m ago": it must stay true while nothing changes. And a worker that is lost
    // changes nothing in the store, but shows in counts and lists.
    constexpr qint64 kAge = 15'000;
    const qint64 now = monotonicMs();
    if (isVisible() && m_whyAt != 0 && now - m_whyAt > kAge)
        loadWhy();
    if (isVisible() && m_open == 0 && m_overviewAt != 0 && now - m_overviewAt > kAge) {
        m_overviewAt = now;
        m_stores.touchAll();
        m_stores.refreshFacts();
        again();
    }
    showStores();
    showVerbs();
    if (!m_overview.shares.empty() || !m_listShares.empty())
        writeTitles();  // the age of what is old
    m_situationsTable->viewport()->update();
    m_runsTable->viewport()->update();
}

}  // namespace cairn::ui
