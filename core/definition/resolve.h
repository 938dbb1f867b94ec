#pragma once
// Internal to rendering: from a reference to the bytes that it stands for.

#include "core/definition/render.h"

namespace cairn {

// The slice, or "else" where source or pointer is missing, or an error that names both.
[[nodiscard]] Result<std::string_view> resolveReference(
    const TemplateReference& reference, const Sources& sources);
[[nodiscard]] Result<bool> referenceExists(const TemplateReference& reference, const Sources& sources);

}  // namespace cairn
