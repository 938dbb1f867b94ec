#pragma once
// Acts that wait for an engine, printed: by acts, why and show. Stores without logins have none.

#include "app/cairn/json_rows.h"
#include "core/service/service.h"
#include "core/store/rows.h"

#include <vector>

namespace cairn::cli {

inline constexpr std::size_t kActsLooked = 1000;  // the oldest; what is beyond is told by `acts` only

// Of one run, oldest first. Nothing where the login may not see them.
[[nodiscard]] std::vector<StagedAct> waitingOf(Session& session, const RunId& run);
[[nodiscard]] Json jsonAct(const StagedAct& act);
[[nodiscard]] Json jsonActs(const std::vector<StagedAct>& acts);
[[nodiscard]] std::string actLine(const StagedAct& act);
// On standard error: what was done by break-glass is told whatever is printed.
void tellGlass(Session& session, const Outcome& outcome);
// What became of an act on the store, where `done` is said if it was done; gives the exit code.
int printStoreOutcome(Session& session, const Outcome& outcome, const std::string& done);
void printWaiting(Session& session, const std::vector<StagedAct>& acts);

}  // namespace cairn::cli
