// drill: the failure drill with real processes.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/text.h"
#include "core/report/drill.h"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace cairn::cli {

namespace {

std::string beside(const char* program)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto path = self.parent_path() / program;
    return !error && std::filesystem::exists(path, error) ? path.string() : std::string{};
}

Json jsonScenario(const ScenarioReport& s)
{
    return {{"scenario", s.name}, {"passed", s.passed}, {"faults", s.faults}, {"recovery_ms", s.recoveryMs}, {"runs", s.runs},
            {"effects", s.effects}, {"duplicate_attempts", s.duplicateAttempts}, {"duplicate_effects", s.duplicateEffects},
            {"lost_entries", s.lostEntries}, {"manual_steps", s.manualSteps}, {"attempts", s.calls}, {"failures", s.failures}};
}

std::string worst(const std::vector<double>& values)
{
    double most = 0;
    for (const double v : values)
        most = std::max(most, v);
    return values.empty() ? "-" : formatSpan(static_cast<SpanMs>(most));
}

void printScenario(Session& s, const ScenarioReport& r)
{
    s.line(std::string(r.passed ? "ok    " : "FAIL  ") + r.name);
    s.line("        faults " + std::to_string(r.faults) + ", slowest recovery " + worst(r.recoveryMs) + ", runs " + std::to_string(r.runs)
           + ", effects " + std::to_string(r.effects) + ", duplicate attempts " + std::to_string(r.duplicateAttempts)
           + ", duplicate effects " + std::to_string(r.duplicateEffects) + ", lost entries " + std::to_string(r.lostEntries)
           + ", manual steps " + std::to_string(r.manualSteps));
    for (const auto& failure : r.failures)
        s.line("        " + failure);
}

int print(Session& s, const DrillReport& report)
{
    if (s.options.json) {
        Json scenarios = Json::array();
        for (const auto& scenario : report.scenarios)
            scenarios.push_back(jsonScenario(scenario));
        s.line(dump(Json{{"passed", report.passed}, {"seed", report.seed}, {"faults", report.faults}, {"recoveries", report.recovered},
                         {"recovery_p50_ms", report.p50Ms}, {"recovery_p95_ms", report.p95Ms}, {"recovery_max_ms", report.maxMs},
                         {"scenarios", scenarios}}, 2));
        return report.passed ? kDone : kRefused;
    }
    for (const auto& scenario : report.scenarios)
        printScenario(s, scenario);
    s.line(std::to_string(report.faults) + " faults, " + std::to_string(report.recovered) + " recoveries measured: p50 "
           + formatSpan(static_cast<SpanMs>(report.p50Ms)) + ", p95 " + formatSpan(static_cast<SpanMs>(report.p95Ms)) + ", slowest "
           + formatSpan(static_cast<SpanMs>(report.maxMs)) + " (usual target: 95 % within 60 s)");
    s.line(report.passed ? "every guarantee held" : "A GUARANTEE WAS BROKEN (seed " + std::to_string(report.seed) + ")");
    return report.passed ? kDone : kRefused;
}

int drill(Session& s, std::uint64_t seed, unsigned kills)
{
    auto path = sqlitePath(s.options.store);
    if (!path)
        return s.fail(kUsage, s.options.store.empty() ? "no store named: give --store sqlite:PATH of a store that does not exist yet"
                                                      : path.error().text);
    std::error_code error;
    if (std::filesystem::exists(*path, error) && std::filesystem::file_size(*path, error) > 0)
        return s.fail(kRefused, *path + " exists already; the drill makes its own store and never touches another");
    DrillOptions options;
    options.storeUrl = s.options.store;
    options.cairn = beside("cairn");
    options.format1 = beside("cairn-format1");
    options.effectd = beside("cairn-effectd");
    if (options.effectd.empty())
        return s.fail(kRefused, "cairn-effectd, the drill's payment provider, is not beside this program");
    options.folder = *path + ".drill";
    std::filesystem::create_directories(options.folder, error);
    if (error)
        return s.fail(kRefused, "cannot make the folder " + options.folder + ": " + error.message());
    options.seed = seed;
    options.kills = kills;
    options.progress = [&s](const std::string& text) { s.note("drill: " + text); };
    options.open = [&s] { return openStoreUrl(s.options.store, {}); };
    auto report = runDrill(options);
    return report ? print(s, *report) : s.fail(report.error());
}

}  // namespace

void addDrillVerb(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* cmd = v.app.add_subcommand("drill", "Kills engines at every boundary on a new store; fails where a guarantee does");
    auto seed = std::make_shared<std::uint64_t>(1);
    auto kills = std::make_shared<unsigned>(0);
    cmd->add_option("--seed", *seed, "of the random kills");
    cmd->add_option("--kills", *kills, "random kills under load, beside the fixed scenarios");
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return drill(s, *seed, *kills); }; });
}

}  // namespace cairn::cli
