// cairn-console STORE [STORE...]: the desktop program. Composition only: options, the driver, the session,
// the window.

#include "app/common/open_store.h"
#include "app/console/shots.h"
#include "core/store/sqlite/sqlite_store.h"
#include "ui/data/qtconvert.h"
#include "ui/data/storesession.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>
#include <QSysInfo>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <pwd.h>
#include <string_view>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace {

enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2, kNotReachable = 3, kNotFound = 4 };

struct Options {
    QStringList stores;
    QString screenshot;
    QString shots;  // folder
    QString run;
    QString theme;
    QSize size{1440, 900};
    QString filter;
    std::optional<cairn::ui::DeepLink> link;
    bool lookOnly = false;
    bool act = false;
    bool later = false;  // opened from the window, which asks whether acts are wanted
};

int fail(int code, const QString& text)
{
    std::fprintf(stderr, "cairn-console: %s\n", qUtf8Printable(text));
    return code;
}

QString personName()
{
    const passwd* entry = getpwuid(getuid());
    return entry != nullptr && entry->pw_name != nullptr ? QString::fromLocal8Bit(entry->pw_name)
                                                         : u"uid %1"_s.arg(getuid());
}

// A bare path is taken for a SQLite file.
QString urlOf(const QString& store) { return store.contains(u':') ? store : u"sqlite:"_s + store; }

void addOptions(QCommandLineParser& parser)
{
    parser.setApplicationDescription(
        u"Shows the runs of a store, says why they stand still, and repairs them."_s);
    parser.addPositionalArgument(u"STORE"_s,
        u"sqlite:PATH, PATH, postgresql://host/database, or a link cairn://open?store=…; several are shown as one"_s,
        u"STORE..."_s);
    parser.addOptions({
        {u"screenshot"_s, u"Write a picture of the window and end."_s, u"FILE"_s},
        {u"shots"_s,
            u"Write a picture of every view into a folder, light and dark, at 100 and 200 %, and end. "
            u"Without "
            u"a STORE it makes one to show."_s,
            u"DIR"_s},
        {u"run"_s, u"Open this run: its id, the beginning of it, or its key."_s, u"RUN"_s},
        {u"theme"_s, u"light or dark; as the desktop has it otherwise."_s, u"THEME"_s},
        {u"size"_s, u"Window size, for example 1440x900."_s, u"WxH"_s},
        {u"filter"_s, u"Show only the runs that this filter finds."_s, u"FILTER"_s},
        {u"look-only"_s, u"Open the store so that nothing can be changed."_s},
        {u"choose"_s, u"Ask for the store's file where none is named; for desktop menus."_s},
        {u"act"_s, u"Allow acts in a store that another user made."_s},
        {u"version"_s, u"Print the version and that of SQLite, and end."_s},
    });
    parser.addHelpOption();
}

