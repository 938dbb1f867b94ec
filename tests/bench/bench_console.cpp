// The console on what is large: figures beside the budgets of the design. Each part runs in a process of its
// own, so that its memory is its own; stores are made by others.
//   bench_console [--dir DIR] [--only PART] [--runs N] [--events N] [--pages N] [--steps N] [--mebibytes N]
//                 [--plan N] [--seconds N] [--keep yes]

#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/console_desk.h"
#include "tests/bench/console_large.h"
#include "tests/bench/service_bench.h"
#include "tests/bench/synthetic_runs.h"
#include "tests/ui/stall_watch.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QProcess>

#include <fcntl.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace cairn;
using namespace cairn::bench;
using namespace Qt::StringLiterals;

constexpr int kRunsFed = 50;  // which make kUpdates: chains of 20 steps

struct Sizes {
    int runs, events, pages, steps, mebibytes, plan, seconds;
};

// --- many runs

void makeRuns(const std::string& path, int runs)
{
    must(sqlite::initStore(path, {}));
    StoreOptions options;
    options.synchronousNormal = true;
    const auto store = must(sqlite::openStore(path, options));
    SyntheticRuns shape;
    shape.runs = static_cast<std::uint32_t>(runs);
    shape.now = SystemClock{}.wallMs();
    addSyntheticRuns(*store, shape);
}

// What the system has in memory of the file is let go: the first start of a day.
void forget(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 || ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
        fail(path + ": its pages cannot be let go");
    ::close(fd);
}

void measureStart(const std::string& path, const std::string& name)
{
    const Stopwatch watch;
    ConsoleDesk desk(path);
    double counts = 0, rows = 0;
    until("counts and rows", [&] {
        const auto* triage = desk.window().triage();
        if (counts == 0 && triage->overview().all > 0)
            counts = watch.ms();
        if (rows == 0 && triage->runsModel()->rowCount() > 0)
            rows = watch.ms();
        return counts > 0 && rows > 0;
    });
    against(name + ": first counts", counts, kFirstCounts);
    figure(name + ": first rows", rows, "ms");
    desk.settle();
    figure(name + ": all that it asks at first", watch.ms(), "ms");
    memoryFigures(name);
}

// Types the rest of a filter as a person does, each key once everything about the one before has come.
class Typist {
public:
    explicit Typist(ConsoleDesk& desk)
        : m_triage(desk.window().triage())
        , m_edit(m_triage->filterBox()->edit())
        , m_desk(desk)
    {
        desk.window().setPolling(false);
        const auto* model = m_triage->runsModel();
        const auto note = [this] { m_rows = m_asked; };
        QObject::connect(model, &QAbstractItemModel::rowsInserted, &m_context, note);
        QObject::connect(model, &QAbstractItemModel::rowsRemoved, &m_context, note);
        QObject::connect(model, &QAbstractItemModel::layoutChanged, &m_context, note);
        QObject::connect(model, &QAbstractItemModel::dataChanged, &m_context, note);
        QObject::connect(
            m_triage->filterBox(), &ui::FilterBox::filterChanged, &m_context, [this] { m_asked = true; });
    }
    void type(const QString& begun, const QString& rest)
    {
        m_triage->filterBox()->setFilter(begun + rest.front());
        m_desk.settle();
        m_edit->setFocus();
        for (const QChar letter : rest.mid(1)) {
            m_asked = m_rows = false;
            QKeyEvent press(QEvent::KeyPress, 0, Qt::NoModifier, QString(letter));
            const Stopwatch watch;
            QApplication::sendEvent(m_edit, &press);
            // Where no row changes, the answer is that none does.
            until("rows", [this] { return m_asked && (m_rows || m_triage->settled()); });
            rows.push_back(watch.ms());
            until("counts", [this] { return m_triage->settled(); });
            all.push_back(watch.ms());
        }
    }

    std::vector<double> rows;  // key to first rows, ms
    std::vector<double> all;   // and to counts and situations

private:
    ui::TriagePage* m_triage;
    QLineEdit* m_edit;
    ConsoleDesk& m_desk;
    QObject m_context;
    bool m_asked = false;
    bool m_rows = false;
};

