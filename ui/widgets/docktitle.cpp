#include "ui/widgets/docktitle.h"

#include "ui/data/safetext.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

namespace cairn::ui {

using namespace Qt::StringLiterals;

DockTitle::DockTitle(const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_title(shown(title))
{
    setFixedHeight(30);
    speak();
}

void DockTitle::setTitle(const QString& title)
{
    m_title = shown(title);
    speak();
}

void DockTitle::setRemark(const QString& remark, const QString& strong)
{
    m_remark = shown(remark);
    m_strong = shown(strong);
    speak();
}

void DockTitle::setRight(const QString& text, Glyph glyph)
{
    m_right = shown(text);
    m_glyph = glyph;
    speak();
}

void DockTitle::setLegend(bool on)
{
    m_legend = on;
    update();
}

QMenu* DockTitle::addMenu(const QString& text)
{
    m_button = new QToolButton(this);
    m_button->setText(text + u" ▾"_s);
    m_button->setFont(typeface(11));
    m_button->setAutoRaise(true);
    m_button->setFocusPolicy(Qt::TabFocus);
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setAccessibleName(tr("%1 of %2").arg(text, m_title));
    auto* menu = new QMenu(m_button);
    m_button->setMenu(menu);
    resizeEvent(nullptr);
    return menu;
}

void DockTitle::resizeEvent(QResizeEvent*)
{
    if (m_button == nullptr)
        return;
    const int w = m_button->sizeHint().width();
    m_button->setGeometry(width() - w - 6, 4, w, 22);
}

void DockTitle::speak()
{
    setAccessibleName(m_title + u' ' + m_remark + u' ' + m_strong + u' ' + m_right);
    safe::setTip(this, accessibleName().simplified());  // it is cut where there is no room
    update();
}

double DockTitle::legendWidth()
{
    const QFontMetricsF metrics(typeface(11));
    return metrics.horizontalAdvance(tr("not started")) + metrics.horizontalAdvance(tr("path to the wait"))
        + 2 * (28 + 12);
}

void DockTitle::paintLegend(QPainter& painter, double& right) const
{
    const QFontMetricsF metrics(typeface(11));
    const auto entry = [&](const QString& text, const QPen& pen) {
        right -= metrics.horizontalAdvance(text);
        painter.setPen(theme().text2);
        painter.drawText(QPointF(right, 19), text);
        painter.setPen(pen);
        painter.drawLine(QPointF(right - 28, 15), QPointF(right - 6, 15));
        right -= 28 + 12;
    };
    QPen dashed(theme().control, 1.2);
    dashed.setDashPattern({3, 3});
    entry(tr("not started"), dashed);
    entry(tr("path to the wait"), QPen(theme().text, 2.5));
}

void DockTitle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().hair);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    QFont caps = typeface(11, true);
    caps.setCapitalization(QFont::AllUppercase);
    caps.setLetterSpacing(QFont::AbsoluteSpacing, 0.5);
    painter.setFont(caps);
    painter.setPen(theme().text);
    painter.drawText(QPointF(12, 19), m_title);
    double x = 12 + QFontMetricsF(caps).horizontalAdvance(m_title) + 10;
    painter.setFont(typeface(11));
    const QFontMetricsF metrics(typeface(11));
    double right = m_button == nullptr ? width() - 12 : m_button->x() - 8;
    // The remark says what is left out and goes first; the legend only explains two kinds of lines.
    if (m_legend && right - x > metrics.horizontalAdvance(m_remark) + legendWidth())
        paintLegend(painter, right);
    if (!m_right.isEmpty()) {
        const double room = right - x - (m_glyph == Glyph::None ? 0 : 20);
        const QString shownRight = metrics.elidedText(m_right, Qt::ElideRight, std::max(0.0, room));
        right -= metrics.horizontalAdvance(shownRight);
        painter.setPen(m_glyph == Glyph::None ? theme().text2 : theme().text);
        painter.drawText(QPointF(right, 19), shownRight);
        if (m_glyph != Glyph::None)
            paintGlyph(painter, QRectF(right - 20, 9, 12, 12), m_glyph, theme().panel);
        right -= 28;
    }
    painter.setPen(theme().text2);
    const QString remark = metrics.elidedText(m_remark, Qt::ElideRight, std::max(0.0, right - x));
    painter.drawText(QPointF(x, 19), remark);
    x += metrics.horizontalAdvance(remark);
    if (!remark.isEmpty() && !remark.endsWith(u' '))
        x += metrics.horizontalAdvance(u' ');
    painter.setFont(typeface(11, true));
    painter.setPen(theme().text);
    const QFontMetricsF bold(painter.font());
    painter.drawText(QPointF(x, 19), bold.elidedText(m_strong, Qt::ElideRight, std::max(0.0, right - x)));
}

}  // namespace cairn::ui
