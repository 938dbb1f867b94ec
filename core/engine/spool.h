#pragma once
// Output of a tool on its way into the store: up to 16 KiB in memory, more in a file without a name, so that
// it is gone when the engine is. One thread.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn {

class Spool {
public:
    // `secret`: where these bytes come by they are replaced by "[secret]"; empty: nothing is.
    explicit Spool(std::uint64_t limit, std::string secret = {})
        : m_limit(limit)
        , m_secret(std::move(secret))
    {
    }
    ~Spool();
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    // TooLarge beyond the limit is Refused; Full or Io where the temporary file cannot be written.
    [[nodiscard]] Status append(std::string_view bytes);
    // No more bytes will come.
    [[nodiscard]] Status finish();
    [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }
    [[nodiscard]] bool inMemory() const noexcept { return m_file < 0; }
    // From the beginning, at most `limit` bytes at each call; empty: the end.
    [[nodiscard]] Result<std::string> read(std::size_t limit);
    // All of it. The next read() begins anew.
    [[nodiscard]] Result<std::string> all();

    static constexpr std::size_t kMemoryLimit = 16 * 1024;

private:
    [[nodiscard]] Status put(std::string_view bytes);
    [[nodiscard]] Status openFile();

    std::uint64_t m_limit;
    std::string m_secret;
    std::string m_held;  // may be the beginning of the secret
    std::string m_memory;
    int m_file = -1;
    std::uint64_t m_size = 0;
    std::uint64_t m_readAt = 0;
};

// `text` with every occurrence of `secret` replaced.
[[nodiscard]] std::string withoutSecret(std::string_view text, std::string_view secret);

}  // namespace cairn
