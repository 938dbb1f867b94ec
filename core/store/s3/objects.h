#pragma once
// Objects in a bucket of Amazon S3, or of any server that speaks the same protocol, by libcurl, which signs
// each request (Signature Version 4) with the digest of its body. https, unless the URL says otherwise
// (place.h). Redirects are not followed.

#include "core/base/clock.h"
#include "core/store/artifacts.h"

namespace cairn::s3 {

// How long one call goes on. A try that hears nothing for `stall` is given up; `inAll` is how long new tries
// are made; pauses between them grow, each of a random part.
struct Timing {
    SpanMs inAll = 20'000;
    SpanMs connect = 5'000;
    SpanMs stall = 10'000;
    SpanMs oneTry = 120'000;
    SpanMs firstPause = 100;
    SpanMs longestPause = 3'000;
};
[[nodiscard]] Timing timingOf(Patience patience) noexcept;

// Sends nothing yet. InvalidInput: the URL. NoRight: there are no credentials here.
[[nodiscard]] Result<std::unique_ptr<ObjectStore>> openBucket(const std::string& url, const Timing& timing);
// As StoreOptions::objects wants it.
[[nodiscard]] Result<std::unique_ptr<ObjectStore>> openObjects(const std::string& url, Patience patience);
// The same place in the words in which it is stored. InvalidInput.
[[nodiscard]] Result<std::string> canonicalUrl(const std::string& url);
// Whether the place can be used: looks at the bucket; with `writing` also stores an object, reads it, and
// removes it.
[[nodiscard]] Status tryOut(ObjectStore& objects, bool writing);

}  // namespace cairn::s3
