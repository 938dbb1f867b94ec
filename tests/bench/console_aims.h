#pragma once
// How fast the console is meant to be on what is large, and how large that is: printed by bench_console
// beside what it measures, and held against the page "Limits and data" by tst_limits_page. No Qt.

namespace cairn::bench {

struct Budget {
    double value;
    const char* unit;
};
inline constexpr Budget kFirstCounts{500, "ms"};
inline constexpr Budget kFilterKey{100, "ms"};
inline constexpr Budget kStall{100, "ms"};
inline constexpr Budget kFirstScreen{200, "ms"};
inline constexpr Budget kSearch{1'000, "ms"};
inline constexpr Budget kFold{300, "ms"};
inline constexpr Budget kPreview{2'000, "ms"};
inline constexpr Budget kMemory{400, "MiB"};

inline constexpr int kRunsThere = 1'000'000;
inline constexpr int kEntriesThere = 1'000'000;
inline constexpr int kStepsThere = 10'000;
inline constexpr int kMebibytesThere = 20;
inline constexpr int kRunsPlanned = 10'000;
inline constexpr int kUpdates = 1'000;  // steps finished a second
inline constexpr int kUpdateSeconds = 60;

}  // namespace cairn::bench
