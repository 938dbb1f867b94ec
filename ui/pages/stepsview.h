#pragma once
// Steps as a list and as a graph, side by side, with one selection; the chosen step at the right.

#include "ui/data/runvalues.h"

#include <QWidget>

namespace cairn::ui {

class DataTable;
class DockTitle;
class GraphCanvas;
class Inspector;
class StepsModel;

class StepsView final : public QWidget {
    Q_OBJECT
public:
    explicit StepsView(QWidget* parent = nullptr);

    void setDetail(const RunDetail& detail);
    void setNow(qint64 now);
    void select(quint32 step);
    // What may be done about the step `of`; shown while it is the one that is selected.
    void setActs(quint32 of, const std::vector<VerbLine>& acts, const QString& note);
    void setPreviews(const std::vector<PayloadText>& texts);
    void selectNextStuck(bool backwards);
    void toggleUnfinished();
    [[nodiscard]] std::vector<QWidget*> stops() const;  // what F6 goes through
    void focusList();
    [[nodiscard]] quint32 current() const { return m_current; }
    [[nodiscard]] const StepLine* currentStep() const;
    [[nodiscard]] QString hiddenText() const;
    [[nodiscard]] QString place() const;
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] GraphCanvas* graph() const { return m_graph; }
    [[nodiscard]] Inspector* inspector() const { return m_inspector; }
    [[nodiscard]] StepsModel* model() const { return m_model; }

Q_SIGNALS:
    void payloadChosen(const cairn::ui::PayloadLine& payload);
    void stepOpened(quint32 step);
    void selected(quint32 step);
    void letterTyped(QChar letter, bool shift);
    void shownChanged();
    void verbChosen(const cairn::ui::VerbLine& verb);  // about the step that is selected
    void previewsWanted(const std::vector<cairn::ui::PayloadLine>& payloads);
    void runChosen(const cairn::RunId& run);  // child run of a step, or the run that holds its effect

private:
    void buildLayout();
    void connectSignals();
    void writeTitles();
    void restoreRow();
    void inspect();

    StepsModel* m_model;
    DataTable* m_table;
    GraphCanvas* m_graph;
    Inspector* m_inspector;
    DockTitle* m_listTitle;
    DockTitle* m_graphTitle;
    quint32 m_current = kNone;
    std::vector<PayloadLine> m_asked;  // payloads whose previews were asked for last
    qint64 m_now = 0;
    bool m_quiet = false;
};

}  // namespace cairn::ui
