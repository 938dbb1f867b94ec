#pragma once
// The stores of a window as the console opens them: which may be acted in, by whom, and the session of each.
// The window's thread only; nothing blocks but a look at whether a file is there.

#include "app/common/open_store.h"
#include "ui/data/storesession.h"
#include "ui/pages/mainwindow.h"

#include <memory>
#include <vector>

namespace cairn::console {

struct HowOpened {
    bool lookOnly = false;
    bool act = false;     // allowed in a store that another user made
    bool byLink = false;  // whoever sent the link chose the store
    bool later = false;   // opened from the window, which asks whether acts are wanted
};

// A bare path is taken for a SQLite file.
[[nodiscard]] QString urlOf(const QString& store);
// A server asks `keychain` for the password where none was typed; a file asks nobody.
[[nodiscard]] ui::StoreOpening openingOf(const HowOpened& how, const QString& url, const StorePlace& place,
    ui::Keychain& keychain, const QString& password = {});

// The stores of the window, with the session of each. They end together.
class OpenStores {
public:
    // `alone`: it is the only one that was named, so its file must be there. The keychain outlives this.
    OpenStores(const HowOpened& how, bool alone, ui::Keychain& keychain)
        : m_how(how)
        , m_alone(alone)
        , m_keychain(keychain)
    {
    }

    // Nothing, or what is wrong with this name of a store. Opens no file yet. One of several that is not
    // there keeps nobody from the others: it is shown as one that does not answer.
    [[nodiscard]] QString add(const QString& url);
    // One more, from the menu: it comes in once it has answered, so that a mistake is no store for ever.
    // Its password is kept where that is wanted, once it has opened the store.
    void addLater(const ui::StoreWish& wish, ui::MainWindow& window);

    ui::Stores stores;

private:
    using Session = std::shared_ptr<ui::StoreSession>;

    void keepPassword(const QString& url, const QString& password, ui::MainWindow& window);
    [[nodiscard]] Session sessionOf(const HowOpened& how, const QString& url, const QString& password,
        bool mustBeThere, QString& wrong) const;
    void take(const QString& url, const Session& session);

    HowOpened m_how;
    bool m_alone;
    ui::Keychain& m_keychain;
    QStringList m_places;  // absolute, to know the same store again
    std::vector<std::string> m_urls;
    std::vector<Session> m_sessions;
};

}  // namespace cairn::console
