#pragma once
// `cairn drill --from BUNDLE`: plays exported runs again with the results that they recorded, on a throw-away
// store in memory and with a clock and a provider that are simulated, once undisturbed and once for each
// boundary with the engine killed there, and compares each end with what the bundle says. Nothing outside is
// called. Deterministic. Blocks for as long as it takes: some milliseconds for each kill.

#include "core/export/recorded.h"
#include "core/report/prove.h"

namespace cairn {

struct ReplayOptions {
    decltype(ProveOptions::makeStore) makeStore;
    std::uint64_t seed = 1;
    std::uint32_t most = 1'000;  // kills of each run; beyond that they are spread evenly
};

struct ReplayFailure {
    std::string boundary;  // where the engine was killed, for people
    std::string step;      // that it was about; empty: the run
    std::string what;      // is other than recorded, or happened twice
};

// A run of the bundle that no other run of it has started, with those that it started.
struct RunReplay {
    RunId run;
    std::string workflow;
    std::string notReplayed;  // why; empty: it was, and undisturbed it ended as recorded
    std::uint32_t runs = 0;   // with those that it started
    std::uint32_t boundaries = 0;
    std::uint32_t kills = 0;    // that were tried
    std::uint32_t same = 0;     // of these: it ended as recorded, step by step and byte by byte
    std::uint32_t once = 0;     // of these: each recorded effect happened once
    std::uint32_t parked = 0;   // of these: a person had to look at the provider, and say what is true
    std::uint32_t effects = 0;  // that were recorded
    std::vector<ReplayFailure> failures;  // the first few
};

struct ReplayReport {
    std::vector<RunReplay> runs;
    // Some run was played again, and every one of its replays ended as recorded with each effect once.
    [[nodiscard]] bool passed() const;
};

[[nodiscard]] ReplayReport replayRecorded(const exporting::Recorded& recorded, const ReplayOptions& options);

}  // namespace cairn
