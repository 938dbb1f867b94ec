#pragma once
// From the steps of a run to what is drawn: fan-outs of twelve or more become one stacked node, finished
// chains away from the path become one node, and no more than `cap` nodes are drawn. What is left out is
// counted. Pure.

#include "ui/data/values.h"

#include <set>
#include <unordered_map>
#include <vector>

namespace cairn::ui {

struct FoldOptions {
    std::size_t fanFrom = 12;
    std::size_t chainFrom = 3;     // shortest chain that is folded
    std::size_t chainsAbove = 24;  // chains stay unfolded in graphs of up to this many nodes
    std::size_t cap = 1500;
    std::set<quint32> open;  // folds that the person opened, by key
};

struct DrawnNode {
    enum class Kind : quint8 { Step, Fan, Chain };
    Kind kind = Kind::Step;
    quint32 key = kNone;         // Step: its index; folds: index of the first step in it
    std::vector<quint32> steps;  // what it stands for
    QString title;
    QString mark;  // agent's short form, or "×12"
    QString note;
    Glyph glyph = Glyph::Pending;
    std::vector<std::pair<Glyph, QString>> counts;  // of a fold: shape and "10 complete"
    bool onPath = false;
    bool root = false;    // the wait itself
    bool future = false;  // not started
};

struct DrawnEdge {
    int from = 0;
    int to = 0;
    bool path = false;
    bool future = false;
};

struct DrawnGraph {
    std::vector<DrawnNode> nodes;
    std::vector<DrawnEdge> edges;
    std::unordered_map<quint32, int> nodeOf;  // step index -> node; absent: left out
    std::size_t steps = 0;                    // in the run
    std::size_t folded = 0;                   // steps inside folds
    std::size_t folds = 0;
    std::size_t leftOut = 0;  // beyond the cap
};

[[nodiscard]] DrawnGraph foldSteps(const std::vector<StepLine>& steps, const FoldOptions& options);
// Two letters for an agent's name: "finance" -> "FI".
[[nodiscard]] QString agentMark(const QString& agent);

}  // namespace cairn::ui
