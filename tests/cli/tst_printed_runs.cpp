// What watch remembers of what it printed.

#include "app/cairn/printed_runs.h"
#include "tests/support/cairn_qtest.h"

using cairn::RunId;
using cairn::cli::PrintedRuns;

namespace {

RunId runOf(std::uint8_t n)
{
    RunId run;
    run.bytes[15] = n;
    return run;
}

}  // namespace

class TestPrintedRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutAFilterNothingIsRememberedAndAllIsTold();
    void withAFilterWhatWasPrintedIsToldOnce();
};

void TestPrintedRuns::withoutAFilterNothingIsRememberedAndAllIsTold()
{
    PrintedRuns printed(false);
    for (std::uint8_t n = 1; n < 200; ++n)
        printed.note(runOf(n));
    QCOMPARE(printed.remembered(), std::size_t{0});
    QVERIFY(printed.take(runOf(1)));
    QVERIFY(printed.take(runOf(200)));  // that it never printed
}

void TestPrintedRuns::withAFilterWhatWasPrintedIsToldOnce()
{
    PrintedRuns printed(true);
    printed.note(runOf(1));
    printed.note(runOf(1));
    printed.note(runOf(2));
    QCOMPARE(printed.remembered(), std::size_t{2});
    QVERIFY(printed.take(runOf(1)));
    QVERIFY(!printed.take(runOf(1)));
    QVERIFY(!printed.take(runOf(3)));
    QCOMPARE(printed.remembered(), std::size_t{1});
}

QTEST_APPLESS_MAIN(TestPrintedRuns)
#include "tst_printed_runs.moc"
