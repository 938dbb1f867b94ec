#include "core/engine/http_executor.h"

#include "core/base/failpoint.h"
#include "core/base/text.h"
#include "core/engine/call_settings.h"
#include "core/engine/exec_helper.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <curl/curl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/socket.h>
#include <unordered_map>

namespace cairn {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

struct EasyDeleter {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct MultiDeleter {
    void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
struct ListDeleter {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One request under way.
struct Request {
    StartOrder order;
    std::string secret;
    std::string url;
    std::string method;
    std::unique_ptr<curl_slist, ListDeleter> headers;
    std::unique_ptr<CURL, EasyDeleter> easy;
    HttpAnswer answer;
    std::optional<Error> bodyProblem;
    int noSocket = 0;        // errno, where the system had none to give
    bool headEnded = false;  // libcurl takes an answer that breaks off within its headers for a whole one
    char why[CURL_ERROR_SIZE] = {};
};

// A socket of libcurl, watched by asio but closed by libcurl.
struct Watch {
    Watch(asio::io_context& io, curl_socket_t fd)
        : stream(io, fd)
    {
    }
    asio::posix::stream_descriptor stream;
    int wants = CURL_POLL_NONE;
    bool reading = false;
    bool writing = false;
    bool gone = false;
};

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::size_t takeHeader(char* bytes, std::size_t, std::size_t size, void* user)
{
    auto& request = *static_cast<Request*>(user);
    auto& answer = request.answer;
    const std::string_view line(bytes, size);
    if (trimmed(line).empty())
        request.headEnded = true;
    if (line.substr(0, 5) == "HTTP/") {  // an interim response came before
        request.headEnded = false;
        answer.retryAfter.clear();
        answer.date.clear();
        answer.contentType.clear();
        return size;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return size;
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (name == "retry-after")
        answer.retryAfter = value;
    else if (name == "date")
        answer.date = value;
    else if (name == "content-type")
        answer.contentType = mediaType(value);
    return size;
}

std::size_t takeBody(char* bytes, std::size_t, std::size_t size, void* user)
{
    auto& request = *static_cast<Request*>(user);
    if (auto kept = request.answer.body->append({bytes, size}); !kept) {
        request.bodyProblem = kept.error();
        return 0;  // ends the transfer
    }
    return size;
}

// As libcurl does it by itself, which does not say why there is none.
curl_socket_t openSocket(void* user, curlsocktype, curl_sockaddr* address)
{
    const int fd = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    static_cast<Request*>(user)->noSocket = fd < 0 ? errno : 0;
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

std::string noProxy()
{
    const char* given = std::getenv("no_proxy");
    return (given && *given ? std::string(given) + "," : std::string()) + "localhost,127.0.0.1,::1";
}

bool isHeaderText(std::string_view text)
{
    return std::all_of(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 32 || c == '\t'; });
}

Status addHeaders(Request& request, const CallSettings& settings)
{
    curl_slist* list = nullptr;
    bool hasType = false;
    const auto add = [&](const std::string& name, const std::string& value) {
        hasType = hasType || lower(name) == "content-type";
        list = curl_slist_append(list, (name + ": " + value).c_str());
    };
    CAIRN_TRY_ASSIGN(const auto given, settings.pairs("headers"));
    CAIRN_TRY_ASSIGN(const std::string keyHeader, settings.text("key_header", "Idempotency-Key"));
    for (const auto& [name, value] : given) {
        if (name.empty() || !isHeaderText(name) || !isHeaderText(value)) {
            curl_slist_free_all(list);
            return makeError(
                ErrorKind::InvalidInput, "the value of header \"" + name + "\" holds control characters");
        }
        add(name, value);
    }
    if (!request.order.effectKey.empty() && request.order.purpose != Purpose::LookUp)
        add(keyHeader, request.order.effectKey);
    if (!hasType && (request.method == "POST" || request.method == "PUT" || request.method == "PATCH"))
        add("Content-Type", "application/json");
    list = curl_slist_append(list, "Expect:");  // a server that does not answer 100 would cost a second
    request.headers.reset(list);
    return {};
}

void setUp(Request& request, const HttpConfig& config)
{
    CURL* easy = request.easy.get();
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(easy, option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "HEAD")
        set(CURLOPT_NOBODY, 1L);
    if (request.method == "POST" || request.method == "PUT" || request.method == "PATCH") {
        set(CURLOPT_POSTFIELDS, request.order.input.data());
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.order.input.size()));
    }
    set(CURLOPT_HTTPHEADER, request.headers.get());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    // A request that is given up does not wait for a name server that does not answer: libcurl's thread that
    // asks it is left to itself.
    set(CURLOPT_QUICK_EXIT, 1L);
    set(CURLOPT_NOPROXY, noProxy().c_str());
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(config.connectTimeout));
    // The engine ends the attempt at its time-out; this is for the case that it cannot.
    if (request.order.timeout > 0)
        set(CURLOPT_TIMEOUT_MS,
            static_cast<long>(std::min<SpanMs>(request.order.timeout + 2'000, 86'400'000)));
    set(CURLOPT_ERRORBUFFER, request.why);
    set(CURLOPT_HEADERFUNCTION, &takeHeader);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&request));
    set(CURLOPT_WRITEFUNCTION, &takeBody);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&request));
    set(CURLOPT_PRIVATE, static_cast<void*>(&request));
    set(CURLOPT_OPENSOCKETFUNCTION, &openSocket);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&request));
    if (writes(request.order.safety) && request.order.purpose != Purpose::LookUp) {
        set(CURLOPT_FRESH_CONNECT, 1L);
        set(CURLOPT_FORBID_REUSE, 1L);
    }
}

