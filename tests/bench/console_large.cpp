#include "tests/bench/console_large.h"

#include "core/model/codec.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/bench/console_desk.h"
#include "tests/bench/service_bench.h"
#include "tests/ui/fixture.h"
#include "tests/ui/stall_watch.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/payloadviewer.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/models/runsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/graph/graphcanvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QScrollBar>

namespace cairn::bench {

using namespace Qt::StringLiterals;

namespace {

// The only run of such a store.
RunId onlyRun(ConsoleDesk& desk)
{
    desk.settle();
    const auto* row = desk.window().triage()->runsModel()->row(0);
    if (row == nullptr)
        fail("the store has no run");
    return row->run.run;
}

// Entry after entry of one run that is paused and resumed, as `pause` and `resume` write them.
class HistoryWriter {
public:
    explicit HistoryWriter(const std::string& path, const RunId& run)
        : m_store(must(sqlite::openStore(path, {})))
        , m_run(run)
        , m_hot(must(m_store->hot(run)))
        , m_time(SystemClock{}.wallMs())
    {
    }
    void add(int entries)
    {
        constexpr std::size_t kGroup = 300;
        std::vector<CommitMember> members;
        for (int i = 0; i < entries; ++i) {
            members.push_back(next());
            if (members.size() == kGroup || i + 1 == entries)
                commit(members);
        }
        must(m_store->checkpoint());
    }

private:
    CommitMember next()
    {
        m_control.paused = !m_control.paused;
        ++m_control.revision;
        Entry entry;
        entry.version = m_hot.version + 1;
        entry.command = deriveId<CommandId>("history", std::to_string(entry.version));
        entry.verb = m_control.paused ? Verb::Pause : Verb::Resume;
        entry.actor = {ActorKind::Person, "kim"};
        entry.time = m_time + static_cast<SpanMs>(entry.version);
        entry.facts = {ControlChanged{m_control, {}}};
        CommitMember member;
        member.run = m_run;
        member.expectedVersion = m_hot.version;
        member.checkEpoch = false;
        member.control = entry.version;
        member.entry = sealEntry(entry, kMaxFormat, m_hot.head);
        m_hot.version = entry.version;
        m_hot.head = member.entry.hash;
        return member;
    }
    void commit(std::vector<CommitMember>& members)
    {
        std::vector<MemberResult> results;
        must(m_store->commit(members, results));
        for (const MemberResult& result : results)
            if (result.kind != MemberResult::Kind::Committed)
                fail("an entry was not accepted: " + result.error.text);
        members.clear();
    }