void measureFilter(const std::string& path)
{
    ConsoleDesk desk(path);
    desk.settle();
    ui::test::StallWatch stalls(kStall.value);
    Typist typist(desk);
    const std::vector<std::pair<QString, QString>> typed{{u"key:order-"_s, u"99999"_s},
        {u"def:workflow-"_s, u"17"_s}, {u"error:"_s, u"connection"_s}, {u"is:open step:"_s, u"pay*"_s},
        {u"wait:timer attr.region="_s, u"af"_s}, {u"attr.customer=customer-"_s, u"4711"_s}};
    for (const auto& [begun, rest] : typed)
        typist.type(begun, rest);
    percentiles("filter: key to first rows", typist.rows, "ms");
    against("filter: key to first rows, p99", percentile(typist.rows, 0.99), kFilterKey);
    percentiles("filter: key to counts and situations", typist.all, "ms");
    against("filter: the window stood still, at most", stalls.longestMs(), kStall);
    figure("filter: the window computed in one go, at most", stalls.busyMs(), "ms");
    memoryFigures("filter");
}

// --- updates

// An engine that finishes about kUpdates steps in each second; says so when its store is there.
void feed(const std::string& path, int seconds)
{
    ServiceBench bench(path);
    bench.add(chainWorkflow("chain", kUpdates / kRunsFed, false));
    std::printf("ready\n");
    std::fflush(stdout);
    double late = 0;
    for (int second = 0; second < seconds; ++second) {
        const Stopwatch watch;
        bench.runAll("chain", kRunsFed, kRunsFed);
        late = std::max(late, watch.seconds() - 1);
        if (watch.seconds() < 1)
            std::this_thread::sleep_for(std::chrono::duration<double>(1 - watch.seconds()));
    }
    figure("updates: a thousand took longer than a second, by at most", late * 1000, "ms");
}

// What the attention list says.
quint64 finishedToday(const ConsoleDesk& desk)
{
    const auto* lines =
        static_cast<const ui::AttentionModel*>(desk.window().triage()->attentionTable()->model());
    for (const ui::AttentionLine& line : lines->rows())
        if (line.word == u"Finished today"_s)
            return line.count;
    return 0;
}

double processorSeconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void measureUpdates(const std::string& path, int seconds)
{
    QProcess feeder;
    feeder.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    feeder.start(QCoreApplication::applicationFilePath(),
        {u"--part"_s, u"feed"_s, u"--path"_s, QString::fromStdString(path), u"--seconds"_s,
            QString::number(seconds)});
    QByteArray said;
    until("the feeder's store", [&] {
        said += feeder.readAllStandardOutput();
        return said.contains("ready");
    });
    ConsoleDesk desk(path);
    desk.settle();
    ui::test::StallWatch stalls(kStall.value);
    const double before = processorSeconds();
    const Stopwatch watch;
    QEventLoop loop;
    QObject::connect(
        &feeder, qOverload<int, QProcess::ExitStatus>(&QProcess::finished), &loop, &QEventLoop::quit);
    if (feeder.state() != QProcess::NotRunning)
        loop.exec();
    const double spent = processorSeconds() - before, wall = watch.seconds();
    const auto expected = static_cast<quint64>(kRunsFed) * static_cast<quint64>(seconds);
    figure("updates: steps finished a second", static_cast<double>(expected) * (kUpdates / kRunsFed) / wall,
        "/s");
    figure("updates: the last one to the window",
        msUntil("agreement", [&] { return finishedToday(desk) == expected; }), "ms");
    figure("updates: share of a processor", 100 * spent / wall, "%");
    figure("updates: the window stood still for 100 ms, times", stalls.stalls(), "");
    against("updates: the window stood still, at most", stalls.longestMs(), kStall);
    figure("updates: the window computed in one go, at most", stalls.busyMs(), "ms");
    std::printf("%s", feeder.readAllStandardOutput().constData());
    memoryFigures("updates");
}

// --- parts

struct Part {
    const char* name;
    const char* store;                                          // its file; several parts may share one
    void (*make)(const std::string& path, const Sizes& sizes);  // null: it makes its own
    void (*measure)(const std::string& path, const Sizes& sizes);
};

