#pragma once
// Looks at what a server asks for before libpq answers it, where there is no TLS: libpq 15 would give a
// password in clear text to whoever asks for it (require_auth came with 16). Pure.

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::postgres {

struct Asked {
    enum class Kind {
        More,     // not whole yet: `wanted` bytes are needed
        Fine,     // SCRAM, or no password at all
        Through,  // the server lets us in: nothing is asked for any more
        Refused,  // `what` names what it asks for
    };
    Kind kind = Kind::More;
    std::size_t wanted = 0;
    std::string what;
};

// `bytes`: all that has come and was not read yet, beginning at a message.
[[nodiscard]] Asked whatIsAsked(std::string_view bytes);

}  // namespace cairn::postgres
