#include "ui/models/plansmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(plansmodel)
};

QString tried(const PlanShare& share)
{
    return Words::tr("%1 of %2").arg(countText(share.tried()), countText(share.toDo));
}

// Each number, zero too.
QString saidOf(const PlanShare& share)
{
    if (share.toDo == 0)
        return Words::tr("not begun, or at its end");
    return Words::tr("%1 done, %2 refused or failed, %3 open, %4 left out")
        .arg(countText(share.done), countText(share.refused),
            countText(share.toDo - std::min(share.toDo, share.tried())), countText(share.leftOut));
}

QList<int> sharesOf(const PlanShare& share)
{
    if (share.toDo == 0)
        return {};
    return {
        static_cast<int>(share.done * 100 / share.toDo), static_cast<int>(share.refused * 100 / share.toDo)};
}

QString textOf(const PlanEntry& row, int column)
{
    switch (column) {
    case PlansModel::Progress: return row.share.toDo == 0 ? u"–"_s : tried(row.share);
    case PlansModel::What:
        return row.run.isNull() ? row.what : row.what + Words::tr(", run ") + shortId(row.run);
    case PlansModel::Person: return row.person;
    case PlansModel::Standing: return row.standing;
    case PlansModel::Reason: return row.reason.isEmpty() ? u"–"_s : row.reason;
    case PlansModel::Since: return instantText(row.at);
    default: return {};
    }
}

QString textOf(const PlanItemLine& row, int column)
{
    switch (column) {
    case PlanItemsModel::Place: return countText(row.place);
    case PlanItemsModel::Run: return shortId(row.run);
    case PlanItemsModel::Step: return row.step.isEmpty() ? u"–"_s : row.step;
    case PlanItemsModel::Outcome: return row.outcome;
    case PlanItemsModel::Fate: return row.fate.isEmpty() ? u"–"_s : row.fate;
    case PlanItemsModel::Why: return row.why.isEmpty() ? u"–"_s : row.why;
    default: return {};
    }
}

}  // namespace

QVariant PlansModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QStringList names{
        tr("Plan or proposed act"), tr("Progress"), tr("By"), tr("How it stands"), tr("Reason"), tr("Since")};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return names.at(section);
}

QVariant PlansModel::cell(const PlanEntry& row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return textOf(row, column);
    case GlyphRole: return column == Standing ? int(row.glyph) : 0;
    case ShareRole: return column == Progress ? QVariant::fromValue(sharesOf(row.share)) : QVariant();
    case LookRole:
        return column == What                       ? int(BoldLook)
            : column == Since || column == Progress ? int(FigureLook)
            : column == Reason                      ? int(SecondaryLook)
                                                    : int(PlainLook);
    case Qt::AccessibleTextRole:
        if (column == Progress)
            return saidOf(row.share);
        return column == Standing ? textOf(row, column) + u", "_s + glyphName(row.glyph)
                                  : textOf(row, column);
    case Qt::ToolTipRole:
        if (column == Progress)
            return tip(saidOf(row.share));
        return tip(column == Since ? bothZonesText(row.at) : textOf(row, column));
    default: return {};
    }
}

QVariant PlanItemsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QStringList names{
        tr("Place"), tr("Run"), tr("Step"), tr("Outcome"), tr("What became of it"), tr("Why")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Place ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(names.at(section)) : QVariant();
}

QVariant PlanItemsModel::cell(const PlanItemLine& row, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return textOf(row, column);
    case Qt::TextAlignmentRole: return int(column == Place ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole: return column == Outcome ? int(row.glyph) : 0;
    case LookRole: return column == Place ? int(FigureLook) : column == Run ? int(MonoLook) : int(PlainLook);
    case Qt::AccessibleTextRole:
        return column == Outcome ? textOf(row, column) + u", "_s + glyphName(row.glyph) : textOf(row, column);
    case Qt::ToolTipRole:
        return column == Run ? QVariant(tip(idText(row.run)))
            : column == Why  ? QVariant(tip(textOf(row, column)))
                             : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
