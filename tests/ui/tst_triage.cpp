// The triage page: what is selected is what is told, and what is told is what is acted on.
#include "desk.h"
#include "ui/data/format.h"
#include "ui/widgets/sentence.h"

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

QString told(const Desk& desk)
{
    // Those that it told before are on their way out.
    const auto sentences = desk.window->triage()->whyPanel()->findChildren<Sentence*>();
    return sentences.isEmpty() ? QString() : sentences.constLast()->accessibleName();
}

const VerbLine kPause{cairn::Verb::Pause, u"H"_s, u"Pause"_s, u"No new step starts"_s, true, {}, {}};

}  // namespace

class TestTriage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lettersConcernTheRunThatIsSelected()
    {
        Desk desk([](DemoSource& s) { s.detail.why.verbs = {kPause}; });
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(0));
        desk.source.whys.close();
        desk.key(Qt::Key_Down);
        QCOMPARE(desk.runs()->currentRow(), 1);
        // The answer about the second run is under way: nothing of the first is told any more, or acted on.
        QVERIFY2(told(desk).startsWith(u"Reading why, since "_s), qPrintable(told(desk)));
        QVERIFY(desk.window->triage()->whyPanel()->firstVerb() == nullptr);
        desk.key(Qt::Key_H);
        QVERIFY(desk.window->sheet() == nullptr);
        QCOMPARE(desk.window->notice(), u"Pause is off: why this run waits has not been read yet."_s);
        desk.key(Qt::Key_C);
        QCOMPARE(desk.window->notice(), u"Copied "_s + cairn::ui::idText(demoRun(1)));
        desk.source.whys.open();
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(1));
        desk.key(Qt::Key_H);
        QVERIFY(desk.window->sheet() != nullptr);
        QTRY_VERIFY(!desk.source.previewed.empty());
        QCOMPARE(desk.source.previewed.back().run, demoRun(1));
    }

    void aReadThatFailedLeavesNothingToActOn()
    {
        Desk desk([](DemoSource& s) { s.detail.why.verbs = {kPause}; });
        desk.source.whys.fails = {u"The store is busy."_s, {}, u"Try again."_s};
        desk.key(Qt::Key_Down);
        QTRY_COMPARE(
            told(desk), u"Why could not be read: The store is busy. Try again. F5 reads it again."_s);
        desk.key(Qt::Key_H);
        QVERIFY(desk.window->sheet() == nullptr);
        QVERIFY(desk.window->triage()->why().run.isNull());
        desk.source.whys.fails = {};
        desk.key(Qt::Key_F5);
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(1));
        desk.key(Qt::Key_H);
        QVERIFY(desk.window->sheet() != nullptr);
        QTRY_COMPARE(desk.source.previewed.back().run, demoRun(1));
    }

    void aSlowAnswerDoesNotComeBackOverALaterOne()
    {
        Desk desk;
        desk.source.whys.close();
        desk.key(Qt::Key_Down);
        desk.key(Qt::Key_Down);
        desk.source.whys.open();
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(2));
    }

    void nothingIsToldOfARunThatTheFilterLeavesOut()
    {
        Desk desk;
        QTRY_COMPARE(desk.window->triage()->why().run, demoRun(0));
        desk.source.all.clear();
        desk.window->triage()->refresh();
        QTRY_VERIFY(desk.window->settled());
        QVERIFY(desk.window->triage()->run().isNull());
        QCOMPARE(told(desk), u"No run is selected."_s);
        desk.key(Qt::Key_A);
        QVERIFY(desk.window->sheet() == nullptr);
    }

    void aSituationThatIsOverSaysSo()
    {
        Desk desk;
        const TriagePage* triage = desk.window->triage();
        triage->situationsTable()->setFocus();
        triage->situationsTable()->setCurrentIndex(triage->situationsTable()->model()->index(1, 0));
        QTRY_VERIFY(told(desk).startsWith(u"7 runs wait for the same reason"_s));
        desk.source.over = u"1"_s;
        desk.window->triage()->refresh();
        const QString over = u"This situation is over: no run waits for this any more"_s;
        QTRY_COMPARE(told(desk), over + u". Esc shows all runs."_s);
        QTRY_VERIFY2(textOf(triage).contains(over + u"; Esc shows all runs"_s), qPrintable(textOf(triage)));
        QVERIFY(!textOf(triage).contains(u"cairn start"_s));
        const auto* title = triage->findChild<QWidget*>(u"runsTitle"_s);
        QVERIFY2(title->accessibleName().contains(u"0 in a situation that is over"_s),
            qPrintable(title->accessibleName()));
        // No other situation has been selected in its place.
        QCOMPARE(triage->situationsTable()->currentRow(), -1);
        desk.key(Qt::Key_Escape);
        QTRY_COMPARE(desk.runs()->model()->rowCount(), 200);
        QTRY_COMPARE(triage->why().run, demoRun(0));
        QVERIFY(!textOf(triage).contains(over));
    }

    void whatALimitCutsOffIsCounted()
    {
        Desk desk;
        const auto remark = [&desk] {
            QStringList names;
            for (const QWidget* widget : desk.window->triage()->findChildren<QWidget*>())
                if (widget->accessibleName().startsWith(u"Situations "_s))
                    names << widget->accessibleName();
            return names.join(u'\n');
        };
        QVERIFY2(remark().contains(u"11 shown, none hidden"_s), qPrintable(remark()));
        desk.source.cut = 37;
        desk.window->triage()->refresh();
        QTRY_VERIFY2(remark().contains(u"11 shown, 37 less urgent left out: a filter brings them in"_s),
            qPrintable(remark()));
        QVERIFY(!remark().contains(u"none hidden"_s));
    }
};

QTEST_MAIN(TestTriage)
#include "tst_triage.moc"
