#include "core/report/replay.h"

#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/report/prove_play.h"

#include <algorithm>

namespace cairn {

namespace {

using namespace proof;
using exporting::Recorded;
using exporting::RecordedRun;

constexpr std::size_t kFailures = 20;  // that are named

class Replayer {
public:
    Replayer(const Recorded& recorded, const RecordedRun& root, const ReplayOptions& options)
        : m_recorded(recorded)
        , m_root(root)
        , m_options(options)
    {
        m_out.run = root.state.id;
        m_out.workflow = root.state.workflow.name;
        m_proving.makeStore = options.makeStore;
        m_proving.seed = options.seed;
        m_data.input = root.input.empty() ? "null" : root.input;
    }

    RunReplay replay()
    {
        m_out.notReplayed = gather(m_root, "");
        if (m_out.notReplayed.empty())
            undisturbed();
        if (m_out.notReplayed.empty())
            kills();
        return std::move(m_out);
    }

private:
    // --- what was recorded. All these give why it cannot be played again; empty: it can.

    std::string gather(const RecordedRun& run, const std::string& place)
    {
        const RunState& state = run.state;
        ++m_out.runs;
        if (std::string why = unfit(state); !why.empty())
            return "run " + toText(state.id) + ": " + why;
        if (std::string why = addWorkflow(state.workflow); !why.empty())
            return why;
        m_record.runs[place] = state.closedAs;
        if (place.empty())
            m_record.output = run.output;
        for (const StepRecord& step : state.steps) {
            if (std::string why = unfit(state, step); !why.empty())
                return "step " + visibleLine(step.id) + " of run " + toText(state.id) + ": " + why;
            addStep(run, step, place);
        }
        for (const ChildRecord& child : state.children) {
            const auto at = m_recorded.runs.find(child.run);
            if (at == m_recorded.runs.end())
                return "run " + toText(child.run)
                    + ", which it started, is not in the bundle: export it with --tree";
            if (std::string why = gather(at->second, placeIn(place, state.steps.at(child.step).id));
                !why.empty())
                return why;
        }
        return {};
    }

    static std::string placeIn(const std::string& place, const std::string& step)
    {
        return place.empty() ? step : place + std::string(kPlaceMark) + step;
    }

    static std::string unfit(const RunState& state)
    {
        if (!state.closed)
            return "it has not ended";
        if (state.closedAs != Activity::Completed && state.closedAs != Activity::Failed)
            return "it ended as " + std::string(key(state.closedAs))
                + ": what brings that about is no result, and is not played again";
        if (state.workflow.name.empty())
            return "its caller drove it, so there is no workflow to play";
        return {};
    }

    std::string unfit(const RunState& state, const StepRecord& step) const
    {
        const ApprovalRecord* approval = state.findApproval(step.approval);
        const bool rejected = approval && approval->state == ApprovalState::Rejected;
        if (step.state == StepState::Skipped && step.byPerson && !rejected)
            return "a person skipped it, which is no result, and is not played again";
        if (step.undoOf != kNoStep)
            return "it undoes another, and compensation is not played again";
        const ToolDef* tool = m_family.at(state.workflow.name).tool(step.tool);
        if (step.state == StepState::Failed && tool && tool->executor == "worker")
            return "it failed at an outside worker, and that is not played again";
        return {};
    }

    std::string addWorkflow(const WorkflowRef& ref)
    {
        const std::string name = visibleLine(ref.name) + " version " + std::to_string(ref.version);
        const auto known = m_family.find(ref.name);
        if (known != m_family.end())
            return known->second.ref.version == ref.version ? std::string()
                                                            : "its runs use two versions of workflow "
                    + visibleLine(ref.name) + ", and only one is played again at a time";
        for (const auto& workflow : m_recorded.workflows) {
            if (workflow.name != ref.name || workflow.version != ref.version)
                continue;
            ParsedDefinition parsed = parseDefinition(workflow.text);
            if (!parsed)
                return "workflow " + name + " cannot be read by this version of the program";
            m_family.emplace(ref.name, *std::move(parsed.definition));
            return {};
        }
        return "workflow " + name + " is not in the bundle";
    }

