#include "tests/bench/console_desk.h"

#include "core/store/sqlite/sqlite_store.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QTimer>

#include <fstream>

namespace cairn::bench {

using namespace Qt::StringLiterals;

namespace {

double statusMiB(const std::string& key)
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == key + ":") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    return 0;
}

}  // namespace

void against(const std::string& name, double value, const Budget& budget)
{
    figure(name, value, budget.unit);
    figure(name + ": of its budget", value / budget.value, "");
}

void memoryFigures(const std::string& name)
{
    figure(name + ": resident memory", statusMiB("VmRSS"), "MiB");
    against(name + ": resident memory, at most", statusMiB("VmHWM"), kMemory);
}

void until(const char* what, const std::function<bool()>& done)
{
    constexpr double kMost = 120;
    QTimer pulse;  // the loop comes back although nothing happens
    pulse.setTimerType(Qt::PreciseTimer);
    pulse.start(1);
    const Stopwatch watch;
    while (!done()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        if (watch.seconds() > kMost)
            fail(std::string(what) + ": not within two minutes");
    }
}

double msUntil(const char* what, const std::function<bool()>& done)
{
    const Stopwatch watch;
    until(what, done);
    return watch.ms();
}

ui::StoreOpening consoleOpening(const std::string& path)
{
    ui::StoreOpening opening;
    opening.url = u"sqlite:"_s + QString::fromStdString(path);
    opening.name = u"bench"_s;
    opening.person = u"ines"_s;
    opening.mayAct = true;
    opening.open = [path](bool readOnly) {
        StoreOptions options;
        options.readOnly = readOnly;
        return sqlite::openStore(path, options);
    };
    return opening;
}

ConsoleDesk::ConsoleDesk(const std::string& path)
{
    ui::applyTheme(*qApp, false);
    m_session = std::make_unique<ui::StoreSession>(consoleOpening(path));
    m_window = std::make_unique<ui::MainWindow>(*m_session, false);
    m_window->resize(1440, 900);
    m_window->show();
    m_window->start();
}

ConsoleDesk::~ConsoleDesk() = default;

void ConsoleDesk::settle()
{
    until(
        "the window's answers", [this] { return m_window->settled() && !m_window->facts().name.isEmpty(); });
    QCoreApplication::processEvents();
}

ui::RunPage* ConsoleDesk::open(const RunId& run)
{
    ui::RunPage* page = m_window->openRun(run);
    until("the run's page", [page] { return page->loaded(); });
    return page;
}

}  // namespace cairn::bench
