#pragma once
// What the codec and the JSON view both need to know about the types of fields. Private to core/model.

#include "core/model/fact.h"

#include <type_traits>

namespace cairn::fields {

template<typename T> inline constexpr bool kIsId = false;
template<typename Tag> inline constexpr bool kIsId<Id<Tag>> = true;

template<typename T> inline constexpr bool kIsVector = false;
template<typename T> inline constexpr bool kIsVector<std::vector<T>> = true;

// Types of a fixed width on the wire; 0 for all others.
template<typename T> consteval std::size_t fixedWidth()
{
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
        return sizeof(T);
    else if constexpr (kIsId<T> || std::is_same_v<T, UuidBytes>)
        return 16;
    else if constexpr (std::is_same_v<T, Digest>)
        return 32;
    else
        return 0;
}

}  // namespace cairn::fields
