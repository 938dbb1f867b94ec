#include "ui/models/stepsmodel.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kFoldFrom = 12;
constexpr bool isFigure(int column) { return column >= StepsModel::Attempts; }
}  // namespace

int StepsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const QStringList kNames{tr("Step"), tr("Agent"), tr("Attempts"), tr("Queued"), tr("Ran")};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(isFigure(section) ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(kNames.at(section)) : QVariant();
}

void StepsModel::setSteps(const StepList& steps)
{
    if (steps == m_all)
        return;
    m_all = steps;
    arrange();
}

void StepsModel::setOpen(quint32 step, bool open)
{
    if (open)
        m_open.insert(step);
    else
        m_open.erase(step);
    arrange();
}

void StepsModel::setOnlyUnfinished(bool only)
{
    m_onlyUnfinished = only;
    arrange();
}

void StepsModel::arrange()
{
    std::unordered_map<quint32, int> members;
    for (const StepLine& step : m_all)
        if (step.owner != kNone)
            ++members[step.owner];
    std::unordered_map<quint32, std::vector<const StepLine*>> byOwner;
    for (const StepLine& step : m_all)
        if (step.owner != kNone)
            byOwner[step.owner].push_back(&step);
    std::vector<StepSlot> rows;
    m_folded = 0;
    m_filtered = 0;
    const auto add = [&](const StepLine& step, int count) {
        if (m_onlyUnfinished && step.finished) {
            ++m_filtered;
            return;
        }
        rows.push_back({step, count, count >= kFoldFrom, m_open.count(step.ix) != 0});
    };
    for (const StepLine& step : m_all) {
        if (step.owner != kNone)
            continue;
        const int count = members.count(step.ix) != 0 ? members[step.ix] : 0;
        add(step, count);
        const bool open = count < kFoldFrom || m_open.count(step.ix) != 0;
        for (const StepLine* member : byOwner[step.ix])
            if (open)
                add(*member, 0);
        if (!open)
            m_folded += count;
    }
    sync(std::move(rows));
}

int StepsModel::rowShowing(quint32 step) const
{
    const int own = rowOf(step);
    if (own >= 0)
        return own;
    const StepLine* line = find(step);
    return line != nullptr && line->owner != kNone ? rowOf(line->owner) : -1;
}

const StepLine* StepsModel::find(quint32 step) const
{
    // Steps are kept in the order of their index, without holes.
    if (step < m_all.size() && m_all[step].ix == step)
        return &m_all[step];
    const auto found =
        std::find_if(m_all.begin(), m_all.end(), [step](const StepLine& s) { return s.ix == step; });
    return found == m_all.end() ? nullptr : &*found;
}

QString StepsModel::summary() const
{
    std::array<quint64, static_cast<std::size_t>(Glyph::Count)> counts{};
    for (const StepLine& step : m_all)
        ++counts[static_cast<std::size_t>(step.glyph)];
    const auto sum = [&counts](std::initializer_list<Glyph> glyphs) {
        quint64 n = 0;
        for (const Glyph glyph : glyphs)
            n += counts[static_cast<std::size_t>(glyph)];
        return n;
    };
    const std::array<std::pair<quint64, QString>, 8> parts{{
        {sum({Glyph::Done, Glyph::DoneSkip}), tr("complete")},
        {sum({Glyph::Uncertain}), tr("uncertain")},
        {sum({Glyph::Failed, Glyph::Mismatch, Glyph::NoWorker}), tr("failed")},
        {sum({Glyph::Skipped}), tr("skipped")},
        {sum({Glyph::Cancelled}), tr("cancelled")},
        {sum({Glyph::Running}), tr("running")},
        {sum({Glyph::Timer, Glyph::Backoff, Glyph::Limit, Glyph::Child, Glyph::Event, Glyph::Lost,
             Glyph::Approval, Glyph::Expiring, Glyph::Paused, Glyph::Queued}),
            tr("waiting")},
        {sum({Glyph::Pending}), tr("to come")},
    }};
    QStringList text;
    for (const auto& [n, word] : parts)
        if (n > 0)
            text << countText(n) + u' ' + word;
    return text.join(u", "_s);
}

QString StepsModel::hiddenText() const
{
    QStringList parts{plural(m_all.size(), "step", "steps")};
    if (m_folded > 0)
        parts << tr("%1 folded").arg(countText(static_cast<quint64>(m_folded)));
    if (m_filtered > 0)
        parts << tr("%1 finished hidden").arg(countText(static_cast<quint64>(m_filtered)));
    if (parts.size() == 1)
        parts << tr("nothing hidden");
    return parts.join(u", "_s);
}

quint32 StepsModel::nextStuck(quint32 from, bool backwards) const
{
    const auto count = static_cast<qint64>(m_all.size());
    qint64 start = -1;
    for (qint64 i = 0; i < count; ++i)
        if (m_all[static_cast<std::size_t>(i)].ix == from)
            start = i;
    for (qint64 n = 1; n <= count; ++n) {
        const qint64 i = ((backwards ? start - n : start + n) % count + count) % count;
        if (m_all[static_cast<std::size_t>(i)].stuck)
            return m_all[static_cast<std::size_t>(i)].ix;
    }
    return kNone;
}

QString StepsModel::text(const StepSlot& slot, int column) const
{
    const StepLine& s = slot.step;
    switch (column) {
    case Step: return s.id;
    case Agent: return s.agent;
    case Attempts: return s.attempts == 0 ? u"–"_s : countText(s.attempts);
    case Queued: return s.readyAt == 0 || s.startedAt == 0 ? u"–"_s : durationText(s.startedAt - s.readyAt);
    case Ran:
        if (s.finished)
            return s.startedAt == 0 || s.endedAt == 0 ? u"–"_s : durationText(s.endedAt - s.startedAt);
        if (s.due != 0 && s.glyph == Glyph::Timer)
            return tr("till ") + clockText(s.due, m_now).left(5);
        if (!s.begun || s.since == 0)
            return u"–"_s;
        return durationText(m_now - s.since) + u'+';
    default: return {};
    }
}

QVariant StepsModel::cell(const StepSlot& slot, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return text(slot, column);
    case Qt::TextAlignmentRole: return int(isFigure(column) ? Qt::AlignRight : Qt::AlignLeft);
    case GlyphRole: return column == Step ? int(slot.step.glyph) : 0;
    case FoldRole: return column == Step && slot.foldable ? (slot.open ? 2 : 1) : 0;
    case SuffixRole:
        return column == Step && slot.members > 0
            ? QVariant(u"× "_s + countText(static_cast<quint64>(slot.members)))
            : QVariant();
    case IndentRole: return column == Step && slot.step.owner != kNone ? 18 : 0;
    case LookRole: {
        int look = isFigure(column) ? FigureLook : PlainLook;
        if (column == Agent || column == Queued)
            look |= SecondaryLook;
        if (column == Step && slot.step.onPath)
            look |= RailLook | (slot.step.begun ? BoldLook : PlainLook);
        return look;
    }
    case Qt::AccessibleTextRole:
        return column == Step ? slot.step.id + u", "_s + slot.step.word : text(slot, column);
    case Qt::ToolTipRole:
        return column == Step ? QVariant(tip(slot.step.id + u": "_s + slot.step.word)) : QVariant();
    default: return {};
    }
}

}  // namespace cairn::ui
