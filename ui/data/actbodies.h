#pragma once
// Acts that take what is typed: a result, an input, a time, a limit, a name, a note.

#include "core/service/service.h"
#include "ui/data/actvalues.h"

namespace cairn::ui {

// Adds payloads to the submission where the act has some. InvalidInput: what is typed makes no sense, or the
// console has no such act. Acting thread.
[[nodiscard]] Result<cmd::Body> typedBody(
    const ActRequest& request, const RunState& state, Service& service, Submission& submission);

}  // namespace cairn::ui
