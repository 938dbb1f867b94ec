// Times, spans, counts, sizes and money as text, and back.
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <limits>

namespace cairn {

namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
constexpr SpanMs kLongestSpan = 36'500 * kDay;
constexpr std::int64_t kMicros = 1'000'000;

std::string padded(std::int64_t value, int width)
{
    std::string digits = std::to_string(value);
    if (digits.size() < static_cast<std::size_t>(width))
        digits.insert(0, static_cast<std::size_t>(width) - digits.size(), '0');
    return digits;
}

std::string instant(TimeMs time, char separator, bool milliseconds)
{
    const std::chrono::sys_time<std::chrono::milliseconds> point{std::chrono::milliseconds(time)};
    const auto day = std::chrono::floor<std::chrono::days>(point);
    const std::chrono::year_month_day date(day);
    const std::int64_t inDay = (point - day).count();
    std::string out = padded(static_cast<int>(date.year()), 4);
    out += '-' + padded(static_cast<unsigned>(date.month()), 2) + '-'
        + padded(static_cast<unsigned>(date.day()), 2);
    out += separator;
    out += padded(inDay / kHour, 2) + ':' + padded(inDay / kMinute % 60, 2) + ':'
        + padded(inDay / kSecond % 60, 2);
    if (milliseconds)
        out += '.' + padded(inDay % kSecond, 3);
    return out + 'Z';
}

// Reads fixed-width parts of a text from its front.
class Parts {
public:
    explicit Parts(std::string_view text)
        : m_rest(text)
    {
    }
    int digits(std::size_t width)
    {
        int value = 0;
        if (m_rest.size() < width)
            return fail();
        for (const char c : m_rest.substr(0, width)) {
            if (c < '0' || c > '9')
                return fail();
            value = value * 10 + (c - '0');
        }
        m_rest.remove_prefix(width);
        return value;
    }
    bool take(std::string_view oneOf)
    {
        if (m_rest.empty() || oneOf.find(m_rest.front()) == std::string_view::npos)
            return false;
        m_last = m_rest.front();
        m_rest.remove_prefix(1);
        return true;
    }
    void need(std::string_view oneOf)
    {
        if (!take(oneOf))
            fail();
    }
    int fail()
    {
        m_ok = false;
        return 0;
    }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
    [[nodiscard]] char last() const { return m_last; }
    [[nodiscard]] std::string_view rest() const { return m_rest; }

private:
    std::string_view m_rest;
    bool m_ok = true;
    char m_last = '\0';
};

Error badInstant(std::string_view text, std::string_view why)
{
    return makeError(ErrorKind::InvalidInput,
        "'" + visibleLine(clipped(text, 60)) + "' is not a time: " + std::string(why)
            + ". Write it like 2027-04-30T17:00:00Z or 2027-04-30T19:00:00+02:00.");
}

// Milliseconds of a fraction of any length, which must have a digit.
int fraction(Parts& in)
{
    int value = 0;
    int count = 0;
    while (in.take("0123456789")) {
        if (count < 3)
            value = value * 10 + (in.last() - '0');
        ++count;
    }
    for (int i = count; i < 3; ++i)
        value *= 10;
    return count == 0 ? in.fail() : value;
}

// Minutes east of UTC.
std::optional<int> offset(Parts& in)
{
    if (in.take("Zz"))
        return 0;
    if (!in.take("+-"))
        return std::nullopt;
    const int sign = in.last() == '-' ? -1 : 1;
    const int hours = in.digits(2);
    in.need(":");
    const int minutes = in.digits(2);
    if (hours > 23 || minutes > 59)
        in.fail();
    return sign * (hours * 60 + minutes);
}

struct SpanUnit {
    std::string_view name;
    SpanMs ms;
};
constexpr SpanUnit kSpanUnits[] = {{"d", kDay}, {"h", kHour}, {"m", kMinute}, {"s", kSecond}, {"ms", 1}};

Error badSpan(std::string_view text)
{
    return makeError(ErrorKind::InvalidInput,
        "'" + visibleLine(clipped(text, 60))
            + "' is not a span of time. Write a whole number with its unit: "
              "250ms, 30s, 5m, 2h, 1d or 1h30m, at most 36500d.");
}

std::string grouped(std::string digits)
{
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ' ');
    }
    return digits;
}

std::uint64_t magnitude(std::int64_t value)
{
    return value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
}

// ISO 4217 minor units where they are not two.
std::size_t usualDecimals(std::string_view currency)
{
    static constexpr std::string_view kNone[] = {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW",
        "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"};
    static constexpr std::string_view kThree[] = {"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"};
    if (std::find(std::begin(kNone), std::end(kNone), currency) != std::end(kNone))
        return 0;
    return std::find(std::begin(kThree), std::end(kThree), currency) != std::end(kThree) ? 3 : 2;
}

std::string amount(std::int64_t micros, std::string_view currency, bool group)
{
    const std::uint64_t size = magnitude(micros);
    std::string whole = std::to_string(size / kMicros);
    if (group)
        whole = grouped(std::move(whole));
    std::string decimals = padded(static_cast<std::int64_t>(size % kMicros), 6);
    const std::size_t least = usualDecimals(currency);
    while (decimals.size() > least && decimals.back() == '0')
        decimals.pop_back();
    return (micros < 0 ? "-" : "") + whole + (decimals.empty() ? "" : "." + decimals);
}

Error badAmount(std::string_view text, std::string_view why)
{
    return makeError(ErrorKind::InvalidInput,
        "'" + visibleLine(clipped(text, 60)) + "' is not an amount: " + std::string(why)
            + ". Write it like 4860.00.");
}

}  // namespace

