// The window as an operator uses it: from the keyboard, under refresh, and against refusal.
#include "desk.h"
#include "ui/models/attentionmodel.h"
#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/dialogs/preferencesbox.h"
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
#include "ui/widgets/rowdelegate.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/whypanel.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
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
        QVERIFY(!sheet->confirm()->isEnabled());  // guarded: a reason is required
        QTest::keyClicks(sheet->reason(), u"too short"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClicks(sheet->reason(), u", but now long enough"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return);
        QCOMPARE(desk.source.executed.size(), 0U);  // a bare Enter never executes
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        const ActRequest& sent = desk.source.executed.front();
        QCOMPARE(sent.verb, cairn::Verb::Approve);
        QCOMPARE(sent.run, demoRun(1));
        QCOMPARE(sent.step, u"approve-purchase"_s);
        QVERIFY(sent.expects);
        QCOMPARE(sent.binding.bytes[0], 1);  // as the preview saw it
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
        QTRY_VERIFY(sheet->notice().contains(
            u"has changed since you looked: the input was amended by Kim Larsen."_s));
        QVERIFY(sheet->isVisible());
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(desk.source.executed.size(), 1U);  // not sent again without looking again
        sheet->lookAgain()->click();
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(sheet->reason()->toPlainText(), u"a reason that is long enough"_s);
        QVERIFY(sheet->notice().isEmpty());
    }

    void settleNeedsAResultWhereItHappened()
    {
        const Desk desk([](DemoSource& s) {
            s.store.guarded = false;
            s.detail.why.verbs = {{cairn::Verb::Settle, u"O"_s, u"Set outcome"_s, u"Say what happened"_s,
                true, u"charge-card"_s, {}}};
        });
        ActSheet* sheet = desk.sheetBy(Qt::Key_O);
        QVERIFY(sheet != nullptr);
        QVERIFY(!sheet->confirm()->isEnabled());
        sheet->result()->setText(u"{\"reference\":\"ch_58213_7Qd2\"}"_s);
        QVERIFY(!sheet->confirm()->isEnabled());  // how it was found out is asked for too
        sheet->evidence()->setText(u"card statement, line 7"_s);
        QTRY_VERIFY(sheet->confirm()->isEnabled());  // once the preview is of that
        sheet->confirm()->click();
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().result, u"{\"reference\":\"ch_58213_7Qd2\"}"_s);
        QCOMPARE(desk.source.executed.front().evidence, u"card statement, line 7"_s);
    }

    void abandonAsksForTheNumberOfRuns()
    {
        const Desk desk([](DemoSource& s) {
            s.store.guarded = false;
            s.detail.why.verbs = {
                {cairn::Verb::Cancel, {}, u"Abandon"_s, u"Stops and undoes nothing"_s, true, {}, {}, true}};
        });
        desk.key(Qt::Key_Delete);
        QVERIFY(desk.window->sheet() == nullptr);  // no letter abandons
        desk.window->openRun(demoRun(1));
        QTRY_VERIFY(desk.window->currentRun()->loaded());
        for (QAction* action : desk.window->actions())
            if (action->text() == u"Abandon…"_s)
                action->trigger();
        ActSheet* sheet = desk.window->sheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(!sheet->preview().sentence.isEmpty());
        QVERIFY(!sheet->confirm()->isEnabled());
        QTest::keyClicks(sheet->count(), u"1"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QVERIFY(sheet->confirm()->text().startsWith(u"Abandon 1 run"_s));
        sheet->confirm()->click();
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QVERIFY(!desk.source.executed.front().compensate);
    }

    void markedRunsAreActedOnOneByOne()
    {
        const Desk desk([](DemoSource& s) { s.refuse = {demoRun(2)}; });
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_Down);
        desk.key(Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(desk.window->triage()->marked().size(), 3U);
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->bulkSheet() == nullptr);
        QCOMPARE(desk.window->notice(),
            u"Approve is off for marked runs: each has to be read by itself. Esc takes the marks away."_s);
        desk.key(Qt::Key_H);
        BulkSheet* sheet = desk.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->previewed());
        QVERIFY(!sheet->confirm()->isEnabled());  // guarded: a reason is required
        QTest::keyClicks(sheet->reason(), u"month-end freeze"_s);
        QCOMPARE(sheet->confirm()->text(), u"Pause 2 runs   Ctrl Enter"_s);  // the preview leaves one out
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 2U);
        QTRY_COMPARE(
            sheet->summary(), u"Pause of 3 runs: 2 done, 0 no change, 0 refused, 0 failed, 1 left out."_s);
        QCOMPARE(desk.source.executed[0].run, demoRun(0));
        QCOMPARE(desk.source.executed[1].run, demoRun(1));
        QVERIFY(desk.source.executed[1].expects);
        QVERIFY(desk.window->triage()->marked().empty());
    }

    void nothingLeftToDoIsSaidAsZero()
    {
        const Desk desk([](DemoSource& s) { s.refuse = {demoRun(0)}; });
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_H);
        BulkSheet* sheet = desk.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->previewed());
        sheet->reason()->setPlainText(u"month-end freeze"_s);
        QVERIFY(!sheet->confirm()->isEnabled());
        QCOMPARE(sheet->confirm()->text(), u"Pause 0 runs   Ctrl Enter"_s);
        QVERIFY(textOf(sheet).contains(u"nothing to do: 0 runs take this act now"_s));
    }

    void hiddenColumnsAreNamed()
    {
        const Desk desk;
        auto* title = desk.window->triage()->findChild<QWidget*>(u"runsTitle"_s);
        QVERIFY(title != nullptr);
        desk.window->resize(2200, 900);
        QTRY_VERIFY(desk.runs()->hiddenText().isEmpty());
        desk.window->resize(1280, 720);
        QTRY_COMPARE(desk.runs()->hiddenText(), u"3 columns hidden: Step, Attempt, Money at stake"_s);
        QVERIFY(title->accessibleName().contains(u"3 columns hidden: Step, Attempt, Money at stake"_s));
        desk.window->resize(2200, 900);
        QTRY_VERIFY(desk.runs()->hiddenText().isEmpty());
        desk.runs()->setColumnWanted(RunsModel::Key, false);
        QCOMPARE(desk.runs()->hiddenText(), u"1 column hidden: Key"_s);
    }

    void countsOfTheAttentionDockAreNotCut()
    {
        const Desk desk([](DemoSource& s) { s.manyCounts = true; });
        DataTable* table = desk.window->triage()->attentionTable();
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex index = table->model()->index(row, AttentionModel::Count);
            const bool big = (index.data(LookRole).toInt() & BigLook) != 0;
            QVERIFY2(tabularWidth(typeface(big ? 20 : 13, big), index.data().toString()) + 18
                    <= table->columnWidth(AttentionModel::Count),
                qPrintable(index.data().toString()));
        }
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

    void whatWasSaidLastIsCopiedWithItsTime()
    {
        const Desk desk;
        const WindowAction* copy = desk.window->actionTable().find(u"edit.message"_s);
        QVERIFY(copy != nullptr);
        desk.key(Qt::Key_R);
        QCOMPARE(copy->whyOff(), QString());
        copy->run();
        const QString copied = QApplication::clipboard()->text();
        QVERIFY2(
            copied.endsWith(u"  Retry now is off: nothing in this run asks for it."_s), qPrintable(copied));
        QCOMPARE(copied.section(u"  "_s, 0, 0).size(), nowText().size());
        QCOMPARE(desk.window->notice(), u"Copied what was said last."_s);
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
        desk.source.all[120] = changes.lines.front();
        desk.source.all.insert(desk.source.all.begin(), fresh);
        triage->merge(changes);
        QTRY_VERIFY(desk.window->settled());
        QCOMPARE(desk.runs()->currentRow(), 120);
        QCOMPARE(desk.runs()->verticalScrollBar()->value(), scroll);
        QCOMPARE(desk.runs()->model()->index(120, RunsModel::State).data().toString(), u"Executing"_s);
        QTRY_VERIFY2(
            textOf(triage).contains(u"1 new since you looked, shown after F5"_s), qPrintable(textOf(triage)));
        triage->refresh();
        QTRY_COMPARE(desk.runs()->currentRow(), 121);  // the same run, one row further down
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
        for (int i = 0; i < 5; ++i) {
            desk.key(Qt::Key_F6);
            places << triage->place();
        }
        QCOMPARE(places.join(u' '), u"Plans Why Attention Situations Runs"_s);
    }

    void runPanelsAreReachedByF6()
    {
        const Desk desk;
        desk.key(Qt::Key_Return);
        RunPage* page = desk.window->currentRun();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->loaded());
        page->steps()->select(12);  // a step with payloads
        QStringList places;
        for (int i = 0; i < 5; ++i) {
            desk.key(Qt::Key_F6);
            places << page->place();
        }
        QCOMPARE(places.join(u' '), u"Graph Step Versions Acts Steps"_s);
        desk.key(Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(page->place(), u"Acts"_s);
        page->showView(4);
        desk.key(Qt::Key_F6);
        QCOMPARE(page->place(), u"Value"_s);
    }

    void headSaysSinceWhenAndWhatEndsIt()
    {
        const Desk desk([](DemoSource& s) { s.detail.why.since = kDemoNow - 200 * 60'000; });
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        QVERIFY(textOf(page).contains(
            u"Since 2026-11-29 07:36:20Z, 3 h 20 m ago.  Ends with: finance-lead approves or rejects."_s));
    }

    void smallPayloadsAreShownBesideTheirStep()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        page->steps()->select(12);
        const auto texts = [page] {
            QStringList all;
            for (const QPlainTextEdit* view : page->steps()->findChildren<QPlainTextEdit*>())
                if (view->isVisible())
                    all << view->toPlainText();
            return all;
        };
        QTRY_COMPARE(texts().size(), 2);
        QVERIFY(texts().front().startsWith(u"{\"account\":\"4410\""_s));
    }

    void largeRunIsNotReadOverAndOver()
    {
        Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.source.hold = true;
        const int before = desk.source.runReads;
        page->load();
        QTRY_COMPARE(desk.source.runReads, before + 1);
        for (int i = 0; i < 50; ++i)
            page->load();
        QCOMPARE(desk.source.runReads, before + 1);  // one under way, one remembered
        desk.source.release();
        QTRY_COMPARE(desk.source.runReads, before + 2);
    }

    void runPageSharesOneSelection()
    {
        const Desk desk;
        desk.key(Qt::Key_Return);
        RunPage* page = desk.window->currentRun();
        QVERIFY(page != nullptr);
        QTRY_VERIFY(page->loaded());
        StepsView* steps = page->steps();
        QCOMPARE(steps->current(), 14U);  // the wait is what one came to see
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

    void everyShapeHasItsDrawing()
    {
        for (const bool dark : {true, false}) {
            applyTheme(*qApp, dark);
            for (int g = 1; g < static_cast<int>(Glyph::Count); ++g) {
                const auto glyph = static_cast<Glyph>(g);
                const QImage drawn = glyphPixmap(glyph, 64, 1.0).toImage();
                const QRgb wanted = theme().family(familyOf(glyph)).rgb();
                int found = 0;
                for (int y = 0; y < drawn.height(); ++y)
                    for (int x = 0; x < drawn.width(); ++x)
                        found += drawn.pixel(x, y) == wanted ? 1 : 0;
                QVERIFY2(found > 40, qPrintable(glyphName(glyph)));
            }
        }
        QCOMPARE(programIcon().availableSizes().size(), 7);
        QVERIFY(programIcon().pixmap(64, 64).toImage().pixelColor(32, 12).alpha() == 255);
    }

    void highContrastHoldsSevenToOneAndOwnColoursAreSeen()
    {
        for (const bool dark : {false, true}) {
            applyTheme(*qApp, ThemeLook{.dark = dark, .contrast = true});
            const Theme& t = theme();
            for (const QColor& ground : {t.window, t.panel, t.sel, t.hover}) {
                QVERIFY2(contrastOf(t.text, ground) >= 7, qPrintable(ground.name()));
                QVERIFY2(contrastOf(t.text2, ground) >= 7, qPrintable(ground.name()));
            }
            for (const QColor& family : t.families)
                QVERIFY2(contrastOf(family, t.window) >= 7, qPrintable(family.name()));
            QVERIFY(contrastOf(t.line, t.window) > 20);
            QVERIFY(contrastOf(t.prodText, t.prodBand) >= 7);
            QVERIFY(contrastOf(t.otherText, t.otherBand) >= 7);
        }
        QCOMPARE(contrastOf(Qt::black, Qt::white), 21.0);
        // A colour of one's own is taken where it can be seen.
        ThemeLook look;
        look.own[static_cast<std::size_t>(Family::Person)] = QColor(u"#884400"_s);
        look.own[static_cast<std::size_t>(Family::Good)] = QColor(u"#eeffee"_s);
        applyTheme(*qApp, look);
        QCOMPARE(theme().family(Family::Person).name(), u"#884400"_s);
        QCOMPARE(theme().family(Family::Good).name(), u"#02805f"_s);
        const QImage drawn = glyphPixmap(Glyph::Approval, 64, 1.0).toImage();
        bool found = false;
        for (int y = 0; y < drawn.height() && !found; ++y)
            for (int x = 0; x < drawn.width() && !found; ++x)
                found = drawn.pixelColor(x, y) == QColor(u"#884400"_s);
        QVERIFY(found);
        applyTheme(*qApp, false);
    }

    void coloursAreChosenInThePreferences()
    {
        const Desk desk;
        desk.window->actionTable().find(u"edit.preferences"_s)->run();
        auto* box = desk.window->findChild<PreferencesBox*>();
        QVERIFY(box != nullptr);
        const auto person = static_cast<std::size_t>(Family::Person);
        box->takeColour(person, QColor(u"#ffffee"_s));
        QVERIFY(textOf(box).contains(u"#ffffee is not taken"_s));
        QCOMPARE(theme().family(Family::Person).name(), u"#ae4e04"_s);
        box->takeColour(person, QColor(u"#553300"_s));
        QCOMPARE(theme().family(Family::Person).name(), u"#553300"_s);
        QVERIFY(textOf(box).contains(u"On a dark ground it could not be seen"_s));
        box->findChild<QCheckBox*>(u"contrast"_s)->click();
        QCOMPARE(theme().window.name(), u"#ffffff"_s);
        QCOMPARE(theme().line.name(), u"#000000"_s);
        QCOMPARE(theme().family(Family::Person).name(), u"#553300"_s);
        QTest::mouseClick(box->findChild<QPushButton*>(u"colours-reset"_s), Qt::LeftButton);
        QCOMPARE(theme().family(Family::Person).name(), u"#7a3300"_s);
        box->findChild<QCheckBox*>(u"contrast"_s)->click();
        QCOMPARE(theme().line.name(), u"#c9ced6"_s);
        box->accept();
    }

    // Grey-scale takes every colour away: shape and word must still name every state.
    void greyPictureNamesEveryState()
    {
        const Desk desk;
        desk.window->resize(1440, 1100);  // all situations are in sight
        QApplication::processEvents();
        const QImage grey = desk.window->grab().toImage().convertToFormat(QImage::Format_Grayscale8);
        QCOMPARE(grey.size(), QSize(1440, 1100));
        DataTable* table = desk.window->triage()->situationsTable();
        QSet<QByteArray> shapes;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QModelIndex index = table->model()->index(row, SituationsModel::Wait);
            QVERIFY(!index.data().toString().isEmpty());
            const QRect cell = table->visualRect(index).translated(
                table->viewport()->mapTo(desk.window.get(), QPoint(0, 0)));
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
