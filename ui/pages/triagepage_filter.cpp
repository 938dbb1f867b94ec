// The filter of the triage page: completion, terms from cells, what removed how many, saved views.
#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/namebox.h"
#include "ui/models/runsmodel.h"
#include "ui/models/viewsmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QVBoxLayout>
#include <QTimer>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kKeepLastMs = 1000;
constexpr std::size_t kMostLast = 50;  // sets of stores
constexpr int kLine = 22;
constexpr int kMostLines = 8;  // of views in the dock; the others are scrolled to
}  // namespace

void TriagePage::connectFilter()
{
    connect(m_filter, &FilterBox::helpWanted, this, [this](const FilterQuestion& question) {
        const quint64 ticket = m_helpTickets.next();
        whenDone(
            m_stores.filterHelp(question), this, [this, question, ticket](const Reply<FilterHelp>& reply) {
                if (reply && m_helpTickets.current(ticket))
                    m_filter->setHelp(question, *reply.value);
            });
    });
    for (DataTable* table : {m_situationsTable, m_groupsTable, m_runsTable}) {
        table->setCells(true);
        connect(table, &DataTable::filterAsked, this, &TriagePage::filterFromCell);
    }
}

// Only this, not this, and grouping by it; where too many have a value of their own, the values there are.
void TriagePage::filterFromCell(const QModelIndex& index, QChar how)
{
    const QString term = index.data(FilterRole).toString();
    if (term.isEmpty())
        return Q_EMIT said(tr("No filter asks for what stands in this column."));
    const QString field = term.section(u':', 0, 0);
    if (how == u'_')
        return groupingFields().contains(field) ? setGrouping(field) : m_filter->askValues(field);
    const AddedTerm added = withTerm(m_filter->filter(), term, how == u'-');
    if (!added.wrong.isEmpty())
        return Q_EMIT said(tr("Not possible: %1").arg(added.wrong));
    m_filter->setFilter(added.filter);
}

// Where nothing matches: what each term has taken away, asked once for each filter.
void TriagePage::explainNothing()
{
    const QString filter = m_filter->filter();
    if (filter.isEmpty() || !m_overview.filter.valid || m_overview.matching > 0) {
        m_terms.clear();
        m_termsOf.clear();
        return;
    }
    if (m_termsOf == filter)
        return;
    m_termsOf = filter;
    m_terms.clear();
    const quint64 ticket = m_termTickets.next();
    whenDone(m_stores.filterHelp({filter, -1, true}), this, [this, ticket](const Reply<FilterHelp>& reply) {
        if (!m_termTickets.current(ticket))
            return;
        if (reply)
            m_terms = reply.value->terms;
        writeTitles();
    });
}

// "def:order removes 1 204, wait:timer 46 · Ctrl+Backspace drops wait:timer, 46 runs then match"
QString TriagePage::termsText() const
{
    QStringList parts;
    for (const FilterTerm& term : m_terms)
        parts << tr("%1 removes %2").arg(shown(term.term, false, 60), countText(term.removed));
    QString text = parts.join(u", "_s);
    if (const FilterTerm* term = loosest())
        text += u" · "_s
            + tr("Ctrl+Backspace drops %1, %2 then match")
                  .arg(shown(term->term, false, 60), plural(term->without, "run", "runs"));
    return text;
}

const FilterTerm* TriagePage::loosest() const
{
    const FilterTerm* most = nullptr;
    for (const FilterTerm& term : m_terms)
        if (term.without > 0 && (most == nullptr || term.without > most->without))
            most = &term;
    return most;
}

bool TriagePage::relax()
{
    const FilterTerm* term = m_termsOf == m_filter->filter() ? loosest() : nullptr;
    if (term == nullptr)
        return false;
    m_filter->setFilter(withoutTerm(m_filter->filter(), term->offset, term->length));
    return true;
}

// --- saved views

