#include "app/cairn/cli.h"

#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/text.h"
#include "core/engine/process_table.h"
#include "core/service/staged.h"
#include "core/store/fence.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
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

// Errors may have several lines; none but the first begins where a line of cairn does.
std::string indented(const std::string& text)
{
    std::string out;
    for (const char c : text)
        out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return out;
}

// Outside of strings JSON has nothing but ASCII, so that each run of other characters is part of a string.
std::string visibleJson(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    for (std::size_t at = 0; at < json.size();) {
        std::size_t end = at;
        while (end < json.size() && static_cast<unsigned char>(json[end]) < 0x7F)
            ++end;
        out.append(json.substr(at, end - at));
        for (at = end; end < json.size() && static_cast<unsigned char>(json[end]) >= 0x7F;)
            ++end;
        if (end == at)
            continue;
        std::string quoted;
        appendJsonString(quoted, json.substr(at, end - at));
        out.append(quoted, 1, quoted.size() - 2);
        at = end;
    }
    return out;
}

}  // namespace

std::function<bool(const SessionRow&)> goneHere()
{
    auto table = std::make_shared<SystemProcessTable>();
    return [table, me = table->self()](const SessionRow& row) {
        const bool seen = !me.bootId.empty() && row.host == me.host && row.bootId == me.bootId
            && !me.pidNamespace.empty() && row.pidNamespace == me.pidNamespace;
        return seen && table->isGone(row.pid, row.startTicks);
    };
}

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
    struct stat status { };
    const bool folder = ::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    auto bytes = folder
        ? Result<std::string>(makeError(ErrorKind::InvalidInput, path + " is a folder, not a file"))
        : readDescriptor(fd, path);
    ::close(fd);
    return bytes;
}

std::string osUserName()
{
    if (const passwd* entry = ::getpwuid(::getuid()); entry && entry->pw_name)
        return entry->pw_name;
    return "uid " + std::to_string(::getuid());
}

Exit exitOf(const Error& error)
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

Exit exitOfOpening(const Error& error)
{
    return error.kind == ErrorKind::InvalidInput ? kUsage : kUnreachable;
}

Exit exitOfRejection(const Rejection& rejection)
{
    switch (rejection.code) {
    case RejectCode::Stale: return kStale;
    case RejectCode::NotFound: return kNotFound;
    case RejectCode::InvalidInput:
    case RejectCode::ReasonMissing: return kUsage;
    default: return kRefused;
    }
}

Exit exitOfOutcome(const Outcome& outcome)
{
    if (outcome.kind == Outcome::Kind::Rejected)
        return exitOfRejection(outcome.rejection);
    if (outcome.kind == Outcome::Kind::Failed)
        return exitOf(outcome.error);
    return kDone;
}

std::string pad(std::string text, std::size_t width)
{
    if (text.size() < width)
        text.append(width - text.size(), ' ');
    return text;
}

Session::Session(Options& given)
    : options(given)
{
}
Session::~Session() = default;

bool Session::openReader() { return open(true); }
bool Session::openWriter() { return open(false); }

bool Session::reachable() { return opened(false) != nullptr; }

std::unique_ptr<StoreWriter> Session::opened(bool readOnly)
{
    if (options.store.empty()) {
        fail(kUsage, std::string("no store named: give --store ") + kStoreUrls + ", or set CAIRN_STORE");
        return nullptr;
    }
    StoreOptions storeOptions;
    storeOptions.readOnly = readOnly;
    storeOptions.sendsHints = true;  // this process may end right after
    auto store = openStoreUrl(options.store, storeOptions);
    if (!store) {
        fail(exitOfOpening(store.error()), store.error().text);
        return nullptr;
    }
    return std::move(*store);
}

bool Session::noteReplica()
{
    auto replica = m_store->replica();
    if (!replica) {
        fail(exitOfOpening(replica.error()), replica.error().text);
        return false;
    }
    m_replica = *replica;
    if (m_replica.late())
        note(options.store + ": " + replicaText(m_replica));
    return true;
}

bool Session::open(bool readOnly)
{
    if (m_store)
        return true;
    auto store = opened(readOnly);
    if (!store)
        return false;
    m_store = std::make_unique<HidingStore>(std::move(store));
    auto info = m_store->info();
    if (!info) {
        fail(exitOfOpening(info.error()), info.error().text);
        return false;
    }
    m_info = *info;
    auto rights = m_store->rights();
    if (!rights) {
        fail(exitOfOpening(rights.error()), rights.error().text);
        return false;
    }
    m_rights = *std::move(rights);
    if (const auto fence = fenceOf(m_info.minWriter); fence && readOnly)
        note(options.store + ": " + fenceError(*fence).text);
    if (readOnly && !noteReplica())
        return false;
    m_queue = makeInlineQueue(stored());
    ServiceConfig& config = m_config;
    config.actorName = person().id;
    config.uid = ::getuid();
    config.login = login();
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0)
        config.host = host;
    m_service = std::make_unique<Service>(stored(), *m_queue, clock, rng, config);
    m_query = std::make_unique<Query>(*m_store, clock);
    m_query->seeProcesses(goneHere());
    m_query->compareBy(stored());
    return true;
}

std::string Session::login() const { return loginOf(m_rights, ::getuid()); }

Actor Session::person() const { return {ActorKind::Person, options.as.empty() ? osUserName() : options.as}; }

