#include "ui/widgets/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// Lines and grounds as far apart as they can be; the shapes keep their hues.
void sharpen(Theme& t)
{
    const auto set = [dark = t.dark](
                         QColor& color, QRgb light, QRgb night) { color = QColor(dark ? night : light); };
    set(t.window, 0xFFFFFF, 0x000000);
    set(t.panel, 0xFFFFFF, 0x000000);
    set(t.text, 0x000000, 0xFFFFFF);
    set(t.text2, 0x1F252D, 0xE6E9EE);
    set(t.sel, 0xCFE2FF, 0x0A3060);
    set(t.hover, 0xE6E6E6, 0x2B2B2B);
    set(t.focus, 0x003EAA, 0x9CC9FF);
    for (QColor* line : {&t.hair, &t.line, &t.control, &t.prodLine, &t.otherLine})
        set(*line, 0x000000, 0xFFFFFF);
    set(t.track, 0x8A8A8A, 0x8A8A8A);
    set(t.prodBand, 0xFFE3C2, 0x3A1F00);
    set(t.prodText, 0x000000, 0xFFFFFF);
    set(t.otherBand, 0xFFFFFF, 0x000000);
    set(t.otherText, 0x000000, 0xFFFFFF);
    constexpr std::array<QRgb, 6> kLight{0x0B2F52, 0x7A3300, 0x8A00A3, 0x6A0000, 0x00553F, 0x3A4150};
    constexpr std::array<QRgb, 6> kDark{0xB9D4FF, 0xFFD76B, 0xF08CFF, 0xFF9B94, 0x5BFFDD, 0xC3C9D4};
    for (std::size_t i = 0; i < kLight.size(); ++i)
        set(t.families[i], kLight[i], kDark[i]);
}

double luminanceOf(const QColor& colour)
{
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF());
}

Theme makeTheme(bool dark)
{
    Theme t;
    t.dark = dark;
    const auto set = [dark](QColor& color, QRgb light, QRgb night) { color = QColor(dark ? night : light); };
    set(t.window, 0xFFFFFF, 0x15181C);
    set(t.panel, 0xF4F5F7, 0x1E2227);
    set(t.text, 0x1B1F24, 0xE6E9EE);
    set(t.text2, 0x565E6C, 0xA4ACB9);
    set(t.sel, 0xD6E4F5, 0x24405F);
    set(t.hover, 0xEBEEF2, 0x262B31);
    set(t.focus, 0x0A5BD3, 0x6FB1FF);
    set(t.hair, 0xE1E4E9, 0x2A3037);
    set(t.line, 0xC9CED6, 0x3A424C);
    set(t.control, 0x868E9C, 0x707988);
    set(t.track, 0xD3D9E1, 0x3A434E);
    set(t.prodBand, 0xFFE3C2, 0x4A2A08);
    set(t.prodText, 0x5A2800, 0xFFD9A8);
    set(t.prodLine, 0xE9BE8B, 0x6E4413);
    set(t.otherBand, 0xE3E8EF, 0x2B323B);
    set(t.otherText, 0x1B1F24, 0xE6E9EE);
    set(t.otherLine, 0xB4BCC8, 0x4A535F);
    constexpr std::array<QRgb, 6> kLight{0x16436C, 0xAE4E04, 0xB40ACF, 0x7A0B0B, 0x02805F, 0x646D82};
    constexpr std::array<QRgb, 6> kDark{0x9DBFEE, 0xFEC84C, 0xD94BFF, 0xF7594D, 0x2EE6C5, 0x838C9B};
    for (std::size_t i = 0; i < kLight.size(); ++i)
        set(t.families[i], kLight[i], kDark[i]);
    return t;
}

Theme g_theme = makeTheme(false);

QString firstFamily(std::initializer_list<QString> wanted, QFontDatabase::SystemFont fallback)
{
    for (const QString& family : wanted)
        if (QFontDatabase::hasFamily(family))
            return family;
    return QFontDatabase::systemFont(fallback).family();
}

