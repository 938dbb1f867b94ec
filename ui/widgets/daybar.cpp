#include "ui/widgets/daybar.h"

#include "ui/data/format.h"
#include "ui/widgets/theme.h"

#include <QDate>
#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kSide = 16;
constexpr double kTop = 17;
constexpr double kHigh = 22;
constexpr double kNarrowest = 3;  // of a bar
constexpr double kWidest = 24;

QDate dateOf(qint64 day) { return QDate(1970, 1, 1).addDays(day); }

}  // namespace

DayBar::DayBar(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(56);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Entries by day"));
}

void DayBar::setDays(std::vector<Day> days)
{
    const bool fresh = m_days.empty();
    m_days = std::move(days);
    if (!m_days.empty() && (fresh || m_at < m_days.front().day || m_at > m_days.back().day))
        m_at = m_days.back().day;
    speak();
}

void DayBar::setRemark(const QString& remark)
{
    m_remark = remark;
    speak();
}

void DayBar::setChosen(qint64 first, qint64 last)
{
    m_chosen = {first, last};
    m_at = last;
    speak();
}

void DayBar::clearChosen()
{
    m_chosen.reset();
    speak();
}

// A day, a week, four weeks, sixteen, ...: the fewest with which all of it fits.
int DayBar::daysOfABar() const
{
    if (m_days.empty())
        return 1;
    const auto span = static_cast<double>(m_days.back().day - m_days.front().day + 1);
    const double room = std::max(kNarrowest, width() - 2 * kSide);
    int days = 1;
    while (span / days * kNarrowest > room)
        days = days == 1 ? 7 : days * 4;
    return days;
}

double DayBar::pitch() const
{
    if (m_days.empty())
        return kWidest;
    const int days = daysOfABar();
    const qint64 count = (m_days.back().day - m_days.front().day) / days + 1;
    return std::min(kWidest, (width() - 2 * kSide) / static_cast<double>(count));
}

std::vector<DayBar::Bar> DayBar::bars() const
{
    std::vector<Bar> all;
    const int days = daysOfABar();
    for (const Day& day : m_days) {
        const qint64 first = m_days.front().day + (day.day - m_days.front().day) / days * days;
        if (all.empty() || all.back().first != first)
            all.push_back({first, first + days - 1, 0, 0});
        all.back().count += day.count;
        all.back().refused += day.refused;
    }
    return all;
}

QRectF DayBar::rectOf(std::size_t bar) const { return boxOf(bars(), bar); }

QRectF DayBar::boxOf(const std::vector<Bar>& all, std::size_t bar) const
{
    quint64 most = 1;
    for (const Bar& one : all)
        most = std::max(most, one.count);
    const double place = static_cast<double>((all[bar].first - m_days.front().day) / daysOfABar());
    const double high =
        std::max(2.0, kHigh * static_cast<double>(all[bar].count) / static_cast<double>(most));
    const double gap = pitch() >= 6 ? 1 : 0;
    return {kSide + place * pitch(), kTop + kHigh - high, pitch() - gap, high};
}

QString DayBar::textOf(const Bar& bar) const
{
    QString text = dayText(bar.first);
    if (bar.last != bar.first)
        text += tr(" to %1").arg(dayText(bar.last));
    text += u": "_s + plural(bar.count, "entry", "entries");
    if (bar.refused > 0)
        text += tr(", %1 refused").arg(countText(bar.refused));
    return text;
}

QString DayBar::spoken() const
{
    QString text = tr("nothing has been counted yet");
    for (const Bar& bar : bars())
        if (m_at >= bar.first && m_at <= bar.last)
            text = textOf(bar);
    if (m_chosen)
        text += tr(" · only %1 is listed")
                    .arg(m_chosen->first == m_chosen->second
                            ? dayText(m_chosen->first)
                            : tr("%1 to %2").arg(dayText(m_chosen->first), dayText(m_chosen->second)));
    return m_remark.isEmpty() ? text : text + u" · "_s + m_remark;
}

void DayBar::speak()
{
    setAccessibleDescription(spoken());
    update();
}

// The first bar of each month bears its name, where there is room.
void DayBar::paintMonths(QPainter& painter, const std::vector<Bar>& all) const
{
    const QFontMetricsF metrics(typeface(11));
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    double free = 0;
    QString month;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QString text = dateOf(all[i].first).toString(u"yyyy-MM"_s);
        const double x = boxOf(all, i).left();
        if (text == month || x < free)
            continue;
        month = text;
        painter.drawText(QPointF(x, kTop + kHigh + 14), text);
        free = x + metrics.horizontalAdvance(text) + 10;
    }
}

void DayBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.setPen(theme().hair);
    painter.drawLine(0, 0, width(), 0);
    painter.fillRect(QRectF(kSide, kTop + kHigh, width() - 2 * kSide, 1), theme().line);
    const std::vector<Bar> all = bars();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Bar& bar = all[i];
        const QRectF box = boxOf(all, i);
        const bool chosen = m_chosen && bar.last >= m_chosen->first && bar.first <= m_chosen->second;
        const QColor color = chosen || !m_chosen ? theme().family(Family::Moving) : theme().control;
        painter.fillRect(box, color);
        // Refused acts by a pattern, not by colour alone.
        if (bar.refused > 0) {
            const double share = static_cast<double>(bar.refused) / static_cast<double>(bar.count);
            const QRectF part(box.left(), box.top(), box.width(), std::max(2.0, box.height() * share));
            painter.fillRect(part, theme().window);
            painter.fillRect(part, QBrush(color, Qt::Dense4Pattern));
        }
        if (chosen)
            painter.fillRect(QRectF(box.left(), kTop + kHigh, box.width(), 3), theme().text);
        if (hasFocus() && m_at >= bar.first && m_at <= bar.last) {
            painter.setPen(QPen(theme().focus, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(QRectF(box.left() - 2, kTop - 2, std::max(box.width(), 3.0) + 4, kHigh + 5));
        }
    }
    paintMonths(painter, all);
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    painter.drawText(QPointF(kSide, 12), tr("Entries by day, UTC"));
    painter.setPen(theme().text);
    painter.drawText(QRectF(kSide, 0, width() - 2 * kSide, 16), Qt::AlignRight | Qt::AlignVCenter, spoken());
}

void DayBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    speak();  // a bar may be of more days now
}

void DayBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const std::vector<Bar> all = bars();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRectF box = boxOf(all, i);
        if (event->position().x() < box.left() || event->position().x() >= box.left() + pitch())
            continue;
        m_at = all[i].last;
        speak();
        Q_EMIT chosen(all[i].first, all[i].last);
        return;
    }
}

void DayBar::keyPressEvent(QKeyEvent* event)
{
    const std::vector<Bar> all = bars();
    std::size_t here = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (m_at >= all[i].first)
            here = i;
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (all.empty())
        return QWidget::keyPressEvent(event);
    if (enter || event->key() == Qt::Key_Space)
        Q_EMIT chosen(all[here].first, all[here].last);
    else if (event->key() == Qt::Key_Left)
        m_at = all[here > 0 ? here - 1 : 0].first;
    else if (event->key() == Qt::Key_Right)
        m_at = all[std::min(here + 1, all.size() - 1)].first;
    else if (event->key() == Qt::Key_Home)
        m_at = all.front().first;
    else if (event->key() == Qt::Key_End)
        m_at = all.back().first;
    else
        return QWidget::keyPressEvent(event);
    speak();
}

void DayBar::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void DayBar::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace cairn::ui
