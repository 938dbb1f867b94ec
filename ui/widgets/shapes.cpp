#include "ui/widgets/shapes.h"

#include "ui/data/words.h"
#include "ui/widgets/theme.h"

#include <QHash>
#include <QPainter>
#include <QPainterPath>
#include <QSvgRenderer>

#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// C and K: filled with colour or knock-out. S and N: stroked with colour or knock-out, width 1.8 unless given.
#define RING R"(<circle cx="8" cy="8" r="6.6" S/>)"
#define DOT R"(<circle cx="8" cy="8" r="7.5" C/>)"
#define SQUARE R"(<rect x="1.2" y="1.2" width="13.6" height="13.6" rx="1" C/>)"

constexpr std::array<const char*, static_cast<std::size_t>(Glyph::Count)> kShapes{{
    "",
    DOT R"(<path d="M6.3 4.9 L11.3 8 L6.3 11.1 Z" K/>)",
    RING R"(<circle cx="8" cy="8" r="1.3" C/>)",
    RING R"(<path d="M8 4.6 V8.2 L10.4 9.6" S stroke-width="1.5"/>)",
    RING R"(<path d="M10.6 6.6 A3 3 0 1 0 11 8.6 M10.9 4.6 V6.9 H8.6" S stroke-width="1.4"/>)",
    RING R"(<circle cx="5" cy="8" r="1.05" C/><circle cx="8" cy="8" r="1.05" C/><circle cx="11" cy="8" r="1.05" C/>)",
    RING R"(<path d="M6 4.8 V8.6 H10.6 M9 6.8 L10.8 8.6 L9 10.4" S stroke-width="1.4"/>)",
    R"(<circle cx="8" cy="8" r="6.6" S stroke-dasharray="2.6,2.6"/><circle cx="8" cy="8" r="1.8" C/>)",
    RING R"(<path d="M4.2 8 H6 L7.2 5.4 L8.8 10.4 L9.8 8 H11.8" S stroke-width="1.3"/>)",
    R"(<path d="M8 .3 L15.7 8 L8 15.7 L.3 8 Z" C/><path d="M8 4.9 V8.6" N/><circle cx="8" cy="11" r="1" K/>)",
    R"(<path d="M8 3.4 L12.6 8 L8 12.6 L3.4 8 Z" C/><path d="M8 .7 L15.3 8 L8 15.3 L.7 8 Z" S stroke-width="1.3"/>)",
    R"(<path d="M4.2 1 H11.8 L15.7 8 L11.8 15 H4.2 L.3 8 Z" C/>)"
    R"(<path d="M6 6.1 A2.05 2.05 0 1 1 8.9 7.9 Q8 8.4 8 9.3" N stroke-width="1.7"/><circle cx="8" cy="11.9" r="1.1" K/>)",
    SQUARE R"(<path d="M5 5 L11 11 M11 5 L5 11" N/>)",
    SQUARE R"(<path d="M4.4 6.4 H11.6 M4.4 9.6 H11.6 M9.8 4 L6.2 12" N stroke-width="1.5"/>)",
    R"(<path d="M4.9 .8 H11.1 L15.2 4.9 V11.1 L11.1 15.2 H4.9 L.8 11.1 V4.9 Z" C/>)"
    R"(<path d="M5.2 5.2 L10.8 10.8 M10.8 5.2 L5.2 10.8" N/>)",
    DOT R"(<path d="M4.7 8.3 L7.1 10.7 L11.4 5.6" N/>)",
    DOT R"(<path d="M4.7 6.7 L7.1 9.1 L11.4 4" N/><path d="M4.9 12 H11.1" N/>)",
    R"(<rect x="2.6" y="1.6" width="4" height="12.8" rx=".8" C/><rect x="9.4" y="1.6" width="4" height="12.8" rx=".8" C/>)",
    RING R"(<path d="M3.6 12.4 L12.4 3.6" S/>)",
    R"(<rect x="1.4" y="6.4" width="13.2" height="3.2" rx=".8" C/>)",
    R"(<circle cx="8" cy="8" r="5.6" S stroke-width="1.3" stroke-dasharray="1.5,2.4"/>)",
}};
#undef RING
#undef DOT
#undef SQUARE

QByteArray svgOf(Glyph glyph, const QColor& color, const QColor& ground)
{
    QByteArray body = kShapes[static_cast<std::size_t>(glyph)];
    // One attribute may stand once in an element: the given width takes the place of the default.
    const auto stroke = [](const QColor& c) {
        return R"( fill="none" stroke=")" + c.name().toLatin1() + R"(" stroke-linecap="round" stroke-linejoin="round")";
    };
    body.replace(" S stroke-width", stroke(color) + " stroke-width");
    body.replace(" N stroke-width", stroke(ground) + " stroke-width");
    body.replace(" S stroke-dash", stroke(color) + R"( stroke-width="1.8" stroke-dash)");
    body.replace(" S/", stroke(color) + R"( stroke-width="1.8"/)");
    body.replace(" N/", stroke(ground) + R"( stroke-width="1.8"/)");
    body.replace(" C/", R"( fill=")" + color.name().toLatin1() + R"("/)");
    body.replace(" K/", R"( fill=")" + ground.name().toLatin1() + R"("/)");
    return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">)" + body + "</svg>";
}

}  // namespace

QPixmap glyphPixmap(Glyph glyph, int size, double ratio, const QColor& ground)
{
    static QHash<QString, QPixmap> cache;
    const QColor color = theme().family(familyOf(glyph));
    const QColor knock = ground.isValid() ? ground : theme().window;
    const QString key = u"%1/%2/%3/%4/%5"_s.arg(static_cast<int>(glyph)).arg(size).arg(ratio).arg(color.rgba())
        .arg(knock.rgba());
    auto found = cache.find(key);
    if (found == cache.end()) {
        QPixmap pixmap(QSize(size, size) * ratio);
        pixmap.fill(Qt::transparent);
        if (glyph != Glyph::None) {
            QSvgRenderer renderer(svgOf(glyph, color, knock));
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            renderer.render(&painter, QRectF(QPointF(0, 0), QSizeF(pixmap.size())));
        }
        pixmap.setDevicePixelRatio(ratio);
        found = cache.insert(key, pixmap);
    }
    return *found;
}

void paintGlyph(QPainter& painter, const QRectF& where, Glyph glyph, const QColor& ground)
{
    if (glyph == Glyph::None)
        return;
    // Rendered at the size it has on the device, so that it stays sharp at every zoom.
    const QTransform& world = painter.worldTransform();
    const double scale = world.m11() > 0.0 ? world.m11() : 1.0;
    const double ratio = painter.device()->devicePixelRatioF() * scale;
    const QPixmap pixmap = glyphPixmap(glyph, qRound(where.width()), ratio, ground);
    painter.drawPixmap(where.topLeft(), pixmap);
}

void paintLock(QPainter& painter, const QRectF& where, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(where.topLeft());
    QPainterPath bow;
    bow.moveTo(3, 6);
    bow.lineTo(3, 4);
    bow.arcTo(QRectF(3, 1, 6, 6), 180, -180);
    bow.lineTo(9, 6);
    painter.setPen(QPen(color, 1.6));
    painter.drawPath(bow);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(1, 6, 10, 7.4), 1, 1);
    painter.restore();
}

void paintChevron(QPainter& painter, const QPointF& topLeft, const QColor& color)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(topLeft);
    painter.setPen(QPen(color, 1.3));
    painter.drawPolyline(QPolygonF({QPointF(1, 2.5), QPointF(4, 5.5), QPointF(7, 2.5)}));
    painter.restore();
}

}  // namespace cairn::ui
