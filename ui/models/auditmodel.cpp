#include "ui/models/auditmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/filtervalues.h"
#include "ui/data/format.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(auditmodel)
};

QString textOf(const AuditLine& line, int column)
{
    switch (column) {
    case AuditModel::Entry: return countText(line.seq);
    case AuditModel::Time: return instantText(line.time);
    case AuditModel::Person: return line.person;
    case AuditModel::Act: return line.verb;
    case AuditModel::OnWhat:
        return line.run.isNull() ? line.target
            : line.target.isEmpty() || line.target == u"run"_s
            ? Words::tr("run ") + shortId(line.run)
            : line.target + Words::tr(", run ") + shortId(line.run);
    case AuditModel::Reason: return line.reason.isEmpty() ? u"–"_s : line.reason;
    case AuditModel::Outcome: return line.why.isEmpty() ? line.outcome : line.outcome + u": "_s + line.why;
    case AuditModel::Second: return line.second.isEmpty() ? u"–"_s : line.second;
    default: return {};
    }
}

QString termFor(const AuditLine& line, int column)
{
    switch (column) {
    case AuditModel::Time: return u"day:"_s + dayText(line.time / 86'400'000);
    case AuditModel::Person: return termOf(u"person"_s, line.person);
    case AuditModel::Act: return termOf(u"verb"_s, line.verbKey);
    case AuditModel::OnWhat: return line.run.isNull() ? QString() : termOf(u"run"_s, idText(line.run));
    case AuditModel::Outcome: return termOf(u"outcome"_s, line.outcome);
    case AuditModel::Second:
        return line.secondKey.isEmpty() ? QString() : termOf(u"second"_s, line.secondKey);
    default: return {};
    }
}

}  // namespace

QVariant AuditModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QStringList names{tr("Entry"), tr("Time"), tr("Person"), tr("Act"), tr("On what"), tr("Reason"),
        tr("Outcome"), tr("Second person")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == Entry ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(names.at(section)) : QVariant();
}

void AuditModel::addPage(std::vector<AuditLine> lines)
{
    const quint64 last = rows().empty() ? 0 : rows().back().seq;
    if (last != 0)
        std::erase_if(lines, [last](const AuditLine& line) { return line.seq >= last; });
    append(std::move(lines));
}

quint64 AuditModel::countNotDone() const
{
    return static_cast<quint64>(std::count_if(rows().begin(), rows().end(), [](const AuditLine& line) {
        return line.outcome == u"refused"_s || line.outcome == u"rejected"_s || line.outcome == u"expired"_s
            || line.outcome == u"withdrawn"_s;
    }));
}

QVariant AuditModel::cell(const AuditLine& line, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return textOf(line, column);
    case Qt::TextAlignmentRole: return int(column == Entry ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole:
        return column == Outcome              ? int(line.glyph)
            : column == Second && line.unseen ? int(Glyph::Approval)
                                              : 0;
    case FilterRole: return termFor(line, column);
    case LookRole:
        return column == Entry || column == Time                 ? int(FigureLook)
            : column == Act || (column == Second && line.unseen) ? int(BoldLook)
            : column == Reason || column == Second               ? int(SecondaryLook)
                                                                 : int(PlainLook);
    case Qt::AccessibleTextRole:
        return column == Outcome              ? textOf(line, column) + u", "_s + glyphName(line.glyph)
            : column == Second && line.unseen ? textOf(line, column) + u", "_s + glyphName(Glyph::Approval)
                                              : textOf(line, column);
    case Qt::ToolTipRole:
        if (column == Time)
            return tip(bothZonesText(line.time));
        return column == Person || column == OnWhat || column >= Reason
            ? QVariant(tip(column == OnWhat && !line.run.isNull() ? idText(line.run) : textOf(line, column)))
            : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
