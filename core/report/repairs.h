#pragma once
// `cairn drill --repairs`: ten runs that are stuck, one for each reason that needs a person, each repaired by
// the command line as an operator would do it: preview, the same act, and proofs of what came of it. A real
// engine and a provider with a ledger of its own. Ends at the first thing that is not as it should be.

#include "core/report/drill.h"

namespace cairn {

struct Repair {
    Reason reason = Reason::None;  // for which it was stuck
    RunId run;
    std::string command;  // the verb with its arguments, as it was given
    std::vector<std::string>
        proofs;           // that held, in their order: preview, act, moved, run, audit, export, receipt
    std::string problem;  // the first that did not, and why; empty: all did
};

struct RepairReport {
    std::vector<Repair> repairs;
    std::string problem;  // of the store as a whole, or before any repair; empty: none
    DrillReport drill;    // what the stage counted: effects, duplicates, lost entries
    [[nodiscard]] bool passed() const;
};

inline constexpr std::size_t kRepairs = 10;
inline constexpr std::size_t kRepairProofs = 7;

// Blocks, some ten seconds. Errors only where the stage could not be set up.
[[nodiscard]] Result<RepairReport> runRepairs(const DrillOptions& options);

}  // namespace cairn
