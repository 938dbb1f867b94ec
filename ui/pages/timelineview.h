#pragma once
// The run along its time, painted or as a list (L); below it the attempts of the step that is selected.

#include "ui/widgets/timeline/lanes.h"

#include <QWidget>

class QStackedWidget;
class QPushButton;

namespace cairn::ui {

class AttemptsModel;
class DataTable;
class DockTitle;
class SpansModel;
class TimelineCanvas;
class TimelineLegend;

class TimelineView final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(QWidget* parent = nullptr);

    void setDetail(const RunDetail& detail);  // as it is, or as it was: its `at` is now
    [[nodiscard]] const StepList& steps() const { return m_steps; }
    void setActs(const std::vector<ActLine>& acts);
    void setNow(qint64 now);
    void select(quint32 step);
    void setAsList(bool list);
    [[nodiscard]] bool asList() const;
    void setIdleShown(bool shown);
    [[nodiscard]] TimelineCanvas* canvas() const { return m_canvas; }
    [[nodiscard]] DataTable* list() const { return m_list; }
    [[nodiscard]] SpansModel* spans() const { return m_spans; }
    [[nodiscard]] QString remark() const;
    [[nodiscard]] QString selectedText() const;  // of the step whose attempts stand below
    [[nodiscard]] TimelineLegend* legend() const { return m_legend; }
    [[nodiscard]] AttemptsModel* attempts() const { return m_attempts; }
    [[nodiscard]] std::vector<QWidget*> stops() const;

Q_SIGNALS:
    void stepChosen(quint32 step);
    void stepOpened(quint32 step);
    void letterTyped(QChar letter, bool shift);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();  // what nobody sees is drawn when somebody comes
    void fillList();
    void showAttempts();
    void writeTitle();

    TimelineCanvas* m_canvas;
    SpansModel* m_spans;
    DataTable* m_list;
    QStackedWidget* m_views;
    DockTitle* m_title;
    TimelineLegend* m_legend;
    QPushButton* m_idle;
    DockTitle* m_selected;
    AttemptsModel* m_attempts;
    DataTable* m_tries;
    StepList m_steps;
    std::vector<ActLine> m_acts;
    qint64 m_now = 0;
    quint32 m_step = kNone;
    bool m_quiet = false;
    bool m_stale = false;
};

}  // namespace cairn::ui
