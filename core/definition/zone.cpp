#include "core/definition/zone.h"

#include "core/base/text.h"
#include "core/definition/text_values.h"

#include <date/tz.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace cairn {

namespace {

using std::chrono::seconds;

Result<const date::time_zone*> findZone(std::string_view name)
{
    // The library reports by exceptions; a database that is not installed is one of its reasons.
    try {
        const auto& database = date::get_tzdb();
        const auto place = std::lower_bound(database.zones.begin(), database.zones.end(), name,
            [](const date::time_zone& zone, std::string_view wanted) { return zone.name() < wanted; });
        if (place != database.zones.end() && place->name() == name) {
            static_cast<void>(place->get_info(date::sys_seconds{}));  // its file is read here, not later
            return &*place;
        }
        const std::string near = nearestName(
            name, database.zones, [](const date::time_zone& zone) { return std::string_view(zone.name()); });
        return makeError(ErrorKind::InvalidInput,
            "there is no time zone \"" + visibleLine(name) + "\""
                + (near.empty() ? "; write for example Europe/Berlin or UTC"
                                : "; did you mean " + near + "?"));
    } catch (const std::exception& problem) {
        return makeError(ErrorKind::Io,
            "the time zone database cannot be read (package tzdata): " + std::string(problem.what()));
    }
}

Error tooFar()
{
    return makeError(ErrorKind::InvalidInput,
        "it is after 2037, for which the time zone database has no rules; give an instant "
        "in UTC instead");
}

// Digits of a fixed width; nullopt where there are others.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t width)
{
    if (at + width > text.size())
        return std::nullopt;
    int value = 0;
    for (const char c : text.substr(at, width)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        value = value * 10 + (c - '0');
    }
    return value;
}

}  // namespace

Result<LocalSeconds> parseLocalTime(std::string_view text)
{
    const auto bad = [&](const std::string& why) {
        return makeError(ErrorKind::InvalidInput, "\"" + visibleLine(text) + "\" " + why);
    };
    const bool withSeconds = text.size() == 19;
    const bool shape = (text.size() == 16 || withSeconds) && text[4] == '-' && text[7] == '-'
        && (text[10] == 'T' || text[10] == ' ') && text[13] == ':' && (!withSeconds || text[16] == ':');
    const auto year = number(text, 0, 4), month = number(text, 5, 2), day = number(text, 8, 2);
    const auto hour = number(text, 11, 2), minute = number(text, 14, 2);
    const auto second = withSeconds ? number(text, 17, 2) : std::optional(0);
    if (!shape || !year || !month || !day || !hour || !minute || !second)
        return bad("is no local time; write it like 2027-03-28T02:30, without an offset");
    const date::year_month_day ymd{date::year{*year}, date::month{static_cast<unsigned>(*month)},
        date::day{static_cast<unsigned>(*day)}};
    if (!ymd.ok())
        return bad("names a day that is in no calendar");
    if (*hour > 23 || *minute > 59 || *second > 59)
        return bad("names a time that is on no clock");
    const auto days = date::local_days{ymd}.time_since_epoch();
    return seconds(days).count() + *hour * 3600 + *minute * 60 + *second;
}

Status checkZone(std::string_view zone)
{
    const auto found = findZone(zone);
    return found ? Status() : Status(found.error());
}

Result<TimeMs> instantOf(LocalSeconds local, std::string_view zone)
{
    CAIRN_TRY_ASSIGN(const date::time_zone* found, findZone(zone));
    const date::local_seconds at{seconds(local)};
    const auto info = found->get_info(at);
    const bool gap = info.result == date::local_info::nonexistent;
    // In a gap: its end, which is where the first rule ends.
    const seconds instant =
        gap ? info.first.end.time_since_epoch() : (at.time_since_epoch() - info.first.offset);
    const TimeMs ms = std::chrono::milliseconds(instant).count();
    if (ms >= kZonesKnownUntil)
        return tooFar();
    return ms;
}

Result<LocalSeconds> localOf(TimeMs instant, std::string_view zone)
{
    CAIRN_TRY_ASSIGN(const date::time_zone* found, findZone(zone));
    const auto at = std::chrono::floor<seconds>(
        date::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(instant)));
    return (at.time_since_epoch() + found->get_info(at).offset).count();
}

Result<std::string> formatLocal(TimeMs instant, std::string_view zone)
{
    CAIRN_TRY_ASSIGN(const LocalSeconds local, localOf(instant, zone));
    const std::int64_t offset = (local * 1000 - (instant - instant % 1000)) / 60'000;  // minutes
    std::string text = formatInstant(local * 1000);
    text.pop_back();  // the Z of UTC, which it is not
    const auto two = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    text += offset < 0 ? '-' : '+';
    return text + two(std::abs(offset) / 60) + ":" + two(std::abs(offset) % 60) + " " + std::string(zone);
}

}  // namespace cairn
