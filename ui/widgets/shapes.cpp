#include "ui/widgets/shapes.h"

#include "ui/data/words.h"
#include "ui/widgets/theme.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPainterPath>
#include <QSvgRenderer>

#include <array>

// Outside of namespaces, as the macro wants it.
static void initIconResources() { Q_INIT_RESOURCE(icons); }

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// Files of resources/icons, by Glyph.
constexpr std::array<const char16_t*, static_cast<std::size_t>(Glyph::Count)> kNames{{
    u"",
    u"running",
    u"queued",
    u"timer",
    u"back-off",
    u"limit",
    u"child",
    u"event",
    u"worker-lost",
    u"approval",
    u"expiring",
    u"uncertain",
    u"failed",
    u"mismatch",
    u"no-worker",
    u"done",
    u"done-skip",
    u"paused",
    u"cancelled",
    u"skipped",
    u"pending",
}};

// The drawing in other colours than those of its file.
QByteArray svgOf(Glyph glyph, const QColor& color, const QColor& ground)
{
    initIconResources();
    QFile file(u":/cairn/state-%1.svg"_s.arg(QStringView(kNames[static_cast<std::size_t>(glyph)])));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QByteArray svg = file.readAll();
    // Both at once: the one colour may be the other's.
    svg.replace("#FFFFFF", "@knock");
    svg.replace(lightFamily(familyOf(glyph)).name().toUpper().toLatin1(), color.name().toLatin1());
    svg.replace("@knock", ground.name().toLatin1());
    return svg;
}

}  // namespace

QIcon programIcon()
{
    initIconResources();
    QSvgRenderer renderer(u":/cairn/cairn.svg"_s);
    QIcon icon;
    for (const int size : {16, 22, 32, 48, 64, 128, 256}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        icon.addPixmap(pixmap);
    }
    return icon;
}

QPixmap glyphPixmap(Glyph glyph, int size, double ratio, const QColor& ground)
{
    static QHash<QString, QPixmap> cache;
    const QColor color = theme().family(familyOf(glyph));
    const QColor knock = ground.isValid() ? ground : theme().window;
    const QString key = u"%1/%2/%3/%4/%5"_s.arg(static_cast<int>(glyph))
                            .arg(size)
                            .arg(ratio)
                            .arg(color.rgba())
                            .arg(knock.rgba());
    constexpr qsizetype kMost = 2000;  // a graph asks for one size per zoom
    if (cache.size() > kMost)
        cache.clear();
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

void paintWarning(QPainter& painter, const QRectF& where, const QColor& ground)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(where.topLeft());
    painter.scale(where.width() / 16, where.height() / 16);
    painter.setPen(QPen(theme().family(Family::Person), 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(theme().family(Family::Person));
    painter.drawPolygon(QPolygonF({QPointF(8, 1.8), QPointF(15, 14), QPointF(1, 14)}));
    painter.setPen(QPen(ground, 1.9, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(8, 6.2), QPointF(8, 9.6));
    painter.drawPoint(QPointF(8, 12.2));
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
