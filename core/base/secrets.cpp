#include "core/base/secrets.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::size_t kLeastPattern = 4;
constexpr std::size_t kLeastKey = 2;
constexpr std::size_t kLongestName = 100;
constexpr std::array<std::string_view, 2> kMarks{"[masked: ", "[hidden: "};  // in the order of Mark

// Prefixes by which services mark their keys, so that leaked ones are found.
constexpr std::array<std::string_view, 12> kKnown{"AKIA", "ASIA", "ghp_", "gho_", "ghs_", "github_pat_",
    "glpat-", "xoxb-", "xoxp-", "sk-ant-", "sk_live_", "rk_live_"};
constexpr std::size_t kKnownTail = 12;  // so many characters of a word must follow

bool isDigitOrLetter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isWord(char c) { return isDigitOrLetter(c) || c == '_' || c == '-'; }
// What tokens and keys consist of.
bool isToken(char c) { return isWord(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t endOf(std::string_view text, std::size_t at, bool (*is)(char))
{
    while (at < text.size() && is(text[at]))
        ++at;
    return at;
}

bool startsHere(std::string_view text, std::size_t at, std::string_view what)
{
    return text.substr(at, what.size()) == what;
}
bool startsHereInAnyCase(std::string_view text, std::size_t at, std::string_view what)
{
    return lowered(text.substr(at, what.size())) == what;
}

bool startsWithMark(std::string_view text, std::size_t at)
{
    return std::any_of(
        kMarks.begin(), kMarks.end(), [&](std::string_view mark) { return startsHere(text, at, mark); });
}

// The end of a mark that begins here, which is left as it is; `at` where none does.
std::size_t markEnd(std::string_view text, std::size_t at)
{
    if (!startsWithMark(text, at))
        return at;
    const auto end = text.find(']', at);
    return end == std::string_view::npos ? at : end + 1;
}

// Blanks and quotes, also those of a JSON string within text or within another.
std::size_t skipQuotes(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        if (text[at] == ' ' || text[at] == '"' || text[at] == '\'') {
            ++at;
            continue;
        }
        std::size_t quote = at;
        while (quote < text.size() && text[quote] == '\\')
            ++quote;
        if (quote == at || quote >= text.size() || text[quote] != '"')
            return at;
        at = quote + 1;
    }
    return at;
}

// Where a value ends that stands behind a name: at the end of the line or the quotes, else at a separator
// too. An escape of JSON is never cut.
std::size_t valueStop(std::string_view text, std::size_t at, bool line)
{
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\r' || c == '\n' || c == '"')
            return at;
        if (!line && (c == ' ' || c == '\t' || c == '\'' || c == '&' || c == ';' || c == ',' || c == ')'))
            return at;
        if (c != '\\')
            continue;
        const char next = at + 1 < text.size() ? text[at + 1] : '"';
        if (next == '"' || next == '\\' || next == 'n' || next == 'r' || next == '\'')
            return at;
        ++at;
    }
    return std::min(at, text.size());
}

// A credential that shows itself; how much of it is to be masked. 0: there is none here.
struct Found {
    std::size_t skip = 0;  // what stays before it
    std::size_t size = 0;
    std::string_view what;
};

Found knownKey(std::string_view text, std::size_t at)
{
    if (at > 0 && isWord(text[at - 1]))
        return {};
    for (const std::string_view prefix : kKnown) {
        if (!startsHere(text, at, prefix))
            continue;
        const std::size_t end = endOf(text, at, isWord);
        if (end - at >= prefix.size() + kKnownTail)
            return {0, end - at, "access key"};
    }
    return {};
}

Found bearer(std::string_view text, std::size_t at)
{
    if (!startsHereInAnyCase(text, at, "bearer ") || (at > 0 && isWord(text[at - 1])))
        return {};
    const std::size_t end = endOf(text, at + 7, isToken);
    return end - at - 7 >= 8 ? Found{7, end - at - 7, "bearer token"} : Found{};
}

