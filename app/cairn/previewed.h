#pragma once
// What a preview holds as data, as JSON and as lines: what runs next and on what, the cost, what is left out.

#include "app/cairn/json_rows.h"

namespace cairn::cli {

// Adds next, cost, left_out and undo.
void addPreviewParts(Json& json, const Preview& preview);
void printPreviewParts(Session& session, const PreviewParts& parts);

}  // namespace cairn::cli
