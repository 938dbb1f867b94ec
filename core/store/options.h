#pragma once
// How a store is opened and made.

#include "core/store/artifacts.h"
#include "core/store/hints.h"
#include "core/store/login.h"
#include "core/store/rows.h"

#include <memory>
#include <optional>
#include <string>

namespace cairn {

struct StoreOptions {
    bool readOnly = false;
    bool allowNetworkFileSystem = false;
    bool synchronousNormal = false;  // explicit, named downgrade
    // Told after commits that another process may want to look at; null: nobody. See hints.h.
    std::shared_ptr<HintSink> hints{};
    // Without `hints`: the connection sends them itself, in a round trip of its own after the commit. For
    // programs that end soon.
    bool sendsHints = false;
    std::uint32_t intoFence = 0;  // writes although the store has just this fence (fence.h): who fills it
    OpenObjects objects{};        // how a bucket is opened; null: what lies in one is refused
    Patience patience = Patience::Long;           // with that bucket
    std::shared_ptr<LoginPasswords> passwords{};  // null: only what the driver finds by itself
};

struct InitOptions {
    std::string environment = "dev";
    bool guarded = false;
    bool testClock = false;
    bool roles = false;  // PostgreSQL: owned by the role cairn_owner, with the grants of the other roles
    // With the identity of that store instead of one of its own: id, salt, seed, environment, safety, test
    // clock, time of creation, whether it has roles, its bucket (but another folder in it), and its
    // minWriter, a fence. A store with roles that is there and holds nothing takes that identity.
    std::optional<StoreInfo> like = std::nullopt;
    bool preview = false;     // does all but the last: afterwards nothing is there that was not there before
    std::string artifacts{};  // URL of a bucket for artifacts; empty: they lie in the store
};

// What the store is that these ask for: with an id and a salt of its own, or like another.
[[nodiscard]] StoreInfo newStore(const InitOptions& options, TimeMs now, std::uint32_t schema);

}  // namespace cairn
