// drill: the failure drill with real processes.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/text.h"
#include "core/report/demo.h"
#include "core/report/drill_examples.h"
#include "core/report/repairs.h"
#include "core/report/showcase.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace cairn::cli {

namespace {

// A program that comes with this one: beside it where it was built, in a folder of helpers where it is
// installed. Empty: in neither.
std::string companion(const char* program)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    for (const char* folder : {".", CAIRN_HELPERS_FROM_BIN}) {
        const auto path = (self.parent_path() / folder / program).lexically_normal();
        if (!error && std::filesystem::exists(path, error))
            return path.string();
    }
    return {};
}

constexpr std::array kAllGuarantees{Guarantee::Course, Guarantee::Recovered, Guarantee::NoDuplicateEffect,
    Guarantee::NoLostEntry, Guarantee::CostAccounted};
static_assert(kAllGuarantees.size() == kGuarantees);

// Tokens are whole; money is kept in millionths.
std::string amountOf(const std::string& unit, std::int64_t amount)
{
    return unit == "tokens" ? std::to_string(amount) : formatAmount(amount, unit);
}

template<typename Enum> Json jsonCounts(const char* name, const std::map<Enum, std::uint64_t>& counts)
{
    Json list = Json::array();
    for (const auto& [value, count] : counts)
        list.push_back({{name, key(value)}, {"count", count}});
    return list;
}

Json jsonScenario(const ScenarioReport& s)
{
    Json guarantees = Json::array(), failures = Json::array(), cost = Json::array();
    for (const Guarantee guarantee : kAllGuarantees)
        if (s.expects(guarantee))
            guarantees.push_back({{"guarantee", guaranteeKey(guarantee)}, {"held", s.held(guarantee)}});
    for (const Failure& failure : s.failures)
        failures.push_back({{"guarantee", guaranteeKey(failure.guarantee)}, {"text", failure.text}});
    for (const auto& [unit, amounts] : s.cost)
        cost.push_back({{"unit", unit}, {"spent", amountOf(unit, amounts.spent)},
            {"spent_again", amountOf(unit, amounts.spentAgain)},
            {"charged", amountOf(unit, amounts.charged)}});
    Json json{{"scenario", s.name}, {"passed", s.passed}, {"faults", s.faults},
        {"interrupted", s.interrupted}, {"recovered", s.recovered}, {"recovery_ms", s.recoveryMs},
        {"runs", s.runs}, {"effects", s.effects}, {"duplicate_attempts", s.duplicateAttempts},
        {"duplicate_effects", s.duplicateEffects}, {"acknowledged", s.acknowledged},
        {"lost_entries", s.lostEntries}, {"manual_steps", s.manualSteps}, {"attempts", s.calls},
        {"look_ups", s.lookUps}, {"parked", s.parked}, {"model_calls", s.modelCalls}, {"cost", cost},
        {"guarantees", guarantees}, {"remarks", s.remarks}, {"failures", failures}};
    if (!s.activities.empty()) {
        json["activities"] = jsonCounts("activity", s.activities);
        json["reasons"] = jsonCounts("reason", s.reasons);
    }
    return json;
}

std::string worst(const std::vector<double>& values)
{
    double most = 0;
    for (const double v : values)
        most = std::max(most, v);
    return values.empty() ? "-" : formatSpan(static_cast<SpanMs>(most));
}

std::string costLine(const ScenarioReport& r)
{
    std::string line = "cost: ";
    if (r.modelCalls > 0)
        line += std::to_string(r.modelCalls) + " model calls; ";
    const char* separator = "";
    for (const auto& [unit, cost] : r.cost) {
        line += separator + unit + " " + amountOf(unit, cost.spent) + " spent";
        separator = "; ";
        if (cost.spentAgain > 0)
            line += ", at most " + amountOf(unit, cost.spentAgain) + " spent again";
        if (r.modelCalls > 0)
            line += ", " + amountOf(unit, cost.charged) + " charged by the provider";
    }
    return line;
}

