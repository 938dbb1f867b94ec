#include "core/report/prove.h"

#include "core/base/json_scan.h"
#include "core/definition/parse.h"
#include "core/report/prove_data.h"
#include "core/report/prove_play.h"
#include "core/report/prove_provider.h"

#include <algorithm>
#include <optional>
#include <set>

namespace cairn {

const char* worstName(Worst worst) noexcept
{
    switch (worst) {
    case Worst::Once: return "once";
    case Worst::Repeated: return "repeated";
    case Worst::LookedUp: return "looked up";
    case Worst::Parked: return "parked";
    case Worst::Doubled: return "DOUBLED";
    }
    return "?";
}

namespace {

using namespace proof;

constexpr TimeMs kStart = 1'790'000'000'000;
constexpr std::size_t kVariants = 8;   // inputs that are made up to reach one step more
constexpr std::size_t kFailures = 20;  // that are named
// Boundaries that are passed by all plays together, so that large workflows end, too (200 steps: a minute).
constexpr std::size_t kWorkOfPlan = 150'000;
constexpr std::size_t kWorkOfKills = 500'000;

// In place of a workflow that is not here.
Definition standIn(const StepDef& step)
{
    const std::uint32_t version = std::max<std::uint32_t>(step.workflowVersion, 1);
    const std::string text = R"({"schema":"urn:cairn:workflow:1","name":)" + jsonQuote(step.workflow)
        + R"(,"version":)" + std::to_string(version)
        + R"(,"tools":{"stands_in":{"safety":"read_only","executor":"builtin","settings":{"function":"noop"}}},)"
          R"("steps":[{"name":"stands_in","tool":"stands_in"}],"output":{"$from":"stands_in"}})";
    return parseDefinition(text).definition.value_or(Definition{});
}

class Prover {
public:
    Prover(const Definition& definition, const ProveOptions& options)
        : m_definition(definition)
        , m_options(options)
    {
    }

    Proof prove()
    {
        if (!gather(m_definition, {}))
            return std::move(m_proof);
        listSteps(m_definition, "");
        if (!playVariants())
            return std::move(m_proof);
        plan();
        run();
        finish();
        return std::move(m_proof);
    }

private:
    // Plays of one script, each with other kills.
    struct Series {
        std::size_t variant = 0;
        Script script;
        Played base;                                  // without a kill (of a second one)
        std::vector<std::vector<std::size_t>> kills;  // of each play
    };
    struct Variant {
        MadeUp data;
        Played base;
    };

    // --- the workflows

    bool gather(const Definition& definition, std::set<std::string> path)
    {
        path.insert(definition.ref.name);
        m_family.emplace(definition.ref.name, definition);
        for (const StepDef& step : definition.steps) {
            if (step.kind != StepKind::Run)
                continue;
            if (path.contains(step.workflow)) {
                notProved("workflow " + step.workflow + " starts itself through step " + step.name
                    + ": with made-up values that has no end, so nothing was simulated");
                return false;
            }
            if (m_family.contains(step.workflow))
                continue;
            const Definition* child = find(step);
            if (!child) {
                notProved("workflow " + step.workflow + " of step " + step.name
                    + " is not here: taken as a run that completes; name its file too");
                m_standIns.insert(step.workflow);
                m_family.emplace(step.workflow, standIn(step));
            } else if (!gather(*child, path)) {
                return false;
            } else if (undoes(*child)) {
                notProved("the compensation of child runs of " + step.workflow
                    + " was not tried: prove its file by itself");
            }
        }
        return true;
    }
    [[nodiscard]] const Definition* find(const StepDef& step) const
    {
        for (const Definition& child : m_options.children)
            if (child.ref.name == step.workflow
                && (step.workflowVersion == 0 || child.ref.version == step.workflowVersion))
                return &child;
        return nullptr;
    }

