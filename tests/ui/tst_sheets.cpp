// The sheets of an act: only what was previewed is sent, a preview grows old, and the outcome is told as it
// is.
#include "desk.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/bulksheet.h"
#include "ui/dialogs/reasonfield.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTimer>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

const VerbLine kPause{cairn::Verb::Pause, u"H"_s, u"Pause"_s, u"No new step starts"_s, true, {}, {}};
const VerbLine kSettle{
    cairn::Verb::Settle, u"O"_s, u"Set outcome"_s, u"Say what happened"_s, true, u"charge-card"_s, {}};

void offer(DemoSource& source, const VerbLine& verb)
{
    source.store.guarded = false;
    source.detail.why.verbs = {verb};
}

// The sheet of one act, with its preview.
ActSheet* opened(const Desk& desk, int letter)
{
    ActSheet* sheet = desk.sheetBy(letter);
    return sheet != nullptr && sheet->validity()->isActive() ? sheet : nullptr;
}

}  // namespace

class TestSheets : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTicketGoesWithTheReasonAndReasonsAreKept()
    {
        const Desk desk([](DemoSource& s) { offer(s, kPause); });
        ActSheet* sheet = opened(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        auto* field = sheet->findChild<ReasonField*>();
        QVERIFY(field != nullptr);
        ReasonTemplates::instance().setTexts(
            {u"the provider confirmed it"_s, u"  "_s, u"the provider confirmed it"_s});
        QCOMPARE(ReasonTemplates::instance().texts().size(), 1);
        QMenu* menu = field->templates()->menu();
        const auto act = [menu](const QString& text) {
            Q_EMIT menu->aboutToShow();
            for (QAction* action : menu->actions())
                if (action->text() == text)
                    return action;
            return static_cast<QAction*>(nullptr);
        };
        QVERIFY(act(u"the provider confirmed it"_s) != nullptr);
        act(u"the provider confirmed it"_s)->trigger();
        QCOMPARE(sheet->reason()->toPlainText(), u"the provider confirmed it"_s);
        QVERIFY(!act(u"Keep what is written here"_s)->isEnabled());
        QTest::keyClicks(field->ticket(), u"PAY-4471 x"_s);
        QCOMPARE(field->ticket()->text(), u"PAY-4471x"_s);  // no blanks
        field->ticket()->setText(u"PAY-4471"_s);
        QCOMPARE(field->text(), u"the provider confirmed it, PAY-4471"_s);
        QCOMPARE(field->length(), 25);                     // a ticket alone is no reason
        QTest::keyClick(field->ticket(), Qt::Key_Return);  // does not act
        QVERIFY(desk.source.executed.empty());
        QTest::keyClick(field->ticket(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().reason, u"the provider confirmed it, PAY-4471"_s);
        ReasonTemplates::instance().setTexts({});
    }

    void outcomeIsToldAsItIs_data()
    {
        QTest::addColumn<int>("end");
        QTest::addColumn<QString>("notice");
        QTest::addColumn<QString>("state");
        QTest::newRow("stale")
            << static_cast<int>(ActEnd::Stale)
            << u"Refused, because what this depends on has changed since you looked: It says so."_s
            << u"nothing was changed"_s;
        QTest::newRow("refused") << static_cast<int>(ActEnd::Refused) << u"Refused: It says so."_s
                                 << u"nothing was changed"_s;
        QTest::newRow("failed") << static_cast<int>(ActEnd::Failed) << u"Not done: It says so."_s
                                << u"the store is unchanged"_s;
        QTest::newRow("not known")
            << static_cast<int>(ActEnd::NotKnown)
            << u"Whether this was done is not known: It says so. Look again; the history tells."_s
            << u"not known whether it was done"_s;
    }

    void outcomeIsToldAsItIs()
    {
        QFETCH(int, end);
        QFETCH(QString, notice);
        QFETCH(QString, state);
        const Desk desk([end](DemoSource& s) {
            offer(s, kPause);
            s.answer = {static_cast<ActEnd>(end), u"It says so."_s, 0, 0, false};
        });
        ActSheet* sheet = opened(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        sheet->confirm()->click();
        QTRY_COMPARE(sheet->notice(), notice);
        QCOMPARE(sheet->state(), state);
        QVERIFY(!sheet->confirm()->isEnabled());
        QVERIFY(sheet->lookAgain()->isVisible());
    }

    void aFailureTellsTheStoresState()
    {
        Desk desk([](DemoSource& s) { offer(s, kPause); });
        ActSheet* sheet = opened(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        desk.source.actGate.fails = {u"The connection broke."_s, u"Whether it was written is not known."_s,
            u"Look again; the history tells."_s, false, true};
        sheet->confirm()->click();
        QTRY_COMPARE(sheet->notice(),
            u"The connection broke. Whether it was written is not known. Look again; the history tells."_s);
        const auto* shown = sheet->findChild<SheetNotice*>();
        QVERIFY(shown != nullptr && shown->notKnown());  // with the hexagon of what is uncertain
        QCOMPARE(sheet->state(), u"Whether it was written is not known."_s);
    }

    void aPreviewLastsLongerOnce()
    {
        const Desk desk([](DemoSource& s) { offer(s, kPause); });
        ActSheet* sheet = opened(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        QPushButton* more = sheet->validity()->more();
        QVERIFY(!more->isVisible());
        QTest::keyClicks(sheet->reason(), u"month-end freeze"_s);
        const QString before = sheet->state();
        sheet->validity()->warn();  // as in its last minute
        QVERIFY(more->isVisible());
        QTest::mouseClick(more, Qt::LeftButton);
        QVERIFY(!more->isVisible());
        QVERIFY(sheet->validity()->remainingTime() > kPreviewValidMs);
        QCOMPARE(sheet->validity()->lastsMs(), 2 * kPreviewValidMs);
        QCOMPARE(sheet->reason()->toPlainText(), u"month-end freeze"_s);
        QVERIFY(sheet->confirm()->isEnabled());
        QVERIFY2(sheet->state() != before && sheet->state().contains(u"valid until"_s),
            qPrintable(sheet->state()));
        sheet->validity()->warn();
        QVERIFY(!more->isVisible());  // once
        // A preview that has ended is looked at again, and its successor may last longer too.
        sheet->validity()->start(0);
        QTRY_VERIFY(!sheet->confirm()->isEnabled());
        sheet->lookAgain()->click();
        QTRY_VERIFY(sheet->validity()->isActive());
        sheet->validity()->warn();
        QVERIFY(more->isVisible());
    }

    void onlyWhatWasPreviewedIsSent()
    {
        Desk desk([](DemoSource& s) { offer(s, kSettle); });
        ActSheet* sheet = opened(desk, Qt::Key_O);
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->outcomes()->checkedButton()->hasFocus());  // what is decided first
        QTest::keyClicks(sheet->evidence(), u"statement 7"_s);
        QTest::keyClicks(sheet->result(), u"{\"reference\":1}"_s);
        // What stands there has not been previewed: neither the button nor the keys send it.
        QVERIFY(!sheet->confirm()->isEnabled());
        QVERIFY(!sheet->validity()->isActive());
        QTest::keyClick(sheet->result(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(desk.source.executed.size(), 0U);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(desk.source.previewed.back().result, u"{\"reference\":1}"_s);
        QCOMPARE(desk.source.previewed.back().evidence, u"statement 7"_s);
        // An answer about an earlier text does not make a later one ready.
        desk.source.sheets.close();
        QTest::keyClicks(sheet->result(), u" "_s);
        const std::size_t asked = desk.source.previewed.size();
        QTRY_COMPARE(desk.source.previewed.size(), asked + 1);
        QTest::keyClick(sheet->result(), Qt::Key_Backspace);
        desk.source.sheets.open();
        QCoreApplication::processEvents();
        QVERIFY(!sheet->confirm()->isEnabled());
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QTest::keyClick(sheet->result(), Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().result, desk.source.previewed.back().result);
        QCOMPARE(desk.source.executed.front().evidence, desk.source.previewed.back().evidence);
        QCOMPARE(desk.source.executed.front().settleAs, desk.source.previewed.back().settleAs);
    }

    // By number where nothing is typed, by Alt and number everywhere; what is off says why and is not chosen.
    void numbersChooseTheOutcome()
    {
        Desk desk([](DemoSource& s) {
            offer(s, kSettle);
            s.adjust = [](ActPreview& p) {
                p.outcomes = {{Outcome::Happened, true, {}}, {Outcome::NotHappened, true, {}},
                    {Outcome::RepeatSameKey, false, u"the tool does not promise it"_s},
                    {Outcome::Compensate, true, {}}, {Outcome::Park, true, {}}};
            };
        });
        ActSheet* sheet = opened(desk, Qt::Key_O);
        QVERIFY(sheet != nullptr);
        const auto chosen = [sheet] { return static_cast<Outcome>(sheet->outcomes()->checkedId()); };
        QTRY_VERIFY(sheet->outcomes()->checkedButton()->hasFocus());
        QCOMPARE(chosen(), Outcome::Happened);
        QTest::keyClick(sheet->outcomes()->checkedButton(), Qt::Key_2);
        QCOMPARE(chosen(), Outcome::NotHappened);
        QVERIFY(sheet->evidence()->hasFocus());
        QCOMPARE(
            desk.source.previewed.back().settleAs, Outcome::NotHappened);  // another preview was asked for
        // In an editor a digit is text.
        QTest::keyClick(sheet->evidence(), Qt::Key_4);
        QCOMPARE(sheet->evidence()->text(), u"4"_s);
        QCOMPARE(chosen(), Outcome::NotHappened);
        QTRY_VERIFY(sheet->settled());
        sheet->outcomes()->checkedButton()->setFocus();
        QTest::keyClick(sheet->outcomes()->checkedButton(), Qt::Key_3);
        QCOMPARE(chosen(), Outcome::NotHappened);
        QCOMPARE(sheet->state(), u"3 is off: the tool does not promise it"_s);
        QTest::keyClick(sheet->outcomes()->checkedButton(), Qt::Key_6);  // there is none
        QCOMPARE(chosen(), Outcome::NotHappened);
        QTest::keyClick(sheet->outcomes()->checkedButton(), Qt::Key_5);
        QCOMPARE(chosen(), Outcome::Park);
        QVERIFY(sheet->reason()->hasFocus());
        QCOMPARE(desk.source.executed.size(), 0U);  // a number executes nothing
        const QList<QAbstractButton*> options = sheet->outcomes()->buttons();
        for (int i = 0; i < options.size(); ++i)
            QCOMPARE(options.at(i)->shortcut(), QKeySequence(u"Alt+%1"_s.arg(i + 1)));
    }

    void aSheetThatSendsStaysOpen()
    {
        Desk desk([](DemoSource& s) { offer(s, kPause); });
        const QPointer<ActSheet> sheet = opened(desk, Qt::Key_H);
        QVERIFY(!sheet.isNull());
        desk.source.actGate.close();
        sheet->confirm()->click();
        QCOMPARE(desk.source.executed.size(), 1U);
        QVERIFY(!sheet->validity()->isActive());
        QVERIFY(sheet->reason()->isReadOnly());
        QTest::keyClick(sheet->reason(), Qt::Key_Escape);
        sheet->close();
        QCoreApplication::processEvents();
        QVERIFY(!sheet.isNull() && sheet->isVisible());
        QCOMPARE(sheet->state(), u"sending: this stays open until the outcome is known"_s);
        desk.source.actGate.open();
        QTRY_VERIFY(sheet.isNull());
        QVERIFY2(
            desk.window->notice().startsWith(desk.source.answer.text), qPrintable(desk.window->notice()));
    }

    void aSheetThatWasRefusedCanBeClosed()
    {
        Desk desk([](DemoSource& s) {
            offer(s, kPause);
            s.answer = {ActEnd::NotKnown, u"The connection broke."_s, 0, 0, false};
        });
        const QPointer<ActSheet> sheet = opened(desk, Qt::Key_H);
        QVERIFY(!sheet.isNull());
        sheet->confirm()->click();
        QTRY_VERIFY(!sheet->notice().isEmpty());
        QTest::keyClick(sheet->reason(), Qt::Key_Escape);
        QTRY_VERIFY(sheet.isNull());
    }

    void aPreviewGrowsOld()
    {
        const Desk desk([](DemoSource& s) { offer(s, kPause); });
        ActSheet* sheet = opened(desk, Qt::Key_H);
        QVERIFY(sheet != nullptr);
        QCOMPARE(sheet->validity()->interval(), 5 * 60 * 1000);
        QVERIFY(sheet->confirm()->isEnabled());
        sheet->validity()->start(0);
        QTRY_VERIFY(!sheet->confirm()->isEnabled());
        QCOMPARE(sheet->state(), u"nothing was sent"_s);
        QVERIFY(sheet->notice().startsWith(u"The preview is older than five minutes."_s));
    }

    void aPreviewOfSeveralGrowsOldToo()
    {
        Desk desk([](DemoSource& s) { s.store.guarded = false; });
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_Down, Qt::ShiftModifier);
        desk.key(Qt::Key_H);
        BulkSheet* sheet = desk.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QVERIFY(sheet->validity()->isActive());
        QCOMPARE(sheet->validity()->interval(), 5 * 60 * 1000);
        QVERIFY(!sheet->lookAgain()->isVisible());
        sheet->validity()->start(0);
        QTRY_VERIFY(!sheet->confirm()->isEnabled());
        QVERIFY(textOf(sheet).contains(
            u"the preview is older than five minutes, and nothing was sent: look again before you act"_s));
        QTest::keyClick(sheet->reason(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(desk.source.executed.size(), 0U);
        // Looking again asks anew for every run, and leaves out what takes the act no more.
        const std::size_t asked = desk.source.previewed.size();
        desk.source.refuse = {demoRun(1)};
        sheet->lookAgain()->click();
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        QCOMPARE(desk.source.previewed.size(), asked + 2);
        QCOMPARE(sheet->confirm()->text(), u"Pause 1 run   Ctrl Enter"_s);
        QVERIFY(!sheet->lookAgain()->isVisible());
        QVERIFY(sheet->validity()->isActive());
        QCOMPARE(sheet->validity()->interval(), 5 * 60 * 1000);
        sheet->confirm()->click();
        QVERIFY(!sheet->validity()->isActive());
        QTRY_COMPARE(desk.source.executed.size(), 1U);
        QCOMPARE(desk.source.executed.front().run, demoRun(0));
    }

    // What each preview counts, or has at stake, is told as a sum; never across currencies.
    void severalAreAddedUp()
    {
        Desk desk([](DemoSource& s) {
            s.store.guarded = false;
            s.adjust = [](ActPreview& p) {
                const bool first = p.request.run == demoRun(0);
                const bool other = p.request.run == demoRun(2);
                const QString steps = first ? u"3 steps that have not begun are cancelled"_s
                                            : u"1 step that has not begun is cancelled"_s;
                const QString undo = u"the effect of step \"pay\" is undone"_s;
                const QString amount = first ? u"249.90 EUR"_s : other ? u"10.00 USD"_s : u"88.00 EUR"_s;
                p.willHappen = {u"the run is cancelled"_s, steps, undo + u", "_s + amount};
                p.mayRepeat.clear();
                p.sums = {
                    {steps, {}, first ? quint64(3) : quint64(1), u"step that has not begun is cancelled"_s,
                        u"steps that have not begun are cancelled"_s, 0, {}},
                    {p.willHappen.back(), undo, 0, {}, {},
                        first       ? 249'900'000
                            : other ? 10'000'000
                                    : 88'000'000,
                        other ? u"USD"_s : u"EUR"_s}};
            };
        });
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_Down, Qt::ShiftModifier);
        desk.key(Qt::Key_Down, Qt::ShiftModifier);
        desk.key(Qt::Key_Delete);
        BulkSheet* sheet = desk.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        const QStringList lines = textOf(sheet).split(u'\n');
        QVERIFY2(lines.contains(u"the run is cancelled (3 runs)"_s), qPrintable(lines.join(u'|')));
        QVERIFY2(lines.contains(u"5 steps that have not begun are cancelled, in 3 runs"_s),
            qPrintable(lines.join(u'|')));
        QVERIFY2(lines.contains(u"the effect of step \"pay\" is undone (2 runs), 337.90 EUR together"_s),
            qPrintable(lines.join(u'|')));
        QVERIFY2(lines.contains(u"the effect of step \"pay\" is undone, 10.00 USD"_s),
            qPrintable(lines.join(u'|')));
    }

    void severalCountWhatIsNotKnown()
    {
        Desk desk([](DemoSource& s) { s.store.guarded = false; });
        desk.source.actGate.fails = {
            u"The connection broke."_s, u"Whether it was written is not known."_s, {}, false, true};
        desk.key(Qt::Key_Space);
        desk.key(Qt::Key_H);
        BulkSheet* sheet = desk.window->bulkSheet();
        QVERIFY(sheet != nullptr);
        QTRY_VERIFY(sheet->confirm()->isEnabled());
        sheet->confirm()->click();
        QTRY_COMPARE(sheet->summary(),
            u"Pause of 1 run: 0 done, 0 no change, 0 refused, 0 failed, 1 not known, 0 left out."_s);
    }
};

QTEST_MAIN(TestSheets)
#include "tst_sheets.moc"
