#include "ui/pages/triagepage.h"

#include "ui/data/format.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/groupsmodel.h"
#include "ui/models/plansmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/models/storesmodel.h"
#include "ui/models/viewsmodel.h"
#include "ui/widgets/announcer.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/panelguard.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/whypanel.h"

#include <QDateTime>
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
}  // namespace

TriagePage::TriagePage(Stores& stores, QWidget* parent)
    : QWidget(parent)
    , m_stores(stores)
    , m_attention(new AttentionModel(this))
    , m_situations(new SituationsModel(this))
    , m_runs(new RunsModel(this))
    , m_groups(new GroupsModel(this))
    , m_storeLines(new StoresModel(this))
    , m_views(new ViewsModel(this))
    , m_viewsTable(new DataTable(tr("Views"), this))
    , m_viewsTitle(new DockTitle(tr("Views"), this))
    , m_attentionTable(new DataTable(tr("Attention"), this))
    , m_situationsTable(new DataTable(tr("Situations"), this))
    , m_groupsTable(new DataTable(tr("Groups"), this))
    , m_runsTable(new DataTable(tr("Runs"), this))
    , m_storesTable(new DataTable(tr("Stores"), this))
    , m_attentionTitle(new DockTitle(tr("Attention"), this))
    , m_situationsTitle(new DockTitle(tr("Situations"), this))
    , m_runsTitle(new DockTitle(tr("Runs"), this))
    , m_storesTitle(new DockTitle(tr("Stores"), this))
    , m_plans(new PlansModel(this))
    , m_plansTable(new DataTable(tr("Open plans"), this))
    , m_plansTitle(new DockTitle(tr("Plans"), this))
    , m_filter(new FilterBox(this))
    , m_why(new WhyPanel(this))
{
    m_announcer = new Announcer(this);
    m_attentionTable->setModel(m_attention);
    m_situationsTable->setModel(m_situations);
    m_runsTable->setModel(m_runs);
    m_storesTable->setModel(m_storeLines);
    buildLayout();
    connectSignals();
    connectTables();
    connectMarks();
    connectFilter();
    const QString what[] = {tr("Counting the runs"), tr("Reading the situations"), tr("Reading the runs")};
    DataTable* const over[] = {m_attentionTable, m_situationsTable, m_runsTable};
    for (std::size_t i = 0; i < m_notes.size(); ++i) {
        m_notes[i] = new PanelNote(what[i], over[i]);
        m_notes[i]->begin();
    }
    setPanel(m_why, tr("Why"));
    setPanel(m_situationsTable, tr("The list of situations"));
    setPanel(m_runsTable, tr("The list of runs"));
    showStores();
    m_why->setEmpty(tr("Reading the store."));
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
    buildViews(column);
    column->addWidget(m_storesTitle);
    m_storesTable->horizontalHeader()->hide();
    m_storesTable->setRowSize(kLine);
    m_storesTable->setProperty("ground", u"panel"_s);
    m_storesTable->horizontalHeader()->setSectionResizeMode(StoresModel::Name, QHeaderView::ResizeToContents);
    m_storesTable->horizontalHeader()->setSectionResizeMode(StoresModel::State, QHeaderView::Stretch);
    column->addWidget(m_storesTable);
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
    m_situationsTable->setColumns({160, 110, 200, 140, 50, 72, 84, 76, 60}, SituationsModel::What);
    m_situationsTable->setGiveWay({SituationsModel::Trend, SituationsModel::Own, SituationsModel::Where,
                                      SituationsModel::NextAt, SituationsModel::Oldest},
        132);  // what happens when is told longest
    m_runsTable->setColumns({186, 110, 112, 110, 84, 58, 76, 88, 96, 100}, RunsModel::Workflow);
    m_runsTable->setGiveWay(
        {RunsModel::Attempt, RunsModel::Money, RunsModel::Step, RunsModel::NextAt, RunsModel::Key}, 108);
    m_runsTable->setMarkable(true);
    m_runsTitle->setObjectName(u"runsTitle"_s);
    buildColumnsMenu();
    buildGroups();
    m_tables = new QSplitter(Qt::Vertical, panel);
    m_tables->setHandleWidth(1);
    m_tables->setChildrenCollapsible(false);
    m_tables->addWidget(wrap(m_situationsTitle, m_situationsTable, m_groupsTable));
    m_tables->addWidget(wrap(m_runsTitle, m_runsTable, strip));
    m_tables->setSizes({370, 420});
    m_tables->setStretchFactor(0, 4);
    m_tables->setStretchFactor(1, 5);
    column->addWidget(m_tables, 1);
    buildPlans(column);
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

bool TriagePage::panelShown(Panel panel) const
{
    return !m_split->widget(static_cast<int>(panel))->isHidden();
}

void TriagePage::setPanelShown(Panel panel, bool shown)
{
    QWidget* widget = m_split->widget(static_cast<int>(panel));
    if (!shown && widget->isAncestorOf(focusWidget()))
        m_runsTable->setFocus();  // the keyboard is never where nothing is seen
    widget->setVisible(shown);
}

void TriagePage::resetLayout()
{
    for (const Panel panel : {Panel::Attention, Panel::Why})
        setPanelShown(panel, true);
    for (int column = RunsModel::Run; column < RunsModel::ColumnCount; ++column)
        m_runsTable->setColumnWanted(column, true);
    m_tables->setSizes({370, 420});
    m_sized = false;
    resizeEvent(nullptr);
}

void TriagePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_sized = m_sized || width() >= 400;
}

