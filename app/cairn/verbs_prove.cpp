// workflow check --prove.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/definition/parse.h"
#include "core/report/prove.h"

namespace cairn::cli {

namespace {

std::string pad(std::string text, std::size_t width)
{
    if (text.size() < width)
        text.append(width - text.size(), ' ');
    return text;
}

void print(Session& s, const std::string& file, const Proof& proof)
{
    if (s.options.json) {
        Json steps = Json::array();
        for (const auto& step : proof.steps)
            steps.push_back({{"step", step.step}, {"tool", step.tool}, {"safety", key(step.safety)},
                {"worst", worstName(step.worst)}, {"kills", step.boundaries}, {"calls", step.calls},
                {"note", step.note}});
        s.line(dump(
            Json{{"file", file}, {"kills", proof.kills}, {"steps", steps}, {"failures", proof.failures}}));
        return;
    }
    s.line(file + ": " + std::to_string(proof.kills) + " kills; at worst:");
    for (const auto& step : proof.steps)
        s.line("  " + pad(step.step, 20) + pad(std::string(key(step.safety)), 14)
            + pad(worstName(step.worst), 11)
            + (step.boundaries == 0 ? "not reached: only a decision's plan adds it" : step.note));
    for (const auto& failure : proof.failures)
        s.line("  FAILED: " + failure);
}

}  // namespace

int proveWorkflows(Session& s, const std::vector<std::string>& files)
{
    int code = kDone;
    for (const auto& file : files) {
        auto text = readArgument("@" + file);
        if (!text)
            return s.fail(text.error());
        const ParsedDefinition parsed = parseDefinition(*text);
        if (!parsed)
            return s.fail(kRefused, file + " is not valid");
        const Proof proof = proveWorkflow(*parsed.definition);
        print(s, file, proof);
        if (!proof.failures.empty())
            code = kRefused;
    }
    return code;
}

}  // namespace cairn::cli
