#include "ui/widgets/keycap.h"

#include "ui/widgets/letters.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace cairn::ui {

double keycapWidth(const QString& key)
{
    return std::max(18.0, QFontMetricsF(typeface(11)).horizontalAdvance(Letters::shown(key)) + 10);
}

double paintKeycap(QPainter& painter, const QPointF& topLeft, const QString& key, bool off)
{
    const double width = keycapWidth(key);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(off ? theme().line : theme().control);
    painter.setBrush(off ? QBrush(Qt::NoBrush) : QBrush(theme().window));
    const QRectF cap(topLeft.x() + 0.5, topLeft.y() + 0.5, width - 1, 17);
    painter.drawRoundedRect(cap, 3, 3);
    painter.setFont(typeface(11));
    painter.setPen(off ? theme().text2 : theme().text);
    painter.drawText(cap, Qt::AlignCenter, Letters::shown(key));
    painter.restore();
    return width;
}

namespace {
constexpr double kGap = 5;
}  // namespace

QPixmap keycapPixmap(const QString& key, double ratio)
{
    QPixmap pixmap(QSizeF((kGap + keycapWidth(key)) * ratio, 18 * ratio).toSize());
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintKeycap(painter, QPointF(kGap, 0), key);
    return pixmap;
}

}  // namespace cairn::ui
