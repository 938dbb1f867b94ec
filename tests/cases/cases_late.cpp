// LATE: a reaper or a time-out that overrules the truth.

#include "tests/cases/bench.h"

using namespace cairn;
using namespace cairn::testing;

class TestLate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { bothStores(); }
    void c08_lateReaperDoesNotOverruleSuccess_data();
    void c08_lateReaperDoesNotOverruleSuccess();
};

void TestLate::c08_lateReaperDoesNotOverruleSuccess_data()
{
    QTest::addColumn<bool>("byTimeout");
    QTest::newRow("the attempt's time-out") << true;
    QTest::newRow("the recovery of a dead owner") << false;
}

// The sweeper decides on what it has read (the step is overdue) and is held before its commit; the step
// succeeds; the sweeper's commit is let go.
void TestLate::c08_lateReaperDoesNotOverruleSuccess()
{
    CAIRN_BENCH();
    QFETCH(bool, byTimeout);
    b.add(workflow("one", "{'name':'do','tool':'note','timeout':'5m','input':{}}"));
    b.tools["note"] = [](const Call&) { return later(); };
    EngineStandIn owner(b, {"w1"});
    const RunId run = b.started("one");
    owner.settle();
    const Call call = owner.open(run, "do");
    b.advance(byTimeout ? 300'001 : 10'001);
    if (!byTimeout)
        b.bury(owner);
    auto sweeperStore = b.connect();
    auto held = makeInlineQueue(*sweeperStore);
    SeededRng rng(99);
    Service sweeper(b.reader(), *held, b.clock, rng, {});
    sweeper.setSessionEnded([&](const SessionId& id) { return b.sessionEnded(id); });
    std::optional<Outcome> swept;
    Submission sweep =
        byTimeout ? Bench::command(run, cmd::FireTimers{}) : Bench::command(run, cmd::Recover{});
    sweeper.submit(std::move(sweep), [&](Outcome outcome) { swept = std::move(outcome); });
    QVERIFY(!swept);  // decided, not committed
    b.effectd.note(b.now(), "do", "k", {});
    QCOMPARE(
        b.service->submitAndWait(b.complete(run, call.attempt, "\"done\"")).kind, Outcome::Kind::Committed);
    sweeper.drain();
    QVERIFY(swept);
    QCOMPARE(swept->kind, Outcome::Kind::NoChange);
    QVERIFY(b.state(run).closed);
    QCOMPARE(b.state(run).closedAs, Activity::Completed);
    QCOMPARE(b.step(run, "do").state, StepState::Complete);
    QCOMPARE(b.step(run, "do").attempts, 1U);
    QCOMPARE(b.facts<AttemptEnded>(run), 1);
    QCOMPARE(b.facts<StepFailed>(run), 0);
    QCOMPARE(b.effectd.count("do"), 1);
    QCOMPARE(b.verified(run), std::string());
}

CAIRN_CASES(TestLate, "late")
#include "cases_late.moc"
