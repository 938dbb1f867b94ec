// cairn-console STORE [STORE...]: the desktop program. Composition only: options, the driver, the session,
// the window.

#include "app/common/open_store.h"
#include "app/console/opening.h"
#include "app/console/shots.h"
#include "ui/data/qtconvert.h"
#include "ui/data/storesession.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/panelguard.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QCryptographicHash>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

using namespace Qt::StringLiterals;
using cairn::console::openingOf;
using cairn::console::urlOf;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(main)
};

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
    cairn::console::HowOpened how;
};

int fail(int code, const QString& text)
{
    std::fprintf(stderr, "cairn-console: %s\n", qUtf8Printable(text));
    return code;
}

void addOptions(QCommandLineParser& parser)
{
    parser.setApplicationDescription(
        Words::tr("Shows the runs of a store, says why they stand still, and repairs them."));
    parser.addPositionalArgument(u"STORE"_s,
        Words::tr("sqlite:PATH, PATH, postgresql://host/database, or a link cairn://open?store=…; several "
                  "are shown as one"),
        u"STORE..."_s);
    parser.addOptions({
        {u"screenshot"_s, Words::tr("Write a picture of the window and end."), u"FILE"_s},
        {u"shots"_s,
            Words::tr("Write a picture of every view into a folder, light and dark, at 100 and 200 %, and "
                      "end. Without a STORE it makes one to show."),
            u"DIR"_s},
        {u"run"_s, Words::tr("Open this run: its id, the beginning of it, or its key."), u"RUN"_s},
        {u"theme"_s, Words::tr("light or dark; as the desktop has it otherwise."), u"THEME"_s},
        {u"size"_s, Words::tr("Window size, for example 1440x900."), u"WxH"_s},
        {u"filter"_s, Words::tr("Show only the runs that this filter finds."), u"FILTER"_s},
        {u"look-only"_s, Words::tr("Open the store so that nothing can be changed.")},
        {u"choose"_s, Words::tr("Ask for the store's file where none is named; for desktop menus.")},
        {u"act"_s, Words::tr("Allow acts in a store that another user made.")},
        {u"version"_s, Words::tr("Print the version and that of SQLite, and end.")},
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
        return Words::tr("name one store or several, for example: cairn-console sqlite:runs.db");
    for (const QString& store : named) {
        if (!cairn::ui::isDeepLink(store)) {
            options.stores << urlOf(store);
            continue;
        }
        auto link = cairn::ui::parseDeepLink(store);
        if (!link)
            return link.failure.what + u' ' + link.failure.todo;
        if (named.size() > 1)
            return Words::tr("a link is opened alone: name no other store beside it");
        // Whoever sent the link chose the store: it is opened to be looked at.
        options.stores << link.value->store;
        options.link = *std::move(link.value);
        options.how.lookOnly = true;
        options.how.byLink = true;
    }
    options.filter = parser.value(u"filter"_s);
    options.screenshot = parser.value(u"screenshot"_s);
    options.run = parser.value(u"run"_s);
    options.theme = parser.value(u"theme"_s);
    options.how.lookOnly = options.how.lookOnly || parser.isSet(u"look-only"_s);
    options.how.act = parser.isSet(u"act"_s);
    if (!options.theme.isEmpty() && options.theme != u"light"_s && options.theme != u"dark"_s)
        return Words::tr("--theme takes light or dark, not \"%1\"").arg(options.theme);
    if (parser.isSet(u"size"_s)) {
        const QStringList parts = parser.value(u"size"_s).split(u'x');
        options.size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
        if (options.size.width() < 640 || options.size.height() < 400 || options.size.width() > 10'000
            || options.size.height() > 10'000)
            return Words::tr("--size takes WIDTHxHEIGHT of at least 640x400, not \"%1\"")
                .arg(parser.value(u"size"_s));
    }
    return {};
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
            app.exit(fail(
                kNotReachable, Words::tr("the store did not answer within 30 s; no picture was written")));
        else if (!window.grab().save(path))
            app.exit(fail(kFailed, Words::tr("the picture could not be written to %1").arg(path)));
        else
            app.exit(kDone);
    });
    timer->start();
}

// Empty: nothing was chosen.
QString chosenStore()
{
    const QString path = QFileDialog::getOpenFileName(nullptr, Words::tr("Open a Cairn store"), {},
        Words::tr("Stores (*.db *.sqlite *.cairn);;All files (*)"));
    return path.isEmpty() ? path : u"sqlite:"_s + path;
}

void connectWindow(QApplication& app, const Options& options, cairn::console::OpenStores& opened,
    cairn::ui::MainWindow& window)
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
        return checker.check(openingOf(options.how, url, *place, keychain, wish.password),
            QString::fromStdString(place->path));
    });
    window.setPasswordForgetter([&keychain](const QString& store) {
        const auto login = cairn::storeLogin(store.toStdString());
        return login ? keychain.forget(QString::fromStdString(*login))
                     : cairn::ui::readyReply<cairn::ui::KeychainSaid>(
                         {std::nullopt, cairn::ui::failureOf(login.error())});
    });
}

// What the person keeps from one time to the next. Pictures neither read nor change it.
void useOwnFiles(cairn::ui::MainWindow& window, const Options& options)
{
    const QString folder =
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + u"/cairn"_s;
    window.triage()->useViewsFile(folder + u"/views.json"_s);
    window.usePreferencesFile(folder + u"/console.json"_s);
    window.useRecentFile(folder + u"/stores.json"_s);
    // A URL may have a password in it: a digest stands for the stores.
    QStringList stores = options.stores;
    stores.sort();
    const QByteArray key = QCryptographicHash::hash(stores.join(u'\n').toUtf8(), QCryptographicHash::Sha256);
    if (!stores.isEmpty() && options.filter.isEmpty() && !options.link)
        window.triage()->useLastFile(folder + u"/last.json"_s, QString::fromLatin1(key.toHex().left(32)));
}

int show(QApplication& app, const Options& options)
{
    cairn::ui::DesktopKeychain keychain;  // outlives what asks it
    cairn::console::OpenStores opened(options.how, options.stores.size() == 1, keychain);
    for (const QString& store : options.stores)
        if (const QString wrong = opened.add(store); !wrong.isEmpty())
            return fail(
                options.stores.size() == 1 && cairn::storePlace(store.toStdString()) ? kNotReachable : kUsage,
                wrong);
    const bool dark = options.theme.isEmpty() ? cairn::ui::platformPrefersDark() : options.theme == u"dark"_s;
    cairn::ui::ThemeLook look{.dark = dark};
    look.contrast = options.theme.isEmpty() && cairn::ui::platformPrefersContrast();
    cairn::ui::applyTheme(app, look);
    cairn::ui::MainWindow window(opened.stores, dark);
    window.resize(options.size);
    cairn::ui::StoreChecker checker;
    connectPasswords(options, keychain, checker, window);
    if (options.screenshot.isEmpty() && options.shots.isEmpty())
        useOwnFiles(window, options);
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
    cairn::ui::GuardedApplication app(argc, argv);
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
            Words::tr(
                "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. Start it in a desktop "
                "session, or use --screenshot FILE, which needs none; cairn tells the same in a terminal"));
    if (options.stores.isEmpty())
        options.stores << chosenStore();
    return options.stores.constFirst().isEmpty() ? int(kDone) : show(app, options);
}
