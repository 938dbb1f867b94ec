#include "core/engine/effectd.h"

#include "core/base/digest.h"
#include "core/base/json_scan.h"
#include "core/engine/effect_ledger.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cairn {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::uint64_t kBodyLimit = 1024 * 1024;
constexpr std::uint32_t kHeaderLimit = 8 * 1024;
constexpr auto kIdle = std::chrono::seconds(30);

using Answer = http::response<http::string_body>;

bool isName(std::string_view name)
{
    return !name.empty() && name.size() <= 100
        && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
        == std::string_view::npos;
}

std::string percentDecoded(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        int high = 0, low = 0;
        const auto digit = [](char c) {
            return c >= '0' && c <= '9' ? c - '0'
                : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                : c >= 'a' && c <= 'f'  ? c - 'a' + 10
                                        : -1;
        };
        if (text[i] == '%' && i + 2 < text.size() && (high = digit(text[i + 1])) >= 0
            && (low = digit(text[i + 2])) >= 0) {
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        } else {
            out.push_back(text[i]);
        }
    }
    return out;
}

}  // namespace

struct Effectd::Impl {
    Impl(EffectLedger l)
        : ledger(std::move(l))
        , acceptor(io)
    {
    }

    void accept();

    asio::io_context io{1};
    EffectLedger ledger;
    tcp::acceptor acceptor;
    std::map<std::string, EffectMode> modes;      // for good
    std::map<std::string, EffectMode> nextCalls;  // over it, for the calls that it counts down
    std::map<std::string, std::vector<std::function<void()>>> held;  // answers that wait for another mode
};

namespace {

// What to do with a call, found before anything is done.
struct Plan {
    Answer answer;
    std::int64_t waitMs = 0;
    std::string heldFor;  // the name whose mode lets it go; empty: not held
    bool drop = false;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Effectd::Impl& server, tcp::socket socket)
        : m_server(server)
        , m_stream(std::move(socket))
        , m_timer(server.io)
    {
    }
    void read()
    {
        m_parser.emplace();
        m_parser->body_limit(kBodyLimit);
        m_parser->header_limit(kHeaderLimit);
        m_stream.expires_after(kIdle);
        http::async_read(
            m_stream, m_buffer, *m_parser, [self = shared_from_this()](error_code problem, std::size_t) {
                if (problem)
                    return;
                try {
                    self->handle();
                } catch (const std::exception&) {
                    self->m_stream.close();  // never out of a handler
                }
            });
    }

private:
    using Request = http::request<http::string_body>;

