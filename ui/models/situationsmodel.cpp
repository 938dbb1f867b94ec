#include "ui/models/situationsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr bool isFigure(int column) { return column >= SituationsModel::Runs; }
}  // namespace

int SituationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SituationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{
        tr("Wait"), tr("Store"), tr("What"), tr("Step, workflow"), tr("Runs"), tr("Oldest"), tr("Next at")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(isFigure(section) ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

void SituationsModel::setStores(std::vector<StoreTag> tags)
{
    m_tags = std::move(tags);
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, Store), index(rowCount() - 1, Store));
}

void SituationsModel::setSituations(std::vector<SituationLine> lines) { sync(std::move(lines)); }

QString SituationsModel::text(const SituationLine& line, int column) const
{
    switch (column) {
    case Wait: return line.wait;
    case Store: return line.store < m_tags.size() ? m_tags[line.store].name : QString();
    case What: return line.what;
    case Where: return line.where;
    case Runs: return countText(line.count);
    case Oldest: return line.oldest == 0 ? u"–"_s : durationText(now(line.store) - line.oldest);
    case NextAt: return line.next == 0 ? line.nextWord : clockText(line.next, now(line.store));
    default: return {};
    }
}

QVariant SituationsModel::cell(const SituationLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return text(line, column);
    case Qt::TextAlignmentRole: return int(isFigure(column) ? Qt::AlignRight : Qt::AlignLeft);
    case TagRole: return column == Store && line.store < m_tags.size() ? int(m_tags[line.store].look) : 0;
    case GlyphRole: return column == Wait ? int(line.glyph) : 0;
    case LookRole: {
        int look = isFigure(column) ? FigureLook : PlainLook;
        if (column == Where || (column == NextAt && line.next == 0))
            look |= SecondaryLook;
        if (column == Runs || (line.pinned && column < Where))
            look |= BoldLook;
        return look | (line.pinned ? StrongLineLook : 0);
    }
    case FilterRole:
        if (column == Store)
            return line.store < m_tags.size() ? termOf(u"store"_s, m_tags[line.store].name) : QString();
        return column == Wait ? line.waitTerm
            : column == What  ? termOf(u"situation"_s, line.key)
            : column == Where ? line.whereTerm
                              : QString();
    case Qt::AccessibleTextRole:
        if (column == Store && line.store < m_tags.size())
            return m_tags[line.store].spoken();
        return column == Wait ? line.wait + u", "_s + glyphName(line.glyph) : text(line, column);
    case Qt::ToolTipRole:
        if (column == Oldest || column == NextAt)
            return tip(instantText(column == Oldest ? line.oldest : line.next));
        if (column == Store && line.store < m_tags.size())
            return tip(m_tags[line.store].spoken());
        return column == What || column == Where ? QVariant(tip(text(line, column))) : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
