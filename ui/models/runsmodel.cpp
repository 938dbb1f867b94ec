#include "ui/models/runsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <QTimer>

#include <iterator>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

std::vector<RunSlot> slotsOf(const std::vector<RunLine>& lines)
{
    std::vector<RunSlot> result;
    result.reserve(lines.size());
    std::unordered_set<RunRef> seen;
    for (const RunLine& line : lines)
        if (seen.insert(line.ref()).second)
            result.push_back({line.ref(), line});
    return result;
}

constexpr bool isFigure(int column)
{
    return column == RunsModel::Attempt || column == RunsModel::Waited || column == RunsModel::NextAt
        || column == RunsModel::Money;
}

}  // namespace

RunsModel::RunsModel(QObject* parent)
    : RowsModel(parent)
{
}

int RunsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{tr("State"), tr("Store"), tr("Run"), tr("Workflow"), tr("Step"),
        tr("Attempt"), tr("Waited"), tr("Next at"), tr("Money at stake"), tr("Key")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(isFigure(section) ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

QString RunsModel::text(const RunLine& line, int column) const
{
    const bool over = line.endedAt != 0;
    switch (column) {
    case State: return line.word;
    case Store: return line.store < m_tags.size() ? m_tags[line.store].name : QString();
    case Run: return shortId(line.run).mid(7);
    case Workflow: return line.workflow.isEmpty() ? u"(driven)"_s : line.workflow;
    case Step: return line.step;
    case Attempt:
        if (line.attempt == 0)
            return u"–"_s;
        return line.attemptsMax == 0 ? QString::number(line.attempt)
                                     : tr("%1 of %2").arg(line.attempt).arg(line.attemptsMax);
    case Waited: return over || line.since == 0 ? u"–"_s : durationText(now(line.store) - line.since);
    case NextAt: return clockText(line.next, now(line.store));
    case Money: return line.money.isEmpty() ? u"–"_s : line.money;
    case Key: return line.key;
    default: return {};
    }
}

QString RunsModel::term(const RunLine& line, int column) const
{
    switch (column) {
    case State: return line.waitTerm;
    case Store: return line.store < m_tags.size() ? termOf(u"store"_s, m_tags[line.store].name) : QString();
    case Run: return termOf(u"run"_s, idText(line.run));
    case Workflow: return termOf(u"def"_s, line.workflow);
    case Step: return termOf(u"step"_s, line.step);
    case Money: return termOf(u"money"_s, line.money.section(u' ', -1));
    case Key: return termOf(u"key"_s, line.key);
    default: return {};
    }
}

int RunsModel::look(const RunLine&, int column) const
{
    if (isFigure(column))
        return FigureLook;
    if (column == Run)
        return MonoLook;
    return column == Step || column == Key ? SecondaryLook : PlainLook;
}

QVariant RunsModel::cell(const RunSlot& slot, int column, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return int(isFigure(column) ? Qt::AlignRight : Qt::AlignLeft);
    if (role == Qt::SizeHintRole)
        return {};  // never starts a read
    if (!slot.line) {
        if (role == Qt::DisplayRole)
            want(slot.run);
        const bool said = role == Qt::AccessibleTextRole || (role == Qt::DisplayRole && column == State);
        return said ? QVariant(tr("reading…")) : QVariant();
    }
    const RunLine& line = *slot.line;
    switch (role) {
    case Qt::DisplayRole: return text(line, column);
    case LookRole: return look(line, column);
    case GlyphRole: return column == State ? int(line.glyph) : 0;
    case MarkRole: return column != State || line.endedAt != 0 ? 0 : m_marks.count(line.ref()) != 0 ? 2 : 1;
    case TagRole: return column == Store && line.store < m_tags.size() ? int(m_tags[line.store].look) : 0;
    case HeadRole: return column == Run ? QVariant(shortId(line.run).left(7)) : QVariant();
    case Qt::AccessibleTextRole:
        if (column == State)
            return QVariant(line.word + u", "_s + glyphName(line.glyph)
                + (m_marks.count(line.ref()) != 0 ? tr(", marked") : QString()));
        if (column == Store && line.store < m_tags.size())
            return QVariant(m_tags[line.store].spoken());
        return column == Run ? QVariant(idText(line.run)) : QVariant(text(line, column));
    case Qt::ToolTipRole:
        if (column == Store && line.store < m_tags.size())
            return tip(m_tags[line.store].spoken());
        if (column == Run)
            return tip(idText(line.run));
        if (column == NextAt || column == Waited)
            return tip(bothZonesText(column == NextAt ? line.next : line.since));
        return column == State && !line.error.isEmpty() ? QVariant(tip(line.error)) : QVariant();
    case FilterRole: return term(line, column);
    case SortRole: return column == Waited ? QVariant(line.since) : QVariant(text(line, column));
    default: return {};
    }
}

bool RunsModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && m_more && !m_asked;
}

void RunsModel::fetchMore(const QModelIndex& parent)
{
    if (!canFetchMore(parent))
        return;
    m_asked = true;
    Q_EMIT pageWanted();
}

void RunsModel::setFirst(const RunSlice& slice)
{
    m_more = slice.more;
    m_places = slice.marks;
    m_asked = false;
    m_held.clear();
    m_touched.clear();
    std::vector<RunSlot> fresh = slotsOf(slice.lines);
    for (RunSlot& slot : fresh)  // an answer that comes late does not undo what is known since
        if (const RunSlot* held = row(rowOf(slot.run));
            held != nullptr && held->line && held->line->version > slot.line->version)
            slot.line = held->line;
    sync(std::move(fresh));
    dropMarksOfGone();
    for (const RunLine& line : slice.lines)
        hold(line.ref());
}

void RunsModel::addPage(const RunSlice& slice)
{
    m_more = slice.more;
    m_places = slice.marks;
    m_asked = false;
    std::vector<RunSlot> fresh = slotsOf(slice.lines);
    // A row that moved while pages were read is shown once, where it was seen first.
    std::erase_if(fresh, [this](const RunSlot& slot) { return rowOf(slot.run) >= 0; });
    append(std::move(fresh));
    for (const RunLine& line : slice.lines)
        hold(line.ref());
}

void RunsModel::setLines(const std::vector<RunLine>& lines)
{
    for (const RunLine& line : lines) {
        m_wanted.erase(line.ref());
        if (const int i = rowOf(line.ref()); i >= 0) {
            update(i, line);
            hold(line.ref());
        }
    }
}

void RunsModel::update(int i, const RunLine& line)
{
    const std::optional<RunLine>& held = row(i)->line;
    if (!held || held->version <= line.version)
        replace(i, {line.ref(), line});
}

RunsModel::Merged RunsModel::merge(const std::vector<RunLine>& changed)
{
    Merged merged;
    for (const RunLine& line : changed) {
        const int i = rowOf(line.ref());
        if (i < 0) {
            ++merged.others;
            continue;
        }
        ++merged.shown;
        m_touched.insert(line.ref());
        if (row(i)->line)
            update(i, line);
    }
    return merged;
}

void RunsModel::drop(const std::vector<RunRef>& removed)
{
    const std::unordered_set<RunRef> gone(removed.begin(), removed.end());
    removeIf([&](const RunSlot& slot) { return gone.count(slot.run) != 0; });
    for (const RunRef& run : removed)
        m_touched.erase(run);
    dropMarksOfGone();
}

int RunsModel::settle(const RunSlice& slice)
{
    std::unordered_set<RunRef> in;
    for (const RunLine& line : slice.lines) {
        in.insert(line.ref());
        if (const int i = rowOf(line.ref()); i >= 0)
            update(i, line);
    }
    // Where there is more than the slice, a row that is not in it may have been pushed down by new ones; one
    // that has changed since has left, or has moved below.
    removeIf([&](const RunSlot& slot) {
        return in.count(slot.run) == 0 && (!slice.more || m_touched.count(slot.run) != 0);
    });
    m_touched.clear();
    m_more = slice.more;
    dropMarksOfGone();
    // What follows the last row comes in: it moves nothing that is being read. So a list that has lost its
    // rows is filled again.
    std::vector<RunLine> below;
    int above = 0;
    bool shown = false;
    for (auto line = slice.lines.rbegin(); line != slice.lines.rend(); ++line) {
        if (rowOf(line->ref()) >= 0)
            shown = true;
        else if (shown)
            ++above;
        else
            below.insert(below.begin(), *line);
    }
    const bool reachesEnd = rowCount() == 0 || in.count(rows().back().run) != 0;
    if (!reachesEnd)  // pages below the slice are shown: what is new lies above them
        return above + static_cast<int>(below.size());
    m_places = slice.marks;
    append(slotsOf(below));
    for (const RunLine& line : below)
        hold(line.ref());
    return above;
}

void RunsModel::setMark(int i, bool on)
{
    const RunSlot* slot = row(i);
    if (slot == nullptr || !slot->line || (on && slot->line->endedAt != 0)
        || (m_marks.count(slot->run) != 0) == on)
        return;
    if (on)
        m_marks.emplace(slot->run, *slot->line);
    else
        m_marks.erase(slot->run);
    Q_EMIT dataChanged(index(i, State), index(i, State));
    Q_EMIT marksChanged();
}

void RunsModel::toggleMark(int i)
{
    if (const RunSlot* slot = row(i))
        setMark(i, m_marks.count(slot->run) == 0);
}

void RunsModel::markShown()
{
    for (const RunSlot& slot : rows())
        if (slot.line && slot.line->endedAt == 0)
            m_marks.emplace(slot.run, *slot.line);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, State), index(rowCount() - 1, State));
    Q_EMIT marksChanged();
}

