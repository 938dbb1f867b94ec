#include "core/store/postgres/handshake.h"

#include <cstdint>

namespace cairn::postgres {

namespace {

constexpr std::size_t kHeader = 5;       // type, length
constexpr std::size_t kLongest = 8'192;  // no message of a handshake is longer

std::uint32_t number(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4))
        value = (value << 8) | static_cast<unsigned char>(c);
    return value;
}

// AuthenticationXxx of the protocol, version 3.
std::string methodOf(std::uint32_t code)
{
    switch (code) {
    case 2: return "Kerberos V5";
    case 3: return "a password in clear text";
    case 5: return "a password as MD5";
    case 7:
    case 8: return "GSSAPI";
    case 9: return "SSPI";
    default: return "authentication method " + std::to_string(code);
    }
}

constexpr std::uint32_t kLetIn = 0, kSasl = 10, kSaslContinue = 11, kSaslFinal = 12;

}  // namespace

Asked whatIsAsked(std::string_view bytes)
{
    Asked asked;
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::string_view rest = bytes.substr(at);
        const std::size_t body = rest.size() < kHeader ? 4 : number(rest.substr(1));
        if (body < 4 || body > kLongest)
            return {Asked::Kind::Refused, 0, "something that is no PostgreSQL message"};
        if (rest.size() < 1 + body)
            return {Asked::Kind::More, at + 1 + body, {}};
        if (rest.front() == 'R') {
            const std::uint32_t code = body < 8 ? ~0U : number(rest.substr(kHeader));
            if (code == kLetIn)
                return {Asked::Kind::Through, 0, {}};
            if (code != kSasl && code != kSaslContinue && code != kSaslFinal)
                return {Asked::Kind::Refused, 0, methodOf(code)};
        }
        at += 1 + body;
        asked.kind = Asked::Kind::Fine;
    }
    if (asked.kind == Asked::Kind::More)
        asked.wanted = kHeader;
    return asked;
}

}  // namespace cairn::postgres
