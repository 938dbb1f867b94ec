// drill --from BUNDLE.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/cairn/simulated_store.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/report/replay.h"

namespace cairn::cli {

namespace {

Json jsonOf(const RunReplay& r)
{
    Json failures = Json::array();
    for (const ReplayFailure& f : r.failures)
        failures.push_back(
            {{"boundary", jsonText(f.boundary)}, {"step", jsonText(f.step)}, {"what", jsonText(f.what)}});
    const bool replayed = r.notReplayed.empty();
    return {{"run", toText(r.run)}, {"workflow", jsonText(r.workflow)}, {"replayed", replayed},
        {"why", replayed ? Json() : Json(jsonText(r.notReplayed))}, {"runs", r.runs}, {"effects", r.effects},
        {"boundaries", r.boundaries}, {"kills", r.kills}, {"same_outcome", r.same}, {"effects_once", r.once},
        {"parked", r.parked}, {"failures", failures}};
}

void printLines(Session& s, const RunReplay& r)
{
    const std::string name = "run " + toText(r.run) + " (" + visibleLine(r.workflow) + ")";
    if (!r.notReplayed.empty())
        return s.line(name + ": not played again: " + r.notReplayed);
    s.line(name + ": " + counted(r.kills, "kill") + " at " + counted(r.boundaries, "boundary", "boundaries")
        + "; " + std::to_string(r.same) + " ended as recorded; " + std::to_string(r.once) + " with each of "
        + counted(r.effects, "effect") + " once; " + std::to_string(r.parked)
        + " needed a person who looked at the provider");
    for (const ReplayFailure& f : r.failures)
        s.line("  FAILED: killed " + f.boundary + (f.step.empty() ? "" : " of step " + visibleLine(f.step))
            + ": " + visibleLine(f.what));
}

}  // namespace

int replay(Session& s, const std::string& bundle, std::uint64_t seed, std::uint32_t most)
{
    const auto recorded = exporting::readRecorded(bundle);
    if (!recorded)
        return recorded.error().kind == ErrorKind::Corrupt
            ? s.fail(kRefused, "the bundle does not hold: " + recorded.error().text)
            : s.fail(recorded.error());
    const ReplayReport report = replayRecorded(*recorded, {&simulatedStore, seed, most});
    if (s.options.json) {
        Json runs = Json::array();
        for (const RunReplay& run : report.runs)
            runs.push_back(jsonOf(run));
        s.json(dump(
            Json{{"passed", report.passed()}, {"bundle", jsonText(bundle)}, {"seed", seed}, {"runs", runs}}));
    } else {
        for (const RunReplay& run : report.runs)
            printLines(s, run);
        s.line(report.passed() ? "every replay ended as recorded, with each effect once"
                               : "NOT PROVED: no run was played again, or a replay ended otherwise (above)");
    }
    return report.passed() ? kDone : kRefused;
}

}  // namespace cairn::cli
