#pragma once
// The password of a login from the desktop's keychain, through libsecret's `secret-tool`, a program of its
// own: nothing is linked, and a server without a desktop needs none of it. Its answer comes over a pipe; no
// password is ever an argument or in the environment. Blocks for as long as the keychain asks its user, at
// most `patience`. No function throws.

#include "core/base/clock.h"

#include <string>

namespace cairn::postgres {

// What an item is found by; all of it has to fit.
struct KeychainItem {
    std::string host;
    std::string port;
    std::string database;
    std::string user;
};

struct KeychainAnswer {
    enum class Kind {
        Absent,   // no secret-tool, no session bus, or nobody there who keeps secrets: no error
        Nothing,  // it holds no such item
        Found,
        Refused,  // locked, or it would not say: `text` has why
    };
    Kind kind = Kind::Absent;
    std::string password{};
    std::string text{};
};

inline constexpr SpanMs kKeychainPatience = 20'000;

[[nodiscard]] KeychainAnswer askKeychain(const KeychainItem& item, SpanMs patience = kKeychainPatience);
// What somebody types to put it there.
[[nodiscard]] std::string keychainCommand(const KeychainItem& item);

}  // namespace cairn::postgres
