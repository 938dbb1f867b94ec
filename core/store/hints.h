#pragma once
// Hints between the processes that share a store: something has changed, look now. Polling stays the truth: a
// hint may be lost, late, doubled or forged, and all that it does is to make somebody look earlier. Stores
// whose processes cannot reach each other (SQLite, memory) have none.

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/store/login.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cairn {

// What there is to look at; several at once.
using HintSet = std::uint8_t;
namespace hint {
inline constexpr HintSet kNone = 0;
inline constexpr HintSet kWakeups = 1;  // others committed on runs of some session
inline constexpr HintSet kClaims = 2;   // a run that nobody owns is due
inline constexpr HintSet kOutbox = 4;   // a message to another run
inline constexpr HintSet kStaged = 8;   // an act that waits for an engine
inline constexpr HintSet kPlans = 16;   // a person changed a plan
inline constexpr HintSet kAll = 31;
}  // namespace hint

// Where a connection says what it has committed (StoreOptions::hints).
class HintSink {
public:
    virtual ~HintSink() = default;
    // After the commit was acknowledged. From any thread; neither blocks nor fails.
    virtual void tell(HintSet what) noexcept = 0;
};

struct HintHealth {
    enum class State : std::uint8_t {
        Beginning,  // the first connection is being made
        Listening,
        Deaf,  // polls have to do; it connects anew by itself
    };
    State state = State::Beginning;
    SpanMs since = 0;  // monotonic
    std::string why;   // it is deaf, or was the last time
    // How often it went deaf, in all: a break that heals between two looks is seen here.
    std::uint64_t breaks = 0;
};

// One process's ear and voice, on a connection and a thread of its own.
class HintLink : public HintSink {
public:
    // What was heard since the last call, of this process too. All of it where the link was made anew: it
    // listens first, and then everything is looked at. From any thread; does not block.
    [[nodiscard]] virtual HintSet take() noexcept = 0;
    [[nodiscard]] virtual HintHealth health() const = 0;
};

struct HintOptions {
    // From the link's thread: take() has something, or health() has changed. Must not block or throw.
    std::function<void()> wake;
    // How often the link is probed. One that has died unseen is found within two of these.
    SpanMs interval = 1'000;
    // The least time between two hints that are sent: what is told in between goes out together.
    SpanMs debounce = 50;
    std::shared_ptr<LoginPasswords> passwords{};  // as StoreOptions::passwords
};

// Makes the link of a store; null where its kind has none. Does not wait for the connection.
using HintFactory =
    std::function<Result<std::shared_ptr<HintLink>>(const std::string& url, const HintOptions& options)>;

}  // namespace cairn
