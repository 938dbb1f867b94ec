// The drill's own checks: each guarantee is found broken where the provider's ledger, an answer or a count
// says so, and only there.

#include "core/base/clock.h"
#include "core/report/drill_stage.h"
#include "core/store/memory/memory_store.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <filesystem>
#include <fstream>

using namespace cairn;
using namespace cairn::drill;

namespace {

const std::string kRun = "01890000-0000-7000-8000-000000000001";

}  // namespace

class TestDrill : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_stage.reset(); }
    void nothingBrokenIsAPass();
    void aSecondLineUnderOneKeyIsADuplicateEffect();
    void anEarlierScenariosLinesAreNotCountedAgain();
    void anAcknowledgedEntryThatIsNotThereIsLost();
    void onlyACommittedAnswerIsAnAcknowledgement();
    void aChargeThatNoRunSpentIsFound();
    void anInterruptionWithoutARecoveryIsFound();

private:
    void ledger(const std::string& lines)
    {
        std::ofstream(m_options.folder + "/ledger.tsv", std::ios::app) << lines;
    }
    // A program in place of the command line, which answers with this.
    void answer(const std::string& text)
    {
        std::ofstream(m_options.cairn) << "#!/bin/sh\necho '" << text << "'\n";
        std::filesystem::permissions(m_options.cairn, std::filesystem::perms::owner_all);
    }
    ScenarioReport finished()
    {
        m_stage->finish();
        return m_stage->takeReports().back();
    }
    static std::string broken(const ScenarioReport& report)
    {
        std::string keys;
        for (const Failure& failure : report.failures)
            keys += std::string(keys.empty() ? "" : " ") + std::string(guaranteeKey(failure.guarantee));
        return keys;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    ManualClock m_clock;
    DrillOptions m_options;
    std::unique_ptr<Stage> m_stage;
};

void TestDrill::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_options = {};
    m_options.folder = m_folder->path().toStdString();
    m_options.cairn = m_options.folder + "/answers";
    m_options.storeUrl = "memory:";
    m_options.open = [this]() -> Result<std::unique_ptr<StoreWriter>> {
        return connectMemory(makeMemoryDatabase({}, m_clock, 1));
    };
    m_stage = std::make_unique<Stage>(m_options);
    QVERIFY(m_stage->openStore());
}

void TestDrill::nothingBrokenIsAPass()
{
    m_stage->begin("a scenario");
    ledger("1\tpay\tk1\tsha\n2\tpay\tk2\tsha\n3\tmodel\t\tsha\n4\tmodel\t\tsha\n");
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string());
    QVERIFY(report.passed);
    QCOMPARE(report.effects, 4U);
    QVERIFY(report.expects(Guarantee::NoDuplicateEffect) && report.expects(Guarantee::NoLostEntry));
    QVERIFY(!report.expects(Guarantee::Recovered) && !report.expects(Guarantee::CostAccounted));
}

void TestDrill::aSecondLineUnderOneKeyIsADuplicateEffect()
{
    m_stage->begin("a scenario");
    ledger("1\tpay\tk1\tsha\n2\trefund\tk1\tsha\n3\tpay\tk1\tsha\n");
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string("no_duplicate_effect"));
    QCOMPARE(report.duplicateEffects, 1U);
    QVERIFY(!report.passed);
    QVERIFY(!report.held(Guarantee::NoDuplicateEffect) && report.held(Guarantee::NoLostEntry));
}

void TestDrill::anEarlierScenariosLinesAreNotCountedAgain()
{
    ledger("1\tpay\tk1\tsha\n");
    m_stage->begin("the first");
    ledger("2\tpay\tk1\tsha\n");
    m_stage->finish();
    m_stage->begin("the second");
    ledger("3\tpay\tk2\tsha\n");
    m_stage->finish();
    const auto reports = m_stage->takeReports();
    QCOMPARE(reports.size(), std::size_t(2));
    QCOMPARE(reports[0].duplicateEffects, 1U);
    QCOMPARE(reports[1].duplicateEffects, 0U);
    QCOMPARE(reports[1].effects, 1U);
}

void TestDrill::anAcknowledgedEntryThatIsNotThereIsLost()
{
    m_stage->begin("a scenario");
    answer(R"({"run":")" + kRun + R"(","outcome":"committed","version":3})");
    static_cast<void>(m_stage->cli({"approve", kRun}));
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string("no_lost_entry"));
    QCOMPARE(report.acknowledged, 1U);
    QCOMPARE(report.lostEntries, 1U);
    QVERIFY2(
        report.failures.front().text.find(kRun) != std::string::npos, report.failures.front().text.c_str());
}

void TestDrill::onlyACommittedAnswerIsAnAcknowledgement()
{
    m_stage->begin("a scenario");
    answer(R"({"run":")" + kRun + R"(","outcome":"no_change"})");
    static_cast<void>(m_stage->cli({"approve", kRun}));
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string());
    QCOMPARE(report.acknowledged, 0U);
}

void TestDrill::aChargeThatNoRunSpentIsFound()
{
    m_stage->begin("a scenario");
    m_stage->expectCostAccounted();
    ledger("1\tmodel\t\tsha\t214\t0.000642\n");
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string("cost_accounted cost_accounted"));  // tokens, and money
    QCOMPARE(report.modelCalls, 1U);
    QCOMPARE(report.cost.at("tokens").charged, std::int64_t(214));
    QCOMPARE(report.cost.at("EUR").charged, std::int64_t(642));
}

void TestDrill::anInterruptionWithoutARecoveryIsFound()
{
    m_stage->begin("a scenario");
    m_stage->now().faults = 2;
    m_stage->now().interrupted = 2;
    m_stage->now().recovered = 1;
    const ScenarioReport report = finished();
    QCOMPARE(broken(report), std::string("recovered"));
    QVERIFY(report.expects(Guarantee::Recovered));
}

QTEST_APPLESS_MAIN(TestDrill)
#include "tst_drill.moc"
