#include "app/console/opening.h"

#include "app/console/bundledoor.h"
#include "core/store/sqlite/sqlite_store.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSysInfo>

#include <pwd.h>
#include <unistd.h>

namespace cairn::console {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(opening)
};

QString personName()
{
    const passwd* entry = getpwuid(getuid());
    return entry != nullptr && entry->pw_name != nullptr ? QString::fromLocal8Bit(entry->pw_name)
                                                         : Words::tr("uid %1").arg(getuid());
}

// The same store under the same name, however it was given; without a password.
QString placeName(const QString& url)
{
    const auto name = cairn::storeName(url.toStdString());
    return name ? QString::fromStdString(*name) : QString();
}

// By which the password of a login is kept.
QString loginName(const QString& url)
{
    const auto login = storeLogin(url.toStdString());
    return login ? QString::fromStdString(*login) : QString();
}

QString shownName(const QString& url)
{
    return QString::fromStdString(shortNames({url.toStdString()}).front());
}

}  // namespace

QString urlOf(const QString& store) { return store.contains(u':') ? store : u"sqlite:"_s + store; }

ui::StoreOpening openingOf(const HowOpened& how, const QString& url, const StorePlace& place,
    ui::Keychain& keychain, const QString& password)
{
    ui::StoreOpening opening;
    const QFileInfo file(QString::fromStdString(place.path));
    const bool server = place.path.empty();
    opening.url = placeName(url);
    opening.name = server ? QString::fromStdString(place.shown) : file.completeBaseName();
    opening.sqliteVersion = QString::fromStdString(sqlite::libraryVersion());
    opening.person = personName();
    opening.identity = Words::tr("single-host identity");
    opening.uid = getuid();
    opening.host = QSysInfo::machineHostName();
    if (server)
        opening.passwords = std::make_shared<ui::StorePasswords>(keychain, password);
    opening.open = [url = url.toStdString(), passwords = opening.passwords](bool readOnly) {
        StoreOptions options;
        options.passwords = passwords;
        options.readOnly = readOnly;
        options.sendsHints = true;
        return openStoreUrl(url, options);
    };
    opening.openHints = [url = url.toStdString(), passwords = opening.passwords](HintOptions options) {
        options.passwords = passwords;
        return openHintsUrl(url, options);
    };
    if (!server && isBundle(file.filePath())) {
        opening.open = bundleDoor(file.filePath(), opening.person);
        opening.openHints = {};
        opening.mayAct = false;
        opening.whyNot = Words::tr("it is a bundle, which is looked at only");
        return opening;
    }
    // Look-only is the default but for a store that this user made.
    const bool own = !server && file.ownerId() == getuid();
    opening.mayAct = !how.lookOnly && (own || how.act);
    if (how.lookOnly)
        opening.whyNot = how.byLink ? Words::tr("opened by a link: open it by its name to act")
            : how.later             ? Words::tr("opened for looking only")
                                    : Words::tr("opened with --look-only");
    else if (!opening.mayAct)
        opening.whyNot = server ? Words::tr("the store is on a server; --act allows acts")
                                : Words::tr("the store belongs to another user; --act allows acts");
    return opening;
}

QString OpenStores::add(const QString& url)
{
    QString wrong;
    const auto session = sessionOf(m_how, url, {}, m_alone, wrong);
    if (session)
        take(url, session);
    return wrong;
}

void OpenStores::addLater(const ui::StoreWish& wish, ui::MainWindow& window)
{
    QString wrong;
    const QString url = urlOf(wish.store);
    HowOpened how = m_how;
    how.byLink = false;
    how.later = true;
    how.act = wish.act;
    how.lookOnly = !wish.act;
    const auto session = sessionOf(how, url, wish.password, true, wrong);
    if (!session)
        return window.say(wrong);
    window.say(Words::tr("Opening ") + shownName(url) + u'.');
    ui::whenDone(session->facts(), &window,
        [this, session, url, wish, &window](const ui::Reply<ui::StoreFacts>& reply) {
            if (!reply)
                return window.say(Words::tr("Not opened: ") + reply.failure.what + u' ' + reply.failure.todo);
            take(url, session);
            stores.open();
            window.say(Words::tr("Opened ") + shownName(url) + u'.');
            if (wish.keep)
                keepPassword(url, wish.password, window);
        });
}

// Only what has opened the store: a mistyped one is kept nowhere.
void OpenStores::keepPassword(const QString& url, const QString& password, ui::MainWindow& window)
{
    using Said = ui::KeychainSaid;
    const QString login = loginName(url);
    ui::whenDone(m_keychain.keep(login, password), &window, [login, &window](const ui::Reply<Said>& reply) {
        const bool kept = reply && reply.value->kind == Said::Kind::Done;
        window.say(kept ? Words::tr("The keychain keeps the password of %1.").arg(login)
                        : Words::tr("The password was not kept. ")
                    + (reply ? reply.value->text : reply.failure.what));
    });
}

OpenStores::Session OpenStores::sessionOf(
    const HowOpened& how, const QString& url, const QString& password, bool mustBeThere, QString& wrong) const
{
    const auto place = storePlace(url.toStdString());
    const QString path = place ? QString::fromStdString(place->path) : QString();
    if (!place)
        wrong = QString::fromStdString(place.error().text);
    else if (mustBeThere && !path.isEmpty() && !QFileInfo::exists(path))
        wrong = Words::tr("there is no file %1; cairn store init makes a store").arg(path);
    else if (m_places.contains(placeName(url)))
        wrong = Words::tr("%1 is open in this window already").arg(shownName(url));
    if (!wrong.isEmpty())
        return nullptr;
    return std::make_shared<ui::StoreSession>(openingOf(how, url, *place, m_keychain, password));
}

void OpenStores::take(const QString& url, const Session& session)
{
    m_places << placeName(url);
    m_urls.push_back(url.toStdString());
    m_sessions.push_back(session);
    stores.add(*session, {});
    QStringList names;
    for (const std::string& name : shortNames(m_urls))
        names << QString::fromStdString(name);
    stores.setNames(names);
}

}  // namespace cairn::console
