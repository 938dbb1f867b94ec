#pragma once
// A decision's plan: the "steps" that the output of a decision with adds_steps asks for. Pure.

#include "core/base/result.h"
#include "core/model/command.h"

#include <string_view>
#include <vector>

namespace cairn {

inline constexpr std::size_t kMaxAddedSteps = 10'000;

// Reads {"steps": [{"id": "check-2", "name": "check", "after": ["check-1"]}, ...]} out of a decision's
// output: `name` is a step of the definition with on_demand, `id` is unique in the plan (default: name),
// `after` holds ids of the plan or ids of steps that the run has already (default: the decision itself,
// `decisionId`). No "steps": an empty plan. InvalidInput names the item and what is wrong; the output itself
// is never changed. Ids that the run already has are for decide() to refuse.
[[nodiscard]] Result<std::vector<cmd::NewStep>> readPlan(
    const Definition& definition, std::string_view decisionId, std::string_view output);

// Ids and names of steps stand in lines, keys and sentences: InvalidInput for one that is not text of one
// line, without control, directional and zero-width characters. Ids of callers and of plans alike.
[[nodiscard]] Status checkStepId(std::string_view id);

}  // namespace cairn
