#include "ui/models/bulkmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"

#include <QCoreApplication>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(bulkmodel)
};

Glyph glyphOf(BulkRow::State state)
{
    switch (state) {
    case BulkRow::State::Done: return Glyph::Done;
    case BulkRow::State::Failed: return Glyph::Failed;
    case BulkRow::State::NotKnown: return Glyph::Uncertain;
    case BulkRow::State::Sending: return Glyph::Running;
    case BulkRow::State::Asking:
    case BulkRow::State::Ready: return Glyph::Pending;
    default: return Glyph::Skipped;
    }
}

}  // namespace

QString bulkWord(BulkRow::State state)
{
    switch (state) {
    case BulkRow::State::Asking: return Words::tr("preview asked");
    case BulkRow::State::Ready: return Words::tr("will be sent");
    case BulkRow::State::LeftOut: return Words::tr("left out");
    case BulkRow::State::Sending: return Words::tr("sending");
    case BulkRow::State::Done: return Words::tr("done");
    case BulkRow::State::NoChange: return Words::tr("no change");
    case BulkRow::State::Refused: return Words::tr("refused");
    case BulkRow::State::Failed: return Words::tr("failed");
    case BulkRow::State::NotKnown: return Words::tr("not known");
    case BulkRow::State::NotSent: return Words::tr("not sent");
    }
    return {};
}

int BulkModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant BulkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{
        tr("Run"), tr("Store"), tr("Workflow, key"), tr("State"), tr("What it says")};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return kNames.at(section);
}

void BulkModel::set(int i, BulkRow::State state, const QString& text)
{
    if (const BulkRow* old = row(i)) {
        BulkRow changed = *old;
        changed.state = state;
        changed.text = text;
        replace(i, std::move(changed));
    }
}

quint64 BulkModel::count(BulkRow::State state) const
{
    return static_cast<quint64>(
        std::count_if(rows().begin(), rows().end(), [state](const BulkRow& r) { return r.state == state; }));
}

QVariant BulkModel::cell(const BulkRow& line, int column, int role) const
{
    const auto text = [&]() -> QString {
        switch (column) {
        case Run: return shortId(line.run.run);
        case Store: return m_stores.value(static_cast<qsizetype>(line.run.store));
        case Name: return line.name;
        case State: return bulkWord(line.state);
        case Text: return line.text;
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole: return text();
    case Qt::AccessibleTextRole: return column == Run ? idText(line.run.run) : text();
    case Qt::TextAlignmentRole: return int(Qt::AlignLeft);
    case GlyphRole: return column == State ? int(glyphOf(line.state)) : 0;
    case LookRole: return column == Run ? MonoLook : column == Text ? SecondaryLook : PlainLook;
    case Qt::ToolTipRole: return column == Run ? QVariant(tip(idText(line.run.run))) : QVariant(tip(text()));
    default: return {};
    }
}

}  // namespace cairn::ui
