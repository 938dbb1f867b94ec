#pragma once
// What an approval is about, printed exactly: by why, show, and the preview of approve and reject.

#include "app/cairn/json_rows.h"

namespace cairn::cli {

inline constexpr std::size_t kAskedMost = 16;  // approvals of one run; the rest is told by its number

// A list of approvals, each with what its digest covers.
[[nodiscard]] Json jsonAsked(const std::vector<Asked>& asked);
void printAsked(Session& session, const std::vector<Asked>& asked);
// Of a run as it is now or, with `earlier`, was: all that are pending, up to kAskedMost of them.
[[nodiscard]] std::vector<Asked> askedOf(Session& session, const RunState& state, bool earlier);
[[nodiscard]] std::size_t moreAsked(const RunState& state, const std::vector<Asked>& asked);
void addAsked(Json& json, const RunState& state, const std::vector<Asked>& asked);
void printAskedOf(Session& session, const RunState& state, const std::vector<Asked>& asked);

}  // namespace cairn::cli