void TriagePage::buildViews(QVBoxLayout* column)
{
    column->addWidget(m_viewsTitle);
    m_viewsTable->setModel(m_views);
    m_viewsTable->horizontalHeader()->hide();
    m_viewsTable->setColumns({120, 62}, ViewsModel::Name);
    m_viewsTable->setRowSize(kLine);
    m_viewsTable->setProperty("ground", u"panel"_s);
    column->addWidget(m_viewsTable);
    QMenu* menu = m_viewsTitle->addMenu(tr("Manage"));
    connect(
        menu->addAction(tr("Save this filter as a view…")), &QAction::triggered, this, &TriagePage::saveView);
    connect(
        menu->addAction(tr("Remove the selected view")), &QAction::triggered, this, &TriagePage::removeView);
    menu->addSeparator();
    connect(menu->addAction(tr("Read views from a file…")), &QAction::triggered, this, [this] {
        const QString path =
            QFileDialog::getOpenFileName(this, tr("Read views"), {}, tr("Views (*.json);;All files (*)"));
        if (!path.isEmpty())
            readViewsFrom(path);
    });
    connect(menu->addAction(tr("Save views to a file…")), &QAction::triggered, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Save views"), u"cairn-views.json"_s);
        if (!path.isEmpty())
            writeViewsTo(path);
    });
    connect(m_viewsTable, &DataTable::opened, this, [this](const QModelIndex& index) {
        if (const ViewLine* line = m_views->row(index.row()))
            showView(line->view);
    });
    connect(m_viewsTable, &QTableView::clicked, m_viewsTable, &DataTable::opened);
    m_viewsTable->installEventFilter(this);
    setViews({});
}

void TriagePage::showView(const SavedView& view)
{
    for (int column = RunsModel::Run; column < RunsModel::ColumnCount; ++column)
        m_runsTable->setColumnWanted(column,
            !view.hidden.contains(m_runs->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()));
    m_filter->setFilter(view.filter);
    focusRuns();
}

void TriagePage::useViewsFile(const QString& path)
{
    m_viewsPath = path;
    whenDone(m_viewsFile.load(path), this, [this](const Reply<std::vector<SavedView>>& reply) {
        if (reply) {
            const bool more = !views().empty();
            const auto all = joined(joined({}, *reply.value), views());
            m_viewsRead = true;
            return more ? keepViews(all) : setViews(all);
        }
        // What could not be understood is not overwritten either.
        m_viewsPath.clear();
        Q_EMIT said(told(reply.failure));
    });
}

std::vector<SavedView> TriagePage::views() const
{
    std::vector<SavedView> all;
    for (const ViewLine& line : m_views->rows())
        all.push_back(line.view);
    return all;
}

void TriagePage::setViews(const std::vector<SavedView>& views)
{
    std::vector<ViewLine> lines;
    for (const SavedView& view : views) {
        const ViewLine* old = m_views->row(m_views->rowOf(view.name));
        lines.push_back(old != nullptr && old->view == view ? *old : ViewLine{view, -1, false});
    }
    const auto rows = static_cast<int>(lines.size());
    m_views->setLines(std::move(lines));
    m_viewsTable->setVisible(rows > 0);
    m_viewsTable->setFixedHeight(kLine * std::min(kMostLines, rows) + 2);
    m_viewsTitle->setRemark(rows == 0 ? tr("none saved") : QString());
    countViews();
}

void TriagePage::countViews()
{
    m_viewsAt = monotonicMs();
    QStringList filters;
    for (const ViewLine& line : m_views->rows())
        filters << line.view.filter;
    if (filters.isEmpty())
        return;
    const quint64 ticket = m_viewTickets.next();
    whenDone(m_stores.countFilters(filters), this, [this, ticket](const Reply<FilterCounts>& reply) {
        if (!reply || !m_viewTickets.current(ticket))
            return;
        std::vector<ViewLine> lines = m_views->rows();
        for (std::size_t i = 0; i < lines.size() && i < reply.value->runs.size(); ++i) {
            lines[i].count = reply.value->runs[i];
            lines[i].wrong = lines[i].count < 0;
        }
        m_views->setLines(std::move(lines));
    });
}

void TriagePage::keepViews(const std::vector<SavedView>& views)
{
    setViews(views);
    if (m_viewsRead && !m_viewsPath.isEmpty())
        writeViewsTo(m_viewsPath, false);
}

void TriagePage::saveView()
{
    if (m_filter->filter().isEmpty() || !m_overview.filter.valid)
        return Q_EMIT said(tr("There is no valid filter to be saved: / edits it."));
    auto* box = new NameBox(tr("Save view"), tr("Name of the view"), this);
    connect(box, &NameBox::chosen, this, &TriagePage::addView);
    box->open();
}