constexpr Part kParts[] = {
    {"cold", "console-runs.db", [](const std::string& path, const Sizes& s) { makeRuns(path, s.runs); },
        [](const std::string& path, const Sizes&) {
            forget(path);
            measureStart(path, "start, nothing in memory");
        }},
    {"warm", "console-runs.db", [](const std::string& path, const Sizes& s) { makeRuns(path, s.runs); },
        [](const std::string& path, const Sizes&) { measureStart(path, "start"); }},
    {"filter", "console-runs.db", [](const std::string& path, const Sizes& s) { makeRuns(path, s.runs); },
        [](const std::string& path, const Sizes&) { measureFilter(path); }},
    {"history", "console-history.db",
        [](const std::string& path, const Sizes& s) { makeHistory(path, s.events); },
        [](const std::string& path, const Sizes& s) { measureHistory(path, s.pages); }},
    {"graph", "console-graph.db", [](const std::string& path, const Sizes& s) { makeGraph(path, s.steps); },
        [](const std::string& path, const Sizes&) { measureGraph(path); }},
    {"payload", "console-payload.db",
        [](const std::string& path, const Sizes& s) { makePayload(path, s.mebibytes); },
        [](const std::string& path, const Sizes&) { measurePayload(path); }},
    {"plan", "console-plan.db", [](const std::string& path, const Sizes& s) { makePlan(path, s.plan); },
        [](const std::string& path, const Sizes&) { measurePlan(path); }},
    {"updates", "console-updates.db", nullptr,
        [](const std::string& path, const Sizes& s) { measureUpdates(path, s.seconds); }},
};

// One of them, in a process of its own; its lines go where ours go.
void runAside(const QStringList& own, const QString& what, const std::string& path)
{
    std::fflush(stdout);
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.start(QCoreApplication::applicationFilePath(),
        QStringList{u"--part"_s, what, u"--path"_s, QString::fromStdString(path)} + own);
    if (!process.waitForFinished(-1) || process.exitStatus() != QProcess::NormalExit
        || process.exitCode() != 0)
        fail("bench_console --part " + what.toStdString() + " failed");
}

int runPart(const std::string& part, const std::string& path, const Sizes& sizes)
{
    if (part == "feed") {
        feed(path, sizes.seconds);
        return 0;
    }
    for (const Part& one : kParts) {
        if (part == std::string("make-") + one.name && one.make != nullptr) {
            one.make(path, sizes);
            return 0;
        }
        if (part == one.name) {
            one.measure(path, sizes);
            return 0;
        }
    }
    fail("there is no part \"" + part + "\"");
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY")
        && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const Sizes sizes{number(argc, argv, "--runs", kRunsThere), number(argc, argv, "--events", kEntriesThere),
        number(argc, argv, "--pages", 200), number(argc, argv, "--steps", kStepsThere),
        number(argc, argv, "--mebibytes", kMebibytesThere), number(argc, argv, "--plan", kRunsPlanned),
        number(argc, argv, "--seconds", kUpdateSeconds)};
    const std::string dir = argument(argc, argv, "--dir", "."), only = argument(argc, argv, "--only", ""),
                      part = argument(argc, argv, "--part", "");
    QApplication app(argc, argv);
    if (!part.empty())
        return runPart(part, argument(argc, argv, "--path", ""), sizes);
    const bool keep = argument(argc, argv, "--keep", "no") == "yes";
    const QStringList own = QApplication::arguments().mid(1);
    std::string made;
    bool any = false;
    for (const Part& one : kParts) {
        if (!only.empty() && only != one.name)
            continue;
        any = true;
        const std::string path = dir + "/" + one.store;
        if (made != path) {
            if (!made.empty() && !keep)
                static_cast<void>(freshFile(dir, std::filesystem::path(made).filename()));
            static_cast<void>(freshFile(dir, one.store));
            if (one.make != nullptr)
                runAside(own, u"make-"_s + QString::fromLatin1(one.name), path);
            made = path;
        }
        runAside(own, QString::fromLatin1(one.name), path);
    }
    if (!any)
        fail("there is no part \"" + only
            + "\": cold, warm, filter, history, graph, payload, plan or updates");
    if (!keep)
        static_cast<void>(freshFile(dir, std::filesystem::path(made).filename()));
    return 0;
}
