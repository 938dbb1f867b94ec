#include "ui/widgets/barchart.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/theme.h"

#include <QPainter>

#include <algorithm>
#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kLeft = 64;
constexpr double kTop = 30;
constexpr double kBottom = 24;
constexpr std::array kPatterns{Qt::SolidPattern, Qt::BDiagPattern, Qt::Dense4Pattern, Qt::HorPattern};
}  // namespace

quint64 axisEnd(quint64 most)
{
    quint64 step = 1;
    for (;;) {
        for (const quint64 factor : {1ULL, 2ULL, 5ULL})
            if (step * factor >= most)
                return step * factor;
        if (step > 1'000'000'000'000'000ULL)
            return most;
        step *= 10;
    }
}

BarChart::BarChart(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(title)
{
    setAccessibleName(title);
    setMinimumHeight(160);
}

void BarChart::setData(std::vector<BarSeries> series, std::vector<BarGroup> groups)
{
    m_series = std::move(series);
    m_groups = std::move(groups);
    quint64 most = 1;
    QStringList spoken;
    for (const BarGroup& group : m_groups) {
        quint64 sum = 0;
        QStringList parts;
        for (std::size_t i = 0; i < group.values.size() && i < m_series.size(); ++i) {
            sum += group.values[i];
            parts << m_series[i].name + u' ' + countText(group.values[i]);
        }
        most = std::max(most, sum);
        spoken << group.label + u": "_s + parts.join(u", "_s);
    }
    m_most = axisEnd(most);
    setAccessibleDescription(spoken.join(u"; "_s));
    update();
}

QBrush BarChart::brushOf(std::size_t series) const
{
    return {theme().family(m_series[series].family), kPatterns[series % kPatterns.size()]};
}

void BarChart::paintAxis(QPainter& painter, const QRectF& plot) const
{
    painter.setFont(typeface(11));
    for (int part = 0; part <= 2; ++part) {
        const double y = plot.bottom() - plot.height() * part / 2;
        painter.setPen(part == 0 ? theme().line : theme().hair);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        if (part == 1 && m_most % 2 != 0)
            continue;
        painter.setPen(theme().text2);
        painter.drawText(QRectF(0, y - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
            countText(m_most * static_cast<quint64>(part) / 2));
    }
}

void BarChart::paintLegend(QPainter& painter) const
{
    painter.setFont(typeface(11, true));
    painter.setPen(theme().text);
    painter.drawText(QPointF(0, 14), m_title);
    double x = QFontMetricsF(painter.font()).horizontalAdvance(m_title) + 20;
    painter.setFont(typeface(11));
    for (std::size_t i = 0; i < m_series.size(); ++i) {
        painter.fillRect(QRectF(x, 5, 10, 10), brushOf(i));
        painter.setPen(theme().line);
        painter.drawRect(QRectF(x, 5, 10, 10));
        painter.setPen(theme().text2);
        painter.drawText(QPointF(x + 15, 14), m_series[i].name);
        x += 31 + QFontMetricsF(painter.font()).horizontalAdvance(m_series[i].name);
    }
}

void BarChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    paintLegend(painter);
    const QRectF plot(kLeft, kTop, width() - kLeft - 8, height() - kTop - kBottom);
    paintAxis(painter, plot);
    if (m_groups.empty())
        return;
    const double pitch = plot.width() / static_cast<double>(m_groups.size());
    const double bar = std::min(48.0, pitch * 0.7);
    double x = plot.left() + (pitch - bar) / 2;
    for (const BarGroup& group : m_groups) {
        double y = plot.bottom();
        for (std::size_t i = 0; i < group.values.size() && i < m_series.size(); ++i) {
            const double high =
                plot.height() * static_cast<double>(group.values[i]) / static_cast<double>(m_most);
            if (group.values[i] == 0)
                continue;
            const QRectF box(x, y - high, bar, high);
            painter.fillRect(box, brushOf(i));
            painter.setPen(theme().family(m_series[i].family));
            painter.drawRect(box);
            y -= high;
        }
        painter.setPen(theme().text2);
        painter.drawText(QRectF(x - pitch / 2 + bar / 2, plot.bottom() + 4, pitch, 16), Qt::AlignCenter,
            QFontMetricsF(painter.font())
                .elidedText(shown(group.label, false, 40), Qt::ElideRight, pitch - 4));
        x += pitch;
    }
}

}  // namespace cairn::ui