// The transfer itself failed.
AttemptResult brokenResult(const Request& request, CURLcode code)
{
    const StartOrder& order = request.order;
    long sent = 0;
    curl_easy_getinfo(request.easy.get(), CURLINFO_REQUEST_SIZE, &sent);
    const std::string text = code == CURLE_OK ? "the answer broke off within its headers"
        : request.why[0]                      ? request.why
                                              : curl_easy_strerror(code);
    if (request.bodyProblem) {
        const bool large = request.bodyProblem->kind == ErrorKind::Refused;
        return failedResult(order, large ? FailureClass::TooLarge : FailureClass::Retryable,
            knowledgeWhenBroken(order), request.bodyProblem->text);
    }
    // Also what is no HTTP comes as an unsupported protocol; then the request was sent.
    const bool usage = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
    if (usage && sent == 0)
        return failedResult(order, FailureClass::Permanent, knowledgeWhenNotDone(order), text);
    if (sent == 0 && (isOwnLack(request.noSocket) || code == CURLE_OUT_OF_MEMORY))
        return failedResult(order, FailureClass::NotBegun, knowledgeWhenNotDone(order),
            "no connection can be made from here now: "
                + std::string(request.noSocket != 0 ? std::strerror(request.noSocket) : text.c_str()));
    AttemptResult result = failedResult(order, FailureClass::Retryable,
        sent == 0 ? knowledgeWhenNotDone(order) : knowledgeWhenBroken(order),
        withoutSecret(text, request.secret));
    result.timedOut = code == CURLE_OPERATION_TIMEDOUT && sent != 0;
    return result;
}

}  // namespace

