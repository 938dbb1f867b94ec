#pragma once
// Inside of the command executor: one process with its pipes.

#include "core/engine/command_executor.h"

#include <optional>
#include <sys/types.h>

namespace cairn {

// The engine's ends of the pipes; all are non-blocking and closed on exec.
struct Spawned {
    pid_t pid = -1;
    int pidFd = -1;
    int in = -1;
    int out = -1;
    int err = -1;
    int status = -1;
};

struct SpawnRequest {
    std::vector<std::string> arguments;  // of cairn-exec, its own name included
    std::vector<std::string> environment;
    int lease = -1;       // descriptor of the lease's page
    std::string program;  // of the tool
    std::string folder;   // that it begins in; empty: the engine's
};

// Io where the helper cannot be run, or the system has no room for another process: nothing was begun.
// OutcomeUnknown where it had none after the helper had begun: the tool may have been at work, it is gone
// now. Does not block beyond the exec.
[[nodiscard]] Result<Spawned> spawnHelper(const std::string& helper, const SpawnRequest& request);

// What to run for an order: options, limits, argv, environment. `lease`: descriptor of the lease's page.
[[nodiscard]] Result<SpawnRequest> buildRequest(const StartOrder& order, const CommandConfig& config,
    const std::optional<std::string>& secret, int lease, std::uint64_t& maxOutput);

}  // namespace cairn
