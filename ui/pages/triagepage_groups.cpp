// Runs by what they have in common, by when they began, marked beyond what is on screen, and from one that
// needs somebody to the next.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/models/groupsmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"

#include <QActionGroup>
#include <QMenu>
#include <QRegularExpression>
#include <QSplitter>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostMarked = 2000;  // of one list; a plan takes more, by its filter
constexpr int kTitleOnly = 30;     // height of the upper table where nothing is grouped

const QString kBySituation = u"situation"_s;

QString titleOf(const QString& field)
{
    const auto tr = [](const char* text) { return TriagePage::tr(text); };
    return field.isEmpty()       ? tr("nothing: runs only")
        : field == kBySituation  ? tr("situation")
        : field == u"def"_s      ? tr("workflow")
        : field == u"step"_s     ? tr("step")
        : field == u"wait"_s     ? tr("what it waits for")
        : field == u"state"_s    ? tr("state")
        : field == u"resource"_s ? tr("resource")
        : field == u"error"_s    ? tr("error")
        : field == u"assigned"_s ? tr("person that it is assigned to")
                                 : tr("worker");
}

bool needsSomebody(Glyph glyph)
{
    const Family family = familyOf(glyph);
    // Who paused it has to end that: a shape at rest, and still a person's.
    return family == Family::Uncertain || family == Family::Nobody || family == Family::Person
        || glyph == Glyph::Paused;
}

// Where a filter has alternatives, values at its end would be of the last one only.
bool hasAlternatives(const QString& filter)
{
    static const QRegularExpression kOr(uR"((^|\s)or(\s|$))"_s, QRegularExpression::CaseInsensitiveOption);
    return kOr.match(filter).hasMatch();
}

}  // namespace

QStringList TriagePage::groupingFields()
{
    return {
        u"def"_s, u"step"_s, u"wait"_s, u"state"_s, u"resource"_s, u"error"_s, u"worker"_s, u"assigned"_s};
}

void TriagePage::buildGroups()
{
    m_grouping = kBySituation;
    m_groupsTable->setModel(m_groups);
    m_groupsTable->setColumns({240, 70}, GroupsModel::Value);
    m_groupsTable->hide();
    QMenu* menu = m_situationsTitle->addMenu(tr("Group by"));
    m_groupings = new QActionGroup(menu);
    for (const QString& field : QStringList{kBySituation} + groupingFields() + QStringList{QString()}) {
        QAction* action = menu->addAction(titleOf(field));
        action->setData(field);
        action->setCheckable(true);
        action->setChecked(field == kBySituation);
        m_groupings->addAction(action);
        connect(action, &QAction::triggered, this, [this, field] { setGrouping(field); });
    }
    connect(m_groupsTable, &DataTable::currentMoved, this, &TriagePage::groupMoved);
    connect(m_groupsTable, &DataTable::opened, this, &TriagePage::focusRuns);
}

void TriagePage::setGrouping(const QString& field)
{
    if (field == m_grouping
        || (!field.isEmpty() && field != kBySituation && !groupingFields().contains(field)))
        return;
    m_grouping = field;
    dropGroup();
    if (!m_situation.isEmpty()) {
        m_quiet = true;
        m_situationsTable->setCurrentIndex({});
        m_situationsTable->clearSelection();
        m_quiet = false;
        m_situation.clear();
    }
    m_whyOfRun = true;
    m_groups->setGroups(field, titleOf(field), {});
    m_situationsTable->setVisible(field == kBySituation);
    m_groupsTable->setVisible(!field.isEmpty() && field != kBySituation);
    m_situationsTitle->setTitle(field == kBySituation ? tr("Situations") : tr("Groups"));
    m_tables->widget(0)->setMaximumHeight(field.isEmpty() ? kTitleOnly : QWIDGETSIZE_MAX);
    for (QAction* action : m_groupings->actions())
        action->setChecked(action->data().toString() == field);
    loadGroups();
    loadRuns();
    writeTitles();
}

QString TriagePage::listFilter() const
{
    const QString& filter = m_filter->filter();
    if (m_group.isEmpty())
        return filter;
    // Without a filter the list has what is not finished, and a group is a part of that.
    return withTerm(filter.isEmpty() ? u"state:open"_s : filter, m_group, false).filter;
}

void TriagePage::loadGroups()
{
    if (m_grouping.isEmpty() || m_grouping == kBySituation)
        return;
    const QString filter = m_filter->filter().isEmpty() ? u"state:open"_s : m_filter->filter();
    const quint64 ticket = m_groupTickets.next();
    const auto show = [this](const std::vector<FilterChoice>& choices, bool cut) {
        m_groupsCut = cut;
        m_quiet = true;
        m_groups->setGroups(m_grouping, titleOf(m_grouping), choices);
        const int row = m_group.isEmpty() ? -1 : m_groups->rowOf(m_group);
        if (row != m_groupsTable->currentRow())  // no other group takes the place of one that has gone
            m_groupsTable->setCurrentIndex(row < 0 ? QModelIndex() : m_groups->index(row, 0));
        if (row < 0)
            m_groupsTable->clearSelection();
        m_quiet = false;
        writeTitles();
    };
    if (hasAlternatives(filter))
        return show({}, false);
    const QString text = filter + u' ' + m_grouping + u':';
    whenDone(m_stores.filterHelp({text, static_cast<int>(text.size()), false}), this,
        [this, ticket, show](const Reply<FilterHelp>& reply) {
            if (!m_groupTickets.current(ticket))
                return;
            if (reply)
                show(reply.value->choices, reply.value->more);
            else if (!reply.failure.cancelled)
                Q_EMIT failed(told(reply.failure));
        });
}

