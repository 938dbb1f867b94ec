// C53 and C57: the console agrees with its store while thousands of runs change, and does not freeze on what
// is large. Real stores; SQLite's file calls are watched for the window's thread, and so are its stalls.
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "stall_watch.h"
#include "thread_watch.h"
#include "ui/data/storesession.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/graph/graphcanvas.h"
#include "ui/widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongWait = 60'000;  // for things that are waited for, never asserted
constexpr int kStallMs = 200;

// A store in a folder of its own, and windows on it.
struct Place {
    Place()
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), "dev", false)
    {
    }

    void sql(const char* text) const
    {
        sqlite3* db = nullptr;
        char* wrong = nullptr;
        if (sqlite3_open_v2(path.toUtf8().constData(), &db, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK
            || sqlite3_exec(db, text, nullptr, nullptr, &wrong) != SQLITE_OK)
            qFatal("%s", wrong != nullptr ? wrong : "the store cannot be opened");
        sqlite3_close(db);
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
};

StoreOpening openingOf(const QString& path)
{
    StoreOpening opening;
    opening.url = u"sqlite:"_s + path;
    opening.name = u"runs"_s;
    opening.person = u"ines"_s;
    opening.mayAct = true;
    opening.open = [file = path.toStdString()](bool readOnly) {
        cairn::StoreOptions options;
        options.readOnly = readOnly;
        return cairn::sqlite::openStore(file, options);
    };
    return opening;
}

struct Desk {
    explicit Desk(const Place& place)
        : session(openingOf(place.path))
        , window(session, false)
    {
        applyTheme(*qApp, false);
        window.resize(1440, 900);
        window.show();
        window.start();
        static_cast<void>(QTest::qWaitFor(
            [this] { return window.settled() && !window.facts().name.isEmpty(); }, kLongWait));
        QApplication::processEvents();
        stalls.reset();
        ThreadWatch::reset();
    }
    [[nodiscard]] DataTable* runs() const { return window.triage()->runsTable(); }
    [[nodiscard]] RunsModel* model() const { return window.triage()->runsModel(); }
    [[nodiscard]] bool settles()
    {
        return QTest::qWaitFor([this] { return window.settled(); }, kLongWait);
    }
    [[nodiscard]] quint64 attention(const QString& word) const
    {
        const auto* lines = static_cast<const AttentionModel*>(window.triage()->attentionTable()->model());
        for (const AttentionLine& line : lines->rows())
            if (line.word == word)
                return line.count;
        return 0;
    }
    [[nodiscard]] QByteArray stallText() const
    {
        return "stood still " + QByteArray::number(stalls.stalls()) + " times, at most "
            + QByteArray::number(stalls.longestMs()) + " ms; computed for at most "
            + QByteArray::number(stalls.busyMs()) + " ms";
    }

    StoreSession session;
    MainWindow window;
    StallWatch stalls{kStallMs};
};

#define QVERIFY_NO_FREEZE(desk) \
    qInfo("%s", (desk).stallText().constData()); \
    QVERIFY2((desk).stalls.stalls() == 0, (desk).stallText().constData()); \
    QCOMPARE(ThreadWatch::calls(), 0); \
    QVERIFY(ThreadWatch::others() > 0)

QString textOf(const QWidget* widget)
{
    QStringList all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all << label->text();
    return all.join(u'\n');
}

// Multiplies the runs of the list: rows as the store writes them, with ids and keys of their own, each a
// little older.
constexpr auto kManyRuns =
    "PRAGMA foreign_keys=OFF; BEGIN;"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 16666) "
    "INSERT INTO run_list SELECT randomblob(16), root, parent, workflow, workflow_version, key || '-' || i, "
    "activity, attention, "
    "reason, step, CASE since WHEN 0 THEN 0 ELSE since - i END, next_time, situation, resource, error, "
    "created_at - i, ended_at, "
    "steps, steps_done, attempt, attempts_max, amount, currency, held_until, assigned, version, changed - i "
    "* 100000 FROM "
    "run_list, n "
    "WHERE key IN ('PO-1187', 'PO-1188', 'PO-1189', 'PO-1190', 'PO-1191', 'PO-1192'); COMMIT;";

}  // namespace

class TestScale : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void c53_listAndDetailAgreeAfterABurst();
    void c57_hundredThousandRuns();
    void c57_updatesWhileScrolling();
    void c57_longHistory();
    void c57_fiveThousandMembers();
    void c57_valueOfTenMegabytesInOneLine();
};