    std::unique_ptr<StoreWriter> m_store;
    RunId m_run;
    HotRow m_hot;
    TimeMs m_time;
    Control m_control;
};

}  // namespace

void makeHistory(const std::string& path, int entries)
{
    ui::test::Fixture fixture(path, "dev", false);
    const RunId run = fixture.driven("long history");
    fixture.endEngine();                            // nobody is to be woken
    HistoryWriter(path, run).add(entries / 2 * 2);  // an even number: it ends as the list has it
}

void measureHistory(const std::string& path, int pages)
{
    ConsoleDesk desk(path);
    const RunId run = onlyRun(desk);
    const Stopwatch opening;
    ui::RunPage* page = desk.open(run);
    figure("entries of the run", static_cast<double>(page->detail().version), "");
    figure("run with that history: opened", opening.ms(), "ms");
    ui::test::StallWatch stalls(kStall.value);
    page->showView(3);
    ui::DataTable* table = page->history()->table();
    figure("history: first page",
        msUntil("the first page", [table] { return table->model()->rowCount() > 0; }), "ms");
    std::vector<double> further;
    const auto whole = static_cast<int>(page->detail().version);
    for (int i = 0; i < pages && table->model()->rowCount() < whole; ++i) {
        const int before = table->model()->rowCount();
        table->scrollToBottom();
        further.push_back(msUntil("a page", [&] { return table->model()->rowCount() > before; }));
    }
    percentiles("history: a page further down", further, "ms");
    QScrollBar* bar = table->verticalScrollBar();
    for (int i = 0; i < pages * 10; ++i) {
        bar->setValue(static_cast<int>(static_cast<qint64>(i) * 7'919 % std::max(1, bar->maximum())));
        QCoreApplication::processEvents();
    }
    figure("history: entries scrolled through", static_cast<double>(table->model()->rowCount()), "");
    figure("history: the window stood still for 100 ms, times", stalls.stalls(), "");
    against("history: the window stood still, at most", stalls.longestMs(), kStall);
    figure("history: the window computed in one go, at most", stalls.busyMs(), "ms");
    memoryFigures("history");
}

void makeGraph(const std::string& path, int steps)
{
    ui::test::Fixture fixture(path, "dev", false);
    static_cast<void>(fixture.fanOut(std::max(2, steps - 2)));  // what is fanned out over, and the fan-out
}

void measureGraph(const std::string& path)
{
    ConsoleDesk desk(path);
    const RunId run = onlyRun(desk);
    const Stopwatch opening;
    ui::RunPage* page = desk.open(run);
    page->showView(1);
    static_cast<void>(page->grab());
    figure("graph: steps of the run", static_cast<double>(page->detail().steps.size()), "");
    figure("graph: run opened and drawn", opening.ms(), "ms");
    ui::GraphCanvas* graph = page->steps()->graph();
    Stopwatch watch;
    graph->setSteps(page->detail().steps);
    static_cast<void>(graph->grab());
    against("graph: folded and drawn", watch.ms(), kFold);
    const std::size_t folded = graph->scene().boxes.size();
    // The one box that stands for many, as Enter on it opens it; then closed again.
    for (std::size_t node = 0; node < folded; ++node)
        if (graph->scene().graph.nodes[node].kind != ui::DrawnNode::Kind::Step) {
            const quint32 key = graph->scene().graph.nodes[node].key;
            watch.restart();
            graph->setOpen(key, true);
            static_cast<void>(graph->grab());
            figure("graph: unfolded and drawn", watch.ms(), "ms");
            figure("graph: boxes then", static_cast<double>(graph->scene().boxes.size()), "");
            watch.restart();
            graph->setOpen(key, false);
            static_cast<void>(graph->grab());
            figure("graph: folded again and drawn", watch.ms(), "ms");
            break;
        }
    ui::DataTable* list = page->steps()->table();
    list->setCurrentIndex(list->model()->index(list->model()->rowCount() - 1, 0));
    QKeyEvent right(QEvent::KeyPress, Qt::Key_Right, Qt::NoModifier);
    watch.restart();
    QApplication::sendEvent(list, &right);
    static_cast<void>(list->grab());
    figure("graph: the list beside it unfolded", watch.ms(), "ms");
    figure("graph: rows then", list->model()->rowCount(), "");
    memoryFigures("graph");
}

void makePayload(const std::string& path, int mebibytes)
{
    const auto size = static_cast<std::size_t>(mebibytes) * 1024 * 1024;
    std::string value = R"({"suppliers":[],"quotes":[)";
    for (std::size_t i = 0; value.size() + 80 < size; ++i)
        value += (i == 0 ? "" : ",") + (R"({"id":)" + std::to_string(i))
            + R"(,"price":"202.50","note":"as agreed"})";
    value += R"(],"needle":"the last of all"})";
    ui::test::Fixture fixture(path, "dev", false);
    static_cast<void>(fixture.withOutput(std::move(value)));
}

void measurePayload(const std::string& path)
{
    ConsoleDesk desk(path);
    ui::RunPage* page = desk.open(onlyRun(desk));
    const auto& all = page->detail().payloads;
    const auto large = std::max_element(all.begin(), all.end(),
        [](const ui::PayloadLine& a, const ui::PayloadLine& b) { return a.size < b.size; });
    if (large == all.end())
        fail("the run has no payload");
    page->showView(4);
    ui::test::StallWatch stalls(kStall.value);
    figure("payload: its size", static_cast<double>(large->size) / (1024 * 1024), "MiB");
    const Stopwatch watch;
    page->data()->openPayload(*large);
    until("the first screen", [page] { return !page->data()->viewer()->toPlainText().isEmpty(); });
    static_cast<void>(page->data()->grab());
    against("payload: first screen", watch.ms(), kFirstScreen);
    ui::PayloadViewer* viewer = page->data()->payload();
    until("the index", [viewer] { return viewer->whole(); });
    figure("payload: all of it read and indexed", watch.ms(), "ms");
    const Stopwatch search;
    viewer->find(u"the last of all"_s);
    until("the search", [viewer] { return !viewer->matches().at.empty(); });
    against("payload: found at its end", search.ms(), kSearch);
    against("payload: the window stood still, at most", stalls.longestMs(), kStall);
    figure("payload: the window computed in one go, at most", stalls.busyMs(), "ms");
    memoryFigures("payload");
}

void makePlan(const std::string& path, int runs)
{
    ServiceBench bench(path);
    bench.add(timerWorkflow("waits", "30d"));
    bench.startWaiting("waits", 200, runs);
}

// What the sheet for a plan asks, in the session that the window has.
void measurePlan(const std::string& path)
{
    ConsoleDesk desk(path);
    desk.settle();
    ui::PlanRequest request;
    request.act.verb = Verb::Pause;
    request.filter = u"workflow:waits"_s;
    request.pace.verifyMinutes = 0;
    ui::test::StallWatch stalls(kStall.value);
    for (int again = 0; again < 2; ++again) {
        const auto seen = desk.session().previewPlan(request);
        const double took = msUntil("the preview", [&] { return seen.isFinished(); });
        if (!seen.result())
            fail(seen.result().failure.what.toStdString());
        figure("plan: runs in it", static_cast<double>(seen.result().value->included), "");
        against(again == 0 ? "plan: previewed, first time" : "plan: previewed again", took, kPreview);
        if (again == 1) {
            const auto staged =
                desk.session().stagePlan(seen.result().value->digest, u"figures for the preview"_s);
            figure("plan: staged", msUntil("the plan", [&] { return staged.isFinished(); }), "ms");
            if (!staged.result())
                fail(staged.result().failure.what.toStdString());
        }
    }
    against("plan: the window stood still, at most", stalls.longestMs(), kStall);
    memoryFigures("plan");
}

}  // namespace cairn::bench