    void listSteps(const Definition& definition, const std::string& prefix)
    {
        for (const StepDef& step : definition.steps) {
            if (const ToolDef* tool = definition.tool(step.tool))
                listStep(definition, prefix + step.name, *tool);
            if (step.kind == StepKind::Run && !m_standIns.contains(step.workflow))
                listSteps(m_family.at(step.workflow), prefix + step.name + "/");
        }
        for (const StepDef& step : definition.steps)
            if (const ToolDef* tool = definition.tool(step.tool); tool && prefix.empty())
                if (const ToolDef* undo = definition.tool(tool->undoTool))
                    listStep(definition, "undo:" + step.name, *undo);
    }
    void listStep(const Definition& definition, const std::string& path, const ToolDef& tool)
    {
        StepProof proof;
        proof.step = path;
        proof.tool = tool.name;
        proof.safety = tool.safety;
        m_proof.steps.push_back(proof);
        m_tools[path] = {definition.ref.name, tool.name};
    }

    // --- what is played without a kill

    [[nodiscard]] Setting setting(const MadeUp& data) const
    {
        return {m_family, m_definition.ref.name, data, m_options, kStart};
    }
    bool addVariant(const std::string& workflow, const std::string& step)
    {
        Wishes wishes{m_definition.ref.name, m_options.input, m_options.items, workflow, step, kStart};
        Variant variant;
        variant.data = makeUp(m_family, wishes);
        variant.base = play(setting(variant.data), {});
        const bool more = m_variants.empty()
            || std::any_of(variant.base.steps.begin(), variant.base.steps.end(),
                [&](const auto& seen) { return seen.second.calls > 0 && !m_reached.contains(seen.first); });
        if (!more)
            return false;
        for (const auto& [path, seen] : variant.base.steps)
            if (seen.calls > 0)
                m_reached.insert(path);
        m_variants.push_back(std::move(variant));
        return true;
    }
    bool playVariants()
    {
        addVariant("", "");
        const Played& base = m_variants.front().base;
        for (const std::string& wrong : base.wrong)
            fail(wrong + ", without any kill");
        for (const auto& [path, what] : base.trouble)
            notProved((path.empty() ? std::string() : "step " + path + ": ") + what
                + "; the proof goes on as if a person had repaired it");
        if (!base.stuck.empty()) {
            notProved("the run did not end without any kill: " + base.stuck);
            return false;
        }
        for (std::size_t i = 0; i < m_proof.steps.size() && m_variants.size() < kVariants; ++i) {
            const std::string& path = m_proof.steps[i].step;
            if (!m_reached.contains(path) && path.substr(0, 5) != "undo:")
                addVariant(m_tools.at(path).first, path.substr(path.rfind('/') + 1));
        }
        return true;
    }

    // --- which kills

    void plan()
    {
        std::set<std::string> known;
        for (std::size_t i = 0; i < m_variants.size(); ++i) {
            const Played& base = m_variants[i].base;
            std::set<std::string> fresh;
            for (const auto& [path, seen] : base.steps)
                if ((seen.calls > 0 || seen.tool.empty()) && known.insert(path).second)
                    fresh.insert(path);
            addSeries(i, {}, base, fresh, i == 0);
            for (const std::string& path : fresh)
                if (base.steps.at(path).calls > 0)
                    planStep(i, path, base);
            planUndo(i, known);
        }
    }

    // Every boundary of the base from `from` on, or those that concern one of the steps.
    void addSeries(
        std::size_t variant, Script script, Played base, const std::set<std::string>& paths, bool all)
    {
        Series series{variant, std::move(script), std::move(base), {}};
        for (std::size_t at = series.base.from; at < series.base.boundaries.size(); ++at) {
            const Boundary& boundary = series.base.boundaries[at];
            const bool wanted = all || std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
                return boundary.concerns(path);
            });
            if (!wanted)
                continue;
            std::vector<std::size_t> kills = series.script.kills;
            kills.push_back(at);
            series.kills.push_back(std::move(kills));
        }
        m_series.push_back(std::move(series));
    }

