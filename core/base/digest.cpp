#include "core/base/digest.h"

#include <openssl/evp.h>
#include <sodium.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cairn {

namespace {

// What every run stands on cannot be hashed: an error would only lead to rows that look damaged later.
[[noreturn]] void noHash()
{
    std::fputs(
        "cairn: OpenSSL's libcrypto gives no SHA-256. Look at its configuration (openssl.cnf) and at the "
        "memory that is left.\n",
        stderr);
    std::abort();
}

// Looked up once: asking libcrypto for it by name costs more than to hash a short entry.
const EVP_MD* algorithm()
{
    static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return found;
}

void begin(EVP_MD_CTX* context)
{
    if (context == nullptr || algorithm() == nullptr
        || EVP_DigestInit_ex2(context, algorithm(), nullptr) != 1)
        noHash();
}

void add(EVP_MD_CTX* context, std::string_view bytes)
{
    if (EVP_DigestUpdate(context, bytes.data(), bytes.size()) != 1)
        noHash();
}

Digest end(EVP_MD_CTX* context)
{
    Digest digest;
    if (EVP_DigestFinal_ex(context, digest.bytes.data(), nullptr) != 1)
        noHash();
    return digest;
}

// One for each thread, so that a hash allocates nothing.
EVP_MD_CTX* own()
{
    thread_local const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(
        EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    return context.get();
}

}  // namespace

void Sha256::Free::operator()(void* context) const noexcept
{
    EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context));
}

Sha256::Sha256()
    : m_context(EVP_MD_CTX_new())
{
    begin(static_cast<EVP_MD_CTX*>(m_context.get()));
}
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) { add(static_cast<EVP_MD_CTX*>(m_context.get()), bytes); }

Digest Sha256::finish() { return end(static_cast<EVP_MD_CTX*>(m_context.get())); }

Digest sha256(std::string_view bytes) { return sha256(bytes, {}); }

Digest sha256(std::string_view a, std::string_view b)
{
    EVP_MD_CTX* const context = own();
    begin(context);
    add(context, a);
    add(context, b);
    return end(context);
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