void RunsModel::clearMarks()
{
    if (m_marks.empty())
        return;
    m_marks.clear();
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, State), index(rowCount() - 1, State));
    Q_EMIT marksChanged();
}

std::vector<RunLine> RunsModel::marked() const
{
    std::vector<RunLine> result;
    for (const RunSlot& slot : rows())
        if (const auto found = m_marks.find(slot.run); found != m_marks.end())
            result.push_back(slot.line ? *slot.line : found->second);
    return result;
}

void RunsModel::dropMarksOfGone()
{
    if (m_marks.empty())
        return;
    std::unordered_set<RunRef> here;
    for (const RunSlot& slot : rows())
        if (!slot.line || slot.line->endedAt == 0)
            here.insert(slot.run);
    if (std::erase_if(m_marks, [&here](const auto& mark) { return here.count(mark.first) == 0; }) > 0)
        Q_EMIT marksChanged();
}

void RunsModel::setStores(std::vector<StoreTag> tags)
{
    m_tags = std::move(tags);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Store), index(rowCount() - 1, Store));
}
void RunsModel::setWindow(std::size_t most) { m_window = most; }

void RunsModel::want(const RunRef& run) const
{
    if (m_wanted.empty()) {
        // One request for everything that a paint found missing.
        QTimer::singleShot(0, this, [this] {
            const std::vector<RunRef> runs(m_wanted.begin(), m_wanted.end());
            m_wanted.clear();
            if (!runs.empty())
                Q_EMIT const_cast<RunsModel*>(this)->linesWanted(runs);
        });
    }
    m_wanted.insert(run);
}

void RunsModel::hold(const RunRef& run)
{
    m_held.push_back(run);
    while (m_held.size() > m_window) {
        const int i = rowOf(m_held.front());
        m_held.pop_front();
        if (i >= 0)
            replace(i, {row(i)->run, std::nullopt});
    }
}

}  // namespace cairn::ui
