#include "ui/models/storesmodel.h"

#include "ui/data/cellroles.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

int StoresModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant StoresModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return section == Name ? tr("Store") : tr("State");
}

QVariant StoresModel::cell(const StoreLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return column == Name ? line.tag.name : line.state;
    case Qt::TextAlignmentRole: return int(column == State ? Qt::AlignRight : Qt::AlignLeft);
    case TagRole: return column == Name ? int(line.tag.look) : 0;
    case WarnRole: return column == State && line.warns;
    case LookRole: return column == State && !line.warns ? SecondaryLook : PlainLook;
    case Qt::AccessibleTextRole: return column == Name ? line.tag.spoken() : line.state + u", "_s + line.text;
    case Qt::ToolTipRole: return tip(line.text);
    default: return {};
    }
}

}  // namespace cairn::ui
