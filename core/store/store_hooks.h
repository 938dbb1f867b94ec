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

// Asks the hooks around a call.
class HookedCalls {
protected:
    explicit HookedCalls(StoreHooks hooks)
        : m_hooks(std::move(hooks))
    {
    }
    ~HookedCalls() = default;
    template<typename Call> auto read(const char* what, Call call) -> decltype(call())
    {
        if (auto error = m_hooks.before(what, Access::Read))
            return *std::move(error);
        return call();
    }
    template<typename Call> auto write(const char* what, Call call) -> decltype(call())
    {
        if (auto error = m_hooks.before(what, Access::Write))
            return *std::move(error);
        auto answer = call();
        if (auto error = m_hooks.after(what, Access::Write))
            return *std::move(error);
        return answer;
    }

    StoreHooks m_hooks;
};

}  // namespace cairn
