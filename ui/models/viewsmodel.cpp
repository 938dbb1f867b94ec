#include "ui/models/viewsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"

namespace cairn::ui {

QVariant ViewsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return section == Name ? tr("View") : tr("Runs");
}

QVariant ViewsModel::cell(const ViewLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        if (column == Name)
            return line.view.name;
        return line.wrong    ? tr("not valid")
            : line.count < 0 ? QString()
                             : countText(static_cast<quint64>(line.count));
    case Qt::TextAlignmentRole: return int(column == Count ? Qt::AlignRight : Qt::AlignLeft);
    case LookRole: return column == Count ? FigureLook : PlainLook;
    case WarnRole: return column == Count && line.wrong;
    case Qt::ToolTipRole: return tip(line.view.filter);
    default: return {};
    }
}

}  // namespace cairn::ui
