// A store that answers slowly, or not at all any more, holds up nothing: the window takes keys, paints and
// goes from tab to tab, says what it waits for and since when, and shows no zero and no empty list as if that
// were the answer. No call into the store is made on its thread, and it never stands still.
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "gated_store.h"
#include "stall_watch.h"
#include "ui/data/storesession.h"
#include "ui/dialogs/connectbox.h"
#include "ui/models/runsmodel.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/compareview.h"
#include "ui/pages/dataview.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPromise>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongWait = 60'000;  // for things that are waited for, never asserted
constexpr int kStallMs = 100;

struct Desk {
    explicit Desk(bool closed = false)
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), "dev", false)
    {
        fixture.fill(2);
        if (closed)
            gate->close();
        StoreOpening opening;
        opening.url = u"sqlite:"_s + path;
        opening.name = u"runs"_s;
        opening.person = u"ines"_s;
        opening.mayAct = true;
        opening.open = [file = path.toStdString(), gate = gate](
                           bool readOnly) -> cairn::Result<std::unique_ptr<cairn::StoreWriter>> {
            if (auto error = gate->pass())
                return *std::move(error);
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            CAIRN_TRY_ASSIGN(auto store, cairn::sqlite::openStore(file, options));
            return std::unique_ptr<cairn::StoreWriter>(std::make_unique<GatedStore>(std::move(store), gate));
        };
        session = std::make_unique<StoreSession>(std::move(opening));
        applyTheme(*qApp, false);
        window = std::make_unique<MainWindow>(*session, false);
        window->resize(1440, 900);
        window->show();
        window->start();
        if (!closed)
            static_cast<void>(QTest::qWaitFor([this] { return ready(); }, kLongWait));
        window->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window.get(), 3000));
        QApplication::processEvents();
        stalls.reset();
    }
    ~Desk()
    {
        gate->open();  // what waits behind it can end
        window.reset();
        session.reset();
    }
    [[nodiscard]] bool ready() const
    {
        return window->settled() && !window->facts().name.isEmpty()
            && window->triage()->runsTable()->currentRow() >= 0;
    }
    void act(const QString& id) const
    {
        const WindowAction* action = window->actionTable().find(id);
        if (action == nullptr)
            qFatal("there is no act %s", qPrintable(id));
        action->run();
    }
    void selectWaiting() const
    {
        const RunsModel* model = window->triage()->runsModel();
        for (int row = 0; row < model->rowCount(); ++row)
            if (model->row(row)->run.run == fixture.waitsForApproval)
                window->triage()->runsTable()->setCurrentIndex(model->index(row, 0));
        window->triage()->runsTable()->setFocus();
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::shared_ptr<StoreGate> gate = std::make_shared<StoreGate>();
    std::unique_ptr<StoreSession> session;
    std::unique_ptr<MainWindow> window;
    StallWatch stalls{kStallMs};
};

QWidget* seen(const MainWindow& window)
{
    for (QDialog* dialog : window.findChildren<QDialog*>())
        if (dialog->isVisible())
            return dialog;
    return const_cast<MainWindow*>(&window);
}

// Under a note that says what is read, or inside of it.
bool covered(const QWidget* widget)
{
    for (const QWidget* at = widget; at != nullptr; at = at->parentWidget())
        for (const auto* note : at->findChildren<PanelNote*>(QString(), Qt::FindDirectChildrenOnly))
            if (note->isVisible() && note != widget && !note->isAncestorOf(widget))
                return true;
    return false;
}

// What can be read on the window now.
QStringList readable(const QWidget& window)
{
    QStringList all;
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty() && !covered(label))
            all << label->text();
    for (const DockTitle* title : window.findChildren<DockTitle*>())
        if (title->isVisible() && !covered(title))
            all << title->accessibleName();
    return all;
}

QString sinceWhen(const QWidget& window)
{
    static const QRegularExpression kSince(
        u"(Reading|reading|Counting|Computing|computing|Comparing|Putting|Looking|Testing)[^\n]*since "
        "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"_s);
    for (const QString& text : readable(window))
        if (text.contains(kSince))
            return text;
    return {};
}

// Empty: no zero and no empty list is shown as an answer.
QString falseAnswer(const QWidget& window)
{
    static const QRegularExpression kZero(
        u"(^|[ ,;:(])0 (runs?|entries|acts?|plans?|steps|payloads|unfinished|shown|match)\\b|"
        "\\b(nobody has|Nobody has|No run |nothing here|Nothing matches|no difference|has no steps)"_s);
    for (const QString& text : readable(window))
        if (text.contains(kZero))
            return text;
    for (const DataTable* table : window.findChildren<DataTable*>())
        if (table->isVisible() && table->model() != nullptr && table->model()->rowCount() == 0
            && !covered(table))
            return u"an empty table: "_s + table->accessibleName();
    return {};
}

