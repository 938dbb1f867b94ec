#include "core/store/s3/answer.h"

#include "core/base/http_date.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cairn::s3 {

namespace {

constexpr std::size_t kShownMessage = 300;

std::string resolved(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
        {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
    std::string out;
    while (!text.empty()) {
        const auto entity = std::find_if(kEntities.begin(), kEntities.end(),
            [&](const auto& each) { return text.substr(0, each.first.size()) == each.first; });
        out += entity == kEntities.end() ? text.front() : entity->second;
        text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
    }
    return out;
}

std::string_view rawElement(std::string_view body, std::string_view name)
{
    const std::string open = "<" + std::string(name) + ">";
    const std::string close = "</" + std::string(name) + ">";
    const auto begin = body.find(open);
    if (begin == std::string_view::npos)
        return {};
    const auto end = body.find(close, begin);
    return end == std::string_view::npos ? std::string_view()
                                         : body.substr(begin + open.size(), end - begin - open.size());
}

bool isOneOf(std::string_view code, std::initializer_list<std::string_view> codes)
{
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

std::string skewText(const Answer& answer, TimeMs now)
{
    const auto there = parseHttpDate(answer.date, now);
    return "the clock of this machine differs too much from the server's: here it is " + formatInstant(now)
        + (there ? ", there " + formatInstant(*there) : std::string())
        + "; set this machine's clock (15 minutes are allowed)";
}

Error sorted(const Answer& answer, const std::string& code, const std::string& from, TimeMs now)
{
    if (code == "RequestTimeTooSkewed")
        return makeError(ErrorKind::NoRight, skewText(answer, now));
    if (isOneOf(code, {"InvalidAccessKeyId", "UnrecognizedClientException", "InvalidClientTokenId"}))
        return makeError(ErrorKind::NoRight, "it does not know the access key (" + from + ")");
    if (code == "SignatureDoesNotMatch")
        return makeError(ErrorKind::NoRight,
            "it refuses the signature: the secret key does not belong to the access key (" + from + ")");
    if (isOneOf(code, {"ExpiredToken", "InvalidToken", "TokenRefreshRequired"}))
        return makeError(ErrorKind::NoRight,
            "the session token has expired or is not valid (" + from + "); get new credentials");
    if (answer.status == 401 || answer.status == 403)
        return makeError(ErrorKind::NoRight, "these credentials may not do that (" + from + ")");
    if (isOneOf(code, {"NoSuchKey", "NotFound"}) && answer.status == 404)
        return makeError(ErrorKind::NotFound, "it is missing");
    if (code == "NoSuchBucket")
        return makeError(ErrorKind::Refused, "there is no such bucket");
    if (isOneOf(code, {"QuotaExceeded", "XMinioStorageFull", "InsufficientStorage"}) || answer.status == 507)
        return makeError(ErrorKind::Full, "the place is full");
    if (isOneOf(code, {"AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect"})
        || (answer.status >= 300 && answer.status < 400))
        return makeError(ErrorKind::Refused,
            "it sends to another place, which is not followed; region or endpoint of the URL are wrong"
                + (answer.location.empty() ? std::string() : " (to " + answer.location + ")"));
    return makeError(ErrorKind::Refused, "it refuses");
}

}  // namespace

std::string elementOf(std::string_view body, std::string_view name)
{
    return resolved(rawElement(body, name));
}

std::string codeOf(const Answer& answer)
{
    std::string code = elementOf(answer.body, "Code");
    if (!code.empty() || answer.status != 404)
        return code;
    return "NotFound";
}

bool isPassing(const Answer& answer)
{
    return answer.status == 429 || answer.status == 500 || answer.status == 502 || answer.status == 503
        || answer.status == 504
        || isOneOf(codeOf(answer), {"SlowDown", "RequestTimeout", "ServiceUnavailable", "InternalError"});
}

bool isAboutCredentials(const Answer& answer)
{
    return isOneOf(codeOf(answer),
        {"ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "InvalidClientTokenId",
            "SignatureDoesNotMatch"});
}

Error errorOf(
    const Answer& answer, const Place& place, const std::string& what, const std::string& from, TimeMs now)
{
    const std::string code = codeOf(answer);
    const std::string message = elementOf(answer.body, "Message");
    Error error = isPassing(answer) ? makeError(ErrorKind::Disconnected, "it is not able to answer now")
                                    : sorted(answer, code, from, now);
    error.native = static_cast<int>(answer.status);
    std::string said = "HTTP " + std::to_string(answer.status);
    if (!code.empty())
        said += " " + code;
    if (!message.empty())
        said += ": " + message;
    error.text = what + ": " + error.text + " [" + place.host + " says "
        + visibleLine(clipped(said, kShownMessage)) + "]";
    return error;
}

Result<std::vector<ObjectStore::Listed>> listOf(const Answer& answer, const Place& place)
{
    if (answer.body.find("<ListBucketResult") == std::string::npos)
        return makeError(ErrorKind::Refused,
            place.host + " does not answer as a server of objects does when it is asked for a list");
    std::vector<ObjectStore::Listed> found;
    const std::string skipped = place.prefix.empty() ? "" : place.prefix + "/";
    std::string_view rest = answer.body;
    for (;;) {
        const auto begin = rest.find("<Contents>");
        const auto end = rest.find("</Contents>", begin);
        if (begin == std::string_view::npos || end == std::string_view::npos)
            return found;
        const std::string_view item = rest.substr(begin, end - begin);
        rest.remove_prefix(end + 1);
        ObjectStore::Listed listed;
        listed.name = elementOf(item, "Key");
        if (listed.name.compare(0, skipped.size(), skipped) != 0)
            return makeError(ErrorKind::Refused, place.host + " lists what it was not asked for");
        listed.name.erase(0, skipped.size());
        const std::string size = elementOf(item, "Size");
        std::from_chars(size.data(), size.data() + size.size(), listed.size);
        CAIRN_TRY_ASSIGN(listed.storedAt, parseInstant(elementOf(item, "LastModified")));
        found.push_back(std::move(listed));
    }
}

std::string encoded(std::string_view text)
{
    static constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
            || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' || byte == '~';
        if (plain)
            out += c;
        else
            (out += '%').append({kDigits[byte >> 4U], kDigits[byte & 15U]});
    }
    return out;
}

}  // namespace cairn::s3