// scheme://user:password@host
Found urlPassword(std::string_view text, std::size_t at)
{
    if (!startsHere(text, at, "://"))
        return {};
    const std::size_t end = std::min(text.find_first_of("/ \t\r\n\"'<>\\", at + 3), text.size());
    const std::string_view authority = text.substr(at + 3, end - at - 3);
    const auto host = authority.rfind('@');
    const auto colon = authority.find(':');
    if (host == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= host)
        return {};
    return {3 + colon + 1, host - colon - 1, "password"};
}

Found privateKey(std::string_view text, std::size_t at)
{
    constexpr std::string_view kBegin = "-----BEGIN ";
    constexpr std::string_view kEnd = "PRIVATE KEY-----";
    if (!startsHere(text, at, kBegin))
        return {};
    const auto name = text.substr(at, 80).find(kEnd);
    if (name == std::string_view::npos)
        return {};
    const auto end = text.find(kEnd, at + name + kEnd.size());
    return {0, (end == std::string_view::npos ? text.size() : end + kEnd.size()) - at, "private key"};
}

Found credential(std::string_view text, std::size_t at)
{
    switch (text[at]) {
    case ':': return urlPassword(text, at);
    case '-': return privateKey(text, at);
    case 'b':
    case 'B': return bearer(text, at);
    default: return knownKey(text, at);
    }
}

Status checkOne(std::string_view text, std::size_t least, const char* what)
{
    const std::size_t stars = static_cast<std::size_t>(std::count(text.begin(), text.end(), '*'));
    const bool plain = std::all_of(text.begin(), text.end(),
        [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\' && c != '[' && c != ']'; });
    if (text.size() - stars < least || text.size() > kLongestName || !plain)
        return makeError(ErrorKind::InvalidInput,
            "\"" + visibleLine(text) + "\" is no " + what + ": " + std::to_string(least) + " to "
                + std::to_string(kLongestName)
                + " printable characters without blanks, quotes, brackets and backslashes");
    return {};
}

bool nameFits(const std::string& wanted, const std::string& name)
{
    const bool front = wanted.front() == '*', back = wanted.back() == '*';
    const std::string_view middle(
        wanted.data() + (front ? 1 : 0), wanted.size() - (front ? 1 : 0) - (back ? 1 : 0));
    if (front && back)
        return name.find(middle) != std::string::npos;
    if (front)
        return name.ends_with(middle);
    return back ? name.starts_with(middle) : name == middle;
}

}  // namespace

std::string maskedText(std::string_view what, Mark mark)
{
    return std::string(kMarks[static_cast<std::size_t>(mark)]) + std::string(what) + "]";
}

std::size_t countMarks(std::string_view text, Mark mark) noexcept
{
    const std::string_view wanted = kMarks[static_cast<std::size_t>(mark)];
    std::size_t count = 0;
    for (auto at = text.find(wanted); at != std::string_view::npos;
         at = text.find(wanted, at + wanted.size()))
        ++count;
    return count;
}

void SecretList::add(const SecretList& more)
{
    const auto join = [](const std::vector<std::string>& from, std::vector<std::string>& into) {
        for (const std::string& one : from)
            if (std::find(into.begin(), into.end(), one) == into.end())
                into.push_back(one);
    };
    join(more.keys, keys);
    join(more.patterns, patterns);
}

Status checkSecretList(const SecretList& list)
{
    if (list.keys.size() + list.patterns.size() > kMostSecretNames)
        return makeError(ErrorKind::InvalidInput, "more than " + std::to_string(kMostSecretNames) + " names");
    for (const std::string& key : list.keys) {
        CAIRN_TRY(checkOne(key, kLeastKey, "key"));
        if (key.find('*', 1) < key.size() - 1)
            return makeError(ErrorKind::InvalidInput,
                "\"" + visibleLine(key) + "\" is no key: a * stands at its beginning or its end only");
    }
    for (const std::string& pattern : list.patterns) {
        CAIRN_TRY(checkOne(pattern, kLeastPattern, "pattern"));
        if (pattern.find('*') < pattern.size() - 1)
            return makeError(ErrorKind::InvalidInput,
                "\"" + visibleLine(pattern) + "\" is no pattern: a * stands at its end only");
        if (std::any_of(kMarks.begin(), kMarks.end(), [&pattern](std::string_view mark) {
                return mark.find(pattern.substr(0, kLeastPattern)) != std::string_view::npos;
            }))
            return makeError(ErrorKind::InvalidInput,
                "\"" + visibleLine(pattern) + "\" would mask the marks of what was masked");
    }
    return {};
}

Masker::Masker(SecretList list, Mark mark)
    : m_list(std::move(list))
    , m_mark(mark)
{
    for (std::string& key : m_list.keys) {
        key = lowered(key);
        if (key.find('*') == std::string::npos)
            m_literal.push_back(key);
    }
    std::sort(m_literal.begin(), m_literal.end());
}

// The key of the list that the name fits.
const std::string* Masker::keyOf(std::string_view name) const
{
    if (name.size() > kLongestName || m_list.keys.empty())
        return nullptr;
    const std::string wanted = lowered(name);
    if (const auto at = std::lower_bound(m_literal.begin(), m_literal.end(), wanted);
        at != m_literal.end() && *at == wanted)
        return &*at;
    const auto found = std::find_if(m_list.keys.begin(), m_list.keys.end(),
        [&](const std::string& key) { return key.find('*') != std::string::npos && nameFits(key, wanted); });
    return found == m_list.keys.end() ? nullptr : &*found;
}

// Patterns of the list, and what shows itself as a credential.
std::string Masker::patterns(std::string_view bytes) const
{
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        if (const std::size_t end = markEnd(bytes, at); end > at) {
            out.append(bytes.substr(at, end - at));
            at = end;
            continue;
        }
        std::size_t size = 0;
        std::string what;
        for (const std::string& pattern : m_list.patterns) {
            const bool open = pattern.back() == '*';
            const std::string_view literal(pattern.data(), pattern.size() - (open ? 1 : 0));
            if (!startsHere(bytes, at, literal))
                continue;
            size = literal.size();
            if (open)
                size = endOf(bytes, at + size, isToken) - at;
            what = pattern;
            break;
        }
        if (size == 0 && m_mark == Mark::NeverStored)
            if (const Found found = credential(bytes, at); found.size > 0) {
                out.append(bytes.substr(at, found.skip));
                at += found.skip;
                size = found.size;
                what = found.what;
            }
        if (size == 0) {
            out += bytes[at++];
            continue;
        }
        out += maskedText(what, m_mark);
        at += size;
    }
    return out;
}

