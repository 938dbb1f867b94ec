#pragma once
// What a server of objects answers, and what it means. Pure.

#include "core/store/s3/place.h"
#include "core/store/artifacts.h"

#include <string>
#include <vector>

namespace cairn::s3 {

struct Answer {
    long status = 0;
    std::string body;
    std::string date;        // its header of that name
    std::string retryAfter;  // seconds, or a date
    std::string location;    // where it redirects to
};

// The text of the first element <name> in the body, with &lt; and the like resolved; empty: none.
[[nodiscard]] std::string elementOf(std::string_view body, std::string_view name);
// The code of an error answer, or what its status stands for.
[[nodiscard]] std::string codeOf(const Answer& answer);
// May pass by itself: the same request may be sent again.
[[nodiscard]] bool isPassing(const Answer& answer);
// Other credentials may help.
[[nodiscard]] bool isAboutCredentials(const Answer& answer);
// Of an answer that is no success. `what` names the object or the bucket, `now` is this machine's time,
// `from` where the credentials are from.
[[nodiscard]] Error errorOf(
    const Answer& answer, const Place& place, const std::string& what, const std::string& from, TimeMs now);
// The objects of a page, their names without the place's prefix. Corrupt: this is no such page.
[[nodiscard]] Result<std::vector<ObjectStore::Listed>> listOf(const Answer& answer, const Place& place);
// Percent-encoded as signing wants it: all but letters, digits and - _ . ~.
[[nodiscard]] std::string encoded(std::string_view text);

}  // namespace cairn::s3
