#include "ui/models/bulkmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

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
    case BulkRow::State::Asking: return u"preview asked"_s;
    case BulkRow::State::Ready: return u"will be sent"_s;
    case BulkRow::State::LeftOut: return u"left out"_s;
    case BulkRow::State::Sending: return u"sending"_s;
    case BulkRow::State::Done: return u"done"_s;
    case BulkRow::State::NoChange: return u"no change"_s;
    case BulkRow::State::Refused: return u"refused"_s;
    case BulkRow::State::Failed: return u"failed"_s;
    case BulkRow::State::NotKnown: return u"not known"_s;
    case BulkRow::State::NotSent: return u"not sent"_s;
    }
    return {};
}

int BulkModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant BulkModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{u"Run"_s, u"Store"_s, u"Workflow, key"_s, u"State"_s, u"What it says"_s};
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
