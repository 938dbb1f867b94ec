#pragma once
// The digest of a tool's contract: of all that decides what a call does outside. Approvals are bound to it,
// and a run records it. White space, titles, retries, time-outs and budgets are not part of it.

#include "core/model/definition.h"

namespace cairn {

[[nodiscard]] Digest contractDigest(const ToolDef& tool);

}  // namespace cairn
