#pragma once
// A key as it stands on the keyboard, beside what it does.

#include <QPixmap>
#include <QWidget>

class QPainter;

namespace cairn::ui {

// Gives the width that was taken. `off`: the act that it stages is not possible now.
double paintKeycap(QPainter& painter, const QPointF& topLeft, const QString& key, bool off = false);
// For buttons.
[[nodiscard]] QPixmap keycapPixmap(const QString& key, double ratio);
[[nodiscard]] double keycapWidth(const QString& key);

}  // namespace cairn::ui
