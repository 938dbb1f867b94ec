// workflow check --prove.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/cairn/simulated_store.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/report/prove.h"

#include <algorithm>
#include <filesystem>

namespace cairn::cli {

namespace {

Json jsonOf(const StepProof& step)
{
    const auto orNull = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    return {{"step", step.step}, {"tool", step.tool}, {"safety", key(step.safety)},
        {"worst", step.calls == 0 ? Json() : Json(worstName(step.worst))},
        {"boundary", orNull(step.boundary)}, {"reason", orNull(step.reason)}, {"kills", step.boundaries},
        {"calls", step.calls}, {"note", step.note}};
}

void print(Session& s, const std::string& file, const ProveOptions& options, const Proof& proof)
{
    if (s.options.json) {
        Json steps = Json::array();
        for (const auto& step : proof.steps)
            steps.push_back(jsonOf(step));
        s.json(dump(
            Json{{"file", file}, {"seed", options.seed}, {"items", options.items}, {"kills", proof.kills},
                {"steps", steps}, {"failures", proof.failures}, {"not_proved", proof.notProved}}));
        return;
    }
    s.line(file + ": " + std::to_string(proof.kills) + " kills, lists of " + std::to_string(options.items)
        + " items, seed " + std::to_string(options.seed) + "; at worst:");
    for (const auto& step : proof.steps) {
        s.line("  " + pad(step.step, 20) + " " + pad(std::string(key(step.safety)), 13)
            + pad(step.calls == 0 ? "-" : worstName(step.worst), 11) + step.note);
        if (!step.boundary.empty())
            s.line("  " + pad("", 45) + "killed " + step.boundary);
    }
    for (const auto& failure : proof.failures)
        s.line("  FAILED: " + failure);
    for (const auto& text : proof.notProved)
        s.line("  not proved: " + text);
}

// Workflows that it starts: of the other files that were named, else NAME.json beside it.
void addChildren(
    const Definition& definition, const std::filesystem::path& folder, std::vector<Definition>& children)
{
    for (const StepDef& step : definition.steps) {
        const auto known = [&](const Definition& child) { return child.ref.name == step.workflow; };
        if (step.kind != StepKind::Run || std::any_of(children.begin(), children.end(), known))
            continue;
        const auto text = readArgument("@" + (folder / (step.workflow + ".json")).string());
        ParsedDefinition parsed = text ? parseDefinition(*text) : ParsedDefinition{};
        if (!parsed || parsed.definition->ref.name != step.workflow)
            continue;
        children.push_back(*std::move(parsed.definition));
        addChildren(Definition(children.back()), folder, children);
    }
}

int proveOne(Session& s, const std::string& file, const Definition& definition, ProveOptions options)
{
    addChildren(definition, std::filesystem::path(file).parent_path(), options.children);
    const Proof proof = proveWorkflow(definition, options);
    print(s, file, options, proof);
    return proof.failures.empty() ? kDone : kRefused;
}

Status checkKeyless(const std::vector<Definition>& definitions, const std::vector<std::string>& keyless)
{
    for (const std::string& name : keyless)
        if (std::none_of(definitions.begin(), definitions.end(),
                [&](const Definition& definition) { return definition.tool(name) != nullptr; }))
            return makeError(ErrorKind::InvalidInput, "--keyless: there is no tool \"" + name + "\"");
    return {};
}

Result<std::string> inputOf(const ProveArguments& arguments)
{
    if (arguments.input.empty())
        return std::string();
    CAIRN_TRY_ASSIGN(std::string input, readArgument(arguments.input));
    CAIRN_TRY(validateJson(input));
    return input;
}

}  // namespace

int prove(Session& s, const std::vector<std::string>& files, const std::vector<Definition>& definitions,
    const ProveArguments& arguments)
{
    ProveOptions options;
    options.makeStore = &simulatedStore;
    options.seed = arguments.seed;
    options.items = arguments.items;
    options.keyless.insert(arguments.keyless.begin(), arguments.keyless.end());
    options.children = definitions;
    if (const Status known = checkKeyless(definitions, arguments.keyless); !known)
        return s.fail(known.error());
    auto input = inputOf(arguments);
    if (!input)
        return s.fail(input.error());
    int code = kDone;
    for (std::size_t i = 0; i < definitions.size(); ++i) {
        options.input = i == 0 ? *input : std::string();
        code = std::max(code, proveOne(s, files[i], definitions[i], options));
    }
    return code;
}

}  // namespace cairn::cli
