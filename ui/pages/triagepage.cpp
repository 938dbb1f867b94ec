#include "ui/pages/triagepage.h"

#include "ui/data/format.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/whypanel.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

#include <cmath>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLine = 22;  // row heights of the attention dock
constexpr int kHeadLine = 30;
constexpr int kMostAgain = 2000;  // rows of the list that are read again at once
}  // namespace

TriagePage::TriagePage(Source& source, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_attention(new AttentionModel(this))
    , m_situations(new SituationsModel(this))
    , m_runs(new RunsModel(this))
    , m_attentionTable(new DataTable(u"Attention"_s, this))
    , m_situationsTable(new DataTable(u"Situations"_s, this))
    , m_runsTable(new DataTable(u"Runs"_s, this))
    , m_attentionTitle(new DockTitle(u"Attention"_s, this))
    , m_situationsTitle(new DockTitle(u"Situations"_s, this))
    , m_runsTitle(new DockTitle(u"Runs"_s, this))
    , m_filter(new FilterBox(this))
    , m_why(new WhyPanel(this))
{
    m_attentionTable->setModel(m_attention);
    m_situationsTable->setModel(m_situations);
    m_runsTable->setModel(m_runs);
    buildLayout();
    connectSignals();
    connectTables();
    connectMarks();
    m_why->setEmpty(u"Reading the store."_s);
}

QWidget* TriagePage::buildAttention()
{
    auto* panel = new QWidget(this);
    panel->setAutoFillBackground(true);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_attentionTitle);
    m_attentionTable->horizontalHeader()->hide();
    m_attentionTable->setColumns({140, 46}, 0);
    m_attentionTable->setRowSize(kLine);
    m_attentionTable->setProperty("ground", u"panel"_s);
    column->addWidget(m_attentionTable, 1);
    panel->setMinimumWidth(190);
    return panel;
}

QWidget* TriagePage::buildCentre()
{
    auto* panel = new QWidget(this);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_filter);
    const auto wrap = [](QWidget* title, QWidget* table, QWidget* below) {
        auto* holder = new QWidget;
        auto* inner = new QVBoxLayout(holder);
        inner->setContentsMargins(0, 0, 0, 0);
        inner->setSpacing(0);
        inner->addWidget(title);
        inner->addWidget(table, 1);
        if (below != nullptr)
            inner->addWidget(below);
        return holder;
    };
    auto* strip = safe::label({}, {.size = 11, .secondary = true}, panel);
    strip->setContentsMargins(12, 4, 12, 5);
    strip->setAutoFillBackground(true);
    m_strip = strip;
    m_situationsTable->setColumns({176, 200, 172, 50, 76, 92}, SituationsModel::What);
    m_situationsTable->setGiveWay(
        {SituationsModel::Where, SituationsModel::NextAt, SituationsModel::Oldest}, 140);
    m_runsTable->setColumns({186, 112, 110, 84, 58, 76, 88, 96, 100}, RunsModel::Workflow);
    m_runsTable->setGiveWay(
        {RunsModel::Attempt, RunsModel::Money, RunsModel::Step, RunsModel::NextAt, RunsModel::Key}, 108);
    m_runsTable->setMarkable(true);
    m_runsTitle->setObjectName(u"runsTitle"_s);
    buildColumnsMenu();
    m_tables = new QSplitter(Qt::Vertical, panel);
    m_tables->setHandleWidth(1);
    m_tables->setChildrenCollapsible(false);
    m_tables->addWidget(wrap(m_situationsTitle, m_situationsTable, nullptr));
    m_tables->addWidget(wrap(m_runsTitle, m_runsTable, strip));
    m_tables->setSizes({370, 420});
    m_tables->setStretchFactor(0, 4);
    m_tables->setStretchFactor(1, 5);
    column->addWidget(m_tables, 1);
    return panel;
}

void TriagePage::buildLayout()
{
    auto* row = new QVBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(buildAttention());
    split->addWidget(buildCentre());
    split->addWidget(m_why);
    split->setStretchFactor(1, 1);
    row->addWidget(split);
    m_split = split;
}

void TriagePage::resizeEvent(QResizeEvent*)
{
    if (m_sized || width() < 400)
        return;
    m_sized = isVisible();  // once; from then on the widths are the person's
    const int left = width() < 1100 ? 196 : 230;
    const int right = width() < 1100 ? 264 : width() < 1400 ? 312 : 340;
    m_split->setSizes({left, width() - left - right - 2, right});
}

void TriagePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_sized = m_sized || width() >= 400;
}

