#pragma once
// What an entry is about, in a few words, by step: names the boundaries of a proof. Pure. Internal to it.

#include "core/machine/state.h"
#include "core/model/entry.h"

#include <string>
#include <utility>
#include <vector>

namespace cairn::proof {

// Each step that the entry moves once, with the word that says most; never empty: kNoStep is the run.
[[nodiscard]] std::vector<std::pair<StepIx, std::string>> labelsOf(const Entry& entry);

// The name of a step in a proof: its name in the definition, "undo:" before that of its compensation.
[[nodiscard]] std::string stepWord(const StepRecord& step);

}  // namespace cairn::proof
