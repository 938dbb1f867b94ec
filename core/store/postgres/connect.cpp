#include "core/store/postgres/connect.h"

#include "core/base/clock.h"
#include "core/store/postgres/errors.h"
#include "core/store/postgres/handshake.h"
#include "core/store/postgres/keychain.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace cairn::postgres {

namespace {

using Options = std::vector<Target::Option>;

struct Words {
    explicit Words(const Options& options)
    {
        for (const Target::Option& option : options) {
            keys.push_back(option.key.c_str());
            values.push_back(option.value.c_str());
        }
        keys.push_back(nullptr);
        values.push_back(nullptr);
    }
    std::vector<const char*> keys, values;
};

std::string valueOf(const Options& options, std::string_view key)
{
    for (const Target::Option& option : options)
        if (option.key == key)
            return option.value;
    return {};
}

void set(Options& options, const char* key, const std::string& value)
{
    std::erase_if(options, [&](const Target::Option& option) { return option.key == key; });
    if (!value.empty())
        options.push_back({key, value});
}

bool isLoopback(int socket)
{
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0)
        return false;
    if (peer.ss_family == AF_INET)
        return (ntohl(reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr) >> 24) == 127;
    return peer.ss_family == AF_INET6
        && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr) != 0;
}

// Readable, or writable, before the time is up.
bool waitFor(int socket, short events, SpanMs deadline)
{
    for (;;) {
        const SpanMs left = deadline - SystemClock{}.monotonicMs();
        pollfd fd{socket, events, 0};
        const int ready = left <= 0 ? 0 : ::poll(&fd, 1, static_cast<int>(left));
        if (ready >= 0 || errno != EINTR)
            return ready > 0;
    }
}

// What came is looked at without taking it away, and libpq gets whole messages only.
Asked lookAt(int socket, SpanMs deadline)
{
    std::array<char, 16'384> bytes{};
    for (;;) {
        const ssize_t size = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR) && waitFor(socket, POLLIN, deadline))
            continue;
        if (size <= 0)  // the end, or an error: libpq will say it
            return {Asked::Kind::Fine, 0, {}};
        Asked asked = whatIsAsked({bytes.data(), static_cast<std::size_t>(size)});
        if (asked.kind != Asked::Kind::More)
            return asked;
        int enough = static_cast<int>(asked.wanted);
        ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough);
        const bool came = waitFor(socket, POLLIN, deadline);
        enough = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough);
        const ssize_t now = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
        if (!came || now <= size)
            return {Asked::Kind::Refused, 0, "half a message"};
    }
}

// Empty: libpq may go on. Else why not.
std::string refusal(PGconn* conn, bool& through, SpanMs deadline)
{
    const int socket = PQsocket(conn);
    if (!isLoopback(socket) && *PQpass(conn) != '\0')
        return "there is no TLS, and the password for it would cross a network; without TLS passwords are "
               "used on loopback addresses only: say sslmode=verify-full, or take the password out of "
               "~/.pgpass where the server wants none";
    Asked asked = lookAt(socket, deadline);
    through = asked.kind == Asked::Kind::Through;
    if (asked.kind != Asked::Kind::Refused)
        return {};
    return "the server asks for " + asked.what
        + ", and nothing but SCRAM is answered over TCP: set the method scram-sha-256 in its pg_hba.conf, "
          "and the login's password anew";
}

struct Attempt {
    ConnHandle conn;
    std::string problem;  // empty: libpq knows
};

// Without TLS nobody has shown who he is, and libpq 15 would answer whatever is asked for.
Attempt connectPlain(const Options& options)
{
    const Words words(options);
    Attempt attempt{ConnHandle(PQconnectStartParams(words.keys.data(), words.values.data(), 0)), {}};
    PGconn* const conn = attempt.conn.get();
    constexpr int kNoLimit = 24 * 3'600;
    const int asked = std::atoi(valueOf(options, "connect_timeout").c_str());
    const int seconds = asked <= 0 ? kNoLimit : std::max(2, asked);  // as libpq reads it
    const SpanMs deadline = SystemClock{}.monotonicMs() + seconds * 1000LL;
    bool through = false;
    auto next =
        conn != nullptr && PQstatus(conn) != CONNECTION_BAD ? PGRES_POLLING_WRITING : PGRES_POLLING_FAILED;
    while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
        if (PQstatus(conn) == CONNECTION_STARTED)
            through = false;  // libpq goes on to another address
        const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!waitFor(PQsocket(conn), events, deadline))
            attempt.problem = "no answer within " + std::to_string(seconds) + " s";
        else if (!through && PQstatus(conn) == CONNECTION_AWAITING_RESPONSE)
            attempt.problem = refusal(conn, through, deadline);
        if (!attempt.problem.empty())
            break;
        next = PQconnectPoll(conn);
    }
    return attempt;
}

Attempt connectOne(const Options& options, bool plain)
{
    if (plain)
        return connectPlain(options);
    const Words words(options);
    return {ConnHandle(PQconnectdbParams(words.keys.data(), words.values.data(), 0)), {}};
}

bool isConnected(const Attempt& attempt)
{
    return attempt.problem.empty() && PQstatus(attempt.conn.get()) == CONNECTION_OK;
}

Attempt connectWith(const Options& options, bool plain, const std::string& password, const char* source)
{
    Options with = options;
    set(with, "password", password);
    Attempt attempt = connectOne(with, plain);
    if (attempt.conn && !isConnected(attempt))
        attempt.problem =
            (attempt.problem.empty() ? tidy(PQerrorMessage(attempt.conn.get())) : attempt.problem) + source;
    return attempt;
}

