#include "ui/models/payloadsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

int PayloadsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant PayloadsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{tr("Payload"), tr("Type"), tr("Size")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Size ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

void PayloadsModel::setPayloads(std::vector<PayloadLine> lines)
{
    std::unordered_set<PayloadId> seen;
    std::erase_if(lines, [&seen](const PayloadLine& line) { return !seen.insert(line.id).second; });
    sync(std::move(lines));
}

QVariant PayloadsModel::cell(const PayloadLine& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case What: return line.title;
        case Type: return line.media;
        case Size: return sizeText(line.size);
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return text();
    case Qt::TextAlignmentRole: return int(column == Size ? Qt::AlignRight : Qt::AlignLeft);
    case LookRole: return column == Size ? FigureLook : column == Type ? SecondaryLook : PlainLook;
    default: return {};
    }
}

}  // namespace cairn::ui
