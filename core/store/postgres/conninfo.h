#pragma once
// What to connect to: a postgresql:// URL, completed by service files and the environment as libpq does it,
// with this driver's own defaults (time-outs, sslmode=verify-full over TCP).

#include "core/base/result.h"

#include <string>
#include <vector>

namespace cairn::postgres {

struct Target {
    struct Option {
        std::string key;
        std::string value;
    };
    std::vector<Option> options;   // for PQconnectdbParams, in order
    std::string shown;             // for messages: no password is ever in it
    bool tcp = false;              // some host of it is reached over TCP
    bool verifyByDefault = false;  // nobody had said an sslmode: verify-full was put in
};

// InvalidInput: not such a URL, or one with a password in it. Reads service files; opens no connection.
[[nodiscard]] Result<Target> resolveTarget(const std::string& url, bool forWriting);

// True for postgresql:// and postgres://.
[[nodiscard]] bool isPostgresUrl(const std::string& url) noexcept;

}  // namespace cairn::postgres
