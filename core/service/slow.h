#pragma once
// Slowing a resource: what an act on it would do, told before it is done. Reads the store; writes nothing.

#include "core/service/service.h"

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

// How the resource would be, as a person asks for it: "20/s", "600/m", "hold" (until `heldUntil`), or "none":
// as the workflows say. InvalidInput says what to give. Pure.
[[nodiscard]] Result<ResourceRow> slowWanted(
    const std::string& rate, TimeMs heldUntil, const ResourceRow& seen, const ResourceSaid& said, TimeMs now);
// The same in one text, with the span or the instant behind the word: "hold 10m".
[[nodiscard]] Result<ResourceRow> typedSlow(
    const std::string& typed, const ResourceRow& seen, const ResourceSaid& said, TimeMs now);

// Lines: what changes, which runs stand at it, which deadlines pass while it is held.
[[nodiscard]] Result<std::vector<std::string>> tellSlow(StoreReader& reader, Service& service,
    const ResourceRow& seen, const ResourceRow& wanted, const ResourceSaid& said);

}  // namespace cairn
