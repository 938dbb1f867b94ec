#include "core/base/http_date.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <string>

namespace cairn {

namespace {

constexpr std::array<std::string_view, 12> kMonths{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

struct Fields {
    std::size_t weekday = 0;
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

class Reader {
public:
    explicit Reader(std::string_view text)
        : m_rest(text)
    {
    }
    void literal(std::string_view text)
    {
        if (m_rest.starts_with(text))
            m_rest.remove_prefix(text.size());
        else
            m_ok = false;
    }
    int number(std::size_t width)
    {
        const std::string_view digits = m_rest.substr(0, width);
        if (digits.size() != width || !std::all_of(digits.begin(), digits.end(), isDigit)) {
            m_ok = false;
            return 0;
        }
        m_rest.remove_prefix(width);
        int value = 0;
        for (const char c : digits)
            value = value * 10 + (c - '0');
        return value;
    }
    // Which of the names comes next.
    template<std::size_t N> std::size_t name(const std::array<std::string_view, N>& names)
    {
        for (std::size_t i = 0; i < N; ++i)
            if (m_rest.starts_with(names[i])) {
                m_rest.remove_prefix(names[i].size());
                return i;
            }
        m_ok = false;
        return 0;
    }
    int month() { return static_cast<int>(name(kMonths)) + 1; }
    void timeOfDay(Fields& out)
    {
        out.hour = number(2);
        literal(":");
        out.minute = number(2);
        literal(":");
        out.second = number(2);
    }
    // The day of asctime has two columns, the first of which may be blank.
    int blankPaddedDay()
    {
        if (!m_rest.starts_with(' '))
            return number(2);
        m_rest.remove_prefix(1);
        return number(1);
    }
    [[nodiscard]] bool done() const { return m_ok && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_ok = true;
};

std::optional<Fields> imfFixdate(std::string_view text)
{
    Reader in(text);
    Fields out;
    out.weekday = in.name(kDays);
    in.literal(", ");
    out.day = in.number(2);
    in.literal(" ");
    out.month = in.month();
    in.literal(" ");
    out.year = in.number(4);
    in.literal(" ");
    in.timeOfDay(out);
    in.literal(" GMT");
    return in.done() ? std::optional(out) : std::nullopt;
}

int yearOf(TimeMs time)
{
    const auto day = std::chrono::floor<std::chrono::days>(
        std::chrono::sys_time<std::chrono::milliseconds>{std::chrono::milliseconds(time)});
    return static_cast<int>(std::chrono::year_month_day(day).year());
}

std::optional<Fields> rfc850(std::string_view text, TimeMs now)
{
    Reader in(text);
    Fields out;
    out.weekday = in.name(kLongDays);
    in.literal(", ");
    out.day = in.number(2);
    in.literal("-");
    out.month = in.month();
    in.literal("-");
    const int twoDigits = in.number(2);
    in.literal(" ");
    in.timeOfDay(out);
    in.literal(" GMT");
    if (!in.done())
        return std::nullopt;
    const int thisYear = yearOf(now);
    out.year = thisYear / 100 * 100 + twoDigits;
    if (out.year > thisYear + 50)
        out.year -= 100;
    else if (out.year <= thisYear - 50)
        out.year += 100;
    return out;
}

std::optional<Fields> asctimeDate(std::string_view text)
{
    Reader in(text);
    Fields out;
    out.weekday = in.name(kDays);
    in.literal(" ");
    out.month = in.month();
    in.literal(" ");
    out.day = in.blankPaddedDay();
    in.literal(" ");
    in.timeOfDay(out);
    in.literal(" ");
    out.year = in.number(4);
    return in.done() ? std::optional(out) : std::nullopt;
}

std::optional<TimeMs> instantOf(const Fields& fields)
{
    const std::chrono::year_month_day date{std::chrono::year(fields.year),
        std::chrono::month(static_cast<unsigned>(fields.month)),
        std::chrono::day(static_cast<unsigned>(fields.day))};
    // A leap second is written as :60 and means the second after it.
    const bool leapSecond = fields.second == 60 && fields.hour == 23 && fields.minute == 59;
    if (!date.ok() || fields.hour > 23 || fields.minute > 59 || (fields.second > 59 && !leapSecond))
        return std::nullopt;
    const std::chrono::sys_days day(date);
    if (std::chrono::weekday(day).c_encoding() != fields.weekday)
        return std::nullopt;
    const std::int64_t seconds = fields.hour * 3600 + fields.minute * 60 + fields.second;
    return day.time_since_epoch().count() * 86'400'000 + seconds * 1000;
}

Error refused(std::string_view what, std::string_view text, std::string_view rule)
{
    return makeError(ErrorKind::InvalidInput,
        std::string(what) + " '" + visibleLine(clipped(text, 80)) + "' " + std::string(rule));
}

// Seconds of a text of digits only; nullopt where they do not fit.
std::optional<SpanMs> secondsOf(std::string_view digits)
{
    constexpr SpanMs kMost = std::numeric_limits<SpanMs>::max() / 1000;
    SpanMs seconds = 0;
    for (const char c : digits) {
        const SpanMs digit = c - '0';
        if (seconds > (kMost - digit) / 10)
            return std::nullopt;
        seconds = seconds * 10 + digit;
    }
    return seconds * 1000;
}

}  // namespace

Result<TimeMs> parseHttpDate(std::string_view text, TimeMs now)
{
    std::optional<Fields> fields = imfFixdate(text);
    if (!fields)
        fields = rfc850(text, now);
    if (!fields)
        fields = asctimeDate(text);
    if (!fields)
        return refused(
            "The HTTP date", text, "has none of the three forms, such as Sun, 06 Nov 1994 08:49:37 GMT.");
    const auto time = instantOf(*fields);
    if (!time)
        return refused(
            "The HTTP date", text, "names a day or time that does not exist, or the wrong day of the week.");
    return *time;
}

Result<SpanMs> parseRetryAfter(std::string_view header, std::string_view date, TimeMs now)
{
    // Optional blanks around a field's value belong to the header line, not to the value (RFC 9110 section
    // 5.5).
    const auto value = [](std::string_view field) {
        const auto first = field.find_first_not_of(" \t");
        return first == std::string_view::npos
            ? std::string_view{}
            : field.substr(first, field.find_last_not_of(" \t") - first + 1);
    };
    const std::string_view text = value(header);
    if (!text.empty() && std::all_of(text.begin(), text.end(), isDigit)) {
        const auto span = secondsOf(text);
        if (!span)
            return refused("Retry-After", text, "does not fit; the policy's own delay is used.");
        return std::min(*span, kLongestRetryAfter);
    }
    const Result<TimeMs> until = parseHttpDate(text, now);
    if (!until)
        return refused("Retry-After", text,
            "is neither a number of seconds nor an HTTP date; the policy's own delay "
            "is used.");
    const Result<TimeMs> sent = parseHttpDate(value(date), now);
    const TimeMs from = sent ? *sent : now;
    return std::clamp<SpanMs>(*until - from, 0, kLongestRetryAfter);
}

}  // namespace cairn
