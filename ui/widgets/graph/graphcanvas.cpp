#include "ui/widgets/graph/graphcanvas.h"

#include "ui/data/format.h"
#include "ui/widgets/letters.h"
#include "ui/widgets/theme.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

GraphCanvas::GraphCanvas(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    installGraphAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Graph of the steps"));
    setMinimumWidth(220);
}

void GraphCanvas::setSteps(const StepList& steps)
{
    if (steps == m_steps)
        return;
    m_steps = steps;
    rebuild();
    if (!m_framed && !m_steps.empty() && isVisible())
        frame();
}

// The first view: the whole width where its text stays legible, and the wait in it.
void GraphCanvas::frame()
{
    constexpr double kLegible = 0.7;
    m_framed = true;
    if (m_scene.boxes.empty())
        return;
    const double fits = viewport()->width() / m_scene.bounds.width();
    setZoom(std::clamp(fits, kLegible, 1.0), QPointF(0, 0));
    for (const StepLine& step : m_steps)
        if (step.root) {
            reveal(step.ix);
            break;
        }
}

void GraphCanvas::rebuild()
{
    m_scene = makeScene(foldSteps(m_steps, m_fold));
    m_current = -1;
    select(m_step);
    updateBars();
    viewport()->update();
    Q_EMIT foldChanged();
}

void GraphCanvas::select(quint32 step)
{
    m_step = step;
    const auto found = m_scene.graph.nodeOf.find(step);
    m_current = found == m_scene.graph.nodeOf.end() ? -1 : found->second;
    viewport()->update();
}

void GraphCanvas::reveal(quint32 step)
{
    const auto found = m_scene.graph.nodeOf.find(step);
    if (found == m_scene.graph.nodeOf.end())
        return;
    const QRectF box = m_scene.boxes[static_cast<std::size_t>(found->second)];
    const QRectF view(toScene(QPointF(0, 0)), QSizeF(viewport()->size()) / m_zoom);
    if (view.contains(box))
        return;
    // As little as brings it in, with its note: what one looks at should not jump.
    const QRectF wanted = QRectF((box.topLeft() - m_scene.bounds.topLeft()) * m_zoom, box.size() * m_zoom)
                              .adjusted(-12, -12, 12, 40);
    const auto moved = [](QScrollBar* bar, double first, double last, int room) {
        if (first < bar->value())
            bar->setValue(static_cast<int>(first));
        else if (last > bar->value() + room)
            bar->setValue(static_cast<int>(std::min(first, last - room)));
    };
    moved(horizontalScrollBar(), wanted.left(), wanted.right(), viewport()->width());
    moved(verticalScrollBar(), wanted.top(), wanted.bottom(), viewport()->height());
}

void GraphCanvas::setZoom(double zoom, const QPointF& anchor)
{
    const QPointF fixed = toScene(anchor);
    m_zoom = std::clamp(zoom, 0.05, 3.0);
    updateBars();
    const QPointF now = (fixed - m_scene.bounds.topLeft()) * m_zoom;
    horizontalScrollBar()->setValue(static_cast<int>(now.x() - anchor.x()));
    verticalScrollBar()->setValue(static_cast<int>(now.y() - anchor.y()));
    viewport()->update();
}

void GraphCanvas::fit()
{
    if (m_scene.boxes.empty())
        return;
    const double w = viewport()->width() / m_scene.bounds.width();
    const double h = viewport()->height() / m_scene.bounds.height();
    setZoom(std::min({1.0, w, h}), QPointF(0, 0));
}

void GraphCanvas::setOpen(quint32 key, bool open)
{
    if (open)
        m_fold.open.insert(key);
    else
        m_fold.open.erase(key);
    rebuild();
}

void GraphCanvas::setCap(std::size_t cap)
{
    m_fold.cap = cap;
    rebuild();
}

QString GraphCanvas::summary() const
{
    const DrawnGraph& g = m_scene.graph;
    QString text =
        tr("%1 of %2 drawn").arg(countText(g.steps - g.folded - g.leftOut), plural(g.steps, "step", "steps"));
    if (g.folded > 0)
        text +=
            tr(", %1 folded in %2").arg(countText(g.folded), g.folds == 1 ? tr("one") : countText(g.folds));
    if (g.leftOut > 0)
        text += tr(", %1 left out (see the list)").arg(countText(g.leftOut));
    return text;
}

QPointF GraphCanvas::origin() const
{
    const QSizeF size = m_scene.bounds.size() * m_zoom;
    const double x = size.width() < viewport()->width() ? (viewport()->width() - size.width()) / 2
                                                        : -horizontalScrollBar()->value();
    const double y = size.height() < viewport()->height() ? 0 : -verticalScrollBar()->value();
    return QPointF(x, y) - m_scene.bounds.topLeft() * m_zoom;
}

QPointF GraphCanvas::toScene(const QPointF& view) const { return (view - origin()) / m_zoom; }

QRect GraphCanvas::viewRect(int node) const
{
    const QRectF box = m_scene.boxes[static_cast<std::size_t>(node)];
    return QRectF(origin() + box.topLeft() * m_zoom, box.size() * m_zoom).toRect();
}

