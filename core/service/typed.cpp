#include "core/service/typed.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace cairn {

namespace {

Error notALimit(const std::string& text)
{
    return makeError(ErrorKind::InvalidInput,
        "\"" + visibleLine(text)
            + "\" is no limit: give an amount and its currency (25.00 EUR), or a count and its unit (200000 "
              "tokens)");
}

}  // namespace

Result<TimeMs> typedInstant(const std::string& text, TimeMs now)
{
    if (const auto span = parseSpan(text))
        return now + *span;
    if (const auto instant = parseInstant(text))
        return *instant;
    return makeError(ErrorKind::InvalidInput,
        "\"" + visibleLine(text)
            + "\" is no time: give an instant (2026-12-01T18:00:00Z) or a span from now (2h)");
}

Result<TimeMs> typedDeadline(const std::string& text, TimeMs now)
{
    if (text == "none")
        return kNoTime;
    auto at = typedInstant(text, now);
    if (at)
        return *at;
    return makeError(at.error().kind, at.error().text + ", or none");
}

Result<cmd::SetBudget> typedBudget(const std::string& text)
{
    const auto blank = text.find(' ');
    if (blank == std::string::npos)
        return notALimit(text);
    const std::string number = text.substr(0, blank);
    cmd::SetBudget body;
    body.unit = std::string(trimmed(std::string_view(text).substr(blank)));
    const bool money = body.unit.size() == 3
        && std::all_of(body.unit.begin(), body.unit.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (money) {
        CAIRN_TRY_ASSIGN(body.limit, parseAmount(number));
        return body;
    }
    const char* end = number.data() + number.size();
    const auto [stop, fault] = std::from_chars(number.data(), end, body.limit);
    if (fault != std::errc() || stop != end || body.unit.empty() || body.unit.find(' ') != std::string::npos)
        return notALimit(text);
    return body;
}

Result<cmd::Fork> typedFork(const std::string& text, std::uint64_t newest)
{
    constexpr std::string_view kAnew = " new effects";
    cmd::Fork fork;
    std::string_view number = text;
    fork.newEffects = number.ends_with(kAnew);
    if (fork.newEffects)
        number.remove_suffix(kAnew.size());
    const char* end = number.data() + number.size();
    const auto [stop, fault] = std::from_chars(number.data(), end, fork.fromVersion);
    if (fault != std::errc() || stop != end || fork.fromVersion == 0 || fork.fromVersion > newest)
        return makeError(ErrorKind::InvalidInput,
            "\"" + visibleLine(text) + "\" is no version to restart from: the run has versions 1 to "
                + std::to_string(newest) + "; \"12 new effects\" does again what was done by then");
    return fork;
}

}  // namespace cairn
