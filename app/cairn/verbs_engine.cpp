// engine: serves a store until it is told to stop.

#include "app/cairn/cli.h"
#include "app/common/open_store.h"
#include "core/audit/keeper.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/engine/loop.h"

#include <CLI/CLI.hpp>
#include <cairn/version.h>

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace cairn::cli {

namespace {

struct EngineArguments {
    std::string name;
    std::string lease = "10s";
    std::string grace = "30s";
    std::vector<std::string> serves;
    std::uint32_t concurrency = 64;
    bool untilIdle = false;
    std::string auditKey;
    std::string checkpointEvery = "1h";
    bool keepsAll = false;
};

// One for each store, where --audit-key is given.
Result<std::vector<std::unique_ptr<audit::Keeper>>> keepers(Session& s, const EngineArguments& arguments)
{
    std::vector<std::unique_ptr<audit::Keeper>> all;
    if (arguments.auditKey.empty())
        return all;
    CAIRN_TRY_ASSIGN(const SpanMs every, parseSpan(arguments.checkpointEvery));
    if (every < 1'000)
        return makeError(ErrorKind::InvalidInput, "--checkpoint-every: at least 1s");
    for (const std::string& url : s.options.stores) {
        CAIRN_TRY_ASSIGN(SigningKey key, readKey(arguments.auditKey));
        audit::KeeperOptions options;
        options.openStore = openStoreUrl;
        options.storeUrl = url;
        options.every = every;
        options.look = std::min<SpanMs>(options.look, every);
        options.login = "uid " + std::to_string(::getuid());
        all.push_back(std::make_unique<audit::Keeper>(std::move(options), std::move(key)));
    }
    return all;
}

// Each attempt of a command needs some descriptors, and the usual limit of 1,024 is soft: an engine that met
// it would count attempts that it could not begin as failed.
void raiseDescriptorLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65'536);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

// NAME, or NAME@VERSION with a number, as `start` takes it.
Status checkServes(const std::vector<std::string>& serves)
{
    for (const std::string& one : serves) {
        const auto at = one.rfind('@');
        const std::string version = at == std::string::npos ? "1" : one.substr(at + 1);
        if (at == 0 || version.empty() || version.find_first_not_of("0123456789") != std::string::npos
            || version.find_first_not_of('0') == std::string::npos)
            return makeError(ErrorKind::InvalidInput,
                "--serves: \"" + visibleLine(one)
                    + "\" is neither NAME nor NAME@VERSION with a number from 1");
    }
    return {};
}

// A misspelt name would serve nothing and say nothing. One that is added later is served from then on.
void tellUnknown(Session& s, const std::vector<std::string>& serves)
{
    const auto rows = s.store().workflows(false);
    for (const std::string& one : rows ? serves : std::vector<std::string>())
        if (std::none_of(rows->begin(), rows->end(), [&](const WorkflowRow& row) {
                return one == row.name || one == row.name + "@" + std::to_string(row.version);
            }))
            s.note("workflow " + one + " is not in " + s.options.store
                + " yet: nothing of it is served until "
                  "it is added");
}

int engine(Session& s, const EngineArguments& arguments)
{
    const auto lease = parseSpan(arguments.lease);
    const auto grace = parseSpan(arguments.grace);
    if (!lease)
        return s.fail(lease.error());
    if (!grace)
        return s.fail(grace.error());
    if (*lease < 500)
        return s.fail(kUsage, "--lease: at least 500ms, so that a heartbeat fits in");
    if (const Status fits = checkServes(arguments.serves); !fits)
        return s.fail(fits.error());
    for (const std::string& url : s.options.stores) {
        s.options.store = url;
        if (!s.reachable())
            return s.exitCode;
        Options one = s.options;
        if (Session looking(one); !arguments.serves.empty() && looking.openReader())
            tellUnknown(looking, arguments.serves);
    }
    if (s.options.stores.empty() && !s.reachable())  // says that none is named
        return s.exitCode;
    EngineOptions options;
    options.openStore = openStoreUrl;
    options.openHints = openHintsUrl;
    options.core.name = arguments.name.empty() ? "engine-" + std::to_string(::getpid()) : arguments.name;
    options.core.build = CAIRN_VERSION_FULL;
    options.core.serves = arguments.serves;
    options.core.lease = *lease;
    options.core.heartbeat = std::min<SpanMs>(3'000, *lease / 3);
    options.core.drainGrace = *grace;
    options.core.maxAttempts = std::max(arguments.concurrency, 1U);
    options.core.uid = ::getuid();
    options.core.schema = kMaxFormat;
    options.core.retains = !arguments.keepsAll;
    if (!arguments.auditKey.empty()) {
        auto key = readKey(arguments.auditKey);
        if (!key)
            return s.fail(key.error());
        options.core.signs = std::make_shared<const SigningKey>(*std::move(key));
    }
    options.exitWhenIdle = arguments.untilIdle;
    std::vector<EngineOptions> engines;
    for (const std::string& url : s.options.stores) {
        options.storeUrl = url;
        options.onReady = [&s, url, name = options.core.name](const SessionId& session) {
            s.note("engine " + name + " serves " + url + ", session " + toText(session));
        };
        engines.push_back(options);
    }
    log::start(log::Level::Warning);
    raiseDescriptorLimit();
    const auto checkpoints = keepers(s, arguments);
    if (!checkpoints)
        return s.fail(checkpoints.error());
    if (auto ended = runEngines(std::move(engines)); !ended)
        return s.fail(ended.error());
    return kDone;
}

}  // namespace

void addEngineVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* cmd = v.app.add_subcommand("engine",
        "Executes, retries, waits and recovers runs; any number may share a store, and one may serve "
        "several");
    auto arguments = std::make_shared<EngineArguments>();
    cmd->add_option("--name", arguments->name, "shown to operators; may repeat");
    cmd->add_option(
        "--lease", arguments->lease, "after how long of silence others take over (same host: at once)");
    cmd->add_option("--grace", arguments->grace, "how long running work may go on after SIGTERM");
    cmd->add_option("--serves", arguments->serves, "workflows, NAME or NAME@VERSION; default: all");
    cmd->add_option("--concurrency", arguments->concurrency, "attempts under way at one time, for each store")
        ->check(CLI::PositiveNumber);
    cmd->add_option("--audit-key", arguments->auditKey,
        "file of a key: where all histories stand is signed at intervals, and when the engine ends");
    cmd->add_option("--checkpoint-every", arguments->checkpointEvery, "how often; default: 1h");
    cmd->add_flag("--no-retention", arguments->keepsAll,
        "remove and redact nothing, though its time is over; `cairn retention run` still does");
    cmd->add_flag("--until-idle", arguments->untilIdle, "end when nothing is under way or due");
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return engine(s, *arguments); }; });
}

}  // namespace cairn::cli