    static Plan plain(unsigned status, std::string body)
    {
        Plan plan;
        plan.answer.result(status);
        plan.answer.body() = std::move(body);
        return plan;
    }
    static std::string receipt(const EffectLedger::Line& line)
    {
        return "{\"number\":" + std::to_string(line.number) + ",\"name\":" + jsonQuote(line.name)
            + (line.tokens > 0 ? ",\"usage\":{\"tokens\":" + std::to_string(line.tokens) + ",\"cost\":\""
                        + costOf(line.tokens) + "\"}"
                               : std::string())
            + "}";
    }
    EffectMode modeForGood(const std::string& name) const
    {
        const auto found = m_server.modes.find(name);
        return found == m_server.modes.end() ? EffectMode{} : found->second;
    }
    EffectMode takeMode(const std::string& name)
    {
        const auto next = m_server.nextCalls.find(name);
        if (next == m_server.nextCalls.end() || next->second.calls == 0)
            return modeForGood(name);
        --next->second.calls;
        return next->second;
    }
    Plan perform(const std::string& name, const std::string& key, const std::string& sha,
        std::uint32_t tokens, bool keyless)
    {
        if (key.find_first_of("\t\n") != std::string::npos)
            return plain(400, "a key holds no tab and no new line");
        if (const auto* known = keyless || key.empty() ? nullptr : m_server.ledger.find(name, key)) {
            if (known->bodySha != sha)
                return plain(422, "this key was used with another request");
            return plain(200, receipt(*known));
        }
        const auto line = m_server.ledger.append(name, key, sha, tokens);
        return line ? plain(200, receipt(*line)) : plain(500, line.error().text);
    }
    Plan call(const std::string& name, const Request& request)
    {
        const EffectMode mode = takeMode(name);
        const std::string key(request["Idempotency-Key"]);
        const std::string sha = hex(sha256(request.body()));
        switch (mode.kind) {
        case EffectMode::Kind::Refuse: {
            Plan plan = plain(static_cast<unsigned>(mode.status), "mode");
            if (!mode.retryAfter.empty())
                plan.answer.set(http::field::retry_after, mode.retryAfter);
            return plan;
        }
        case EffectMode::Kind::DropBefore: {
            Plan plan;
            plan.drop = true;
            return plan;
        }
        case EffectMode::Kind::Exit: ::kill(::getpid(), SIGKILL); break;
        default: break;
        }
        const bool keyless =
            mode.kind == EffectMode::Kind::Keyless || modeForGood(name).kind == EffectMode::Kind::Keyless;
        Plan plan = perform(name, key, sha, tokensOf(name, request.body().size()), keyless);
        plan.drop = mode.kind == EffectMode::Kind::DoThenDrop;
        plan.waitMs = mode.slowMs;
        if (mode.kind == EffectMode::Kind::Hold)
            plan.heldFor = name;
        return plan;
    }
    Plan setMode(const std::string& name, const std::string& text)
    {
        const auto mode = parseEffectMode(text);
        if (!mode)
            return plain(400, mode.error().text);
        if (mode->calls >= 0) {
            m_server.nextCalls[name] = *mode;
        } else {
            m_server.modes[name] = *mode;
            m_server.nextCalls.erase(name);
            for (const auto& answer : std::exchange(m_server.held[name], {}))
                answer();
        }
        return plain(200, "{}");
    }
    Plan seen(const std::string& name, const std::string& key)
    {
        if (!name.empty()) {
            const auto* line = m_server.ledger.find(name, key);
            return line ? plain(200, receipt(*line)) : plain(404, "{}");
        }
        for (const auto& [known, count] : m_server.ledger.counts())
            if (const auto* line = m_server.ledger.find(known, key))
                return plain(200, receipt(*line));
        return plain(404, "{}");
    }
    Plan count()
    {
        std::string body = "{";
        for (const auto& [name, count] : m_server.ledger.counts())
            body += (body.size() > 1 ? "," : "") + jsonQuote(name) + ":" + std::to_string(count);
        return plain(200, body + "}");
    }
    Plan route(const Request& request)
    {
        const std::string target(request.target());
        if (target.empty() || target[0] != '/')
            return plain(400, "bad target");
        const auto slash = target.find('/', 1);
        const std::string first = target.substr(1, slash == std::string::npos ? slash : slash - 1);
        const std::string rest = slash == std::string::npos ? "" : target.substr(slash + 1);
        const bool post = request.method() == http::verb::post;
        if (!post && request.method() != http::verb::get)
            return plain(405, "POST or GET");
        if (post && first == "do" && isName(rest))
            return call(rest, request);
        if (post && (first == "payments" || first == "refunds") && rest.empty())
            return call(first, request);
        if (post && first == "mode" && isName(rest))
            return setMode(rest, request.body());
        if (!post && first == "seen")
            return seen("", percentDecoded(rest));
        if (!post && (first == "payments" || first == "refunds"))
            return seen(first, percentDecoded(rest));
        if (!post && first == "count")
            return count();
        return plain(404, "no such place");
    }
    void handle()
    {
        const Request request = m_parser->release();
        m_keep = request.keep_alive();
        auto plan = std::make_shared<Plan>(route(request));
        plan->answer.version(request.version());
        if (plan->waitMs == 0 && plan->heldFor.empty())
            return send(*plan);
        m_stream.expires_never();
        if (!plan->heldFor.empty()) {
            m_server.held[plan->heldFor].emplace_back(
                [self = shared_from_this(), plan] { self->send(*plan); });
            return;
        }
        m_timer.expires_after(std::chrono::milliseconds(plan->waitMs));
        m_timer.async_wait([self = shared_from_this(), plan](error_code) { self->send(*plan); });
    }
    void send(Plan& plan)
    {
        if (plan.drop) {
            m_stream.close();
            return;
        }
        auto answer = std::make_shared<Answer>(std::move(plan.answer));
        answer->set(http::field::content_type, "application/json");
        answer->keep_alive(m_keep);
        answer->prepare_payload();
        m_stream.expires_after(kIdle);
        http::async_write(
            m_stream, *answer, [self = shared_from_this(), answer](error_code problem, std::size_t) {
                if (!problem && self->m_keep)
                    self->read();
                else
                    self->m_stream.close();
            });
    }

    Effectd::Impl& m_server;
    beast::tcp_stream m_stream;
    asio::steady_timer m_timer;
    beast::flat_buffer m_buffer;
    std::optional<http::request_parser<http::string_body>> m_parser;
    bool m_keep = true;
};

}  // namespace

void Effectd::Impl::accept()
{
    acceptor.async_accept([this](error_code problem, tcp::socket socket) {
        if (problem == asio::error::operation_aborted)
            return;
        if (!problem)
            std::make_shared<Connection>(*this, std::move(socket))->read();
        accept();
    });
}

Effectd::Effectd(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
Effectd::~Effectd() = default;

Result<std::unique_ptr<Effectd>> Effectd::open(const std::string& ledger, std::uint16_t port)
{
    CAIRN_TRY_ASSIGN(EffectLedger opened, EffectLedger::open(ledger));
    auto impl = std::make_unique<Impl>(std::move(opened));
    error_code problem;
    const tcp::endpoint place(asio::ip::address_v4::loopback(), port);
    impl->acceptor.open(place.protocol(), problem);
    if (!problem)
        impl->acceptor.set_option(tcp::acceptor::reuse_address(true), problem);
    if (!problem)
        impl->acceptor.bind(place, problem);
    if (!problem)
        impl->acceptor.listen(asio::socket_base::max_listen_connections, problem);
    if (problem)
        return makeError(ErrorKind::Io,
            "127.0.0.1:" + std::to_string(port) + " cannot be listened on: " + problem.message(),
            problem.value());
    impl->accept();
    return std::unique_ptr<Effectd>(new Effectd(std::move(impl)));
}

std::uint16_t Effectd::port() const
{
    error_code problem;
    return m_impl->acceptor.local_endpoint(problem).port();
}

void Effectd::run() { m_impl->io.run(); }
void Effectd::stop() { m_impl->io.stop(); }

}  // namespace cairn
