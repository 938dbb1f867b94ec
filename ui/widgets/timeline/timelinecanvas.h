#pragma once
// The painted timeline: operators' lane first, then one lane for each agent. It shares its selection with the
// other views of the run. + and - zoom, 0 shows all, arrows move among steps and along the time.

#include "ui/widgets/timeline/lanes.h"

#include <QAbstractScrollArea>

class QPainter;

namespace cairn::ui {

class TimelineCanvas final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineCanvas(QWidget* parent = nullptr);

    void setTimeline(Timeline timeline);  // keeps zoom and scroll
    void select(quint32 step);
    void setFolded(bool on);  // idle time
    [[nodiscard]] bool folded() const { return m_folds; }
    [[nodiscard]] const Timeline& timeline() const { return m_timeline; }
    [[nodiscard]] const TimeScale& scale() const { return m_scale; }
    [[nodiscard]] double zoom() const { return m_zoom; }
    void setZoom(double zoom);
    void fit() { setZoom(1); }

    // One row of steps, or one act: what can be chosen, top to bottom.
    struct Place {
        int lane = -1;  // -1: an act
        int row = 0;
        int y = 0;  // of its top, in the picture
        int height = 0;
    };
    [[nodiscard]] const std::vector<Place>& places() const { return m_places; }
    [[nodiscard]] int currentPlace() const;
    [[nodiscard]] QString spoken(int place) const;  // for assistive technology
    [[nodiscard]] QRect viewRect(int place) const;  // in viewport coordinates
    void choose(int place);                         // as if clicked

Q_SIGNALS:
    void stepChosen(quint32 step);
    void stepOpened(quint32 step);
    void letterTyped(QChar letter, bool shift);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void arrange();
    void reveal();
    bool moveKey(int key);
    [[nodiscard]] int placeAt(const QPoint& view) const;
    [[nodiscard]] const LaneRow* rowAt(int place) const;
    void paintGrid(QPainter& painter) const;
    void paintFolds(QPainter& painter) const;
    void paintActs(QPainter& painter) const;
    void paintRow(QPainter& painter, const Place& place) const;
    void paintSpan(QPainter& painter, const LaneSpan& span, double middle, bool member) const;
    void paintNames(QPainter& painter) const;
    [[nodiscard]] double viewX(qint64 time) const;

    Timeline m_timeline;
    TimeScale m_scale;
    std::vector<Place> m_places;
    std::vector<int> m_laneTops;
    int m_height = 0;
    quint32 m_step = kNone;
    int m_act = -1;  // place of the chosen act; -1: none
    double m_zoom = 1;
    bool m_folds = true;
};

void installTimelineAccessibility();

}  // namespace cairn::ui
