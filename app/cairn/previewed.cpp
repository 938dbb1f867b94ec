#include "app/cairn/previewed.h"

#include "app/cairn/cli.h"
#include "core/base/text.h"

namespace cairn::cli {

namespace {

constexpr std::size_t kMost = 50;  // steps that are told; the cost covers all

bool isMoney(const std::string& unit) { return unit.size() == 3; }

std::string amount(const std::string& unit, std::int64_t value)
{
    return isMoney(unit) ? formatMoney(value, unit) : formatCount(value) + " " + unit;
}

std::string plain(const std::string& unit, std::int64_t value)
{
    return isMoney(unit) ? formatAmount(value, unit) : std::to_string(value);
}

Json jsonNext(const PreviewStep& step)
{
    Json worst = Json::array();
    for (const Usage& usage : step.worst)
        worst.push_back({{"unit", usage.unit}, {"amount", plain(usage.unit, usage.amount)}});
    return {{"step", jsonText(step.step)}, {"kind", key(step.kind)},
        {"tool", step.tool.empty() ? Json() : jsonText(step.tool)}, {"attempt", step.attempt},
        {"workflow", step.workflow.empty() ? Json() : jsonText(step.workflow)}, {"version", step.version},
        {"input",
            step.input
                ? Json{{"id", toText(step.input.id)}, {"size", step.input.size}, {"media", step.input.media}}
                : Json()},
        {"amount", jsonMoney(step.amount)}, {"worst", worst},
        {"timeout_ms", step.timeout > 0 ? Json(step.timeout) : Json()}};
}

Json jsonCost(const PreviewCost& cost)
{
    Json json{{"unit", cost.unit}, {"worst", plain(cost.unit, cost.worst)}};
    json["limit"] = cost.line ? Json(plain(cost.unit, cost.line->limit)) : Json();
    json["used"] = cost.line ? Json(plain(cost.unit, cost.line->used)) : Json();
    json["reserved"] = cost.line ? Json(plain(cost.unit, cost.line->reserved)) : Json();
    json["fits"] = cost.fits();
    return json;
}

void printNext(Session& s, const PreviewStep& step)
{
    std::string line = "    step \"" + step.step + "\", attempt " + std::to_string(step.attempt);
    if (!step.tool.empty())
        line += ", tool " + step.tool;
    if (!step.workflow.empty())
        line += ", as " + step.workflow + "@" + std::to_string(step.version) + " says";
    line += step.input ? ", on input " + toText(step.input.id) + " ("
            + formatCount(static_cast<std::int64_t>(step.input.size)) + " bytes)"
                       : std::string(", on no input yet");
    for (const Usage& usage : step.worst)
        line += ", at most " + amount(usage.unit, usage.amount);
    s.line(line);
}

}  // namespace

void addPreviewParts(Json& json, const Preview& preview)
{
    Json next = Json::array(), cost = Json::array(), left = Json::array();
    for (const PreviewStep& step : preview.parts.next)
        if (next.size() < kMost)
            next.push_back(jsonNext(step));
    for (const PreviewCost& line : preview.parts.cost)
        cost.push_back(jsonCost(line));
    for (const std::string& line : preview.parts.leftOut)
        left.push_back(jsonText(line));
    json["next"] = next;
    json["next_count"] = preview.parts.next.size();
    json["cost"] = cost;
    json["left_out"] = left;
    json["undo"] = {{"possible", preview.undo.possible},
        {"verb", preview.undo.by ? Json(key(*preview.undo.by)) : Json()}};
}

void printPreviewParts(Session& s, const PreviewParts& parts)
{
    if (!parts.next.empty())
        s.line("  runs next, on exactly this:");
    for (std::size_t i = 0; i < parts.next.size() && i < kMost; ++i)
        printNext(s, parts.next[i]);
    if (parts.next.size() > kMost)
        s.line("    and " + formatCount(static_cast<std::int64_t>(parts.next.size() - kMost)) + " more");
    if (!parts.cost.empty())
        s.line("  costs at most:");
    for (const PreviewCost& cost : parts.cost)
        s.line("    " + amount(cost.unit, cost.worst)
            + (cost.line ? " of the budget of " + amount(cost.unit, cost.line->limit) + ", of which "
                        + amount(cost.unit, cost.line->used) + " are used and "
                        + amount(cost.unit, cost.line->reserved) + " reserved"
                        + (cost.fits() ? "" : ": more than is left, so not all of it runs")
                         : std::string(", and no budget limits it")));
    if (!parts.leftOut.empty())
        s.line("  left out:");
    for (const std::string& line : parts.leftOut)
        s.line("    " + line);
}

}  // namespace cairn::cli