    void addStep(const RecordedRun& run, const StepRecord& step, const std::string& place)
    {
        RecordedStep recorded{step.state, step.reason, {}, step.output.media, {}};
        if (const auto output = run.outputs.find(step.id); output != run.outputs.end())
            recorded.output = output->second;
        if (const ApprovalRecord* approval = run.state.findApproval(step.approval))
            recorded.decided = approval->state;
        const bool calls = !step.tool.empty() && step.kind != StepKind::FanOut;
        m_out.effects += calls && writes(step.safety) && step.state == StepState::Complete ? 1 : 0;
        m_record.steps.emplace(placeIn(place, step.id), std::move(recorded));
    }

    // --- the plays

    [[nodiscard]] Setting setting() const
    {
        return {m_family, m_root.state.workflow.name, m_data, m_proving, m_root.state.startedAt, &m_record};
    }

    // What is other than recorded; empty: nothing is.
    static std::string otherwise(const Played& played)
    {
        if (!played.stuck.empty())
            return "it did not end: " + played.stuck;
        if (!played.trouble.empty())
            return "a person would have had to repair it: "
                + (played.trouble.front().first.empty() ? std::string()
                                                        : "step " + played.trouble.front().first + ": ")
                + played.trouble.front().second;
        return played.differences.empty() ? std::string() : played.differences.front();
    }

    void undisturbed()
    {
        m_base = play(setting(), {});
        const std::string other = otherwise(m_base);
        if (!other.empty())
            m_out.notReplayed = "also without a kill it ends otherwise than recorded: " + other
                + ". The record holds results, and not what else a person did or what came at which time";
        else if (!m_base.wrong.empty())
            m_out.notReplayed = "also without a kill: " + m_base.wrong.front();
    }

    void kills()
    {
        const std::size_t all = m_base.boundaries.size();
        const std::size_t most = std::max<std::size_t>(m_options.most, 1);
        m_out.boundaries = static_cast<std::uint32_t>(all);
        for (std::size_t at = 0; at < all; ++at)
            // Spread evenly: those at which the share grows by a whole one.
            if (all <= most || (at + 1) * most / all != at * most / all)
                kill(at);
    }

    void kill(std::size_t at)
    {
        Script script;
        script.kills = {at};
        const Played played = play(setting(), script);
        ++m_out.kills;
        const std::string other = otherwise(played);
        m_out.same += other.empty() ? 1 : 0;
        m_out.once += played.wrong.empty() && played.stuck.empty() ? 1 : 0;
        m_out.parked += std::any_of(played.steps.begin(), played.steps.end(),
                            [](const auto& step) { return !step.second.parked.empty(); })
            ? 1
            : 0;
        if (!other.empty())
            fail(at, other);
        for (const std::string& wrong : played.wrong)
            fail(at, wrong);
    }

    void fail(std::size_t at, const std::string& what)
    {
        if (m_out.failures.size() >= kFailures)
            return;
        const Boundary& boundary = m_base.boundaries.at(at);
        const std::string step = boundary.what.empty() ? std::string() : boundary.what.front().first;
        m_out.failures.push_back({boundary.textFor(step), step, what});
    }

    const Recorded& m_recorded;
    const RecordedRun& m_root;
    const ReplayOptions& m_options;
    ProveOptions m_proving;
    Family m_family;
    MadeUp m_data;
    Record m_record;
    Played m_base;
    RunReplay m_out;
};

}  // namespace

bool ReplayReport::passed() const
{
    bool any = false;
    for (const RunReplay& run : runs) {
        if (!run.notReplayed.empty())
            continue;
        any = true;
        if (run.same != run.kills || run.once != run.kills)
            return false;
    }
    return any;
}

ReplayReport replayRecorded(const Recorded& recorded, const ReplayOptions& options)
{
    ReplayReport report;
    for (const RunId& id : recorded.order) {
        const RecordedRun& run = recorded.runs.at(id);
        if (run.state.parent.run.isNull() || !recorded.runs.contains(run.state.parent.run))
            report.runs.push_back(Replayer(recorded, run, options).replay());
    }
    return report;
}

}  // namespace cairn
