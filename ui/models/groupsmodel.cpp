#include "ui/models/groupsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"

namespace cairn::ui {

QVariant GroupsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Runs ? Qt::AlignRight : Qt::AlignLeft);
    if (role != Qt::DisplayRole)
        return {};
    return section == Value ? m_title : tr("Runs");
}

void GroupsModel::setGroups(
    const QString& field, const QString& title, const std::vector<FilterChoice>& choices)
{
    std::vector<GroupLine> lines;
    for (const FilterChoice& choice : choices)
        if (choice.count != 0)
            lines.push_back({choice.text, field + u':' + choice.text, choice.count});
    if (std::exchange(m_title, title) != title)
        Q_EMIT headerDataChanged(Qt::Horizontal, Value, Value);
    sync(std::move(lines));
}

quint64 GroupsModel::sum() const
{
    quint64 sum = 0;
    for (const GroupLine& line : rows())
        sum += line.count > 0 ? static_cast<quint64>(line.count) : 0;
    return sum;
}

QVariant GroupsModel::cell(const GroupLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        if (column == Value)
            return line.value;
        return line.count < 0 ? QString() : countText(static_cast<quint64>(line.count));
    case Qt::TextAlignmentRole: return int(column == Runs ? Qt::AlignRight : Qt::AlignLeft);
    case LookRole: return column == Runs ? FigureLook | BoldLook : PlainLook;
    case FilterRole: return column == Value ? line.term : QString();
    case Qt::ToolTipRole: return column == Value ? tip(line.term) : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
