#include "ui/models/runviewmodels.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/words.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

QVariant headOf(const QStringList& names, int section, Qt::Orientation orientation, int role,
    std::initializer_list<int> right = {})
{
    if (orientation != Qt::Horizontal || section < 0 || section >= names.size())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(
            std::find(right.begin(), right.end(), section) != right.end() ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(names.at(section)) : QVariant();
}

}  // namespace

// --- acts

int ActsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant ActsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf({tr("Audit"), tr("Time"), tr("Who"), tr("Act"), tr("About"), tr("Outcome"),
                      tr("Reason given"), tr("Version")},
        section, orientation, role, {Seq, Version});
}

QVariant ActsModel::cell(const ActLine& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Seq: return countText(line.seq);
        case Time: return preciseText(line.time);
        case Person: return line.person;
        case Act: return line.verb;
        case Target: return line.target;
        case Outcome: return line.outcome;
        case Reason: return line.reason;
        case Version: return line.version == 0 ? u"–"_s : countText(line.version);
        default: return {};
        }
    };
    const bool number = column == Seq || column == Version;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return text();
    case Qt::TextAlignmentRole: return int(number ? Qt::AlignRight : Qt::AlignLeft);
    case Qt::ToolTipRole:
        if (column == Time)
            return tip(bothZonesText(line.time));
        return column == Reason || column == Target ? QVariant(tip(text())) : QVariant();
    case LookRole:
        if (number || column == Time)
            return FigureLook | (column == Time ? SecondaryLook : PlainLook);
        // Refused and expired acts are rows like others, in grey.
        return !line.applied ? SecondaryLook : column == Person || column == Act ? BoldLook : PlainLook;
    default: return {};
    }
}

// --- relations

int RelationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RelationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf(
        {tr("Run"), tr("State"), tr("Through step"), tr("Handed over by"), tr("May use"), tr("Since")},
        section, orientation, role);
}

QString RelationsModel::tieText(Tie tie)
{
    switch (tie) {
    case Tie::Ancestor: return tr("above");
    case Tie::Self: return tr("this run");
    case Tie::Child: return tr("child");
    case Tie::HoldsEffect: return tr("holds an effect of it");
    case Tie::ForkedFrom: return tr("forked from");
    }
    return {};
}

QString RelationsModel::keyOf(const RelationLine& line) const
{
    return QString::number(static_cast<int>(line.tie)) + idText(line.run) + line.step + idText(line.under);
}

void RelationsModel::setRelations(std::vector<RelationLine> lines)
{
    int depth = 0;
    for (RelationLine& line : lines) {
        // Each ancestor one further in; below this run what it started.
        if (line.tie == Tie::Ancestor)
            line.depth = depth++;
        else
            line.depth = line.tie == Tie::Self ? depth : depth + 1;
    }
    m_own = std::move(lines);
    arrange();
}

void RelationsModel::setChildren(const RelationLine& of, const std::vector<RelationLine>& lines)
{
    std::vector<RelationLine> children;
    for (RelationLine line : lines)
        if (line.tie == Tie::Child || line.tie == Tie::HoldsEffect) {
            line.under = of.run;
            line.depth = of.depth + 1;
            children.push_back(std::move(line));
        }
    m_children[keyOf(of)] = std::move(children);
    m_open.insert(keyOf(of));
    arrange();
}

void RelationsModel::fold(const RelationLine& line)
{
    m_open.erase(keyOf(line));
    arrange();
}

void RelationsModel::addBelow(std::vector<RelationLine>& out, const RelationLine& line) const
{
    out.push_back(line);
    const auto children = m_children.find(keyOf(line));
    if (children == m_children.end() || !isOpen(line) || out.size() > 100'000)
        return;
    for (const RelationLine& child : children->second)
        addBelow(out, child);
}

void RelationsModel::arrange()
{
    std::vector<RelationLine> rows;
    for (const RelationLine& line : m_own)
        addBelow(rows, line);
    sync(std::move(rows));
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, 0));  // folds
}

