#include "core/base/json_scan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>

namespace cairn {

namespace {

constexpr std::size_t kSmallObject =
    16;  // up to here names are compared one by one, beyond by sorting at the end

// A member's name: its first eight bytes in big-endian order, so that most comparisons never touch the text.
struct Name {
    std::uint64_t head = 0;
    const char* data = nullptr;
    std::uint32_t size = 0;
    std::uint32_t offset = 0;  // where it is written

    [[nodiscard]] std::string_view view() const { return {data, size}; }
};

Name makeName(std::string_view decoded, std::size_t offset)
{
    Name name{
        0, decoded.data(), static_cast<std::uint32_t>(decoded.size()), static_cast<std::uint32_t>(offset)};
    const std::size_t n = std::min<std::size_t>(decoded.size(), 8);
    for (std::size_t i = 0; i < n; ++i)
        name.head |= std::uint64_t{static_cast<unsigned char>(decoded[i])} << (56 - 8 * i);
    return name;
}

bool sameName(const Name& a, const Name& b)
{
    return a.head == b.head && a.size == b.size && (a.size <= 8 || std::memcmp(a.data, b.data, a.size) == 0);
}

// Bits of the eight bytes that are quotes, backslashes, control characters or not ASCII.
std::uint64_t stops(std::uint64_t word)
{
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    constexpr std::uint64_t high = 0x8080808080808080ULL;
    const auto zeros = [](std::uint64_t x) { return (x - ones) & ~x & high; };
    return zeros(word ^ (ones * '"')) | zeros(word ^ (ones * '\\')) | ((word - ones * 0x20) & ~word & high)
        | (word & high);
}

std::string shown(std::string_view bytes, std::size_t at)
{
    if (at >= bytes.size())
        return "the end of the text";
    const auto c = static_cast<unsigned char>(bytes[at]);
    if (c == '\'')
        return "\"'\"";
    if (c >= 0x20 && c < 0x7F)
        return std::string("'") + static_cast<char>(c) + "'";
    static constexpr char digits[] = "0123456789abcdef";
    return std::string("byte 0x") + digits[c >> 4] + digits[c & 15];
}

class Scanner {
public:
    Scanner(std::string_view bytes, const JsonLimits& limits)
        : m_bytes(bytes)
        , m_limits(limits)
    {
    }

    std::optional<JsonFault> run();

private:
    struct Frame {
        bool object = false;
        std::size_t firstName = 0;
        std::size_t firstDecoded = 0;
    };
    enum class Next : std::uint8_t { Value, FirstValue, FirstName, Name, After };

    bool fail(std::size_t at, std::string text)
    {
        if (!m_fault)
            m_fault = JsonFault{at, std::move(text)};
        return false;
    }
    bool expected(const char* what)
    {
        return fail(m_at, std::string("expected ") + what + ", found " + shown(m_bytes, m_at));
    }
    void skipSpace()
    {
        while (m_at < m_bytes.size()) {
            const char c = m_bytes[m_at];
            if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
                return;
            ++m_at;
        }
    }
    [[nodiscard]] bool is(char c) const { return m_at < m_bytes.size() && m_bytes[m_at] == c; }

    bool step();
    bool value(bool mayClose);
    bool open(bool object);
    bool after();
    bool memberName();
    bool string();
    bool escape(std::size_t start);
    bool hex4(std::uint32_t& out);
    bool utf8();
    bool number();
    bool digits(const char* where);
    bool magnitude(std::size_t start, std::size_t fractionAt, std::size_t exponentAt);
    bool literal(std::string_view word);
    bool rememberName(std::size_t start, bool escaped);
    bool closeObject(const Frame& frame);
    bool duplicate(const Name& name);

