#pragma once
// Seam for randomness.

#include <cstddef>
#include <cstdint>

namespace cairn {

class Rng {
public:
    virtual ~Rng() = default;
    virtual void fill(void* out, std::size_t size) = 0;
    [[nodiscard]] std::uint64_t next()
    {
        std::uint64_t value = 0;
        fill(&value, sizeof value);
        return value;
    }
    // Uniform in [0, bound); bound > 0. Rejection sampling, so without bias.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound);
};

// The operating system's randomness through libsodium. Thread-safe.
class SystemRng final : public Rng {
public:
    SystemRng();
    void fill(void* out, std::size_t size) override;
};

// xoshiro256** (Blackman and Vigna 2018) seeded by splitmix64: the same seed gives the same sequence. Not
// thread-safe.
class SeededRng final : public Rng {
public:
    explicit SeededRng(std::uint64_t seed);
    void fill(void* out, std::size_t size) override;

private:
    std::uint64_t step();
    std::uint64_t m_s[4];
};

// One splitmix64 step (Steele, Lea and Flood 2014): a cheap hash of a 64-bit value.
[[nodiscard]] std::uint64_t mix64(std::uint64_t value) noexcept;

}  // namespace cairn
