#include "ui/pages/notifier.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QIcon>
#include <QPainter>
#include <QPixmap>
#include <QSystemTrayIcon>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kEveryMs = 15'000;
constexpr int kSide = 64;

// The program's own picture with the number over it.
QIcon trayIcon(const QString& number)
{
    QPixmap picture = programIcon().pixmap(kSide, kSide);
    if (number.isEmpty())
        return picture;
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box(8, 26, kSide - 8, kSide - 26);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().family(Family::Person));
    painter.drawRoundedRect(box, 8, 8);
    painter.setPen(theme().window);
    painter.setFont(typeface(26, true));
    painter.drawText(box, Qt::AlignCenter, number);
    return picture;
}

}  // namespace

Notifier::Notifier(Stores& stores, QObject* parent)
    : QObject(parent)
    , m_stores(stores)
    , m_timer(new QTimer(this))
{
    m_timer->setInterval(kEveryMs);
    connect(m_timer, &QTimer::timeout, this, &Notifier::look);
}

QString Notifier::badgeText(quint64 count)
{
    return count == 0 ? QString() : count > 99 ? u"99+"_s : QString::number(count);
}

void Notifier::setTray(bool on)
{
    if (on == (m_tray != nullptr) || !QSystemTrayIcon::isSystemTrayAvailable())
        return;
    if (!on) {
        delete std::exchange(m_tray, nullptr);
        return;
    }
    m_tray = new QSystemTrayIcon(this);
    connect(m_tray, &QSystemTrayIcon::messageClicked, this, [this] { Q_EMIT chosen(m_last); });
    connect(m_tray, &QSystemTrayIcon::activated, this, [this] { Q_EMIT chosen({}); });
    showBadge();
    m_tray->show();
}

void Notifier::start()
{
    m_timer->start();
    look();
}

void Notifier::look()
{
    for (StoreIx store = 0; store < m_stores.count(); ++store)
        if (m_stores.state(store).opened && m_stores.state(store).answers())
            whenDone(m_stores.source(store).watch(), this, [this, store](const Reply<Overview>& reply) {
                if (reply)
                    take(store, *reply.value);
            });
}

void Notifier::take(StoreIx store, const Overview& overview)
{
    m_must.resize(std::max<std::size_t>(m_must.size(), store + 1));
    m_must[store] = personMust(overview);
    quint64 sum = 0;
    for (const quint64 one : m_must)
        sum += one;
    if (std::exchange(m_badge, sum) != sum) {
        showBadge();
        Q_EMIT badgeChanged(sum);
    }
    for (const Notice& notice : m_book.look(store, m_rules, overview)) {
        m_last = notice;
        if (m_tray != nullptr)
            m_tray->showMessage(
                safe::unmarked(notice.title), safe::unmarked(notice.text), QSystemTrayIcon::NoIcon);
        Q_EMIT noticed(notice);
    }
}

void Notifier::showBadge()
{
    if (m_tray == nullptr)
        return;
    m_tray->setIcon(trayIcon(badgeText(m_badge)));
    safe::setTip(m_tray, tr("Cairn: %1 wait for a person").arg(plural(m_badge, "run", "runs")));
}

}  // namespace cairn::ui
