#pragma once
// Child processes of the drill: started without a shell, killed by signal, their first line of output read.

#include "core/base/result.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace cairn {

class Process {
public:
    Process() = default;
    ~Process();  // kills and reaps
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;

    // Standard output is a pipe to us where `readsOutput`, else /dev/null; standard error goes to `logFile`
    // (appended).
    [[nodiscard]] static Result<Process> start(const std::vector<std::string>& argv,
        const std::vector<std::pair<std::string, std::string>>& environment, const std::string& logFile,
        bool readsOutput);
    // Blocks until a line came, the process closed its output, or the span passed.
    [[nodiscard]] Result<std::string> readLine(int timeoutMs);
    // Everything until the process closes its output.
    [[nodiscard]] std::string readAll();
    void kill(int signal);
    // Exit status as a shell shows it (128 + n for signal n). Blocks; -1 where nothing was started.
    int wait();
    // True once the process has ended (reaps it).
    [[nodiscard]] bool ended();
    [[nodiscard]] bool running() { return m_pid > 0 && !ended(); }
    [[nodiscard]] pid_t pid() const { return m_pid; }

private:
    void close();
    pid_t m_pid = -1;
    int m_output = -1;
    int m_status = -1;
    std::string m_buffer;
};

}  // namespace cairn
