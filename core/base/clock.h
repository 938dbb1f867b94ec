#pragma once
// Time. Instants are milliseconds since the Unix epoch, UTC; spans are milliseconds.

#include <cstdint>
#include <limits>

namespace cairn {

using TimeMs = std::int64_t;
using SpanMs = std::int64_t;
inline constexpr TimeMs kNoTime = 0;  // "not set"; never a real instant of a run
inline constexpr TimeMs kForever = std::numeric_limits<TimeMs>::max();  // later than every instant

// Seam for time. Thread-safe; never blocks.
class Clock {
public:
    virtual ~Clock() = default;
    // Wall clock, may jump. For instants that are stored or shown.
    [[nodiscard]] virtual TimeMs wallMs() const = 0;
    // Never goes back and counts through suspend (CLOCK_BOOTTIME). For spans: leases, heartbeats, time-outs.
    [[nodiscard]] virtual SpanMs monotonicMs() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] TimeMs wallMs() const override;
    [[nodiscard]] SpanMs monotonicMs() const override;
};

// A clock that moves only when told to. Not thread-safe: tests and the simulator own it.
class ManualClock final : public Clock {
public:
    explicit ManualClock(TimeMs start = 1'790'000'000'000)
        : m_wall(start)
    {
    }
    [[nodiscard]] TimeMs wallMs() const override { return m_wall; }
    [[nodiscard]] SpanMs monotonicMs() const override { return m_monotonic; }
    void advance(SpanMs span)
    {
        m_wall += span;
        m_monotonic += span;
    }
    void jumpWall(SpanMs span) { m_wall += span; }

private:
    TimeMs m_wall;
    SpanMs m_monotonic = 1'000'000;
};

}  // namespace cairn