SavedView TriagePage::viewNow(const QString& name) const
{
    SavedView view{name, m_filter->filter(), {}};
    for (int column = RunsModel::Run; column < RunsModel::ColumnCount; ++column)
        if (!m_runsTable->columnWanted(column))
            view.hidden << m_runs->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return view;
}

void TriagePage::useLastFile(const QString& path, const QString& key)
{
    m_lastKey = key;
    whenDone(m_viewsFile.load(path), this, [this, path](const Reply<std::vector<SavedView>>& reply) {
        if (!reply)
            return Q_EMIT said(told(reply.failure));  // what could not be understood is not overwritten
        m_last = *reply.value;
        const auto last = std::find_if(
            m_last.begin(), m_last.end(), [this](const SavedView& one) { return one.name == m_lastKey; });
        if (last != m_last.end() && m_filter->filter().isEmpty()) {
            const SavedView view = *last;
            showView(view);
            if (!view.filter.isEmpty())
                Q_EMIT said(tr("The filter is as you left it: %1").arg(shown(view.filter, false, 120)));
        }
        m_lastPath = path;
        m_lastTimer = new QTimer(this);
        m_lastTimer->setSingleShot(true);
        m_lastTimer->setInterval(kKeepLastMs);
        connect(m_lastTimer, &QTimer::timeout, this, &TriagePage::keepLast);
        connect(m_filter, &FilterBox::filterChanged, m_lastTimer, qOverload<>(&QTimer::start));
        connect(m_runsTable, &DataTable::columnsChanged, m_lastTimer, qOverload<>(&QTimer::start));
    });
}

// A filter that is wrong is not one to begin with.
void TriagePage::keepLast()
{
    const SavedView now = viewNow(m_lastKey);
    const auto same = std::find_if(
        m_last.begin(), m_last.end(), [&now](const SavedView& one) { return one.name == now.name; });
    if (!m_overview.filter.valid || (same != m_last.end() && *same == now))
        return;
    std::erase_if(m_last, [&now](const SavedView& one) { return one.name == now.name; });
    m_last.insert(m_last.begin(), now);
    if (m_last.size() > kMostLast)
        m_last.resize(kMostLast);
    whenDone(m_viewsFile.save(m_lastPath, m_last), this, [this](const Reply<bool>& reply) {
        if (!reply)
            return Q_EMIT said(told(reply.failure));
        Q_EMIT lastKept();
    });
}

void TriagePage::addView(const QString& name)
{
    const SavedView view = viewNow(name.trimmed().left(80));
    if (view.name.isEmpty())
        return Q_EMIT said(tr("Not saved: a view needs a name."));
    std::vector<SavedView> all = views();
    std::erase_if(all, [&view](const SavedView& one) { return one.name == view.name; });
    all.push_back(view);
    keepViews(all);
    Q_EMIT said(tr("Saved the view %1.").arg(shown(view.name, false, 80)));
}

void TriagePage::removeView()
{
    const ViewLine* line = m_views->row(m_viewsTable->currentRow());
    if (line == nullptr)
        return Q_EMIT said(tr("Select a view first."));
    std::vector<SavedView> all = views();
    std::erase_if(all, [name = line->view.name](const SavedView& one) { return one.name == name; });
    keepViews(all);
}

void TriagePage::readViewsFrom(const QString& path)
{
    whenDone(m_viewsFile.load(path), this, [this](const Reply<std::vector<SavedView>>& reply) {
        if (!reply)
            return Q_EMIT said(told(reply.failure));
        const std::size_t before = views().size();
        const std::vector<SavedView> all = joined(views(), *reply.value);
        keepViews(all);
        Q_EMIT said(tr("%1 read; what was here stays.").arg(plural(all.size() - before, "view", "views")));
    });
}

void TriagePage::writeViewsTo(const QString& path, bool tell)
{
    whenDone(m_viewsFile.save(path, views()), this, [this, tell](const Reply<bool>& reply) {
        if (!reply)
            Q_EMIT said(tr("Views were not saved: %1").arg(told(reply.failure)));
        else if (tell)
            Q_EMIT said(tr("Saved the views."));
    });
}

}  // namespace cairn::ui
