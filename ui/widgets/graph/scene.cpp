#include "ui/widgets/graph/scene.h"

#include "ui/widgets/graph/layered.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn::ui {

namespace {

constexpr double kCell = 512;
constexpr double kRadius = 6;

quint64 cellKey(int cx, int cy)
{
    return (static_cast<quint64>(static_cast<quint32>(cx)) << 32) | static_cast<quint32>(cy);
}

void enter(QHash<quint64, std::vector<int>>& cells, const QRectF& box, int id)
{
    const int x1 = static_cast<int>(std::floor(box.left() / kCell));
    const int x2 = static_cast<int>(std::floor(box.right() / kCell));
    const int y1 = static_cast<int>(std::floor(box.top() / kCell));
    const int y2 = static_cast<int>(std::floor(box.bottom() / kCell));
    for (int cx = x1; cx <= x2; ++cx)
        for (int cy = y1; cy <= y2; ++cy)
            cells[cellKey(cx, cy)].push_back(id);
}

std::vector<int> lookUp(const QHash<quint64, std::vector<int>>& cells, const QRectF& area)
{
    std::vector<int> found;
    const int x1 = static_cast<int>(std::floor(area.left() / kCell));
    const int x2 = static_cast<int>(std::floor(area.right() / kCell));
    const int y1 = static_cast<int>(std::floor(area.top() / kCell));
    const int y2 = static_cast<int>(std::floor(area.bottom() / kCell));
    const auto add = [&found](
                         const std::vector<int>& ids) { found.insert(found.end(), ids.begin(), ids.end()); };
    const qint64 asked = (qint64(x2) - x1 + 1) * (qint64(y2) - y1 + 1);
    if (asked > cells.size()) {
        for (const auto& ids : cells)
            add(ids);
    } else {
        for (int cx = x1; cx <= x2; ++cx)
            for (int cy = y1; cy <= y2; ++cy)
                if (const auto it = cells.find(cellKey(cx, cy)); it != cells.end())
                    add(*it);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

// One horizontal piece of an edge in the gap under a layer.
struct Piece {
    double left;
    double right;
    int source;
    std::size_t edge;
    std::size_t turn;
};

// Lines from different nodes that would lie upon each other in a gap get heights of their own (three fit).
class Lanes {
public:
    void add(int gap, Piece piece) { m_gaps[gap].push_back(piece); }
    void assign()
    {
        for (auto& [gap, pieces] : m_gaps) {
            std::stable_sort(
                pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.left < b.left; });
            struct Busy {
                double until = -1e9;
                int source = -1;
            };
            std::array<Busy, 3> lanes;
            for (const Piece& piece : pieces) {
                std::size_t best = 0;
                for (std::size_t l = 0; l < lanes.size(); ++l)
                    if (lanes[l].until < piece.left || lanes[l].source == piece.source) {
                        best = l;
                        break;
                    }
                lanes[best].until = std::max(lanes[best].until, piece.right);
                lanes[best].source = piece.source;
                m_height[{piece.edge, piece.turn}] = kHeights[best];
            }
        }
    }
    [[nodiscard]] double height(std::size_t edge, std::size_t turn) const
    {
        const auto found = m_height.find({edge, turn});
        return found == m_height.end() ? kHeights[0] : found->second;
    }

private:
    static constexpr std::array<double, 3> kHeights{9, 5, 13};
    std::map<int, std::vector<Piece>> m_gaps;
    std::map<std::pair<std::size_t, std::size_t>, double> m_height;
};

// Down, along, down: with rounded corners as far as there is room.
void turnTo(QPainterPath& path, double x, double y, double endY)
{
    const QPointF at = path.currentPosition();
    if (std::abs(at.x() - x) < 0.5) {
        path.lineTo(x, endY);
        return;
    }
    const double r =
        std::min({kRadius, std::abs(at.x() - x) / 2, std::max(0.0, y - at.y()), std::max(0.0, endY - y)});
    const double side = x > at.x() ? 1 : -1;
    path.lineTo(at.x(), y - r);
    path.quadTo(at.x(), y, at.x() + side * r, y);
    path.lineTo(x - side * r, y);
    path.quadTo(x, y, x, y + r);
    path.lineTo(x, endY);
}

void route(Scene& scene, const LayoutResult& result)
{
    const auto& edges = scene.graph.edges;
    Lanes lanes;
    const auto xs = [&](std::size_t e) {
        std::vector<double> x{scene.boxes[static_cast<std::size_t>(edges[e].from)].center().x()};
        for (const double bend : result.bends[e])
            x.push_back(bend * kPitchX);
        x.push_back(scene.boxes[static_cast<std::size_t>(edges[e].to)].center().x());
        return x;
    };
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const std::vector<double> x = xs(e);
        for (std::size_t i = 0; i + 1 < x.size(); ++i)
            if (std::abs(x[i] - x[i + 1]) >= 0.5)
                lanes.add(result.layer[static_cast<std::size_t>(edges[e].from)] + static_cast<int>(i),
                    {std::min(x[i], x[i + 1]), std::max(x[i], x[i + 1]), edges[e].from, e, i});
    }
    lanes.assign();
    scene.lines.resize(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const std::vector<double> x = xs(e);
        QPainterPath path(QPointF(x[0], scene.boxes[static_cast<std::size_t>(edges[e].from)].bottom()));
        const double end = scene.boxes[static_cast<std::size_t>(edges[e].to)].top() - 1;
        const int first = result.layer[static_cast<std::size_t>(edges[e].from)];
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            const double gap = 14 + (first + static_cast<int>(i)) * kPitchY + kNodeHeight;
            const bool last = i + 2 == x.size();
            turnTo(path, x[i + 1], gap + lanes.height(e, i),
                last ? end : gap + kPitchY - kNodeHeight + kNodeHeight);
        }
        scene.lines[e] = path;
        enter(scene.edgeCells, path.boundingRect(), static_cast<int>(e));
    }
}

