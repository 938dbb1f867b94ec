#pragma once
// One step: state, what a repeat would do, effect key, attempts, payloads.

#include "ui/data/values.h"

#include <QWidget>

class QLabel;
class QPushButton;
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
    void setPreviews(
        const std::vector<PayloadText>& texts);  // of payloads of the step, as far as they are small
    [[nodiscard]] const StepLine& step() const { return m_step; }
    [[nodiscard]] QWidget* firstStop() const;  // what the keyboard goes to first; null: nothing

Q_SIGNALS:
    void payloadChosen(const cairn::ui::PayloadLine& payload);
    void runChosen(const cairn::RunId& run);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fillPayloads();
    [[nodiscard]] QWidget* preview(const PayloadText& text);
    void addButton(const PayloadLine& payload);

    DockTitle* m_title;
    QLabel* m_glyph;
    QLabel* m_name;
    QLabel* m_safety;
    QLabel* m_state;
    QLabel* m_repeat;
    QLabel* m_effect;
    QPushButton* m_other;
    DataTable* m_attempts;
    AttemptsModel* m_model;
    QWidget* m_body;
    QVBoxLayout* m_payloads;
    StepLine m_step;
    std::vector<PayloadText> m_previews;
    std::vector<PayloadLine> m_buttonsOf;  // payloads that have their buttons
    bool m_has = false;
};

}  // namespace cairn::ui