// 1,000 runs end in a burst while the list shows what is under way; a second window is opened in the middle.
void TestScale::c53_listAndDetailAgreeAfterABurst()
{
    constexpr int kRuns = 1000;
    Place place;
    std::vector<cairn::RunId> runs;
    for (int i = 0; i < kRuns; ++i)
        runs.push_back(place.fixture.driven("order " + std::to_string(i)));
    const ThreadWatch watch;
    Desk first(place);
    first.window.triage()->filterBox()->setFilter(u"-state:finished"_s);
    QVERIFY(first.settles());
    QCOMPARE(first.window.triage()->overview().matching, quint64(kRuns));
    first.runs()->setCurrentIndex(first.model()->index(150, 0));
    std::atomic<int> ended = 0;
    std::thread writer([&] {
        for (int i = 0; i < kRuns - 3; ++i, ++ended)
            place.fixture.cancel(runs[static_cast<std::size_t>(i)]);
    });
    QVERIFY(QTest::qWaitFor([&] { return ended > kRuns / 2; }, kLongWait));
    Desk second(place);  // opened in the middle: what it has missed is what it reads
    second.window.triage()->filterBox()->setFilter(u"-state:finished"_s);
    // The windows go on meanwhile: joined at once, the test would hold them up itself.
    const bool all = QTest::qWaitFor([&] { return ended == kRuns - 3; }, kLongWait);
    writer.join();
    QVERIFY(all);
    for (Desk* desk : {&first, &second}) {
        QTRY_COMPARE_WITH_TIMEOUT(desk->model()->rowCount(), 3, kLongWait);
        QTRY_COMPARE_WITH_TIMEOUT(desk->attention(u"Finished today"_s), quint64(kRuns - 3), kLongWait);
        QTRY_COMPARE_WITH_TIMEOUT(desk->window.triage()->overview().matching, quint64(3), kLongWait);
        for (int row = 0; row < 3; ++row)
            QVERIFY(desk->model()->row(row)->line->endedAt == 0);
        // Detail and list say the same of one that has ended, and of one that has not.
        RunPage* over = desk->window.openRun(runs.front());
        RunPage* open = desk->window.openRun(runs.back());
        QTRY_VERIFY_WITH_TIMEOUT(over->loaded() && open->loaded(), kLongWait);
        QVERIFY(over->detail().line.endedAt != 0);
        QCOMPARE(open->detail().line.endedAt, 0);
        const auto read = desk->session.lines({runs.front(), runs.back()});
        QTRY_VERIFY_WITH_TIMEOUT(read.isFinished(), kLongWait);
        const auto lines = read.result();
        QCOMPARE(lines.value->front().word, over->detail().line.word);
        QCOMPARE(lines.value->back().word, open->detail().line.word);
    }
    QVERIFY_NO_FREEZE(second);
}

void TestScale::c57_hundredThousandRuns()
{
    Place place;
    place.fixture.fill(0);
    place.sql(kManyRuns);
    const ThreadWatch watch;
    Desk desk(place);
    QCOMPARE(desk.window.triage()->overview().all, quint64(100'002));
    QCOMPARE(desk.model()->rowCount(), 200);  // the first page, not all
    // To the end, page by page; rows arrive meanwhile, and the pages stay what they are.
    desk.model()->setWindow(1000);
    desk.runs()->setCurrentIndex(desk.model()->index(10, 0));
    const RunRef here = desk.model()->row(10)->run;
    while (desk.model()->rowCount() < 8000) {
        const int before = desk.model()->rowCount();
        desk.runs()->verticalScrollBar()->setValue(desk.runs()->verticalScrollBar()->maximum());
        QTRY_VERIFY_WITH_TIMEOUT(desk.model()->rowCount() > before, kLongWait);
    }
    QVERIFY(desk.model()->held() <= 1000);  // contents of rows far away are let go
    desk.runs()->verticalScrollBar()->setValue(0);
    QTRY_VERIFY_WITH_TIMEOUT(desk.model()->row(0)->line.has_value(), kLongWait);  // and asked for again
    QCOMPARE(desk.model()->row(desk.runs()->currentRow())->run, here);
    // One search after the other: what is overtaken is given up, the last one counts.
    for (const QString& text : {u"error:nothing"_s, u"error:503"_s, u"wait:paused"_s, u"key:PO-1190-16*"_s})
        desk.window.triage()->filterBox()->setFilter(text);
    QVERIFY(desk.settles());
    QCOMPARE(desk.window.triage()->overview().matching,
        quint64(1 + 10 + 100 + 667));  // 16, 160…, 1600…, 16000 to 16666
    QVERIFY_NO_FREEZE(desk);
}

void TestScale::c57_updatesWhileScrolling()
{
    Place place;
    place.fixture.fill(0);
    std::vector<cairn::RunId> runs;
    for (int i = 0; i < 60; ++i)
        runs.push_back(place.fixture.driven("busy " + std::to_string(i)));
    const ThreadWatch watch;
    Desk desk(place);
    desk.runs()->setCurrentIndex(desk.model()->index(20, 0));
    const RunRef here = desk.model()->row(20)->run;
    std::atomic<int> updates = 0;
    std::thread writer([&] {
        for (; updates < 2000; ++updates)
            place.fixture.toggle(runs[static_cast<std::size_t>(updates % 60)]);
    });
    QScrollBar* bar = desk.runs()->verticalScrollBar();
    for (int n = 0; updates < 2000; ++n) {
        bar->setValue(n % 2 == 0 ? bar->maximum() : n * 7 % std::max(1, bar->maximum()));
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    }
    writer.join();
    QVERIFY(desk.settles());
    QCOMPARE(desk.model()->row(desk.runs()->currentRow())->run, here);  // the selection is where it was
    quint64 paused = 1;                                                 // and the one of the fixture
    for (const cairn::RunId& run : runs)
        paused += place.fixture.state(run).own.paused ? 1 : 0;
    ThreadWatch::reset();  // that was the test, not the window
    desk.stalls.reset();
    QTRY_COMPARE_WITH_TIMEOUT(desk.attention(u"paused"_s), paused, kLongWait);
    QVERIFY_NO_FREEZE(desk);
}

void TestScale::c57_longHistory()
{
    constexpr int kEntries = 10'000;
    Place place;
    const cairn::RunId run = place.fixture.longHistory(kEntries);
    const ThreadWatch watch;
    Desk desk(place);
    RunPage* page = desk.window.openRun(run);
    QTRY_VERIFY_WITH_TIMEOUT(page->loaded(), kLongWait);
    page->showView(3);
    DataTable* table = page->history()->table();
    QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() >= 200, kLongWait);
    QVERIFY(table->model()->rowCount() < 1000);  // pages, not all of it
    while (table->model()->rowCount() < kEntries) {
        const int before = table->model()->rowCount();
        table->scrollToBottom();
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > before, kLongWait);
    }
    QCOMPARE(page->detail().version, quint64(kEntries));
    for (QAction* action : desk.window.actions())
        if (action->text() == u"Close tab"_s)
            action->trigger();
    QVERIFY(desk.window.currentRun() == nullptr);
    QVERIFY_NO_FREEZE(desk);
}

