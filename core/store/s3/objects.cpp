// What libcurl 7.88 signs wrongly is avoided: names and queries hold nothing that would have to be encoded in
// one way only, queries are given in the order of their names, each with a value; no header is taken away by
// an empty one ("Expect:"), because that would be signed and not sent; and the digest of the body is handed
// in, since some versions sign UNSIGNED-PAYLOAD for what is not sent as a form.

#include "core/store/s3/objects.h"

#include "core/base/http_date.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/store/s3/answer.h"
#include "core/store/s3/credentials.h"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

namespace cairn::s3 {

namespace {

constexpr std::size_t kMostOfError = 64 * 1024;
constexpr std::size_t kMostOfList = 4 * 1024 * 1024;
constexpr std::size_t kListed = 1000;

struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct HeaderDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Headers = std::unique_ptr<curl_slist, HeaderDeleter>;

struct Request {
    const char* method = "GET";
    std::string url;
    std::string what;  // for messages
    std::string_view body;
    bool sends = false;
    std::uint64_t most = kMostOfList;  // bytes of a good answer's body
};

bool isGood(long status) noexcept { return status >= 200 && status < 300; }

// What may be sent again after it broke off: all requests here do the same twice as once.
bool isPassing(CURLcode code) noexcept
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_UNSUPPORTED_PROTOCOL:  // what answers speaks no HTTP
    case CURLE_OK: return true;       // with headers that broke off
    default: return false;
    }
}

class Bucket final : public ObjectStore {
public:
    Bucket(Place place, Credentials credentials, const Timing& timing)
        : m_place(std::move(place))
        , m_credentials(std::move(credentials))
        , m_timing(timing)
        , m_sigv4("aws:amz:" + m_place.region + ":s3")
        , m_easy(curl_easy_init())
    {
    }

    Status put(const std::string& name, std::string_view bytes) override
    {
        Request request{"PUT", m_place.urlOf(name), shown(name), bytes, true, kMostOfError};
        if (const auto answer = call(request); !answer)
            return answer.error();
        return {};
    }
    Result<std::string> get(const std::string& name, std::uint64_t most) override
    {
        Request request{"GET", m_place.urlOf(name), shown(name), {}, false, most};
        CAIRN_TRY_ASSIGN(Answer answer, call(request));
        return std::move(answer.body);
    }
    Status remove(const std::string& name) override
    {
        Request request{"DELETE", m_place.urlOf(name), shown(name), {}, false, kMostOfError};
        const auto answer = call(request);
        if (!answer && answer.error().kind != ErrorKind::NotFound)
            return answer.error();
        return {};
    }
    Result<std::vector<Listed>> list(const std::string& prefix, const std::string& after) override
    {
        std::string query =
            "?list-type=2&max-keys=" + std::to_string(kListed) + "&prefix=" + encoded(m_place.keyOf(prefix));
        if (!after.empty())
            query += "&start-after=" + encoded(m_place.keyOf(after));
        Request request{"GET", m_place.urlOf("") + query, m_place.url(), {}, false, kMostOfList};
        CAIRN_TRY_ASSIGN(const Answer answer, call(request));
        return listOf(answer, m_place);
    }
    std::string shown(std::string_view name) const override
    {
        return "s3://" + m_place.bucket + "/" + m_place.keyOf(name);
    }
    void interrupt() noexcept override
    {
        {
            const std::scoped_lock lock(m_mutex);
            m_interrupted = true;
        }
        m_woken.notify_all();
    }

private:
    // One try's state, for libcurl's callbacks.
    struct Try {
        Bucket& bucket;
        const Request& request;
        Answer answer;
        bool headEnded = false;
        bool tooLarge = false;
        bool stalled = false;
        curl_off_t moved = -1;
        SpanMs movedAt = 0;
        char why[CURL_ERROR_SIZE] = {};
    };

    static std::size_t takeHeader(char* bytes, std::size_t, std::size_t size, void* user);
    static std::size_t takeBody(char* bytes, std::size_t, std::size_t size, void* user);
    static int watch(void* user, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up);

    [[nodiscard]] Headers headersOf(const Request& request) const;
    void setUp(Try& attempt, curl_slist* headers);
    [[nodiscard]] Result<Answer> call(const Request& request);
    // An error, and whether another try may help; or the answer, which may be an error's.
    struct Tried {
        std::optional<Answer> answer;
        Error error;
        bool again = false;
    };
    [[nodiscard]] Tried tryOnce(const Request& request);
    [[nodiscard]] bool renewCredentials(const Answer& answer);
    // False: interrupted.
    [[nodiscard]] bool pause(SpanMs span);
    [[nodiscard]] Error cancelled(const Request& request) const
    {
        return makeError(ErrorKind::Cancelled, request.what + ": given up");
    }

