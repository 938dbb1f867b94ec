#include "core/base/rng.h"

#include <sodium.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <stdexcept>

namespace cairn {

namespace {

// A call of the system costs more than the id that it is for, so each thread draws a kilobyte at a time.
// Bytes are wiped as they are handed out, and what a forked child inherits is thrown away.
struct Pool {
    std::array<unsigned char, 1024> bytes{};
    std::size_t left = 0;
    unsigned forks = 0;
};
thread_local Pool t_pool;
std::atomic<unsigned> g_forks{0};

void countFork() { ++g_forks; }

}  // namespace

std::uint64_t mix64(std::uint64_t value) noexcept
{
    value += 0x9E3779B97F4A7C15ULL;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

std::uint64_t Rng::below(std::uint64_t bound)
{
    const std::uint64_t threshold = (0 - bound) % bound;
    for (;;) {
        const std::uint64_t value = next();
        if (value >= threshold)
            return value % bound;
    }
}

SystemRng::SystemRng()
{
    if (sodium_init() < 0)
        throw std::runtime_error("libsodium cannot be initialised");
    static std::once_flag once;
    std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, &countFork); });
}

void SystemRng::fill(void* out, std::size_t size)
{
    Pool& pool = t_pool;
    if (size > pool.bytes.size() / 4) {
        randombytes_buf(out, size);
        return;
    }
    if (pool.left < size || pool.forks != g_forks) {
        randombytes_buf(pool.bytes.data(), pool.bytes.size());
        pool.left = pool.bytes.size();
        pool.forks = g_forks;
    }
    unsigned char* from = pool.bytes.data() + (pool.bytes.size() - pool.left);
    std::memcpy(out, from, size);
    sodium_memzero(from, size);
    pool.left -= size;
}

SeededRng::SeededRng(std::uint64_t seed)
{
    for (auto& word : m_s) {
        word = mix64(seed);
        seed += 0x9E3779B97F4A7C15ULL;
    }
}

std::uint64_t SeededRng::step()
{
    const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotl(m_s[1] * 5, 7) * 9;
    const std::uint64_t t = m_s[1] << 17;
    m_s[2] ^= m_s[0];
    m_s[3] ^= m_s[1];
    m_s[1] ^= m_s[2];
    m_s[0] ^= m_s[3];
    m_s[2] ^= t;
    m_s[3] = rotl(m_s[3], 45);
    return result;
}

void SeededRng::fill(void* out, std::size_t size)
{
    auto* bytes = static_cast<unsigned char*>(out);
    while (size > 0) {
        const std::uint64_t word = step();
        const std::size_t take = size < sizeof word ? size : sizeof word;
        std::memcpy(bytes, &word, take);
        bytes += take;
        size -= take;
    }
}

}  // namespace cairn
