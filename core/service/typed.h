#pragma once
// What people type for an act, on the command line and in the console. Pure; InvalidInput says what to give.

#include "core/model/command.h"

#include <string>

namespace cairn {

// A span from `now` ("2h"), or an instant (2026-12-01T18:00:00Z).
[[nodiscard]] Result<TimeMs> typedInstant(const std::string& text, TimeMs now);
// The same, or "none": kNoTime.
[[nodiscard]] Result<TimeMs> typedDeadline(const std::string& text, TimeMs now);
// "25.00 EUR" in millionths, "200000 tokens" as counted. A unit of three capital letters is a currency, as
// in the workflows.
[[nodiscard]] Result<cmd::SetBudget> typedBudget(const std::string& text);

// "12": a new run from that version; "12 new effects": what was done is done again. `newest`: of the run.
[[nodiscard]] Result<cmd::Fork> typedFork(const std::string& text, std::uint64_t newest);

}  // namespace cairn
