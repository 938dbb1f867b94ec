#pragma once
// Identifiers: 16 bytes, written as lower-case UUID text. UUIDv7 (RFC 9562 section 5.7) where time order
// helps paging; UUIDv8 made from a SHA-256 where the same inputs must give the same id (messages, children).

// No <compare> here: <array> brings it, and moc of Qt 6.4 cannot parse it where it comes first.
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

class Rng;

using UuidBytes = std::array<std::uint8_t, 16>;

// One C++ type per kind of id, so that a run can never be passed where an attempt is wanted.
template<typename Tag> struct Id {
    UuidBytes bytes{};

    [[nodiscard]] bool isNull() const noexcept { return bytes == UuidBytes{}; }
    explicit operator bool() const noexcept { return !isNull(); }
    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    friend auto operator<=>(const Id&, const Id&) = default;
    friend bool operator==(const Id&, const Id&) = default;
};

using RunId = Id<struct RunTag>;
using CommandId = Id<struct CommandTag>;
using AttemptId = Id<struct AttemptTag>;
using PayloadId = Id<struct PayloadTag>;
using ApprovalId = Id<struct ApprovalTag>;
using SessionId = Id<struct SessionTag>;
using ArtifactId = Id<struct ArtifactTag>;
using PlanId = Id<struct PlanTag>;

[[nodiscard]] std::string uuidText(const UuidBytes& bytes);
// Accepts the 36-character form in either case; anything else is nullopt.
[[nodiscard]] std::optional<UuidBytes> parseUuid(std::string_view text);
[[nodiscard]] UuidBytes makeUuidV7(std::int64_t unixMs, Rng& rng);
// UUIDv8: the first 16 bytes of SHA-256(domain, 0x00, seed) with version and variant bits set.
[[nodiscard]] UuidBytes deriveUuid(std::string_view domain, std::string_view seed);

template<typename Tag> [[nodiscard]] std::string toText(const Id<Tag>& id) { return uuidText(id.bytes); }

template<typename IdType> [[nodiscard]] std::optional<IdType> parseId(std::string_view text)
{
    if (const auto bytes = parseUuid(text))
        return IdType{*bytes};
    return std::nullopt;
}

template<typename IdType> [[nodiscard]] std::optional<IdType> idFromBytes(std::string_view raw)
{
    if (raw.size() != 16)
        return std::nullopt;
    IdType id;
    std::memcpy(id.bytes.data(), raw.data(), 16);
    return id;
}

template<typename IdType> [[nodiscard]] IdType makeId(std::int64_t unixMs, Rng& rng)
{
    return IdType{makeUuidV7(unixMs, rng)};
}

template<typename IdType> [[nodiscard]] IdType deriveId(std::string_view domain, std::string_view seed)
{
    return IdType{deriveUuid(domain, seed)};
}

}  // namespace cairn

template<typename Tag> struct std::hash<cairn::Id<Tag>> {
    std::size_t operator()(const cairn::Id<Tag>& id) const noexcept
    {
        // The last eight bytes are random in UUIDv7 and hashed in UUIDv8.
        std::uint64_t tail = 0;
        std::memcpy(&tail, id.bytes.data() + 8, sizeof tail);
        return static_cast<std::size_t>(tail * 0x9E3779B97F4A7C15ULL);
    }
};
