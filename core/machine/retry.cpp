#include "core/machine/retry.h"

#include "core/base/rng.h"

#include <algorithm>
#include <cstring>

namespace cairn {

namespace {
__extension__ typedef unsigned __int128 Wide;
}

SpanMs retryCeiling(const RetryPolicy& policy, std::uint32_t failures) noexcept
{
    const SpanMs cap = std::max<SpanMs>(policy.maxDelay, 0);
    SpanMs delay = std::clamp<SpanMs>(policy.firstDelay, 0, cap);
    for (std::uint32_t i = 1; i < failures; ++i) {
        // Checked before multiplying, so that many failures can neither overflow nor run long.
        if (delay == 0 || policy.factorPermille <= 1000)
            break;
        if (delay > cap * 1000 / policy.factorPermille)
            return cap;
        delay = delay * policy.factorPermille / 1000;
    }
    return std::min(delay, cap);
}

SpanMs jitter(SpanMs span, std::uint64_t seed, const RunId& run, StepIx step, std::uint32_t attempt) noexcept
{
    if (span <= 0)
        return 0;
    std::uint64_t tail = 0;
    std::memcpy(&tail, run.bytes.data() + 8, sizeof tail);
    const std::uint64_t hash = mix64(mix64(seed ^ tail) ^ ((std::uint64_t{step} << 32) | attempt));
    // Multiply-shift keeps the bias below span / 2^64.
    return static_cast<SpanMs>((static_cast<Wide>(hash) * static_cast<std::uint64_t>(span)) >> 64);
}

SpanMs retryDelay(const RetryPolicy& policy, std::uint32_t failures, std::uint64_t seed, const RunId& run,
    StepIx step, std::uint32_t attempt) noexcept
{
    return jitter(retryCeiling(policy, failures) + 1, seed, run, step, attempt);
}

}  // namespace cairn