// Nothing, or what is wrong with the options.
QString readOptions(const QCommandLineParser& parser, Options& options)
{
    const QStringList named = parser.positionalArguments();
    const bool choose = named.isEmpty() && parser.isSet(u"choose"_s);
    options.shots = parser.value(u"shots"_s);
    if (named.isEmpty() && !choose && options.shots.isEmpty())
        return u"name one store or several, for example: cairn-console sqlite:runs.db"_s;
    for (const QString& store : named) {
        if (!cairn::ui::isDeepLink(store)) {
            options.stores << urlOf(store);
            continue;
        }
        auto link = cairn::ui::parseDeepLink(store);
        if (!link)
            return link.failure.what + u' ' + link.failure.todo;
        if (named.size() > 1)
            return u"a link is opened alone: name no other store beside it"_s;
        // Whoever sent the link chose the store: it is opened to be looked at.
        options.stores << link.value->store;
        options.link = *std::move(link.value);
        options.lookOnly = true;
    }
    options.filter = parser.value(u"filter"_s);
    options.screenshot = parser.value(u"screenshot"_s);
    options.run = parser.value(u"run"_s);
    options.theme = parser.value(u"theme"_s);
    options.lookOnly = options.lookOnly || parser.isSet(u"look-only"_s);
    options.act = parser.isSet(u"act"_s);
    if (!options.theme.isEmpty() && options.theme != u"light"_s && options.theme != u"dark"_s)
        return u"--theme takes light or dark, not \"%1\""_s.arg(options.theme);
    if (parser.isSet(u"size"_s)) {
        const QStringList parts = parser.value(u"size"_s).split(u'x');
        options.size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
        if (options.size.width() < 640 || options.size.height() < 400 || options.size.width() > 10'000
            || options.size.height() > 10'000)
            return u"--size takes WIDTHxHEIGHT of at least 640x400, not \"%1\""_s.arg(
                parser.value(u"size"_s));
    }
    return {};
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
    const auto login = cairn::storeLogin(url.toStdString());
    return login ? QString::fromStdString(*login) : QString();
}

cairn::ui::StoreOpening openingOf(const Options& options, const QString& url, const cairn::StorePlace& place,
    cairn::ui::Keychain& keychain, const QString& password = {})
{
    cairn::ui::StoreOpening opening;
    const QFileInfo file(QString::fromStdString(place.path));
    const bool server = place.path.empty();
    opening.url = placeName(url);
    opening.name = server ? QString::fromStdString(place.shown) : file.completeBaseName();
    opening.sqliteVersion = QString::fromStdString(cairn::sqlite::libraryVersion());
    opening.person = personName();
    opening.identity = u"single-host identity"_s;
    opening.uid = getuid();
    opening.host = QSysInfo::machineHostName();
    if (server)
        opening.passwords = std::make_shared<cairn::ui::StorePasswords>(keychain, password);
    opening.open = [url = url.toStdString(), passwords = opening.passwords](bool readOnly) {
        cairn::StoreOptions how;
        how.passwords = passwords;
        how.readOnly = readOnly;
        how.sendsHints = true;
        return cairn::openStoreUrl(url, how);
    };
    opening.openHints = [url = url.toStdString(), passwords = opening.passwords](cairn::HintOptions how) {
        how.passwords = passwords;
        return cairn::openHintsUrl(url, how);
    };
    // Look-only is the default but for a store that this user made.
    const bool own = !server && file.ownerId() == getuid();
    opening.mayAct = !options.lookOnly && (own || options.act);
    if (options.lookOnly)
        opening.whyNot = options.link ? u"opened by a link: open it by its name to act"_s
            : options.later           ? u"opened for looking only"_s
                                      : u"opened with --look-only"_s;
    else if (!opening.mayAct)
        opening.whyNot = server ? u"the store is on a server; --act allows acts"_s
                                : u"the store belongs to another user; --act allows acts"_s;
    return opening;
}

// Waits until everything that the window asked for has been answered, writes the picture, and ends.
void takePicture(QApplication& app, cairn::ui::MainWindow& window, const QString& path)
{
    constexpr int kMostMs = 30'000;
    constexpr int kCalm = 4;  // rounds in which nothing was under way
    auto* timer = new QTimer(&window);
    timer->setInterval(40);
    auto clock = std::make_shared<QElapsedTimer>();
    clock->start();
    auto calm = std::make_shared<int>(0);
    QObject::connect(timer, &QTimer::timeout, &window, [&app, &window, timer, clock, calm, path] {
        *calm = window.settled() && !window.facts().name.isEmpty() ? *calm + 1 : 0;
        const bool late = clock->elapsed() > kMostMs;
        if (*calm < kCalm && !late)
            return;
        timer->stop();
        if (late)
            app.exit(fail(kNotReachable, u"the store did not answer within 30 s; no picture was written"_s));
        else if (!window.grab().save(path))
            app.exit(fail(kFailed, u"the picture could not be written to %1"_s.arg(path)));
        else
            app.exit(kDone);
    });
    timer->start();
}

// Empty: nothing was chosen.
QString chosenStore()
{
    const QString path = QFileDialog::getOpenFileName(
        nullptr, u"Open a Cairn store"_s, {}, u"Stores (*.db *.sqlite *.cairn);;All files (*)"_s);
    return path.isEmpty() ? path : u"sqlite:"_s + path;
}

// The stores of the window, with the session of each. They end together.
class Opened {
public:
    Opened(const Options& options, cairn::ui::Keychain& keychain)
        : m_options(options)
        , m_keychain(keychain)
    {
    }

    // Nothing, or what is wrong with this name of a store. Opens no file yet. One of several that is not
    // there keeps nobody from the others: it is shown as one that does not answer.
    [[nodiscard]] QString add(const QString& url)
    {
        QString wrong;
        const auto session = sessionOf(m_options, url, {}, m_options.stores.size() == 1, wrong);
        if (session)
            take(url, session);
        return wrong;
    }

    // One more, from the menu: it comes in once it has answered, so that a mistake is no store for ever.
    void addLater(const cairn::ui::StoreWish& wish, cairn::ui::MainWindow& window)
    {
        QString wrong;
        const QString url = urlOf(wish.store);
        Options how = m_options;
        how.link.reset();
        how.later = true;
        how.act = wish.act;
        how.lookOnly = !wish.act;
        const auto session = sessionOf(how, url, wish.password, true, wrong);
        if (!session)
            return window.say(wrong);
        window.say(u"Opening "_s + shownName(url) + u'.');
        cairn::ui::whenDone(session->facts(), &window,
            [this, session, url, wish, &window](const cairn::ui::Reply<cairn::ui::StoreFacts>& reply) {
                if (!reply)
                    return window.say(u"Not opened: "_s + reply.failure.what + u' ' + reply.failure.todo);
                take(url, session);
                stores.open();
                window.say(u"Opened "_s + shownName(url) + u'.');
                if (wish.keep)
                    keepPassword(url, wish.password, window);
            });
    }

    cairn::ui::Stores stores;

private:
    using Session = std::shared_ptr<cairn::ui::StoreSession>;

    static QString shownName(const QString& url)
    {
        return QString::fromStdString(cairn::shortNames({url.toStdString()}).front());
    }
    // Only what has opened the store: a mistyped one is kept nowhere.
    void keepPassword(const QString& url, const QString& password, cairn::ui::MainWindow& window)
    {
        using Said = cairn::ui::KeychainSaid;
        const QString login = loginName(url);
        cairn::ui::whenDone(
            m_keychain.keep(login, password), &window, [login, &window](const cairn::ui::Reply<Said>& reply) {
                const bool kept = reply && reply.value->kind == Said::Kind::Done;
                window.say(kept ? u"The keychain keeps the password of %1."_s.arg(login)
                                : u"The password was not kept. "_s
                            + (reply ? reply.value->text : reply.failure.what));
            });
    }
    [[nodiscard]] Session sessionOf(
        const Options& options, const QString& url, const QString& password, bool mustBeThere, QString& wrong)
    {
        const auto place = cairn::storePlace(url.toStdString());
        const QString path = place ? QString::fromStdString(place->path) : QString();
        if (!place)
            wrong = QString::fromStdString(place.error().text);
        else if (mustBeThere && !path.isEmpty() && !QFileInfo::exists(path))
            wrong = u"there is no file %1; cairn store init makes a store"_s.arg(path);
        else if (m_places.contains(placeName(url)))
            wrong = u"%1 is open in this window already"_s.arg(shownName(url));
        if (!wrong.isEmpty())
            return nullptr;
        return std::make_shared<cairn::ui::StoreSession>(
            openingOf(options, url, *place, m_keychain, password));
    }
    void take(const QString& url, const Session& session)
    {
        m_places << placeName(url);
        m_urls.push_back(url.toStdString());
        m_sessions.push_back(session);
        stores.add(*session, {});
        QStringList names;
        for (const std::string& name : cairn::shortNames(m_urls))
            names << QString::fromStdString(name);
        stores.setNames(names);
    }

    const Options& m_options;
    cairn::ui::Keychain& m_keychain;
    QStringList m_places;  // absolute, to know the same store again
    std::vector<std::string> m_urls;
    std::vector<Session> m_sessions;
};

void connectWindow(QApplication& app, const Options& options, Opened& opened, cairn::ui::MainWindow& window)
{
    using Window = cairn::ui::MainWindow;
    QObject::connect(&window, &Window::cannotOpen, &app,
        [&app](const QString& why) { app.exit(fail(kNotReachable, why)); });
    QObject::connect(&window, &Window::cannotGo, &app, [&app, &options](const QString& why) {
        if (!options.screenshot.isEmpty())
            app.exit(fail(kNotFound, why));
    });
    QObject::connect(&window, &Window::ready, &window, [&app, &window, &options] {
        if (options.link)
            window.follow(0, *options.link);
        if (!options.filter.isEmpty())
            window.triage()->filterBox()->setFilter(options.filter);
        if (!options.run.isEmpty())
            window.go(options.run);
        if (!options.screenshot.isEmpty())
            takePicture(app, window, options.screenshot);
        if (!options.shots.isEmpty())
            cairn::console::drawShots(app, window, options.shots);
    });
    QObject::connect(&window, &Window::storeWanted, &window,
        [&opened, &window](const cairn::ui::StoreWish& wish) { opened.addLater(wish, window); });
}

// What the dialog for another store asks: whether one can be opened, and that a password be forgotten.
void connectPasswords(const Options& options, cairn::ui::Keychain& keychain, cairn::ui::StoreChecker& checker,
    cairn::ui::MainWindow& window)
{
    window.setStoreTester([&](const cairn::ui::StoreWish& wish) {
        const QString url = urlOf(wish.store);
        const auto place = cairn::storePlace(url.toStdString());
        if (!place)
            return cairn::ui::readyReply<cairn::ui::StoreCheck>(
                {std::nullopt, cairn::ui::failureOf(place.error())});
        return checker.check(
            openingOf(options, url, *place, keychain, wish.password), QString::fromStdString(place->path));
    });
    window.setPasswordForgetter([&keychain](const QString& store) {
        const auto login = cairn::storeLogin(store.toStdString());
        return login ? keychain.forget(QString::fromStdString(*login))
                     : cairn::ui::readyReply<cairn::ui::KeychainSaid>(
                         {std::nullopt, cairn::ui::failureOf(login.error())});
    });
}

// What the person keeps from one time to the next. Pictures neither read nor change it.
void useOwnFiles(cairn::ui::MainWindow& window)
{
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/cairn"_s;
    window.triage()->useViewsFile(folder + u"/views.json"_s);
    window.usePreferencesFile(folder + u"/console.json"_s);
    window.useRecentFile(folder + u"/stores.json"_s);
}

int show(QApplication& app, const Options& options)
{
    cairn::ui::DesktopKeychain keychain;  // outlives what asks it
    Opened opened(options, keychain);
    for (const QString& store : options.stores)
        if (const QString wrong = opened.add(store); !wrong.isEmpty())
            return fail(
                options.stores.size() == 1 && cairn::storePlace(store.toStdString()) ? kNotReachable : kUsage,
                wrong);
    const bool dark = options.theme.isEmpty() ? cairn::ui::platformPrefersDark() : options.theme == u"dark"_s;
    cairn::ui::applyTheme(app, dark);
    cairn::ui::MainWindow window(opened.stores, dark);
    window.resize(options.size);
    cairn::ui::StoreChecker checker;
    connectPasswords(options, keychain, checker, window);
    if (options.screenshot.isEmpty() && options.shots.isEmpty())
        useOwnFiles(window);
    connectWindow(app, options, opened, window);
    window.show();
    window.start();
    return app.exec();
}

// Qt's own option, which says what to draw on instead of the environment.
bool namesPlatform(int argc, char** argv)
{
    return std::any_of(argv + std::min(argc, 1), argv + argc,
        [](std::string_view argument) { return argument == "-platform" || argument == "--platform"; });
}

}  // namespace

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]) == "--version") {
            std::printf("%s\n", cairn::versionText("cairn-console").c_str());
            return kDone;
        }
    // A picture, help and errors need no display.
    const bool noDisplay = qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")
        && qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        && !namesPlatform(argc, argv);
    if (noDisplay)
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    QApplication::setApplicationName(u"cairn-console"_s);
    QApplication::setDesktopFileName(u"cairn-console"_s);
    QApplication::setWindowIcon(cairn::ui::programIcon());
    QCommandLineParser parser;
    addOptions(parser);
    if (!parser.parse(QApplication::arguments()))
        return fail(kUsage, parser.errorText());
    if (parser.isSet(u"help"_s)) {
        std::printf("%s", qUtf8Printable(parser.helpText()));
        return kDone;
    }
    Options options;
    const QString wrong = readOptions(parser, options);
    if (!wrong.isEmpty())
        return fail(kUsage, wrong);
    if (!options.shots.isEmpty() && !qEnvironmentVariableIsSet(cairn::console::kShotsScale)) {
        const QString failed = cairn::console::makeShots(options.shots, options.stores);
        return failed.isEmpty() ? int(kDone) : fail(kFailed, failed);
    }
    if (noDisplay && options.screenshot.isEmpty())
        return fail(kFailed,
            u"there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Start it in a desktop "
            u"session, or "
            "use --screenshot FILE, which needs none; cairn tells the same in a terminal"_s);
    if (options.stores.isEmpty())
        options.stores << chosenStore();
    return options.stores.constFirst().isEmpty() ? int(kDone) : show(app, options);
}
