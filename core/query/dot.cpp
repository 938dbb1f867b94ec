// The task graph as DOT text (Graphviz). Fan-outs stand as one node with counts; their members are not drawn.

#include "core/base/text.h"
#include "core/query/query_impl.h"

#include <array>

namespace cairn {

namespace {

std::string dotText(std::string_view text)
{
    std::string out = "\"";
    for (const char c : visibleLine(text)) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "\"";
}

std::string counts(const RunState& state, const StepRecord& step)
{
    std::array<std::uint32_t, 10> in{};
    for (const StepIx member : step.members)
        ++in[static_cast<std::size_t>(state.steps[member].state)];
    std::string out;
    for (const Word& w : words<StepState>())
        if (in[w.value] > 0)
            out += (out.empty() ? "" : ", ") + std::to_string(in[w.value]) + " " + std::string(w.key);
    return out;
}

std::string nodeText(const RunState& state, const StepRecord& step)
{
    std::string text = step.id + " | " + std::string(key(step.state));
    if (step.state == StepState::Waiting || step.state == StepState::Failed)
        text += " (" + std::string(key(step.reason)) + ")";
    if (!step.tool.empty())
        text += " | " + step.tool;
    if (!step.members.empty())
        text += " | " + counts(state, step);
    return text;
}

const char* shapeOf(StepKind kind)
{
    switch (kind) {
    case StepKind::Approval: return "diamond";
    case StepKind::Decision: return "hexagon";
    case StepKind::FanOut: return "box3d";
    case StepKind::Run: return "folder";
    case StepKind::Timer:
    case StepKind::Signal: return "ellipse";
    default: return "box";
    }
}

}  // namespace

std::string dotOf(const RunState& state)
{
    std::string out = "digraph " + dotText(toText(state.id)) + " {\n  rankdir=LR;\n";
    for (StepIx ix = 0; ix < state.steps.size(); ++ix) {
        const StepRecord& step = state.steps[ix];
        if (step.owner != kNoStep)
            continue;
        out += "  s" + std::to_string(ix) + " [shape=" + shapeOf(step.kind)
            + ", label=" + dotText(nodeText(state, step)) + "];\n";
    }
    for (StepIx ix = 0; ix < state.steps.size(); ++ix) {
        const StepRecord& step = state.steps[ix];
        if (step.owner != kNoStep)
            continue;
        for (const StepIx before : step.after) {
            const StepIx drawn = state.steps[before].owner == kNoStep ? before : state.steps[before].owner;
            out += "  s" + std::to_string(drawn) + " -> s" + std::to_string(ix) + ";\n";
        }
        if (step.undoOf != kNoStep)
            out += "  s" + std::to_string(step.undoOf) + " -> s" + std::to_string(ix)
                + " [style=dashed, label=\"undo\"];\n";
    }
    return out + "}\n";
}

}  // namespace cairn