// Which columns one wants. What does not fit is left out as well, and the title names both.
void TriagePage::buildColumnsMenu()
{
    QMenu* menu = m_runsTitle->addMenu(tr("Columns"));
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
        dropGroup();
        m_filterAt = QDateTime::currentMSecsSinceEpoch();
        writeTitles();
        loadOverview();
        loadRuns();
        loadGroups();
    });
    connect(m_filter, &FilterBox::leave, this, &TriagePage::focusRuns);
    connect(m_why, &WhyPanel::verbChosen, this,
        [this](const VerbLine& verb) { Q_EMIT verbChosen(verb, why().ref()); });
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
    connect(m_runsTable, &DataTable::markMatching, this, &TriagePage::markMatching);
    connect(m_runs, &RunsModel::marksChanged, this, [this] {
        writeTitles();
        Q_EMIT whyChanged();
    });
}

std::vector<RunLine> TriagePage::marked() const { return m_runs->marked(); }
void TriagePage::setRowSize(int height)
{
    for (DataTable* table : {m_situationsTable, m_groupsTable, m_runsTable})
        table->setRowSize(height);
}

void TriagePage::clearMarks() { m_runs->clearMarks(); }

void TriagePage::connectTables()
{
    connect(m_situationsTable, &DataTable::currentMoved, this, &TriagePage::situationMoved);
    connect(m_runsTable, &DataTable::currentMoved, this, &TriagePage::runMoved);
    connect(m_attentionTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        const AttentionLine* line = m_attention->row(index.row());
        if (line != nullptr && line->group == kSecondPerson)
            Q_EMIT plansWanted();
        else if (line != nullptr)
            m_filter->setFilter(
                (m_stores.several() ? storeTerms(m_filter->filter()) : QString()) + line->filter);
    });
    connect(m_attentionTable, &QTableView::clicked, m_attentionTable, &DataTable::opened);
    connect(m_situationsTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        const SituationLine* line = m_situations->row(index.row());
        if (line != nullptr && line->count == 1)
            Q_EMIT openRun({line->store, line->example});
        else
            focusRuns();
    });
    connect(m_runsTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        if (const RunSlot* slot = m_runs->row(index.row()))
            Q_EMIT openRun(slot->run);
    });
    connect(m_storesTable, &DataTable::opened, this,
        [this](const QModelIndex& index) { storeChosen(index.row()); });
    connect(m_storesTable, &QTableView::clicked, m_storesTable, &DataTable::opened);
    for (DataTable* table :
        {m_attentionTable, m_situationsTable, m_groupsTable, m_runsTable, m_storesTable}) {
        connect(table, &DataTable::letterTyped, this, &TriagePage::letterTyped);
        table->installEventFilter(this);
    }
}