QPalette paletteOf(const Theme& t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.panel);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.window);
    p.setColor(QPalette::AlternateBase, t.panel);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.text2);
    p.setColor(QPalette::Button, t.window);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::Highlight, t.sel);
    p.setColor(QPalette::HighlightedText, t.text);
    p.setColor(QPalette::Link, t.focus);
    p.setColor(QPalette::ToolTipBase, t.panel);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Light, t.window);
    p.setColor(QPalette::Mid, t.line);
    p.setColor(QPalette::Dark, t.control);
    p.setColor(QPalette::Disabled, QPalette::Text, t.text2);
    p.setColor(QPalette::Disabled, QPalette::WindowText, t.text2);
    p.setColor(QPalette::Disabled, QPalette::ButtonText, t.text2);
    return p;
}

// Measures of the mock-ups; @name is replaced by a colour.
constexpr auto kSheet = uR"(
QToolTip { color: @text; background: @panel; border: 1px solid @control; padding: 4px 6px; }
QPushButton { background: @window; color: @text; border: 1px solid @control; border-radius: 3px; padding: 0 12px;
  min-height: 26px; }
QPushButton:hover { background: @hover; }
QPushButton:focus { border: 2px solid @focus; padding: 0 11px; min-height: 24px; }
QPushButton:disabled { color: @text2; border-color: @line; background: transparent; }
QPushButton[primary="true"] { background: @text; color: @window; border-color: @text; font-weight: 600; }
QPushButton[primary="true"]:focus { border: 2px solid @focus; }
QPushButton[primary="true"]:disabled { background: transparent; color: @text2; border-color: @line; }
QPushButton[small="true"] { min-height: 20px; padding: 0 8px; font-size: 11px; }
QPushButton::menu-indicator { image: none; width: 0; }
QLineEdit, QPlainTextEdit { background: @window; color: @text; border: 1px solid @control; border-radius: 3px;
  selection-background-color: @sel; selection-color: @text; }
QLineEdit { padding: 0 8px; min-height: 26px; }
QPlainTextEdit { padding: 2px 4px; }
QLineEdit:focus, QPlainTextEdit:focus { border: 2px solid @focus; }
QLineEdit:focus { padding: 0 7px; min-height: 24px; }
QPlainTextEdit:focus { padding: 1px 3px; }
QPlainTextEdit[flat="true"] { border: 0; border-radius: 0; padding: 2px 12px; }
QPlainTextEdit[ground="panel"] { background: @panel; border: 1px solid @hair; padding: 1px 4px; }
QLabel[frame="tag"] { border: 1px solid @control; border-radius: 3px; padding: 1px 6px; }
QLabel[frame="box"] { border: 1px solid @control; border-radius: 3px; padding: 7px 11px; margin: 4px 16px; }
QToolButton::menu-indicator { image: none; }
QWidget[ground="window"] { background: @window; }
QTableView { background: @window; border: 0; color: @text; outline: 0; }
QTableView[ground="panel"] { background: @panel; }
QHeaderView { background: @window; border: 0; }
QHeaderView::section { background: @window; color: @text2; border: 0; border-bottom: 1px solid @line; font-size: 11px;
  padding: 0; }
QSplitter::handle { background: @line; }
QScrollArea { border: 0; background: transparent; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @control; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; } QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QMenu { background: @window; color: @text; border: 1px solid @control; padding: 4px 0; }
QMenu::item { padding: 4px 28px 4px 14px; } QMenu::item:selected { background: @sel; }
QMenu::item:disabled { color: @text2; } QMenu::separator { height: 1px; background: @hair; margin: 4px 0; }
QRadioButton { color: @text; spacing: 8px; } QRadioButton:disabled { color: @text2; }
QRadioButton:focus { color: @text; }
QRadioButton::indicator { width: 12px; height: 12px; border: 1px solid @control; border-radius: 7px; background: @window; }
QRadioButton::indicator:checked { background: qradialgradient(cx:0.5, cy:0.5, radius:0.5, fx:0.5, fy:0.5,
  stop:0 @text, stop:0.55 @text, stop:0.6 @window, stop:1 @window); }
