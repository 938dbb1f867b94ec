#pragma once
// Times as HTTP sends them. Pure, thread-safe.

#include "core/base/clock.h"
#include "core/base/result.h"

#include <string_view>

namespace cairn {

inline constexpr SpanMs kLongestRetryAfter = 24 * 3'600'000;

// An HTTP date (RFC 9110 section 5.6.7) in any of its three forms, without blanks around it:
//   Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT · Sun Nov  6 08:49:37 1994
// `now` decides the century of the second form: at most 50 years ahead. The day's name must be the right one.
[[nodiscard]] Result<TimeMs> parseHttpDate(std::string_view text, TimeMs now);

// How long a Retry-After header asks to wait, counted from the moment the response came (`now`): digits are
// seconds, else an HTTP date, taken relative to the response's own Date header where that can be read
// (`date`, empty: none), so that a server with a wrong clock cannot shift it. A date that has passed is 0;
// longer waits than kLongestRetryAfter are cut to it. Refuses signs, blanks inside, numbers that overflow and
// anything else (InvalidInput): then the header counts as absent. It is a floor for the resource: the caller
// never waits less than its own back-off says.
[[nodiscard]] Result<SpanMs> parseRetryAfter(std::string_view header, std::string_view date, TimeMs now);

}  // namespace cairn