// Which columns one wants. What does not fit is left out as well, and the title names both.
void TriagePage::buildColumnsMenu()
{
    QMenu* menu = m_runsTitle->addMenu(u"Columns"_s);
    for (int column = RunsModel::Run; column < RunsModel::ColumnCount; ++column) {
        QAction* action =
            menu->addAction(m_runs->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(true);
        connect(action, &QAction::toggled, this,
            [this, column](bool on) { m_runsTable->setColumnWanted(column, on); });
    }
    connect(m_runsTable, &DataTable::columnsChanged, this, &TriagePage::writeTitles);
    connect(m_situationsTable, &DataTable::columnsChanged, this, &TriagePage::writeTitles);
}

void TriagePage::connectSignals()
{
    connect(m_filter, &FilterBox::filterChanged, this, [this] {
        m_situation.clear();
        m_whyOfRun = false;
        loadOverview();
        loadRuns();
    });
    connect(m_filter, &FilterBox::leave, this, &TriagePage::focusRuns);
    connect(m_why, &WhyPanel::verbChosen, this,
        [this](const VerbLine& verb) { Q_EMIT verbChosen(verb, m_why->why().run); });
    connect(m_runs, &RunsModel::pageWanted, this, &TriagePage::loadPage);
    connect(m_runs, &RunsModel::linesWanted, this, &TriagePage::loadLines);
    connect(m_runsTable, &DataTable::nearEnd, this, [this] {
        if (m_runs->canFetchMore({}))
            m_runs->fetchMore({});
    });
}

void TriagePage::connectMarks()
{
    connect(m_runsTable, &DataTable::markToggled, m_runs, &RunsModel::toggleMark);
    connect(m_runsTable, &DataTable::markSet, this, [this](int row) { m_runs->setMark(row, true); });
    connect(m_runsTable, &DataTable::markAll, m_runs, &RunsModel::markShown);
    connect(m_runs, &RunsModel::marksChanged, this, [this] {
        writeTitles();
        Q_EMIT whyChanged();
    });
}

std::vector<RunLine> TriagePage::marked() const { return m_runs->marked(); }
void TriagePage::clearMarks() { m_runs->clearMarks(); }

void TriagePage::connectTables()
{
    connect(m_situationsTable, &DataTable::currentMoved, this, &TriagePage::situationMoved);
    connect(m_runsTable, &DataTable::currentMoved, this, &TriagePage::runMoved);
    connect(m_attentionTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        if (const AttentionLine* line = m_attention->row(index.row()))
            m_filter->setFilter(line->filter);
    });
    connect(m_attentionTable, &QTableView::clicked, m_attentionTable, &DataTable::opened);
    connect(m_situationsTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        const SituationLine* line = m_situations->row(index.row());
        if (line != nullptr && line->count == 1)
            Q_EMIT openRun(line->example);
        else
            focusRuns();
    });
    connect(m_runsTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        if (const RunSlot* slot = m_runs->row(index.row()))
            Q_EMIT openRun(slot->run);
    });
    for (DataTable* table : {m_attentionTable, m_situationsTable, m_runsTable}) {
        connect(table, &DataTable::letterTyped, this, &TriagePage::letterTyped);
        table->installEventFilter(this);
    }
}

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
            Q_EMIT failed(reply.failure.what);
        catchUp();
        if (current && !reply && dirty != nullptr)
            *dirty = true;
    });
}

void TriagePage::load()
{
    loadOverview();
    loadRuns();
}

void TriagePage::refresh()
{
    m_fresh = 0;
    loadOverview();
    loadRuns();
    loadWhy();
}

void TriagePage::loadOverview()
{
    m_dirty = false;
    follow(
        m_source.overview(m_filter->filter()), m_overviewTickets,
        [this](const Overview& o) { showOverview(o); }, &m_dirty);
}

void TriagePage::showOverview(const Overview& overview)
{
    m_overview = overview;
    Q_EMIT read(overview.at);
    setNow(overview.at);
    m_attention->setLines(overview.attention);
    fitAttention();
    QString effect;
    if (!m_filter->filter().isEmpty() && overview.filter.valid)
        effect = u"valid · leaves %1 of %2 runs"_s.arg(countText(overview.matching), countText(overview.all));
    m_filter->setState(overview.filter, effect);
    if (!overview.filter.valid)
        return;  // the tables keep what the last valid filter gave
    m_quiet = true;
    m_situations->setSituations(overview.situations);
    m_quiet = false;
    writeTitles();
    if (overview.situations.empty() && m_runs->rowCount() == 0 && !overview.allClear.isEmpty())
        m_why->setEmpty(overview.allClear);
}

