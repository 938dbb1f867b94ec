#pragma once
// What the views of one run are made of, beside run() and history(): two runs, or two versions of one, told
// against each other; what a run came from and what it started; its attempts as they were at a version. Pure
// where nothing else is said. Texts come from runs: made visible before they are shown.

#include "core/query/query.h"

namespace cairn {

// --- against each other

struct Difference {
    std::string place;  // "the run", "step pay", "approval of pay"
    std::string what;   // "state", "output"
    std::string left;   // as told to people; empty: not there
    std::string right;
    friend bool operator==(const Difference&, const Difference&) = default;
};
struct Compared {
    std::vector<Difference> differences;
    std::size_t same = 0;   // steps that are alike
    std::size_t steps = 0;  // that either has
};
// Whether two payloads hold the same bytes; nullopt: nobody has looked (too large, or not to be read here).
using SamePayload = std::function<std::optional<bool>(const PayloadRef&, const PayloadRef&)>;
// The times of two different runs always differ: of those the spans are compared, of one run the instants.
[[nodiscard]] Compared compareRuns(const RunView& left, const RunView& right, const SamePayload& same);
[[nodiscard]] std::vector<Difference> compareAttempts(const AttemptRow& left, const AttemptRow& right);

// --- as it was

// Rows of attempts as they stood at the version that `state` is of. An attempt writes its row at its start
// and at its end only, so what began by then and was open then says it all.
[[nodiscard]] std::vector<AttemptRow> attemptsAsOf(
    const RunState& state, const std::vector<AttemptRow>& rows);

}  // namespace cairn
