// Runs of ten thousand steps: that they work, and (printed, not asserted) what a completion costs.

#include "tests/support/cairn_qtest.h"
#include "tests/support/large_runs.h"

#include <QtTest/QtTest>

using namespace cairn::testing;

class TestMachineLarge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chain()
    {
        LargeRun run(chainOf(10'000), 4);
        qInfo("chain: %.0f ns a completion", run.completeAll());
        QCOMPARE(run.state().closedAs, cairn::Activity::Completed);
        QCOMPARE(run.state().version, 10'001ULL);
        QCOMPARE(run.refold(), std::string());
    }
    void fanOut()
    {
        LargeRun run(fanOutOf(10'000), 64);
        qInfo("fan-out: %.0f ns a completion", run.completeAll());
        QCOMPARE(run.state().closedAs, cairn::Activity::Completed);
        QCOMPARE(run.state().steps.size(), std::size_t{10'002});
        QCOMPARE(run.refold(), std::string());
    }
    void fanOutOfChildren()
    {
        LargeRun run(childrenOf(50'000), 64);
        QCOMPARE(run.state().children.size(), std::size_t{50'000});
        QCOMPARE(run.state().openChildren, 50'000U);
        QCOMPARE(run.refold(), std::string());
    }
    void remediesOfManyFailedSteps()
    {
        LargeRun run(fanOutOf(2'000), 2'000);
        run.failAll();
        QCOMPARE(run.state().failed.size(), std::size_t{2'000});
        // Sixteen failed steps are tried with each of four verbs, not two thousand.
        QVERIFY(run.remedies().size() <= 80);
        QVERIFY(run.remedies().size() >= 16);
    }
};

QTEST_APPLESS_MAIN(TestMachineLarge)
#include "tst_machine_large.moc"
