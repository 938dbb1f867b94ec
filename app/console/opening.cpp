#include "app/console/opening.h"

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

QString shownName(const QString& url)
{
    return QString::fromStdString(shortNames({url.toStdString()}).front());
}

}  // namespace

QString urlOf(const QString& store) { return store.contains(u':') ? store : u"sqlite:"_s + store; }

ui::StoreOpening openingOf(const HowOpened& how, const QString& url, const StorePlace& place)
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
    opening.open = [url = url.toStdString()](bool readOnly) {
        StoreOptions options;
        options.readOnly = readOnly;
        options.sendsHints = true;
        return openStoreUrl(url, options);
    };
    opening.openHints = [url = url.toStdString()](
                            const HintOptions& options) { return openHintsUrl(url, options); };
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
    const auto session = sessionOf(m_how, url, m_alone, wrong);
    if (session)
        take(url, session);
    return wrong;
}

void OpenStores::addLater(const QString& url, bool act, ui::MainWindow& window)
{
    QString wrong;
    HowOpened how = m_how;
    how.byLink = false;
    how.later = true;
    how.act = act;
    how.lookOnly = !act;
    const auto session = sessionOf(how, url, true, wrong);
    if (!session)
        return window.say(wrong);
    window.say(Words::tr("Opening ") + shownName(url) + u'.');
    ui::whenDone(
        session->facts(), &window, [this, session, url, &window](const ui::Reply<ui::StoreFacts>& reply) {
            if (!reply)
                return window.say(Words::tr("Not opened: ") + reply.failure.what + u' ' + reply.failure.todo);
            take(url, session);
            stores.open();
            window.say(Words::tr("Opened ") + shownName(url) + u'.');
        });
}

OpenStores::Session OpenStores::sessionOf(
    const HowOpened& how, const QString& url, bool mustBeThere, QString& wrong) const
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
    return std::make_shared<ui::StoreSession>(openingOf(how, url, *place));
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
