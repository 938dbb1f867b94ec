// workflow check --prove.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/report/prove.h"

namespace cairn::cli {

namespace {

void print(Session& s, const std::string& file, const Proof& proof)
{
    if (s.options.json) {
        Json steps = Json::array();
        for (const auto& step : proof.steps)
            steps.push_back({{"step", step.step}, {"tool", step.tool}, {"safety", key(step.safety)},
                {"worst", worstName(step.worst)}, {"kills", step.boundaries}, {"calls", step.calls},
                {"note", step.note}});
        s.json(dump(
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

int prove(Session& s, const std::string& file, const Definition& definition)
{
    const Proof proof = proveWorkflow(definition);
    print(s, file, proof);
    return proof.failures.empty() ? kDone : kRefused;
}

}  // namespace cairn::cli
