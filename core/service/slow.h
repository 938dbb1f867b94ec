#pragma once
// Slowing a resource: what an act on it would do, told before it is done. Reads the store; writes nothing.

#include "core/service/service.h"

#include <optional>
#include <string>
#include <vector>

namespace cairn {

// The resource as stored; with its name alone where the store has none of that name.
[[nodiscard]] Result<ResourceRow> resourceNamed(StoreReader& reader, std::string_view name);

// What the workflows of the store say of the resource: the strictest of their newest versions, as an engine
// would install it. Zeroes: none limits it. `named`: tools that call it, "workflow@version tool".
struct ResourceSaid {
    std::uint32_t permitsPerSecond = 0;
    std::uint32_t slots = 0;
    std::vector<std::string> named;
};
[[nodiscard]] Result<ResourceSaid> resourceSaid(StoreReader& reader, Service& service, std::string_view name);

// What a person asks for, as typed.
struct SlowWish {
    std::string rate;   // 20/s, 600/m (nothing slower than one a second); hold; none: as the workflows say
    std::string until;  // with hold: a span from now (10m) or an instant
    std::optional<std::uint32_t> slots;  // calls under way at one time, 0: not limited; nullopt: as they are
};
// The resource as it would be then. NotFound: neither the store nor a workflow names it. InvalidInput says
// what to give.
[[nodiscard]] Result<ResourceRow> wantedSlow(
    const SlowWish& wish, const ResourceRow& seen, const ResourceSaid& said, TimeMs now);

// Lines: what changes, which runs stand at it, which deadlines pass while it is held.
[[nodiscard]] Result<std::vector<std::string>> tellSlow(StoreReader& reader, Service& service,
    const ResourceRow& seen, const ResourceRow& wanted, const ResourceSaid& said);

}  // namespace cairn