// How many runs are left in each, as two columns of words.
void printLeft(Session& s, const ScenarioReport& r)
{
    std::vector<std::string> activities, reasons;
    for (const auto& [activity, count] : r.activities)
        activities.push_back(pad(std::string(key(activity)), 14) + pad(std::to_string(count), 8));
    for (const auto& [reason, count] : r.reasons)
        reasons.push_back(pad(std::string(key(reason)), 21) + std::to_string(count));
    s.line("        " + pad("activity", 14) + pad("runs", 8) + pad("reason", 21) + "runs");
    for (std::size_t i = 0; i < std::max(activities.size(), reasons.size()); ++i)
        s.line("        " + (i < activities.size() ? activities[i] : pad("", 22))
            + (i < reasons.size() ? reasons[i] : ""));
}

void printScenario(Session& s, const ScenarioReport& r)
{
    s.line(std::string(r.passed ? "ok    " : "FAIL  ") + r.name);
    s.line("        faults " + std::to_string(r.faults) + ", of which stopped work under way "
        + std::to_string(r.interrupted) + ", recovered " + std::to_string(r.recovered) + ", slowest recovery "
        + worst(r.recoveryMs) + ", runs " + std::to_string(r.runs) + ", effects " + std::to_string(r.effects)
        + ", duplicate attempts " + std::to_string(r.duplicateAttempts) + ", duplicate effects "
        + std::to_string(r.duplicateEffects) + ", acknowledged " + std::to_string(r.acknowledged)
        + ", lost entries " + std::to_string(r.lostEntries) + ", manual steps "
        + std::to_string(r.manualSteps));
    if (!r.cost.empty())
        s.line("        " + costLine(r));
    std::string guarantees;
    for (const Guarantee guarantee : kAllGuarantees)
        if (r.expects(guarantee))
            guarantees += (guarantees.empty() ? "guarantees: " : ", ") + std::string(guaranteeKey(guarantee))
                + (r.held(guarantee) ? " held" : " BROKEN");
    s.line("        " + guarantees);
    if (!r.activities.empty())
        printLeft(s, r);
    for (const auto& remark : r.remarks)
        s.line("        " + remark);
    for (const auto& failure : r.failures)
        s.line("        " + std::string(guaranteeKey(failure.guarantee)) + ": " + failure.text);
}

int print(Session& s, const DrillReport& report)
{
    if (s.options.json) {
        Json scenarios = Json::array();
        for (const auto& scenario : report.scenarios)
            scenarios.push_back(jsonScenario(scenario));
        s.json(dump(Json{{"passed", report.passed}, {"seed", report.seed}, {"faults", report.faults},
                        {"interrupted", report.interrupted}, {"recovered", report.recovered},
                        {"recovery_p50_ms", report.p50Ms}, {"recovery_p95_ms", report.p95Ms},
                        {"recovery_max_ms", report.maxMs}, {"scenarios", scenarios}},
            2));
        return report.passed ? kDone : kRefused;
    }
    for (const auto& scenario : report.scenarios)
        printScenario(s, scenario);
    s.line(std::to_string(report.faults) + " faults, of which stopped work under way "
        + std::to_string(report.interrupted) + ", recovered and measured " + std::to_string(report.recovered)
        + ": p50 " + formatSpan(static_cast<SpanMs>(report.p50Ms)) + ", p95 "
        + formatSpan(static_cast<SpanMs>(report.p95Ms)) + ", slowest "
        + formatSpan(static_cast<SpanMs>(report.maxMs))
        + " (usual target: 95 % within 60 s; ours: all of them, p95 under 2 s: "
        + (report.p95Ms < kDrillP95Ms ? "met)" : "MISSED)"));
    s.line(report.passed ? "every guarantee held"
                         : "A GUARANTEE WAS BROKEN (seed " + std::to_string(report.seed) + ")");
    return report.passed ? kDone : kRefused;
}

struct Arguments {
    std::uint64_t seed = 1;
    unsigned kills = 0;
    unsigned soak = 0;  // runs
    bool situations = false;
    bool repairs = false;
    bool showcase = false;
    std::string from;  // bundle
    std::uint32_t most = 1'000;
    DemoOptions demo;
};

