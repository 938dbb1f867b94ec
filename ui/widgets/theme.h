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
using FamilyColours = std::array<QColor, static_cast<std::size_t>(Family::Count)>;
struct ThemeLook {
    bool dark = false;
    bool contrast = false;  // all text and shapes at 7 : 1 or more, lines as dark as text
    FamilyColours own{};    // instead of the theme's; not valid: the theme's
    bool operator==(const ThemeLook&) const = default;
};
// Sets palette, style sheet and fonts of the whole program. Widgets that paint themselves read theme() when
// painting. A colour of one's own that cannot be seen on this ground (legible()) is not taken.
void applyTheme(QApplication& app, const ThemeLook& look);
void applyTheme(QApplication& app, bool dark);
[[nodiscard]] bool platformPrefersDark();
// The desktop's palette is one of high contrast: black on white, or white on black.
[[nodiscard]] bool platformPrefersContrast();
// WCAG 2.1, 1.4.3: 1 to 21.
[[nodiscard]] double contrastOf(const QColor& a, const QColor& b);
inline constexpr double kLeastContrast = 3.0;  // of a shape, WCAG 2.1, 1.4.11
// Whether a shape of this colour can be seen on windows and panels, light or dark.
[[nodiscard]] bool legible(const QColor& colour, bool dark);

enum class Face : quint8 { Text, Mono };
// Sizes at 100 %: 11 captions, 13 text, 16 sentences, 20 counts. Two weights only.
[[nodiscard]] QFont typeface(int size, bool bold = false, Face face = Face::Text);

}  // namespace cairn::ui
