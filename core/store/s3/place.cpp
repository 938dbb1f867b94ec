#include "core/store/s3/place.h"

#include <algorithm>
#include <map>

namespace cairn::s3 {

namespace {

constexpr std::string_view kScheme = "s3://";

Error wrong(const std::string& what)
{
    return makeError(ErrorKind::InvalidInput,
        "the bucket's URL: " + what
            + "; it is s3://BUCKET[/PREFIX][?region=R&endpoint=URL&addressing=path|host&plain-http=yes]");
}

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool isSmall(char c) noexcept { return (c >= 'a' && c <= 'z') || isDigit(c); }
// Never encoded in a URL, so that what is signed and what is sent cannot differ.
bool isPlain(char c) noexcept
{
    return isSmall(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.' || c == '~';
}

bool isBucket(std::string_view name)
{
    return name.size() >= 3 && name.size() <= 63 && isSmall(name.front()) && isSmall(name.back())
        && name.find("..") == std::string_view::npos
        && std::all_of(name.begin(), name.end(), [](char c) { return isSmall(c) || c == '-' || c == '.'; });
}

bool isPrefix(std::string_view prefix)
{
    if (prefix.size() > 512)
        return false;
    while (!prefix.empty()) {
        const std::string_view part = prefix.substr(0, prefix.find('/'));
        if (part.empty() || part == "." || part == ".." || !std::all_of(part.begin(), part.end(), isPlain))
            return false;
        prefix.remove_prefix(std::min(prefix.size(), part.size() + 1));
    }
    return true;
}

bool isHost(std::string_view host)
{
    std::string_view name = host;
    std::string_view port;
    const auto colon = host.rfind(':');
    if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
        name = host.substr(0, colon);
        port = host.substr(colon + 1);
        if (port.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), isDigit))
            return false;
    }
    if (name.size() > 2 && name.front() == '[' && name.back() == ']')
        return std::all_of(name.begin() + 1, name.end() - 1,
            [](char c) { return c == ':' || c == '.' || isDigit(c) || (c >= 'a' && c <= 'f'); });
    return !name.empty() && name.size() <= 253
        && std::all_of(name.begin(), name.end(), [](char c) { return isSmall(c) || c == '-' || c == '.'; });
}

bool isLoopback(std::string_view host)
{
    const std::string_view name = host.substr(0, host.front() == '[' ? host.find(']') + 1 : host.find(':'));
    return name == "localhost" || name == "[::1]"
        || (name.substr(0, 4) == "127."
            && std::all_of(name.begin(), name.end(), [](char c) { return isDigit(c) || c == '.'; }));
}

using Options = std::map<std::string, std::string, std::less<>>;

Result<Options> optionsOf(std::string_view query)
{
    Options options;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
        const auto equals = pair.find('=');
        const std::string_view name = pair.substr(0, equals);
        if (name != "region" && name != "endpoint" && name != "addressing" && name != "plain-http")
            return wrong("it has an option that is not known");
        if (equals == std::string_view::npos || equals + 1 == pair.size())
            return wrong("the option " + std::string(name) + " has no value");
        if (!options.emplace(name, pair.substr(equals + 1)).second)
            return wrong("the option " + std::string(name) + " stands there twice");
    }
    return options;
}

std::string take(Options& options, std::string_view name, std::string otherwise)
{
    const auto found = options.find(name);
    return found == options.end() ? std::move(otherwise) : found->second;
}

Status takeEndpoint(Place& place, std::string_view endpoint, bool plain)
{
    const auto end = endpoint.find("://");
    place.scheme = std::string(endpoint.substr(0, end));
    if (end == std::string_view::npos || (place.scheme != "https" && place.scheme != "http"))
        return wrong("the endpoint begins with https:// (or http://)");
    endpoint.remove_prefix(end + 3);
    if (!endpoint.empty() && endpoint.back() == '/')
        endpoint.remove_suffix(1);
    if (endpoint.find('@') != std::string_view::npos)
        return wrong("the endpoint names no user and no password: they would be stored");
    if (!isHost(endpoint))
        return wrong("the endpoint is a host, in small letters, and perhaps a port");
    place.host = std::string(endpoint);
    place.loopback = isLoopback(endpoint);
    if (place.scheme == "http" && !place.loopback && !plain)
        return wrong("without TLS everybody on the way can read artifacts and change them; say "
                     "plain-http=yes where that is meant");
    return {};
}

}  // namespace

bool isS3Url(std::string_view url) noexcept { return url.substr(0, kScheme.size()) == kScheme; }

Result<Place> parsePlace(std::string_view url)
{
    if (!isS3Url(url))
        return wrong("it begins with s3://");
    url.remove_prefix(kScheme.size());
    const auto mark = url.find('?');
    std::string_view path = url.substr(0, mark);
    if (path.find('@') != std::string_view::npos)
        return wrong("it names no user and no password: they would be stored");
    CAIRN_TRY_ASSIGN(Options options,
        optionsOf(mark == std::string_view::npos ? std::string_view() : url.substr(mark + 1)));
    Place place;
    const auto slash = path.find('/');
    place.bucket = std::string(path.substr(0, slash));
    if (!isBucket(place.bucket))
        return wrong("a bucket's name is 3 to 63 small letters, digits, dots and hyphens");
    std::string_view prefix = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (!prefix.empty() && prefix.back() == '/')
        prefix.remove_suffix(1);
    if (!isPrefix(prefix))
        return wrong("the prefix is made of letters, digits and - _ . ~, in parts between slashes");
    place.prefix = std::string(prefix);
    place.region = take(options, "region", "us-east-1");
    if (place.region.size() > 64 || !std::all_of(place.region.begin(), place.region.end(), [](char c) {
            return isSmall(c) || c == '-';
        }))
        return wrong("the region is small letters, digits and hyphens, for example eu-central-1");
    const std::string plain = take(options, "plain-http", "no");
    if (plain != "yes" && plain != "no")
        return wrong("plain-http is yes or no");
    const bool amazon = !options.contains("endpoint");
    const std::string amazons = "https://s3." + place.region
        + (place.region.substr(0, 3) == "cn-" ? ".amazonaws.com.cn" : ".amazonaws.com");
    CAIRN_TRY(takeEndpoint(place, take(options, "endpoint", amazons), plain == "yes"));
    const std::string addressing = take(options, "addressing", amazon ? "host" : "path");
    if (addressing != "path" && addressing != "host")
        return wrong("addressing is path or host");
    place.pathStyle = addressing == "path";
    if (!place.pathStyle && place.scheme == "https" && place.bucket.find('.') != std::string::npos)
        return wrong("no certificate fits a bucket with a dot in its name as a host; say addressing=path");
    return place;
}

std::string Place::url() const
{
    return std::string(kScheme) + bucket + (prefix.empty() ? "" : "/" + prefix) + "?region=" + region
        + "&endpoint=" + scheme + "://" + host + "&addressing=" + (pathStyle ? "path" : "host")
        + (scheme == "http" && !loopback ? "&plain-http=yes" : "");
}

std::string Place::keyOf(std::string_view name) const
{
    return (prefix.empty() ? "" : prefix + "/") + std::string(name);
}

std::string Place::urlOf(std::string_view name) const
{
    const std::string path = name.empty() ? "" : keyOf(name);
    return pathStyle ? scheme + "://" + host + "/" + bucket + "/" + path
                     : scheme + "://" + bucket + "." + host + "/" + path;
}

}  // namespace cairn::s3
