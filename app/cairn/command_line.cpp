// The command line: parsing only. Verbs are in verbs_*.cpp.

#include "app/cairn/cli.h"
#include "app/common/open_store.h"
#include "core/base/failpoint.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace cairn::cli {

namespace {

// Which verbs take several stores. What changes something by hand names the one store that it changes.
Status checkStores(const CLI::App& app, const std::vector<std::string>& stores)
{
    static constexpr std::array kSeveral{"list", "why", "watch", "engine"};
    const std::string verb = app.get_subcommands().front()->get_name();
    if (stores.size() > 1 && std::find(kSeveral.begin(), kSeveral.end(), verb) == kSeveral.end())
        return makeError(ErrorKind::InvalidInput,
            "`" + verb + "` takes exactly one --store; list, why, watch and engine take several");
    for (auto at = stores.begin(); at != stores.end(); ++at)
        if (std::find(stores.begin(), at, *at) != at)
            return makeError(ErrorKind::InvalidInput, "--store " + *at + " is given twice");
    return {};
}

}  // namespace

int runCommandLine(int argc, char** argv)
try {
    failpoint::configureFromEnvironment();
    Options options;
    Session session(options);
    std::function<int()> chosen;

    CLI::App app{"Keeps long runs of AI agents alive, and lets a person repair them."};
    app.name("cairn");
    session.app = &app;
    app.set_version_flag("--version", versionText("cairn"));
    app.add_option("--store", options.stores,
           std::string("store URL, ") + kStoreUrls
               + "; default: $CAIRN_STORE; again for list, why, watch and engine")
        ->allow_extra_args(false);
    app.add_flag("--json", options.json, "stable, documented JSON");
    app.add_flag("--raw", options.raw, "control characters as they are, where the output is not a terminal");
    app.add_option("--as", options.as, "your name, as claimed; the audit also keeps the real user id");
    app.require_subcommand(1);
    app.fallthrough();
    app.footer(
        "Exit: 0 done, 1 refused or found wanting, 2 usage, 3 store not reachable, 4 not found, 5 stale.");

    const Verbs verbs{app, session, chosen};
    addStartVerbs(verbs);
    addSeveralVerbs(verbs);
    addReadVerbs(verbs);
    addActVerbs(verbs);
    addRepairVerbs(verbs);
    addWorkflowVerbs(verbs);
    addStoreVerbs(verbs);
    addAuditVerbs(verbs);
    addEngineVerbs(verbs);
    addDrillVerb(verbs);
    addHelpVerbs(verbs);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return code == 0 ? 0 : kUsage;
    }
    if (const char* store = std::getenv("CAIRN_STORE"); store && options.stores.empty())
        options.stores = {store};
    if (!options.stores.empty())
        options.store = options.stores.front();
    if (const Status stores = checkStores(app, options.stores); !stores)
        return session.fail(stores.error());
    return chosen ? chosen() : kUsage;
} catch (const std::exception& error) {
    std::fprintf(stderr, "cairn: internal error: %s\n", error.what());
    return 1;
}

}  // namespace cairn::cli
