#include "core/report/drill.h"

#include "core/base/text.h"
#include "core/report/drill_stage.h"
#include "core/service/service.h"

#include <algorithm>

namespace cairn {

namespace {

double percentile(std::vector<double> values, double p)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

namespace drill {

// Every run of the store: chain unbroken, fold equal to what is stored.
void verifyAll(Stage& stage)
{
    stage.begin("verify: chains, folds and derived rows of every run");
    std::optional<PageKey> after;
    do {
        auto page = stage.store().list({}, ListOrder::NewestFirst, after, 500);
        if (!page) {
            stage.broken(page.error().text);
            break;
        }
        for (const auto& row : page->rows) {
            ++stage.now().runs;
            auto problems = verifyRun(stage.store(), row.run);
            if (!problems) {
                stage.broken(problems.error().text);
                continue;
            }
            for (const auto& problem : *problems)
                stage.broken(problem.where + ": " + problem.text);
        }
        after = page->next;
    } while (after);
    auto deep = stage.store().check(true);
    if (!deep)
        stage.broken(deep.error().text);
    else
        for (const auto& problem : *deep)
            stage.broken(problem.where + ": " + problem.text);
    stage.finish();
}

constexpr double kRecoveredWithinMs = 60'000;  // every fault

DrillReport summarised(Stage& stage)
{
    std::vector<ScenarioReport> scenarios = stage.takeReports();
    DrillReport report;
    report.seed = stage.options().seed;
    report.passed = true;
    std::vector<double> all;
    for (const auto& scenario : scenarios) {
        all.insert(all.end(), scenario.recoveryMs.begin(), scenario.recoveryMs.end());
        report.faults += scenario.faults;
        report.interrupted += scenario.interrupted;
        report.recovered += scenario.recovered;
        report.passed = report.passed && scenario.passed;
    }
    report.p50Ms = percentile(all, 0.5);
    report.p95Ms = percentile(all, 0.95);
    report.maxMs = percentile(all, 1);
    report.passed = report.passed && report.maxMs < kRecoveredWithinMs;
    report.scenarios = std::move(scenarios);
    return report;
}

}  // namespace drill

Result<DrillReport> runDrill(const DrillOptions& options)
{
    drill::Stage stage(options);
    CAIRN_TRY(stage.startProvider());
    // The older program makes the store, so that there is something to migrate.
    const std::string& maker = options.format1.empty() ? options.cairn : options.format1;
    int code = 0;
    const std::string made = stage.cli({"store", "init", "--test-clock"}, &code, maker);
    if (code != 0)
        return makeError(ErrorKind::Refused,
            "the store " + options.storeUrl + " could not be made; it must not exist yet: " + made);
    CAIRN_TRY(drill::addWorkflows(stage, maker));
    // It would take no payment twice under one key: then its ledger could not show that it was asked to.
    stage.mode("pay", "keyless");
    stage.mode("blind-pay", "keyless");
    CAIRN_TRY(drill::migrationDuringWork(stage));
    drill::fiveAgents(stage);
    drill::rateLimited(stage);
    drill::killedAfterModelCall(stage);
    drill::killedDuringCommit(stage);
    drill::killedAfterAcceptance(stage);
    drill::killedWhileApprovalIsAwaited(stage);
    drill::messageTwice(stage);
    drill::killedWithoutLookUp(stage);
    drill::connectionDropped(stage);
    if (options.kills > 0)
        drill::randomKills(stage);
    if (options.onServer)
        drill::serverRestarted(stage);
    drill::leaveEverySituation(stage);
    drill::verifyAll(stage);
    DrillReport report = drill::summarised(stage);
    report.passed = report.passed && report.p95Ms < kDrillP95Ms;
    return report;
}

}  // namespace cairn
