#include "core/store/postgres/conninfo.h"

#include "core/store/postgres/connect.h"
#include "core/store/postgres/passwords.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace cairn::postgres {

namespace {

struct OptionsFree {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

using Values = std::map<std::string, std::string>;

Values setOptions(const PQconninfoOption* option)
{
    Values values;
    for (; option != nullptr && option->keyword != nullptr; ++option)
        if (option->val != nullptr && *option->val != '\0')
            values[option->keyword] = option->val;
    return values;
}

std::string firstLine(std::string text)
{
    const auto end = text.find_last_not_of(" \r\n");
    text.resize(end == std::string::npos ? 0 : end + 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::vector<std::string> parts(const std::string& list)
{
    std::vector<std::string> out(1);
    for (const char c : list) {
        if (c == ',')
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

std::string textOf(const Values& values, const char* key)
{
    const auto at = values.find(key);
    return at == values.end() ? std::string() : at->second;
}

bool isSocket(const std::string& host) { return host.empty() || host.front() == '/' || host.front() == '@'; }

// As libpq pairs them: the nth of each list; one port is for all.
std::vector<Target::Host> hostsOf(const Values& values)
{
    const auto names = parts(textOf(values, "host")), addresses = parts(textOf(values, "hostaddr")),
               ports = parts(textOf(values, "port"));
    std::vector<Target::Host> hosts(std::max(names.size(), addresses.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        Target::Host& host = hosts[i];
        host.host = i < names.size() ? names[i] : "";
        host.address = i < addresses.size() ? addresses[i] : "";
        host.port = i < ports.size() ? ports[i] : ports.front();
        host.tcp = !host.address.empty() || !isSocket(host.host);
    }
    return hosts;
}

// A value that libpq refuses before it opens any connection, but after it has read the service file and the
// environment: so what is in force can be asked for.
constexpr const char* kStopHere = "resolve-only";

Result<Values> inForce(const Values& given)
{
    std::vector<const char*> keys, values;
    for (const auto& [key, value] : given) {
        if (key == "target_session_attrs")
            continue;
        keys.push_back(key.c_str());
        values.push_back(value.c_str());
    }
    keys.push_back("target_session_attrs");
    values.push_back(kStopHere);
    keys.push_back(nullptr);
    values.push_back(nullptr);
    const ConnHandle conn(PQconnectStartParams(keys.data(), values.data(), 0));
    if (!conn)
        return makeError(ErrorKind::Internal, "no memory for a connection");
    const std::unique_ptr<PQconninfoOption, OptionsFree> all(PQconninfo(conn.get()));
    Values found = setOptions(all.get());
    if (found["target_session_attrs"] != kStopHere)
        return makeError(
            ErrorKind::InvalidInput, "the store's URL: " + firstLine(PQerrorMessage(conn.get())));
    found.erase("target_session_attrs");
    return found;
}

void defaults(Values& options)
{
    // A dead host or link is found within some ten seconds, whatever the system's own defaults are.
    static constexpr std::pair<const char*, const char*> kDefaults[] = {{"connect_timeout", "5"},
        {"keepalives", "1"}, {"keepalives_idle", "5"}, {"keepalives_interval", "2"},
        {"keepalives_count", "3"}, {"tcp_user_timeout", "10000"}, {"fallback_application_name", "cairn"},
        {"gssencmode", "disable"}};
    for (const auto& [key, value] : kDefaults)
        options.try_emplace(key, value);
    options["client_encoding"] = "UTF8";
}

std::string shownName(const Values& found)
{
    std::string host = textOf(found, "host");
    if (host.empty())
        host = textOf(found, "hostaddr");
    const std::string port = textOf(found, "port");
    return "database " + textOf(found, textOf(found, "dbname").empty() ? "user" : "dbname") + " on "
        + (host.empty() ? std::string("the local socket") : host) + (port.empty() ? "" : ", port " + port);
}

// By which a password is kept and found: the same however the URL was written.
std::string loginName(const Values& found)
{
    const std::string user = textOf(found, "user"), base = textOf(found, "dbname");
    const std::string host = textOf(found, "host"), address = textOf(found, "hostaddr");
    return user + '@' + (host.empty() ? address : host) + ':' + textOf(found, "port") + '/'
        + (base.empty() ? user : base);
}

// libpq before 16 takes "system" for a file's name.
void useSystemAuthorities(Values& options, const Values& found)
{
    if (PQlibVersion() >= 160000 || textOf(found, "sslrootcert") != "system")
        return;
    const char* said = std::getenv("SSL_CERT_FILE");
    options["sslrootcert"] = said != nullptr ? said : "/etc/ssl/certs/ca-certificates.crt";
}

// A password goes to a server whose certificate was checked for its name, or that proves by SCRAM, bound to
// the channel, that it knows the password already; or by SCRAM to a loopback address. Nowhere else.
Status secure(Values& options, const Values& found, Target& target)
{
    const bool said = options.contains("sslmode") || std::getenv("PGSSLMODE") != nullptr;
    std::string mode = textOf(found, "sslmode");
    const bool system = textOf(found, "sslrootcert") == "system";
    if (!said && (mode.empty() || mode == "prefer")) {
        mode = options["sslmode"] = "verify-full";
        target.verifyByDefault = true;
    }
    if (mode == "allow" || mode == "prefer")
        return makeError(ErrorKind::InvalidInput,
            target.shown + ": sslmode=" + mode
                + " goes on without TLS wherever somebody takes it away; say sslmode=verify-full, or, for a "
                  "test on a loopback address, sslmode=disable");
    if (system && mode != "verify-full")
        return makeError(ErrorKind::InvalidInput,
            target.shown + ": sslrootcert=system with sslmode=" + mode
                + " lets everybody in who has any certificate; say sslmode=verify-full");
    target.plain = mode == "disable";
    if (target.plain)
        return {};
    useSystemAuthorities(options, found);
    const bool bound = options.contains("channel_binding") || std::getenv("PGCHANNELBINDING") != nullptr;
    const std::string binding = textOf(found, "channel_binding");
    if (!bound && (binding.empty() || binding == "prefer"))
        options["channel_binding"] = "require";
    else if (binding != "require" && mode != "verify-full")
        return makeError(ErrorKind::InvalidInput,
            target.shown + ": channel_binding=" + binding + " with sslmode=" + mode
                + " would give the password to whoever answers; say sslmode=verify-full");
    return {};
}

// Not among what libpq tells to be in force.
std::string serviceOf(const Values& options)
{
    const char* set = std::getenv("PGSERVICE");
    const std::string said = textOf(options, "service");
    return !said.empty() || set == nullptr ? said : set;
}

// Where hosts differ in what they need, or have to be watched, each is tried by itself.
void splitHosts(Target& target, const Values& found)
{
    std::vector<Target::Host> hosts = hostsOf(found);
    const auto tcp = static_cast<std::size_t>(
        std::count_if(hosts.begin(), hosts.end(), [](const Target::Host& host) { return host.tcp; }));
    target.tcp = tcp > 0;
    if (hosts.size() > 1 && tcp > 0 && (target.plain || tcp < hosts.size())) {
        for (Target::Host& host : hosts)
            host.alone = true;
        target.hosts = std::move(hosts);
    } else {
        target.hosts.assign(1, {target.tcp, false, {}, {}, {}});
    }
}

}  // namespace

bool isPostgresUrl(const std::string& url) noexcept
{
    return url.rfind("postgresql://", 0) == 0 || url.rfind("postgres://", 0) == 0;
}

std::string Target::Host::shown() const
{
    return (host.empty() ? (address.empty() ? "the local socket" : address) : host)
        + (port.empty() ? "" : ", port " + port);
}

namespace {

// One name may have several addresses: who writes goes on to the one that is no standby. Whether it is
// read-only for another reason is for the first statement to find out (25006), where there is nobody else to
// go to. A wish for a standby is one of those who look; where nothing else is allowed, nobody writes.
Status chooseServer(Values& options, const Target& target, bool several, bool forWriting)
{
    const char* const set = std::getenv("PGTARGETSESSIONATTRS");
    const std::string said = textOf(options, "target_session_attrs");
    const std::string wanted = said.empty() && set != nullptr ? std::string(set) : said;
    if (!forWriting)
        return {};
    if (wanted == "standby" || wanted == "read-only")
        return makeError(ErrorKind::Refused,
            target.shown + " is to be a standby (target_session_attrs=" + wanted
                + "), so it can be looked at, and takes no writes; to act, name the primary in --store, or "
                  "all hosts with target_session_attrs=prefer-standby");
    if ((several || target.tcp) && (wanted.empty() || wanted == "prefer-standby"))
        options["target_session_attrs"] = several ? "read-write" : "primary";
    return {};
}

}  // namespace

Result<Target> resolveTarget(const std::string& url, bool forWriting)
{
    char* problem = nullptr;
    const std::unique_ptr<PQconninfoOption, OptionsFree> parsed(PQconninfoParse(url.c_str(), &problem));
    const std::string text = problem == nullptr ? "not a URL that libpq knows" : firstLine(problem);
    PQfreemem(problem);
    const bool good = parsed && isPostgresUrl(url);
    Values options = setOptions(parsed.get());
    CAIRN_TRY(refusePasswords(url, options.contains("password") || options.contains("sslpassword")));
    if (!good)
        return makeError(ErrorKind::InvalidInput,
            "the store's URL: " + text + "; use postgresql://[user@]host[:port]/database");
    CAIRN_TRY_ASSIGN(const Values found, inForce(options));
    Target target;
    target.shown = shownName(found);
    target.login = loginName(found);
    if (found.contains("password") || found.contains("sslpassword"))
        CAIRN_TRY(checkServiceFile(serviceOf(options)));
    splitHosts(target, found);
    if (target.tcp) {
        CAIRN_TRY(secure(options, found, target));
        splitHosts(target, found);
    }
    const bool several = textOf(found, "host").find(',') != std::string::npos;
    CAIRN_TRY(chooseServer(options, target, several, forWriting));
    defaults(options);
    for (const auto& [key, value] : options)
        target.options.push_back({key, value});
    return target;
}

}  // namespace cairn::postgres
