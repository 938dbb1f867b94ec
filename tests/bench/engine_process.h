#pragma once
// A real engine process (`cairn engine`, beside the bench program), and what the kernel says about it.

#include "core/report/process.h"

#include <cstdint>
#include <string>

namespace cairn::bench {

struct ProcessUse {
    double cpuSeconds = 0;  // of all threads
    double rssMb = 0;
    double peakRssMb = 0;
    std::uint64_t wakeups = 0;  // voluntary context switches of all threads
    std::uint64_t bytesWritten = 0;
};

[[nodiscard]] ProcessUse useOf(pid_t pid);

// Output goes to bench-engine.log in `dir`.
[[nodiscard]] Process startEngine(const std::string& storeUrl, const std::string& dir, int concurrency);

}  // namespace cairn::bench
