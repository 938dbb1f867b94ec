#include "core/plan/pace.h"

#include "core/base/digest.h"
#include "core/base/wire.h"

#include <algorithm>
#include <cmath>

namespace cairn {

namespace {

constexpr double kMinute = 60'000.0;
constexpr std::uint64_t kShare = 5;  // items before a share of them says anything

}  // namespace

SpanMs dueAfter(const PlanPace& pace, std::uint64_t n)
{
    if (pace.rate == 0)
        return 0;
    const double last = pace.rate / kMinute;  // items in a millisecond
    const auto count = static_cast<double>(n);
    if (pace.rampFrom == 0 || pace.ramp <= 0 || pace.rampFrom == pace.rate)
        return static_cast<SpanMs>(std::llround(count / last));
    // Items up to t: first * t + (last - first) / (2 * ramp) * t * t.
    const double first = pace.rampFrom / kMinute;
    const auto ramp = static_cast<double>(pace.ramp);
    const double within = (first + last) / 2 * ramp;
    if (count >= within)
        return static_cast<SpanMs>(std::llround(ramp + (count - within) / last));
    const double a = (last - first) / (2 * ramp);
    const double root = std::sqrt(std::max(0.0, first * first + 4 * a * count));
    return static_cast<SpanMs>(std::llround(2 * count / (first + root)));
}

SpanMs dueWithJitter(const PlanPace& pace, const PlanId& plan, std::uint64_t n)
{
    const SpanMs due = dueAfter(pace, n);
    const SpanMs room = (dueAfter(pace, n + 1) - due) * std::min<std::uint32_t>(pace.jitter, 100) / 100;
    if (room <= 0)
        return due;
    WireWriter seed;
    seed.bytes("cairn-plan-jitter");
    seed.id(plan);
    seed.u64(n);
    const Digest drawn = sha256(seed.out());
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i)
        number = number << 8U | drawn.bytes[i];
    return due + static_cast<SpanMs>(number % static_cast<std::uint64_t>(room + 1));
}

SpanMs estimatedSpan(const PlanPace& pace, std::uint64_t items)
{
    return items == 0 ? 0 : dueAfter(pace, items - 1);
}

SpanMs estimatedLeft(const PlanPace& pace, std::uint64_t tried, std::uint64_t open)
{
    return open == 0 ? 0 : estimatedSpan(pace, tried + open) - estimatedSpan(pace, tried);
}

bool stopsAt(const PlanPace& pace, const PlanReturns& returns, std::uint64_t items)
{
    if (pace.stopOver == 0)
        return false;
    const std::uint64_t least = std::min(items, pace.canary > 0 ? pace.canary : kShare);
    return returns.done >= std::max<std::uint64_t>(least, 1)
        && returns.again * 100 > std::uint64_t{pace.stopOver} * returns.done;
}

}  // namespace cairn