// Counts are never cut: their column is as wide as the widest of them.
void TriagePage::fitAttention()
{
    double widest = 0;
    for (int i = 0; i < m_attention->rowCount(); ++i) {
        const AttentionLine& line = *m_attention->row(i);
        m_attentionTable->setRowHeight(i, line.head ? kHeadLine : kLine);
        widest = std::max(
            widest, tabularWidth(typeface(line.head ? 20 : 13, line.head), m_attention->countOf(line)));
    }
    m_attentionTable->setColumnWidth(AttentionModel::Count, static_cast<int>(std::ceil(widest)) + 6 + 12 + 1);
}

void TriagePage::writeTitles()
{
    if (m_overviewAt == 0)
        return;  // nothing has been counted: a zero would be no answer
    QString shownText = tr("%1 shown").arg(countText(m_overview.situations.size()));
    if (m_overview.cutSituations > 0)
        shownText +=
            tr(", %1 less urgent left out: a filter brings them in").arg(countText(m_overview.cutSituations));
    if (m_overview.hiddenSituations > 0)
        shownText += tr(", %1 hidden by the filter").arg(countText(m_overview.hiddenSituations));
    if (m_overview.cutSituations == 0 && m_overview.hiddenSituations == 0)
        shownText += tr(", none hidden");
    m_situationsTitle->setRemark(shownText);
    if (m_filterAt != 0)  // counts of the filter before would be no answer to this one
        m_situationsTitle->setRemark(tr("as the filter before found them"));
    const QString order = m_newest ? tr("newest first") : QString();
    const QString hidden = m_situationsTable->hiddenText();
    m_situationsTitle->setRight(hidden.isEmpty() ? tr("sorted by who moves next, then oldest") : hidden);
    const QString lacks = m_stores.shareText(m_overview.shares);
    m_attentionTitle->setRight(lacks.isEmpty() ? tr("exact") : tr("at least: ") + lacks);
    const SituationLine* selected = situation();
    const auto have = static_cast<quint64>(m_runs->rowCount());
    const GroupLine* group = m_group.isEmpty() ? nullptr : m_groups->row(m_groups->rowOf(m_group));
    const quint64 total = selected != nullptr   ? selected->count
        : group != nullptr && group->count >= 0 ? static_cast<quint64>(group->count)
        : !m_group.isEmpty()                    ? have
        : m_situation.isEmpty()                 ? m_overview.matching
                                                : have;
    const QString marks = m_runs->marks() == 0 ? QString() : countText(m_runs->marks()) + tr(" marked, ");
    if (selected != nullptr)
        m_runsTitle->setRemark(
            marks + countText(total) + tr(" in "), selected->wait + u": "_s + selected->what);
    else if (!m_group.isEmpty())
        m_runsTitle->setRemark(marks + countText(total) + tr(" in "), m_group);
    else if (!m_situation.isEmpty())
        m_runsTitle->setRemark(marks + countText(total)
            + (have == 0 ? tr(" in a situation that is over") : tr(" in the situation that was selected")));
    else
        m_runsTitle->setRemark(marks
            + (m_filter->filter().isEmpty() ? plural(total, "unfinished run", "unfinished runs")
                                            : countText(total) + tr(" match the filter")));
    if (m_filterAt != 0)
        m_runsTitle->setRemark(tr("as the filter before found them"));
    QStringList right{order, m_runsTable->hiddenText()};
    right.prepend(m_runs->marks() > 0                      ? tr("Esc: no marks")
            : !m_situation.isEmpty() || !m_group.isEmpty() ? tr("Esc: all runs")
                                                           : QString());
    right.removeAll(QString());
    m_runsTitle->setRight(right.join(u" · "_s));
    safe::setText(m_strip, stripText(total));
    writeGroups();
}

