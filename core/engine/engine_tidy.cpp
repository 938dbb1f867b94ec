// What nobody needs any more is dropped, a few rows at a time.

#include "core/engine/engine_impl.h"

namespace cairn {

namespace {

constexpr SpanMs kHour = 3'600'000;
constexpr SpanMs kDropStagedAfter = 24 * kHour;   // what killed programs left
constexpr SpanMs kKeepSessions = 7 * 24 * kHour;  // ended ones, by which `why` names who worked on something

// Answered acts of people of long ago: the audit and the histories keep what was done.
Status forgetActs(StoreWriter& store)
{
    constexpr std::uint64_t kAtOnce = 64;
    for (std::uint64_t forgotten = kAtOnce; forgotten == kAtOnce;) {
        CAIRN_TRY_ASSIGN(forgotten, store.forgetStaged(kAtOnce));
    }
    return {};
}

}  // namespace

// Chunks of outputs that were never committed, because somebody was killed in between; and sessions of long
// ago.
void EngineCore::Impl::tidy()
{
    const auto now = seams.store.now();
    if (!now)
        return trouble(now.error());
    auto dropped = std::make_shared<Status>();
    background(
        [now = *now, dropped](StoreWriter& store) {
            *dropped = store.dropStagedBefore(now - kDropStagedAfter);
            if (*dropped)
                *dropped = store.dropSessionsEndedBefore(now - kKeepSessions);
            if (*dropped)
                *dropped = forgetActs(store);
        },
        [this, dropped] {
            if (!*dropped)
                trouble(dropped->error());
        });
}

}  // namespace cairn
