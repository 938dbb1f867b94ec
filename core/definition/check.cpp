// Rules between the parts of a definition: names, order, and what reads what.
#include "core/definition/graph.h"
#include "core/definition/reader.h"
#include "core/definition/template.h"
#include "core/definition/text_values.h"

#include <algorithm>
#include <set>

namespace cairn {

namespace {

constexpr std::size_t kMaxSteps = 10'000;

class Checker {
public:
    Checker(const Definition& definition, Report& report)
        : m_definition(definition)
        , m_report(report)
        , m_graph(definition)
    {
        if (auto whole = jsonAt(report.text(), "/steps"))
            if (auto items = jsonArraySlices(*whole))
                m_stepTexts = *std::move(items);
    }

    void run()
    {
        for (std::size_t i = 0; i < m_definition.steps.size(); ++i)
            checkStep(i);
        checkOrder();
        findSkippable();
        for (std::size_t i = 0; i < m_definition.steps.size(); ++i)
            checkReads(i);
        checkOnDemand();
        for (const ToolDef& tool : m_definition.tools)
            checkTool(tool);
        checkWorkers();
        checkOutput();
        checkLimits();
        checkMigrations();
        checkCompensation();
    }

private:
    [[nodiscard]] static std::string at(std::size_t step) { return "/steps/" + std::to_string(step); }
    // The slice of a step's field in the text, and its pointer; the step itself where the field is not
    // written.
    [[nodiscard]] Node field(std::size_t step, const std::string& name) const
    {
        auto found = jsonAt(m_stepTexts[step], '/' + name);
        return {found ? *found : m_stepTexts[step], at(step) + '/' + name};
    }
    void error(const Node& node, std::string text)
    {
        m_report.error(node.raw, node.pointer, std::move(text));
    }
    void warn(const Node& node, std::string text)
    {
        m_report.warning(node.raw, node.pointer, std::move(text));
    }
    [[nodiscard]] std::string quoted(std::size_t step) const
    {
        return jsonQuote(m_definition.steps[step].name);
    }
    [[nodiscard]] std::string nearStep(std::string_view name) const
    {
        return didYouMean(
            nearestName(name, m_definition.steps, [](const StepDef& s) { return std::string_view(s.name); }));
    }

    void checkStep(std::size_t i);
    void checkAfter(std::size_t i);
    void checkStepTool(std::size_t i);
    void checkEffectKey(std::size_t i, const ToolDef& tool);
    void checkAllotment(std::size_t i);
    void checkOrder();
    void findSkippable();
    void checkReads(std::size_t i);
    void checkScan(std::size_t i, const Node& node, const TemplateScan& scan, bool mayReadItem);
    void checkReference(
        std::size_t i, const Node& node, const TemplateReference& reference, bool mayReadItem);
    bool checkUpstream(std::size_t i, const Node& place, const std::string& source);
    void checkOnDemand();
    void checkTool(const ToolDef& tool);
    void checkUndo(const ToolDef& tool);
    void checkWorkers();
    void checkOutput();
    void checkLimits();
    void checkMigrations();
    void checkCompensation();

