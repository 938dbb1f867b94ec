#include "core/base/failpoint.h"

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace cairn::failpoint {

std::atomic<bool> g_active{false};

namespace {

enum class Action { Off, Kill, Stop, Error };

struct Rule {
    Action action = Action::Off;
    std::uint64_t at = 0;  // 0: every hit
};

std::mutex g_mutex;
std::map<std::string, Rule, std::less<>> g_rules;
std::map<std::string, std::uint64_t> g_counts;

std::optional<Action> parseAction(std::string_view text)
{
    if (text == "kill")
        return Action::Kill;
    if (text == "stop")
        return Action::Stop;
    if (text == "error")
        return Action::Error;
    if (text == "off")
        return Action::Off;
    return std::nullopt;
}

bool parseRule(std::string_view text, std::map<std::string, Rule, std::less<>>& out)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return false;
    Rule rule;
    std::string_view action = text.substr(equals + 1);
    if (const auto at = action.find('@'); at != std::string_view::npos) {
        const std::string number(action.substr(at + 1));
        char* end = nullptr;
        rule.at = std::strtoull(number.c_str(), &end, 10);
        if (number.empty() || *end != '\0' || rule.at == 0)
            return false;
        action = action.substr(0, at);
    }
    const auto parsed = parseAction(action);
    if (!parsed)
        return false;
    rule.action = *parsed;
    out[std::string(text.substr(0, equals))] = rule;
    return true;
}

}  // namespace

bool configure(std::string_view text)
{
    std::map<std::string, Rule, std::less<>> rules;
    while (!text.empty()) {
        const auto comma = text.find(',');
        if (!parseRule(text.substr(0, comma), rules))
            return false;
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    const std::lock_guard lock(g_mutex);
    g_rules = std::move(rules);
    g_counts.clear();
    g_active.store(true, std::memory_order_relaxed);
    return true;
}

void configureFromEnvironment()
{
    if (const char* text = std::getenv("CAIRN_FAILPOINTS"))
        if (!configure(text))
            std::abort();  // a test that names a failpoint wrongly must not pass
}

std::map<std::string, std::uint64_t> counts()
{
    const std::lock_guard lock(g_mutex);
    return g_counts;
}

bool hitSlow(std::string_view name)
{
    Rule rule;
    {
        const std::lock_guard lock(g_mutex);
        const std::uint64_t count = ++g_counts[std::string(name)];
        const auto found = g_rules.find(name);
        if (found == g_rules.end() || (found->second.at != 0 && found->second.at != count))
            return false;
        rule = found->second;
    }
    switch (rule.action) {
    case Action::Kill:
        ::kill(::getpid(), SIGKILL);
        for (;;)
            ::pause();
    case Action::Stop: ::kill(::getpid(), SIGSTOP); return false;
    case Action::Error: return true;
    case Action::Off: return false;
    }
    return false;
}

}  // namespace cairn::failpoint
