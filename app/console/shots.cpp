#include "app/console/shots.h"

#include "ui/pages/mainwindow.h"
#include "ui/pages/windowviews.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPixmap>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>

namespace cairn::console {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRoundMs = 20;
constexpr int kCalm = 4;         // rounds in which nothing was under way
constexpr int kMostMs = 30'000;  // that a view is waited for

// What it writes goes to this program's own output for errors. Empty, or what went wrong.
QString run(const QString& program, const QStringList& arguments, const QString& scale = {},
    QByteArray* said = nullptr)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (!scale.isEmpty()) {
        environment.insert(QString::fromLatin1(kShotsScale), scale);
        environment.insert(u"QT_SCALE_FACTOR"_s, scale);
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    }
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(program, arguments);
    if (!process.waitForFinished(-1))
        return u"%1 could not be run: %2"_s.arg(program, process.errorString());
    if (said != nullptr)
        *said = process.readAllStandardOutput();
    return process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0
        ? QString()
        : u"%1 ended with %2"_s.arg(QFileInfo(program).fileName()).arg(process.exitCode());
}

// What people do in the demo store by the command line: plans, one carried out, one that waits for a second
// person by the store's policy, one for its start; a signed checkpoint. Empty, or what went wrong.
QString stagePlans(const QString& cairn, const QString& store, const QDir& scratch)
{
    const QString key = scratch.filePath(u"key"_s);
    const auto plan = [](const QStringList& what, const QString& reason) {
        return QStringList{u"plan"_s, u"stage"_s} + what + QStringList{u"--reason"_s, reason};
    };
    QByteArray staged;
    if (QString wrong = run(cairn,
            QStringList{u"--store"_s, store, u"--json"_s}
                + plan({u"deadline"_s, u"--deadline"_s, u"3d"_s, u"--where"_s, u"def:parcel"_s},
                    u"the carrier promises three days"_s),
            {}, &staged);
        !wrong.isEmpty())
        return wrong;
    const QString id = QJsonDocument::fromJson(staged).object().value(u"plan"_s).toString();
    const QStringList acts[] = {
        {u"plan"_s, u"start"_s, id, u"--reason"_s, u"the carrier promises three days"_s},
        {u"plan"_s, u"run"_s, id},
        plan({u"cancel"_s, u"--where"_s, u"def:approve-purchase wait:approval"_s},
            u"ordered twice, as both buyers say"_s),
        plan({u"retry"_s, u"--where"_s, u"wait:attempts_exhausted"_s, u"--canary"_s, u"1"_s, u"--rate"_s,
                 u"5/s"_s, u"--stop-over"_s, u"20"_s},
            u"ledger.acme.test answers again"_s),
        {u"audit"_s, u"key"_s, u"new"_s, key}, {u"audit"_s, u"checkpoint"_s, u"--key"_s, key}};
    for (const QStringList& act : acts)
        if (QString wrong = run(cairn, QStringList{u"--store"_s, store} + act); !wrong.isEmpty())
            return wrong;
    return {};
}

// Goes from view to view; a step is taken when everything that the one before asked for has been answered.
class Painter final : public QObject {
public:
    Painter(QApplication& app, ui::MainWindow& window, QString folder)
        : QObject(&window)
        , m_app(app)
        , m_window(window)
        , m_folder(std::move(folder))
        , m_views(ui::windowViews())
    {
        m_window.setPolling(false);
        m_timer.setInterval(kRoundMs);
        connect(&m_timer, &QTimer::timeout, this, &Painter::look);
        m_waited.start();
        m_timer.start();
    }

private:
    void look()
    {
        m_calm = ui::atRest(m_window) ? m_calm + 1 : 0;
        if (m_calm < kCalm && m_waited.elapsed() < kMostMs)
            return;
        m_calm = 0;
        m_waited.restart();
        if (m_view == m_views.size())
            return nextTheme();
        const ui::WindowView& view = m_views[m_view];
        if (m_step < view.steps.size())
            return view.steps[m_step++](m_window);
        write(view.name);
        ui::leaveView(m_window);
        m_step = 0;
        ++m_view;
    }
    void nextTheme()
    {
        if (std::exchange(m_dark, true)) {
            m_timer.stop();
            m_app.exit(m_failed ? 1 : 0);
            return;
        }
        m_view = 0;
        m_window.setDark(true);
    }
    void write(const QString& name)
    {
        const QSize size = m_window.size() * m_window.devicePixelRatioF();
        const QString path = u"%1/%2-%3-%4x%5.png"_s.arg(m_folder, name, m_dark ? u"dark"_s : u"light"_s)
                                 .arg(size.width())
                                 .arg(size.height());
        if (ui::seenOf(m_window)->grab().save(path))
            return;
        m_failed = true;
        std::fprintf(stderr, "cairn-console: %s could not be written\n", qUtf8Printable(path));
    }

    QApplication& m_app;
    ui::MainWindow& m_window;
    QString m_folder;
    std::vector<ui::WindowView> m_views;
    std::size_t m_view = 0;
    std::size_t m_step = 0;
    QTimer m_timer;
    QElapsedTimer m_waited;
    int m_calm = 0;
    bool m_dark = false;
    bool m_failed = false;
};

}  // namespace

QString makeShots(const QString& folder, const QStringList& stores)
{
    if (!QDir().mkpath(folder))
        return u"the folder %1 cannot be made"_s.arg(folder);
    QTemporaryDir scratch;
    QStringList shown = stores;
    if (shown.isEmpty()) {
        const QString cairn = QCoreApplication::applicationDirPath() + u"/cairn"_s;
        if (!QFileInfo(cairn).isExecutable())
            return u"there is no %1, which makes the demo store; name a STORE instead"_s.arg(cairn);
        const QString store = u"sqlite:"_s + scratch.filePath(u"payments-demo.db"_s);
        if (const QString wrong =
                run(cairn, {u"--store"_s, store, u"drill"_s, u"--showcase"_s, u"--seed"_s, u"3"_s});
            !wrong.isEmpty())
            return u"the demo store could not be made: "_s + wrong;
        if (const QString wrong = stagePlans(cairn, store, QDir(scratch.path())); !wrong.isEmpty())
            return u"the demo store has no plans: "_s + wrong;
        shown << store;
    }
    for (const QString& scale : {u"1"_s, u"2"_s}) {
        QStringList arguments = shown;
        arguments << u"--shots"_s << folder << u"--theme"_s << u"light"_s << u"--size"_s << u"1280x720"_s;
        if (const QString wrong = run(QCoreApplication::applicationFilePath(), arguments, scale);
            !wrong.isEmpty())
            return wrong;
    }
    return {};
}

void drawShots(QApplication& app, ui::MainWindow& window, const QString& folder)
{
    new Painter(app, window, folder);
}

}  // namespace cairn::console