// The server wants a password, and neither ~/.pgpass nor a service file has one: whoever opens the store is
// asked first, then the keychain, for just this login there.
PasswordAnswer askFor(const Target& target, const KeychainItem& item)
{
    PasswordAnswer answer;
    if (target.passwords)
        answer = target.passwords->kept(target.login);
    if (answer.kind != PasswordAnswer::Kind::Nothing)
        return answer;
    KeychainAnswer found = askKeychain(item);
    if (found.kind == KeychainAnswer::Kind::Found)
        return {PasswordAnswer::Kind::Found, std::move(found.password), {}};
    if (found.kind == KeychainAnswer::Kind::Refused)
        return {PasswordAnswer::Kind::Refused, {}, std::move(found.text)};
    return answer;  // its text says why there is none, where somebody knows
}

// What is typed, or comes from a keychain, goes the same way as any password, under the same rules.
Attempt connectAsked(const Target& target, const Options& options, bool plain)
{
    if (const std::string given = target.passwords ? target.passwords->given() : std::string();
        !given.empty())
        return connectWith(options, plain, given, " (with the password that was typed)");
    Attempt attempt = connectOne(options, plain);
    PGconn* const conn = attempt.conn.get();
    if (conn == nullptr || isConnected(attempt) || PQconnectionNeedsPassword(conn) == 0)
        return attempt;
    const KeychainItem item{PQhost(conn), PQport(conn), PQdb(conn), PQuser(conn)};
    const PasswordAnswer answer = askFor(target, item);
    if (answer.kind == PasswordAnswer::Kind::Found)
        return connectWith(options, plain, answer.password, " (with the password that the keychain gave)");
    attempt.problem = tidy(PQerrorMessage(conn));
    if (!answer.text.empty())
        attempt.problem += "; " + answer.text;
    attempt.problem += "; to put it into the keychain: " + keychainCommand(item);
    return attempt;
}

struct Advice {
    std::string_view said;  // by libpq; where it was translated, the general advice is given
    std::string_view todo;
};
constexpr std::array kAdvice = {
    Advice{"root certificate",
        "give sslrootcert=FILE with the authority that signed the server's certificate "
        "(sslrootcert=system: those of this machine)"},
    Advice{"certificate verify failed",
        "the authority in sslrootcert did not sign it: get the right one from "
        "whoever runs the server, and connect to nothing before that"},
    Advice{"does not match host name",
        "use the name that the certificate was made for, or have one made with "
        "this name in it"},
    Advice{"does not support SSL", "switch TLS on there (ssl = on), or use its unix socket"},
    Advice{"channel binding",
        "set the method scram-sha-256 for this login in the server's pg_hba.conf, and its "
        "password anew; for a client certificate, or a pooler in between, say "
        "channel_binding=disable together with sslmode=verify-full"},
    Advice{"no password supplied",
        "put it into ~/.pgpass (host:port:database:user:password, chmod 600) or into "
        "a service file"},
    Advice{"password authentication failed",
        "compare the line in ~/.pgpass, or the service file, with the "
        "login's password"},
};

}  // namespace

std::string adviceOn(std::string_view text, const Target& target)
{
    std::string advice;
    for (const Advice& row : kAdvice)
        if (advice.empty() && text.find(row.said) != std::string_view::npos)
            advice = "; " + std::string(row.todo);
    if (target.verifyByDefault)
        advice += "; over TCP the server's certificate is checked (sslmode=verify-full) unless the URL says "
                  "otherwise: give sslrootcert=FILE, or, for a test on a loopback address, sslmode=disable";
    return advice;
}

namespace {

// Each host by itself; `attributes`: what it has to be, empty: as the URL says.
Result<ConnHandle> connectToAny(const Target& target, const char* attributes)
{
    std::string problems;
    for (const Target::Host& host : target.hosts) {
        Options options = target.options;
        if (*attributes != '\0')
            set(options, "target_session_attrs", attributes);
        if (host.alone) {
            set(options, "host", host.host);
            set(options, "hostaddr", host.address);
            set(options, "port", host.port);
        }
        if (host.alone && !host.tcp)
            set(options, "channel_binding", "prefer");
        Attempt attempt = connectAsked(target, options, host.tcp && target.plain);
        if (!attempt.conn)
            return makeError(ErrorKind::Internal, "no memory for a connection");
        if (isConnected(attempt))
            return std::move(attempt.conn);
        const std::string said =
            attempt.problem.empty() ? tidy(PQerrorMessage(attempt.conn.get())) : attempt.problem;
        problems +=
            (problems.empty() ? "" : "; ") + (host.alone ? host.shown() + ": " : std::string()) + said;
    }
    return makeError(ErrorKind::Disconnected,
        "cannot reach " + target.shown + ": " + problems + adviceOn(problems, target));
}

}  // namespace

// Where libpq does not see the hosts together, a wish for a standby is two rounds of them.
Result<ConnHandle> connectTo(const Target& target)
{
    const bool apart = target.hosts.size() > 1;
    if (!apart || valueOf(target.options, "target_session_attrs") != "prefer-standby")
        return connectToAny(target, "");
    auto standby = connectToAny(target, "standby");
    return standby ? std::move(standby) : connectToAny(target, "any");
}

}  // namespace cairn::postgres
