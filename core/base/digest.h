#pragma once
// SHA-256 (FIPS 180-4), by OpenSSL's libcrypto, which uses what the processor has for it (SHA extensions,
// AVX2). Any thread. A libcrypto that does not give SHA-256 ends the process: nothing could be proved or
// written.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {

struct Digest {
    std::array<std::uint8_t, 32> bytes{};

    [[nodiscard]] bool isNull() const noexcept { return *this == Digest{}; }
    [[nodiscard]] std::string_view view() const noexcept
    {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    friend auto operator<=>(const Digest&, const Digest&) = default;
    friend bool operator==(const Digest&, const Digest&) = default;
};

using Salt = std::array<std::uint8_t, 16>;

[[nodiscard]] Digest sha256(std::string_view bytes);
// Two-part input without a copy: SHA-256(a || b).
[[nodiscard]] Digest sha256(std::string_view a, std::string_view b);
// A payload's stored hash: SHA-256(salt || SHA-256(bytes)). Plain digests of payloads are never stored.
[[nodiscard]] Digest saltedDigest(const Salt& salt, const Digest& plain);

[[nodiscard]] std::string hex(std::string_view bytes);
[[nodiscard]] inline std::string hex(const Digest& digest) { return hex(digest.view()); }
[[nodiscard]] std::optional<Digest> parseDigest(std::string_view hexText);
[[nodiscard]] std::optional<Digest> digestFromBytes(std::string_view raw);
[[nodiscard]] std::string_view saltView(const Salt& salt) noexcept;

// Incremental hashing, for streams.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;
    void update(std::string_view bytes);
    [[nodiscard]] Digest finish();

private:
    struct Free {
        void operator()(void* context) const noexcept;
    };
    std::unique_ptr<void, Free> m_context;  // an EVP_MD_CTX
};

}  // namespace cairn
