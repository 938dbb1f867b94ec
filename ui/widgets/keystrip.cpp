#include "ui/widgets/keystrip.h"

#include "ui/data/safetext.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

double hintWidth(const KeyHint& hint)
{
    double width = QFontMetricsF(typeface(11)).horizontalAdvance(hint.text);
    for (const QString& key : hint.keys)
        width += keycapWidth(key) + 5;
    return width;
}

double paintHint(QPainter& painter, double x, const KeyHint& hint)
{
    for (const QString& key : hint.keys)
        x += paintKeycap(painter, QPointF(x, 5), key) + 5;
    painter.setPen(theme().text2);
    painter.setFont(typeface(11));
    painter.drawText(QPointF(x, 18), hint.text);
    return x + QFontMetricsF(typeface(11)).horizontalAdvance(hint.text);
}

}  // namespace

KeyStrip::KeyStrip(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(28);
    setAccessibleName(tr("Keys"));
}

void KeyStrip::setHints(const QString& place, std::vector<KeyHint> hints)
{
    m_place = shown(place);
    m_hints = std::move(hints);
    for (KeyHint& hint : m_hints)
        hint.text = shown(hint.text, false, 80);
    QString spoken = m_place;
    for (const KeyHint& hint : m_hints)
        spoken += u", "_s + hint.keys.join(u' ') + u' ' + hint.text;
    setAccessibleDescription(spoken);
    safe::setTip(this, spoken);  // what has no room is in it
    update();
}

void KeyStrip::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().line);
    painter.drawLine(0, 0, width(), 0);
    const KeyHint panel{{u"F6"_s}, tr("next panel")};
    const KeyHint help{{u"?"_s}, tr("all keys here")};
    double right = width() - 12 - hintWidth(help);
    paintHint(painter, right, help);
    right -= hintWidth(panel) + 16;
    paintHint(painter, right, panel);
    painter.setFont(typeface(11, true));
    painter.setPen(theme().text);
    painter.drawText(QPointF(12, 18), m_place);
    double x = 12 + QFontMetricsF(painter.font()).horizontalAdvance(m_place) + 16;
    for (const KeyHint& hint : m_hints) {
        if (x + hintWidth(hint) > right - 16)
            break;  // the rest is behind "?"
        x = paintHint(painter, x, hint) + 16;
    }
}

}  // namespace cairn::ui