// Counts are never cut: their column is as wide as the widest of them.
void TriagePage::fitAttention()
{
    double widest = 0;
    for (int i = 0; i < m_attention->rowCount(); ++i) {
        const AttentionLine& line = *m_attention->row(i);
        m_attentionTable->setRowHeight(i, line.head ? kHeadLine : kLine);
        widest =
            std::max(widest, tabularWidth(typeface(line.head ? 20 : 13, line.head), countText(line.count)));
    }
    m_attentionTable->setColumnWidth(AttentionModel::Count, static_cast<int>(std::ceil(widest)) + 6 + 12 + 1);
}

void TriagePage::writeTitles()
{
    QString shownText = u"%1 shown"_s.arg(countText(m_overview.situations.size()));
    shownText += m_overview.hiddenSituations > 0
        ? u", %1 hidden by the filter"_s.arg(countText(m_overview.hiddenSituations))
        : u", none hidden"_s;
    m_situationsTitle->setRemark(shownText);
    const QString hidden = m_situationsTable->hiddenText();
    m_situationsTitle->setRight(hidden.isEmpty() ? u"sorted by who moves next, then oldest"_s : hidden);
    m_attentionTitle->setRight(u"exact"_s);
    const int row = m_situation.isEmpty() ? -1 : m_situations->rowOf(m_situation);
    const SituationLine* situation = m_situations->row(row);
    const quint64 total = situation != nullptr ? situation->count : m_overview.matching;
    const QString marks = m_runs->marks() == 0 ? QString() : countText(m_runs->marks()) + u" marked, "_s;
    if (situation != nullptr)
        m_runsTitle->setRemark(
            marks + countText(total) + u" in "_s, situation->wait + u": "_s + situation->what);
    else
        m_runsTitle->setRemark(marks
            + (m_filter->filter().isEmpty() ? plural(total, u"unfinished run"_s, u"unfinished runs"_s)
                                            : countText(total) + u" match the filter"_s));
    QStringList right{m_runsTable->hiddenText()};
    right.prepend(m_runs->marks() > 0 ? u"Esc: no marks"_s
            : situation != nullptr    ? u"Esc: all runs"_s
                                      : QString());
    right.removeAll(QString());
    m_runsTitle->setRight(right.join(u" · "_s));
    safe::setText(m_strip, stripText(total));
}

// What is not on screen, and how old the list is where it is not the newest.
QString TriagePage::stripText(quint64 total) const
{
    const auto have = static_cast<quint64>(m_runs->rowCount());
    QStringList strip;
    if (have == 0 && m_filter->filter().isEmpty())
        strip << u"Nothing here yet: start a run with cairn start"_s;
    else if (have == 0)
        strip << u"Nothing matches: the filter leaves out all %1 runs; Clear filter shows them"_s.arg(
            countText(m_overview.all));
    else
        strip << (total > have ? u"%1 more below"_s.arg(countText(total - have))
                               : u"all %1 shown"_s.arg(countText(have)));
    if (m_fresh > 0)
        strip << u"%1 new since you looked, shown after F5"_s.arg(countText(m_fresh));
    if (m_listDirty && m_listAt != 0)
        strip << u"list as of %1"_s.arg(clockText(m_listAt, m_now));
    return strip.join(u" · "_s);
}