// Where the drill's logs and the provider's ledger go: beside the store's file, or in a new temporary folder.
// Not made yet. An error where there is a store already.
Result<std::string> folderOf(const std::string& url)
{
    CAIRN_TRY_ASSIGN(const StorePlace place, storePlace(url));
    std::error_code error;
    const auto exists = [&] {
        return makeError(ErrorKind::Refused,
            place.shown + " exists already; the drill makes its own store and never touches another");
    };
    if (!place.path.empty()) {
        if (std::filesystem::exists(place.path, error) && std::filesystem::file_size(place.path, error) > 0)
            return exists();
        return place.path + ".drill";
    }
    StoreOptions looking;
    looking.readOnly = true;
    const auto there = openStoreUrl(url, looking);
    if (there || there.error().kind == ErrorKind::SchemaMismatch)
        return exists();
    if (there.error().kind != ErrorKind::NotFound)
        return there.error();
    std::string folder = (std::filesystem::temp_directory_path(error) / "cairn-drill-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr)
        return makeError(ErrorKind::Io, "cannot make a temporary folder like " + folder);
    return folder + "/drill";
}

// Beside a file the folder is kept with it. Of a store on a server it is a temporary one, and nobody wants it
// after a drill that passed; of one that failed it is named.
void tidy(Session& s, const DrillOptions& options, bool passed)
{
    if (!options.onServer)
        return;
    std::error_code error;
    const auto folder = std::filesystem::path(options.folder).parent_path();
    if (passed)
        std::filesystem::remove_all(folder, error);
    else
        s.note("drill: logs and the provider's ledger are kept in " + options.folder);
    if (error)
        s.note("drill: " + folder.string() + " could not be removed: " + error.message());
}

// A store that is not there yet, with a folder for logs and the provider's ledger. Prints why not.
std::optional<DrillOptions> prepare(Session& s, const Arguments& arguments)
{
    if (s.options.store.empty()) {
        s.fail(kUsage, "no store named: give --store with a store that does not exist yet");
        return std::nullopt;
    }
    auto folder = folderOf(s.options.store);
    if (!folder) {
        s.fail(folder.error());
        return std::nullopt;
    }
    std::error_code error;
    DrillOptions options;
    options.storeUrl = s.options.store;
    options.cairn = companion("cairn");
    options.format1 = companion("cairn-format1");
    options.effectd = companion("cairn-effectd");
    options.folder = std::move(*folder);
    const auto place = storePlace(s.options.store);
    options.onServer = place && place->path.empty();
    if (const char* restart = std::getenv("CAIRN_RESTART_COMMAND"))
        options.restartCommand = restart;
    options.seed = arguments.seed;
    options.kills = arguments.kills;
    options.progress = [&s](const std::string& text) { s.note("drill: " + text); };
    options.open = [&s] {
        StoreOptions how;
        how.sendsHints = true;
        return openStoreUrl(s.options.store, how);
    };
    if (options.effectd.empty())
        s.fail(kRefused,
            "cairn-effectd, the drill's payment provider, is neither beside this program nor "
            "in " CAIRN_HELPERS_FROM_BIN " from there; install it with `cmake --install`, or build it");
    else if (std::filesystem::exists(std::filesystem::symlink_status(options.folder, error)))
        s.fail(kRefused,
            options.folder
                + " exists already: an earlier drill left it, and what its provider did there would be "
                  "counted again; remove the folder, or name another store");
    else if (std::filesystem::create_directories(options.folder, error); error)
        s.fail(kRefused, "cannot make the folder " + options.folder + ": " + error.message());
    else
        return options;
    return std::nullopt;
}

// What the provider's ledger and Cairn's history say per boundary, as a table.
void printBoundaries(Session& s, const DrillReport& report, const std::vector<std::string>& boundaries)
{
    s.line(
        "killed at                  kills  slowest recovery  repeated  looked up  parked  effects  doubled");
    for (const auto& r : report.scenarios) {
        if (std::find(boundaries.begin(), boundaries.end(), r.name) == boundaries.end())
            continue;
        s.line(pad(r.name, 26) + " " + pad(std::to_string(r.faults), 7) + pad(worst(r.recoveryMs), 18)
            + pad(std::to_string(r.duplicateAttempts), 10) + pad(std::to_string(r.lookUps), 11)
            + pad(std::to_string(r.parked), 8) + pad(std::to_string(r.effects), 9)
            + std::to_string(r.duplicateEffects));
    }
}

int demo(Session& s, Arguments& arguments)
{
    DemoOptions& options = arguments.demo;
    if (options.definitions.empty())
        return s.fail(kUsage,
            "--workflow and --soak need --definitions, the folder of the example workflows "
            "(resources/workflows)");
    std::error_code error;
    options.definitions = std::filesystem::absolute(options.definitions, error).string();
    // Before a store is made: the corrected command would be refused for what this one had left.
    using drill::Example;
    for (const Example kind : {Example::Purchase, Example::RepoReview, Example::Research})
        for (const std::string& file : drill::filesOf(kind))
            if (!std::filesystem::is_regular_file(options.definitions + "/" + file, error))
                return s.fail(kUsage,
                    "--definitions: there is no " + file + " in " + options.definitions
                        + "; the example workflows are in resources/workflows");
    if (options.killAt == std::vector<std::string>{"all"})
        options.killAt = demoBoundaries(options.workflow);
    auto drill = prepare(s, arguments);
    if (!drill)
        return s.exitCode;
    options.drill = std::move(*drill);
    if (arguments.soak > 0)
        options.runs = arguments.soak;
    auto report = arguments.soak > 0 ? runSoak(options) : runDemo(options);
    tidy(s, options.drill, report && report->passed);
    if (!report)
        return s.fail(report.error());
    if (!options.killAt.empty() && !s.options.json)
        printBoundaries(s, *report, options.killAt);
    return print(s, *report);
}

int print(Session& s, const RepairReport& report, std::uint64_t seed)
{
    Json list = Json::array();
    for (const Repair& r : report.repairs) {
        const bool proven = r.problem.empty();
        list.push_back({{"reason", key(r.reason)}, {"run", toText(r.run)}, {"repair", jsonText(r.command)},
            {"proofs", r.proofs}, {"passed", proven},
            {"problem", proven ? Json() : Json(jsonText(r.problem))}});
        if (!s.options.json)
            s.line(std::string(proven ? "ok    " : "FAIL  ") + pad(std::string(key(r.reason)), 20) + r.command
                + (proven ? std::string() : ": " + r.problem));
    }
    const bool passed = report.passed();
    // Where each repair by itself was as it should be.
    std::string problem = report.problem;
    for (const ScenarioReport& scenario : report.drill.scenarios)
        for (const Failure& failure : scenario.failures)
            if (problem.empty())
                problem = scenario.name + ": " + failure.text;
    if (s.options.json) {
        s.json(dump(Json{{"passed", passed}, {"seed", seed}, {"repairs", list},
                        {"problem", problem.empty() ? Json() : Json(jsonText(problem))}},
            2));
    } else {
        if (!problem.empty())
            s.line("FAIL  " + problem);
        s.line(passed ? "ten stuck runs were repaired, each with its preview, act, audit, bundle and receipt"
                      : "NOT AS IT SHOULD BE (above)");
    }
    return passed ? kDone : kRefused;
}

int repairs(Session& s, const DrillOptions& options)
{
    const auto report = runRepairs(options);
    tidy(s, options, report && report->passed());
    return report ? print(s, *report, options.seed) : s.fail(report.error());
}

int showcase(Session& s, const Arguments& arguments)
{
    if (s.options.store.empty())
        return s.fail(kUsage, "no store named: give --store with a store that does not exist yet");
    if (const auto folder = folderOf(s.options.store); !folder)
        return s.fail(folder.error());
    InitOptions made;
    made.testClock = true;  // it is moved to the past, and back
    if (const Status done = initStoreUrl(s.options.store, made); !done)
        return s.fail(done.error());
    ShowcaseOptions options;
    options.seed = arguments.seed;
    options.open = [&s] {
        StoreOptions how;
        how.synchronousNormal = true;  // nothing is lost with it before it is done: then it is made anew
        return openStoreUrl(s.options.store, how);
    };
    options.progress = [&s](const std::string& text) { s.note("showcase: " + text); };
    const auto report = makeShowcase(std::move(options));
    if (!report)
        return s.fail(makeError(report.error().kind,
            report.error().text + "; the store is half made, and its clock is in the past: delete it"));
    s.answer(dump(Json{{"store", s.options.store}, {"seed", arguments.seed}, {"started", report->started},
                 {"purchase", toText(report->purchase)}}),
        std::to_string(report->started)
            + " runs were started, over eight hours that end now; look at them with "
              "`cairn list` or in the console");
    return kDone;
}

int drill(Session& s, Arguments& arguments)
{
    if (arguments.showcase)
        return showcase(s, arguments);
    if (!arguments.from.empty())
        return replay(s, arguments.from, arguments.seed, arguments.most);
    if (arguments.soak > 0 || !arguments.demo.workflow.empty())
        return demo(s, arguments);
    const auto options = prepare(s, arguments);
    if (!options)
        return s.exitCode;
    if (arguments.repairs)
        return repairs(s, *options);
    auto report = arguments.situations ? leaveSituations(*options) : runDrill(*options);
    tidy(s, *options, report && report->passed);
    return report ? print(s, *report) : s.fail(report.error());
}

// In place of the drill, and of each other.
void addOtherModes(CLI::App* cmd, Arguments& a, std::vector<CLI::Option*> modes)
{
    modes.push_back(cmd->add_flag("--situations", a.situations,
        "instead: only leaves runs in every activity and for every reason, to be repaired"));
    modes.push_back(cmd->add_flag("--repairs", a.repairs,
        "instead: repairs ten stuck runs, one for each reason that needs a person, and proves each repair"));
    modes.push_back(cmd->add_flag("--showcase", a.showcase,
        "instead: leaves a working day of some 900 runs, to try the console out and to learn it"));
    auto* from = cmd->add_option("--from", a.from,
        "instead: plays the runs of this bundle again with their recorded results, on no store of yours, "
        "killed at every boundary");
    modes.push_back(from);
    for (std::size_t at = 2; at < modes.size(); ++at)
        for (std::size_t other = 0; other < at; ++other)
            modes[at]->excludes(modes[other]);
    cmd->add_option("--most", a.most, "with --from: kills of each run; more are spread evenly")
        ->needs(from)
        ->check(CLI::Range(1U, 1'000'000U));
}

}  // namespace

