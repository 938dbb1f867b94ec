#include "ui/models/situationsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRecent = 2;  // slots at the end that count as just now

constexpr bool isFigure(int column)
{
    return column >= SituationsModel::Runs && column != SituationsModel::Own;
}

quint64 sumOf(const std::vector<quint64>& counts, std::size_t from = 0)
{
    quint64 sum = 0;
    for (std::size_t i = from; i < counts.size(); ++i)
        sum += counts[i];
    return sum;
}

// How many of those that are here now were here before the first slot, and after each.
QList<int> heightsOf(const SituationLine& line)
{
    QList<int> heights;
    if (line.began.empty() || line.count == 0)
        return heights;
    quint64 here = line.count - std::min(line.count, sumOf(line.began));
    const auto add = [&] { heights << static_cast<int>(std::min(here, line.count) * 100 / line.count); };
    add();
    for (const quint64 count : line.began) {
        here += count;
        add();
    }
    return heights;
}

}  // namespace

int SituationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SituationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{tr("Wait"), tr("Store"), tr("What"), tr("Step, workflow"), tr("Runs"),
        tr("Oldest"), tr("Trend"), tr("Next at"), tr("Own")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(isFigure(section) ? Qt::AlignRight : Qt::AlignLeft);
    if (role == Qt::ToolTipRole && section == Trend)
        return tip(tr("How many of the runs that wait here now began to in the last hour"));
    if (role == Qt::ToolTipRole && section == Own)
        return tip(tr("Whom its runs are assigned to"));
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
    case Trend: return line.began.empty() ? u"–"_s : u'+' + countText(sumOf(line.began));
    case NextAt: return line.next == 0 ? line.nextWord : clockText(line.next, now(line.store));
    case Own:
        if (line.owned == 0)
            return u"–"_s;
        return line.owners             ? line.owner + u", …"_s
            : line.owned == line.count ? line.owner
                                       : tr("%1 (%2)").arg(line.owner, countText(line.owned));
    default: return {};
    }
}

QString SituationsModel::trendTip(const SituationLine& line) const
{
    if (line.began.empty())
        return tr("When its runs came here is not recorded");
    const qint64 recent = line.beganFrom + (kTrendSlots - kRecent) * kTrendSlot;
    return tr(
        "%1 of %2 began to wait here since %3, %4 of them since %5; those that have left are not counted")
        .arg(countText(sumOf(line.began)), plural(line.count, "run", "runs"),
            clockText(line.beganFrom, now(line.store)),
            countText(sumOf(line.began, static_cast<std::size_t>(kTrendSlots - kRecent))),
            clockText(recent, now(line.store)));
}

// A cell in words, where these are more than its text.
QString SituationsModel::said(const SituationLine& line, int column) const
{
    switch (column) {
    case Store: return line.store < m_tags.size() ? m_tags[line.store].spoken() : QString();
    case Wait: return line.wait + u", "_s + glyphName(line.glyph);
    case Trend: return trendTip(line);
    case Own:
        if (line.owned == 0)
            return tr("assigned to nobody");
        return (line.owners ? tr("%1 of %2 assigned, to %3 and others") : tr("%1 of %2 assigned, to %3"))
            .arg(countText(line.owned), plural(line.count, "run", "runs"), line.owner);
    default: return text(line, column);
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
        if (column == Where || column == Own || (column == NextAt && line.next == 0))
            look |= SecondaryLook;
        if (column == Runs || (line.pinned && column < Where))
            look |= BoldLook;
        return look | (line.pinned ? StrongLineLook : 0);
    }
    case FilterRole:
        if (column == Store)
            return line.store < m_tags.size() ? termOf(u"store"_s, m_tags[line.store].name) : QString();
        if (column == Own && !line.owners)
            return line.owned == 0 ? u"assigned:none"_s : termOf(u"assigned"_s, line.owner);
        return column == Wait ? line.waitTerm
            : column == What  ? termOf(u"situation"_s, line.key)
            : column == Where ? line.whereTerm
                              : QString();
    case TrendRole: return column == Trend ? QVariant::fromValue(heightsOf(line)) : QVariant();
    case Qt::AccessibleTextRole: return said(line, column);
    case Qt::ToolTipRole:
        if (column == Oldest || column == NextAt)
            return tip(bothZonesText(column == Oldest ? line.oldest : line.next));
        return column == Wait || column == Runs || (column == Store && line.store >= m_tags.size())
            ? QVariant()
            : QVariant(tip(said(line, column)));
    default: return {};
    }
}

}  // namespace cairn::ui
