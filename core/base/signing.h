#pragma once
// Ed25519 keys and signatures, by libsodium. A key file is one line of text:
//     cairn-ed25519 <base64 of the 32-byte seed>          secret, mode 0600
//     cairn-ed25519-pub <base64 of the 32-byte key>       public
// Whoever signs keeps the secret outside of every store. Any thread; what takes a path blocks on the file
// system.

#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn {

struct PublicKey {
    std::array<std::uint8_t, 32> bytes{};

    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

struct Signature {
    std::array<std::uint8_t, 64> bytes{};

    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    friend bool operator==(const Signature&, const Signature&) = default;
};

// Wiped when it goes.
class SigningKey {
public:
    explicit SigningKey(const std::array<std::uint8_t, 32>& seed);
    ~SigningKey();
    SigningKey(SigningKey&& other) noexcept;
    SigningKey& operator=(SigningKey&&) = delete;
    SigningKey(const SigningKey&) = delete;
    SigningKey& operator=(const SigningKey&) = delete;

    [[nodiscard]] const PublicKey& publicKey() const noexcept { return m_public; }

private:
    friend Signature sign(const SigningKey& key, std::string_view message);
    std::array<std::uint8_t, 64> m_secret{};  // as libsodium wants it: seed and public key
    PublicKey m_public;
};

// A new key from the system's random numbers, in a new file of mode 0600 that is durable when this returns.
// Refused where the file is there; Io.
[[nodiscard]] Result<PublicKey> makeKey(const std::string& path);
// NotFound, Io. Refused: others than its owner may read or write the file, or it is not a plain file.
// InvalidInput: it does not hold one whole key.
[[nodiscard]] Result<SigningKey> readKey(const std::string& path);
// Of the text of a public key ("cairn-ed25519-pub ..."), or of the file that holds it. A file with the secret
// gives its public key, under the same conditions as readKey().
[[nodiscard]] Result<PublicKey> readPublicKey(const std::string& pathOrText);

[[nodiscard]] std::string publicKeyText(const PublicKey& key);  // one line, without its end
// With padding.
[[nodiscard]] std::string base64(std::string_view bytes);
[[nodiscard]] Result<PublicKey> parsePublicKey(std::string_view text);
[[nodiscard]] Result<Signature> parseSignature(std::string_view base64Text);

[[nodiscard]] Signature sign(const SigningKey& key, std::string_view message);
[[nodiscard]] bool verifySignature(
    const PublicKey& key, std::string_view message, const Signature& signature) noexcept;

}  // namespace cairn
