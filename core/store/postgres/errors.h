#pragma once
// What an SQLSTATE, or a lost connection, means for the caller: one table for the whole driver.

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cairn::postgres {

struct Verdict {
    ErrorKind kind = ErrorKind::Internal;
    bool retry = false;    // the whole transaction may be tried again, with a new snapshot and a new decision
    bool drops = false;    // this connection is of no use any more: connect again, resolving the host anew
    bool poisons = false;  // nothing more may be written through this store object
    bool concernsMember = false;  // of a group: one member may be to blame, its neighbours are not
};

// `state`: five characters; empty where the link was lost without a word. `commitSent`: COMMIT was on its way
// when it came, so that an end of the connection leaves the outcome unknown.
[[nodiscard]] Verdict classify(std::string_view state, bool commitSent) noexcept;

// The SQLSTATE as a number for Error::native: five digits of base 36. 0 for an empty one.
[[nodiscard]] int nativeCode(std::string_view state) noexcept;

// SQLSTATEs that this driver's own triggers and functions raise.
inline constexpr std::string_view kAppendOnly = "CA001";
inline constexpr std::string_view kNoRole = "CA002";   // this login may not do that, and which role could
inline constexpr std::string_view kChanged = "CA003";  // it is not as it was shown

// A warning at COMMIT that says "committed here, perhaps not on the standby" is no success.
[[nodiscard]] bool isOnlyLocal(std::string_view sourceFunction, std::string_view severity) noexcept;

// What servers say is text from outside: clipped, on one line.
[[nodiscard]] std::string tidy(const char* text);

}  // namespace cairn::postgres
