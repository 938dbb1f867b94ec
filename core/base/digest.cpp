#include "core/base/digest.h"

#include <sodium.h>

#include <cstring>

namespace cairn {

struct Sha256::State {
    crypto_hash_sha256_state sodium;
};

Sha256::Sha256()
    : m_state(std::make_unique<State>())
{
    crypto_hash_sha256_init(&m_state->sodium);
}
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes)
{
    crypto_hash_sha256_update(
        &m_state->sodium, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

Digest Sha256::finish()
{
    Digest digest;
    crypto_hash_sha256_final(&m_state->sodium, digest.bytes.data());
    return digest;
}

Digest sha256(std::string_view bytes)
{
    Digest digest;
    crypto_hash_sha256(
        digest.bytes.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return digest;
}

Digest sha256(std::string_view a, std::string_view b)
{
    crypto_hash_sha256_state state;
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(a.data()), a.size());
    crypto_hash_sha256_update(&state, reinterpret_cast<const unsigned char*>(b.data()), b.size());
    Digest digest;
    crypto_hash_sha256_final(&state, digest.bytes.data());
    return digest;
}

Digest saltedDigest(const Salt& salt, const Digest& plain) { return sha256(saltView(salt), plain.view()); }

std::string_view saltView(const Salt& salt) noexcept
{
    return {reinterpret_cast<const char*>(salt.data()), salt.size()};
}

std::string hex(std::string_view bytes)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out.push_back(kDigits[byte >> 4]);
        out.push_back(kDigits[byte & 15]);
    }
    return out;
}

std::optional<Digest> digestFromBytes(std::string_view raw)
{
    Digest digest;
    if (raw.size() != digest.bytes.size())
        return std::nullopt;
    std::memcpy(digest.bytes.data(), raw.data(), raw.size());
    return digest;
}

std::optional<Digest> parseDigest(std::string_view hexText)
{
    Digest digest;
    if (hexText.size() != digest.bytes.size() * 2)
        return std::nullopt;
    std::size_t length = 0;
    if (sodium_hex2bin(digest.bytes.data(), digest.bytes.size(), hexText.data(), hexText.size(), nullptr,
            &length, nullptr)
            != 0
        || length != digest.bytes.size())
        return std::nullopt;
    return digest;
}

}  // namespace cairn
