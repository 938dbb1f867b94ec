#include "core/base/ids.h"

#include "core/base/digest.h"
#include "core/base/rng.h"

namespace cairn {

namespace {

int hexValue(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void setVersion(UuidBytes& bytes, std::uint8_t version)
{
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | (version << 4));
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
}

bool isDash(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

}  // namespace

std::string uuidText(const UuidBytes& bytes)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out.push_back('-');
        out.push_back(kDigits[bytes[i] >> 4]);
        out.push_back(kDigits[bytes[i] & 15]);
    }
    return out;
}

std::optional<UuidBytes> parseUuid(std::string_view text)
{
    if (text.size() != 36)
        return std::nullopt;
    UuidBytes bytes{};
    std::size_t digit = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (isDash(i)) {
            if (text[i] != '-')
                return std::nullopt;
            continue;
        }
        const int value = hexValue(text[i]);
        if (value < 0)
            return std::nullopt;
        auto& byte = bytes[digit / 2];
        byte = static_cast<std::uint8_t>((byte << 4) | value);
        ++digit;
    }
    return bytes;
}

UuidBytes makeUuidV7(std::int64_t unixMs, Rng& rng)
{
    UuidBytes bytes{};
    rng.fill(bytes.data(), bytes.size());
    const auto ms = static_cast<std::uint64_t>(unixMs);
    for (int i = 0; i < 6; ++i)
        bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(ms >> (40 - 8 * i));
    setVersion(bytes, 7);
    return bytes;
}

UuidBytes deriveUuid(std::string_view domain, std::string_view seed)
{
    Sha256 hash;
    hash.update(domain);
    hash.update(std::string_view("\0", 1));
    hash.update(seed);
    const Digest digest = hash.finish();
    UuidBytes bytes{};
    std::memcpy(bytes.data(), digest.bytes.data(), bytes.size());
    setVersion(bytes, 8);
    return bytes;
}

}  // namespace cairn