    Place m_place;
    Credentials m_credentials;
    Timing m_timing;
    std::string m_sigv4;
    std::unique_ptr<CURL, EasyDeleter> m_easy;  // keeps its connection
    SystemClock m_clock;
    SystemRng m_rng;
    std::mutex m_mutex;
    std::condition_variable m_woken;
    std::atomic<bool> m_interrupted = false;
};

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::size_t Bucket::takeHeader(char* bytes, std::size_t, std::size_t size, void* user)
{
    Try& attempt = *static_cast<Try*>(user);
    const std::string_view line(bytes, size);
    if (trimmed(line).empty())
        attempt.headEnded = true;
    if (line.substr(0, 5) == "HTTP/") {  // an interim response came before
        attempt.headEnded = false;
        attempt.answer = {};
        return size;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return size;
    const std::string name = lower(line.substr(0, colon));
    const std::string value(trimmed(line.substr(colon + 1)));
    if (name == "date")
        attempt.answer.date = value;
    else if (name == "retry-after")
        attempt.answer.retryAfter = value;
    else if (name == "location")
        attempt.answer.location = value;
    return size;
}

std::size_t Bucket::takeBody(char* bytes, std::size_t, std::size_t size, void* user)
{
    Try& attempt = *static_cast<Try*>(user);
    long status = 0;
    curl_easy_getinfo(attempt.bucket.m_easy.get(), CURLINFO_RESPONSE_CODE, &status);
    std::string& body = attempt.answer.body;
    if (!isGood(status)) {
        body.append(bytes, std::min(size, kMostOfError - std::min(kMostOfError, body.size())));
        return size;
    }
    if (body.size() + size > attempt.request.most) {
        attempt.tooLarge = true;
        return 0;
    }
    body.append(bytes, size);
    return size;
}

int Bucket::watch(void* user, curl_off_t, curl_off_t down, curl_off_t, curl_off_t up)
{
    Try& attempt = *static_cast<Try*>(user);
    Bucket& bucket = attempt.bucket;
    if (bucket.m_interrupted)
        return 1;
    const SpanMs now = bucket.m_clock.monotonicMs();
    if (down + up != attempt.moved) {
        attempt.moved = down + up;
        attempt.movedAt = now;
    }
    attempt.stalled = now - attempt.movedAt > bucket.m_timing.stall;
    return attempt.stalled ? 1 : 0;
}

Headers Bucket::headersOf(const Request& request) const
{
    curl_slist* list = nullptr;
    const auto add = [&](const std::string& line) { list = curl_slist_append(list, line.c_str()); };
    add("x-amz-content-sha256: " + hex(sha256(request.body)));
    if (!m_credentials.token.empty())
        add("x-amz-security-token: " + m_credentials.token);
    if (request.sends)
        add("Content-Type: application/octet-stream");
    return Headers(list);
}

void Bucket::setUp(Try& attempt, curl_slist* headers)
{
    CURL* easy = m_easy.get();
    curl_easy_reset(easy);  // all but its connections
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
    const Request& request = attempt.request;
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PATH_AS_IS, 1L);
    if (request.sends) {
        // As a form's body: it is sent from where it lies, and libcurl does not wait for a "100 Continue".
        set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    set(CURLOPT_CUSTOMREQUEST, request.method);
    set(CURLOPT_HTTPHEADER, headers);
    set(CURLOPT_AWS_SIGV4, m_sigv4.c_str());
    set(CURLOPT_USERNAME, m_credentials.id.c_str());
    set(CURLOPT_PASSWORD, m_credentials.secret.c_str());
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PROTOCOLS_STR, m_place.scheme.c_str());
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(CURLOPT_NOSIGNAL, 1L);
    if (m_place.loopback)
        set(CURLOPT_NOPROXY, "*");
    if (const char* bundle = std::getenv("AWS_CA_BUNDLE"); bundle != nullptr && *bundle != '\0')
        set(CURLOPT_CAINFO, bundle);
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(m_timing.connect));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(m_timing.oneTry));
    set(CURLOPT_ERRORBUFFER, attempt.why);
    set(CURLOPT_HEADERFUNCTION, &Bucket::takeHeader);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&attempt));
    set(CURLOPT_WRITEFUNCTION, &Bucket::takeBody);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&attempt));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Bucket::watch);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(&attempt));
}

