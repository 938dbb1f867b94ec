#pragma once
// What stands before and behind each call of a store (hooked_store.h).

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace cairn {

enum class Access : std::uint8_t { Read, Write, Commit };

// Asked before each call, and after each that writes; an error takes the place of the call, or of its answer.
// Neither may be null.
struct StoreHooks {
    std::function<std::optional<Error>(const char* what, Access access)> before;
    std::function<std::optional<Error>(const char* what, Access access)> after;
};

}  // namespace cairn