    const Definition& m_definition;
    Report& m_report;
    StepGraph m_graph;
    std::vector<std::string_view> m_stepTexts;
    std::vector<bool> m_skippable;  // may end skipped, and so without an output
    std::set<std::string, std::less<>> m_usedTools;
};

void Checker::checkStep(std::size_t i)
{
    const StepDef& step = m_definition.steps[i];
    if (const auto first = m_graph.find(step.name); first != i && !step.name.empty()) {
        const LineColumn place = lineColumn(
            m_report.text(), static_cast<std::size_t>(m_stepTexts[*first].data() - m_report.text().data()));
        error(field(i, "name"),
            "two steps are named " + quoted(i) + ", the first in line " + std::to_string(place.line));
    }
    if (step.name == kInputSource || step.name == kItemSource || step.name == kOutputSource)
        error(field(i, "name"), quoted(i) + " is a word of templates and cannot name a step");
    if (!step.agent.empty()
        && std::find(m_definition.agents.begin(), m_definition.agents.end(), step.agent)
            == m_definition.agents.end())
        error(field(i, "agent"),
            "there is no agent " + jsonQuote(step.agent) + " in \"agents\""
                + didYouMean(nearestName(step.agent, m_definition.agents,
                    [](const std::string& a) { return std::string_view(a); })));
    if (m_definition.deadline > 0 && step.kind == StepKind::Timer && step.wait > m_definition.deadline)
        error(field(i, "wait"),
            "step " + quoted(i) + " waits " + spanText(step.wait) + ", longer than the run's deadline of "
                + spanText(m_definition.deadline));
    checkAfter(i);
    checkStepTool(i);
    checkAllotment(i);
}

void Checker::checkAfter(std::size_t i)
{
    const StepDef& step = m_definition.steps[i];
    for (const std::string& name : step.after) {
        const auto found = m_graph.find(name);
        if (found == i)
            continue;  // a cycle of one, reported with the others
        if (!found)
            error(field(i, "after"),
                "step " + quoted(i) + " comes after " + jsonQuote(name) + ", but there is no such step"
                    + nearStep(name));
        else if (m_definition.steps[*found].onDemand && !step.onDemand)
            error(field(i, "after"),
                "step " + quoted(i) + " comes after " + jsonQuote(name)
                    + ", which is on demand and may never be added");
    }
}

void Checker::checkStepTool(std::size_t i)
{
    const StepDef& step = m_definition.steps[i];
    if (step.tool.empty())
        return;
    const ToolDef* tool = m_definition.tool(step.tool);
    if (!tool)
        return error(field(i, "tool"),
            "there is no tool " + jsonQuote(step.tool) + " in \"tools\""
                + didYouMean(nearestName(step.tool, m_definition.tools,
                    [](const ToolDef& t) { return std::string_view(t.name); })));
    m_usedTools.insert(step.tool);
    if (step.kind == StepKind::Decision && writes(tool->safety))
        error(field(i, "tool"),
            "decision " + quoted(i) + " uses tool " + jsonQuote(step.tool)
                + ", which writes: choosing and doing are two steps, so a decision's tool is read_only");
    if (writes(tool->safety))
        checkEffectKey(i, *tool);
}

// The effect key and the amount are read from the rendered input: what the input cannot have is a mistake
// here.
void Checker::checkEffectKey(std::size_t i, const ToolDef& tool)
{
    const StepDef& step = m_definition.steps[i];
    std::vector<std::pair<std::string, std::string>> reads;  // pointer, what reads it
    const auto parts = parseEffectKey(tool.effectKey);
    bool differs = tool.effectKey.empty() || !parts;  // a malformed key was reported with its tool
    bool differsByItem = differs;
    if (parts)
        for (const KeyPart& part : *parts)
            if (part.isPointer) {
                const StaticLook look = lookStatically(step.input, part.text);
                reads.emplace_back(part.text, "effect key");
                differs = differs || look.answer != StaticAnswer::Literal;
                differsByItem = differsByItem || look.fromItem || look.answer == StaticAnswer::Missing;
            }
    for (const std::string& pointer : {tool.amountAt, tool.currencyAt})
        if (!pointer.empty())
            reads.emplace_back(pointer, "amount");
    for (const auto& [pointer, what] : reads)
        if (lookStatically(step.input, pointer).answer == StaticAnswer::Missing)
            error(field(i, "input"),
                "the " + what + " of tool " + jsonQuote(tool.name) + " reads " + pointer
                    + ", which the input of step " + quoted(i) + " does not have");
    if (!differs)
        warn(field(i, "input"),
            "the effect key of tool " + jsonQuote(tool.name) + " is the same for every run of step "
                + quoted(i) + ": the second run would be given the first one's result");
    else if (step.forEach && !differsByItem)
        error(field(i, "input"),
            "the effect key of tool " + jsonQuote(tool.name) + " is the same for every item of step "
                + quoted(i) + ": let it read something of the item");
}

void Checker::checkAllotment(std::size_t i)
{
    for (const BudgetLine& line : m_definition.steps[i].allotment) {
        const auto own = std::find_if(m_definition.budget.begin(), m_definition.budget.end(),
            [&](const BudgetLine& b) { return b.unit == line.unit; });
        if (own == m_definition.budget.end())
            error(field(i, "allotment"),
                "step " + quoted(i) + " gives its child an allotment of " + line.unit
                    + ", but the workflow has no budget in it");
        else if (line.limit > own->limit)
            error(field(i, "allotment"),
                "step " + quoted(i) + " gives its child more " + line.unit
                    + " than the workflow's whole budget");
    }
}

void Checker::checkOrder()
{
    std::vector<bool> inCycle(m_definition.steps.size());
    for (const auto& cycle : m_graph.cycles()) {
        std::string names;
        for (const std::size_t step : cycle) {
            names += quoted(step) + " -> ";
            inCycle[step] = true;
        }
        error(field(cycle.front(), "after"),
            cycle.size() == 1 ? "step " + quoted(cycle.front()) + " waits for itself"
                              : "steps wait for each other: " + names + quoted(cycle.front()));
    }
    for (std::size_t i = 0; i < m_definition.steps.size(); ++i)
        if (!m_graph.ordered(i) && !inCycle[i])
            error(field(i, "after"),
                "step " + quoted(i)
                    + " can never begin: what it waits for is part of, or behind, steps "
                      "that wait for each other");
}

void Checker::findSkippable()
{
    m_skippable.resize(m_definition.steps.size());
    for (const std::size_t i : m_graph.order()) {
        const StepDef& step = m_definition.steps[i];
        m_skippable[i] = !step.condition.empty();
        if (!step.runsAfterSkip)
            for (const std::size_t earlier : m_graph.after(i))
                m_skippable[i] = m_skippable[i] || m_skippable[earlier];
    }
}

void Checker::checkReads(std::size_t i)
{
    const StepDef& step = m_definition.steps[i];
    if (!step.condition.empty()) {
        const Node node = field(i, "when");
        checkScan(i, node, scanCondition(node.raw), false);
    }
    if (!step.input.empty()) {
        const Node node = field(i, "input");
        checkScan(i, node, scanTemplate(node.raw), step.forEach.has_value());
    }
    if (!step.until.empty()) {
        const Node node = field(i, "until");
        const TemplateScan scan = scanTemplate(node.raw);
        checkScan(i, node, scan, false);
        auto text = jsonString(node.raw);
        if (scan.references.empty() && scan.faults.empty() && (!text || !parseInstant(*text)))
            error(node, "\"until\" must be an instant like \"2026-03-01T09:00:00Z\" or {\"$from\": ...}");
    }
    if (!step.local.empty()) {
        const Node node = field(i, "at/local");
        const TemplateScan scan = scanTemplate(node.raw);
        checkScan(i, node, scan, false);
        if (scan.references.empty() && scan.faults.empty() && jsonKind(node.raw) != JsonKind::String)
            error(node, "\"local\" must be a local time like \"2027-03-28T02:30\" or {\"$from\": ...}");
    }
    if (step.forEach && step.forEach->step != kInputSource && !step.forEach->step.empty()) {
        const Node node = field(i, "for_each");
        auto from = jsonAt(node.raw, "/from");
        checkUpstream(i, {from ? *from : node.raw, node.pointer + "/from"}, step.forEach->step);
    }
}

void Checker::checkScan(std::size_t i, const Node& node, const TemplateScan& scan, bool mayReadItem)
{
    for (const TemplateFault& fault : scan.faults)
        m_report.error(fault.slice, node.pointer, fault.text);
    for (const TemplateReference& reference : scan.references)
        checkReference(i, node, reference, mayReadItem);
}

void Checker::checkReference(
    std::size_t i, const Node& node, const TemplateReference& reference, bool mayReadItem)
{
    const Node place{reference.sourceSlice, node.pointer};
    if (reference.source == kInputSource || (reference.source == kItemSource && mayReadItem))
        return;
    if (reference.source == kItemSource)
        return error(place, "\"item\" is known only in the input of a step with \"for_each\"");
    if (!checkUpstream(i, place, reference.source) || reference.hasElse)
        return;
    const auto source = m_graph.find(reference.source);
    if (m_definition.steps[i].runsAfterSkip && m_skippable[*source])
        warn(place,
            "step " + quoted(i) + " begins even where " + jsonQuote(reference.source)
                + " was skipped, and then has nothing to read: give \"else\"");
}

bool Checker::checkUpstream(std::size_t i, const Node& place, const std::string& source)
{
    const auto found = m_graph.find(source);
    if (!found) {
        error(place,
            "step " + quoted(i) + " reads " + jsonQuote(source) + ", but there is no such step"
                + nearStep(source));
        return false;
    }
    if (*found == i) {
        error(place, "step " + quoted(i) + " reads its own output");
        return false;
    }
    if (!m_graph.ordered(i) || m_graph.isUpstream(i, *found))
        return m_graph.ordered(i);
    error(place,
        "step " + quoted(i) + " reads " + jsonQuote(source) + ", which need not be done before it: add "
            + jsonQuote(source) + " to its \"after\"");
    return false;
}

void Checker::checkOnDemand()
{
    const auto adds = std::any_of(
        m_definition.steps.begin(), m_definition.steps.end(), [](const auto& s) { return s.addsSteps; });
    bool any = false;
    for (std::size_t i = 0; i < m_definition.steps.size(); ++i) {
        const StepDef& step = m_definition.steps[i];
        any = any || step.onDemand;
        if (step.onDemand && !adds)
            error(field(i, "on_demand"),
                "step " + quoted(i)
                    + " can never begin: it is on demand, and no decision has "
                      "\"adds_steps\"");
        if (step.onDemand && step.addsSteps)
            error(field(i, "on_demand"),
                "decision " + quoted(i) + " adds steps and cannot be on demand itself");
    }
    for (std::size_t i = 0; adds && !any && i < m_definition.steps.size(); ++i)
        if (m_definition.steps[i].addsSteps)
            error(field(i, "adds_steps"),
                "decision " + quoted(i) + " adds steps, but no step is \"on_demand\"");
}

void Checker::checkTool(const ToolDef& tool)
{
    const std::string pointer = "/tools/" + jsonPointerPart(tool.name);
    const auto undoes = [&](const ToolDef& other) { return other.undoTool == tool.name; };
    const bool isUndo = std::any_of(m_definition.tools.begin(), m_definition.tools.end(), undoes);
    if (m_usedTools.count(tool.name) == 0 && !isUndo)
        m_report.warningAt(pointer, "tool " + jsonQuote(tool.name) + " is not used by any step");
    for (const Usage& usage : tool.worstCase)
        for (const BudgetLine& line : m_definition.budget)
            if (line.unit == usage.unit && usage.amount > line.limit)
                m_report.errorAt(pointer + "/worst_case",
                    "one call of tool " + jsonQuote(tool.name) + " may use more " + usage.unit
                        + " than the workflow's whole budget");
    if (!tool.undoTool.empty())
        checkUndo(tool);
}

void Checker::checkUndo(const ToolDef& tool)
{
    const std::string pointer = "/tools/" + jsonPointerPart(tool.name) + "/undo";
    const ToolDef* undo = m_definition.tool(tool.undoTool);
    if (!undo)
        m_report.errorAt(pointer + "/tool",
            "there is no tool " + jsonQuote(tool.undoTool) + " in \"tools\""
                + didYouMean(nearestName(tool.undoTool, m_definition.tools,
                    [](const ToolDef& t) { return std::string_view(t.name); })));
    else if (undo == &tool)
        m_report.errorAt(pointer + "/tool", "tool " + jsonQuote(tool.name) + " cannot undo itself");
    else if (!writes(undo->safety))
        m_report.errorAt(
            pointer + "/tool", "tool " + jsonQuote(tool.undoTool) + " is read_only and undoes nothing");
    auto input = jsonAt(m_report.text(), pointer + "/input");
    const TemplateScan scan = input ? scanTemplate(*input) : TemplateScan{};
    for (const TemplateFault& fault : scan.faults)
        m_report.error(fault.slice, pointer + "/input", fault.text);
    for (const TemplateReference& reference : scan.references)
        if (reference.source != kInputSource && reference.source != kOutputSource)
            m_report.error(reference.sourceSlice, pointer + "/input",
                "\"undo\" reads \"input\" (what the tool was given) and \"output\" (what it gave), not "
                    + jsonQuote(reference.source));
}

// Outside workers claim through the library's service; neither the engine nor a command hands work out.
void Checker::checkWorkers()
{
    std::string names;
    const ToolDef* first = nullptr;
    for (const ToolDef& tool : m_definition.tools) {
        if (tool.executor != "worker" || m_usedTools.count(tool.name) == 0)
            continue;
        first = first ? first : &tool;
        names += (names.empty() ? "" : ", ") + jsonQuote(tool.name);
    }
    if (first)
        m_report.warningAt("/tools/" + jsonPointerPart(first->name) + "/executor",
            "only a program that links Cairn's library can claim the steps of " + names
                + ": the engine does not run them and no command hands them out, so without such a program "
                  "they stay ready for ever; \"command\" or \"http\" are run by the engine");
}

void Checker::checkOutput()
{
    auto output = jsonAt(m_report.text(), "/output");
    if (!output)
        return;
    const TemplateScan scan = scanTemplate(*output);
    for (const TemplateFault& fault : scan.faults)
        m_report.error(fault.slice, "/output", fault.text);
    for (const TemplateReference& reference : scan.references) {
        if (reference.source == kInputSource)
            continue;
        const auto found = m_graph.find(reference.source);
        if (!found)
            m_report.error(reference.sourceSlice, "/output",
                "the output reads " + jsonQuote(reference.source) + ", but there is no such step"
                    + nearStep(reference.source));
        else if ((m_skippable[*found] || m_definition.steps[*found].onDemand) && !reference.hasElse)
            m_report.warning(reference.sourceSlice, "/output",
                "step " + jsonQuote(reference.source)
                    + " may be skipped, and the output then has nothing to "
                      "read: give \"else\"");
    }
}

void Checker::checkLimits()
{
    for (const LimitDef& limit : m_definition.limits)
        if (std::none_of(m_definition.tools.begin(), m_definition.tools.end(),
                [&](const ToolDef& t) { return t.resource == limit.resource; }))
            m_report.warningAt("/limits/" + jsonPointerPart(limit.resource),
                "no tool has the resource " + jsonQuote(limit.resource));
}

void Checker::checkMigrations()
{
    for (std::size_t m = 0; m < m_definition.migrations.size(); ++m) {
        const std::string pointer = "/migrations/" + std::to_string(m);
        std::set<std::string> targets;
        for (const auto& [from, to] : m_definition.migrations[m].renamedSteps) {
            const std::string at = pointer + "/renamed_steps/" + jsonPointerPart(from);
            if (!m_graph.find(to) && !to.empty())
                m_report.errorAt(at, "there is no step " + jsonQuote(to) + " to rename to" + nearStep(to));
            if (!targets.insert(to).second)
                m_report.errorAt(at, "two steps are renamed to " + jsonQuote(to));
        }
        for (std::size_t other = 0; other < m; ++other)
            if (m_definition.migrations[m].fromVersion != 0
                && m_definition.migrations[other].fromVersion == m_definition.migrations[m].fromVersion)
                m_report.errorAt(pointer + "/from_version",
                    "two migrations begin at version "
                        + std::to_string(m_definition.migrations[m].fromVersion));
    }
}

void Checker::checkCompensation()
{
    const bool undoes = std::any_of(m_definition.tools.begin(), m_definition.tools.end(),
        [](const ToolDef& tool) { return !tool.undoTool.empty(); });
    if (undoes)
        return;
    if (m_definition.compensateOnCancel)
        m_report.warningAt("/on_cancel", "no tool has \"undo\": there is nothing to compensate");
    if (m_definition.compensateOnFailure)
        m_report.warningAt("/on_failure", "no tool has \"undo\": there is nothing to compensate");
}

}  // namespace

void checkDefinition(const Definition& definition, Report& report)
{
    if (definition.steps.size() > kMaxSteps) {
        report.errorAt("/steps",
            "a workflow has at most " + std::to_string(kMaxSteps) + " steps, found "
                + std::to_string(definition.steps.size()) + ": use for_each or child runs");
        return;
    }
    Checker(definition, report).run();
}

}  // namespace cairn
