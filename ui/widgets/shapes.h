#pragma once
// The shapes of waits and states: 16 x 16 drawings in one colour with knock-outs, told apart in grey and at
// 12 px.

#include "ui/data/values.h"

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QRectF>

class QPainter;

namespace cairn::ui {

// In the family's colour of the present theme; knock-outs in `ground` (default: the window's).
void paintGlyph(QPainter& painter, const QRectF& where, Glyph glyph, const QColor& ground = {});
[[nodiscard]] QPixmap glyphPixmap(Glyph glyph, int size, double ratio, const QColor& ground = {});
// The program's own icon, in the sizes that desktops ask for.
[[nodiscard]] QIcon programIcon();
void paintLock(QPainter& painter, const QRectF& where, const QColor& color);
// A triangle with a mark, in amber: something is amiss here, and goes on without a person.
void paintWarning(QPainter& painter, const QRectF& where, const QColor& ground);
void paintChevron(QPainter& painter, const QPointF& topLeft, const QColor& color);

}  // namespace cairn::ui
