// Looking into a checked JSON text: slices, pointers and decoding.
#include "core/base/json_scan.h"

#include <algorithm>
#include <charconv>

namespace cairn {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::size_t skipSpace(std::string_view s, std::size_t at)
{
    while (at < s.size() && isSpace(s[at]))
        ++at;
    return at;
}

// One past the closing quote of the string that begins at `at`.
std::size_t skipString(std::string_view s, std::size_t at)
{
    for (++at; at < s.size(); ++at) {
        at = s.find_first_of("\"\\", at);
        if (at == std::string_view::npos)
            return s.size();
        if (s[at] == '"')
            return at + 1;
        ++at;
    }
    return s.size();
}

// One past the value that begins at `at` (no white space before it). Always goes forward.
std::size_t skipValue(std::string_view s, std::size_t at)
{
    if (at >= s.size())
        return s.size();
    if (s[at] == '"')
        return skipString(s, at);
    if (s[at] != '{' && s[at] != '[') {
        while (at < s.size() && !isSpace(s[at]) && s[at] != ',' && s[at] != ']' && s[at] != '}')
            ++at;
        return at;
    }
    std::size_t depth = 0;
    while (at < s.size()) {
        switch (s[at]) {
        case '"': at = skipString(s, at); continue;
        case '{':
        case '[': ++depth; break;
        case '}':
        case ']':
            if (--depth == 0)
                return at + 1;
            break;
        default: break;
        }
        ++at;
    }
    return s.size();
}

// Walks items of an array or members of an object: calls f(written name or empty, value slice); false stops.
template<typename F> Status walk(std::string_view slice, char open, F&& f)
{
    const std::string_view s = jsonTrim(slice);
    if (s.empty() || s.front() != open)
        return makeError(ErrorKind::InvalidInput,
            std::string("expected ") + (open == '[' ? "a list" : "an object") + ", found "
                + std::string(jsonKindName(jsonKind(s))));
    std::size_t at = skipSpace(s, 1);
    while (at < s.size() && s[at] != ']' && s[at] != '}') {
        std::string_view name;
        const std::size_t begin = at;
        if (open == '{') {
            if (s[at] != '"')
                break;
            const std::size_t end = skipString(s, at);
            name = s.substr(at, end - at);
            at = skipSpace(s, end);
            if (at >= s.size() || s[at] != ':')
                break;
            at = skipSpace(s, at + 1);
        }
        const std::size_t end = skipValue(s, at);
        if (!f(name, s.substr(at, end - at)))
            return {};
        at = skipSpace(s, end);
        if (at < s.size() && s[at] == ',')
            at = skipSpace(s, at + 1);
        else
            break;
        if (at <= begin)
            break;
    }
    return {};
}

bool sameDecoded(std::string_view written, std::string_view wanted)
{
    if (written.find('\\') == std::string_view::npos)
        return written.size() >= 2 && written.substr(1, written.size() - 2) == wanted;
    auto decoded = jsonString(written);
    return decoded && *decoded == wanted;
}

std::optional<std::size_t> arrayIndex(std::string_view part)
{
    if (part.empty() || part.size() > 9 || (part.size() > 1 && part[0] == '0'))
        return std::nullopt;
    std::size_t index = 0;
    const auto end = std::from_chars(part.data(), part.data() + part.size(), index);
    if (end.ec != std::errc{} || end.ptr != part.data() + part.size())
        return std::nullopt;
    return index;
}

void appendUtf8(std::string& out, std::uint32_t c)
{
    const auto put = [&out](
                         std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | (c >> 6));
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | (c >> 12));
        put(0x80 | ((c >> 6) & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | (c >> 18));
        put(0x80 | ((c >> 12) & 0x3F));
        put(0x80 | ((c >> 6) & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

std::optional<std::uint32_t> hexUnit(std::string_view s, std::size_t at)
{
    if (at + 4 > s.size())
        return std::nullopt;
    std::uint32_t unit = 0;
    const auto end = std::from_chars(s.data() + at, s.data() + at + 4, unit, 16);
    if (end.ec != std::errc{} || end.ptr != s.data() + at + 4)
        return std::nullopt;
    return unit;
}

// Decodes the escape at s[at] == '\\'; returns one past it, or 0 where it is malformed.
std::size_t decodeEscape(std::string_view s, std::size_t at, std::string& out)
{
    if (at + 1 >= s.size())
        return 0;
    static constexpr std::string_view from = "\"\\/bfnrt";
    static constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    if (const auto i = from.find(s[at + 1]); i != std::string_view::npos) {
        out += to[i];
        return at + 2;
    }
    const auto unit = s[at + 1] == 'u' ? hexUnit(s, at + 2) : std::nullopt;
    if (!unit || (*unit >= 0xDC00 && *unit <= 0xDFFF))
        return 0;
    if (*unit < 0xD800 || *unit > 0xDBFF) {
        appendUtf8(out, *unit);
        return at + 6;
    }
    const auto low = s.substr(at + 6, 2) == "\\u" ? hexUnit(s, at + 8) : std::nullopt;
    if (!low || *low < 0xDC00 || *low > 0xDFFF)
        return 0;
    appendUtf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
    return at + 12;
}

std::string namesOf(std::string_view object)
{
    std::string names;
    std::size_t count = 0;
    const Status walked = walk(object, '{', [&](std::string_view name, std::string_view) {
        names += (count ? ", " : "") + std::string(name.substr(0, 40));
        return ++count < 8;
    });
    return !walked || count == 0 ? "no members" : "the members " + names + (count == 8 ? ", ..." : "");
}

}  // namespace

JsonKind jsonKind(std::string_view slice) noexcept
{
    const std::size_t at = skipSpace(slice, 0);
    if (at >= slice.size())
        return JsonKind::Invalid;
    switch (slice[at]) {
    case '{': return JsonKind::Object;
    case '[': return JsonKind::Array;
    case '"': return JsonKind::String;
    case 't':
    case 'f': return JsonKind::Bool;
    case 'n': return JsonKind::Null;
    default: break;
    }
    return slice[at] == '-' || (slice[at] >= '0' && slice[at] <= '9') ? JsonKind::Number : JsonKind::Invalid;
}

std::string_view jsonKindName(JsonKind kind) noexcept
{
    switch (kind) {
    case JsonKind::Null: return "null";
    case JsonKind::Bool: return "true or false";
    case JsonKind::Number: return "a number";
    case JsonKind::String: return "text";
    case JsonKind::Array: return "a list";
    case JsonKind::Object: return "an object";
    case JsonKind::Invalid: break;
    }
    return "no JSON value";
}

std::string_view jsonTrim(std::string_view slice) noexcept
{
    const std::size_t begin = skipSpace(slice, 0);
    std::size_t end = slice.size();
    while (end > begin && isSpace(slice[end - 1]))
        --end;
    return slice.substr(begin, end - begin);
}

Result<std::vector<std::string_view>> jsonArraySlices(std::string_view slice)
{
    std::vector<std::string_view> items;
    CAIRN_TRY(walk(slice, '[', [&](std::string_view, std::string_view value) {
        items.push_back(value);
        return true;
    }));
    return items;
}

Result<std::vector<JsonMember>> jsonObjectMembers(std::string_view slice)
{
    std::vector<JsonMember> members;
    bool malformed = false;
    CAIRN_TRY(walk(slice, '{', [&](std::string_view name, std::string_view value) {
        auto decoded = jsonString(name);
        if (!decoded)
            malformed = true;
        else
            members.push_back({*std::move(decoded), name, value});
        return !malformed;
    }));
    if (malformed)
        return makeError(ErrorKind::InvalidInput, "a member name is not a JSON string");
    return members;
}

Result<std::size_t> jsonArraySize(std::string_view slice)
{
    std::size_t count = 0;
    CAIRN_TRY(walk(slice, '[', [&](std::string_view, std::string_view) { return ++count, true; }));
    return count;
}

Result<std::string_view> jsonArrayItem(std::string_view slice, std::size_t index)
{
    std::optional<std::string_view> found;
    std::size_t count = 0;
    CAIRN_TRY(walk(slice, '[', [&](std::string_view, std::string_view value) {
        if (count == index)
            found = value;
        ++count;
        return !found;
    }));
    if (!found)
        return makeError(ErrorKind::NotFound,
            "no item " + std::to_string(index) + ": the list has " + std::to_string(count));
    return *found;
}

std::string jsonPointerFault(std::string_view pointer)
{
    if (!pointer.empty() && pointer.front() != '/')
        return "a JSON Pointer is empty or begins with '/'";
    for (std::size_t i = 0; i < pointer.size(); ++i)
        if (pointer[i] == '~'
            && (i + 1 >= pointer.size() || (pointer[i + 1] != '0' && pointer[i + 1] != '1')))
            return "'~' in a JSON Pointer must be followed by 0 (for '~') or 1 (for '/')";
    return {};
}

std::vector<std::string> jsonPointerParts(std::string_view pointer)
{
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/')
            parts.emplace_back();
        else if (pointer[i] == '~' && i + 1 < pointer.size() && !parts.empty())
            parts.back() += pointer[++i] == '0' ? '~' : '/';
        else if (!parts.empty())
            parts.back() += pointer[i];
    }
    return parts;
}

std::string jsonPointerPart(std::string_view part)
{
    std::string out;
    for (const char c : part)
        out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    return out;
}

Result<std::string_view> jsonAt(std::string_view bytes, std::string_view pointer)
{
    if (std::string fault = jsonPointerFault(pointer); !fault.empty())
        return makeError(ErrorKind::InvalidInput, std::move(fault));
    std::string_view here = jsonTrim(bytes);
    std::string path;
    for (const std::string& part : jsonPointerParts(pointer)) {
        const std::string at = path.empty() ? "the whole value" : path;
        const JsonKind kind = jsonKind(here);
        if (kind == JsonKind::Object) {
            std::optional<std::string_view> found;
            CAIRN_TRY(walk(here, '{', [&](std::string_view name, std::string_view value) {
                if (sameDecoded(name, part))
                    found = value;
                return !found;
            }));
            if (!found)
                return makeError(ErrorKind::NotFound,
                    at + " has no member " + jsonQuote(part) + ", it has " + namesOf(here));
            here = *found;
        } else if (kind == JsonKind::Array) {
            const auto index = arrayIndex(part);
            if (!index)
                return makeError(
                    ErrorKind::NotFound, at + " is a list, and " + jsonQuote(part) + " is no index");
            auto item = jsonArrayItem(here, *index);
            if (!item)
                return makeError(ErrorKind::NotFound, at + " has " + item.error().text);
            here = *item;
        } else {
            return makeError(ErrorKind::NotFound,
                at + " is " + std::string(jsonKindName(kind)) + " and has no member " + jsonQuote(part));
        }
        path += '/' + jsonPointerPart(part);
    }
    return here;
}

Result<std::string> jsonString(std::string_view slice)
{
    const std::string_view s = jsonTrim(slice);
    if (s.size() < 2 || s.front() != '"' || s.back() != '"')
        return makeError(
            ErrorKind::InvalidInput, "expected text, found " + std::string(jsonKindName(jsonKind(s))));
    const std::string_view body = s.substr(1, s.size() - 2);
    std::string out;
    out.reserve(body.size());
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t stop = std::min(body.find('\\', at), body.size());
        out.append(body.substr(at, stop - at));
        if (stop == body.size())
            break;
        at = decodeEscape(body, stop, out);
        if (at == 0)
            return makeError(ErrorKind::InvalidInput, "a string with a malformed escape");
    }
    return out;
}

Result<std::int64_t> jsonInt(std::string_view slice)
{
    const std::string_view s = jsonTrim(slice);
    std::int64_t value = 0;
    const auto end = std::from_chars(s.data(), s.data() + s.size(), value);
    if (s.empty() || end.ptr != s.data() + s.size() || end.ec == std::errc::invalid_argument)
        return makeError(
            ErrorKind::InvalidInput, "expected a whole number, found " + std::string(s.substr(0, 40)));
    if (end.ec != std::errc{})
        return makeError(
            ErrorKind::InvalidInput, "the number " + std::string(s.substr(0, 40)) + " does not fit 64 bits");
    return value;
}

Result<bool> jsonBool(std::string_view slice)
{
    const std::string_view s = jsonTrim(slice);
    if (s == "true" || s == "false")
        return s == "true";
    return makeError(
        ErrorKind::InvalidInput, "expected true or false, found " + std::string(s.substr(0, 40)));
}

std::string jsonQuote(std::string_view text)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\u00";
            out += digits[byte >> 4];
            out += digits[byte & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string jsonCompact(std::string_view slice)
{
    std::string out;
    out.reserve(slice.size());
    for (std::size_t at = 0; at < slice.size();) {
        if (slice[at] == '"') {
            const std::size_t end = skipString(slice, at);
            out.append(slice.substr(at, end - at));
            at = end;
        } else {
            if (!isSpace(slice[at]))
                out += slice[at];
            ++at;
        }
    }
    return out;
}

}  // namespace cairn
