#pragma once
// Signature Version 4 as Amazon's documents describe it, written apart from libcurl: what a request's
// signature has to be.

#include "core/base/digest.h"

#include <sodium.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::testing {

struct WireRequest {
    std::string method;
    std::string path;                            // as sent, encoded
    std::string query;                           // without the question mark, as sent
    std::map<std::string, std::string> headers;  // names in small letters, values trimmed
    std::string body;
};

struct Authorization {
    std::string key, date, region, service;
    std::vector<std::string> signedHeaders;
    std::string signature;
};

inline std::string hmac(const std::string& key, const std::string& text)
{
    crypto_auth_hmacsha256_state state;
    unsigned char out[crypto_auth_hmacsha256_BYTES];
    crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size());
    crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    crypto_auth_hmacsha256_final(&state, out);
    return {reinterpret_cast<const char*>(out), sizeof out};
}

inline std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);)
        parts.push_back(part);
    return parts;
}

// The query's parameters in the order of their names, each with "=".
inline std::string canonicalQuery(const std::string& query)
{
    std::vector<std::string> parts = split(query, '&');
    for (std::string& part : parts)
        if (part.find('=') == std::string::npos)
            part += '=';
    std::sort(parts.begin(), parts.end());
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : "&") + part;
    return out;
}

inline std::string signatureOf(const WireRequest& request, const Authorization& by, const std::string& secret)
{
    const auto header = [&](const std::string& name) {
        const auto found = request.headers.find(name);
        return found == request.headers.end() ? std::string() : found->second;
    };
    std::string canonical =
        request.method + "\n" + request.path + "\n" + canonicalQuery(request.query) + "\n";
    std::string names;
    for (const std::string& name : by.signedHeaders) {
        canonical += name + ":" + header(name) + "\n";
        names += (names.empty() ? "" : ";") + name;
    }
    canonical += "\n" + names + "\n" + header("x-amz-content-sha256");
    const std::string scope = by.date + "/" + by.region + "/" + by.service + "/aws4_request";
    const std::string text =
        "AWS4-HMAC-SHA256\n" + header("x-amz-date") + "\n" + scope + "\n" + hex(sha256(canonical));
    const std::string key =
        hmac(hmac(hmac(hmac("AWS4" + secret, by.date), by.region), by.service), "aws4_request");
    return hex(hmac(key, text));
}

// AWS4-HMAC-SHA256 Credential=KEY/DATE/REGION/SERVICE/aws4_request, SignedHeaders=a;b, Signature=HEX
inline Authorization authorizationOf(const std::string& header)
{
    const auto after = [&](const std::string& what) {
        const auto at = header.find(what);
        if (at == std::string::npos)
            return std::string();
        const auto begin = at + what.size();
        return header.substr(begin, header.find_first_of(", ", begin) - begin);
    };
    Authorization found;
    const auto scope = split(after("Credential="), '/');
    if (scope.size() == 5) {
        found.key = scope[0];
        found.date = scope[1];
        found.region = scope[2];
        found.service = scope[3];
    }
    found.signedHeaders = split(after("SignedHeaders="), ';');
    found.signature = after("Signature=");
    return found;
}

// What is wrong with a request to a server that knows this key; empty: nothing.
inline std::string problemOf(
    const WireRequest& request, const std::string& key, const std::string& secret, const std::string& region)
{
    const auto header = request.headers.find("authorization");
    if (header == request.headers.end())
        return "AccessDenied";
    const Authorization by = authorizationOf(header->second);
    if (by.key != key)
        return "InvalidAccessKeyId";
    if (by.region != region || by.service != "s3")
        return "AuthorizationHeaderMalformed";
    const auto isSigned = [&](const std::string& name) {
        return std::find(by.signedHeaders.begin(), by.signedHeaders.end(), name) != by.signedHeaders.end();
    };
    for (const auto& [name, value] : request.headers)
        if ((name == "host" || name.substr(0, 6) == "x-amz-") && !isSigned(name))
            return "AccessDenied";  // "There were headers present in the request which were not signed"
    for (const std::string& name : by.signedHeaders)
        if (!request.headers.contains(name))
            return "SignatureDoesNotMatch";
    const auto digest = request.headers.find("x-amz-content-sha256");
    if (digest == request.headers.end())
        return "MissingSecurityHeader";
    if (signatureOf(request, by, secret) != by.signature)
        return "SignatureDoesNotMatch";
    if (digest->second != hex(sha256(request.body)))
        return "XAmzContentSHA256Mismatch";
    return {};
}

}  // namespace cairn::testing
