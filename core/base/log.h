#pragma once
// The program's own log: one JSON object per line on standard error, for machines and people.
//   {"time":"2026-11-29T10:42:07.123Z","level":"info","event":"run_taken_over","run":"0193…","epoch":4}
// Level and event are chosen by the code, never taken from data; values are escaped, so that data cannot
// begin a line or steer a terminal, and cut at 4 KiB. Never put a secret or payload bytes into a field.
// Nothing is written until a main calls start(): libraries and tests are quiet. Thread-safe; a line is
// written whole; never throws; blocks as long as standard error does.

#include "core/base/ids.h"
#include "core/base/secrets.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace cairn::log {

enum class Level : std::uint8_t { Debug, Info, Warning, Error, Off };

inline constexpr std::size_t kLongestField = 4096;  // bytes

// A value that lives as long as the call.
class Value {
    template<typename T> using Whole = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;

public:
    Value(std::string_view text)
        : m_value(text)
    {
    }
    Value(const char* text)
        : m_value(std::string_view(text))
    {
    }
    Value(const std::string& text)
        : m_value(std::string_view(text))
    {
    }
    Value(bool value)
        : m_value(value)
    {
    }
    Value(double value)
        : m_value(value)
    {
    }
    template<typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0> Value(T value)
        : m_value(Whole<T>{value})
    {
    }
    template<typename Tag> Value(const Id<Tag>& id)
        : m_value(id.bytes)
    {
    }
    void appendTo(std::string& line) const;

private:
    std::variant<std::string_view, bool, double, std::int64_t, std::uint64_t, UuidBytes> m_value;
};

struct Field {
    std::string_view name;
    Value value;
};
using Fields = std::initializer_list<Field>;

// From here on lines of this level and above are written.
void start(Level level) noexcept;
// For --log-level; "debug", "info", "warning", "error" or "off".
[[nodiscard]] std::optional<Level> parseLevel(std::string_view text) noexcept;
[[nodiscard]] bool enabled(Level level) noexcept;
void write(Level level, std::string_view event, Fields fields) noexcept;
// What is masked in every line from here on, beside what looks like a credential on its own. Any thread.
void setMasker(std::shared_ptr<const Masker> masker) noexcept;

inline void debug(std::string_view event, Fields fields = {}) noexcept { write(Level::Debug, event, fields); }
inline void info(std::string_view event, Fields fields = {}) noexcept { write(Level::Info, event, fields); }
inline void warning(std::string_view event, Fields fields = {}) noexcept
{
    write(Level::Warning, event, fields);
}
inline void error(std::string_view event, Fields fields = {}) noexcept { write(Level::Error, event, fields); }

// For tests: lines go here instead of to standard error; an empty function gives them back.
void setSink(std::function<void(std::string_view line)> sink);

}  // namespace cairn::log
