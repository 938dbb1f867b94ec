#pragma once
// The only way in which run data gets into widgets. Plain text is set before the text; tooltips are escaped.
// Elsewhere QLabel(text), setToolTip and setText on labels, message boxes and text edits are not used with
// run data.

#include "ui/widgets/theme.h"

#include <QString>

class QLabel;
class QPlainTextEdit;
class QPoint;
class QPushButton;
class QSystemTrayIcon;
class QWidget;

namespace cairn::ui::safe {

struct LabelLook {
    int size = 13;
    bool bold = false;
    bool secondary = false;
    Face face = Face::Text;
    bool wrap = false;
    bool selectable = false;
};

[[nodiscard]] QLabel* label(const QString& text, const LabelLook& look = {}, QWidget* parent = nullptr);
void setText(QLabel* label, const QString& text);
void setTip(QWidget* widget, const QString& text);
// Off, with the reason as its tip and its description; empty: on.
void setOff(QWidget* widget, const QString& why);
void showTip(const QPoint& at, const QString& text, QWidget* over);
void setTip(QSystemTrayIcon* icon, const QString& text);
// One line for what may or may not take it for markup, a desktop's notices for instance.
[[nodiscard]] QString unmarked(const QString& text);
[[nodiscard]] QPushButton* button(const QString& text, QWidget* parent = nullptr);
// Read-only text of any length (the caller clips), in mono.
[[nodiscard]] QPlainTextEdit* viewer(QWidget* parent = nullptr);

}  // namespace cairn::ui::safe