void addDrillVerb(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* cmd = v.app.add_subcommand(
        "drill", "Kills engines at every boundary on a new store; fails where a guarantee does");
    auto a = std::make_shared<Arguments>();
    DemoOptions& demo = a->demo;
    cmd->add_option("--seed", a->seed, "of the random kills");
    cmd->add_option("--kills", a->kills,
        "random kills under load, beside the fixed scenarios; of a soak: the least that must happen");
    auto* workflow =
        cmd->add_option("--workflow", demo.workflow, "instead: this example workflow through a real engine")
            ->check(CLI::IsMember(demoWorkflows()));
    cmd->add_option("--kill-at", demo.killAt,
           "with --workflow: kill at each hit of these boundaries; all: of every one")
        ->delimiter(',')
        ->needs(workflow);
    cmd->add_option("--runs", demo.runs, "with --workflow and without kills: how many runs")->needs(workflow);
    auto* soak = cmd->add_option("--soak", a->soak,
                        "instead: so many runs of repo-review and purchase under random kills")
                     ->excludes(workflow)
                     ->check(CLI::Range(1U, 1'000'000U));
    cmd->add_option("--engines", demo.engines, "of a soak")->needs(soak)->check(CLI::Range(1U, 16U));
    cmd->add_option("--definitions", demo.definitions, "folder of the example workflows");
    cmd->add_option("--repository", demo.repository,
        "git checkout that is cloned and reviewed; left out: a small one is made");
    addOtherModes(cmd, *a, {workflow, soak});
    cmd->callback([a, &s, &chosen] { chosen = [a, &s] { return drill(s, *a); }; });
}

}  // namespace cairn::cli
