#include "ui/widgets/revisionbar.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr double kLeft = 260;
constexpr double kRight = 40;
constexpr double kLine = 26;
}  // namespace

RevisionBar::RevisionBar(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"revision-bar"_s);
    setFixedHeight(46);
    setFocusPolicy(Qt::StrongFocus);
    speak();
}

void RevisionBar::setNewest(quint64 version)
{
    const bool now = atNow();
    m_newest = version;
    if (now)
        m_shown = version;
    speak();
}

void RevisionBar::setShown(quint64 version, qint64 time)
{
    m_shown = std::clamp<quint64>(version, std::min<quint64>(1, m_newest), m_newest);
    m_time = time;
    speak();
}

void RevisionBar::setActs(const std::vector<ActLine>& acts)
{
    std::vector<Mark> marks;
    for (const ActLine& act : acts) {
        if (act.version == 0)
            continue;
        marks.push_back({act.version, shown(initialsText(act.person), false, 4)});
    }
    if (std::exchange(m_marks, std::move(marks)) != m_marks)
        update();
}

QString RevisionBar::title() const
{
    if (atNow())
        return tr("Now, version %1 of %2").arg(countText(m_shown), countText(m_newest));
    return tr("As it was at version %1 of %2").arg(countText(m_shown), countText(m_newest))
        + (m_time == 0 ? QString() : u", "_s + instantText(m_time));
}

void RevisionBar::speak()
{
    setAccessibleName(tr("Versions of the run"));
    setAccessibleDescription(title());
    update();
}

double RevisionBar::xOf(quint64 version) const
{
    const double room = std::max(1.0, width() - kLeft - kRight);
    if (m_newest <= 1 || version == 0)
        return kLeft + (m_newest <= 1 ? room : 0);
    return kLeft + room * static_cast<double>(version - 1) / static_cast<double>(m_newest - 1);
}

quint64 RevisionBar::versionAt(double x) const
{
    const double room = std::max(1.0, width() - kLeft - kRight);
    const double part = std::clamp((x - kLeft) / room, 0.0, 1.0);
    return m_newest == 0 ? 0
                         : 1 + static_cast<quint64>(std::llround(part * static_cast<double>(m_newest - 1)));
}

void RevisionBar::want(qint64 version)
{
    if (m_newest == 0)
        return;
    const auto wanted = static_cast<quint64>(std::clamp<qint64>(version, 1, static_cast<qint64>(m_newest)));
    if (wanted == m_shown)
        return;
    setShown(wanted, 0);
    Q_EMIT versionWanted(wanted);
}

void RevisionBar::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->position().x() >= kLeft - 10)
        want(static_cast<qint64>(versionAt(event->position().x())));
}

void RevisionBar::mouseMoveEvent(QMouseEvent* event)
{
    if ((event->buttons() & Qt::LeftButton) != 0 && event->position().x() >= kLeft - 10)
        want(static_cast<qint64>(versionAt(event->position().x())));
}

void RevisionBar::keyPressEvent(QKeyEvent* event)
{
    const auto here = static_cast<qint64>(m_shown);
    const auto tenth = std::max<qint64>(1, static_cast<qint64>(m_newest / 10));
    switch (event->modifiers() & ~Qt::KeypadModifier ? 0 : event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down: return want(here - 1);
    case Qt::Key_Right:
    case Qt::Key_Up: return want(here + 1);
    case Qt::Key_PageUp: return want(here - tenth);
    case Qt::Key_PageDown: return want(here + tenth);
    case Qt::Key_Home: return want(1);
    case Qt::Key_End: return want(static_cast<qint64>(m_newest));
    default: event->ignore();  // the page's
    }
}

void RevisionBar::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void RevisionBar::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void RevisionBar::paintMarks(QPainter& painter) const
{
    double free = 0;
    for (const Mark& mark : m_marks) {
        const double x = xOf(std::min(mark.version, m_newest));
        painter.setPen(theme().text);
        painter.drawLine(QPointF(x, kLine - 5), QPointF(x, kLine));
        if (x - 10 < free)
            continue;  // the mark stays, its letters would stand over others
        const QRectF cap(x - 10, 4, 20, 15);
        painter.setPen(theme().control);
        painter.setBrush(theme().window);
        painter.drawRoundedRect(cap, 3, 3);
        painter.setPen(theme().text);
        painter.setFont(typeface(11));
        painter.drawText(cap, Qt::AlignCenter, mark.initials);
        free = x + 12;
    }
}

// Numbers at round versions, as many as there is room for; the last one where the handle does not stand on
// it.
void RevisionBar::paintScale(QPainter& painter) const
{
    constexpr double kApart = 56;
    painter.drawText(QPointF(kLeft, 42), u"1"_s);
    if (m_newest < 2)
        return;
    const double room = width() - kLeft - kRight;
    if (room < kApart)
        return;
    quint64 step = 1;
    for (int i = 0; room / static_cast<double>(m_newest - 1) * static_cast<double>(step) < kApart; ++i)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;  // 1, 2, 5, 10, 20, 50 …
    for (quint64 version = step == 1 ? 2 : step; version < m_newest; version += step) {
        const double x = xOf(version);
        if (x < kLeft + kApart / 2 || x > width() - kRight - kApart / 2)
            continue;
        painter.drawLine(QPointF(x, kLine), QPointF(x, kLine + 4));
        painter.drawText(QRectF(x - 40, 31, 80, 14), Qt::AlignHCenter, countText(version));
    }
    if (!atNow())
        painter.drawText(QRectF(width() - kRight - 80, 30, 80, 14), Qt::AlignRight, countText(m_newest));
}

void RevisionBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().line);
    painter.drawLine(0, 0, width(), 0);
    painter.setFont(typeface(13, true));
    painter.setPen(theme().text);
    painter.drawText(QPointF(16, 18),
        tr("%1 of %2")
            .arg(atNow() ? tr("Now, version %1").arg(countText(m_shown))
                         : tr("As it was, %1").arg(countText(m_shown)),
                countText(m_newest)));
    double x = 16;
    for (const QString& key : {u"["_s, u"]"_s})
        x += paintKeycap(painter, QPointF(x, 24), key) + 5;
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    painter.drawText(
        QPointF(x + 2, 37), m_time != 0 && !atNow() ? instantText(m_time) : tr("earlier, later"));
    painter.setPen(QPen(theme().control, 1.2));
    painter.drawLine(QPointF(kLeft, kLine), QPointF(width() - kRight, kLine));
    painter.setPen(theme().text2);
    paintScale(painter);
    paintMarks(painter);
    const QRectF knob(xOf(m_shown) - 4, kLine - 9, 8, 18);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().text);
    painter.drawRoundedRect(knob, 2, 2);
    if (hasFocus()) {
        painter.setPen(QPen(theme().focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(knob.adjusted(-3, -3, 3, 3), 4, 4);
    }
}

}  // namespace cairn::ui