    // The step meets a fault, and is killed at each boundary from there to its end; and it is killed once
    // when the provider had acted, and again at each boundary of what follows.
    void planStep(std::size_t variant, const std::string& path, const Played& base)
    {
        m_work += 3 * base.boundaries.size();
        if (m_work > kWorkOfPlan) {
            ++m_leftOut;
            return;
        }
        const bool undo = base.undone;
        std::vector<Fault> faults{Fault::Refused, Fault::AnswerLost};
        if (!undo && m_definition.compensateOnCancel && m_tools.contains("undo:" + path))
            faults.push_back(Fault::Cancelled);
        for (const Fault fault : faults) {
            Script script{fault, path, undo};
            Played faulty = play(setting(m_variants[variant].data), script);
            if (faulty.faulted)
                addSeries(
                    variant, script, std::move(faulty), {path, "undo:" + path}, fault == Fault::Cancelled);
        }
        for (std::size_t at = base.from; at < base.boundaries.size(); ++at) {
            const Boundary& boundary = base.boundaries[at];
            if (!boundary.concerns(path) || boundary.when.find("after the provider acted") != 0)
                continue;
            Script script{Fault::None, {}, undo, {at}};
            Played killed = play(setting(m_variants[variant].data), script);
            killed.from = at + 1;
            addSeries(variant, script, std::move(killed), {path}, false);
            break;  // members of a fan-out are alike
        }
    }

    [[nodiscard]] static bool undoes(const Definition& definition)
    {
        return std::any_of(definition.tools.begin(), definition.tools.end(),
            [](const ToolDef& tool) { return !tool.undoTool.empty(); });
    }
    void planUndo(std::size_t variant, std::set<std::string>& known)
    {
        if (!undoes(m_definition))
            return;
        Script script;
        script.undo = true;
        Played base = play(setting(m_variants[variant].data), script);
        std::set<std::string> fresh;
        for (const auto& [path, seen] : base.steps)
            if (path.substr(0, 5) == "undo:" && known.insert(path).second && seen.calls > 0)
                fresh.insert(path);
        if (fresh.empty())
            return;
        for (const std::string& path : fresh)
            planStep(variant, path, base);
        addSeries(variant, script, std::move(base), fresh, true);
    }

    // --- the kills

    void run()
    {
        std::size_t all = 0;
        for (const Series& series : m_series)
            all += series.kills.size();
        const std::size_t longest = m_variants.front().base.boundaries.size() + 1;
        const std::size_t most =
            std::clamp<std::size_t>(kWorkOfKills / longest, 1, std::max(m_options.most, 1U));
        std::size_t at = 0;
        for (const Series& series : m_series)
            for (const auto& kills : series.kills) {
                // Spread evenly: those at which the share grows by a whole one.
                if (all <= most || (at + 1) * most / all != at * most / all)
                    kill(series, kills);
                ++at;
            }
        if (m_leftOut > 0)
            notProved(std::to_string(m_leftOut)
                + " steps were not tried with a refused call, a lost answer and a second kill: the workflow "
                  "is too large for that");
        if (all > most)
            notProved(std::to_string(all) + " kills would have to be tried, " + std::to_string(m_proof.kills)
                + " were, spread evenly");
    }

    void kill(const Series& series, const std::vector<std::size_t>& kills)
    {
        Script script = series.script;
        script.kills = kills;
        const Played played = play(setting(m_variants[series.variant].data), script);
        ++m_proof.kills;
        const Boundary& boundary = series.base.boundaries.at(kills.back());
        const std::string where = placeOf(series, boundary);
        if (!played.stuck.empty())
            fail("killed " + where + ", the run did not end: " + played.stuck);
        for (const std::string& wrong : played.wrong)
            fail("killed " + where + ": " + wrong);
        for (StepProof& proof : m_proof.steps) {
            proof.boundaries += boundary.concerns(proof.step) ? 1 : 0;
            const auto seen = played.steps.find(proof.step);
            if (seen != played.steps.end())
                note(proof, seen->second, series, boundary);
        }
    }

    [[nodiscard]] std::string placeOf(const Series& series, const Boundary& boundary) const
    {
        const std::string path = boundary.what.empty() ? std::string() : boundary.what.front().first;
        return boundary.textFor(path) + (path.empty() ? "" : " of step " + path) + beside(series);
    }
    [[nodiscard]] static std::string beside(const Series& series)
    {
        if (!series.script.kills.empty())
            return ", for the second time";
        switch (series.script.fault) {
        case Fault::Refused: return ", after a call of " + series.script.step + " was refused";
        case Fault::AnswerLost: return ", after the answer of " + series.script.step + " was lost";
        case Fault::Cancelled: return ", after a cancel during " + series.script.step;
        case Fault::None: break;
        }
        return {};
    }