void TriagePage::groupMoved()
{
    if (m_quiet)
        return;
    const GroupLine* line = m_groups->row(m_groupsTable->currentRow());
    const QString term = line != nullptr ? line->term : QString();
    if (term == m_group)
        return;
    m_group = term;
    m_fresh = 0;
    m_whyOfRun = true;
    loadRuns();
}

void TriagePage::dropGroup()
{
    if (m_group.isEmpty())
        return;
    m_group.clear();
    m_quiet = true;
    m_groupsTable->setCurrentIndex({});
    m_groupsTable->clearSelection();
    m_quiet = false;
}

// What the title of the upper table says where its rows are no situations.
void TriagePage::writeGroups()
{
    if (m_grouping == kBySituation)
        return;
    m_situationsTitle->setRight({});
    if (m_grouping.isEmpty())
        return m_situationsTitle->setRemark(tr("nothing is grouped"));
    if (m_groups->rowCount() == 0 && hasAlternatives(m_filter->filter()))
        return m_situationsTitle->setRemark(tr("not possible: the filter has alternatives (or)"));
    QString remark =
        tr("%1 by %2").arg(countText(static_cast<quint64>(m_groups->rowCount())), titleOf(m_grouping));
    // A run that has no such value is in no group.
    const quint64 sum = m_groups->sum();
    if (!m_groupsCut && m_overview.matching > sum)
        remark += tr(", %1 in none of them").arg(plural(m_overview.matching - sum, "run", "runs"));
    if (m_groupsCut)
        remark += tr(", those with fewer runs left out");
    m_situationsTitle->setRemark(remark);
    m_situationsTitle->setRight(tr("the most runs first"));
}

// --- order, marks, problems

void TriagePage::setNewestFirst(bool newest)
{
    if (m_newest == newest)
        return;
    m_newest = newest;
    loadRuns();
    writeTitles();
    Q_EMIT said(newest ? tr("The run that began last is first. S: by who moves next, then the oldest.")
                       : tr("Sorted by who moves next, then the oldest."));
}

void TriagePage::markMatching()
{
    const ListRequest request{listFilter(), m_situationOf, m_situation, {}, kMostMarked, m_newest};
    const quint64 ticket = m_markTickets.next();
    ++m_asides;
    whenDone(m_stores.runs(request), this, [this, ticket, request](const Reply<RunSlice>& reply) {
        --m_asides;
        const bool same =
            request.filter == listFilter() && request.situation == m_situation && request.newest == m_newest;
        if (!m_markTickets.current(ticket) || !same)
            return;
        if (!reply) {
            if (!reply.failure.cancelled)
                Q_EMIT failed(told(reply.failure));
            return;
        }
        m_pageTickets.next();
        m_quiet = true;
        m_runs->setFirst(*reply.value);
        m_quiet = false;
        m_fresh = 0;
        showRuns(*reply.value);
        m_runs->markShown();
        const QString count = plural(m_runs->marks(), "run", "runs");
        Q_EMIT said(reply.value->more
                ? tr("Marked %1, as many as can be at once; there are more. A plan takes all that the filter "
                     "finds: menu Plan.")
                      .arg(count)
                : tr("Marked all %1 that match.").arg(count));
    });
}

void TriagePage::nextProblem(bool backwards)
{
    const int count = m_runs->rowCount();
    const int here = m_runsTable->currentRow();
    for (int n = 1; n <= count; ++n) {
        const int at = backwards ? (std::max(here, 0) - n + 2 * count) % count : (here + n + count) % count;
        const RunSlot* slot = m_runs->row(at);
        if (slot == nullptr || !slot->line || !needsSomebody(slot->line->glyph))
            continue;
        focusRuns();
        m_runsTable->setCurrentIndex(m_runs->index(at, 0));
        return;
    }
    Q_EMIT said(tr("No run of those below needs somebody."));
}

// One term of the filter, on and off; without a filter nothing else is shown anyway.
void TriagePage::toggleUnfinished()
{
    static const QRegularExpression kOpen(uR"((^|\s)state:open(?=\s|$))"_s);
    const QString filter = m_filter->filter();
    if (filter.isEmpty())
        return Q_EMIT said(tr("Without a filter only what is not finished is shown."));
    if (kOpen.match(filter).hasMatch())
        return m_filter->setFilter(QString(filter).remove(kOpen).simplified());
    const AddedTerm added = withTerm(filter, u"state:open"_s, false);
    if (!added.wrong.isEmpty())
        return Q_EMIT said(tr("Not possible: %1").arg(added.wrong));
    m_filter->setFilter(added.filter);
}

bool TriagePage::takeLetter(QChar letter, bool shift)
{
    if (letter == u'e')
        nextProblem(shift);
    else if (letter == u'f' && !shift)
        toggleUnfinished();
    else if (letter == u's' && !shift)
        setNewestFirst(!m_newest);
    else
        return false;
    return true;
}

}  // namespace cairn::ui
