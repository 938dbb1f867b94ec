#include "ui/widgets/band.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QMenuBar>
#include <QMouseEvent>
#include <QPainter>

namespace cairn::ui {

using namespace Qt::StringLiterals;

Band::Band(QWidget* parent)
    : QWidget(parent)
    , m_menus(new QMenuBar(this))
{
    setFixedHeight(32);
    m_menus->setNativeMenuBar(false);
    retheme();
}

bool Band::production() const { return m_facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive); }
QColor Band::ground() const { return production() ? theme().prodBand : theme().otherBand; }
QColor Band::edge() const { return production() ? theme().prodLine : theme().otherLine; }
QColor Band::ink() const { return production() ? theme().prodText : theme().otherText; }

QString Band::environmentWord() const
{
    QString word = !m_word.isEmpty() ? m_word
        : production()               ? tr("PROD")
                                     : shown(m_facts.environment, false, 12).toUpper();
    if (m_facts.testClock)
        word += tr(" · TEST CLOCK");
    return word;
}

QString Band::safetyText() const
{
    if (m_facts.name.isEmpty())
        return tr("opening");
    if (!m_level.isEmpty())
        return m_level;
    if (m_facts.closed)
        return tr("MOVED or moving: look only");
    if (m_facts.standing.standby())
        return tr("standby: look only");
    if (!m_facts.mayAct)
        return tr("look only");
    return m_facts.guarded ? tr("guarded: reason always") : tr("free: reason optional");
}

void Band::setFacts(const StoreFacts& facts, const QString& word, const QString& level)
{
    m_facts = facts;
    m_word = word;
    m_level = level;
    retheme();
    placeMenus();
    setAccessibleName(
        shown(environmentWord() + u' ' + facts.name + u", "_s + safetyText() + u", "_s + facts.person));
}

void Band::setClock(qint64 now, const QString& status, bool amiss)
{
    m_now = now;
    m_status = shown(status);
    m_amiss = amiss;
    setAccessibleDescription(m_status);
    safe::setTip(this, m_status);
    update();
}

void Band::retheme()
{
    m_menus->setStyleSheet(u"QMenuBar { background: transparent; color: %1; border: 0; }"
                           "QMenuBar::item { padding: 6px 8px; background: transparent; }"
                           "QMenuBar::item:selected { background: %2; }"_s.arg(ink().name(), edge().name()));
    update();
}

void Band::placeMenus()
{
    const double word = QFontMetricsF(typeface(13, true)).horizontalAdvance(environmentWord());
    const double name = QFontMetricsF(typeface(13)).horizontalAdvance(shown(m_facts.name));
    const int x = static_cast<int>(9 + 20 + word + 8 + name + 20);
    m_menus->setGeometry(x, 2, std::max(0, std::min(m_menus->sizeHint().width() + 12, width() - x)), 28);
}

void Band::resizeEvent(QResizeEvent*) { placeMenus(); }

void Band::mousePressEvent(QMouseEvent* event)
{
    if (m_zone.contains(event->position()))
        Q_EMIT zoneClicked();
}

void Band::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), ground());
    painter.setPen(edge());
    painter.drawLine(0, height() - 1, width(), height() - 1);
    if (production() || m_facts.guarded || !m_facts.mayAct)
        paintLock(painter, QRectF(9, 9, 12, 14), ink());
    double x = 29;
    const auto write = [&](const QString& text, const QFont& face, double at) {
        painter.setFont(face);
        painter.setPen(ink());
        drawTabular(painter, QRectF(at, 0, 10, 31), text, Qt::AlignLeft | Qt::AlignVCenter);
        return at + tabularWidth(face, text);
    };
    x = write(environmentWord(), typeface(13, true), x) + 8;
    x = write(shown(m_facts.name), typeface(13), x) + 12;
    painter.setPen(edge());
    painter.drawLine(QPointF(x, 6), QPointF(x, 26));

    const double menusEnd = m_menus->geometry().right() + 8;
    double right = width() - 13;
    const auto put = [&](const QString& text, const QFont& face, bool separator) {
        const double textWidth = tabularWidth(face, text);
        if (right - textWidth < menusEnd)
            return QRectF();  // what does not fit stays in About; order is by weight, from the right
        right -= textWidth;
        write(text, face, right);
        const QRectF area(right, 0, textWidth, height());
        if (separator) {
            painter.setPen(edge());
            painter.drawLine(QPointF(right - 12, 6), QPointF(right - 12, 26));
        }
        right -= 24;
        return area;
    };
    // What is amiss is said in any case, cut where there is no room for all of it.
    const QString status = m_status.isEmpty() ? tr("nothing read yet") : m_status;
    const double room = right - menusEnd - (m_amiss ? 20 : 0);
    const QRectF said =
        put(QFontMetricsF(typeface(13)).elidedText(status, Qt::ElideRight, room), typeface(13), !m_amiss);
    if (m_amiss && said.isValid()) {
        paintWarning(painter, QRectF(said.left() - 20, 9, 14, 14), ground());
        right -= 20;
    }
    m_zone = put(zoneName(), typeface(13, true), true);
    if (m_now != 0)
        put(instantText(m_now), typeface(13, false, Face::Mono), true);
    put(shown(m_facts.person), typeface(13), true);
    put(safetyText(), typeface(13), false);
}

}  // namespace cairn::ui
