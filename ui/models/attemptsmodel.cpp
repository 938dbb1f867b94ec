#include "ui/models/attemptsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

int AttemptsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant AttemptsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{
        tr("No."), tr("Started"), tr("Ended"), tr("Waited"), tr("Ran"), tr("Worker"), tr("Outcome")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Ran || section == Waited ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

void AttemptsModel::setAttempts(std::vector<AttemptLine> lines, qint64 readyAt)
{
    if (std::exchange(m_readyAt, readyAt) != readyAt && rowCount() > 0)
        Q_EMIT dataChanged(index(0, Waited), index(rowCount() - 1, Waited));
    quint32 seq = 0;
    for (AttemptLine& line : lines)
        line.seq = seq++;
    sync(std::move(lines));
}

QString AttemptsModel::waitedText(const AttemptLine& line) const
{
    const AttemptLine* before = line.seq == 0 ? nullptr : row(static_cast<int>(line.seq) - 1);
    const qint64 since = line.seq == 0 ? m_readyAt : before != nullptr ? before->endedAt : 0;
    if (since == 0 || line.startedAt == 0)
        return u"–"_s;
    return line.startedAt < since ? tr("clock differs by %1").arg(durationText(since - line.startedAt))
                                  : durationText(line.startedAt - since);
}

QVariant AttemptsModel::cell(const AttemptLine& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Number: return QString::number(line.number);
        case Started: return clockText(line.startedAt, m_now);
        case Ended: return clockText(line.endedAt, m_now);
        case Worker: return line.worker.isEmpty() ? u"–"_s : line.worker;
        case Waited: return waitedText(line);
        case Ran:
            return line.endedAt == 0 ? durationText(m_now - line.startedAt) + u'+'
                                     : durationText(line.endedAt - line.startedAt);
        case Outcome: return line.outcome;
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return text();
    case Qt::TextAlignmentRole:
        return int(column == Ran || column == Waited ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole: return column == Number ? int(line.glyph) : 0;
    case LookRole: return column == Outcome || column == Worker ? PlainLook : FigureLook;
    case Qt::ToolTipRole:
        return column == Outcome
            ? QVariant(tip(line.outcome + tr(", by ") + line.worker))
            : QVariant(tip(bothZonesText(column == Ended ? line.endedAt : line.startedAt)));
    default: return {};
    }
}

}  // namespace cairn::ui
