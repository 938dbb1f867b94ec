#pragma once
// Tells of situations by rules of the person's: in the desktop's tray where there is one, and in the window.
// It looks at each store without a filter every quarter of a minute, and tells of each situation once until
// it is over. A notice leads to the lists, which are read anew before anything can be done from them.

#include "ui/data/preferences.h"
#include "ui/data/stores.h"

#include <QObject>

class QSystemTrayIcon;
class QTimer;

namespace cairn::ui {

class Notifier final : public QObject {
    Q_OBJECT
public:
    Notifier(Stores& stores, QObject* parent);

    void setRules(const std::vector<NotifyRule>& rules) { m_rules = rules; }
    void setTray(bool on);  // does nothing on a desktop without one
    void start();
    void look();                                             // now
    [[nodiscard]] quint64 badge() const { return m_badge; }  // runs that a person must see to
    [[nodiscard]] static QString badgeText(quint64 count);   // fits a small picture

Q_SIGNALS:
    void noticed(const cairn::ui::Notice& notice);
    void badgeChanged(quint64 count);
    void chosen(const cairn::ui::Notice& notice);  // the person wants to see it

private:
    void take(StoreIx store, const Overview& overview);
    void showBadge();

    Stores& m_stores;
    NoticeBook m_book;
    std::vector<NotifyRule> m_rules;
    std::vector<quint64> m_must;  // by store
    quint64 m_badge = 0;
    Notice m_last;
    QTimer* m_timer;
    QSystemTrayIcon* m_tray = nullptr;
};

}  // namespace cairn::ui
