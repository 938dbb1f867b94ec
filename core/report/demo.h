#pragma once
// The example workflows (resources/workflows) through real engines: once, killed at every boundary, or many
// hundred of them under random kills. The provider knows no keys here, so that nobody but the engine keeps a
// payment from being made twice. Uses the drill's stage; what is broken is in the report.

#include "core/report/drill.h"

namespace cairn {

struct DemoOptions {
    DrillOptions drill;       // format1 is not needed; `kills` is the least that a soak must have survived
    std::string definitions;  // folder of the example workflows
    std::string repository;   // git checkout that is cloned for repo-review; empty: a small one is made
    std::string workflow;     // of runDemo: purchase, repo-review or research
    std::vector<std::string> killAt;  // of runDemo: boundaries (failpoints); empty: nothing is killed
    unsigned runs = 1;                // of runDemo without kills, and of runSoak
    unsigned engines = 3;             // of runSoak
};

// Where an engine can be killed while it runs this workflow: from the intent over the tool's call to the
// commit of its result, and its answer.
[[nodiscard]] std::vector<std::string> demoBoundaries(const std::string& workflow);
[[nodiscard]] const std::vector<std::string>& demoWorkflows();

// One workflow. Without `killAt` one scenario. Else one for each boundary: for its first, second, third ...
// hit a run of its own, until a run ends before the boundary is hit once more.
[[nodiscard]] Result<DrillReport> runDemo(const DemoOptions& options);
// `runs` runs of purchase and repo-review, mixed, by `engines` engines that are killed at random moments and
// at random boundaries, with a provider that fails now and then, until all have ended.
[[nodiscard]] Result<DrillReport> runSoak(const DemoOptions& options);
// Only the runs in every activity and for every reason that the drill leaves, for somebody to look at and to
// repair.
[[nodiscard]] Result<DrillReport> leaveSituations(const DrillOptions& options);

}  // namespace cairn
