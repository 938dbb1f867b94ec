#include "core/base/clock.h"

#include <ctime>

namespace cairn {

namespace {

std::int64_t readMs(clockid_t id)
{
    timespec now{};
    clock_gettime(id, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

TimeMs SystemClock::wallMs() const { return readMs(CLOCK_REALTIME); }
SpanMs SystemClock::monotonicMs() const { return readMs(CLOCK_BOOTTIME); }

}  // namespace cairn
