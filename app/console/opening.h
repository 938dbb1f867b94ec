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
[[nodiscard]] ui::StoreOpening openingOf(const HowOpened& how, const QString& url, const StorePlace& place);

// The stores of the window, with the session of each. They end together.
class OpenStores {
public:
    // `alone`: it is the only one that was named, so its file must be there.
    OpenStores(const HowOpened& how, bool alone)
        : m_how(how)
        , m_alone(alone)
    {
    }

    // Nothing, or what is wrong with this name of a store. Opens no file yet. One of several that is not
    // there keeps nobody from the others: it is shown as one that does not answer.
    [[nodiscard]] QString add(const QString& url);
    // One more, from the menu: it comes in once it has answered, so that a mistake is no store for ever.
    void addLater(const QString& url, bool act, ui::MainWindow& window);

    ui::Stores stores;

private:
    using Session = std::shared_ptr<ui::StoreSession>;

    [[nodiscard]] Session sessionOf(
        const HowOpened& how, const QString& url, bool mustBeThere, QString& wrong) const;
    void take(const QString& url, const Session& session);

    HowOpened m_how;
    bool m_alone;
    QStringList m_places;  // absolute, to know the same store again
    std::vector<std::string> m_urls;
    std::vector<Session> m_sessions;
};

}  // namespace cairn::console
