#pragma once
// Who is alive on this host: how an engine sees at once that another one is gone. A seam, so that tests can
// kill engines that are no processes.

#include <cstdint>
#include <string>

namespace cairn {

struct ProcessIdentity {
    std::string host;
    std::string bootId;
    std::string pidNamespace;
    std::int64_t pid = 0;
    std::int64_t startTicks =
        0;  // /proc/PID/stat field 22: tells a process from a later one with the same pid
};

class ProcessTable {
public:
    virtual ~ProcessTable() = default;
    [[nodiscard]] virtual ProcessIdentity self() = 0;
    // True where the process is certainly gone. Only asked for the same boot id and pid namespace as one's
    // own.
    [[nodiscard]] virtual bool isGone(std::int64_t pid, std::int64_t startTicks) = 0;
};

// Reads /proc.
class SystemProcessTable final : public ProcessTable {
public:
    [[nodiscard]] ProcessIdentity self() override;
    [[nodiscard]] bool isGone(std::int64_t pid, std::int64_t startTicks) override;
};

}  // namespace cairn