// name=value up to the next separator, name: value up to the end of the line; also quoted, also within a JSON
// string, where the quotes have backslashes.
std::string Masker::assignments(std::string_view bytes) const
{
    if (m_list.keys.empty())
        return std::string(bytes);
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::max(markEnd(bytes, at), endOf(bytes, at, isWord));
        if (end == at) {
            out += bytes[at++];
            continue;
        }
        const std::string* key = keyOf(bytes.substr(at, end - at));
        std::size_t value = skipQuotes(bytes, end);
        if (key == nullptr || value >= bytes.size() || (bytes[value] != '=' && bytes[value] != ':')) {
            out.append(bytes.substr(at, end - at));
            at = end;
            continue;
        }
        const bool line = bytes[value] == ':';
        value = skipQuotes(bytes, value + 1);
        out.append(bytes.substr(at, value - at));
        at = value;
        if (const std::size_t stop = valueStop(bytes, value, line);
            stop > value && markEnd(bytes, value) == value) {
            out += maskedText(*key, m_mark);
            at = stop;
        }
    }
    return out;
}

std::string Masker::text(std::string_view bytes) const
{
    return isUtf8(bytes) ? patterns(assignments(bytes)) : std::string(bytes);
}

namespace {

// The end of the string that begins at `at` with its quote, behind its closing one.
std::size_t stringEnd(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\' ? 1 : 0;
    return std::min(at + 1, text.size());
}

// The end of the value that begins at `at`.
std::size_t valueEnd(std::string_view text, std::size_t at)
{
    std::size_t depth = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at = stringEnd(text, at);
            if (depth == 0)
                return at;
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        else if (c == '}' || c == ']') {
            if (depth <= 1)
                return depth == 1 ? at + 1 : at;
            --depth;
        } else if (depth == 0 && (c == ',' || isBlank(c)))
            return at;
        ++at;
    }
    return at;
}

