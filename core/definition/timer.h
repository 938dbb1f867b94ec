#pragma once
// Timers that wait until a local time, or until the next match of a rule: what a definition says, and when
// that is.

#include "core/definition/render.h"
#include "core/model/definition.h"

#include <string>
#include <vector>

namespace cairn {

// When a timer step with "at" or "next" ends that begins to wait at `now`: chosen once, and kept in the run's
// entry.
[[nodiscard]] Result<TimeMs> renderTimer(const StepDef& step, const Sources& sources, TimeMs now);

// What `cairn workflow check` shows of one timer.
struct TimerPreview {
    std::string step;
    std::string rule;  // as written: "30 2 * * *", or the local time
    std::string zone;
    std::vector<TimeMs> next;  // the next three, or the one; empty: it depends on the run's input
};
[[nodiscard]] std::vector<TimerPreview> previewTimers(const Definition& definition, TimeMs now);

}  // namespace cairn