std::string formatInstant(TimeMs time) { return instant(time, ' ', false); }
std::string formatInstantMs(TimeMs time) { return instant(time, ' ', true); }
std::string formatRfc3339(TimeMs time) { return instant(time, 'T', true); }

Result<TimeMs> parseInstant(std::string_view text)
{
    Parts in(text);
    const int year = in.digits(4);
    in.need("-");
    const int month = in.digits(2);
    in.need("-");
    const int day = in.digits(2);
    in.need("Tt ");
    const int hour = in.digits(2);
    in.need(":");
    const int minute = in.digits(2);
    in.need(":");
    const int second = in.digits(2);
    const int ms = in.take(".") ? fraction(in) : 0;
    if (!in.ok())
        return badInstant(text, "it does not have the form of RFC 3339");
    const auto east = offset(in);
    if (!east)
        return badInstant(
            text, in.atEnd() ? "its offset from UTC is missing" : "what follows the seconds is no offset");
    if (!in.ok() || !in.atEnd())
        return badInstant(text, "its offset from UTC is wrong");
    const std::chrono::year_month_day date{std::chrono::year(year),
        std::chrono::month(static_cast<unsigned>(month)), std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok())
        return badInstant(text, "there is no such day");
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t minutes = days * 1440 + hour * 60 + minute - *east;
    const bool leapSecond = second == 60 && (minutes + 1) % 1440 == 0;  // the last second of a UTC day
    if (hour > 23 || minute > 59 || (second > 59 && !leapSecond))
        return badInstant(text, "there is no such time of day");
    return minutes * kMinute + second * kSecond + ms;
}

std::string formatSpan(SpanMs span)
{
    const std::string sign = span < 0 ? "-" : "";
    const auto ms = static_cast<std::int64_t>(std::min(magnitude(span), std::uint64_t{1} << 62));
    if (ms < kSecond)
        return sign + std::to_string(ms) + " ms";
    if (ms < kMinute)
        return sign + std::to_string(ms / kSecond) + '.' + std::to_string(ms % kSecond / 100) + " s";
    if (ms < kHour)
        return sign + std::to_string(ms / kMinute) + " m " + padded(ms % kMinute / kSecond, 2) + " s";
    if (ms < kDay)
        return sign + std::to_string(ms / kHour) + " h " + padded(ms % kHour / kMinute, 2) + " m";
    return sign + std::to_string(ms / kDay) + " d " + std::to_string(ms % kDay / kHour) + " h";
}

Result<SpanMs> parseSpan(std::string_view text)
{
    SpanMs total = 0;
    std::size_t nextUnit = 0;  // units come from large to small, each once
    const char* at = text.data();
    const char* const end = at + text.size();
    if (text.empty())
        return badSpan(text);
    while (at != end) {
        std::uint64_t number = 0;
        const auto parsed = std::from_chars(at, end, number);
        if (parsed.ec != std::errc{})
            return badSpan(text);
        const char* unitEnd = parsed.ptr;
        while (unitEnd != end && (*unitEnd < '0' || *unitEnd > '9'))
            ++unitEnd;
        const std::string_view unit(parsed.ptr, static_cast<std::size_t>(unitEnd - parsed.ptr));
        while (nextUnit < std::size(kSpanUnits) && kSpanUnits[nextUnit].name != unit)
            ++nextUnit;
        if (nextUnit == std::size(kSpanUnits))
            return badSpan(text);
        const SpanMs ms = kSpanUnits[nextUnit++].ms;
        if (number > static_cast<std::uint64_t>((kLongestSpan - total) / ms))
            return badSpan(text);
        total += static_cast<SpanMs>(number) * ms;
        at = unitEnd;
    }
    return total;
}

std::string formatCount(std::int64_t count)
{
    return (count < 0 ? "-" : "") + grouped(std::to_string(magnitude(count)));
}

std::string formatBytes(std::uint64_t size)
{
    static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    std::uint64_t rest = 0;
    for (; size >= 1024; size /= 1024, ++unit)
        rest = size % 1024;
    const std::uint64_t tenth = rest * 10 / 1024;
    std::string out = std::to_string(size);
    if (tenth != 0)
        out += '.' + std::to_string(tenth);
    return out + ' ' + std::string(kUnits[unit]);
}

std::string formatMoney(std::int64_t micros, std::string_view currency)
{
    return amount(micros, currency, true) + ' ' + std::string(currency);
}

std::string formatAmount(std::int64_t micros, std::string_view currency)
{
    return amount(micros, currency, false);
}

Result<std::int64_t> parseAmount(std::string_view text)
{
    const bool negative = text.starts_with('-');
    const std::string_view number = text.substr(negative ? 1 : 0);
    const std::string_view whole = number.substr(0, number.find('.'));
    std::string_view decimals;
    if (whole.size() < number.size()) {
        decimals = number.substr(whole.size() + 1);
        if (decimals.empty())
            return badAmount(text, "there are no digits after its point");
    }
    const auto isDigits = [](std::string_view part) {
        return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    if (whole.empty() || !isDigits(whole) || !isDigits(decimals))
        return badAmount(text, "it is not a plain decimal number");
    if (decimals.size() > 6)
        return badAmount(text, "it has more than 6 decimals");
    constexpr std::uint64_t kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    std::uint64_t value = 0;
    std::string digits(whole);
    digits.append(decimals).append(6 - decimals.size(), '0');
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc{} || value > kMost)
        return badAmount(text, "it is too large");
    return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

}  // namespace cairn