// The window as a person uses it while nothing comes from the store.
QString unusable(Desk& desk)
{
    MainWindow& window = *desk.window;
    QWidget* top = seen(window);
    if (top->grab().isNull())
        return u"it does not paint"_s;
    if (top != &window) {
        auto* edit = top->findChild<QPlainTextEdit*>();
        if (edit != nullptr && !edit->isReadOnly()) {
            QTest::keyClicks(edit, u"typed"_s);
            if (!edit->toPlainText().endsWith(u"typed"_s))
                return u"it takes no keys"_s;
        }
        return {};
    }
    auto* tabs = window.findChild<QTabBar*>();
    const int here = tabs->currentIndex();
    QWidget* focus = QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : &window;
    QTest::keyClick(focus, Qt::Key_K, Qt::ControlModifier);
    auto* palette = window.findChild<QDialog*>(u"palette"_s);
    if (palette == nullptr || !palette->isVisible())
        return u"it takes no keys"_s;
    palette->reject();
    for (int i = 0; i < tabs->count(); ++i) {
        desk.act(u"view.next-tab"_s);
        static_cast<void>(window.grab());
    }
    return tabs->currentIndex() == here ? QString() : u"it does not go from tab to tab"_s;
}

struct View {
    const char* name;
    std::function<void(Desk&)> prepare;  // before the gate closes; none: while nothing has been read at all
    std::function<void(Desk&)> open;
};

void nothing(Desk&) { }

// The run has been read; what the view reads by itself has not.
void readRun(Desk& desk)
{
    RunPage* page = desk.window->openRun(desk.fixture.uncertain);
    static_cast<void>(QTest::qWaitFor([&] { return page->loaded() && desk.window->settled(); }, kLongWait));
}
std::function<void(Desk&)> runView(int number)
{
    return [number](Desk& desk) { desk.window->currentRun()->showView(number); };
}
std::function<void(Desk&)> markedAct(const QString& id)
{
    return [id](Desk& desk) {
        desk.window->triage()->runsModel()->markShown();
        desk.act(id);
    };
}
void compareVersions(Desk& desk)
{
    desk.window->currentRun()->showView(7);
    desk.window->currentRun()->comparison()->compare(u"version 1"_s, u"now"_s);
}
void openPayload(Desk& desk)
{
    RunPage* page = desk.window->currentRun();
    page->showView(4);
    page->data()->openPayload(page->detail().payloads.front());
}
void pauseSelected(Desk& desk)
{
    desk.selectWaiting();
    desk.act(u"run.pause"_s);
}

const std::vector<View>& views()
{
    static const std::vector<View> kViews{{"triage", {}, nothing},
        {"a filter", nothing,
            [](Desk& d) { d.window->triage()->filterBox()->setFilter(u"wait:approval"_s); }},
        {"run", nothing, [](Desk& d) { d.window->openRun(d.fixture.uncertain); }},
        {"run: history", readRun, runView(3)}, {"run: data", readRun, openPayload},
        {"run: relations", readRun, runView(5)}, {"run: compare", readRun, compareVersions},
        {"run: context", readRun, runView(8)}, {"audit", nothing, [](Desk& d) { d.window->openAudit(); }},
        {"plans", nothing, [](Desk& d) { d.window->openPlans(); }},
        {"report", nothing, [](Desk& d) { d.window->openReport(); }},
        {"search", nothing, [](Desk& d) { d.window->go(u"PO-1187"_s); }}, {"sheet", nothing, pauseSelected},
        {"sheet of several", nothing, markedAct(u"run.pause"_s)},
        {"sheet of a plan", nothing, markedAct(u"plan.stage-pause"_s)},
        {"export box", nothing, [](Desk& d) { d.act(u"file.export"_s); }}};
    return kViews;
}

}  // namespace