void GraphCanvas::updateBars()
{
    const QSizeF size = m_scene.bounds.size() * m_zoom;
    horizontalScrollBar()->setPageStep(viewport()->width());
    verticalScrollBar()->setPageStep(viewport()->height());
    horizontalScrollBar()->setSingleStep(40);
    verticalScrollBar()->setSingleStep(40);
    horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(size.width()) - viewport()->width()));
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(size.height()) - viewport()->height()));
}

void GraphCanvas::paintEvent(QPaintEvent* event)
{
    QPainter painter(viewport());
    painter.fillRect(event->rect(), theme().window);
    if (m_scene.boxes.empty()) {
        painter.setPen(theme().text2);
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("This run has no steps yet."));
        return;
    }
    const QPointF start = origin();
    painter.translate(start);
    painter.scale(m_zoom, m_zoom);
    const QRectF area(toScene(event->rect().topLeft()), QSizeF(event->rect().size()) / m_zoom);
    paintGraph(painter, m_scene, area, {m_zoom, m_current, hasFocus()});
    if (hasFocus()) {
        painter.resetTransform();
        painter.setPen(QPen(theme().focus, 2));
        painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
    }
}

void GraphCanvas::resizeEvent(QResizeEvent*)
{
    updateBars();
    if (!m_touched && isVisible() && !m_steps.empty())
        frame();
}

void GraphCanvas::showEvent(QShowEvent* event)
{
    QAbstractScrollArea::showEvent(event);
    if (!m_framed && !m_steps.empty())
        frame();
}
void GraphCanvas::scrollContentsBy(int, int) { viewport()->update(); }

void GraphCanvas::choose(int node)
{
    if (node < 0 || node >= static_cast<int>(m_scene.boxes.size()))
        return;
    m_touched = true;
    m_current = node;
    m_step = m_scene.graph.nodes[static_cast<std::size_t>(node)].key;
    reveal(m_step);
    viewport()->update();
    Q_EMIT stepChosen(m_step);
    if (QAccessible::isActive()) {
        QAccessibleEvent focus(this, QAccessible::Focus);
        focus.setChild(node);
        QAccessible::updateAccessibility(&focus);
    }
}

void GraphCanvas::mousePressEvent(QMouseEvent* event)
{
    const int node = m_scene.nodeAt(toScene(event->position()));
    if (node >= 0) {
        choose(node);
        return;
    }
    m_dragging = true;
    m_grab = event->position();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_dragging)
        return;
    m_touched = true;
    const QPointF d = event->position() - m_grab;
    m_grab = event->position();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - qRound(d.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() - qRound(d.y()));
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent*) { m_dragging = false; }

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int node = m_scene.nodeAt(toScene(event->position()));
    if (node < 0)
        return;
    const DrawnNode& drawn = m_scene.graph.nodes[static_cast<std::size_t>(node)];
    if (drawn.kind != DrawnNode::Kind::Step)
        setOpen(drawn.key, true);
    else
        Q_EMIT stepOpened(drawn.key);
}

void GraphCanvas::wheelEvent(QWheelEvent* event)
{
    m_touched = true;
    if ((event->modifiers() & Qt::ControlModifier) == 0) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    setZoom(m_zoom * (event->angleDelta().y() > 0 ? 1.15 : 1 / 1.15), event->position());
}

bool GraphCanvas::moveKey(int key)
{
    int dx = 0;
    int dy = 0;
    switch (key) {
    case Qt::Key_Left: dx = -1; break;
    case Qt::Key_Right: dx = 1; break;
    case Qt::Key_Up:
    case Qt::Key_K: dy = -1; break;
    case Qt::Key_Down:
    case Qt::Key_J: dy = 1; break;
    default: return false;
    }
    choose(m_scene.neighbour(m_current, dx, dy));
    return true;
}

bool GraphCanvas::zoomKey(int key)
{
    const QPointF centre = QPointF(viewport()->width(), viewport()->height()) / 2;
    if (key == Qt::Key_Plus || key == Qt::Key_Equal)
        setZoom(m_zoom * 1.25, centre);
    else if (key == Qt::Key_Minus)
        setZoom(m_zoom / 1.25, centre);
    else if (key == Qt::Key_0)
        fit();
    else
        return false;
    m_touched = true;
    return true;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const int key = event->key();
    if (!plain || moveKey(key) || zoomKey(key)) {
        if (!plain)
            QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const bool onNode = m_current >= 0;
    const DrawnNode::Kind kind =
        onNode ? m_scene.graph.nodes[static_cast<std::size_t>(m_current)].kind : DrawnNode::Kind::Step;
    if (onNode && (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space)) {
        const quint32 step = m_scene.graph.nodes[static_cast<std::size_t>(m_current)].key;
        if (kind != DrawnNode::Kind::Step)
            setOpen(step, true);
        else
            Q_EMIT stepOpened(step);
    } else if (key == Qt::Key_Delete || (key >= Qt::Key_A && key <= Qt::Key_Z) || key == Qt::Key_Slash) {
        Q_EMIT letterTyped(Letters::typed(key), (event->modifiers() & Qt::ShiftModifier) != 0);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void GraphCanvas::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void GraphCanvas::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace cairn::ui
