#pragma once
// What an engine itself needs to begin a call: cairn-exec, and room in the system for another process. Where
// it lacks, no step has failed.

#include "core/base/result.h"

#include <string>

namespace cairn {

// The folder of the running program; empty where the system does not say.
[[nodiscard]] std::string ownFolder();
// cairn-exec in `folder`, in ../libexec/cairn or in ../bin. Refused where it is in none of them, or may not
// be run: the text says where it was looked for and what to do.
[[nodiscard]] Result<std::string> findExecHelper(const std::string& folder);
// That the helper at `path` can be run.
[[nodiscard]] Status checkExecHelper(const std::string& path);

// An errno that speaks of this process or its host (descriptors, memory, processes), not of what was called.
[[nodiscard]] bool isOwnLack(int native) noexcept;

}  // namespace cairn
