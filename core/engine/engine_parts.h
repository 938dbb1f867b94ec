#pragma once
// What the engine's rules keep of each attempt and of each result on its way into the store.

#include "core/engine/executor.h"
#include "core/service/service.h"

#include <optional>
#include <string>
#include <vector>

namespace cairn::engine_detail {

// An attempt that the executor works on.
struct Active {
    RunId run;
    StepIx step = kNoStep;
    std::string name;  // of the step
    std::string resource;
    std::string executor;  // empty: it was not asked
    SpanMs startedAt = 0;  // monotonic, as endsAt
    SpanMs endsAt = 0;     // its time-out; 0: none
    SpanMs firedAt = 0;    // when that was last told the run
    ReplaySafety safety = ReplaySafety::ReadOnly;
    Purpose purpose = Purpose::Do;
    std::vector<UsageAt> usage;  // where its output says what it used
    std::vector<Usage> worstCase;
    bool cancelling = false;
    bool reported = false;  // its result is on the way into the store
};
// A result on its way into the store; kept until the store has answered, over lost sessions too.
struct Pending {
    RunId run;
    std::string step;
    AttemptResult result;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::vector<UsageAt> usage;
    std::vector<Usage> worstCase;
    SpanMs notBefore = 0;
    bool refusedOnce = false;          // as it came: it goes on without what was refused
    std::optional<NewPayload> staged;  // a large output, in the store already
    SpanMs stagedAt = 0;
    bool restaged = false;
};

// Writes through one connection that fail with I/O errors: where none goes through any more, it is not to
// be used again.
struct Refusals {
    SpanMs since = 0;
    std::uint32_t times = 0;
};

}  // namespace cairn::engine_detail