void TestScale::c57_fiveThousandMembers()
{
    Place place;
    const cairn::RunId run = place.fixture.fanOut(5000);
    const ThreadWatch watch;
    Desk desk(place);
    RunPage* page = desk.window.openRun(run);
    QTRY_VERIFY_WITH_TIMEOUT(page->loaded(), kLongWait);
    QCOMPARE(page->detail().steps.size(), 5002U);
    StepsView* steps = page->steps();
    QCOMPARE(steps->table()->model()->rowCount(), 2);  // folded
    QVERIFY2(steps->graph()->summary().contains(u"5\u2009000 folded in one"_s),
        qPrintable(steps->graph()->summary()));
    steps->table()->setCurrentIndex(steps->table()->model()->index(1, 0));
    QTest::keyClick(steps->table(), Qt::Key_Right);
    QCOMPARE(steps->table()->model()->rowCount(), 5002);
    QApplication::processEvents();
    QVERIFY2(steps->graph()->summary().contains(u"left out (see the list)"_s),
        qPrintable(steps->graph()->summary()));
    for (int row = 0; row < 5002; row += 250) {
        steps->table()->setCurrentIndex(steps->table()->model()->index(row, 0));
        QApplication::processEvents();
    }
    page->load();
    QTRY_VERIFY_WITH_TIMEOUT(desk.window.settled(), kLongWait);
    QVERIFY_NO_FREEZE(desk);
}

void TestScale::c57_valueOfTenMegabytesInOneLine()
{
    constexpr qsizetype kSize = 10 * 1024 * 1024;
    Place place;
    std::string value = "{\"suppliers\":[],\"blob\":\"";
    value.append(static_cast<std::size_t>(kSize) - value.size() - 2, 'x');
    value += "\"}";
    const cairn::RunId run = place.fixture.withOutput(value);
    const ThreadWatch watch;
    Desk desk(place);
    RunPage* page = desk.window.openRun(run);
    QTRY_VERIFY_WITH_TIMEOUT(page->loaded(), kLongWait);
    page->showView(4);
    const auto& payloads = page->detail().payloads;
    const auto large =
        std::find_if(payloads.begin(), payloads.end(), [](const PayloadLine& p) { return p.size == kSize; });
    QVERIFY(large != payloads.end());
    page->data()->openPayload(*large);
    QVERIFY(
        page->data()->headText().startsWith(u"application/json · 10.0 MiB"_s));  // before anything is read
    QTRY_VERIFY_WITH_TIMEOUT(!page->data()->viewer()->toPlainText().isEmpty(), kLongWait);
    QVERIFY(page->data()->viewer()->toPlainText().size() <= kPayloadShown);
    QVERIFY2(textOf(page->data()).contains(u"more not shown. Save whole value… gives all of it"_s),
        qPrintable(textOf(page->data())));
    page->data()->viewer()->verticalScrollBar()->setValue(
        page->data()->viewer()->verticalScrollBar()->maximum());
    page->data()->viewer()->selectAll();
    page->data()->viewer()->copy();
    const QString copy = place.folder.filePath(u"whole.json"_s);
    QSignalSpy said(page->data(), &DataView::said);
    page->data()->save(copy);
    QTRY_COMPARE_WITH_TIMEOUT(said.count(), 1, kLongWait);
    QFile file(copy);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray(value.data(), kSize));
    QVERIFY_NO_FREEZE(desk);
}

QTEST_MAIN(TestScale)
#include "tst_scale.moc"
