#include "core/definition/page.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::string_view kKey = "{key}";

bool isUnreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.'
        || c == '_' || c == '~';
}

}  // namespace

Status checkPage(std::string_view page)
{
    const bool web = page.starts_with("https://") || page.starts_with("http://");
    const bool plain = std::all_of(page.begin(), page.end(), [](char c) { return c > ' ' && c < 0x7F; });
    std::string rest(page);
    for (auto at = rest.find(kKey); at != std::string::npos; at = rest.find(kKey))
        rest.erase(at, kKey.size());
    if (web && plain && rest.find_first_of("{}\"<>\\") == std::string::npos)
        return {};
    return makeError(ErrorKind::InvalidInput,
        "\"page\" is the URL of a page, with {key} for the effect's key: https://pay.example/search?q={key}");
}

std::string pageFor(std::string_view page, std::string_view effectKey)
{
    std::string key;
    for (const char c : effectKey) {
        if (isUnreserved(c)) {
            key += c;
            continue;
        }
        constexpr std::string_view kHex = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        key += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
    std::string out;
    for (std::size_t at = 0; at < page.size();) {
        if (page.substr(at, kKey.size()) == kKey) {
            out += key;
            at += kKey.size();
        } else {
            out += page[at++];
        }
    }
    return out;
}

}  // namespace cairn
