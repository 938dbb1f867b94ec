#include "core/store/postgres/conninfo.h"

#include <libpq-fe.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace cairn::postgres {

namespace {

struct OptionsFree {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
struct ConnFinish {
    void operator()(PGconn* conn) const noexcept { PQfinish(conn); }
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

bool overTcp(const Values& values)
{
    const auto addresses = values.find("hostaddr");
    if (addresses != values.end())
        return true;
    const auto hosts = values.find("host");
    if (hosts == values.end())
        return false;  // the default: a unix socket
    const auto names = parts(hosts->second);
    return std::any_of(names.begin(), names.end(),
        [](const std::string& host) { return !host.empty() && host.front() != '/' && host.front() != '@'; });
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
    const std::unique_ptr<PGconn, ConnFinish> conn(PQconnectStartParams(keys.data(), values.data(), 0));
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
    const auto get = [&](const char* key) {
        const auto at = found.find(key);
        return at == found.end() ? std::string() : at->second;
    };
    std::string host = get("host");
    if (host.empty())
        host = get("hostaddr");
    const std::string port = get("port");
    return "database " + (get("dbname").empty() ? get("user") : get("dbname")) + " on "
        + (host.empty() ? std::string("the local socket") : host) + (port.empty() ? "" : ", port " + port);
}

}  // namespace

bool isPostgresUrl(const std::string& url) noexcept
{
    return url.rfind("postgresql://", 0) == 0 || url.rfind("postgres://", 0) == 0;
}

Result<Target> resolveTarget(const std::string& url, bool forWriting)
{
    char* problem = nullptr;
    const std::unique_ptr<PQconninfoOption, OptionsFree> parsed(PQconninfoParse(url.c_str(), &problem));
    const std::string text = problem == nullptr ? "not a URL that libpq knows" : firstLine(problem);
    PQfreemem(problem);
    if (!parsed || !isPostgresUrl(url))
        return makeError(ErrorKind::InvalidInput,
            "the store's URL: " + text + "; use postgresql://[user@]host[:port]/database");
    Values options = setOptions(parsed.get());
    if (options.contains("password"))
        return makeError(ErrorKind::InvalidInput,
            "a password in the store's URL would be seen by everybody who lists processes; put it into "
            "~/.pgpass or "
            "into a service file, and leave it out of the URL");
    CAIRN_TRY_ASSIGN(const Values found, inForce(options));
    Target target;
    target.shown = shownName(found);
    target.tcp = overTcp(found);
    const bool said = options.contains("sslmode") || std::getenv("PGSSLMODE") != nullptr;
    const auto mode = found.find("sslmode");
    if (target.tcp && !said && (mode == found.end() || mode->second == "prefer")) {
        options["sslmode"] = "verify-full";
        target.verifyByDefault = true;
    }
    const auto hosts = found.find("host");
    if (forWriting && hosts != found.end() && hosts->second.find(',') != std::string::npos)
        options.try_emplace("target_session_attrs", "read-write");
    defaults(options);
    for (const auto& [key, value] : options)
        target.options.push_back({key, value});
    return target;
}

}  // namespace cairn::postgres