Bucket::Tried Bucket::tryOnce(const Request& request)
{
    Try attempt{*this, request, {}, false, false, false, -1, m_clock.monotonicMs(), {}};
    const Headers headers = headersOf(request);
    setUp(attempt, headers.get());
    const CURLcode code = curl_easy_perform(m_easy.get());
    curl_easy_getinfo(m_easy.get(), CURLINFO_RESPONSE_CODE, &attempt.answer.status);
    curl_easy_setopt(m_easy.get(), CURLOPT_ERRORBUFFER, nullptr);
    Tried tried;
    // libcurl takes an answer that breaks off within its headers for a whole one.
    if (code == CURLE_OK && attempt.headEnded && attempt.answer.status >= 200) {
        tried.answer = std::move(attempt.answer);
        return tried;
    }
    if (attempt.tooLarge) {
        tried.error = makeError(ErrorKind::Corrupt,
            request.what + " is larger than the " + std::to_string(request.most) + " bytes that were stored");
        return tried;
    }
    if (m_interrupted) {
        tried.error = cancelled(request);
        return tried;
    }
    const std::string why = attempt.stalled ? "nothing was heard for " + formatSpan(m_timing.stall)
        : code == CURLE_OK                  ? "the answer broke off within its headers"
        : attempt.why[0] != '\0'            ? attempt.why
                                            : curl_easy_strerror(code);
    tried.again = attempt.stalled || isPassing(code);
    tried.error = makeError(tried.again ? ErrorKind::Disconnected : ErrorKind::Refused,
        request.what + ": " + m_place.host + " cannot be reached: " + visibleLine(why),
        static_cast<int>(code));
    return tried;
}

// They may have been replaced in their file, as those that last an hour only are.
bool Bucket::renewCredentials(const Answer& answer)
{
    if (!isAboutCredentials(answer))
        return false;
    auto found = findCredentials();
    if (!found || *found == m_credentials)
        return false;
    m_credentials = *std::move(found);
    return true;
}

bool Bucket::pause(SpanMs span)
{
    std::unique_lock lock(m_mutex);
    return !m_woken.wait_for(lock, std::chrono::milliseconds(span), [this] { return m_interrupted.load(); });
}

Result<Answer> Bucket::call(const Request& request)
{
    if (!m_easy)
        return makeError(ErrorKind::Io, "libcurl has no room for another request");
    m_interrupted = false;
    const SpanMs began = m_clock.monotonicMs();
    SpanMs longest = m_timing.firstPause;
    bool renewed = false;
    for (int tries = 1;; ++tries) {
        Tried tried = tryOnce(request);
        SpanMs asked = 0;
        if (tried.answer && isGood(tried.answer->status))
            return *std::move(tried.answer);
        if (tried.answer) {
            if (!renewed && renewCredentials(*tried.answer)) {
                renewed = true;
                continue;
            }
            const TimeMs now = m_clock.wallMs();
            tried.error = errorOf(*tried.answer, m_place, request.what, m_credentials.from, now);
            tried.again = isPassing(*tried.answer);
            if (const auto wait = parseRetryAfter(tried.answer->retryAfter, tried.answer->date, now))
                asked = *wait;
        }
        const SpanMs left = began + m_timing.inAll - m_clock.monotonicMs();
        const SpanMs wait = std::max<SpanMs>(
            asked, static_cast<SpanMs>(m_rng.below(static_cast<std::uint64_t>(longest) + 1)));
        if (!tried.again || wait >= left) {
            if (tries > 1)
                tried.error.text += " (" + std::to_string(tries) + " tries)";
            return std::move(tried.error);
        }
        if (!pause(wait))
            return cancelled(request);
        longest = std::min(longest * 2, m_timing.longestPause);
    }
}

void startCurl()
{
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    static_cast<void>(started);
}

}  // namespace

Timing timingOf(Patience patience) noexcept
{
    if (patience == Patience::Long)
        return {};
    return {4'000, 2'000, 3'000, 8'000, 100, 1'000};
}

Result<std::unique_ptr<ObjectStore>> openBucket(const std::string& url, const Timing& timing)
{
    startCurl();
    CAIRN_TRY_ASSIGN(Place place, parsePlace(url));
    CAIRN_TRY_ASSIGN(Credentials credentials, findCredentials());
    return std::unique_ptr<ObjectStore>(
        std::make_unique<Bucket>(std::move(place), std::move(credentials), timing));
}

Result<std::unique_ptr<ObjectStore>> openObjects(const std::string& url, Patience patience)
{
    return openBucket(url, timingOf(patience));
}

Result<std::string> canonicalUrl(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const Place place, parsePlace(url));
    return place.url();
}

Status tryOut(ObjectStore& objects, bool writing)
{
    CAIRN_TRY(objects.list("", ""));
    if (!writing)
        return {};
    SystemRng rng;
    const std::string name = "tried/" + newFolder(rng);
    const std::string bytes = "An object that tries a bucket out; it may be removed: " + name;
    CAIRN_TRY(objects.put(name, bytes));
    const auto read = objects.get(name, bytes.size());
    const Status removed = objects.remove(name);
    if (!read)
        return read.error();
    if (*read != bytes)
        return makeError(
            ErrorKind::Refused, objects.shown(name) + " was read with other bytes than were stored");
    return removed;
}

}  // namespace cairn::s3
