#pragma once
// Bytes that are held by many and written by nobody: copies share them, so a large result is in memory once.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace cairn {

class SharedBytes {
public:
    SharedBytes() = default;
    SharedBytes(std::string bytes)
        : m_bytes(bytes.empty() ? nullptr : std::make_shared<const std::string>(std::move(bytes)))
    {
    }
    [[nodiscard]] const std::string& text() const noexcept
    {
        static const std::string kNone;
        return m_bytes ? *m_bytes : kNone;
    }
    operator const std::string&() const noexcept { return text(); }
    operator std::string_view() const noexcept { return text(); }
    [[nodiscard]] std::shared_ptr<const std::string> share() const
    {
        return m_bytes ? m_bytes : std::make_shared<const std::string>();
    }
    [[nodiscard]] std::size_t size() const noexcept { return text().size(); }
    [[nodiscard]] bool empty() const noexcept { return m_bytes == nullptr; }
    friend bool operator==(const SharedBytes& a, std::string_view b) { return a.text() == b; }

private:
    std::shared_ptr<const std::string> m_bytes;
};

}  // namespace cairn
