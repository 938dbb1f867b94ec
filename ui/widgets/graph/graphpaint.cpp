#include "ui/data/safetext.h"
#include "ui/widgets/graph/graphcanvas.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace cairn::ui {

namespace {

constexpr double kNoText = 0.4;
constexpr double kBoxesOnly = 0.15;

void paintEdge(QPainter& painter, const Scene& scene, int index)
{
    const DrawnEdge& edge = scene.graph.edges[static_cast<std::size_t>(index)];
    const QPainterPath& path = scene.lines[static_cast<std::size_t>(index)];
    QPen pen(edge.path ? theme().text : theme().control, edge.path ? 2.5 : 1.2);
    if (edge.future && !edge.path)
        pen.setDashPattern({3 / 1.2, 3 / 1.2});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (!edge.path)
        return;
    const QPointF tip = path.currentPosition();
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().text);
    painter.drawPolygon(QPolygonF({tip + QPointF(-4.5, -6), tip + QPointF(0, 0.5), tip + QPointF(4.5, -6)}));
}

void paintBox(QPainter& painter, const DrawnNode& node, const QRectF& box, bool current)
{
    const QRectF inner = box.adjusted(0.5, 0.5, -0.5, -0.5);
    if (node.kind == DrawnNode::Kind::Fan)
        for (const double shift : {6.0, 3.0}) {
            painter.setPen(theme().control);
            painter.setBrush(theme().window);
            painter.drawRoundedRect(inner.translated(shift, shift), 3, 3);
        }
    if (current) {
        painter.setPen(QPen(theme().focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(-2.5, -2.5, 2.5, 2.5), 4, 4);
    }
    QPen pen(node.onPath ? theme().text : theme().control, node.root ? 2.5 : node.onPath ? 1.6 : 1.0);
    if (node.future)
        pen.setDashPattern({3, 3});
    painter.setPen(pen);
    painter.setBrush(current ? theme().sel : node.future ? theme().panel : theme().window);
    painter.drawRoundedRect(inner, 3, 3);
}

void paintNote(QPainter& painter, const DrawnNode& node, const QRectF& box, bool below)
{
    painter.setFont(typeface(11));
    const QFontMetricsF metrics(painter.font());
    if (!node.counts.empty() && !below) {
        double x = box.right() + 18;
        for (std::size_t i = 0; i < node.counts.size() && i < 4; ++i) {
            const auto& [glyph, text] = node.counts[i];
            const double y = box.top() + (i == 0 ? 1 : 19);  // the first alone, the others beside one another
            paintGlyph(painter, QRectF(x, y, 12, 12), glyph);
            painter.setPen(theme().text);
            painter.drawText(QPointF(x + 17, y + 10), text);
            if (i > 0)
                x += 17 + metrics.horizontalAdvance(text) + 10;
        }
        return;
    }
    if (node.note.isEmpty())
        return;
    painter.setPen(theme().text2);
    const QStringList lines = shown(node.note, true, 200).split(u'\n');
    if (below) {
        painter.drawText(QPointF(box.left(), box.bottom() + 13),
            metrics.elidedText(lines.first(), Qt::ElideRight, box.width()));
        return;
    }
    double y = box.top() + 13;
    for (const QString& line : lines.mid(0, 2)) {
        painter.drawText(QPointF(box.right() + 12, y), metrics.elidedText(line, Qt::ElideRight, 168));
        y += 14;
    }
}

void paintNode(QPainter& painter, const Scene& scene, int index, const GraphLook& look)
{
    const DrawnNode& node = scene.graph.nodes[static_cast<std::size_t>(index)];
    const QRectF& box = scene.boxes[static_cast<std::size_t>(index)];
    const bool current = index == look.current;
    paintBox(painter, node, box, current);
    if (look.zoom < kNoText) {
        painter.fillRect(box.adjusted(8, 8, -box.width() + 24, -8), theme().family(Family::Rest));
        return;
    }
    const QColor ground = current ? theme().sel : node.future ? theme().panel : theme().window;
    paintGlyph(painter, QRectF(box.left() + 9, box.top() + 9, 14, 14), node.glyph, ground);
    painter.setFont(typeface(11));
    double right = box.right() - 9;
    if (!node.mark.isEmpty()) {
        const QString mark = shown(node.mark);
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(mark);
        painter.setPen(current ? theme().text : theme().text2);
        painter.drawText(QPointF(right - width, box.top() + 20.5), mark);
        right -= width + 4;
    }
    painter.setFont(typeface(13, node.onPath));
    painter.setPen(node.future && !current ? theme().text2 : theme().text);
    const QFontMetricsF metrics(painter.font());
    painter.drawText(QPointF(box.left() + 29, box.top() + 21),
        metrics.elidedText(shown(node.title), Qt::ElideMiddle, right - box.left() - 29));
    paintNote(painter, node, box, scene.noteBelow[static_cast<std::size_t>(index)] != 0);
}

// Far out: one list of boxes per colour.
void paintBoxes(QPainter& painter, const Scene& scene, const std::vector<int>& nodes, int current)
{
    QHash<int, QVector<QRectF>> byGlyph;
    for (const int n : nodes)
        byGlyph[static_cast<int>(scene.graph.nodes[static_cast<std::size_t>(n)].glyph)].append(
            scene.boxes[static_cast<std::size_t>(n)]);
    painter.setPen(Qt::NoPen);
    for (auto it = byGlyph.begin(); it != byGlyph.end(); ++it) {
        const auto glyph = static_cast<Glyph>(it.key());
        painter.setBrush(glyph == Glyph::Pending ? theme().track : theme().control);
        if (glyph == Glyph::Uncertain || glyph == Glyph::Approval || glyph == Glyph::Failed)
            painter.setBrush(theme().text);  // weight, as colour alone says nothing here
        painter.drawRects(it.value());
    }
    if (current >= 0) {
        painter.setBrush(theme().focus);
        painter.drawRect(scene.boxes[static_cast<std::size_t>(current)].adjusted(-12, -12, 12, 12));
    }
}

}  // namespace

void paintGraph(QPainter& painter, const Scene& scene, const QRectF& area, const GraphLook& look)
{
    const std::vector<int> nodes = scene.nodesIn(area);
    painter.setRenderHint(QPainter::Antialiasing, look.zoom >= kNoText);
    const std::vector<int> edges = scene.edgesIn(area);
    for (const bool path : {false, true})
        for (const int e : edges)
            if (scene.graph.edges[static_cast<std::size_t>(e)].path == path
                && (path || look.zoom >= kBoxesOnly))
                paintEdge(painter, scene, e);
    if (look.zoom < kBoxesOnly) {
        paintBoxes(painter, scene, nodes, look.current);
        return;
    }
    for (const int n : nodes)
        paintNode(painter, scene, n, look);
}

}  // namespace cairn::ui
