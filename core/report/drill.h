#pragma once
// The failure drill: real engine processes on a real store, killed at every boundary that matters, with a
// payment provider that keeps its own ledger. Says per scenario what was recovered, how fast, and what was
// doubled or lost.

#include "core/base/result.h"
#include "core/store/store.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cairn {

struct DrillOptions {
    std::string storeUrl;  // a store that does not exist yet
    std::string cairn;     // this program
    std::string format1;   // the same program built for entry format 1; empty: the migration is not run
    std::string effectd;   // the provider
    std::string folder;    // for logs and the provider's ledger
    std::uint64_t seed = 1;
    unsigned kills = 0;          // random kills beside the fixed scenarios
    bool onServer = false;       // the store is kept by a database server, which is crashed once
    std::string restartCommand;  // crashes that server and starts it again; empty: reported as not run
    std::function<void(const std::string&)> progress;
    // Only the program's main knows a driver.
    std::function<Result<std::unique_ptr<StoreWriter>>()> open;
};

struct ScenarioReport {
    std::string name;
    bool passed = true;
    std::vector<double> recoveryMs;  // from each kill to the next commit of a run that it hit
    std::uint32_t faults = 0;        // kills and other faults that really happened
    std::uint32_t runs = 0;
    std::uint32_t effects = 0;  // lines in the provider's ledger
    std::uint32_t duplicateAttempts = 0;
    std::uint32_t lookUps = 0;  // attempts that asked the provider what had become of an effect
    std::uint32_t parked = 0;   // steps that waited for a person to say what is true
    std::uint32_t duplicateEffects = 0;
    std::uint32_t lostEntries = 0;      // acknowledged, and not there afterwards
    std::uint32_t manualSteps = 0;      // acts of a person that the scenario needed
    std::uint32_t calls = 0;            // cost: calls of the provider, failed ones included
    std::vector<std::string> remarks;   // figures beyond these
    std::vector<std::string> failures;  // guarantees that were broken
};

struct DrillReport {
    std::vector<ScenarioReport> scenarios;
    std::uint64_t seed = 0;
    double p50Ms = 0;
    double p95Ms = 0;
    double maxMs = 0;
    std::uint32_t faults = 0;
    std::uint32_t recovered = 0;
    bool passed = false;
};

// Blocks for as long as it takes (some ten seconds, and about 0.2 s for each random kill). Errors only where
// the drill itself could not be set up; broken guarantees are in the report.
[[nodiscard]] Result<DrillReport> runDrill(const DrillOptions& options);

}  // namespace cairn
