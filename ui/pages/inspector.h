#pragma once
// One step: state, what a repeat would do, effect key, attempts, payloads.

#include "ui/data/values.h"

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace cairn::ui {

class AttemptsModel;
class DataTable;
class DockTitle;

class Inspector final : public QWidget {
    Q_OBJECT
public:
    explicit Inspector(QWidget* parent = nullptr);
    void setStep(const StepLine* step, qint64 now);

Q_SIGNALS:
    void payloadChosen(const cairn::ui::PayloadLine& payload);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fillPayloads(const StepLine& step);

    DockTitle* m_title;
    QLabel* m_glyph;
    QLabel* m_name;
    QLabel* m_safety;
    QLabel* m_state;
    QLabel* m_repeat;
    QLabel* m_effect;
    DataTable* m_attempts;
    AttemptsModel* m_model;
    QWidget* m_body;
    QVBoxLayout* m_payloads;
    StepLine m_step;
    bool m_has = false;
};

}  // namespace cairn::ui
