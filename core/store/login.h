#pragma once
// The password of a login at a server, from whoever opens the store, beside what the driver finds by itself
// (files; for command line and engines the desktop's keychain). Only drivers with logins ask.

#include <string>

namespace cairn {

struct PasswordAnswer {
    enum class Kind {
        Nothing,  // there is none, or nobody who could have one: what else there is gets asked
        Found,
        Refused,  // there may be one, and it is not given: `text` has why; nobody else is asked
    };
    Kind kind = Kind::Nothing;
    std::string password{};
    std::string text{};
};

// Called by the threads that connect, several at once, at each connection that is made; may block there, and
// must not throw. What it gives is neither kept nor written anywhere by who asks.
class LoginPasswords {
public:
    virtual ~LoginPasswords() = default;
    // Typed for this store: goes before everything else. Empty: none.
    [[nodiscard]] virtual std::string given() = 0;
    // Asked once the server wants a password that no file has. `login`: user@host:port/database.
    [[nodiscard]] virtual PasswordAnswer kept(const std::string& login) = 0;
};

}  // namespace cairn
