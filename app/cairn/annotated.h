#pragma once
// The hold of a run, whose it is, and its notes: printed by show and why.

#include "app/cairn/json_rows.h"

namespace cairn::cli {

// Adds hold, assignment and notes.
void addAnnotated(Json& json, const Annotated& annotated);
void printAnnotated(Session& session, const Annotated& annotated);

}  // namespace cairn::cli
