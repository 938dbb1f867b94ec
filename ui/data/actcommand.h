#pragma once
// The command line that does what a sheet would do: for a note, a hand-over, or another machine. Pure.

#include "ui/data/actvalues.h"

namespace cairn::ui {

// `store`: as `cairn --store` takes it; empty: none is named. The reason is in it where one was typed.
[[nodiscard]] QString commandOf(const ActRequest& request, const QString& store);

}  // namespace cairn::ui
