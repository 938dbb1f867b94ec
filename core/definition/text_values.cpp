#include "core/definition/text_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <vector>

namespace cairn {

namespace {

constexpr SpanMs kLongestSpan = 3650LL * 86'400'000;

struct Unit {
    std::string_view name;
    SpanMs span;
};
constexpr std::array<Unit, 5> kUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

// ISO 4217, codes in use (funds and metals left out).
constexpr std::string_view kCurrencies = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF "
                                         "BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP "
                                         "CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP "
                                         "GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR "
                                         "ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD "
                                         "KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT "
                                         "MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB "
                                         "PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD "
                                         "SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT "
                                         "TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES "
                                         "VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG";

std::vector<std::string_view> currencies()
{
    std::vector<std::string_view> all;
    for (std::size_t at = 0; at < kCurrencies.size(); at += 4)
        all.push_back(kCurrencies.substr(at, 3));
    return all;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

Error bad(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }
std::string quoted(std::string_view text) { return '"' + std::string(text.substr(0, 60)) + '"'; }

// Digits without leading and trailing zeros, and the decimal place of the first: 0.0120 is "12", place -2.
struct Decimal {
    bool negative = false;
    std::string digits;
    std::int64_t place = 0;
};

Decimal decompose(std::string_view text)
{
    Decimal d;
    std::size_t at = 0;
    if (!text.empty() && text[0] == '-') {
        d.negative = true;
        at = 1;
    }
    std::int64_t exponent = 0;
    std::int64_t integerDigits = 0;
    bool fraction = false;
    for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
        if (text[at] == '.') {
            fraction = true;
        } else {
            d.digits += text[at];
            integerDigits += fraction ? 0 : 1;
        }
    }
    if (at < text.size()) {
        const bool negative = at + 1 < text.size() && text[at + 1] == '-';
        for (++at; at < text.size(); ++at)
            if (isDigit(text[at]) && exponent < 1'000'000'000'000)
                exponent = exponent * 10 + (text[at] - '0');
        exponent = negative ? -exponent : exponent;
    }
    const std::size_t first = d.digits.find_first_not_of('0');
    if (first == std::string::npos)
        return {};
    d.place = integerDigits - 1 - static_cast<std::int64_t>(first) + exponent;
    d.digits = d.digits.substr(first, d.digits.find_last_not_of('0') - first + 1);
    return d;
}

}  // namespace

std::string spanText(SpanMs span)
{
    for (const Unit& u : kUnits)
        if (span != 0 && span % u.span == 0)
            return std::to_string(span / u.span) + std::string(u.name);
    return "0s";
}

Result<std::int64_t> parseMicros(std::string_view decimal)
{
    if (!isDecimal(decimal) || decimal.find_first_of("eE") != std::string_view::npos)
        return bad(quoted(decimal) + " is not an amount: write it like \"12.50\"");
    const Decimal d = decompose(decimal);
    if (d.digits.empty())
        return std::int64_t{0};
    const std::int64_t last =
        d.place - static_cast<std::int64_t>(d.digits.size()) + 1;  // place of the last digit
    if (last < -6)
        return bad(quoted(decimal) + " has more than six decimals");
    std::string whole = d.digits;
    if (d.place > 12)
        return bad(quoted(decimal) + " is too large an amount");
    whole.append(static_cast<std::size_t>(last + 6), '0');
    std::int64_t micros = 0;
    if (std::from_chars(whole.data(), whole.data() + whole.size(), micros).ec != std::errc{})
        return bad(quoted(decimal) + " is too large an amount");
    return d.negative ? -micros : micros;
}

bool isCurrency(std::string_view code) noexcept
{
    for (std::size_t at = 0; at < kCurrencies.size(); at += 4)
        if (kCurrencies.substr(at, 3) == code)
            return true;
    return false;
}

std::string nearestCurrency(std::string_view code)
{
    std::string upper(code.substr(0, 8));
    for (char& c : upper)
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return isCurrency(upper) ? upper : nearestName(upper, currencies(), [](std::string_view c) { return c; });
}

Result<std::pair<std::uint32_t, SpanMs>> parseRate(std::string_view text)
{
    const std::size_t slash = text.find('/');
    std::uint32_t count = 0;
    const std::string_view number = text.substr(0, std::min(slash, text.size()));
    const auto end = std::from_chars(number.data(), number.data() + number.size(), count);
    if (slash != std::string_view::npos && end.ec == std::errc{} && end.ptr == number.data() + number.size()
        && count > 0)
        for (const Unit& u : kUnits)
            if (u.name == text.substr(slash + 1) && u.span >= 1000)
                return std::pair{count, u.span};
    return bad(
        quoted(text) + " is not a rate: write a whole number from 1 and one of /s, /m, /h, /d, like \"5/s\"");
}

bool isDecimal(std::string_view text) noexcept
{
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    const auto digits = [&] {
        const std::size_t first = at;
        while (at < text.size() && isDigit(text[at]))
            ++at;
        return at - first;
    };
    const std::size_t start = at;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text[start] == '0'))
        return false;
    if (at < text.size() && text[at] == '.') {
        ++at;
        if (digits() == 0)
            return false;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        at += at < text.size() && (text[at] == '+' || text[at] == '-') ? 1 : 0;
        if (digits() == 0)
            return false;
    }
    return at == text.size();
}

int compareDecimals(std::string_view a, std::string_view b)
{
    const Decimal x = decompose(a);
    const Decimal y = decompose(b);
    const int signX = x.digits.empty() ? 0 : x.negative ? -1 : 1;
    const int signY = y.digits.empty() ? 0 : y.negative ? -1 : 1;
    if (signX != signY || signX == 0)
        return signX < signY ? -1 : signX > signY ? 1 : 0;
    if (x.place != y.place)
        return (x.place < y.place ? -1 : 1) * signX;
    const int order = x.digits.compare(y.digits);  // without trailing zeros, a prefix is the smaller one
    return (order < 0 ? -1 : order > 0 ? 1 : 0) * signX;
}

// Insertions, deletions, substitutions and swaps of neighbours, each counted once.
std::size_t editDistance(std::string_view a, std::string_view b)
{
    a = a.substr(0, 64);
    b = b.substr(0, 64);
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min(
                {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace cairn
