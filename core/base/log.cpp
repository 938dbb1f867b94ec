#include "core/base/log.h"

#include "core/base/clock.h"
#include "core/base/text.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>
#include <mutex>

namespace cairn::log {

namespace {

constexpr std::array<std::string_view, 5> kLevels{"debug", "info", "warning", "error", "off"};

std::atomic<Level> g_level{Level::Off};
std::mutex g_sinkMutex;
std::function<void(std::string_view)> g_sink;
std::mutex g_maskerMutex;
std::shared_ptr<const Masker> g_masker;

std::shared_ptr<const Masker> masker()
{
    const std::lock_guard lock(g_maskerMutex);
    if (!g_masker)
        g_masker = std::make_shared<const Masker>();
    return g_masker;
}

spdlog::level::level_enum spdlogLevel(Level level)
{
    switch (level) {
    case Level::Debug: return spdlog::level::debug;
    case Level::Info: return spdlog::level::info;
    case Level::Warning: return spdlog::level::warn;
    case Level::Error: return spdlog::level::err;
    case Level::Off: return spdlog::level::off;
    }
    return spdlog::level::off;
}

// Not in spdlog's registry: its own shutdown order must not decide over ours.
spdlog::logger& logger()
{
    static spdlog::logger* const instance = [] {
        auto* made = new spdlog::logger("cairn", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_level(spdlog::level::trace);
        made->set_pattern("%v");
        made->flush_on(spdlog::level::trace);
        return made;
    }();
    return *instance;
}

void appendNumber(std::string& line, auto value)
{
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    line.append(digits, end);
}

struct Append {
    std::string& line;
    void operator()(std::string_view text) const { appendJsonString(line, clipped(text, kLongestField)); }
    void operator()(bool value) const { line += value ? "true" : "false"; }
    void operator()(double value) const
    {
        if (std::isfinite(value))
            appendNumber(line, value);
        else
            line += "null";
    }
    void operator()(std::int64_t value) const { appendNumber(line, value); }
    void operator()(std::uint64_t value) const { appendNumber(line, value); }
    void operator()(const UuidBytes& id) const { appendJsonString(line, uuidText(id)); }
};

void put(Level level, std::string_view line)
{
    {
        const std::lock_guard lock(g_sinkMutex);
        if (g_sink)
            return g_sink(line);
    }
    logger().log(spdlogLevel(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void Value::appendTo(std::string& line) const { std::visit(Append{line}, m_value); }

void start(Level level) noexcept { g_level.store(level, std::memory_order_relaxed); }

std::optional<Level> parseLevel(std::string_view text) noexcept
{
    for (std::size_t i = 0; i < kLevels.size(); ++i)
        if (kLevels[i] == text)
            return static_cast<Level>(i);
    return std::nullopt;
}

bool enabled(Level level) noexcept
{
    return level != Level::Off && level >= g_level.load(std::memory_order_relaxed);
}

void write(Level level, std::string_view event, Fields fields) noexcept
{
    if (!enabled(level))
        return;
    try {
        std::string line = "{\"time\":\"" + formatRfc3339(SystemClock().wallMs()) + "\",\"level\":\"";
        line += kLevels[static_cast<std::size_t>(level)];
        line += "\",\"event\":";
        appendJsonString(line, clipped(event, kLongestField));
        for (const Field& field : fields) {
            line += ',';
            appendJsonString(line, field.name);
            line += ':';
            field.value.appendTo(line);
        }
        line += '}';
        put(level, masker()->payload(line, "application/json"));
    } catch (...) {
        // Logging must never be what ends a program; there is nowhere left to say so.
    }
}

void setMasker(std::shared_ptr<const Masker> masker) noexcept
{
    const std::lock_guard lock(g_maskerMutex);
    g_masker = std::move(masker);
}

void setSink(std::function<void(std::string_view)> sink)
{
    const std::lock_guard lock(g_sinkMutex);
    g_sink = std::move(sink);
}

}  // namespace cairn::log
