#pragma once
// What to connect to: a postgresql:// URL, completed by service files and the environment as libpq does it,
// with this driver's own defaults (time-outs, sslmode=verify-full over TCP).

#include "core/base/result.h"
#include "core/store/login.h"

#include <memory>
#include <string>
#include <vector>

namespace cairn::postgres {

struct Target {
    struct Option {
        std::string key;
        std::string value;
    };
    // One of the hosts, to be tried in this order.
    struct Host {
        bool tcp = false;
        bool alone = false;  // to be tried by itself, with these words in the place of the options'
        std::string host;
        std::string address;
        std::string port;
        [[nodiscard]] std::string shown() const;
    };
    std::vector<Option> options;   // for PQconnectdbParams, in order
    std::vector<Host> hosts;       // one that is not alone: libpq goes through all of them itself
    std::string shown;             // for messages: no password is ever in it
    std::string login;             // user@host:port/database, as they are in force
    bool tcp = false;              // some host of it is reached over TCP
    bool plain = false;            // over TCP without TLS (sslmode=disable)
    bool verifyByDefault = false;  // nobody had said an sslmode: verify-full was put in
    std::shared_ptr<LoginPasswords> passwords{};  // from whoever opens; may be null
};

// InvalidInput: not such a URL, one with a password in it, or with settings under which a password could go
// to somebody who was not checked. Reads service files; opens no connection.
[[nodiscard]] Result<Target> resolveTarget(const std::string& url, bool forWriting);

// True for postgresql:// and postgres://.
[[nodiscard]] bool isPostgresUrl(const std::string& url) noexcept;

}  // namespace cairn::postgres
