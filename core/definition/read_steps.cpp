// Steps of a definition: what each kind takes.
#include "core/definition/cron.h"
#include "core/definition/reader.h"
#include "core/definition/text_values.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr std::array<std::string_view, 6> kKinds{"tool", "decision", "approval", "timer", "signal", "run"};

// Fields beside those that every step has, by kind (in the order of kKinds, which is that of StepKind).
constexpr std::array<std::array<std::string_view, 6>, 6> kTaken{{
    {"tool", "input", "approval", "for_each", "retry", "timeout"},
    {"tool", "input", "for_each", "retry", "timeout", "adds_steps"},
    {"input", "approval"},
    {"wait", "until", "at", "next"},
    {"signal", "wait"},
    {"workflow", "workflow_version", "input", "allotment", "for_each"},
}};
constexpr std::array<std::string_view, 16> kSpecial{"tool", "input", "approval", "for_each", "retry",
    "timeout", "adds_steps", "wait", "until", "at", "next", "signal", "workflow", "workflow_version",
    "allotment", "agent"};

ApprovalPolicy readApproval(Fields& step)
{
    ApprovalPolicy policy;
    Fields fields(step.report(), step.node("approval"), "\"approval\"", {"role", "expires", "needed"});
    fields.require("role");
    policy.role = fields.identifier("role");
    policy.expiresAfter = fields.span("expires", policy.expiresAfter);
    policy.needed = static_cast<std::uint8_t>(fields.integer("needed", 1, 10, 1));
    return policy;
}

ForEach readForEach(Fields& step)
{
    ForEach forEach;
    Fields fields(
        step.report(), step.node("for_each"), "\"for_each\"", {"from", "at", "allow_failures", "max_items"});
    fields.require("from");
    forEach.step = fields.text("from");
    forEach.at = fields.pointer("at");
    forEach.allowFailures = fields.flag("allow_failures", false);
    forEach.maxItems = static_cast<std::uint32_t>(fields.integer("max_items", 1, 100'000, forEach.maxItems));
    return forEach;
}

void readZone(StepDef& out, Fields& fields)
{
    if (!fields.require("zone"))
        return;
    out.zone = fields.text("zone");
    if (const Status known = checkZone(out.zone); !known && !out.zone.empty())
        fields.error("zone", known.error().text);
}

// A local time that is written here must exist in the calendar; whether a clock shows it that night is for
// the rule.
void readLocal(StepDef& out, Fields& step)
{
    Fields fields(step.report(), step.node("at"), "\"at\"", {"local", "zone"});
    readZone(out, fields);
    if (!fields.require("local"))
        return;
    out.local = fields.raw("local");
    if (jsonKind(out.local) != JsonKind::String)
        return;
    const auto text = jsonString(out.local);
    const auto local = text ? parseLocalTime(*text) : Result<LocalSeconds>(text.error());
    if (!local)
        return fields.error("local", local.error().text);
    if (const auto instant = instantOf(*local, out.zone); !instant && checkZone(out.zone))
        fields.error("local", instant.error().text);
}

void readNext(StepDef& out, Fields& step)
{
    Fields fields(step.report(), step.node("next"), "\"next\"", {"cron", "zone"});
    readZone(out, fields);
    if (!fields.require("cron"))
        return;
    out.cron = fields.text("cron");
    if (out.cron.empty())
        return;
    const auto rule = parseCron(out.cron);
    if (!rule)
        return fields.error("cron", rule.error().text);
    constexpr TimeMs kAnyTime = 1'790'000'000'000;  // whether there is one at all; no clock is read here
    if (const auto next = nextMatch(*rule, out.zone, kAnyTime); !next && checkZone(out.zone))
        fields.error("cron", next.error().text);
}

void forbidOthers(Fields& step, int kind)
{
    const auto& taken = kTaken[static_cast<std::size_t>(kind)];
    const std::string_view kindName = kKinds[static_cast<std::size_t>(kind)];
    for (const std::string_view name : kSpecial) {
        if (name == "agent" || std::find(taken.begin(), taken.end(), name) != taken.end())
            continue;
        step.forbid(name, "it is of kind " + jsonQuote(kindName));
    }
}

void readByKind(StepDef& out, Fields& step)
{
    switch (out.kind) {
    case StepKind::Tool:
    case StepKind::Decision: step.require("tool"); break;
    case StepKind::Approval: step.require("approval"); break;
    case StepKind::Timer:
        if (step.has("wait") + step.has("until") + step.has("at") + step.has("next") != 1)
            step.report().error(step.self().raw, step.self().pointer,
                step.what() + " needs one of \"wait\", \"until\", \"at\" and \"next\"");
        break;
    case StepKind::Signal: step.require("signal"); break;
    case StepKind::Run: step.require("workflow"); break;
    case StepKind::FanOut: break;
    }
}

StepDef readStep(Report& report, const Node& node, const Definition& definition)
{
    StepDef out;
    Fields step(report, node, "a step",
        {"name", "kind", "title", "agent", "after", "when", "after_skipped", "on_demand", "tool", "input",
            "approval", "for_each", "retry", "timeout", "adds_steps", "wait", "until", "at", "next", "signal",
            "workflow", "workflow_version", "allotment"});
    if (step.require("name"))
        out.name = step.identifier("name");
    if (!out.name.empty())
        step.rename("step " + jsonQuote(out.name));
    const int kind =
        step.choice("kind", {kKinds[0], kKinds[1], kKinds[2], kKinds[3], kKinds[4], kKinds[5]}, 0);
    out.kind = static_cast<StepKind>(kind + 1);
    if (!report.hasErrorAtOrBelow(step.node("kind").pointer)) {
        forbidOthers(step, kind);
        readByKind(out, step);
    }
    out.title = step.text("title");
    out.agent = step.text("agent");
    out.after = step.identifiers("after");
    out.condition = step.rawObject("when");
    out.runsAfterSkip = step.flag("after_skipped", false);
    out.onDemand = step.flag("on_demand", false);
    out.tool = step.text("tool");
    out.input = step.raw("input");
    if (step.has("approval"))
        out.approval = readApproval(step);
    if (step.has("for_each"))
        out.forEach = readForEach(step);
    const ToolDef* tool = definition.tool(out.tool);
    const RetryPolicy ofTool = tool ? tool->retry : RetryPolicy{};
    if (step.has("retry"))
        out.retry = readRetry(step, "retry", ofTool);
    out.timeout = step.span("timeout", 0);
    if (out.timeout > ofTool.maxTotal && !out.retry)
        out.retry = ofTool;
    if (out.retry)
        boundAttempt(step, *out.retry, out.timeout);
    out.addsSteps = step.flag("adds_steps", false);
    out.wait = step.span("wait", 0);
    out.until = step.raw("until");
    if (step.has("at"))
        readLocal(out, step);
    if (step.has("next"))
        readNext(out, step);
    out.signal = step.identifier("signal");
    out.workflow = step.identifier("workflow");
    out.workflowVersion = static_cast<std::uint32_t>(step.integer("workflow_version", 1, 0xFFFFFFFF, 0));
    out.allotment = readBudget(step, "allotment");
    return out;
}

}  // namespace

void readSteps(Definition& out, Fields& top)
{
    if (!top.require("steps"))
        return;
    const auto items = top.list("steps");
    if (items.empty() && jsonKind(top.node("steps").raw) == JsonKind::Array)
        top.error("steps", "a workflow needs at least one step");
    for (const Node& item : items)
        out.steps.push_back(readStep(top.report(), item, out));
}

}  // namespace cairn
