#pragma once
// Colours by token, fonts by size. Light and dark have the same tokens; measured contrasts are in README.md.

#include "ui/data/values.h"

#include <QColor>
#include <QFont>

#include <array>

class QApplication;
class QPalette;

namespace cairn::ui {

struct Theme {
    bool dark = false;
    QColor window, panel, text, text2, sel, hover, focus, hair, line, control, track;
    QColor prodBand, prodText, prodLine;     // production
    QColor otherBand, otherText, otherLine;  // development and test
    std::array<QColor, static_cast<std::size_t>(Family::Count)> families;

    [[nodiscard]] QColor family(Family f) const { return families[static_cast<std::size_t>(f)]; }
};

[[nodiscard]] const Theme& theme();
// A family's colour in the light theme, whichever is in use: the one that the drawings in resources/icons
// have.
[[nodiscard]] QColor lightFamily(Family family);
// Sets palette, style sheet and fonts of the whole program. Widgets that paint themselves read theme() when
// painting.
void applyTheme(QApplication& app, bool dark);
[[nodiscard]] bool platformPrefersDark();

enum class Face : quint8 { Text, Mono };
// Sizes at 100 %: 11 captions, 13 text, 16 sentences, 20 counts. Two weights only.
[[nodiscard]] QFont typeface(int size, bool bold = false, Face face = Face::Text);

}  // namespace cairn::ui