struct HttpExecutor::Impl {
    Impl(asio::io_context& context, const Clock& c, HttpConfig k)
        : io(context)
        , clock(c)
        , config(k)
        , timer(context)
    {
        curl_global_init(CURL_GLOBAL_DEFAULT);
        multi.reset(curl_multi_init());
        const auto set = [&](CURLMoption option, auto value) {
            curl_multi_setopt(multi.get(), option, value);
        };
        set(CURLMOPT_SOCKETFUNCTION, &Impl::onSocket);
        set(CURLMOPT_SOCKETDATA, static_cast<void*>(this));
        set(CURLMOPT_TIMERFUNCTION, &Impl::onTimer);
        set(CURLMOPT_TIMERDATA, static_cast<void*>(this));
    }
    ~Impl()
    {
        for (auto& [attempt, request] : requests)
            curl_multi_remove_handle(multi.get(), request->easy.get());
        requests.clear();
        multi.reset();  // takes its idle sockets out of `watches`
        for (auto& [fd, watch] : watches)
            watch->stream.release();
    }

    static int onSocket(CURL*, curl_socket_t fd, int what, void* user, void*)
    {
        static_cast<Impl*>(user)->watch(fd, what);
        return 0;
    }
    static int onTimer(CURLM*, long ms, void* user)
    {
        Impl& self = *static_cast<Impl*>(user);
        if (ms < 0) {
            self.timer.cancel();
            return 0;
        }
        self.timer.expires_after(std::chrono::milliseconds(ms));
        self.timer.async_wait([&self](error_code problem) {
            if (!problem && self.mayGoOn())
                self.act(CURL_SOCKET_TIMEOUT, 0);
        });
        return 0;
    }
    void watch(curl_socket_t fd, int what)
    {
        const auto found = watches.find(fd);
        if (what == CURL_POLL_REMOVE) {
            if (found == watches.end())
                return;
            found->second->gone = true;
            found->second->stream.release();
            watches.erase(found);
            return;
        }
        auto& watch = found != watches.end() ? found->second : watches[fd] = std::make_shared<Watch>(io, fd);
        watch->wants = what;
        arm(watch);
    }
    void arm(const std::shared_ptr<Watch>& watch)
    {
        const auto wait = [&](asio::posix::stream_descriptor::wait_type type, int bit, int event,
                              bool Watch::*flag) {
            if ((watch->wants & bit) == 0 || (*watch).*flag)
                return;
            (*watch).*flag = true;
            watch->stream.async_wait(type, [this, watch, bit, event, flag](error_code problem) {
                (*watch).*flag = false;
                if (watch->gone || problem == asio::error::operation_aborted || !mayGoOn())
                    return;
                if ((watch->wants & bit) != 0)
                    act(watch->stream.native_handle(), problem ? CURL_CSELECT_ERR : event);
                if (!watch->gone)
                    arm(watch);
            });
        };
        wait(asio::posix::stream_descriptor::wait_read, CURL_POLL_IN, CURL_CSELECT_IN, &Watch::reading);
        wait(asio::posix::stream_descriptor::wait_write, CURL_POLL_OUT, CURL_CSELECT_OUT, &Watch::writing);
    }
    // Connecting and sending take their time after start(), and the process may have been stopped in between:
    // a request that would leave after the lease stays here, until the engine gives it up.
    [[nodiscard]] bool mayGoOn() const { return clock.monotonicMs() < leaseEnds; }
    void act(curl_socket_t fd, int events)
    {
        int running = 0;
        curl_multi_socket_action(multi.get(), fd, events, &running);
        collect();
    }
    void collect()
    {
        int left = 0;
        std::vector<std::pair<AttemptId, CURLcode>> ended;
        while (CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
            if (message->msg != CURLMSG_DONE)
                continue;
            Request* request = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
            ended.emplace_back(request->order.attempt, message->data.result);
        }
        for (const auto& [attempt, code] : ended) {
            const auto request = take(attempt);
            if (!request)
                continue;
            static_cast<void>(failpoint::hit("http.before-answer"));
            AttemptResult result;
            if (auto rest = request->answer.body->finish(); !rest && !request->bodyProblem)
                request->bodyProblem = rest.error();
            curl_easy_getinfo(request->easy.get(), CURLINFO_RESPONSE_CODE, &request->answer.status);
            const bool whole = request->headEnded && request->answer.status >= 200;
            if (code == CURLE_OK && !request->bodyProblem && whole) {
                result = resultOfAnswer(request->order, request->answer, clock.wallMs());
            } else {
                result = brokenResult(*request, code);
            }
            finished(std::move(result));
        }
    }
    std::shared_ptr<Request> take(const AttemptId& attempt)
    {
        const auto found = requests.find(attempt);
        if (found == requests.end())
            return nullptr;
        auto request = std::move(found->second);
        requests.erase(found);
        curl_multi_remove_handle(multi.get(), request->easy.get());
        return request;
    }

