#include "ui/widgets/bytemap.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kSide = 16;
constexpr double kTop = 17;
constexpr double kHigh = 12;
constexpr std::size_t kNamed = 8;  // parts that are told in words
}  // namespace

ByteMap::ByteMap(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(48);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Where in the payload"));
}

void ByteMap::setSize(quint64 size, quint64 read)
{
    m_size = size;
    m_read = std::min(read, size);
    m_here = 0;
    m_parts.clear();
    m_matches.clear();
    m_more = false;
    speak();
}

void ByteMap::setParts(std::vector<Part> parts)
{
    m_parts = std::move(parts);
    speak();
}

void ByteMap::setMatches(const std::vector<quint64>& at, bool more)
{
    m_matches = at;
    m_more = more;
    speak();
}

void ByteMap::setHere(quint64 offset)
{
    m_here = std::min(offset, m_size);
    speak();
}

QString ByteMap::spoken() const
{
    QStringList told{tr("at %1 of %2").arg(sizeText(m_here), sizeText(m_size))};
    if (m_read < m_size)
        told << tr("%1 read").arg(sizeText(m_read));
    if (!m_matches.empty())
        told << (m_more ? u"≥ "_s : QString()) + plural(m_matches.size(), "match", "matches");
    for (std::size_t i = 0; i < std::min(kNamed, m_parts.size()); ++i)
        told << shown(m_parts[i].name, false, 40) + u' ' + sizeText(m_parts[i].end - m_parts[i].begin);
    if (m_parts.size() > kNamed)
        told << tr("%1 more parts").arg(countText(m_parts.size() - kNamed));
    return told.join(u", "_s);
}

void ByteMap::speak()
{
    setAccessibleDescription(spoken());
    update();
}

QRectF ByteMap::bar() const { return {kSide, kTop, std::max(1.0, width() - 2 * kSide), kHigh}; }

double ByteMap::xOf(quint64 offset) const
{
    const double share = m_size == 0 ? 0 : static_cast<double>(offset) / static_cast<double>(m_size);
    return bar().left() + bar().width() * share;
}

quint64 ByteMap::offsetAt(double x) const
{
    if (m_size == 0)
        return 0;
    const double share = std::clamp((x - bar().left()) / bar().width(), 0.0, 1.0);
    return std::min(static_cast<quint64>(std::floor(share * static_cast<double>(m_size))), m_size - 1);
}

std::vector<int> ByteMap::marks() const
{
    std::vector<int> pixels;
    for (const quint64 at : m_matches) {
        const int pixel = static_cast<int>(xOf(at) - bar().left());
        if (pixels.empty() || pixels.back() != pixel)
            pixels.push_back(pixel);
    }
    return pixels;
}

// What each of the uppermost members takes; a name only where it has room.
void ByteMap::paintParts(QPainter& painter) const
{
    const QFontMetricsF metrics(typeface(11));
    for (const Part& part : m_parts) {
        const double left = xOf(part.begin);
        const double right = xOf(part.end);
        painter.fillRect(QRectF(left - 1, kTop, 1.5, kHigh), theme().window);
        const QString text = shown(part.name, false, 40) + u"  "_s + sizeText(part.end - part.begin);
        if (metrics.horizontalAdvance(text) + 8 > right - left)
            continue;
        painter.setPen(theme().text2);
        painter.drawText(QPointF(left + 2, kTop + kHigh + 14), text);
    }
}

void ByteMap::paintHere(QPainter& painter) const
{
    const QFontMetricsF metrics(typeface(11));
    const QString whole = sizeText(m_size);
    const double end = width() - kSide - metrics.horizontalAdvance(whole);
    painter.setPen(theme().text2);
    painter.drawText(QPointF(end, 12), whole);
    const double x = xOf(m_here);
    painter.fillRect(QRectF(x - 2.5, kTop - 3, 5, kHigh + 6), theme().text);
    painter.setFont(typeface(11, true));
    painter.setPen(theme().text);
    const QString here = tr("you are at %1").arg(sizeText(m_here));
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(here);
    painter.drawText(QPointF(std::clamp(x, kSide, std::max(kSide, end - wide - 12)), 12), here);
}

void ByteMap::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.setFont(typeface(11));
    painter.fillRect(bar(), theme().track);
    if (m_read < m_size) {
        const QRectF rest(xOf(m_read), kTop, bar().right() - xOf(m_read), kHigh);
        painter.fillRect(rest, theme().window);
        painter.fillRect(rest, QBrush(theme().control, Qt::BDiagPattern));
    }
    paintParts(painter);
    for (const int pixel : marks())
        painter.fillRect(QRectF(bar().left() + pixel, kTop, 1, kHigh), theme().text2);
    paintHere(painter);
    if (hasFocus()) {
        painter.setPen(QPen(theme().focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(bar().adjusted(-4, -4, 4, 4));
    }
}

void ByteMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_size > 0)
        Q_EMIT offsetChosen(offsetAt(event->position().x()));
}

void ByteMap::keyPressEvent(QKeyEvent* event)
{
    const quint64 step = std::max<quint64>(1, m_size / 100);
    const quint64 last = m_size == 0 ? 0 : m_size - 1;
    switch (event->key()) {
    case Qt::Key_Left: Q_EMIT offsetChosen(m_here > step ? m_here - step : 0); break;
    case Qt::Key_Right: Q_EMIT offsetChosen(std::min(last, m_here + step)); break;
    case Qt::Key_Home: Q_EMIT offsetChosen(0); break;
    case Qt::Key_End: Q_EMIT offsetChosen(last); break;
    default: QWidget::keyPressEvent(event);
    }
}

void ByteMap::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ByteMap::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

}  // namespace cairn::ui