QRadioButton::indicator:focus { border: 2px solid @focus; width: 10px; height: 10px; }
QRadioButton::indicator:disabled { border-color: @line; background: transparent; }
QCheckBox { color: @text; spacing: 8px; } QCheckBox:disabled { color: @text2; }
QCheckBox::indicator { width: 12px; height: 12px; border: 1px solid @control; border-radius: 3px; background: @window; }
QCheckBox::indicator:checked { image: url(@check); }
QCheckBox::indicator:focus { border: 2px solid @focus; width: 10px; height: 10px; }
QCheckBox::indicator:disabled { border-color: @line; background: transparent; }
)";

QString sheetOf(const Theme& t)
{
    QString sheet = QString::fromUtf16(kSheet);
    const auto put = [&sheet](
                         QLatin1StringView name, const QColor& color) { sheet.replace(name, color.name()); };
    sheet.replace("@check"_L1,
        t.dark ? ":/cairn/check-on-dark.svg"_L1 : ":/cairn/check-on-light.svg"_L1);  // the text's colours
    put("@window"_L1, t.window);
    put("@panel"_L1, t.panel);
    put("@text2"_L1, t.text2);
    put("@text"_L1, t.text);
    put("@sel"_L1, t.sel);
    put("@hover"_L1, t.hover);
    put("@focus"_L1, t.focus);
    put("@hair"_L1, t.hair);
    put("@line"_L1, t.line);
    put("@control"_L1, t.control);
    return sheet;
}

}  // namespace

const Theme& theme() { return g_theme; }

QColor lightFamily(Family family)
{
    static const Theme kLight = makeTheme(false);
    return kLight.family(family);
}

// Both are seen before a theme is set: afterwards the palette is the program's own.
bool platformPrefersDark()
{
    static const bool kDark = [] {
        const QPalette p;
        return p.color(QPalette::Window).lightness() < p.color(QPalette::WindowText).lightness();
    }();
    return kDark;
}

QFont typeface(int size, bool bold, Face face)
{
    static const QString kText = firstFamily({u"Inter"_s, u"DejaVu Sans"_s}, QFontDatabase::GeneralFont);
    static const QString kMono =
        firstFamily({u"JetBrains Mono"_s, u"DejaVu Sans Mono"_s}, QFontDatabase::FixedFont);
    QFont result(face == Face::Mono ? kMono : kText);
    // 13 at 96 dpi; grows with the system's font setting.
    static const double kScale = [] {
        const double points = QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF();
        return points > 11.0 ? points / 10.0 : 1.0;
    }();
    result.setPixelSize(qRound(size * kScale));
    result.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    return result;
}

bool platformPrefersContrast()
{
    static const bool kContrast = [] {
        constexpr double kPure = 20.5;  // of 21: nothing but black and white
        const QPalette p;
        return contrastOf(p.color(QPalette::Window), p.color(QPalette::WindowText)) > kPure
            && contrastOf(p.color(QPalette::Base), p.color(QPalette::Text)) > kPure;
    }();
    return kContrast;
}

double contrastOf(const QColor& a, const QColor& b)
{
    const double one = luminanceOf(a), other = luminanceOf(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

bool legible(const QColor& colour, bool dark)
{
    const Theme t = makeTheme(dark);
    return colour.isValid() && contrastOf(colour, t.window) >= kLeastContrast
        && contrastOf(colour, t.panel) >= kLeastContrast;
}

void applyTheme(QApplication& app, bool dark) { applyTheme(app, ThemeLook{.dark = dark}); }

void applyTheme(QApplication& app, const ThemeLook& look)
{
    g_theme = makeTheme(look.dark);
    if (look.contrast)
        sharpen(g_theme);
    for (std::size_t i = 0; i < look.own.size(); ++i)
        if (legible(look.own[i], look.dark))
            g_theme.families[i] = look.own[i];
    QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
    QApplication::setPalette(paletteOf(g_theme));
    QApplication::setFont(typeface(13));
    app.setStyleSheet(sheetOf(g_theme));
    const QWidgetList all = QApplication::allWidgets();
    for (QWidget* widget : all)
        widget->update();
}

}  // namespace cairn::ui
