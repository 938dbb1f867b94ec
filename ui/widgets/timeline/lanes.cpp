#include "ui/widgets/timeline/lanes.h"

#include "ui/data/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn::ui {

namespace {

LaneSpan spanOf(SpanKind kind, qint64 from, qint64 to, Glyph glyph, bool open)
{
    LaneSpan span;
    span.kind = kind;
    span.from = from;
    span.to = std::max(from, to);
    span.glyph = glyph;
    span.open = open;
    span.doubt = std::max<qint64>(0, from - to);
    return span;
}

// A span that nothing was recorded of, or that took no time, is none.
void add(LaneRow& row, const LaneSpan& span, quint32 attempt)
{
    if (span.from == 0 || (span.kind != SpanKind::Ran && span.from == span.to && span.doubt == 0))
        return;
    row.spans.push_back(span);
    row.spans.back().attempt = attempt;
}

void addAttempts(const StepLine& step, qint64 now, LaneRow& row)
{
    std::vector<AttemptLine> tries = step.tries;
    std::stable_sort(tries.begin(), tries.end(),
        [](const AttemptLine& a, const AttemptLine& b) { return a.startedAt < b.startedAt; });
    qint64 before = step.readyAt;
    SpanKind wait = SpanKind::Queued;
    for (std::size_t i = 0; i < tries.size(); ++i) {
        const AttemptLine& attempt = tries[i];
        const auto place = static_cast<quint32>(i);
        if (before != 0)
            add(row, spanOf(wait, before, attempt.startedAt, Glyph::None, false), place);
        const bool open = attempt.endedAt == 0;
        add(row, spanOf(SpanKind::Ran, attempt.startedAt, open ? now : attempt.endedAt, attempt.glyph, open),
            place);
        before = attempt.endedAt;
        wait = SpanKind::Between;
    }
    // What comes after the last attempt is a wait of the step, not of an attempt.
    if (!tries.empty() && before != 0 && !step.finished && before < now)
        add(row, spanOf(SpanKind::Waits, before, now, step.glyph, true), static_cast<quint32>(tries.size()));
}

LaneRow rowOf(const StepLine& step, qint64 now)
{
    LaneRow row;
    row.step = step.ix;
    row.title = step.id;
    row.glyph = step.glyph;
    row.due = step.finished ? 0 : step.due;
    row.member = step.owner != kNone;
    if (!step.tries.empty()) {
        addAttempts(step, now, row);
        return row;
    }
    const bool open = step.endedAt == 0;
    const qint64 end = open ? now : step.endedAt;
    if (step.startedAt != 0) {
        if (step.readyAt != 0)
            add(row, spanOf(SpanKind::Queued, step.readyAt, step.startedAt, Glyph::None, false), 0);
        add(row, spanOf(SpanKind::Ran, step.startedAt, end, step.glyph, open), 0);
    } else if (step.begun) {
        const bool queued = step.glyph == Glyph::Queued;
        const qint64 from = step.readyAt != 0 ? step.readyAt : step.since;
        add(row, spanOf(queued ? SpanKind::Queued : SpanKind::Waits, from, end, step.glyph, open), 0);
    }
    return row;
}

void widen(Timeline& timeline, qint64 time)
{
    if (time == 0)
        return;
    timeline.from = timeline.from == 0 ? time : std::min(timeline.from, time);
    timeline.to = std::max(timeline.to, time);
}

void sumUp(Lane& lane, const LaneRow& row)
{
    for (const LaneSpan& span : row.spans) {
        if (span.kind == SpanKind::Ran)
            lane.ran += span.to - span.from;
        else if (span.kind == SpanKind::Queued)
            lane.queued += span.to - span.from;
        lane.more = lane.more || (span.open && span.kind != SpanKind::Waits);
    }
}

qint64 beginOf(const LaneRow& row) { return row.spans.front().from; }

}  // namespace