    asio::io_context& io;
    const Clock& clock;
    HttpConfig config;
    SpanMs leaseEnds = std::numeric_limits<SpanMs>::max();
    asio::steady_timer timer;
    std::unique_ptr<CURLM, MultiDeleter> multi;
    std::unordered_map<curl_socket_t, std::shared_ptr<Watch>> watches;
    std::unordered_map<AttemptId, std::shared_ptr<Request>> requests;
    Finished finished;
};

HttpExecutor::HttpExecutor(asio::io_context& io, const Clock& clock, HttpConfig config)
    : m_impl(std::make_unique<Impl>(io, clock, config))
{
}

HttpExecutor::~HttpExecutor() = default;

void HttpExecutor::onFinished(Finished finished) { m_impl->finished = std::move(finished); }

void HttpExecutor::start(StartOrder order)
{
    Impl& impl = *m_impl;
    auto request = std::make_shared<Request>();
    request->order = std::move(order);
    const auto fail = [&](FailureClass failure, const std::string& why) {
        impl.finished(failedResult(request->order, failure, knowledgeWhenNotDone(request->order), why));
    };
    const auto secret = readSecret(request->order.secret);
    if (!secret)
        return fail(isOwnLack(secret.error().native) ? FailureClass::NotBegun : FailureClass::Credential,
            secret.error().text);
    request->secret = secret->value_or("");
    const auto settings = CallSettings::open(request->order, *secret);
    if (!settings)
        return fail(FailureClass::Permanent, settings.error().text);
    auto url = settings->text("url", "", true);
    auto method = settings->text("method", request->order.purpose == Purpose::LookUp ? "GET" : "POST");
    if (!url || !method)
        return fail(FailureClass::Permanent, url ? method.error().text : url.error().text);
    request->url = *std::move(url);
    request->method = *std::move(method);
    if (auto added = addHeaders(*request, *settings); !added)
        return fail(FailureClass::Permanent, added.error().text);
    const auto most = static_cast<std::int64_t>(impl.config.output);
    request->answer.body = std::make_shared<Spool>(
        static_cast<std::uint64_t>(std::clamp<std::int64_t>(settings->number("max_output", most), 1, most)),
        request->secret);
    request->easy.reset(curl_easy_init());
    if (!request->easy)
        return fail(FailureClass::NotBegun, "libcurl has no room for another request");
    setUp(*request, impl.config);
    const AttemptId attempt = request->order.attempt;
    impl.requests[attempt] = request;
    curl_multi_add_handle(impl.multi.get(), request->easy.get());
}

void HttpExecutor::cancel(const AttemptId& attempt)
{
    const auto request = m_impl->take(attempt);
    if (!request)
        return;
    long sent = 0;
    curl_easy_getinfo(request->easy.get(), CURLINFO_REQUEST_SIZE, &sent);
    AttemptResult result = failedResult(request->order, FailureClass::Retryable,
        sent == 0 ? knowledgeWhenNotDone(request->order) : knowledgeWhenBroken(request->order), "stopped");
    result.cancelled = true;
    m_impl->finished(std::move(result));
}

void HttpExecutor::abandon(const AttemptId& attempt) { m_impl->take(attempt); }

void HttpExecutor::leaseEnds(SpanMs at) { m_impl->leaseEnds = at; }

}  // namespace cairn
