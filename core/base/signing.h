#pragma once
// Ed25519 signatures (RFC 8032, by libsodium), with keys that lie in files outside of any store. A key file
// is one line, "cairn-ed25519 <base64 seed>" (32 bytes); lines that begin with # are for people. It is a
// secret: it is made with mode 0600, and one that others may read is refused. Thread-safe; reading and making
// a file blocks.

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

// Base64 of RFC 4648 section 4, with padding. Nothing where the text is not just that.
[[nodiscard]] std::string base64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> parseBase64(std::string_view text);

struct PublicKey {
    std::array<std::uint8_t, 32> bytes{};
    friend bool operator==(const PublicKey&, const PublicKey&) = default;
};
[[nodiscard]] std::string toText(const PublicKey& key);  // "cairn-ed25519-public <base64>"
// That text, or the base64 alone.
[[nodiscard]] std::optional<PublicKey> parsePublicKey(std::string_view text);
// The first 16 hexadecimal digits of SHA-256 of the key: to be read out, and compared.
[[nodiscard]] std::string fingerprint(const PublicKey& key);

using Signature = std::array<std::uint8_t, 64>;

// Its bytes are wiped when it goes.
class SigningKey {
public:
    explicit SigningKey(const std::array<std::uint8_t, 32>& seed);
    SigningKey(const SigningKey&) = default;
    SigningKey& operator=(const SigningKey&) = default;
    ~SigningKey();

    [[nodiscard]] const PublicKey& publicKey() const noexcept { return m_public; }
    [[nodiscard]] Signature sign(std::string_view message) const;

private:
    std::array<std::uint8_t, 64> m_secret{};
    PublicKey m_public;
};
[[nodiscard]] bool isSignedBy(const PublicKey& key, std::string_view message, const Signature& signature);

// The line of a key file to its key. InvalidInput without any part of the text in the message.
[[nodiscard]] Result<SigningKey> parseSigningKey(std::string_view text);
// NotFound, Io; Refused where others than its owner may read it; InvalidInput.
[[nodiscard]] Result<SigningKey> readSigningKey(const std::string& path);
// A new random key in a new file. Refused where there is one.
[[nodiscard]] Result<SigningKey> makeSigningKey(const std::string& path);

}  // namespace cairn
