#include "core/base/mask.h"

#include <algorithm>

namespace cairn {

std::string maskPassword(std::string_view url)
{
    std::string out(url);
    const auto authority = out.find("//");
    const auto colon = authority == std::string::npos ? authority : out.find(':', authority);
    const auto question = out.find('?');
    auto at = out.rfind('@', question);
    // A '?' may belong to the password, where nothing that looks like an option follows it.
    if ((at == std::string::npos || at < colon) && colon != std::string::npos && question != std::string::npos
        && colon < question) {
        const auto later = out.find('@', question);
        if (later != std::string::npos
            && out.substr(question, later - question).find('=') == std::string::npos)
            at = later;
    }
    if (colon != std::string::npos && at != std::string::npos && at > colon)
        out.replace(colon + 1, at - colon - 1, "***");
    static constexpr std::string_view kKey = "password=";
    for (auto key = out.find(kKey); key != std::string::npos; key = out.find(kKey, key + kKey.size())) {
        const auto from = key + kKey.size();
        const auto end = std::min(out.find_first_of("& ", from), out.size());
        out.replace(from, end - from, "***");
    }
    return out;
}

}  // namespace cairn
