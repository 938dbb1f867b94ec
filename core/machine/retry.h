#pragma once
// Retry times. Exponential back-off with full jitter (Brooker, "Exponential Backoff And Jitter", 2015): the
// delay before attempt n+1 is uniform in [0, min(maxDelay, firstDelay * factor^(n-1))]. The random part is a
// hash of (store seed, run, step, attempt), so that the same decision always gives the same time.

#include "core/model/definition.h"

namespace cairn {

// Upper bound of the delay after `failures` handled failures (>= 1).
[[nodiscard]] SpanMs retryCeiling(const RetryPolicy& policy, std::uint32_t failures) noexcept;
[[nodiscard]] SpanMs retryDelay(const RetryPolicy& policy, std::uint32_t failures, std::uint64_t seed,
    const RunId& run, StepIx step, std::uint32_t attempt) noexcept;
// Uniform in [0, span), from the same hash: spreads runs that were all told the same time.
[[nodiscard]] SpanMs jitter(
    SpanMs span, std::uint64_t seed, const RunId& run, StepIx step, std::uint32_t attempt) noexcept;

}  // namespace cairn
