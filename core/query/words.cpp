#include "core/query/tell.h"

#include "core/base/text.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kSecond = 1000;
constexpr SpanMs kMinute = 60 * kSecond;
constexpr SpanMs kHour = 60 * kMinute;
constexpr SpanMs kDay = 24 * kHour;

std::string two(SpanMs a, const char* unit, SpanMs b, const char* small)
{
    std::string out = std::to_string(a) + " " + unit;
    return b > 0 ? out + " " + std::to_string(b) + " " + small : out;
}

}  // namespace

std::string quoted(std::string_view text) { return "\"" + visibleLine(text) + "\""; }

std::string fewWords(const std::string& text)
{
    constexpr std::size_t kWords = 8;
    constexpr std::size_t kLong = 120;
    if (text.size() <= kLong)
        return text;
    std::size_t end = 0;
    for (std::size_t n = 0; n < kWords && end != std::string::npos; ++n)
        end = text.find(' ', end == 0 && n == 0 ? 0 : end + 1);
    if (end == std::string::npos)
        return text;
    const auto more = static_cast<std::uint64_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ' '));
    std::string out = text.substr(0, end);
    if (out.back() == ',')
        out.pop_back();
    return out + " and " + std::to_string(more) + " more";
}

std::string amountText(std::int64_t amount, const std::string& unit)
{
    return unit == "tokens" ? formatCount(amount) + " tokens" : formatMoney(amount, unit);
}

std::string roughSpan(SpanMs span)
{
    span = std::max<SpanMs>(span, 0);
    if (span >= kDay)
        return two(span / kDay, "d", span % kDay / kHour, "h");
    if (span >= kHour)
        return two(span / kHour, "h", span % kHour / kMinute, "m");
    if (span >= kMinute)
        return std::to_string(span / kMinute) + " m";
    return std::to_string(span / kSecond) + " s";
}

std::string ago(TimeMs since, TimeMs now)
{
    if (since == kNoTime)
        return "at a time that is not recorded";
    return now - since < kSecond ? "just now" : roughSpan(now - since) + " ago";
}

std::string fromNow(TimeMs due, TimeMs now)
{
    return due - now < kSecond ? "now" : "in " + roughSpan(due - now);
}

std::string actorName(const Actor& actor)
{
    switch (actor.kind) {
    case ActorKind::Person:
        // A database's login is vouched for; a name is only what was claimed. The user id of a file's store
        // tells nobody more than the name.
        if (!actor.login.empty() && !actor.login.starts_with("uid "))
            return visibleLine(actor.login)
                + (actor.id.empty() || actor.id == actor.login ? "" : " (as " + visibleLine(actor.id) + ")");
        return actor.id.empty() ? "a person whose name is not recorded" : visibleLine(actor.id);
    case ActorKind::Run: return actor.id.empty() ? "the workflow" : visibleLine(actor.id);
    case ActorKind::System: return "Cairn";
    default:
        return std::string(key(actor.kind))
            + (actor.id.empty() ? "" : " " + visibleLine(parseUuid(actor.id) ? shortId(actor.id) : actor.id));
    }
}

}  // namespace cairn
