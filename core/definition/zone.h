#pragma once
// Local times in the zones of the system's time zone database (package tzdata). The database is read once per
// process, at the first call; otherwise pure. Thread-safe.

#include "core/base/clock.h"
#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cairn {

// A time as a clock on the wall of some place shows it, in seconds since 1970-01-01T00:00:00 there. Which
// instant that is, its zone says: none on the night when clocks are put forward, two when they are put back.
using LocalSeconds = std::int64_t;

// "2027-03-28T02:30" or with seconds, a blank for the T also. Refuses dates and times that no calendar has.
[[nodiscard]] Result<LocalSeconds> parseLocalTime(std::string_view text);
// InvalidInput, with the nearest name, where the database has no such zone ("Europe/Berlin", "UTC").
[[nodiscard]] Status checkZone(std::string_view zone);

// The rule for both nights: a time that does not exist is the instant right after the gap; of one that exists
// twice, the first. Refuses times after 2037, for which the database as it is installed has no rules.
[[nodiscard]] Result<TimeMs> instantOf(LocalSeconds local, std::string_view zone);
[[nodiscard]] Result<LocalSeconds> localOf(TimeMs instant, std::string_view zone);
// "2027-03-28 03:00:00+02:00 Europe/Berlin".
[[nodiscard]] Result<std::string> formatLocal(TimeMs instant, std::string_view zone);

// The end of what the database knows: 2038-01-01T00:00:00Z.
inline constexpr TimeMs kZonesKnownUntil = 2'145'916'800'000;

}  // namespace cairn