// What is not on screen, and how old the list is where it is not the newest.
QString TriagePage::stripText(quint64 total) const
{
    const auto have = static_cast<quint64>(m_runs->rowCount());
    QStringList strip;
    if (!m_listed)
        return {};
    if (m_filterAt != 0)
        strip << tr("reading what this filter finds, since %1; what stands above is from before")
                     .arg(instantText(m_filterAt));
    else if (have == 0 && !m_situation.isEmpty())
        strip << tr("This situation is over: no run waits for this any more; Esc shows all runs");
    else if (have == 0 && m_filter->filter().isEmpty())
        strip << tr(
            "No run is unfinished: cairn start begins one, the filter state:finished shows those that ended");
    else if (have == 0)
        strip << (m_terms.empty()
                ? tr("Nothing matches: the filter leaves out all %1 runs; Clear filter shows them")
                      .arg(countText(m_overview.all))
                : tr("Nothing matches: %1").arg(termsText()));
    else
        strip << (total > have ? tr("%1 more below").arg(countText(total - have))
                               : tr("all %1 shown").arg(countText(have)));
    if (m_fresh > 0)
        strip << tr("%1 new since you looked, shown after F5").arg(countText(m_fresh));
    if (const QString lacks = m_stores.shareText(m_listShares); !lacks.isEmpty())
        strip << lacks;
    if (m_listDirty && m_listAt != 0)
        strip << tr("list as of %1").arg(clockText(m_listAt, now()));
    return strip.join(u" · "_s);
}

void TriagePage::situationMoved()
{
    if (m_quiet)
        return;
    const SituationLine* line = m_situations->row(m_situationsTable->currentRow());
    const QString key = line != nullptr ? line->key : QString();
    const StoreIx store = line != nullptr ? line->store : 0;
    m_whyOfRun = line != nullptr && line->count == 1;
    if (m_whyOfRun)
        m_run = {line->store, line->example};
    if (key != m_situation || store != m_situationOf) {
        m_situation = key;
        m_situationOf = store;
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

void TriagePage::focusFilter()
{
    m_filter->edit()->setFocus();
    m_filter->edit()->selectAll();
}
void TriagePage::focusRuns() { m_runsTable->setFocus(); }

void TriagePage::focusNext(bool backwards)
{
    const std::vector<QWidget*> order{m_attentionTable, m_views->rowCount() > 0 ? m_viewsTable : nullptr,
        m_stores.several() ? m_storesTable : nullptr,
        m_situationsTable->isVisibleTo(this)   ? m_situationsTable
            : m_groupsTable->isVisibleTo(this) ? m_groupsTable
                                               : nullptr,
        m_runsTable, m_plans->rowCount() > 0 ? m_plansTable : nullptr, m_why->firstVerb()};
    const auto count = static_cast<int>(order.size());
    int now = backwards ? count : -1;
    for (int i = 0; i < count; ++i)
        if (order[static_cast<std::size_t>(i)] != nullptr
            && (order[static_cast<std::size_t>(i)] == focusWidget()
                || (i == count - 1 && m_why->isAncestorOf(focusWidget()))))
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
        return tr("Situations");
    if (focus == m_plansTable)
        return tr("Plans");
    if (focus == m_groupsTable)
        return tr("Groups");
    if (focus == m_attentionTable)
        return tr("Attention");
    if (focus == m_storesTable)
        return tr("Stores");
    if (focus == m_viewsTable)
        return tr("Views");
    if (focus == m_filter->edit())
        return tr("Filter");
    return focus != nullptr && m_why->isAncestorOf(focus) ? tr("Why") : tr("Runs");
}

bool TriagePage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Backspace
        && static_cast<QKeyEvent*>(event)->modifiers() == Qt::ControlModifier && relax())
        return true;
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
    } else if (!m_group.isEmpty()) {
        dropGroup();
        loadRuns();
    } else if (!m_filter->filter().isEmpty()) {
        m_filter->setFilter({});
    }
}

}  // namespace cairn::ui
