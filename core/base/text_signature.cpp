// errorSignature: one pass over the words of an error's text.
#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::size_t kLongest = 400;  // of the result
constexpr std::size_t kReadAtMost = 4096;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isHex(char c) { return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool isWordByte(char c)
{
    return isDigit(c) || isLetter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
// Bytes that hold ids, addresses and numbers together. A point or colon at the end of a token is punctuation.
bool isTokenByte(char c) { return isWordByte(c) || c == '-' || c == '.' || c == ':' || c == '@' || c == '%'; }
bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template<typename Test> bool allOf(std::string_view text, Test test)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), test);
}
template<typename Test> bool anyOf(std::string_view text, Test test)
{
    return std::any_of(text.begin(), text.end(), test);
}

bool isUuidLike(std::string_view token)
{
    if (token.size() != 36)
        return false;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? token[i] != '-' : !isHex(token[i]))
            return false;
    }
    return true;
}

bool isIpv4(std::string_view token)
{
    token = token.substr(0, token.find(':'));  // without its port
    return std::count(token.begin(), token.end(), '.') == 3
        && allOf(token, [](char c) { return isDigit(c) || c == '.'; }) && isDigit(token.front());
}

bool isIpv6(std::string_view token)
{
    token = token.substr(0, token.find('%'));  // without its zone
    return std::count(token.begin(), token.end(), ':') >= 2
        && allOf(token, [](char c) { return isHex(c) || c == ':' || c == '.'; }) && anyOf(token, isHex);
}

bool isEmail(std::string_view token)
{
    const auto at = token.find('@');
    return at != std::string_view::npos && at > 0 && token.find('.', at) != std::string_view::npos;
}

// "cus_9s6XKzkNRiz8i3", "a3f09c21", "01HZX8...": letters and digits mixed, long, and no word with a number
// behind it.
bool isOpaqueId(std::string_view token)
{
    if (token.size() < 8 || !allOf(token, [](char c) { return isWordByte(c) || c == '-'; }))
        return false;
    const auto digits = std::count_if(token.begin(), token.end(), isDigit);
    if (digits == 0)
        return false;
    if (allOf(token, isHex))
        return anyOf(token, isLetter);
    std::size_t changes = 0;  // between letter and digit
    for (std::size_t i = 1; i < token.size(); ++i)
        changes +=
            isDigit(token[i]) != isDigit(token[i - 1]) && isWordByte(token[i]) && isWordByte(token[i - 1])
            ? 1
            : 0;
    return changes >= 3;
}

class Masker {
public:
    explicit Masker(std::string_view text)
        : m_text(text)
    {
    }

    std::string run()
    {
        while (m_at < m_text.size() && m_out.size() < kLongest)
            step();
        while (!m_out.empty() && m_out.back() == ' ')
            m_out.pop_back();
        return std::move(m_out);
    }

private:
    void step()
    {
        const char c = m_text[m_at];
        if (isBlank(c)) {
            ++m_at;
            if (!m_out.empty() && m_out.back() != ' ')
                m_out.push_back(' ');
        } else if (const std::size_t end = quoteEnd(); end != 0) {
            m_out += "<text>";
            m_keepCode = false;
            m_at = end;
        } else if (isTokenByte(c)) {
            token();
        } else {
            m_out.push_back(c);
            m_keepCode = m_keepCode && (c == '=' || c == '/' || c == '#' || c == '(');
            ++m_at;
        }
    }

    // Past the closing quote of quoted text that begins here; 0 where none does. An apostrophe inside a word
    // is none.
    [[nodiscard]] std::size_t quoteEnd() const
    {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kQuotes{
            {{"\"", "\""}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}}};
        for (const auto& [open, close] : kQuotes) {
            if (m_text.compare(m_at, open.size(), open) != 0)
                continue;
            if (open == "'" && m_at > 0 && isWordByte(m_text[m_at - 1]))
                return 0;
            for (std::size_t at = m_at + open.size();;) {
                at = m_text.find(close, at);
                if (at == std::string_view::npos)
                    return 0;
                at += close.size();
                if (close != "'" || at >= m_text.size() || !isWordByte(m_text[at]))
                    return at;
            }
        }
        return 0;
    }

    void token()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && isTokenByte(m_text[end]))
            ++end;
        while (end > m_at + 1 && (m_text[end - 1] == '.' || m_text[end - 1] == ':'))
            --end;
        const std::string_view token = m_text.substr(m_at, end - m_at);
        m_at = end;
        if (m_out.ends_with("HTTP/") && (token == "1.0" || token == "1.1" || token == "2" || token == "3"))
            m_out += token;  // and the status that follows stays
        else if (isUuidLike(token))
            put("<id>");
        else if (isIpv4(token) || isIpv6(token) || isEmail(token))
            put("<address>");
        else
            parts(token);
    }

    // A token that is not one thing: its parts between points, colons and the like.
    void parts(std::string_view token)
    {
        while (!token.empty()) {
            std::size_t end = 0;
            while (end < token.size() && (isWordByte(token[end]) || token[end] == '-'))
                ++end;
            if (end == 0) {
                m_out.push_back(token.front());
                m_keepCode = m_keepCode && (token.front() == ':' || token.front() == '-');
                token.remove_prefix(1);
                continue;
            }
            word(token.substr(0, end));
            token.remove_prefix(end);
        }
    }

    void word(std::string_view word)
    {
        if (m_keepCode && word.size() <= 3 && allOf(word, isDigit)) {
            put(word);
        } else if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')
            && allOf(word.substr(2), isHex)) {
            put("<hex>");
        } else if (isOpaqueId(word)) {
            put("<id>");
        } else {
            maskDigits(word);
            m_keepCode = namesCode(word)
                || (m_keepCode
                    && (word == "was" || word == "is" || word == "with" || word == "code"
                        || word == "status"));
        }
    }

    void maskDigits(std::string_view word)
    {
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (!isDigit(word[i]))
                m_out.push_back(word[i]);
            else if (i == 0 || !isDigit(word[i - 1]))
                m_out += "<n>";
        }
    }

    void put(std::string_view text)
    {
        m_out += text;
        m_keepCode = false;
    }

    static bool namesCode(std::string_view word)
    {
        static constexpr std::string_view kNames[] = {
            "http", "https", "status", "code", "errno", "signal", "exit", "exited", "error"};
        return std::any_of(std::begin(kNames), std::end(kNames), [word](std::string_view name) {
            return std::equal(name.begin(), name.end(), word.begin(), word.end(), [](char a, char b) {
                return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
            });
        });
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_out;
    bool m_keepCode = false;  // the next short number is a code that tells situations apart
};

}  // namespace

std::string errorSignature(std::string_view text)
{
    // Masked first: the digits of what is written out (\x00) are not the error's.
    std::string out = visible(Masker(text.substr(0, kReadAtMost)).run());
    if (out.size() > kLongest) {
        std::size_t end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80)
            --end;
        out.resize(end);
    }
    return out;
}

}  // namespace cairn
