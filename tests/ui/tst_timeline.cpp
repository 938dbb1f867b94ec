// What the timeline draws, to the pixel and the millisecond; its folds, its zoom, its list twin.
#include "desk.h"
#include "ui/models/attemptsmodel.h"
#include "ui/models/runviewmodels.h"
#include "ui/pages/runpage.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/timelineview.h"
#include "ui/widgets/timeline/timelinecanvas.h"
#include "ui/widgets/timeline/timelinelegend.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QPushButton>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

StepLine stepWith(
    quint32 ix, const QString& id, const QString& agent, qint64 ready, std::vector<AttemptLine> tries)
{
    StepLine step;
    step.ix = ix;
    step.id = id;
    step.agent = agent;
    step.glyph = Glyph::Done;
    step.begun = true;
    step.finished = !tries.empty() && tries.back().endedAt != 0;
    step.readyAt = ready;
    step.startedAt = tries.empty() ? 0 : tries.front().startedAt;
    step.endedAt = step.finished ? tries.back().endedAt : 0;
    step.tries = std::move(tries);
    return step;
}

AttemptLine attempt(quint32 number, qint64 started, qint64 ended, Glyph glyph = Glyph::Done)
{
    AttemptLine line;
    line.number = number;
    line.startedAt = started;
    line.endedAt = ended;
    line.glyph = glyph;
    return line;
}

}  // namespace

class TestTimeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void queueAndRunAreTwoSegments()
    {
        const Timeline t =
            timelineOf({stepWith(0, u"pay"_s, u"finance"_s, 10'000,
                           {attempt(1, 10'900, 40'900, Glyph::Cancelled), attempt(2, 49'100, 50'300)})},
                {}, 60'000);
        QCOMPARE(t.lanes.size(), 1U);
        const std::vector<LaneSpan>& spans = t.lanes[0].rows[0].spans;
        QCOMPARE(spans.size(), 4U);
        QCOMPARE(spans[0].kind, SpanKind::Queued);
        QCOMPARE(spans[0].from, 10'000);
        QCOMPARE(spans[0].to, 10'900);
        QCOMPARE(spans[1].kind, SpanKind::Ran);
        QCOMPARE(spans[1].to, 40'900);
        // How much of it was back-off is not recorded, so it is no queue wait.
        QCOMPARE(spans[2].kind, SpanKind::Between);
        QCOMPARE(spans[2].to, 49'100);
        QCOMPARE(spans[3].kind, SpanKind::Ran);
        QCOMPARE(spans[3].attempt, 1U);
        QCOMPARE(t.lanes[0].queued, 900);
        QCOMPARE(t.lanes[0].ran, 30'000 + 1'200);
        QVERIFY(!t.lanes[0].more);
        QCOMPARE(t.from, 10'000);
        QCOMPARE(t.to, 50'300);
    }

    void whatGoesOnEndsNow()
    {
        const Timeline t = timelineOf(
            {stepWith(0, u"run"_s, u"a"_s, 1'000, {attempt(1, 1'000, 0, Glyph::Running)})}, {}, 9'000);
        const std::vector<LaneSpan>& spans = t.lanes[0].rows[0].spans;
        QCOMPARE(spans.size(), 1U);  // it was not queued at all
        QVERIFY(spans[0].open);
        QCOMPARE(spans[0].to, 9'000);
        QVERIFY(t.lanes[0].more);
    }

    void clocksThatDifferMakeNoNegativeBar()
    {
        const Timeline t =
            timelineOf({stepWith(0, u"s"_s, u"a"_s, 5'000, {attempt(1, 1'800, 4'000)})}, {}, 9'000);
        const std::vector<LaneSpan>& spans = t.lanes[0].rows[0].spans;
        QCOMPARE(spans.size(), 2U);
        QCOMPARE(spans[0].doubt, 3'200);
        QCOMPARE(spans[0].to, spans[0].from);
    }

    void lanesAreOneForEachAgentInTheOrderOfTheirBeginning()
    {
        const Timeline t =
            timelineOf({stepWith(0, u"b1"_s, u"buyer"_s, 5'000, {attempt(1, 5'000, 6'000)}),
                           stepWith(1, u"s1"_s, u"scout"_s, 1'000, {attempt(1, 1'000, 2'000)}),
                           stepWith(2, u"b0"_s, u"buyer"_s, 3'000, {attempt(1, 3'000, 4'000)}), StepLine()},
                {{7, 2'500, u"Kim Larsen"_s, u"Skip"_s, {}, {}, u"applied"_s, true, 3},
                    {8, 99'000, u"Kim Larsen"_s, u"Pause"_s, {}, {}, u"applied"_s, true, 9}},
                9'000);
        QCOMPARE(t.lanes.size(), 2U);
        QCOMPARE(t.lanes[0].name, u"scout"_s);
        QCOMPARE(t.lanes[1].rows[0].title, u"b0"_s);
        QCOMPARE(t.lanes[1].rows[1].title, u"b1"_s);
        QCOMPARE(t.notBegun, 1U);
        QCOMPARE(t.acts.size(), 1U);  // the other was not done yet at that time
        QCOMPARE(t.acts[0].initials, u"KL"_s);
        QCOMPARE(t.acts[0].text, u"Kim Larsen skip"_s);
    }

    void idleTimeIsFoldedAndComesBackToTheSamePlace()
    {
        const Timeline t =
            timelineOf({stepWith(0, u"a"_s, u"x"_s, 0 + 1'000, {attempt(1, 1'000, 101'000)}),
                           stepWith(1, u"b"_s, u"x"_s, 1'101'000, {attempt(1, 1'101'000, 1'201'000)})},
                {}, 1'201'000);
        const auto gaps = idleGaps(t, kIdleFolded);
        QCOMPARE(gaps.size(), 1U);
        QCOMPARE(gaps[0].from, 101'000);
        QCOMPARE(gaps[0].to, 1'101'000);
        QVERIFY(idleGaps(t, 1'000'001).empty());
        const TimeScale scale(t.from, t.to, gaps, 434);  // 200 s in 400 px, and the fold
        QCOMPARE(scale.x(1'000), 0.0);
        QCOMPARE(scale.x(101'000), 200.0);
        QCOMPARE(scale.x(601'000), 217.0);  // the middle of the fold
        QCOMPARE(scale.x(1'101'000), 234.0);
        QCOMPARE(scale.x(1'201'000), 434.0);
        for (const qint64 time : {1'000LL, 51'000LL, 101'000LL, 601'000LL, 1'151'000LL})
            QCOMPARE(scale.time(scale.x(time)), time);
        QCOMPARE(scale.tick(90), 60'000);  // 2 px a second
    }

    void aWaitIsIdleButItsEndsAreSeen()
    {
        StepLine timer;
        timer.id = u"timer"_s;
        timer.ix = 1;
        timer.begun = true;
        timer.glyph = Glyph::Timer;
        timer.readyAt = 2'000;
        timer.endedAt = 2'002'000;
        timer.finished = true;
        const Timeline t =
            timelineOf({stepWith(0, u"a"_s, {}, 1'000, {attempt(1, 1'000, 2'000)}), timer}, {}, 3'000'000);
        const auto gaps = idleGaps(t, kIdleFolded);
        QCOMPARE(gaps.size(), 1U);
        QCOMPARE(gaps[0].from, 2'000);
        QCOMPARE(gaps[0].to, 2'002'000);
        QCOMPARE(t.lanes[0].rows[1].spans[0].kind, SpanKind::Waits);
    }

    void oneSelectionInStepsAndTimeline()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_2);
        TimelineView* view = page->timeline();
        QVERIFY(view->isVisible());
        QVERIFY(view->canvas()->hasFocus());
        QTRY_VERIFY(!view->canvas()->timeline().acts.empty());
        const auto& places = view->canvas()->places();
        const int here = view->canvas()->currentPlace();
        QVERIFY(here >= 0);  // the wait that was selected among the steps
        desk.key(Qt::Key_Home);
        QCOMPARE(view->canvas()->currentPlace(), 0);  // an act
        QCOMPARE(page->steps()->current(), 14U);      // which is no step
        while (places[static_cast<std::size_t>(view->canvas()->currentPlace())].lane < 0)
            desk.key(Qt::Key_Down);
        QCOMPARE(page->steps()->current(), 0U);  // read-request became ready first
        page->steps()->select(12);
        const auto& place = places[static_cast<std::size_t>(view->canvas()->currentPlace())];
        QCOMPARE(view->canvas()
                     ->timeline()
                     .lanes[static_cast<std::size_t>(place.lane)]
                     .rows[static_cast<std::size_t>(place.row)]
                     .step,
            12U);
    }

    void keysZoomAndFit()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_2);
        TimelineCanvas* canvas = page->timeline()->canvas();
        QCOMPARE(canvas->zoom(), 1.0);
        desk.key(Qt::Key_Plus);
        QCOMPARE(canvas->zoom(), 1.5);
        desk.key(Qt::Key_Plus);
        desk.key(Qt::Key_Minus);
        QCOMPARE(canvas->zoom(), 1.5);
        desk.key(Qt::Key_0);
        QCOMPARE(canvas->zoom(), 1.0);
        QVERIFY(page->timeline()->isVisible());  // 0 is no view
        desk.key(Qt::Key_Minus);
        QCOMPARE(canvas->zoom(), 1.0);  // all of it is the least
        const double folded = static_cast<double>(canvas->scale().folded().size());
        page->timeline()->setIdleShown(true);
        QVERIFY(canvas->scale().folded().empty());
        page->timeline()->setIdleShown(false);
        QCOMPARE(static_cast<double>(canvas->scale().folded().size()), folded);
    }

    void legendNamesEachMarkAndTheSelectedStepIsToldBelow()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_2);
        TimelineView* view = page->timeline();
        QVERIFY(view->legend()->isVisible());
        QCOMPARE(view->legend()->words(),
            (QStringList{u"queued"_s, u"ran"_s, u"between attempts"_s, u"waits"_s, u"idle, folded"_s,
                u"a person acted"_s}));
        QVERIFY(view->legend()->accessibleDescription().contains(u"thin bar with a tick: queued"_s));
        QVERIFY(view->legend()->x() + view->legend()->width() <= view->width());
        page->steps()->select(12);
        QVERIFY2(view->selectedText().contains(
                     u"reserve-budget Complete · Repeatable · If this is run again: suppressed."_s),
            qPrintable(view->selectedText()));
        AttemptsModel* attempts = view->attempts();
        QCOMPARE(attempts->rowCount(), 2);
        // Ready after its first attempt began, by a clock that differs: no negative number is shown.
        QVERIFY(
            attempts->index(0, AttemptsModel::Waited).data().toString().startsWith(u"clock differs by "_s));
        QCOMPARE(attempts->index(1, AttemptsModel::Waited).data().toString(), u"10.0 s"_s);
        QCOMPARE(attempts->index(1, AttemptsModel::Ran).data().toString(), u"2.0 s"_s);
        desk.window->resize(900, 700);
        QTRY_VERIFY(!view->legend()->isVisible());  // the title keeps its room
    }

    void whereNothingIsFoldedThatIsSaid()
    {
        TimelineView view;
        RunDetail detail;
        detail.at = 9'000;
        detail.steps = std::vector<StepLine>{stepWith(0, u"a"_s, u"x"_s, 1'000, {attempt(1, 1'000, 2'000)})};
        view.resize(1200, 600);
        view.show();
        view.setDetail(detail);
        const auto* idle = view.findChild<QPushButton*>();
        QVERIFY(idle != nullptr);
        QVERIFY(!idle->isEnabled());
        QCOMPARE(idle->accessibleDescription(), u"No idle stretch is as long as 5 m 00 s."_s);
        detail.steps = std::vector<StepLine>{stepWith(0, u"a"_s, u"x"_s, 1'000, {attempt(1, 1'000, 2'000)}),
            stepWith(1, u"b"_s, u"x"_s, 302'000, {attempt(1, 302'000, 303'000)})};
        view.setDetail(detail);
        QVERIFY(idle->isEnabled());
        QVERIFY2(view.remark().contains(u"1 idle stretches over 5 m 00 s are folded"_s),
            qPrintable(view.remark()));
    }

    void theListSaysTheSame()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_2);
        TimelineView* view = page->timeline();
        const QAbstractItemModelTester tester(
            view->spans(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        desk.key(Qt::Key_L);
        QVERIFY(view->asList());
        QVERIFY(view->list()->hasFocus());
        QTRY_VERIFY(!view->canvas()->timeline().acts.empty());
        std::size_t drawn = view->canvas()->timeline().acts.size();
        for (const Lane& lane : view->canvas()->timeline().lanes)
            for (const LaneRow& row : lane.rows)
                drawn += row.spans.size();
        QCOMPARE(static_cast<std::size_t>(view->spans()->rowCount()), drawn);
        const int row = view->spans()->firstOf(12);
        QVERIFY(row >= 0);
        view->list()->setCurrentIndex(view->spans()->index(row, 0));
        QCOMPARE(page->steps()->current(), 12U);
        QCOMPARE(view->spans()->index(row + 1, SpansModel::What).data().toString(), u"ran, attempt 1"_s);
        QCOMPARE(view->spans()->index(row + 1, SpansModel::Took).data().toString(), u"30.0 s"_s);
        desk.key(Qt::Key_L);
        QVERIFY(!view->asList());
    }

    void paintedRowsAreKnownToAssistiveTechnology()
    {
        const Desk desk;
        RunPage* page = desk.window->openRun(demoRun(1));
        QTRY_VERIFY(page->loaded());
        desk.key(Qt::Key_2);
        TimelineCanvas* canvas = page->timeline()->canvas();
        QTRY_VERIFY(!canvas->timeline().acts.empty());
        QAccessibleInterface* list = QAccessible::queryAccessibleInterface(canvas);
        QVERIFY(list != nullptr);
        QCOMPARE(list->childCount(), static_cast<int>(canvas->places().size()));
        QVERIFY(list->child(0)->text(QAccessible::Name).startsWith(u"act: Kim Larsen skip at "_s));
        page->steps()->select(0);
        QAccessibleInterface* first = list->child(canvas->currentPlace());
        QCOMPARE(first->text(QAccessible::Name),
            u"read-request, completed, lane intake, queued 600 ms, ran 12.1 s"_s);
        QVERIFY(first->state().selected);
    }
};

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
