// The executor of a plan is killed at each of its writes, before and after it: whoever goes on, every run is
// acted on exactly once, and every item has one outcome.

#include "tests/plan/plan_world.h"

#include <QtCore/QObject>

using namespace cairn;
using namespace cairn::testing;

class PlanKillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void atEachWrite_data();
    void atEachWrite();
    void whileItIsAborted();
    void twoExecutorsDoNothingTwice();
};

namespace {

constexpr std::size_t kRuns = 5;
constexpr SpanMs kLeasePasses = 11'000;

PlanPace oneAfterTheOther()
{
    PlanPace pace = PlanWorld::unhurried();
    pace.rate = 60;
    return pace;
}

}  // namespace

void PlanKillTest::atEachWrite_data()
{
    QTest::addColumn<bool>("after");
    QTest::newRow("before") << false;
    QTest::newRow("after") << true;
}

void PlanKillTest::atEachWrite()
{
    QFETCH(bool, after);
    std::size_t kills = 0;
    for (std::size_t at = 1;; ++at) {
        PlanWorld w;
        const auto runs = w.stuck(kRuns);
        const PlanId plan = w.running(w.retry(oneAfterTheOther()), runs);
        bool survived = false;
        {
            Executor first(w, "first", at, after);
            survived = first.drive();
        }
        const auto items = w.connection->planItems(plan, 0, kRuns, {});
        for (const PlanItem& item : *items) {  // whenever it was killed
            const auto acted = w.connection->findCommand(item.run, item.command);
            QVERIFY(acted && acted->has_value() == (item.state == PlanItemState::Done));
            QCOMPARE(item.version, acted->value_or(0));
        }
        kills += survived ? 0 : 1;
        w.clock.advance(kLeasePasses);
        Executor second(w, "second");
        QVERIFY(second.drive());
        QVERIFY2(w.row(plan).state == PlanState::Closed, w.row(plan).note.c_str());
        QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{kRuns});
        for (const RunId& run : runs) {
            QCOMPARE(w.retries(run), std::size_t{1});
            QCOMPARE(w.verified(run), std::string());
        }
        QCOMPARE(w.planAudits(), std::string("staged started finished"));
        if (survived)
            break;
    }
    // The plan is taken, five acts are written with their outcomes, and it is closed.
    QVERIFY2(kills >= kRuns + 2, std::to_string(kills).c_str());
}

// What was committed is done, and is not said to be left out.
void PlanKillTest::whileItIsAborted()
{
    PlanWorld w;
    const auto runs = w.stuck(3);
    const PlanId plan = w.running(w.retry(oneAfterTheOther()), runs);
    {
        Executor first(w, "first", 2, true);  // the plan is taken, and the first act committed
        QVERIFY(!first.drive());
    }
    QCOMPARE(w.retries(runs[0]), std::size_t{1});
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanItemState::Open), std::uint64_t{2});
    CAIRN_VERIFY_OK(w.order(plan, PlanAct::Abort));
    w.clock.advance(kLeasePasses);
    Executor second(w, "second");
    QVERIFY(second.drive());
    QVERIFY(w.row(plan).state == PlanState::Closed && w.row(plan).aborted);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{1});
    QCOMPARE(w.count(plan, PlanItemState::Skipped), std::uint64_t{2});
    QCOMPARE(w.retries(runs[0]), std::size_t{1});
    QCOMPARE(w.retries(runs[1]), std::size_t{0});
}

// The first one is only slow: it comes back after its lease has passed and another has gone on.
void PlanKillTest::twoExecutorsDoNothingTwice()
{
    PlanWorld w;
    const auto runs = w.stuck(kRuns);
    const PlanId plan = w.running(w.retry(oneAfterTheOther()), runs);
    Executor first(w, "first"), second(w, "second");
    QVERIFY(first.drive(1'500));
    const auto held = w.row(plan);
    QVERIFY(!held.holder.isNull());
    const auto waits = second.runner->tick();
    QVERIFY(waits && !waits->has_value());  // the lease runs
    w.clock.advance(kLeasePasses);
    QVERIFY(second.drive(1'500));
    QVERIFY(w.row(plan).holder != held.holder);
    QVERIFY(first.drive());
    QVERIFY(second.drive());
    QVERIFY(w.row(plan).state == PlanState::Closed);
    QCOMPARE(w.count(plan, PlanItemState::Done), std::uint64_t{kRuns});
    for (const RunId& run : runs)
        QCOMPARE(w.retries(run), std::size_t{1});
}

QTEST_APPLESS_MAIN(PlanKillTest)
#include "tst_plan_kill.moc"
