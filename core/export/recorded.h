#pragma once
// What a bundle has recorded of its runs, for who plays them again: the state that each ended in, what it was
// started with, and what its steps gave. Held in memory. Blocks.

#include "core/export/bundle.h"
#include "core/machine/state.h"

#include <map>

namespace cairn::exporting {

inline constexpr std::uint64_t kRecordedBytes = 256ULL * 1024 * 1024;  // of inputs and outputs in all

struct RecordedRun {
    RunState state;  // folded from its entries
    std::string input;
    std::string output;
    std::map<std::string, std::string> outputs;  // by the id of the step, where it has one
};

struct RecordedWorkflow {
    std::string name;
    std::uint32_t version = 0;
    std::string text;
};

struct Recorded {
    std::vector<RunId> order;  // of the manifest
    std::map<RunId, RecordedRun> runs;
    std::vector<RecordedWorkflow> workflows;
};
// Proves the bundle first. Corrupt: what is wrong with it. Refused: bytes that are needed were left out of it
// (a redacted one), or are too many. An error of another kind: the file cannot be read.
[[nodiscard]] Result<Recorded> readRecorded(const std::string& path);

}  // namespace cairn::exporting
