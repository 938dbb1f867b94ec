#pragma once
// The failure drill: real engine processes on a real store, killed at every boundary that matters, with a
// payment provider that keeps its own ledger. Says per scenario what was recovered, how fast, and what was
// doubled or lost.

#include "core/base/result.h"
#include "core/model/vocabulary.h"
#include "core/store/store.h"

#include <functional>
#include <map>
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

// What a scenario holds the product to. Each is named in the report, held or broken.
enum class Guarantee : std::uint8_t {
    Course,             // the run took the course that its workflow says, and ended as it should
    Recovered,          // every fault that stopped work under way was followed by a commit within 60 s
    NoDuplicateEffect,  // the provider's own ledger has no second line under one key
    NoLostEntry,        // what was acknowledged to a caller, or seen, is there with the same hash
    CostAccounted,  // what the provider charged is what runs spent, and at most what lost calls had reserved
};
inline constexpr std::size_t kGuarantees = 5;
[[nodiscard]] std::string_view guaranteeKey(Guarantee guarantee);

struct Failure {
    Guarantee guarantee = Guarantee::Course;
    std::string text;
};

// Of one unit, tokens or a currency (then in millionths).
struct Cost {
    std::int64_t spent = 0;  // that the runs' budgets count
    std::int64_t spentAgain =
        0;                     // at most: reserved for calls whose answer was lost, so that they came again
    std::int64_t charged = 0;  // by the provider's own ledger
};

struct ScenarioReport {
    std::string name;
    bool passed = true;
    std::vector<double> recoveryMs;  // from each kill to the next commit of a run that it hit
    std::uint32_t faults = 0;        // kills and other faults that really happened
    std::uint32_t interrupted = 0;   // of them, those that stopped work under way
    std::uint32_t recovered = 0;     // of those, followed by a commit of another engine
    std::uint32_t runs = 0;
    std::uint32_t effects = 0;  // lines in the provider's ledger
    std::uint32_t duplicateAttempts = 0;
    std::uint32_t lookUps = 0;  // attempts that asked the provider what had become of an effect
    std::uint32_t parked = 0;   // steps that waited for a person to say what is true
    std::uint32_t duplicateEffects = 0;
    std::uint32_t acknowledged = 0;                // answers to callers and operators that named an entry
    std::uint32_t lostEntries = 0;                 // acknowledged or seen, and not there afterwards
    std::uint32_t manualSteps = 0;                 // acts of a person that the scenario needed
    std::uint32_t calls = 0;                       // attempts, failed ones and look-ups included
    std::uint32_t modelCalls = 0;                  // that the provider charged
    std::map<std::string, Cost> cost;              // by unit
    std::map<Activity, std::uint64_t> activities;  // runs that were left, where the scenario leaves some
    std::map<Reason, std::uint64_t> reasons;
    std::vector<std::string> remarks;  // figures beyond these
    std::vector<Failure> failures;     // guarantees that were broken

    bool expectsCost = false;

    // Not every scenario has a say in each: nothing is spent in some, nothing is interrupted in others.
    [[nodiscard]] bool expects(Guarantee guarantee) const;
    [[nodiscard]] bool held(Guarantee guarantee) const;
};

inline constexpr double kDrillP95Ms = 2'000;  // of the recoveries of a drill on one host

struct DrillReport {
    std::vector<ScenarioReport> scenarios;
    std::uint64_t seed = 0;
    double p50Ms = 0;
    double p95Ms = 0;
    double maxMs = 0;
    std::uint32_t faults = 0;
    std::uint32_t interrupted = 0;
    std::uint32_t recovered = 0;
    bool passed = false;
};

// Blocks for as long as it takes (some ten seconds, and about 0.2 s for each random kill). Errors only where
// the drill itself could not be set up; broken guarantees are in the report.
[[nodiscard]] Result<DrillReport> runDrill(const DrillOptions& options);

}  // namespace cairn