// About what the note takes beside its node; fonts are the painter's business.
double noteWidth(const DrawnNode& node)
{
    double width = 0;
    for (const QString& line : node.note.split(u'\n'))
        width = std::max(width, 12 + 6.4 * static_cast<double>(line.size()));
    double counts = 8;
    for (std::size_t i = 1; i < node.counts.size() && i < 4; ++i)
        counts += 27 + 6.4 * static_cast<double>(node.counts[i].second.size());
    return std::clamp(std::max(width, node.counts.empty() ? 0 : std::max(counts, 110.0)), 0.0, 190.0);
}

// A note stands at the right where the next node in that layer is far enough, else below.
void placeNotes(Scene& scene, const std::vector<int>& layer)
{
    std::map<int, std::vector<double>> lefts;
    for (std::size_t n = 0; n < scene.boxes.size(); ++n)
        lefts[layer[n]].push_back(scene.boxes[n].left());
    for (auto& [l, list] : lefts)
        std::sort(list.begin(), list.end());
    scene.noteBelow.assign(scene.boxes.size(), 0);
    for (std::size_t n = 0; n < scene.boxes.size(); ++n) {
        const auto& list = lefts[layer[n]];
        const auto next = std::upper_bound(list.begin(), list.end(), scene.boxes[n].right());
        if (next != list.end() && *next < scene.boxes[n].right() + 175)
            scene.noteBelow[n] = 1;
        const DrawnNode& node = scene.graph.nodes[n];
        if (scene.noteBelow[n] == 0 && (!node.note.isEmpty() || !node.counts.empty()))
            scene.bounds |= scene.boxes[n].adjusted(0, 0, noteWidth(node), 0);
    }
}

}  // namespace

Scene makeScene(DrawnGraph graph)
{
    Scene scene;
    scene.graph = std::move(graph);
    LayoutInput input;
    input.nodes = static_cast<int>(scene.graph.nodes.size());
    for (const DrawnEdge& edge : scene.graph.edges)
        input.edges.emplace_back(edge.from, edge.to);
    for (const DrawnNode& node : scene.graph.nodes)
        input.spine.push_back(node.onPath ? 1 : 0);
    const LayoutResult result = layOut(input);
    scene.crossings = result.crossings;
    scene.boxes.resize(scene.graph.nodes.size());
    for (std::size_t n = 0; n < scene.boxes.size(); ++n) {
        scene.boxes[n] = QRectF(std::round(result.x[n] * kPitchX - kNodeWidth / 2),
            14 + result.layer[n] * kPitchY, kNodeWidth, kNodeHeight);
        scene.bounds |= scene.boxes[n];
        enter(scene.nodeCells, scene.boxes[n].adjusted(-4, -4, 190, 24), static_cast<int>(n));
    }
    if (!scene.boxes.empty()) {
        route(scene, result);
        placeNotes(scene, result.layer);
    }
    scene.bounds.adjust(-5, -14, 5, 24);
    return scene;
}

std::vector<int> Scene::nodesIn(const QRectF& area) const { return lookUp(nodeCells, area); }
std::vector<int> Scene::edgesIn(const QRectF& area) const { return lookUp(edgeCells, area); }

int Scene::nodeAt(const QPointF& point) const
{
    for (const int n : nodesIn(QRectF(point, QSizeF(1, 1))))
        if (boxes[static_cast<std::size_t>(n)].contains(point))
            return n;
    return -1;
}

int Scene::neighbour(int from, int dx, int dy) const
{
    if (from < 0 || from >= static_cast<int>(boxes.size()))
        return boxes.empty() ? -1 : 0;
    const QPointF here = boxes[static_cast<std::size_t>(from)].center();
    int best = -1;
    double least = 0;
    for (std::size_t n = 0; n < boxes.size(); ++n) {
        const QPointF d = boxes[n].center() - here;
        const double along = dx != 0 ? d.x() * dx : d.y() * dy;
        const double across = std::abs(dx != 0 ? d.y() : d.x());
        if (along < 1 || (dx != 0 && across > kPitchY * 0.5))
            continue;
        const double cost = along + 3 * across;
        if (best < 0 || cost < least) {
            best = static_cast<int>(n);
            least = cost;
        }
    }
    return best;
}

}  // namespace cairn::ui
