#pragma once
// Named failpoints: places where a test stops, kills or fails this process on purpose.
// CAIRN_FAILPOINTS="name=action[@n][,name=action[@n]...]" with action kill (SIGKILL to self), stop (SIGSTOP
// to self), error (the call site takes its error path) or off; @n fires at the n-th hit only (1 = first),
// without it at every hit. Every hit is counted, fired or not, so that a test can prove that it exercised the
// point it names. Cost when nothing is configured: one relaxed atomic load. Thread-safe.

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace cairn::failpoint {

extern std::atomic<bool> g_active;

// True when the call site must take its error path. Does not return for kill.
[[nodiscard]] bool hitSlow(std::string_view name);

[[nodiscard]] inline bool hit(std::string_view name)
{
    return g_active.load(std::memory_order_relaxed) && hitSlow(name);
}

// Replaces the configuration; a malformed text returns false and changes nothing. Empty text only counts
// ("counting on").
bool configure(std::string_view text);
void configureFromEnvironment();
// Hits per name since the last configure().
[[nodiscard]] std::map<std::string, std::uint64_t> counts();

}  // namespace cairn::failpoint
