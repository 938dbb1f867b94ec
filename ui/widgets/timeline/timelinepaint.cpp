// What the timeline looks like. Only what the viewport shows is painted.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/timeline/timelinecanvas.h"
#include "ui/widgets/timeline/timelinelegend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNames = 176;
constexpr int kHead = 34;
constexpr double kBar = 16;
constexpr double kThin = 4;
constexpr double kShortest = 3;

}  // namespace

void TimelineCanvas::paintGrid(QPainter& painter) const
{
    const qint64 tick = m_scale.tick(90);
    const qint64 first = (m_scale.time(horizontalScrollBar()->value()) / tick) * tick;
    painter.setFont(typeface(11));
    for (qint64 time = first; viewX(time) < viewport()->width(); time += tick) {
        const double x = viewX(time);
        const auto& folds = m_scale.folded();
        const auto fold = std::find_if(folds.begin(), folds.end(),
            [time](const IdleGap& gap) { return time > gap.from && time < gap.to; });
        if (fold != folds.end())
            time = fold->to / tick * tick;  // months may be folded, and the marks be seconds
        if (x < kNames || fold != folds.end())
            continue;
        painter.setPen(theme().hair);
        painter.drawLine(QPointF(x, kHead), QPointF(x, viewport()->height()));
        painter.setPen(theme().text2);
        const QString text = tick < 1000 ? preciseText(time).mid(11, 12) : clockText(time, m_timeline.now);
        painter.drawText(QPointF(x + 3, kHead - 12), text);
    }
    if (const double now = viewX(m_timeline.now); now >= kNames && m_timeline.now <= m_timeline.to) {
        painter.setPen(QPen(theme().text, 1.6));
        painter.drawLine(QPointF(now, kHead - 8), QPointF(now, viewport()->height()));
    }
}

void TimelineCanvas::paintFolds(QPainter& painter) const
{
    for (const IdleGap& gap : m_scale.folded()) {
        const QRectF fold(
            viewX(gap.from) + 4, kHead, TimeScale::kFoldWidth - 8, viewport()->height() - kHead);
        if (fold.right() < kNames || fold.left() > viewport()->width())
            continue;
        paintFold(painter, fold);
        painter.save();
        // It reads upwards, from within what is seen: a low window has no room for a fixed place.
        const double length = std::min(260.0, fold.height() - 8);
        painter.translate(fold.center().x() + 4, fold.top() + length);
        painter.rotate(-90);
        painter.setFont(typeface(11));
        painter.setPen(theme().text2);
        const QString span = durationText(gap.to - gap.from);
        const QFontMetricsF metrics(painter.font());
        const QString whole = tr("%1 with nothing running").arg(span);
        painter.drawText(QPointF(0, 0), metrics.horizontalAdvance(whole) <= length - 8 ? whole : span);
        painter.restore();
    }
}

void TimelineCanvas::paintActs(QPainter& painter) const
{
    double free = 0;  // no text over another
    for (std::size_t i = 0; i < m_timeline.acts.size(); ++i) {
        const LaneAct& act = m_timeline.acts[i];
        const double x = viewX(act.time);
        const double y = m_places[i].y - verticalScrollBar()->value() + 12;
        if (x < kNames - 12 || x > viewport()->width())
            continue;
        painter.setPen(QPen(theme().control, 1, Qt::DotLine));
        painter.drawLine(QPointF(x, y + 20), QPointF(x, viewport()->height()));
        const bool chosen = m_act == static_cast<int>(i);
        const QRectF cap(x - 12, y, 24, 20);
        paintActCap(painter, cap, act.initials, act.applied, chosen, hasFocus());
        painter.setFont(typeface(11));
        if (cap.right() + 6 > free) {
            const QString text = shown(act.text, false, 60);
            painter.drawText(QPointF(cap.right() + 6, y + 14), text);
            free = cap.right() + 12 + QFontMetricsF(painter.font()).horizontalAdvance(text);
        }
    }
}

void TimelineCanvas::paintSpan(QPainter& painter, const LaneSpan& span, double middle, bool member) const
{
    const double left = viewX(span.from);
    const double right = std::max(viewX(span.to), left + kShortest);
    if (right < kNames || left > viewport()->width())
        return;
    const QRectF bar(left, middle - (member ? kThin : kBar) / 2, right - left, member ? kThin : kBar);
    const QColor color = theme().family(familyOf(span.glyph));
    switch (span.kind) {
    case SpanKind::Queued:
    case SpanKind::Between: paintQueue(painter, bar, theme().control, member); break;
    case SpanKind::Ran:
        painter.fillRect(bar, color);
        if (span.open) {  // it goes on
            QPolygonF arrow;
            arrow << bar.topRight() << QPointF(bar.right() + 5, middle) << bar.bottomRight();
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawPolygon(arrow);
        }
        break;
    case SpanKind::Waits:
        painter.setPen(QPen(theme().text2, 1, Qt::DotLine));
        painter.drawLine(QPointF(left, middle), QPointF(right, middle));
        if (!member)
            paintGlyph(painter, QRectF(left - 7, middle - 7, 14, 14), span.glyph);
        break;
    }
}

