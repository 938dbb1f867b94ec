#include "ui/models/attentionmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/words.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

int AttentionModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant AttentionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return section == What ? tr("Who moves next") : tr("Runs");
}

QString AttentionModel::keyOf(const AttentionLine& line) const
{
    return line.group + u'/' + (line.head ? QString() : line.word);
}

void AttentionModel::setAtLeast(bool on)
{
    if (std::exchange(m_atLeast, on) != on && rowCount() > 0)
        Q_EMIT dataChanged(index(0, Count), index(rowCount() - 1, Count));
}

QString AttentionModel::countOf(const AttentionLine& line) const
{
    return (m_atLeast ? u"≥ "_s : QString()) + countText(line.count);
}

QVariant AttentionModel::cell(const AttentionLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return column == What ? line.word : countOf(line);
    case Qt::TextAlignmentRole: return int(column == Count ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole: return column == What && !line.head ? int(line.glyph) : 0;
    case LookRole:
        return (line.head ? BoldLook | TopLineLook | (column == Count ? BigLook : PlainLook) : PlainLook)
            | (column == Count ? FigureLook : PlainLook);
    case Qt::AccessibleTextRole:
        if (column == What && !line.head)
            return line.word + u", "_s + glyphName(line.glyph);
        return column == What ? line.word
                              : (m_atLeast ? tr("at least ") : QString()) + plural(line.count, "run", "runs");
    default: return {};
    }
}

}  // namespace cairn::ui
