// When items are due, and when a plan stops by itself: exact values.

#include "core/plan/fate.h"
#include "core/plan/pace.h"
#include "core/plan/progress.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QObject>

using namespace cairn;

class PlanPaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRateIsEven();
    void aRampGrowsToItsRate();
    void jitterStaysWithinItsShare();
    void theEstimateIsTheLastItem();
    void whatIsLeftGoesOnFromWhatWasTried();
    void progressIsCounted_data();
    void progressIsCounted();
    void theStopRule_data();
    void theStopRule();
    void fates_data();
    void fates();
};

void PlanPaceTest::aRateIsEven()
{
    PlanPace pace;
    QCOMPARE(dueAfter(pace, 1'000), SpanMs{0});
    pace.rate = 300;  // 5 a second
    QCOMPARE(dueAfter(pace, 0), SpanMs{0});
    QCOMPARE(dueAfter(pace, 1), SpanMs{200});
    QCOMPARE(dueAfter(pace, 50), SpanMs{10'000});
    pace.rate = 7;  // 60 000 / 7 = 8571.43
    QCOMPARE(dueAfter(pace, 1), SpanMs{8'571});
    QCOMPARE(dueAfter(pace, 2), SpanMs{17'143});
}

// From 2 to 10 a second in 10 s: (2 + 10) / 2 * 10 = 60 items within the ramp. After t seconds there were
// 2 t + 0.4 t^2 of them.
void PlanPaceTest::aRampGrowsToItsRate()
{
    PlanPace pace;
    pace.rate = 600;
    pace.rampFrom = 120;
    pace.ramp = 10'000;
    QCOMPARE(dueAfter(pace, 0), SpanMs{0});
    QCOMPARE(dueAfter(pace, 20), SpanMs{5'000});  // 2 * 5 + 0.4 * 25
    QCOMPARE(dueAfter(pace, 60), SpanMs{10'000});
    QCOMPARE(dueAfter(pace, 70), SpanMs{11'000});
    for (std::uint64_t n = 0; n < 100; ++n)
        QVERIFY(dueAfter(pace, n) < dueAfter(pace, n + 1));
    // Downwards as well: 10 to 2 a second, 60 within the ramp, then one in 500 ms.
    std::swap(pace.rate, pace.rampFrom);
    QCOMPARE(dueAfter(pace, 60), SpanMs{10'000});
    QCOMPARE(dueAfter(pace, 61), SpanMs{10'500});
    QCOMPARE(dueAfter(pace, 40), SpanMs{5'000});  // 10 * 5 - 0.4 * 25
}

void PlanPaceTest::jitterStaysWithinItsShare()
{
    PlanPace pace;
    pace.rate = 60;
    pace.jitter = 50;
    const auto plan = deriveId<PlanId>("test", "plan");
    const auto other = deriveId<PlanId>("test", "other");
    bool moved = false, differs = false;
    for (std::uint64_t n = 0; n < 200; ++n) {
        const SpanMs due = dueWithJitter(pace, plan, n);
        QVERIFY(due >= dueAfter(pace, n) && due <= dueAfter(pace, n) + 500);
        QCOMPARE(dueWithJitter(pace, plan, n), due);
        moved = moved || due != dueAfter(pace, n);
        differs = differs || due != dueWithJitter(pace, other, n);
    }
    QVERIFY(moved && differs);
    pace.jitter = 0;
    QCOMPARE(dueWithJitter(pace, plan, 3), SpanMs{3'000});
}

void PlanPaceTest::theEstimateIsTheLastItem()
{
    PlanPace pace;
    QCOMPARE(estimatedSpan(pace, 10'000), SpanMs{0});
    pace.rate = 600;
    QCOMPARE(estimatedSpan(pace, 0), SpanMs{0});
    QCOMPARE(estimatedSpan(pace, 1), SpanMs{0});
    QCOMPARE(estimatedSpan(pace, 301), SpanMs{30'000});
}

// 40 of 96 at one a second: the 40th was due after 39 s, the last is after 95 s.
void PlanPaceTest::whatIsLeftGoesOnFromWhatWasTried()
{
    PlanPace pace;
    QCOMPARE(estimatedLeft(pace, 40, 56), SpanMs{0});
    pace.rate = 60;
    QCOMPARE(estimatedLeft(pace, 40, 56), SpanMs{56'000});
    QCOMPARE(estimatedLeft(pace, 0, 96), SpanMs{95'000});
    QCOMPARE(estimatedLeft(pace, 96, 0), SpanMs{0});
}

void PlanPaceTest::progressIsCounted_data()
{
    QTest::addColumn<int>("state");
    QTest::addColumn<int>("rate");
    QTest::addColumn<int>("canary");
    QTest::addColumn<int>("left");
    QTest::addColumn<QString>("next");
    const auto row = [](const char* name, PlanState state, int rate, int canary, int left, const char* next) {
        QTest::newRow(name) << static_cast<int>(state) << rate << canary << left << next;
    };
    row("waits", PlanState::Staged, 60, 0, -1, "");
    row("runs at a rate", PlanState::Running, 60, 0, 56'000, "56 open, about 56.0 s left");
    row("runs as fast as it goes", PlanState::Running, 0, 0, -1, "56 open");
    row("its canary runs", PlanState::Running, 60, 41, 56'000, "56 open, first a canary of 41");
    row("its canary is over", PlanState::Running, 60, 40, 56'000, "56 open, about 56.0 s left");
    row("paused", PlanState::Paused, 60, 0, -1, "56 open, until somebody continues or aborts it");
    row("looked after", PlanState::Verifying, 60, 0, -1, "closed at 1970-01-01 00:10:05Z");
    row("closed", PlanState::Closed, 60, 0, -1, "");
}

void PlanPaceTest::progressIsCounted()
{
    QFETCH(int, state);
    QFETCH(int, rate);
    QFETCH(int, canary);
    QFETCH(int, left);
    QFETCH(QString, next);
    PlanRow plan;
    plan.state = static_cast<PlanState>(state);
    plan.items = 99;
    plan.executedAt = 5'000;
    PlanSpec spec;
    spec.pace.rate = static_cast<std::uint32_t>(rate);
    spec.pace.canary = static_cast<std::uint32_t>(canary);
    const std::vector<PlanCount> counts{{PlanItemState::Open, PlanLeftOut::None, PlanFate::None, 56},
        {PlanItemState::Done, PlanLeftOut::None, PlanFate::None, 30},
        {PlanItemState::Done, PlanLeftOut::None, PlanFate::Again, 7},
        {PlanItemState::Skipped, PlanLeftOut::Held, PlanFate::None, 2},
        {PlanItemState::Skipped, PlanLeftOut::AlreadySo, PlanFate::None, 1},
        {PlanItemState::Stale, PlanLeftOut::None, PlanFate::None, 2},
        {PlanItemState::Failed, PlanLeftOut::None, PlanFate::None, 1}};
    const PlanProgress progress = progressOf(plan, spec, counts);
    const TimeMs closes = plan.state == PlanState::Verifying ? 605'000 : kNoTime;
    QVERIFY((progress == PlanProgress{99, 56, 37, 3, 2, 1, left, closes}));
    QCOMPARE(progress.tried(), std::uint64_t{40});
    QCOMPARE(QString::fromStdString(nextOf(plan, spec, progress)), next);
    QCOMPARE(isUnderWay(plan.state), !next.isEmpty());
    // Nobody has said when an aborted one has come to its end.
    plan.executedAt = kNoTime;
    if (plan.state == PlanState::Verifying)
        QCOMPARE(nextOf(plan, spec, progressOf(plan, spec, counts)), std::string("56 open, being left out"));
}

void PlanPaceTest::theStopRule_data()
{
    QTest::addColumn<int>("canary");
    QTest::addColumn<int>("done");
    QTest::addColumn<int>("again");
    QTest::addColumn<int>("items");
    QTest::addColumn<bool>("stops");
    QTest::newRow("nothing done") << 0 << 0 << 0 << 300 << false;
    QTest::newRow("one of one is no share") << 0 << 1 << 1 << 300 << false;
    QTest::newRow("four of four neither") << 0 << 4 << 4 << 300 << false;
    QTest::newRow("two of five") << 0 << 5 << 2 << 300 << true;
    QTest::newRow("just the share") << 0 << 10 << 2 << 300 << false;
    QTest::newRow("more than the share") << 0 << 10 << 3 << 300 << true;
    QTest::newRow("a plan of two") << 0 << 2 << 1 << 2 << true;
    QTest::newRow("half a canary") << 2 << 1 << 1 << 300 << false;
    QTest::newRow("a whole canary") << 2 << 2 << 1 << 300 << true;
}

void PlanPaceTest::theStopRule()
{
    QFETCH(int, canary);
    QFETCH(int, done);
    QFETCH(int, again);
    QFETCH(int, items);
    PlanPace pace;
    pace.canary = static_cast<std::uint32_t>(canary);
    const PlanReturns returns{static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(again)};
    QVERIFY(!stopsAt(pace, returns, static_cast<std::uint64_t>(items)));  // no rule
    pace.stopOver = 20;
    QTEST(stopsAt(pace, returns, static_cast<std::uint64_t>(items)), "stops");
}

void PlanPaceTest::fates_data()
{
    QTest::addColumn<int>("verb");
    QTest::addColumn<int>("activity");
    QTest::addColumn<bool>("same");     // the situation it was taken out of
    QTest::addColumn<int>("since");     // against the act, in ms
    QTest::addColumn<int>("versions");  // after the act
    QTest::addColumn<int>("fate");
    const auto row = [](const char* name, Verb verb, Activity activity, bool same, int since, int versions,
                         PlanFate fate) {
        QTest::newRow(name) << static_cast<int>(verb) << static_cast<int>(activity) << same << since
                            << versions << static_cast<int>(fate);
    };
    row("as the act left it", Verb::Retry, Activity::Queued, false, 0, 0, PlanFate::NotYet);
    row("it runs", Verb::Retry, Activity::Executing, false, 10, 1, PlanFate::Moved);
    row("it waits elsewhere", Verb::Retry, Activity::Waiting, false, 10, 2, PlanFate::Moved);
    row("the same again", Verb::Retry, Activity::Blocked, true, 10, 2, PlanFate::Again);
    row("still the old wait", Verb::Retry, Activity::Blocked, true, -10, 2, PlanFate::NotYet);
    row("finished", Verb::Retry, Activity::Completed, false, 10, 2, PlanFate::Finished);
    row("failed is finished", Verb::Retry, Activity::Failed, true, 10, 2, PlanFate::Finished);
    row("paused", Verb::Pause, Activity::Paused, false, 0, 0, PlanFate::Moved);
    row("not paused yet", Verb::Pause, Activity::Executing, false, 0, 0, PlanFate::NotYet);
    row("being cancelled", Verb::Cancel, Activity::Cancelling, false, 0, 1, PlanFate::NotYet);
    row("cancelled", Verb::Cancel, Activity::Cancelled, false, 0, 1, PlanFate::Finished);
}

void PlanPaceTest::fates()
{
    QFETCH(int, verb);
    QFETCH(int, activity);
    QFETCH(bool, same);
    QFETCH(int, since);
    QFETCH(int, versions);
    PlanItem item;
    item.situation = "here";
    item.state = PlanItemState::Done;
    item.version = 5;
    item.doneAt = 1'000;
    ListRow now;
    now.activity = static_cast<Activity>(activity);
    now.situation = same ? "here" : "there";
    now.since = 1'000 + since;
    now.version = 5 + static_cast<std::uint64_t>(versions);
    const auto fate = fateOf(static_cast<Verb>(verb), item, &now);
    QTEST(static_cast<int>(fate), "fate");
    QVERIFY(fateOf(static_cast<Verb>(verb), item, nullptr) == PlanFate::Unknown);
    item.state = PlanItemState::Stale;
    QVERIFY(fateOf(static_cast<Verb>(verb), item, &now) == PlanFate::None);
}

QTEST_APPLESS_MAIN(PlanPaceTest)
#include "tst_plan_pace.moc"
