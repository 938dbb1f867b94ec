#pragma once
// The graph of one run. It shares its selection with the list of steps, draws only what the viewport shows,
// and draws less the smaller it is: no text below 0.4, batched boxes below 0.15.

#include "ui/widgets/graph/scene.h"

#include <QAbstractScrollArea>

namespace cairn::ui {

class GraphCanvas final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit GraphCanvas(QWidget* parent = nullptr);

    // Keeps zoom, scroll and opened folds.
    void setSteps(const StepList& steps);
    void select(quint32 step);  // kNone: nothing
    void reveal(quint32 step);
    [[nodiscard]] const Scene& scene() const { return m_scene; }
    [[nodiscard]] int currentNode() const { return m_current; }
    [[nodiscard]] double zoom() const { return m_zoom; }
    void setZoom(double zoom, const QPointF& anchor);
    void fit();
    void setOpen(quint32 key, bool open);
    void setCap(std::size_t cap);
    [[nodiscard]] QString summary() const;         // "18 of 30 steps drawn, 12 folded in one"
    [[nodiscard]] QRect viewRect(int node) const;  // of a node, in viewport coordinates
    void choose(int node);                         // as if clicked

Q_SIGNALS:
    void stepChosen(quint32 step);
    void stepOpened(quint32 step);
    void foldChanged();
    void letterTyped(QChar letter, bool shift);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void rebuild();
    void updateBars();
    void frame();
    [[nodiscard]] QPointF origin() const;  // of the scene, in viewport coordinates
    [[nodiscard]] QPointF toScene(const QPointF& view) const;
    bool moveKey(int key);
    bool zoomKey(int key);

    StepList m_steps;
    FoldOptions m_fold;
    Scene m_scene;
    quint32 m_step = kNone;
    int m_current = -1;
    double m_zoom = 1.0;
    QPointF m_grab;
    bool m_dragging = false;
    bool m_framed = false;   // the wait has been brought into view once
    bool m_touched = false;  // the person has zoomed, scrolled or chosen: the view is theirs
};

// Painting, apart from the widget: the picture of `area` at `zoom` with the painter already in scene
// coordinates.
struct GraphLook {
    double zoom = 1.0;
    int current = -1;
    bool focused = false;
};
void paintGraph(QPainter& painter, const Scene& scene, const QRectF& area, const GraphLook& look);

void installGraphAccessibility();

}  // namespace cairn::ui