class TestWatchdog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSlowStoreHoldsUpNothing_data()
    {
        QTest::addColumn<int>("view");
        for (std::size_t i = 0; i < views().size(); ++i)
            QTest::newRow(views()[i].name) << static_cast<int>(i);
    }

    void aSlowStoreHoldsUpNothing()
    {
        QFETCH(int, view);
        const View& one = views()[static_cast<std::size_t>(view)];
        Desk desk(one.prepare == nullptr);
        if (one.prepare != nullptr) {
            QVERIFY(desk.ready());
            desk.selectWaiting();
            QTRY_VERIFY_WITH_TIMEOUT(!desk.window->triage()->why().verbs.empty(), kLongWait);
            QTRY_VERIFY_WITH_TIMEOUT(desk.window->settled(), kLongWait);
            one.prepare(desk);
            desk.gate->close();
        }
        desk.stalls.reset();
        one.open(desk);
        QTRY_VERIFY2_WITH_TIMEOUT(!sinceWhen(*seen(*desk.window)).isEmpty(),
            qPrintable(readable(*seen(*desk.window)).join(u'\n')), kLongWait);
        QTRY_VERIFY_WITH_TIMEOUT(desk.gate->waiting() > 0, kLongWait);
        const QString wrong = falseAnswer(*seen(*desk.window));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        const QString stuck = unusable(desk);
        QVERIFY2(stuck.isEmpty(), qPrintable(stuck));
        QCOMPARE(desk.gate->callsOnWindow(), 0);
        QVERIFY(desk.gate->callsBeside() > 0);
        QVERIFY2(
            desk.stalls.stalls() == 0, qPrintable(u"stood still for %1 ms"_s.arg(desk.stalls.longestMs())));
        // And when it answers, the answer takes the place of what was said meanwhile.
        desk.gate->open();
        QTRY_VERIFY_WITH_TIMEOUT(desk.ready(), kLongWait);
        QTRY_VERIFY2_WITH_TIMEOUT(
            sinceWhen(*seen(*desk.window)).isEmpty(), qPrintable(sinceWhen(*seen(*desk.window))), kLongWait);
        QCOMPARE(desk.gate->callsOnWindow(), 0);
    }

    // Another store is tested beside everything else; the box says since when.
    void aTestOfAnotherStoreThatTakesLong()
    {
        Desk desk;
        QVERIFY(desk.ready());
        QPromise<Reply<StoreCheck>> promise;
        promise.start();
        desk.window->setStoreTester([&promise](const StoreWish&) { return promise.future(); });
        desk.act(u"file.open"_s);
        auto* box = desk.window->findChild<ConnectBox*>();
        QVERIFY(box != nullptr);
        desk.stalls.reset();
        box->findChild<QLineEdit*>()->setText(u"sqlite:/nowhere.db"_s);
        for (QPushButton* button : box->findChildren<QPushButton*>())
            if (button->text() == u"Test"_s)
                button->click();
        QTRY_VERIFY2(!sinceWhen(*box).isEmpty(), qPrintable(readable(*box).join(u'\n')));
        QVERIFY(!box->grab().isNull());
        QCOMPARE(desk.stalls.stalls(), 0);
        promise.addResult(Reply<StoreCheck>{std::nullopt, {u"it is not there"_s, {}, {}}});
        promise.finish();
        QTRY_VERIFY(sinceWhen(*box).isEmpty());
        box->reject();
    }

    void aStoreThatDiesLeavesWhatWasShown_data()
    {
        QTest::addColumn<bool>("silent");
        QTest::newRow("every call fails") << false;
        QTest::newRow("no call comes back") << true;
    }

    void aStoreThatDiesLeavesWhatWasShown()
    {
        QFETCH(bool, silent);
        Desk desk;
        QVERIFY(desk.ready());
        RunPage* page = desk.window->openRun(desk.fixture.uncertain);
        QTRY_VERIFY_WITH_TIMEOUT(page->loaded() && desk.window->settled(), kLongWait);
        const std::size_t steps = page->detail().steps.size();
        const int runs = desk.window->triage()->runsModel()->rowCount();
        QVERIFY(steps > 0 && runs > 0);
        QCOMPARE(desk.window->offlineText(), QString());
        desk.stalls.reset();
        if (silent)
            desk.gate->close();
        else
            desk.gate->kill();
        QTRY_VERIFY2_WITH_TIMEOUT(desk.window->offlineText().startsWith(u"runs does not answer ("_s),
            qPrintable(desk.window->offlineText()), kLongWait);
        static const QRegularExpression kAge(
            u"What is shown of it is \\d[^;]* old; (acts wait for it|acts in it are off)\\."_s);
        QVERIFY2(desk.window->offlineText().contains(kAge), qPrintable(desk.window->offlineText()));
        QTRY_VERIFY(readable(*desk.window).join(u'\n').contains(u"runs does not answer ("_s));
        QCOMPARE(page->detail().steps.size(), steps);
        desk.act(u"view.refresh"_s);
        desk.act(u"view.next-tab"_s);
        QApplication::processEvents();
        QCOMPARE(desk.window->triage()->runsModel()->rowCount(), runs);
        const QString stuck = unusable(desk);
        QVERIFY2(stuck.isEmpty(), qPrintable(stuck));
        const QString wrong = falseAnswer(*desk.window);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        QCOMPARE(desk.gate->callsOnWindow(), 0);
        QVERIFY2(
            desk.stalls.stalls() == 0, qPrintable(u"stood still for %1 ms"_s.arg(desk.stalls.longestMs())));
        desk.gate->open();
        QTRY_COMPARE_WITH_TIMEOUT(desk.window->offlineText(), QString(), kLongWait);
    }

    // The gate works: a call on the window's thread is seen.
    void aCallOnTheWindowIsSeen()
    {
        StoreGate gate;
        QVERIFY(gate.pass().has_value());
        QCOMPARE(gate.callsOnWindow(), 1);
    }
};

QTEST_MAIN(TestWatchdog)
#include "tst_watchdog.moc"
