#pragma once
// A drawn graph with places: node boxes, orthogonal edges, and a grid of cells that finds what a rectangle
// shows.

#include "ui/widgets/graph/fold.h"

#include <QHash>
#include <QPainterPath>
#include <QRectF>

namespace cairn::ui {

struct Scene {
    DrawnGraph graph;
    std::vector<QRectF> boxes;        // by node
    std::vector<QPainterPath> lines;  // by edge
    std::vector<char> noteBelow;      // by node: no room at its right
    QRectF bounds;
    std::int64_t crossings = 0;
    QHash<quint64, std::vector<int>> nodeCells;
    QHash<quint64, std::vector<int>> edgeCells;

    [[nodiscard]] std::vector<int> nodesIn(const QRectF& area) const;
    [[nodiscard]] std::vector<int> edgesIn(const QRectF& area) const;
    [[nodiscard]] int nodeAt(const QPointF& point) const;  // -1: none
    // The nearest node in a direction: dx, dy of -1, 0, 1.
    [[nodiscard]] int neighbour(int from, int dx, int dy) const;
};

constexpr double kNodeWidth = 178;
constexpr double kNodeHeight = 32;
constexpr double kPitchX = 197;
constexpr double kPitchY = 50;

[[nodiscard]] Scene makeScene(DrawnGraph graph);

}  // namespace cairn::ui
