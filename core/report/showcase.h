#pragma once
// A store as an operator meets it on a working day: some 900 runs over eight hours, most of them finished
// or on their way, the others stuck for eleven reasons; a purchase with some thirty steps by five agents, its
// delegations, a result of 20 MB, people who acted, were refused, or acted alone by break-glass. For
// pictures, for trying the console out, and for learning it. Nothing in it is written by hand: the product's
// engine, service and people made it, on a clock that was moved.

#include "core/store/store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cairn {

struct ShowcaseOptions {
    // A connection to a new store with a test clock (InitOptions::testClock), which no engine works on.
    std::function<Result<std::unique_ptr<StoreWriter>>()> open;
    std::uint64_t seed = 1;  // the same seed gives the same runs; times are before now
    std::function<void(const std::string& what)> progress = [](const std::string&) {};
};

struct ShowcaseReport {
    RunId purchase;  // that with many steps, which waits for an approval
    std::uint64_t started = 0;
};

// Makes it. Blocks for some ten seconds. What it left is a store like any other; its clock is the host's
// again.
[[nodiscard]] Result<ShowcaseReport> makeShowcase(ShowcaseOptions options);

}  // namespace cairn