    void note(StepProof& proof, const StepSeen& seen, const Series& series, const Boundary& boundary)
    {
        const auto before = series.base.steps.find(proof.step);
        proof.calls = std::max(proof.calls, seen.calls);
        Worst worst = seen.calls > 1 ? Worst::Repeated : Worst::Once;
        if (seen.lookedUp)
            worst = Worst::LookedUp;
        // What the fault alone brings about is not the kill's.
        const bool byFault = before != series.base.steps.end() && series.script.fault != Fault::None
            && before->second.parked == seen.parked;
        if (!seen.parked.empty() && !byFault)
            worst = Worst::Parked;
        if (seen.doubled)
            worst = Worst::Doubled;
        if (worst <= proof.worst)
            return;
        proof.worst = worst;
        proof.boundary = boundary.textFor(proof.step) + beside(series);
        proof.reason = worst == Worst::Parked ? seen.parked : std::string();
    }

    // --- what is told

    void finish()
    {
        for (StepProof& proof : m_proof.steps) {
            if (proof.calls == 0)
                notReached(proof);
            else
                proof.note = noteFor(proof);
        }
    }
    void notReached(StepProof& proof)
    {
        const bool undo = proof.step.substr(0, 5) == "undo:";
        proof.note = undo ? "not reached: what it undoes did not happen"
                          : "not reached: no made-up values met the conditions before it";
        notProved("step " + proof.step + " was " + proof.note);
    }

    // Why the provider took it for another call, as far as the definition shows it.
    [[nodiscard]] std::string faultOf(const StepProof& proof) const
    {
        const auto& [workflow, name] = m_tools.at(proof.step);
        const ToolDef* tool = m_family.at(workflow).tool(name);
        if (!tool)
            return {};
        StartOrder order;
        order.tool = tool->name;
        order.safety = tool->safety;
        order.executor = tool->executor;
        order.settings = tool->settings;
        if (m_options.keyless.contains(tool->name))
            return "its provider forgets keys: declare it irreversible";
        if (tool->safety == ReplaySafety::Repeatable)
            return identityOf(order).changes
                ? "its settings hold ${attempt}, so each attempt looks like another call to the provider"
                : std::string();
        order.settings = tool->lookUp;
        order.purpose = Purpose::LookUp;
        return tool->lookUp.empty() ? std::string() : lookUpFault(order, tool->settings);
    }

    [[nodiscard]] std::string noteFor(const StepProof& proof) const
    {
        switch (proof.worst) {
        case Worst::Once: return "never called twice";
        case Worst::Repeated:
            return writes(proof.safety)
                ? "called again under the same key, so the provider gives the same effect"
                : "called again; it has no effect outside";
        case Worst::LookedUp: return "the provider is asked by key; it is never called blindly";
        case Worst::Parked:
            if (proof.reason == key(Reason::OutcomeUnknown))
                return "a person must say whether it happened; give the tool a look_up to avoid that";
            return "a person must let it go on: " + std::string(labelOf(proof.reason));
        case Worst::Doubled: {
            const std::string why = faultOf(proof);
            return "the effect happened twice" + (why.empty() ? "" : ": " + why);
        }
        }
        return {};
    }
    [[nodiscard]] static std::string_view labelOf(const std::string& reason)
    {
        const auto value = parseKey<Reason>(reason);
        return value ? label(*value) : std::string_view(reason);
    }

    void notProved(std::string text) { m_proof.notProved.push_back(std::move(text)); }
    void fail(std::string text)
    {
        if (m_proof.failures.size() < kFailures)
            m_proof.failures.push_back(std::move(text));
    }

    const Definition& m_definition;
    const ProveOptions& m_options;
    Family m_family;
    std::set<std::string> m_standIns;
    std::map<std::string, std::pair<std::string, std::string>> m_tools;  // by path: workflow, tool
    std::set<std::string> m_reached;
    std::vector<Variant> m_variants;
    std::vector<Series> m_series;
    std::size_t m_work = 0;
    std::size_t m_leftOut = 0;
    Proof m_proof;
};

}  // namespace

Proof proveWorkflow(const Definition& definition, const ProveOptions& options)
{
    return Prover(definition, options).prove();
}

}  // namespace cairn