void TriagePage::loadRuns()
{
    m_listDirty = false;
    const SliceRequest request{
        m_filter->filter(), m_situation, std::nullopt, std::clamp(m_runs->rowCount(), 200, kMostAgain)};
    follow(
        m_source.runs(request), m_runsTickets,
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
    m_listAt = slice.at;
    if (m_runsTable->currentRow() < 0 && m_runs->rowCount() > 0) {
        m_quiet = true;
        m_runsTable->setCurrentIndex(m_runs->index(0, 0));
        m_quiet = false;
        if (m_situation.isEmpty())
            m_whyOfRun = true;
    }
    if (const RunSlot* slot = m_runs->row(m_runsTable->currentRow()))
        m_run = slot->run;
    writeTitles();
    loadWhy();
    if (m_runs->rowCount() == 0 && !m_overview.allClear.isEmpty())
        m_why->setEmpty(m_overview.allClear);
}

// The list again, while somebody reads further down: what belongs to it no more goes, nothing comes in, and
// the row at the top of the view stays where it is.
void TriagePage::settleRuns()
{
    m_listDirty = false;
    const SliceRequest request{
        m_filter->filter(), m_situation, std::nullopt, std::clamp(m_runs->rowCount(), 200, kMostAgain)};
    follow(
        m_source.runs(request), m_runsTickets,
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
    const SliceRequest request{m_filter->filter(), m_situation, m_runs->mark(), 200};
    follow(m_source.runs(request), m_pageTickets, [this](const RunSlice& slice) {
        m_runs->addPage(slice);
        writeTitles();
    });
}

void TriagePage::loadLines(const std::vector<RunId>& runs)
{
    follow(m_source.lines(runs), m_lineTickets,
        [this](const std::vector<RunLine>& lines) { m_runs->setLines(lines); });
}

void TriagePage::loadWhy()
{
    m_whyAt = m_now;
    if (m_whyOfRun && !m_run.isNull()) {
        follow(m_source.why(m_run), m_whyTickets, [this](const WhyView& why) {
            m_why->setWhy(why);
            Q_EMIT whyChanged();
        });
        return;
    }
    const SituationLine* line =
        m_situations->row(m_situation.isEmpty() ? -1 : m_situations->rowOf(m_situation));
    if (line != nullptr)
        follow(m_source.whyOf(*line), m_whyTickets, [this](const WhyView& why) {
            m_why->setWhy(why);
            Q_EMIT whyChanged();
        });
}

void TriagePage::situationMoved()
{
    if (m_quiet)
        return;
    const SituationLine* line = m_situations->row(m_situationsTable->currentRow());
    const QString key = line != nullptr ? line->key : QString();
    m_whyOfRun = line != nullptr && line->count == 1;
    if (m_whyOfRun)
        m_run = line->example;
    if (key != m_situation) {
        m_situation = key;
        m_fresh = 0;
        loadRuns();
    }
    loadWhy();
}

void TriagePage::runMoved()
{
    if (m_quiet)
        return;
    const RunSlot* slot = m_runs->row(m_runsTable->currentRow());
    if (slot == nullptr)
        return;
    m_run = slot->run;
    m_whyOfRun = true;
    loadWhy();
}

void TriagePage::merge(const ChangeSet& changes)
{
    if (!changes.lines.empty()) {
        m_runs->merge(changes.lines);
        m_dirty = true;
        m_listDirty = true;
        for (const RunLine& line : changes.lines)
            if (line.run == m_run)
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

void TriagePage::setNow(qint64 now)
{
    constexpr qint64 kWhyAge =
        15'000;  // the sentence says "asked 3 m ago": it must stay true while nothing changes
    m_now = now;
    if (isVisible() && m_open == 0 && m_whyAt != 0 && now - m_whyAt > kWhyAge)
        loadWhy();
    m_situations->setNow(now);
    m_runs->setNow(now);
    m_situationsTable->viewport()->update();
    m_runsTable->viewport()->update();
}

const WhyView& TriagePage::why() const { return m_why->why(); }
void TriagePage::focusFilter()
{
    m_filter->edit()->setFocus();
    m_filter->edit()->selectAll();
}
void TriagePage::focusRuns() { m_runsTable->setFocus(); }

void TriagePage::focusNext(bool backwards)
{
    const std::vector<QWidget*> order{m_attentionTable, m_situationsTable, m_runsTable, m_why->firstVerb()};
    const auto count = static_cast<int>(order.size());
    int now = backwards ? count : -1;
    for (int i = 0; i < count; ++i)
        if (order[static_cast<std::size_t>(i)] != nullptr
            && (order[static_cast<std::size_t>(i)] == focusWidget()
                || (i == 3 && m_why->isAncestorOf(focusWidget()))))
            now = i;
    for (int n = 1; n <= count; ++n) {
        QWidget* next =
            order[static_cast<std::size_t>(((backwards ? now - n : now + n) % count + count) % count)];
        if (next != nullptr) {
            next->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

QString TriagePage::place() const
{
    const QWidget* focus = focusWidget();  // also while another window is the active one
    if (focus == m_situationsTable)
        return u"Situations"_s;
    if (focus == m_attentionTable)
        return u"Attention"_s;
    if (focus == m_filter->edit())
        return u"Filter"_s;
    return focus != nullptr && m_why->isAncestorOf(focus) ? u"Why"_s : u"Runs"_s;
}

bool TriagePage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        keyPressEvent(static_cast<QKeyEvent*>(event));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void TriagePage::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (m_runs->marks() > 0) {
        m_runs->clearMarks();
    } else if (!m_situation.isEmpty()) {
        m_situationsTable->setCurrentIndex({});
        m_situationsTable->clearSelection();
        m_situation.clear();
        m_whyOfRun = true;
        loadRuns();
    } else if (!m_filter->filter().isEmpty()) {
        m_filter->setFilter({});
    }
}

}  // namespace cairn::ui