QString RelationsModel::text(const RelationLine& line, int column) const
{
    switch (column) {
    case Run:
        return tieText(line.tie) + u": "_s + (line.workflow.isEmpty() ? shortId(line.run) : line.workflow)
            + (line.key.isEmpty() ? QString() : u' ' + line.key);
    case State: return line.note.isEmpty() ? line.word : line.word + u", "_s + line.note;
    case Through: return line.step;
    case By: return line.agent;
    case May: return line.share;
    case Since: return line.since == 0 ? QString() : instantText(line.since);
    default: return {};
    }
}

QVariant RelationsModel::cell(const RelationLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return text(line, column);
    case Qt::AccessibleTextRole:
        return column == State ? text(line, column) + u", "_s + glyphName(line.glyph) : text(line, column);
    case Qt::ToolTipRole: return column == Run ? QVariant(tip(idText(line.run))) : QVariant();
    case GlyphRole: return column == State && line.here ? int(line.glyph) : int(Glyph::None);
    case IndentRole: return column == Run ? line.depth * 18 : 0;
    case FoldRole: return column != Run || !canOpen(line) ? 0 : isOpen(line) ? 2 : 1;
    case LookRole:
        if (column == Since)
            return FigureLook | SecondaryLook;
        return column == Run && line.tie == Tie::Self ? BoldLook : line.here ? PlainLook : SecondaryLook;
    default: return {};
    }
}

// --- differences

int CompareModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf(
        {tr("Where"), tr("What"), m_left.isEmpty() ? tr("A") : tr("A: %1").arg(shown(m_left, false, 60)),
            m_right.isEmpty() ? tr("B") : tr("B: %1").arg(shown(m_right, false, 60))},
        section, orientation, role);
}

void CompareModel::setLines(const std::vector<CompareLine>& lines, const QString& left, const QString& right)
{
    m_left = left;
    m_right = right;
    std::vector<CompareRow> rows;
    for (const CompareLine& line : lines)
        rows.push_back({static_cast<quint32>(rows.size()), line});
    sync(std::move(rows));
    Q_EMIT headerDataChanged(Qt::Horizontal, Left, Right);
}

QVariant CompareModel::cell(const CompareRow& row, int column, int role) const
{
    const auto side = [](const QString& text) { return text.isEmpty() ? tr("not there") : text; };
    const auto text = [&]() -> QString {
        switch (column) {
        case Place: return row.line.place;
        case What: return row.line.what;
        case Left: return side(row.line.left);
        case Right: return side(row.line.right);
        default: return {};
        }
    };
    const bool missing =
        (column == Left && row.line.left.isEmpty()) || (column == Right && row.line.right.isEmpty());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return text();
    case Qt::ToolTipRole: return tip(text());
    case LookRole: return column == What || missing ? SecondaryLook : PlainLook;
    default: return {};
    }
}

// --- the timeline as a list

int SpansModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant SpansModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf({tr("Step"), tr("Lane"), tr("What"), tr("From"), tr("To"), tr("Took")}, section,
        orientation, role, {Took});
}

int SpansModel::firstOf(quint32 step) const
{
    for (int i = 0; i < rowCount(); ++i)
        if (row(i)->step == step)
            return i;
    return -1;
}

QVariant SpansModel::cell(const SpanRow& row, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Step: return row.title;
        case LaneName: return row.lane;
        case What: return row.what;
        case From: return preciseText(row.from);
        case To: return row.step == kNone ? QString() : row.open ? tr("goes on") : preciseText(row.to);
        case Took:
            if (row.step == kNone)
                return {};
            return row.doubt > 0 ? tr("clock differs by %1").arg(durationText(row.doubt))
                                 : durationText(row.to - row.from) + (row.open ? u"+"_s : QString());
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole: return text();
    case Qt::AccessibleTextRole: return column == What ? text() + u", "_s + glyphName(row.glyph) : text();
    case Qt::TextAlignmentRole: return int(column == Took ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole: return column == What ? int(row.glyph) : int(Glyph::None);
    case LookRole:
        return column == From || column == To || column == Took ? FigureLook
            : column == LaneName                                ? SecondaryLook
                                                                : PlainLook;
    default: return {};
    }
}

}  // namespace cairn::ui
