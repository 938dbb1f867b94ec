#include "core/export/keys.h"

#include "core/base/digest.h"

namespace cairn::exporting {

std::optional<std::string> parseBase64(std::string_view text)
{
    static constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, text.find('='))) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos)
            return std::nullopt;
        bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xFFFFU;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        bytes += static_cast<char>(static_cast<unsigned char>(bits >> held));
    }
    if (base64(bytes) != text)
        return std::nullopt;
    return bytes;
}

std::string fingerprint(const PublicKey& key) { return hex(sha256(key.view())).substr(0, 16); }

}  // namespace cairn::exporting
