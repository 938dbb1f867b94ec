#include "ui/models/historymodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

int HistoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{
        u"Entry"_s, u"Time"_s, u"Who"_s, u"Act"_s, u"What it says"_s, u"Reason given"_s};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Version ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

bool HistoryModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && !m_asked && lastVersion() < m_total;
}

void HistoryModel::fetchMore(const QModelIndex& parent)
{
    if (!canFetchMore(parent))
        return;
    m_asked = true;
    Q_EMIT pageWanted(lastVersion() + 1);
}

void HistoryModel::addLines(std::vector<HistoryLine> lines)
{
    m_asked = false;
    const quint64 last = lastVersion();
    std::erase_if(lines, [last](const HistoryLine& line) { return line.version <= last; });
    append(std::move(lines));
}

void HistoryModel::setTotal(quint64 total) { m_total = std::max(total, m_total); }

QVariant HistoryModel::cell(const HistoryLine& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Version: return countText(line.version);
        case Time: return preciseText(line.time);
        case Actor: return line.actor;
        case Act: return line.verb;
        case What: return line.text;
        case Reason: return line.reason;
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole: return text();
    case Qt::TextAlignmentRole: return int(column == Version ? Qt::AlignRight : Qt::AlignLeft);
    case LookRole:
        if (column == Version || column == Time)
            return FigureLook | (column == Time ? SecondaryLook : PlainLook);
        if (line.person)
            return column == Actor || column == Act ? BoldLook : PlainLook;
        return column == Actor || column == Reason ? SecondaryLook : PlainLook;
    case Qt::AccessibleTextRole: return text();
    case Qt::ToolTipRole: return column == What || column == Reason ? QVariant(tip(text())) : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
