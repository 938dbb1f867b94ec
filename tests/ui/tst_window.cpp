// The window as an operator uses it: from the keyboard, under refresh, and against refusal.
#include "demosource.h"
#include "ui/models/attentionmodel.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
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
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

// A window on the demo source, shown and filled.
struct Desk {
    explicit Desk(std::function<void(DemoSource&)> prepare = {})
    {
        if (prepare)
            prepare(source);
        applyTheme(*qApp, false);
        window = std::make_unique<MainWindow>(source, false);
        window->resize(1440, 900);
        window->show();
        QSignalSpy ready(window.get(), &MainWindow::ready);
        window->start();
        if (ready.isEmpty())
            ready.wait(2000);
        window->setPolling(false);
        static_cast<void>(QTest::qWaitFor([this] { return window->settled() && runs()->currentRow() >= 0 && verbs() > 0
            && window->triage()->whyPanel()->firstVerb()->isVisible(); }, 3000));
        window->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window.get(), 3000));
        runs()->setFocus();
    }
    [[nodiscard]] DataTable* runs() const { return window->triage()->runsTable(); }
    [[nodiscard]] std::size_t verbs() const { return window->triage()->why().verbs.size(); }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(focus != nullptr ? focus : window->focusWidget(), static_cast<Qt::Key>(key), modifiers);
    }
    // Opens the sheet by a letter and waits for its preview.
    [[nodiscard]] ActSheet* sheetBy(int letter) const
    {
        key(letter);
        ActSheet* sheet = window->sheet();
        if (sheet != nullptr)
            static_cast<void>(QTest::qWaitFor([sheet] { return !sheet->preview().sentence.isEmpty(); }, 2000));
        return sheet;
    }

    DemoSource source;
    std::unique_ptr<MainWindow> window;
};

QString textOf(const QWidget* widget)
{
    QStringList all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all << label->text();
    return all.join(u'\n');
}

}  // namespace

class TestWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keyboardDrivesApproveFromTriageToSheet()
    {
        const Desk desk;
        desk.key(Qt::Key_Down);
        QCOMPARE(desk.runs()->currentRow(), 1);
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(1));
        ActSheet* sheet = desk.sheetBy(Qt::Key_A);
        QVERIFY(sheet != nullptr);
        QVERIFY(textOf(sheet).contains(u"What would be sent"_s));
        QVERIFY(!sheet->confirm()->isEnabled());   // guarded: a reason is required
        QTest::keyClicks(sheet->reason(), u"too short"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClicks(sheet->reason(), u", but now long enough"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return);
        QCOMPARE(desk.source.executed.size(), 0U);   // a bare Enter never executes
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        const ActRequest& sent = desk.source.executed.front();
        QCOMPARE(sent.verb, cairn::Verb::Approve);
        QCOMPARE(sent.run, demoRun(1));
        QCOMPARE(sent.step, u"approve-purchase"_s);
        QVERIFY(sent.expects);
        QCOMPARE(sent.binding.bytes[0], 1);   // as the preview saw it
        QVERIFY(sent.reason.startsWith(u"too short, but now"_s));
        QTRY_VERIFY(desk.window->sheet() == nullptr);
        QVERIFY(desk.window->notice().contains(u"Audit entry 18 443"_s)
                || desk.window->notice().contains(QString(u"Audit entry 18"_s + QChar(0x2009) + u"443"_s)));
    }

    void sheetRefusesStale()
    {
        const Desk desk([](DemoSource& s) {
            s.answer = {ActEnd::Stale, u"the input was amended by Kim Larsen."_s, 0, 0, false};
        });
        ActSheet* sheet = desk.sheetBy(Qt::Key_A);
        QVERIFY(sheet != nullptr);
        sheet->reason()->setPlainText(u"a reason that is long enough"_s);
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY(sheet->notice().contains(u"has changed since you looked: the input was amended by Kim Larsen."_s));
        QVERIFY(sheet->isVisible());
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(desk.source.executed.size(), 1U);   // not sent again without looking again
        sheet->lookAgain()->click();
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->reason()->toPlainText(), u"a reason that is long enough"_s);
        QVERIFY(sheet->notice().isEmpty());
    }

    void settleNeedsAResultWhereItHappened()
    {
        const Desk desk([](DemoSource& s) {
            s.store.guarded = false;
            s.detail.why.verbs = {{cairn::Verb::Settle, u"O"_s, u"Set outcome"_s, u"Say what happened"_s, true, u"charge-card"_s, {}}};
        });
        ActSheet* sheet = desk.sheetBy(Qt::Key_O);
        QVERIFY(sheet != nullptr);
        QVERIFY(!sheet->confirm()->isEnabled());
        auto* result = sheet->findChild<QLineEdit*>();
        result->setText(u"{\"reference\":\"ch_58213_7Qd2\"}"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        sheet->confirm()->click();
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().result, u"{\"reference\":\"ch_58213_7Qd2\"}"_s);
    }

    void lettersInTheFilterDoNotAct()
    {
        const Desk desk;
        desk.key(Qt::Key_Slash);
        QVERIFY(desk.window->triage()->filterBox()->edit()->hasFocus());
        QTest::keyClicks(QApplication::focusWidget(), u"ax"_s);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->triage()->filterBox()->filter(), u"ax"_s);
    }

    void offVerbsSayWhy()
    {
        const Desk desk;
        desk.key(Qt::Key_O);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Set outcome is off: no effect is uncertain in this run"_s);
        desk.key(Qt::Key_R);
        QCOMPARE(desk.window->notice(), u"Retry now is off: nothing in this run asks for it."_s);
    }

    void lookOnlyOpensNoSheet()
    {
        const Desk desk([](DemoSource& s) {
            s.store.mayAct = false;
            s.store.whyNot = u"the file belongs to another user"_s;
        });
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Approve is off: the file belongs to another user"_s);
    }

    void refreshKeepsSelectionAndScroll()
    {
        Desk desk;
        TriagePage* triage = desk.window->triage();
        desk.runs()->setCurrentIndex(desk.runs()->model()->index(120, 0));
        desk.runs()->verticalScrollBar()->setValue(2900);
        const int scroll = desk.runs()->verticalScrollBar()->value();
        QVERIFY(scroll > 0);
        const QSignalSpy reset(desk.runs()->model(), &QAbstractItemModel::modelReset);
        ChangeSet changes;
        changes.at = kDemoNow + 1000;
        changes.lines.push_back(desk.source.all[120]);
        changes.lines.back().word = u"Executing"_s;
        RunLine fresh;
        fresh.run = demoRun(5000);
        changes.lines.push_back(fresh);
        triage->merge(changes);
        QTRY_VERIFY(desk.window->settled());
        QCOMPARE(desk.runs()->currentRow(), 120);
        QCOMPARE(desk.runs()->verticalScrollBar()->value(), scroll);
        QCOMPARE(desk.runs()->model()->index(120, RunsModel::State).data().toString(), u"Executing"_s);
        QVERIFY(textOf(triage).contains(u"1 new or changed since you looked, shown after F5"_s));
        desk.source.all.insert(desk.source.all.begin(), fresh);
        triage->refresh();
        QTRY_COMPARE(desk.runs()->currentRow(), 121);   // the same run, one row further down
        QCOMPARE(reset.count(), 0);
    }

    void filterErrorsKeepTheTables()
    {
        const Desk desk;
        FilterBox* box = desk.window->triage()->filterBox();
        box->setFilter(u"bad:x"_s);
        QTRY_VERIFY(textOf(box).contains(u"not valid at 1: no such field: bad"_s));
        QCOMPARE(desk.window->triage()->situationsTable()->model()->rowCount(), 11);
    }

    void attentionWritesTheFilter()
    {
        const Desk desk;
        DataTable* attention = desk.window->triage()->attentionTable();
        attention->setFocus();
        attention->setCurrentIndex(attention->model()->index(1, 0));
        QTest::keyClick(attention, Qt::Key_Return);
        QCOMPARE(desk.window->triage()->filterBox()->filter(), u"wait:u"_s);
        QTRY_VERIFY(textOf(desk.window->triage()).contains(u"valid · leaves"_s));
    }

    void panelsAreReachedByF6()
    {
        const Desk desk;
        const TriagePage* triage = desk.window->triage();
        QStringList places;
        for (int i = 0; i < 4; ++i) {
            desk.key(Qt::Key_F6);
            places << triage->place();
        }
        QCOMPARE(places.join(u' '), u"Why Attention Situations Runs"_s);
    }

    void runPageSharesOneSelection()
    {
        const Desk desk;
        desk.key(Qt::Key_Return);
        RunPage* page = desk.window->currentRun();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->loaded());
        StepsView* steps = page->steps();
        QCOMPARE(steps->current(), 14U);   // the wait is what one came to see
        steps->table()->setCurrentIndex(steps->table()->model()->index(2, 0));
        QCOMPARE(steps->graph()->currentNode(), steps->graph()->scene().graph.nodeOf.at(2));
        steps->graph()->choose(steps->graph()->scene().graph.nodeOf.at(12));
        QCOMPARE(steps->table()->currentRow(), 12);
        QTest::keyClick(steps->table(), Qt::Key_E);
        QCOMPARE(steps->current(), 14U);
        page->load();
        QTRY_COMPARE(steps->current(), 14U);
        desk.key(Qt::Key_Escape);
        QVERIFY(desk.window->currentRun() == nullptr);
    }

    void answersAfterATabIsClosedAreDropped()
    {
        const Desk desk;
        QPromise<Reply<quint64>> late;
        late.start();
        auto context = std::make_unique<QObject>();
        int called = 0;
        whenDone(late.future(), context.get(), [&called](const Reply<quint64>&) { ++called; });
        context.reset();
        late.addResult(Reply<quint64>{7, {}});
        late.finish();
        QApplication::processEvents();
        QCOMPARE(called, 0);
    }

    void payloadSaysTypeAndSizeAndClips()
    {
        const Desk desk([](DemoSource& s) {
            PayloadLine big;
            big.id.bytes[3] = 5;
            big.title = u"output of export"_s;
            big.media = u"text/plain"_s;
            big.size = 20 * 1024 * 1024;
            s.detail.payloads = {big};
        });
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->showView(4);
        page->data()->openPayload(desk.source.detail.payloads.front());
        QVERIFY(page->data()->headText().startsWith(u"text/plain · 20.0 MiB"_s));
        QTRY_COMPARE(page->data()->viewer()->toPlainText().size(), kPayloadShown);
        QVERIFY(textOf(page->data()).contains(u"19.9 MiB more not shown."_s));
    }

    void historyIsReadInPages()
    {
        const Desk desk([](DemoSource& s) { s.detail.version = 450; });
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->showView(3);
        QTRY_COMPARE(page->history()->table()->model()->rowCount(), 200);
        page->history()->table()->scrollToBottom();
        QTRY_VERIFY(page->history()->table()->model()->rowCount() >= 400);
    }

    // Grey-scale takes every colour away: shape and word must still name every state.
    void greyPictureNamesEveryState()
    {
        const Desk desk;
        const QImage grey = desk.window->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
        QCOMPARE(grey.size(), QSize(1440, 900));
        DataTable* table = desk.window->triage()->situationsTable();
        QSet<QByteArray> shapes;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex index = table->model()->index(row, SituationsModel::Wait);
            QVERIFY(!index.data().toString().isEmpty());
            const QRect cell = table->visualRect(index).translated(table->viewport()->mapTo(desk.window.get(), QPoint(0, 0)));
            QSet<int> tones;
            QByteArray shape;
            for (int y = cell.top() + 4; y < cell.bottom() - 4; ++y)
                for (int x = cell.left() + 12; x < cell.left() + 26; ++x) {
                    const int tone = qGray(grey.pixel(x, y));
                    tones.insert(tone);
                    shape.append(tone < 160 ? '#' : '.');
                }
            QVERIFY2(tones.size() > 3, qPrintable(index.data().toString()));
            shapes.insert(shape);
        }
        // Two situations share "limit"; all others have a shape of their own, without any colour.
        QCOMPARE(shapes.size(), 10);
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