Timeline timelineOf(const std::vector<StepLine>& steps, const std::vector<ActLine>& acts, qint64 now)
{
    Timeline timeline;
    timeline.now = now;
    std::map<QString, std::size_t> places;
    for (const StepLine& step : steps) {
        LaneRow row = rowOf(step, now);
        if (row.spans.empty()) {
            ++timeline.notBegun;
            continue;
        }
        for (const LaneSpan& span : row.spans) {
            widen(timeline, span.from);
            widen(timeline, span.to);
        }
        const auto [place, fresh] = places.emplace(step.agent, timeline.lanes.size());
        if (fresh)
            timeline.lanes.emplace_back().name = step.agent;
        Lane& lane = timeline.lanes[place->second];
        sumUp(lane, row);
        lane.rows.push_back(std::move(row));
    }
    for (Lane& lane : timeline.lanes)
        std::stable_sort(lane.rows.begin(), lane.rows.end(),
            [](const LaneRow& a, const LaneRow& b) { return beginOf(a) < beginOf(b); });
    std::stable_sort(timeline.lanes.begin(), timeline.lanes.end(),
        [](const Lane& a, const Lane& b) { return beginOf(a.rows.front()) < beginOf(b.rows.front()); });
    for (const ActLine& act : acts) {
        if (act.time > now)
            continue;  // an earlier version is shown: it was not done yet
        QString text = act.person + u' ' + act.verb.toLower();
        if (!act.applied)
            text += QStringLiteral(", ") + act.outcome;
        timeline.acts.push_back({act.time, initialsText(act.person), text, act.applied, act.seq});
        widen(timeline, act.time);
    }
    timeline.to = std::max(timeline.to, timeline.from + 1000);
    return timeline;
}

std::vector<IdleGap> idleGaps(const Timeline& timeline, qint64 least)
{
    std::vector<std::pair<qint64, qint64>> busy;
    for (const Lane& lane : timeline.lanes)
        for (const LaneRow& row : lane.rows)
            for (const LaneSpan& span : row.spans) {
                // A wait is idle, but that it begins and ends is worth to be seen.
                if (span.kind == SpanKind::Waits) {
                    busy.emplace_back(span.from, span.from);
                    busy.emplace_back(span.to, span.to);
                } else {
                    busy.emplace_back(span.from, span.to);
                }
            }
    for (const LaneAct& act : timeline.acts)
        busy.emplace_back(act.time, act.time);
    std::sort(busy.begin(), busy.end());
    std::vector<IdleGap> gaps;
    qint64 end = timeline.from;
    for (const auto& [from, to] : busy) {
        if (from - end >= least)
            gaps.push_back({end, from});
        end = std::max(end, to);
    }
    if (timeline.to - end >= least)
        gaps.push_back({end, timeline.to});
    return gaps;
}

TimeScale::TimeScale(qint64 from, qint64 to, std::vector<IdleGap> folded, double width)
    : m_from(from)
    , m_to(std::max(to, from + 1))
    , m_folded(std::move(folded))
    , m_width(width)
{
    qint64 open = m_to - m_from;
    for (const IdleGap& gap : m_folded)
        open -= gap.to - gap.from;
    const double room = width - kFoldWidth * static_cast<double>(m_folded.size());
    m_perMs = std::max(room, 1.0) / static_cast<double>(std::max<qint64>(open, 1));
}

double TimeScale::x(qint64 time) const
{
    double x = 0;
    qint64 at = m_from;
    for (const IdleGap& gap : m_folded) {
        if (time <= gap.from)
            break;
        x += static_cast<double>(gap.from - at) * m_perMs;
        if (time < gap.to)
            return x
                + kFoldWidth * static_cast<double>(time - gap.from) / static_cast<double>(gap.to - gap.from);
        x += kFoldWidth;
        at = gap.to;
    }
    return x + static_cast<double>(time - at) * m_perMs;
}

qint64 TimeScale::time(double x) const
{
    double left = 0;
    qint64 at = m_from;
    for (const IdleGap& gap : m_folded) {
        const double right = left + static_cast<double>(gap.from - at) * m_perMs;
        if (x <= right)
            break;
        if (x < right + kFoldWidth)
            return gap.from + std::llround((x - right) / kFoldWidth * static_cast<double>(gap.to - gap.from));
        left = right + kFoldWidth;
        at = gap.to;
    }
    return at + std::llround((x - left) / m_perMs);
}

qint64 TimeScale::tick(double pixels) const
{
    constexpr qint64 kRound[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1'000, 2'000, 5'000, 10'000, 15'000,
        30'000, 60'000, 120'000, 300'000, 600'000, 1'800'000, 3'600'000, 7'200'000, 21'600'000, 43'200'000,
        86'400'000, 604'800'000};
    for (const qint64 span : kRound)
        if (static_cast<double>(span) * m_perMs >= pixels)
            return span;
    return 604'800'000LL * (1 + static_cast<qint64>(pixels / (604'800'000.0 * m_perMs)));
}

}  // namespace cairn::ui
