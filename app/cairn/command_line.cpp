// The command line: parsing only. Verbs are in verbs_*.cpp.

#include "app/cairn/cli.h"
#include "app/common/open_store.h"
#include "core/base/failpoint.h"
#include "core/definition/text_values.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>

namespace cairn::cli {

namespace {

// Which verbs take several stores. What changes something by hand names the one store that it changes.
Status checkStores(const CLI::App& app, const std::vector<std::string>& stores)
{
    static constexpr std::array kSeveral{"list", "why", "watch", "acts", "engine"};
    const std::string verb = app.get_subcommands().front()->get_name();
    if (stores.size() > 1 && std::find(kSeveral.begin(), kSeveral.end(), verb) == kSeveral.end())
        return makeError(ErrorKind::InvalidInput,
            "`" + verb + "` takes exactly one --store; list, why, watch, acts and engine take several");
    for (auto at = stores.begin(); at != stores.end(); ++at)
        if (std::find(stores.begin(), at, *at) != at)
            return makeError(ErrorKind::InvalidInput, "--store " + *at + " is given twice");
    return {};
}

// A value that is given and empty is a variable that was not set in a script. Taken for "not given" it would
// drop what was asked for: an expectation, a key, a head. An empty reason is one, and an empty filter finds
// everything, as it says.
Status checkValues(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (name == "--reason" || name == "FILTER")
            continue;
        for (const std::string& value : option->results())
            if (value.empty())
                return makeError(
                    ErrorKind::InvalidInput, name + " is given and empty: leave it out, or give it a value");
    }
    for (const CLI::App* verb : app.get_subcommands())
        CAIRN_TRY(checkValues(*verb));
    return {};
}

// What was not understood, by its name.
std::string usageText(const CLI::App& app, const CLI::ParseError& error)
{
    const std::vector<std::string> rest = app.remaining(true);
    if (rest.empty() || error.get_name() != "RequiredError")
        return error.what();
    const CLI::App* group = &app;
    std::string place = "cairn";
    while (!group->get_subcommands().empty()) {
        group = group->get_subcommands().front();
        place += " " + group->get_name();
    }
    const std::string& word = rest.front();
    if (word.starts_with("-"))
        return "there is no option " + word + "; `" + place + " --help` lists what there is";
    const std::string nearest = nearestName(word, group->get_subcommands(nullptr),
        [](const CLI::App* verb) { return std::string_view(verb->get_name()); });
    return "there is no verb \"" + word + "\" in `" + place + "`"
        + (nearest.empty() ? std::string() : "; did you mean `" + place + " " + nearest + "`?") + " `" + place
        + " --help` lists them";
}

int notUnderstood(const CLI::App& app, Session& session, int argc, char** argv, const CLI::ParseError& error)
{
    if (error.get_exit_code() == 0)  // help or version
        return app.exit(error);
    for (int at = 1; at < argc && std::strcmp(argv[at], "--") != 0; ++at)
        session.options.json = session.options.json || std::strcmp(argv[at], "--json") == 0;
    return session.fail(kUsage, usageText(app, error));
}

// The next file that is opened would have the number of a descriptor that is closed, and what is printed
// would end up in it. What stands in for one fails as the closed one would.
void keepDescriptors()
{
    for (const auto& [fd, mode] : {std::pair{0, O_WRONLY}, std::pair{1, O_RDONLY}, std::pair{2, O_WRONLY}})
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", mode) < 0)
            std::abort();
}

// An answer that is cut is no answer: the script that saves it has to hear of it.
int answered(Session& session, int code)
{
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::ferror(stdout) == 0)
        return code;
    const std::string why = errno == 0 ? std::string() : std::string(" (") + std::strerror(errno) + ")";
    return session.fail(code == kDone ? kRefused : static_cast<Exit>(code),
        "standard output could not be written" + why
            + ": what was printed is not whole; what the command changed stays changed");
}

}  // namespace

int runCommandLine(int argc, char** argv)
try {
    keepDescriptors();
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
               + "; default: $CAIRN_STORE; again for list, why, watch, acts and engine")
        ->allow_extra_args(false);
    app.add_flag("--json", options.json, "stable, documented JSON");
    app.add_flag("--raw", options.raw, "control characters as they are, where the output is not a terminal");
    app.add_option("--as", options.as, "your name, as claimed; the audit also keeps the real user id");
    app.add_flag("--break-glass", options.breakGlass,
        "in an emergency: alone, where the policy asks for a second person; opens a review that somebody "
        "else closes");
    app.require_subcommand(1);
    app.fallthrough();
    app.footer(
        "Exit: 0 done, 1 refused or found wanting, 2 usage, 3 store not reachable, 4 not found, 5 stale.");

    const Verbs verbs{app, session, chosen};
    addStartVerbs(verbs);
    addSeveralVerbs(verbs);
    addReadVerbs(verbs);
    addPayloadVerb(verbs);
    addActVerbs(verbs);
    addRepairVerbs(verbs);
    addAnnotateVerbs(verbs);
    addPlanVerbs(verbs);
    addAgreeVerbs(verbs);
    addSlowVerb(verbs);
    addRetentionVerbs(verbs);
    addWorkflowVerbs(verbs);
    addStoreVerbs(verbs);
    addAuditVerbs(verbs);
    addEngineVerbs(verbs);
    addDrillVerb(verbs);
    addExportVerbs(verbs);
    addReportVerbs(verbs);
    addHelpVerbs(verbs);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return answered(session, notUnderstood(app, session, argc, argv, error));
    }
    if (const Status values = checkValues(app); !values)
        return session.fail(values.error());
    if (const char* store = std::getenv("CAIRN_STORE"); store && options.stores.empty())
        options.stores = {store};
    if (!options.stores.empty())
        options.store = options.stores.front();
    if (const Status stores = checkStores(app, options.stores); !stores)
        return session.fail(stores.error());
    return answered(session, chosen ? chosen() : kUsage);
} catch (const std::exception& error) {
    std::fprintf(stderr, "cairn: internal error: %s\n", error.what());
    return 1;
}

}  // namespace cairn::cli
