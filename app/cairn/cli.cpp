#include "app/cairn/cli.h"

#include "app/common/open_store.h"
#include "core/base/text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

namespace cairn::cli {

namespace {

constexpr std::size_t kMaxTargets = 100'000;

Result<std::string> readDescriptor(int fd, const std::string& name)
{
    std::string bytes;
    char buffer[65536];
    for (;;) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got == 0)
            return bytes;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return makeError(ErrorKind::Io, "cannot read " + name + ": " + std::strerror(errno), errno);
        bytes.append(buffer, static_cast<std::size_t>(got));
        if (bytes.size() > kPayloadLimit)
            return makeError(ErrorKind::InvalidInput, name + " is larger than the limit of 256 MiB");
    }
}

}  // namespace

Result<std::string> readArgument(const std::string& argument)
{
    if (argument == "-")
        return readDescriptor(STDIN_FILENO, "standard input");
    if (argument.empty() || argument[0] != '@')
        return argument;
    const std::string path = argument.substr(1);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return makeError(ErrorKind::InvalidInput, "cannot open " + path + ": " + std::strerror(errno), errno);
    auto bytes = readDescriptor(fd, path);
    ::close(fd);
    return bytes;
}

std::string osUserName()
{
    if (const passwd* entry = ::getpwuid(::getuid()); entry && entry->pw_name)
        return entry->pw_name;
    return "uid " + std::to_string(::getuid());
}

int exitOf(const Error& error)
{
    switch (error.kind) {
    case ErrorKind::NotFound: return kNotFound;
    case ErrorKind::InvalidInput: return kUsage;
    case ErrorKind::Disconnected:
    case ErrorKind::Io:
    case ErrorKind::SchemaMismatch:
    case ErrorKind::Busy:
    case ErrorKind::Corrupt:
    case ErrorKind::Full: return kUnreachable;
    case ErrorKind::Conflict: return kStale;
    default: return kRefused;
    }
}

Session::Session(Options& given)
    : options(given)
{
}
Session::~Session() = default;

bool Session::openReader() { return open(true); }
bool Session::openWriter() { return open(false); }

bool Session::open(bool readOnly)
{
    if (m_store)
        return true;
    if (options.store.empty()) {
        exitCode =
            fail(kUsage, std::string("no store named: give --store ") + kStoreUrls + ", or set CAIRN_STORE");
        return false;
    }
    StoreOptions storeOptions;
    storeOptions.readOnly = readOnly;
    auto opened = openStoreUrl(options.store, storeOptions);
    if (!opened) {
        const int code = exitOf(opened.error());
        exitCode = fail(opened.error());
        if (code == kNotFound)
            exitCode = kUnreachable;
        return false;
    }
    m_store = std::move(*opened);
    auto info = m_store->info();
    if (!info) {
        exitCode = fail(info.error());
        return false;
    }
    m_info = *info;
    m_queue = makeInlineQueue(*m_store);
    ServiceConfig config;
    config.actorName = person().id;
    config.uid = ::getuid();
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0)
        config.host = host;
    m_service = std::make_unique<Service>(*m_store, *m_queue, clock, rng, config);
    m_query = std::make_unique<Query>(*m_store, clock);
    return true;
}

Actor Session::person() const { return {ActorKind::Person, options.as.empty() ? osUserName() : options.as}; }

int Session::fail(const Error& error)
{
    exitCode = exitOf(error);
    return fail(static_cast<Exit>(exitCode), error.text);
}

int Session::fail(Exit code, const std::string& text)
{
    exitCode = code;
    if (options.json) {
        std::string out = "{\"error\":";
        appendJsonString(out, text);
        out += ",\"exit\":" + std::to_string(code) + "}";
        std::fprintf(stderr, "%s\n", out.c_str());
    } else {
        std::fprintf(stderr, "cairn: %s\n", visible(text).c_str());
    }
    return code;
}

void Session::line(const std::string& text)
{
    const bool raw = options.raw && !::isatty(STDOUT_FILENO);
    const std::string safe = raw ? text : visible(text);
    std::fwrite(safe.data(), 1, safe.size(), stdout);
    std::fputc('\n', stdout);
}

void Session::note(const std::string& text) { std::fprintf(stderr, "%s\n", visible(text).c_str()); }

std::optional<RunId> Session::target(const std::string& named)
{
    auto run = query().resolve(named);
    if (!run) {
        fail(run.error());
        return std::nullopt;
    }
    return *run;
}

std::optional<std::vector<RunId>> Session::targets(const std::vector<std::string>& named)
{
    std::vector<RunId> runs;
    for (const auto& name : named) {
        const auto run = target(name);
        if (!run)
            return std::nullopt;
        runs.push_back(*run);
    }
    if (options.where.empty()) {
        if (runs.empty()) {
            fail(kUsage, "name at least one run, or give --where FILTER");
            return std::nullopt;
        }
        return runs;
    }
    const ParsedFilter parsed = parseFilter(options.where, service().now());
    if (parsed.error) {
        fail(kUsage,
            "--where: at character " + std::to_string(parsed.error->offset + 1) + ": " + parsed.error->text);
        return std::nullopt;
    }
    std::optional<PageKey> after;
    do {
        auto page = query().list(parsed.filter, ListOrder::NewestFirst, after, 500);
        if (!page) {
            fail(page.error());
            return std::nullopt;
        }
        for (const auto& row : page->rows)
            runs.push_back(row.run);
        after = page->next;
    } while (after && runs.size() < kMaxTargets);
    return runs;
}

}  // namespace cairn::cli