AuditRow Session::personAct() const
{
    AuditRow row;
    row.actor = person().id;
    row.uid = ::getuid();
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0)
        row.host = host;
    row.reason = isUtf8(options.reason) ? options.reason : visible(options.reason);
    if (m_service)
        row.reason = m_service->masked(row.reason);
    return row;
}

bool Session::reasonGiven(std::optional<Verb> act)
{
    const auto missing = reasonMissing(info().safety, reasonLength(options.reason));
    if (!missing)
        return true;
    fail(exitOfRejection(*missing), missing->text);
    if (act)
        recordRefused(*act, "store", "reason_missing", missing->text);
    return false;
}

void Session::recordRefusal(Verb verb, const std::string& target, const Error& why)
{
    if (why.kind == ErrorKind::Refused)
        recordRefused(verb, target, "refused", why.text);
    else if (why.kind == ErrorKind::NoRight)
        recordRefused(verb, target, "no_right", why.text);
    else if (why.kind == ErrorKind::Conflict)
        recordRefused(verb, target, "conflict", why.text);
}

void Session::recordRefused(Verb verb, const std::string& target, const char* code, const std::string& why)
{
    AuditRow row = personAct();
    row.login = login();
    row.time = service().now();
    row.kind = "refused";
    row.verb = verb;
    row.target = visibleLine(target);
    row.command = makeId<CommandId>(clock.wallMs(), rng);
    row.after = std::string("{\"refused\":\"") + code + "\",\"why\":";
    appendJsonString(row.after, why);
    row.after += "}";
    if (const auto seq = store().appendAudit(std::move(row)); !seq)
        note("the refusal could not be put on record: " + seq.error().text);
}

bool Session::record(
    Verb verb, const std::string& target, const std::string& before, const std::string& after)
{
    AuditRow row = personAct();
    row.login = login();
    row.time = service().now();
    row.kind = "applied";
    row.verb = verb;
    row.target = visibleLine(target);
    row.command = makeId<CommandId>(clock.wallMs(), rng);
    row.before = before;
    row.after = after;
    const auto seq = store().appendAudit(std::move(row));
    if (!seq)
        fail(seq.error().kind == ErrorKind::Io ? kUnreachable : exitOf(seq.error()),
            "it is done, but the audit could not be written: " + seq.error().text);
    return seq.has_value();
}

bool Session::hasCommand(Verb verb) const
{
    const auto commands = app->get_subcommands(nullptr);
    return std::any_of(commands.begin(), commands.end(),
        [name = key(verb)](const CLI::App* command) { return command->get_name() == name; });
}

std::string noCommand(const Session& s, Verb verb)
{
    return s.hasCommand(verb) ? "" : " (in the library only: this version of cairn has no command for it)";
}

void addCommon(CLI::App* cmd, Session& s)
{
    cmd->add_option("--reason", s.options.reason, kReasonHelp);
    cmd->add_flag("--preview", s.options.preview, "print what would happen and write nothing");
}

int printPreview(Session& s, const Status& allowed, const std::string& willHappen)
{
    if (s.options.json) {
        Json json{{"preview", true}, {"allowed", static_cast<bool>(allowed)}};
        if (!allowed)
            json["text"] = jsonText(allowed.error().text);
        json["will_happen"] = allowed ? Json::array({jsonText(willHappen)}) : Json::array();
        s.json(dump(json));
    } else {
        s.line("preview, nothing is written");
        s.line(allowed ? "  will happen: " + willHappen : "  would be refused: " + allowed.error().text);
    }
    return allowed ? kDone : exitOf(allowed.error());
}

int Session::fail(const Error& error) { return fail(exitOf(error), error.text); }

int Session::fail(Exit code, const std::string& text)
{
    exitCode = code;
    if (options.json) {
        std::string out = "{\"error\":";
        appendJsonString(out, text);
        out += ",\"exit\":" + std::to_string(code) + "}";
        std::fprintf(stderr, "%s\n", out.c_str());
    } else {
        std::fprintf(stderr, "cairn: %s\n", indented(visible(text)).c_str());
    }
    return code;
}

void Session::print(const std::string& text, std::string (*safe)(std::string_view))
{
    const bool raw = options.raw && !::isatty(STDOUT_FILENO);
    const std::string shown = raw ? text : safe(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fputc('\n', stdout);
}

void Session::line(const std::string& text) { print(text, visibleLine); }
void Session::text(const std::string& text) { print(text, visible); }
void Session::json(const std::string& json) { print(json, visibleJson); }
void Session::answer(const std::string& json, const std::string& line)
{
    options.json ? this->json(json) : this->line(line);
}

void Session::note(const std::string& text) { std::fprintf(stderr, "%s\n", visibleLine(text).c_str()); }

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
    if (!named.empty() && !options.where.empty()) {
        fail(kUsage, "name the runs, or give --where, not both: both together could mean either or all");
        return std::nullopt;
    }
    // One that is not there says so, and keeps nothing from the others.
    for (const auto& name : named)
        if (const auto run = target(name))
            runs.push_back(*run);
    if (runs.empty() && exitCode != kDone)
        return std::nullopt;
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
        if (after && runs.size() >= kMaxTargets) {
            fail(kUsage,
                "--where: more than " + formatCount(static_cast<std::int64_t>(kMaxTargets))
                    + " runs match, too many for one command; nothing was done: narrow the filter, for "
                      "example by def: or age:");
            return std::nullopt;
        }
    } while (after);
    return runs;
}

}  // namespace cairn::cli
