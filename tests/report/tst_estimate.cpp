// The estimate's arithmetic, by the numbers of the brief that it was made for.

#include "core/report/estimate.h"
#include "tests/support/cairn_qtest.h"

#include <QtTest/QtTest>

using namespace cairn;

namespace {

constexpr SpanMs kHour = 3'600'000;

template<typename T> Input<T> given(T value) { return {value, From::Given}; }
Money euro(std::int64_t micros) { return {micros, "EUR"}; }

// 100,000 starts a month, 15 % failures, 500 KB a run.
EstimateInput asked()
{
    EstimateInput in;
    in.starts = given<std::int64_t>(100'000);
    in.failureMillionths = given<std::int64_t>(150'000);
    in.stateBytes = given<std::int64_t>(500'000);
    return in;
}

const Formula* formula(const Estimate& e, const char* name)
{
    for (const Formula& each : e.formulas)
        if (each.name == name)
            return &each;
    return nullptr;
}

}  // namespace

class TestEstimate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHundredThousandStarts();
    void twoMillionCheckpointsADay();
    void costIsExact();
    void whatIsOutOfItsRangeIsRefused();
    void currenciesAreNeverMixed();
    void aStoreCalibratesWhatIsNotGiven();
};

void TestEstimate::aHundredThousandStarts()
{
    const auto e = estimateOf(asked());
    CAIRN_VERIFY_OK(e);
    QCOMPARE(e->failures, std::int64_t(15'000));
    QCOMPARE(e->runsActive, std::int64_t(139));    // an hour each
    QCOMPARE(e->runsHeld, std::int64_t(300'139));  // and ninety days
    QCOMPARE(e->activeBytes, std::int64_t(69'500'000));
    QCOMPARE(e->storedBytes, std::int64_t(150'069'500'000));
    QCOMPARE(e->checkpoints, std::int64_t(3'248'000));  // 32 a run, and 3.2 for each failure
    QCOMPARE(e->checkpointsPerSecondMillionths, std::int64_t(1'253'086));
    QCOMPARE(e->bytesPerCheckpoint, std::int64_t(15'625));
    QCOMPARE(e->writtenBytes, std::int64_t(101'500'000'000));
    QVERIFY(!e->total && !e->storageCost);
    QVERIFY(e->verdict.empty());
    QVERIFY(formula(*e, "failures"));
    QCOMPARE(formula(*e, "failures")->text, std::string("100 000 x 15 % = 15 000"));
    QCOMPARE(formula(*e, "stored_bytes")->text, std::string("300 139 x 500 000 B = 150.0695 GB"));
}

void TestEstimate::twoMillionCheckpointsADay()
{
    EstimateInput in = asked();
    in.checkpointsPerDay = 2'000'000;
    const auto e = estimateOf(in);
    CAIRN_VERIFY_OK(e);
    QCOMPARE(e->checkpoints, std::int64_t(60'900'000));  // 600 a run, and 60 for each failure
    QCOMPARE(e->bytesPerCheckpoint, std::int64_t(833));
    QCOMPARE(e->writtenBytes, std::int64_t(101'500'000'000));  // the same state in smaller parts
}

void TestEstimate::costIsExact()
{
    EstimateInput in = asked();
    in.storagePrice = euro(100'000);
    in.writesPrice = euro(50'000);
    in.enginePrice = euro(40'000'000);
    in.runCost = euro(200'000);
    const auto e = estimateOf(in);
    CAIRN_VERIFY_OK(e);
    QVERIFY(e->storageCost == euro(15'006'950));
    QVERIFY(e->writesCost == euro(162'400));
    QVERIFY(e->engineCost == euro(40'000'000));
    QVERIFY(e->total == euro(55'169'350));
    QVERIFY(e->lostWithout == euro(3'000'000'000));
    QVERIFY(e->repeatedWith == euro(300'000'000));  // ten steps a run
    QVERIFY2(e->verdict.starts_with("an engine pays"), e->verdict.c_str());
    in.runCost = euro(100);
    const auto cheap = estimateOf(in);
    CAIRN_VERIFY_OK(cheap);
    QVERIFY2(cheap->verdict.starts_with("no engine is needed for the money"), cheap->verdict.c_str());
    in.writtenPrice = euro(1'000'000);
    const auto written = estimateOf(in);
    CAIRN_VERIFY_OK(written);
    QVERIFY(written->writtenCost == euro(101'500'000));
    QVERIFY(written->total == euro(156'669'350));
}

void TestEstimate::whatIsOutOfItsRangeIsRefused()
{
    EstimateInput none = asked();
    none.starts.value = 0;
    CAIRN_VERIFY_ERROR(estimateOf(none), ErrorKind::InvalidInput);
    EstimateInput rate = asked();
    rate.failureMillionths.value = 1'000'001;
    CAIRN_VERIFY_ERROR(estimateOf(rate), ErrorKind::InvalidInput);
    EstimateInput price = asked();
    price.enginePrice = euro(-1);
    CAIRN_VERIFY_ERROR(estimateOf(price), ErrorKind::InvalidInput);
    EstimateInput span = asked();
    span.retention.value = -1;
    CAIRN_VERIFY_ERROR(estimateOf(span), ErrorKind::InvalidInput);
}

void TestEstimate::currenciesAreNeverMixed()
{
    EstimateInput in = asked();
    in.storagePrice = euro(1);
    in.enginePrice = Money{1, "USD"};
    const auto refused = estimateOf(in);
    CAIRN_VERIFY_ERROR(refused, ErrorKind::InvalidInput);
    QVERIFY(refused.error().text.find("EUR and USD") != std::string::npos);
}

void TestEstimate::aStoreCalibratesWhatIsNotGiven()
{
    StoreMeasure m;
    m.runs = 200;
    m.ended = 100;
    m.endedWithout = 20;
    m.entries = 2'000;
    m.steps = 800;
    m.entryBytes = 300'000;
    m.payloadBytes = 100'000;
    m.took = 100 * kHour;
    m.oldest = 0;
    m.newest = kMonth / 3;
    QCOMPARE(m.bytesPerStep(), std::int64_t(500));
    EstimateInput in;
    in.stateBytes = given<std::int64_t>(77);
    calibrate(in, m);
    QCOMPARE(in.stateBytes.value, std::int64_t(77));
    QVERIFY(in.stateBytes.from == From::Given);
    QCOMPARE(in.entriesMillionths.value, 10 * kMillion);
    QVERIFY(in.entriesMillionths.from == From::Measured);
    QCOMPARE(in.stepsMillionths.value, 4 * kMillion);
    QCOMPARE(in.failureMillionths.value, kMillion / 5);
    QCOMPARE(in.active.value, kHour);
    QCOMPARE(in.starts.value, std::int64_t(600));
    QVERIFY(in.retention.from == From::Assumed);  // no history says that
    EstimateInput untouched;
    calibrate(untouched, StoreMeasure{});
    QVERIFY(untouched.entriesMillionths.from == From::Assumed);
}

QTEST_APPLESS_MAIN(TestEstimate)
#include "tst_estimate.moc"