    std::string_view m_bytes;
    const JsonLimits& m_limits;
    std::size_t m_at = 0;
    Next m_next = Next::Value;
    bool m_escaped = false;  // the last string had an escape
    std::vector<Frame> m_frames;
    std::vector<Name> m_names;          // of all open objects
    std::deque<std::string> m_decoded;  // names that were written with escapes
    std::optional<JsonFault> m_fault;
};

std::optional<JsonFault> Scanner::run()
{
    if (m_bytes.size() > m_limits.size || m_bytes.size() > 0xFFFFFFFFu)
        return JsonFault{m_limits.size,
            "the text has " + std::to_string(m_bytes.size()) + " bytes, at most "
                + std::to_string(m_limits.size) + " are accepted"};
    if (m_bytes.substr(0, 3) == "\xEF\xBB\xBF")
        return JsonFault{0, "expected a value, found a byte order mark: save the text without one"};
    while (step()) { }
    return m_fault;
}

// False: done, or a fault.
bool Scanner::step()
{
    skipSpace();
    switch (m_next) {
    case Next::Value: return value(false);
    case Next::FirstValue: return value(true);
    case Next::FirstName:
        if (is('}')) {
            ++m_at;
            m_frames.pop_back();
            m_next = Next::After;
            return true;
        }
        [[fallthrough]];
    case Next::Name: return memberName();
    case Next::After: return after();
    }
    return false;
}

bool Scanner::value(bool mayClose)
{
    if (m_at >= m_bytes.size())
        return expected(mayClose ? "a value or ']'" : "a value");
    m_next = Next::After;
    switch (m_bytes[m_at]) {
    case '{': return open(true);
    case '[': return open(false);
    case '"': return string();
    case 't': return literal("true");
    case 'f': return literal("false");
    case 'n': return literal("null");
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return number();
    case ']':
        if (mayClose) {
            ++m_at;
            m_frames.pop_back();
            return true;
        }
        [[fallthrough]];
    default: return expected(mayClose ? "a value or ']'" : "a value");
    }
}

bool Scanner::open(bool object)
{
    if (m_frames.size() >= m_limits.depth)
        return fail(
            m_at, "more than " + std::to_string(m_limits.depth) + " arrays and objects inside each other");
    m_frames.push_back({object, m_names.size(), m_decoded.size()});
    m_next = object ? Next::FirstName : Next::FirstValue;
    ++m_at;
    return true;
}

bool Scanner::after()
{
    if (m_frames.empty())
        return m_at < m_bytes.size() ? expected("the end of the text") : false;
    const Frame frame = m_frames.back();
    if (is(',')) {
        ++m_at;
        m_next = frame.object ? Next::Name : Next::Value;
        return true;
    }
    if (!is(frame.object ? '}' : ']'))
        return expected(frame.object ? "',' or '}'" : "',' or ']'");
    if (frame.object && !closeObject(frame))
        return false;
    ++m_at;
    m_frames.pop_back();
    return true;
}

bool Scanner::memberName()
{
    if (!is('"'))
        return expected(m_next == Next::FirstName ? "a member name in double quotes or '}'"
                                                  : "a member name in double quotes");
    const std::size_t start = m_at;
    if (!string() || !rememberName(start, m_escaped))
        return false;
    skipSpace();
    if (!is(':'))
        return expected("':' after the member name");
    ++m_at;
    m_next = Next::Value;
    return true;
}

bool Scanner::rememberName(std::size_t start, bool escaped)
{
    std::string_view text = m_bytes.substr(start + 1, m_at - start - 2);
    if (escaped) {
        auto decoded = jsonString(m_bytes.substr(start, m_at - start));
        if (!decoded)
            return fail(start, decoded.error().text);
        text = m_decoded.emplace_back(*std::move(decoded));
    }
    if (m_names.size() >= m_limits.members)
        return fail(start, "more than " + std::to_string(m_limits.members) + " member names in open objects");
    const Name name = makeName(text, start);
    const std::size_t first = m_frames.back().firstName;
    if (m_names.size() - first < kSmallObject)
        for (std::size_t i = first; i < m_names.size(); ++i)
            if (sameName(m_names[i], name))
                return duplicate(name);
    m_names.push_back(name);
    return true;
}

bool Scanner::duplicate(const Name& name)
{
    return fail(
        name.offset, "the member name \"" + std::string(name.view().substr(0, 80)) + "\" is there twice");
}

bool Scanner::closeObject(const Frame& frame)
{
    const auto begin = m_names.begin() + static_cast<std::ptrdiff_t>(frame.firstName);
    if (m_names.size() - frame.firstName > kSmallObject) {
        std::sort(begin, m_names.end(), [](const Name& a, const Name& b) {
            if (a.head != b.head)
                return a.head < b.head;
            const int order = a.view().compare(b.view());
            return order != 0 ? order < 0 : a.offset < b.offset;
        });
        const Name* second = nullptr;  // the first repetition in the text
        for (auto i = begin; i + 1 < m_names.end(); ++i)
            if (sameName(*i, *(i + 1)) && (!second || (i + 1)->offset < second->offset))
                second = &*(i + 1);
        if (second)
            return duplicate(*second);
    }
    m_names.erase(begin, m_names.end());
    while (m_decoded.size() > frame.firstDecoded)
        m_decoded.pop_back();
    return true;
}

bool Scanner::string()
{
    const std::size_t start = m_at++;
    m_escaped = false;
    const char* const data = m_bytes.data();
    for (;;) {
        while (m_at + 8 <= m_bytes.size()) {
            std::uint64_t word = 0;
            std::memcpy(&word, data + m_at, 8);
            if (stops(word) != 0)
                break;
            m_at += 8;
        }
        if (m_at >= m_bytes.size())
            return fail(start, "a string that begins here does not end");
        const auto c = static_cast<unsigned char>(data[m_at]);
        if (c == '"')
            break;
        if (c == '\\') {
            m_escaped = true;
            if (!escape(m_at))
                return false;
        } else if (c < 0x20) {
            return fail(m_at,
                "a control character in a string (" + shown(m_bytes, m_at) + "): write it as an escape");
        } else if (c >= 0x80) {
            if (!utf8())
                return false;
        } else {
            ++m_at;
        }
    }
    if (m_at - start - 1 > m_limits.stringLength)
        return fail(start,
            "a string of " + std::to_string(m_at - start - 1) + " bytes, at most "
                + std::to_string(m_limits.stringLength) + " are accepted");
    ++m_at;
    return true;
}

bool Scanner::hex4(std::uint32_t& out)
{
    out = 0;
    for (int i = 0; i < 4; ++i, ++m_at) {
        const char c = m_at < m_bytes.size() ? m_bytes[m_at] : '\0';
        const bool digit = c >= '0' && c <= '9';
        const char lower = static_cast<char>(c | 0x20);
        if (!digit && !(lower >= 'a' && lower <= 'f'))
            return expected("four hexadecimal digits after \\u");
        out = out * 16 + static_cast<std::uint32_t>(digit ? c - '0' : lower - 'a' + 10);
    }
    return true;
}

bool Scanner::escape(std::size_t start)
{
    ++m_at;
    if (m_at >= m_bytes.size())
        return fail(start, "a string ends within an escape");
    const char c = m_bytes[m_at];
    if (c != 'u') {
        if (std::string_view("\"\\/bfnrt").find(c) == std::string_view::npos)
            return fail(start, "no such escape: a backslash and " + shown(m_bytes, m_at));
        ++m_at;
        return true;
    }
    ++m_at;
    std::uint32_t unit = 0;
    if (!hex4(unit))
        return false;
    if (unit == 0 && !m_limits.allowNul)
        return fail(start, "\\u0000 is not accepted here");
    if (unit >= 0xDC00 && unit <= 0xDFFF)
        return fail(start, "a low surrogate escape without a high one before it");
    if (unit < 0xD800 || unit > 0xDBFF)
        return true;
    std::uint32_t low = 0;
    if (m_bytes.substr(m_at, 2) != "\\u")
        return fail(start, "a high surrogate escape without a low one after it");
    m_at += 2;
    if (!hex4(low))
        return false;
    return (low >= 0xDC00 && low <= 0xDFFF)
        || fail(start, "a high surrogate escape without a low one after it");
}

// One character beyond ASCII: shortest form only, no surrogates, nothing above U+10FFFF.
bool Scanner::utf8()
{
    const auto at = [this](std::size_t i) -> std::uint32_t {
        return m_at + i < m_bytes.size() ? static_cast<unsigned char>(m_bytes[m_at + i]) : 0u;
    };
    const std::uint32_t lead = at(0);
    std::size_t length = 0;
    std::uint32_t low = 0x80;
    std::uint32_t high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        low = lead == 0xE0 ? 0xA0u : 0x80u;
        high = lead == 0xED ? 0x9Fu : 0xBFu;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        low = lead == 0xF0 ? 0x90u : 0x80u;
        high = lead == 0xF4 ? 0x8Fu : 0xBFu;
    } else {
        return fail(m_at, "not UTF-8 (" + shown(m_bytes, m_at) + ")");
    }
    if (at(1) < low || at(1) > high)
        return fail(m_at, "not UTF-8 (" + shown(m_bytes, m_at) + ")");
    for (std::size_t i = 2; i < length; ++i)
        if ((at(i) & 0xC0u) != 0x80u)
            return fail(m_at, "not UTF-8 (" + shown(m_bytes, m_at) + ")");
    m_at += length;
    return true;
}

bool Scanner::digits(const char* where)
{
    const std::size_t start = m_at;
    while (m_at < m_bytes.size() && m_bytes[m_at] >= '0' && m_bytes[m_at] <= '9')
        ++m_at;
    return m_at > start || expected(where);
}

bool Scanner::number()
{
    const std::size_t start = m_at;
    if (is('-'))
        ++m_at;
    if (is('0')) {
        ++m_at;
        if (m_at < m_bytes.size() && m_bytes[m_at] >= '0' && m_bytes[m_at] <= '9')
            return fail(m_at, "a number must not begin with 0");
    } else if (!digits("a digit")) {
        return false;
    }
    const std::size_t fractionAt = m_at;
    if (is('.')) {
        ++m_at;
        if (!digits("a digit after '.'"))
            return false;
    }
    const std::size_t exponentAt = m_at;
    if (is('e') || is('E')) {
        ++m_at;
        if (is('+') || is('-'))
            ++m_at;
        if (!digits("a digit in the exponent"))
            return false;
    }
    if (exponentAt == m_at && fractionAt - start <= 300)
        return true;
    return magnitude(start, fractionAt, exponentAt);
}

// Refuses what is beyond the range of a double. Decided from the text, and by conversion only on the border.
bool Scanner::magnitude(std::size_t start, std::size_t fractionAt, std::size_t exponentAt)
{
    std::size_t first = start;  // first digit that is not 0
    while (first < exponentAt && (m_bytes[first] < '1' || m_bytes[first] > '9'))
        ++first;
    if (first == exponentAt)
        return true;
    std::int64_t exponent = 0;
    bool negative = false;
    for (std::size_t i = exponentAt + 1; i < m_at; ++i) {
        if (m_bytes[i] == '-')
            negative = true;
        else if (m_bytes[i] != '+' && exponent < 1'000'000'000)
            exponent = exponent * 10 + (m_bytes[i] - '0');
    }
    const std::int64_t place = first < fractionAt ? static_cast<std::int64_t>(fractionAt - first) - 1
                                                  : -static_cast<std::int64_t>(first - fractionAt);
    const std::int64_t power = place + (negative ? -exponent : exponent);
    if (power < 308)
        return true;
    double ignored = 0;
    const auto outcome = std::from_chars(m_bytes.data() + start, m_bytes.data() + m_at, ignored);
    if (power == 308 && outcome.ec == std::errc{})
        return true;
    return fail(start, "a number beyond the range of a double: write it as a string");
}

bool Scanner::literal(std::string_view word)
{
    if (m_bytes.substr(m_at, word.size()) != word)
        return expected("a value");
    m_at += word.size();
    return true;
}

}  // namespace

std::optional<JsonFault> findJsonFault(std::string_view bytes, const JsonLimits& limits)
{
    return Scanner(bytes, limits).run();
}

Status validateJson(std::string_view bytes, const JsonLimits& limits)
{
    auto fault = findJsonFault(bytes, limits);
    if (!fault)
        return {};
    const LineColumn place = lineColumn(bytes, fault->offset);
    return makeError(ErrorKind::InvalidInput,
        "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + " (byte "
            + std::to_string(fault->offset) + "): " + fault->text);
}

LineColumn lineColumn(std::string_view bytes, std::size_t offset) noexcept
{
    const std::string_view before = bytes.substr(0, std::min(offset, bytes.size()));
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    std::uint32_t column = 1;
    for (const char c : before.substr(lineStart))
        if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u)
            ++column;
    return {static_cast<std::uint32_t>(lines) + 1, column};
}

}  // namespace cairn
