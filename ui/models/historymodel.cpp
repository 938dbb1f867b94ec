#include "ui/models/historymodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"

#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

int HistoryModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{tr("Entry"), tr("Time"), tr("Operators"), tr("Machine"), tr("Act"),
        tr("What it says"), tr("Reason given")};
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
    std::erase_if(lines, [this](const HistoryLine& line) { return line.version <= m_last; });
    if (lines.empty())
        return;
    m_last = lines.back().version;
    if (m_compact)
        fold(lines);
    append(std::move(lines));
}

void HistoryModel::fold(std::vector<HistoryLine>& lines)
{
    const auto merge = [](HistoryLine& into, const HistoryLine& line) {
        into.folded = std::max<quint64>(into.folded, 1) + 1;
        into.last = line.version;
        into.text = tr("%1 entries, up to %2").arg(countText(into.folded), preciseText(line.time));
        into.verb = tr("folded");
        into.reason.clear();
    };
    HistoryLine tail = rows().empty() ? HistoryLine() : rows().back();
    bool extends = false;
    std::vector<HistoryLine> fresh;
    for (HistoryLine& line : lines) {
        HistoryLine* into = !fresh.empty() ? &fresh.back() : rows().empty() ? nullptr : &tail;
        if (line.matters || into == nullptr || into->matters) {
            fresh.push_back(std::move(line));
            continue;
        }
        extends = extends || into == &tail;
        merge(*into, line);
    }
    if (extends)
        replace(rowCount() - 1, std::move(tail));
    lines = std::move(fresh);
}

void HistoryModel::setCompact(bool compact)
{
    if (std::exchange(m_compact, compact) == compact)
        return;
    removeIf([](const HistoryLine&) { return true; });
    m_last = 0;
    m_asked = false;
}

void HistoryModel::setTotal(quint64 total) { m_total = std::max(total, m_total); }

QVariant HistoryModel::cell(const HistoryLine& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Version: return countText(line.version);
        case Time: return preciseText(line.time);
        case Operator: return line.person ? line.actor : QString();
        case Actor: return line.person ? QString() : line.actor;
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
            return column == Operator || column == Act ? BoldLook : PlainLook;
        return column == Actor || column == Reason ? SecondaryLook : PlainLook;
    case Qt::AccessibleTextRole: return text();
    case Qt::ToolTipRole:
        if (column == Time && line.time != 0)
            return tip(bothZonesText(line.time));
        return column == What || column == Reason ? QVariant(tip(text())) : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
