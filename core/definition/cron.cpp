#include "core/definition/cron.h"

#include "core/base/text.h"

#include <date/date.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace cairn {

namespace {

constexpr LocalSeconds kDay = 86'400;
constexpr TimeMs kMinute = 60'000;

struct Field {
    const char* name;
    int least;
    int most;
    std::string_view names;  // three letters each, from `least` on
};
constexpr std::array<Field, 5> kFields{{
    {"minute", 0, 59, ""},
    {"hour", 0, 23, ""},
    {"day of the month", 1, 31, ""},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"day of the week", 0, 7, "sunmontuewedthufrisat"},
}};

Error wrong(const Field& field, std::string_view text)
{
    return makeError(ErrorKind::InvalidInput,
        "\"" + visibleLine(text) + "\" is no " + field.name + " of a cron rule: "
            + std::to_string(field.least) + " to " + std::to_string(field.most) + ", *, a-b, a,b or */n");
}

std::vector<std::string_view> split(std::string_view text, char by)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(by);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return parts;
        text.remove_prefix(end + 1);
    }
}

// -1: neither a number nor a name of the field.
int valueOf(const Field& field, std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty() && text.front() >= '0'
        && text.front() <= '9')
        return value >= field.least && value <= field.most ? value : -1;
    std::string name(text);
    for (char& c : name)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.size() == 3)
        for (std::size_t at = 0; at + 3 <= field.names.size(); at += 3)
            if (field.names.substr(at, 3) == name)
                return field.least + static_cast<int>(at / 3);
    return -1;
}

// One field's values, as bits.
Result<std::bitset<60>> parseField(const Field& field, std::string_view text)
{
    std::bitset<60> bits;
    for (const std::string_view part : split(text, ',')) {
        const auto pieces = split(part, '/');
        const auto ends = split(pieces.front(), '-');
        const bool all = pieces.front() == "*";
        int step = 1;
        if (pieces.size() == 2) {
            const auto [end, error] =
                std::from_chars(pieces[1].data(), pieces[1].data() + pieces[1].size(), step);
            if (error != std::errc() || end != pieces[1].data() + pieces[1].size() || step < 1
                || (!all && ends.size() != 2))
                return wrong(field, text);
        }
        if (pieces.size() > 2 || ends.size() > 2)
            return wrong(field, text);
        const int from = all ? field.least : valueOf(field, ends.front());
        const int to = all ? field.most : valueOf(field, ends.back());
        if (from < 0 || to < from)
            return wrong(field, text);
        for (int value = from; value <= to; value += step)
            bits.set(static_cast<std::size_t>(value));
    }
    return bits;
}

template<std::size_t N> std::bitset<N> narrowed(const std::bitset<60>& bits)
{
    std::bitset<N> out;
    for (std::size_t i = 0; i < N; ++i)
        out[i] = bits[i];
    return out;
}

bool dayFits(const CronRule& rule, LocalSeconds day)
{
    const date::local_days days{date::days(day / kDay)};
    const date::year_month_day ymd{days};
    if (!rule.months[static_cast<unsigned>(ymd.month())])
        return false;
    const bool byDay = rule.days[static_cast<unsigned>(ymd.day())];
    const bool byWeekday = rule.weekdays[date::weekday{days}.c_encoding()];
    if (rule.anyDay || rule.anyWeekday)
        return (rule.anyDay || byDay) && (rule.anyWeekday || byWeekday);
    return byDay || byWeekday;
}

// Times of the day, each once: in a gap the instant right after it, of two the first. 0: none on this day.
Result<TimeMs> fixedOn(const CronRule& rule, std::string_view zone, LocalSeconds day, TimeMs after)
{
    TimeMs best = kNoTime;
    for (LocalSeconds hour = 0; hour < 24; ++hour)
        for (LocalSeconds minute = 0; rule.hours[static_cast<std::size_t>(hour)] && minute < 60; ++minute) {
            if (!rule.minutes[static_cast<std::size_t>(minute)])
                continue;
            CAIRN_TRY_ASSIGN(const TimeMs at, instantOf(day + hour * 3600 + minute * 60, zone));
            if (at > after && (best == kNoTime || at < best))
                best = at;
        }
    return best;
}

// Every minute that really passes on this day.
Result<TimeMs> realTimeOn(const CronRule& rule, std::string_view zone, LocalSeconds day, TimeMs after)
{
    CAIRN_TRY_ASSIGN(const TimeMs begin, instantOf(day, zone));
    CAIRN_TRY_ASSIGN(const TimeMs end, instantOf(day + kDay, zone));
    for (TimeMs at = std::max(begin, after - after % kMinute + kMinute); at < end; at += kMinute) {
        CAIRN_TRY_ASSIGN(const LocalSeconds local, localOf(at, zone));
        const LocalSeconds inDay = (local % kDay + kDay) % kDay;
        if (rule.hours[static_cast<std::size_t>(inDay / 3600)]
            && rule.minutes[static_cast<std::size_t>(inDay / 60 % 60)])
            return at;
    }
    return kNoTime;
}

}  // namespace

Result<CronRule> parseCron(std::string_view text)
{
    std::vector<std::string_view> fields;
    for (const std::string_view part : split(text, ' '))
        if (!part.empty())
            fields.push_back(part);
    if (fields.size() != kFields.size())
        return makeError(ErrorKind::InvalidInput,
            "\"" + visibleLine(text) + "\" is no cron rule: it has " + std::to_string(fields.size())
                + " fields instead of minute, hour, day of the month, month and day of the week");
    std::array<std::bitset<60>, 5> bits;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        CAIRN_TRY_ASSIGN(bits[i], parseField(kFields[i], fields[i]));
    }
    CronRule rule;
    rule.minutes = bits[0];
    rule.hours = narrowed<24>(bits[1]);
    rule.days = narrowed<32>(bits[2]);
    rule.months = narrowed<13>(bits[3]);
    rule.weekdays = narrowed<7>(bits[4]);
    rule.weekdays[0] = rule.weekdays[0] || bits[4][7];
    rule.anyDay = fields[2] == "*";
    rule.anyWeekday = fields[4] == "*";
    rule.realTime = fields[0].front() == '*' || fields[1].front() == '*';
    return rule;
}

Result<TimeMs> nextMatch(const CronRule& rule, std::string_view zone, TimeMs after)
{
    CAIRN_TRY_ASSIGN(const LocalSeconds local, localOf(after, zone));
    // The day before too: a zone that leaves out a midnight moves a time of that day into the next.
    LocalSeconds day = local - (local % kDay + kDay) % kDay - kDay;
    for (; day * 1000 < kZonesKnownUntil; day += kDay) {
        if (!dayFits(rule, day))
            continue;
        auto at = rule.realTime ? realTimeOn(rule, zone, day, after) : fixedOn(rule, zone, day, after);
        if (!at || *at != kNoTime)
            return at;
    }
    return makeError(ErrorKind::InvalidInput, "the rule has no match before 2038");
}

}  // namespace cairn