// \uXXXX of plain characters and \/ decoded, other escapes as they are: still what a JSON string may hold.
std::string plainOf(std::string_view written)
{
    std::string out;
    for (std::size_t at = 0; at < written.size(); ++at) {
        if (written[at] != '\\' || at + 1 >= written.size()) {
            out += written[at];
            continue;
        }
        if (written[at + 1] == 'u' && at + 5 < written.size() && written.substr(at + 2, 2) == "00") {
            unsigned value = 0;
            for (const char c : written.substr(at + 4, 2)) {
                const char d = lower(c);
                value = value * 16 + static_cast<unsigned>(d <= '9' ? d - '0' : d - 'a' + 10);
            }
            if (value >= 0x20 && value < 0x7F && value != '"' && value != '\\') {
                out += static_cast<char>(value);
                at += 5;
                continue;
            }
        }
        if (written[at + 1] == '/') {
            out += '/';
            ++at;
            continue;
        }
        out += written[at];
        out += written[++at];
    }
    return out;
}

}  // namespace

// One pass over what is JSON already: members whose name is listed lose their value, strings are looked
// through.
std::string Masker::json(std::string_view bytes) const
{
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        if (bytes[at] != '"') {
            out += bytes[at++];
            continue;
        }
        const std::size_t end = stringEnd(bytes, at);
        const std::string_view inner = bytes.substr(at + 1, end - at - (end - at > 1 ? 2 : 1));
        const std::size_t next = endOf(bytes, end, isBlank);
        if (next < bytes.size() && bytes[next] == ':') {
            const std::size_t value = endOf(bytes, next + 1, isBlank);
            const std::string* key = keyOf(plainOf(inner));
            const std::size_t last = key == nullptr ? value : valueEnd(bytes, value);
            const bool masked = startsHere(bytes, value, "\"") && startsWithMark(bytes, value + 1);
            const bool none = bytes.substr(value, last - value) == "null";
            out.append(bytes.substr(at, value - at));
            if (key != nullptr && !masked && !none)
                out += "\"" + maskedText(*key, m_mark) + "\"";
            else
                out.append(bytes.substr(value, last - value));
            at = last;
            continue;
        }
        const std::string plain = plainOf(inner);
        const std::string clean = patterns(assignments(plain));
        out += '"';
        out += clean == plain ? std::string(inner) : clean;
        out += '"';
        at = end;
    }
    return out;
}

bool Masker::mayStandIn(std::string_view bytes) const
{
    // Written so that a plain search would not find it.
    if (bytes.find("\\u00") != std::string_view::npos || bytes.find("\\/") != std::string_view::npos)
        return true;
    const auto stands = [](std::string_view text, std::string wanted) {
        std::erase(wanted, '*');
        return text.find(wanted) != std::string_view::npos;
    };
    for (const std::string& pattern : m_list.patterns)
        if (stands(bytes, pattern))
            return true;
    if (m_list.keys.empty())
        return false;
    const std::string low = lowered(bytes);
    return std::any_of(
        m_list.keys.begin(), m_list.keys.end(), [&](const std::string& key) { return stands(low, key); });
}

std::string Masker::payload(std::string_view bytes, std::string_view media) const
{
    return payloadFrom(std::string(bytes), media);
}

std::string Masker::payloadFrom(std::string bytes, std::string_view media) const
{
    if (!isUtf8(bytes))
        return bytes;
    if (media.find("json") != std::string_view::npos)
        return json(bytes);
    bytes = assignments(bytes);
    return patterns(bytes);
}

}  // namespace cairn
