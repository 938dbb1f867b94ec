#include "ui/widgets/timebars.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kHigh = 48;   // of the highest bar
constexpr double kBelow = 16;  // for the times
constexpr double kGap = 1;     // between bars

// Of a slot's beginning: no finer than the slots are, in the zone that is chosen.
QString tickText(qint64 at, qint64 width)
{
    const QString whole = instantText(at);  // 2026-11-29 10:42:07Z
    return width >= 86'400'000 ? whole.mid(5, 5) : width >= 60'000 ? whole.mid(11, 5) : whole.mid(11, 8);
}

}  // namespace

TimeBars::TimeBars(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(static_cast<int>(kHigh + kBelow));
}

void TimeBars::setSlots(const TimeSlots& given)
{
    m_slots = given;
    QStringList spoken;
    for (std::size_t i = 0; i < m_slots.counts.size(); ++i)
        if (m_slots.counts[i] > 0)
            spoken << tr("from %1: %2")
                          .arg(instantText(m_slots.from + static_cast<qint64>(i) * m_slots.width),
                              plural(m_slots.counts[i], "run", "runs"));
    setAccessibleName(tr("When they go on by themselves, %1").arg(remark()));
    setAccessibleDescription(spoken.join(u"; "_s));
    update();
}

QString TimeBars::remark() const
{
    const quint64 most =
        m_slots.counts.empty() ? 0 : *std::max_element(m_slots.counts.begin(), m_slots.counts.end());
    return tr("each %1, most %2").arg(durationText(m_slots.width), countText(most));
}

void TimeBars::paintEvent(QPaintEvent*)
{
    if (m_slots.counts.empty())
        return;
    QPainter painter(this);
    const auto count = static_cast<double>(m_slots.counts.size());
    const double step = width() / count;
    const quint64 most =
        std::max<quint64>(1, *std::max_element(m_slots.counts.begin(), m_slots.counts.end()));
    const QColor colour = theme().family(Family::Moving);
    for (std::size_t i = 0; i < m_slots.counts.size(); ++i) {
        if (m_slots.counts[i] == 0)
            continue;
        // A single run among thousands is still to be seen.
        const double high =
            std::max(2.0, kHigh * static_cast<double>(m_slots.counts[i]) / static_cast<double>(most));
        painter.fillRect(
            QRectF(step * static_cast<double>(i), kHigh - high, std::max(1.0, step - kGap), high), colour);
    }
    painter.fillRect(QRectF(0, kHigh, width(), 1), theme().line);
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    const QFontMetricsF metrics(painter.font());
    double free = 0;
    for (std::size_t i = 0; i < m_slots.counts.size(); ++i) {
        const double at = step * static_cast<double>(i);
        const QString text = tickText(m_slots.from + static_cast<qint64>(i) * m_slots.width, m_slots.width);
        const double wide = metrics.horizontalAdvance(text);
        if (at < free || at + wide > width())
            continue;
        painter.drawText(QPointF(at, kHigh + kBelow - 3), text);
        free = at + wide + 24;
    }
}

}  // namespace cairn::ui
