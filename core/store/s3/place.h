#pragma once
// The URL of a bucket:
//   s3://BUCKET[/PREFIX][?region=R&endpoint=URL&addressing=path|host&plain-http=yes]
// Without an endpoint it is Amazon's for the region. It holds no secret and is stored as it is; credentials
// come from where the program runs (credentials.h). Pure.

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace cairn::s3 {

struct Place {
    std::string bucket;
    std::string prefix;  // without slashes at its ends; may be empty
    std::string region;
    std::string scheme;      // https, or http: to a loopback address, or where the URL says plain-http=yes
    std::string host;        // with its port, where one is named
    bool pathStyle = false;  // host/bucket/object, else bucket.host/object
    bool loopback = false;

    // Always the same text for the same place, with everything that would be filled in.
    [[nodiscard]] std::string url() const;
    // Of an object, or of the bucket itself where `name` is empty.
    [[nodiscard]] std::string urlOf(std::string_view name) const;
    [[nodiscard]] std::string keyOf(std::string_view name) const;
};

[[nodiscard]] bool isS3Url(std::string_view url) noexcept;
// InvalidInput says which part is wrong. What may be a secret in it is not repeated.
[[nodiscard]] Result<Place> parsePlace(std::string_view url);

}  // namespace cairn::s3
