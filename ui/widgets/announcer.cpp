#include "ui/widgets/announcer.h"

#include <QAccessible>

namespace cairn::ui {

// A widget of no size: it is there to be heard.
Announcer::Announcer(QWidget* parent)
    : QWidget(parent)
{
    setFixedSize(0, 0);
    setFocusPolicy(Qt::NoFocus);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAccessibleName(tr("News"));
    m_rest.setSingleShot(true);
    m_rest.setInterval(kEveryMs);
    connect(&m_rest, &QTimer::timeout, this, &Announcer::say);
}

void Announcer::tell(const QString& text)
{
    // What is first seen is no news.
    if (m_said.isEmpty()) {
        m_said = m_next = text;
        return;
    }
    m_next = text;
    if (!m_rest.isActive())
        say();
}

void Announcer::say()
{
    if (m_next == m_said)
        return;
    m_said = m_next;
    setAccessibleName(m_said);
    // Qt 6.4 has no announcements of its own: an alert is read out, and takes no focus.
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    Q_EMIT announced(m_said);
    m_rest.start();
}

}  // namespace cairn::ui
