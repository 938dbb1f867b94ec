#include "core/definition/plan.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/text_values.h"

#include <set>

namespace cairn {

namespace {

Error bad(std::size_t item, const std::string& text)
{
    return makeError(ErrorKind::InvalidInput, "the plan's step " + std::to_string(item) + " " + text);
}

Status readField(cmd::NewStep& step, const JsonMember& member)
{
    if (member.name == "id" || member.name == "name") {
        CAIRN_TRY_ASSIGN((member.name == "id" ? step.id : step.name), jsonString(member.value));
        return {};
    }
    if (member.name != "after")
        return makeError(ErrorKind::InvalidInput, "has the unknown field " + jsonQuote(member.name));
    CAIRN_TRY_ASSIGN(const auto items, jsonArraySlices(member.value));
    for (const std::string_view item : items) {
        CAIRN_TRY_ASSIGN(std::string id, jsonString(item));
        step.after.push_back(std::move(id));
    }
    return {};
}

Result<cmd::NewStep> readStep(
    const Definition& definition, std::string_view slice, std::string_view decisionId)
{
    cmd::NewStep step;
    CAIRN_TRY_ASSIGN(const auto members, jsonObjectMembers(slice));
    bool hasAfter = false;
    for (const JsonMember& member : members) {
        hasAfter = hasAfter || member.name == "after";
        CAIRN_TRY(readField(step, member));
    }
    const StepDef* def = definition.step(step.name);
    if (!def || !def->onDemand)
        return makeError(ErrorKind::InvalidInput,
            "names " + jsonQuote(step.name) + ", which is no step \"on_demand\" of " + definition.ref.name);
    if (step.id.empty())
        step.id = step.name;
    if (step.id.size() > 200 || step.id.find_first_of("/#") != std::string::npos)
        return makeError(ErrorKind::InvalidInput,
            "has the id " + jsonQuote(step.id.substr(0, 60))
                + ": an id has at most 200 bytes and no '/' or '#'");
    CAIRN_TRY(checkStepId(step.id));
    if (!hasAfter)
        step.after.emplace_back(decisionId);
    step.kind = def->kind;
    step.tool = def->tool;
    step.agent = def->agent;
    if (const ToolDef* tool = definition.tool(def->tool))
        step.safety = tool->safety;
    return step;
}

}  // namespace

Status checkStepId(std::string_view id)
{
    if (visibleLine(id) == id)
        return {};
    return makeError(ErrorKind::InvalidInput,
        "has the id \"" + visibleLine(clipped(id, 60))
            + "\": an id is text of one line without control, directional or zero-width characters");
}

Result<std::vector<cmd::NewStep>> readPlan(
    const Definition& definition, std::string_view decisionId, std::string_view output)
{
    std::vector<cmd::NewStep> plan;
    if (jsonKind(output) != JsonKind::Object)
        return plan;
    auto steps = jsonAt(output, "/steps");
    if (!steps)
        return plan;
    CAIRN_TRY(validateJson(*steps, kInterpretedJson));
    auto items = jsonArraySlices(*steps);
    if (!items)
        return makeError(ErrorKind::InvalidInput, "the plan's \"steps\": " + items.error().text);
    if (items->size() > kMaxAddedSteps)
        return makeError(ErrorKind::InvalidInput,
            "the plan has " + std::to_string(items->size()) + " steps, at most "
                + std::to_string(kMaxAddedSteps) + " are accepted");
    std::set<std::string> ids;
    for (const std::string_view item : *items) {
        auto step = readStep(definition, item, decisionId);
        if (!step)
            return bad(plan.size() + 1, step.error().text);
        if (!ids.insert(step->id).second)
            return bad(plan.size() + 1, "has the id " + jsonQuote(step->id) + " of an earlier one");
        plan.push_back(*std::move(step));
    }
    return plan;
}

}  // namespace cairn
