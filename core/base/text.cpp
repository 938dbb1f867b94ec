#include "core/base/text.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

struct CodeRange {
    char32_t first;
    char32_t last;
};

// Characters that show nothing or change the direction of what follows (Unicode's
// Default_Ignorable_Code_Point and Bidi_Control, but for U+FE00 to U+FE0F, which emoji need), line separators
// and interlinear marks.
constexpr CodeRange kInvisible[] = {
    {0x00AD, 0x00AD},
    {0x034F, 0x034F},
    {0x061C, 0x061C},
    {0x115F, 0x1160},
    {0x17B4, 0x17B5},
    {0x180B, 0x180F},
    {0x200B, 0x200F},
    {0x2028, 0x202E},
    {0x2060, 0x206F},
    {0x3164, 0x3164},
    {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
};

bool isControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

bool isBlank(char32_t c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680
        || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F
        || c == 0x3000;
}

void appendByteEscape(std::string& out, unsigned char byte)
{
    out += "\\x";
    out.push_back(kHexDigits[byte >> 4]);
    out.push_back(kHexDigits[byte & 15]);
}

void appendCodeEscape(std::string& out, char32_t c)
{
    out += "\\u{";
    bool begun = false;
    for (int shift = 20; shift >= 0; shift -= 4) {
        const auto digit = static_cast<unsigned>(c >> shift) & 15U;
        begun = begun || digit != 0;
        if (begun)
            out.push_back(kHexDigits[digit]);
    }
    out.push_back('}');
}

// How many bytes from `at` on are printable ASCII other than quotes and backslashes: most of all text.
std::size_t plainRun(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (
        end < text.size() && text[end] >= 0x20 && text[end] < 0x7F && text[end] != '"' && text[end] != '\\')
        ++end;
    return end - at;
}

std::string madeVisible(std::string_view text, bool oneLine)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t plain = plainRun(text, at); plain > 0) {
            out.append(text.substr(at, plain));
            at += plain;
            continue;
        }
        const auto point = codePointAt(text, at);
        if (!point) {
            appendByteEscape(out, static_cast<unsigned char>(text[at++]));
            continue;
        }
        const char32_t c = point->value;
        if (c == '\n' || c == '\t') {
            if (oneLine)
                out += c == '\n' ? "\\n" : "\\t";
            else
                out.push_back(static_cast<char>(c));
        } else if (c < 0x20 || c == 0x7F) {
            appendByteEscape(out, static_cast<unsigned char>(c));
        } else if (isControl(c) || isInvisible(c)) {
            appendCodeEscape(out, c);
        } else {
            out.append(text.substr(at, point->size));
        }
        at += point->size;
    }
    return out;
}

void appendJsonUnit(std::string& out, unsigned unit)
{
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
        out.push_back(kHexDigits[(unit >> shift) & 15U]);
}

void appendJsonCode(std::string& out, char32_t c)
{
    if (c < 0x10000)
        return appendJsonUnit(out, static_cast<unsigned>(c));
    const auto rest = static_cast<unsigned>(c - 0x10000);
    appendJsonUnit(out, 0xD800U + (rest >> 10));
    appendJsonUnit(out, 0xDC00U + (rest & 0x3FFU));
}

}  // namespace

bool isInvisible(char32_t c) noexcept
{
    if (c < kInvisible[0].first)
        return false;
    return std::any_of(std::begin(kInvisible), std::end(kInvisible),
        [c](const CodeRange& range) { return c >= range.first && c <= range.last; });
}

std::optional<CodePoint> codePointAt(std::string_view text, std::size_t at) noexcept
{
    if (at >= text.size())
        return std::nullopt;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80)
        return CodePoint{lead, 1};
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < size)
        return std::nullopt;
    char32_t value = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80)
            return std::nullopt;
        value = (value << 6) | (byte(i) & 0x3FU);
    }
    const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return std::nullopt;
    return CodePoint{value, size};
}

std::optional<std::size_t> firstInvalidUtf8(std::string_view text) noexcept
{
    for (std::size_t at = 0; at < text.size();) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        const auto point = codePointAt(text, at);
        if (!point)
            return at;
        at += point->size;
    }
    return std::nullopt;
}

Status checkText(std::string_view what, std::string_view text)
{
    if (const auto at = firstInvalidUtf8(text))
        return makeError(ErrorKind::InvalidInput,
            std::string(what) + " is not valid UTF-8 at byte " + std::to_string(*at)
                + ". Send it as UTF-8 text.");
    if (const auto at = text.find('\0'); at != std::string_view::npos)
        return makeError(ErrorKind::InvalidInput,
            std::string(what) + " holds a NUL character at byte " + std::to_string(at) + ". Remove it.");
    return {};
}

std::string visible(std::string_view text) { return madeVisible(text, false); }
std::string visibleLine(std::string_view text) { return madeVisible(text, true); }

std::string clipped(std::string_view text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return std::string(text);
    std::size_t end = maxBytes;
    while (end > 0 && maxBytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return std::string(text.substr(0, end)) + "… (" + std::to_string(text.size() - end) + " more bytes)";
}

void appendJsonString(std::string& out, std::string_view text)
{
    out.push_back('"');
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t plain = plainRun(text, at); plain > 0) {
            out.append(text.substr(at, plain));
            at += plain;
            continue;
        }
        const auto point = codePointAt(text, at);
        if (!point) {
            out += "\\ufffd";
            ++at;
            continue;
        }
        const char32_t c = point->value;
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default:
            if (isControl(c) || isInvisible(c))
                appendJsonCode(out, c);
            else
                out.append(text.substr(at, point->size));
        }
        at += point->size;
    }
    out.push_back('"');
}

std::string shortId(std::string_view id)
{
    // Ids are ASCII; whatever else comes here is shown whole rather than cut inside a character.
    const bool ascii =
        std::all_of(id.begin(), id.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (id.size() <= 12 || !ascii)
        return std::string(id);
    return std::string(id.substr(0, 6)) + "…" + std::string(id.substr(id.size() - 4));
}

std::string_view trimmed(std::string_view text) noexcept
{
    static constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::uint32_t reasonLength(std::string_view text) noexcept
{
    std::uint32_t length = 0;
    bool blankBefore = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto point = codePointAt(text, at);
        at += point ? point->size : 1;
        if (!point)
            continue;
        if (isBlank(point->value)) {
            blankBefore = length > 0;
        } else if (!isControl(point->value) && !isInvisible(point->value)) {
            length += blankBefore ? 2 : 1;
            blankBefore = false;
        }
    }
    return length;
}

}  // namespace cairn