void TimelineCanvas::paintRow(QPainter& painter, const Place& place) const
{
    const LaneRow& row =
        m_timeline.lanes[static_cast<std::size_t>(place.lane)].rows[static_cast<std::size_t>(place.row)];
    const double top = place.y - verticalScrollBar()->value();
    if (top + place.height < kHead || top > viewport()->height())
        return;
    const double middle = top + place.height / 2.0;
    const bool chosen = row.step == m_step && m_act < 0;
    if (chosen) {
        const QRectF ground(kNames, top, viewport()->width() - kNames, place.height);
        painter.fillRect(ground, theme().sel);
        if (hasFocus()) {
            painter.setPen(QPen(theme().focus, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(ground.adjusted(1, 1, -1, -1));
        }
    }
    qint64 ran = 0;
    bool open = false;
    QString doubt;
    for (const LaneSpan& span : row.spans) {
        paintSpan(painter, span, middle, row.member);
        ran += span.kind == SpanKind::Ran ? span.to - span.from : 0;
        open = open || (span.open && span.kind == SpanKind::Ran);
        if (span.doubt > 0)
            doubt = tr(", clock differs by %1").arg(durationText(span.doubt));
    }
    if (row.member)
        return;
    QString text = shown(row.title, false, 60);
    if (ran > 0)
        text += u' ' + durationText(ran) + (open ? u"+"_s : QString());
    if (row.due != 0)
        text += tr(", until %1").arg(clockText(row.due, m_timeline.now));
    painter.setFont(typeface(11, chosen));
    painter.setPen(theme().text);
    const double x = std::max<double>(kNames + 6, viewX(row.spans.back().to) + 12);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text + doubt);
    // Where there is no room after it, the name stands before its first bar.
    const double begin = x + width > viewport()->width() ? viewX(row.spans.front().from) - width - 14 : x;
    painter.drawText(QPointF(std::max<double>(kNames + 6, begin), middle + 4), text + doubt);
}

void TimelineCanvas::paintNames(QPainter& painter) const
{
    const int scrolled = verticalScrollBar()->value();
    painter.fillRect(QRectF(0, 0, kNames, viewport()->height()), theme().window);
    const auto name = [&](int top, const QString& title, const QString& sub) {
        painter.setFont(typeface(13, true));
        painter.setPen(theme().text);
        painter.drawText(
            QRectF(14, top + 6, kNames - 20, 18), Qt::AlignLeft | Qt::AlignVCenter, shown(title, false, 24));
        painter.setFont(typeface(11));
        painter.setPen(theme().text2);
        painter.drawText(QRectF(14, top + 24, kNames - 16, 16), Qt::AlignLeft | Qt::AlignVCenter, sub);
        painter.setPen(theme().line);
        painter.drawLine(0, top, viewport()->width(), top);
    };
    name(kHead - scrolled, tr("Operators"), tr("acts"));
    for (std::size_t i = 0; i < m_timeline.lanes.size(); ++i) {
        const Lane& lane = m_timeline.lanes[i];
        const QString more = lane.more ? u"+"_s : QString();
        name(m_laneTops[i] - scrolled, lane.name.isEmpty() ? tr("no agent") : lane.name,
            tr("ran %1, queued %2").arg(durationText(lane.ran) + more, durationText(lane.queued)));
    }
    painter.fillRect(QRectF(0, 0, kNames, kHead), theme().window);
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    painter.drawText(QPointF(14, kHead - 12), zoneName() + u", "_s + instantText(m_timeline.from).left(10));
    painter.setPen(theme().line);
    painter.drawLine(kNames, 0, kNames, viewport()->height());
    painter.drawLine(0, kHead, viewport()->width(), kHead);
}

void TimelineCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme().window);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_timeline.lanes.empty() && m_timeline.acts.empty()) {
        painter.setPen(theme().text2);
        painter.setFont(typeface(13));
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("No step has begun yet."));
        return;
    }
    paintGrid(painter);
    painter.save();
    painter.setClipRect(QRectF(kNames, kHead, viewport()->width() - kNames, viewport()->height() - kHead));
    paintFolds(painter);
    for (const Place& place : m_places)
        if (place.lane >= 0)
            paintRow(painter, place);
    paintActs(painter);
    painter.restore();
    paintNames(painter);
}

}  // namespace cairn::ui
