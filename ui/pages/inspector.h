#pragma once
// One step: state, what a repeat would do, effect key, attempts, payloads; below them what may be done about
// it, and of what may not, why not. A button stages the act: its sheet shows what would happen.

#include "ui/data/runvalues.h"

#include <QWidget>

class QGridLayout;
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
    // Of the step that was set. `note` stands for them where there are none.
    void setActs(const std::vector<VerbLine>& acts, const QString& note);
    [[nodiscard]] QString actsText() const;  // why others are off, or the note
    [[nodiscard]] std::vector<QPushButton*> actButtons() const;
    [[nodiscard]] const StepLine& step() const { return m_step; }
    [[nodiscard]] QWidget* firstStop() const;  // what the keyboard goes to first; null: nothing

Q_SIGNALS:
    void payloadChosen(const cairn::ui::PayloadLine& payload);
    void runChosen(const cairn::RunId& run);
    void verbChosen(const cairn::ui::VerbLine& verb);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void buildActs();
    void fillActs();
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
    QWidget* m_acts;
    QGridLayout* m_actGrid;
    QLabel* m_off;
    std::vector<VerbLine> m_verbs;
    StepLine m_step;
    std::vector<PayloadText> m_previews;
    std::vector<PayloadLine> m_buttonsOf;  // payloads that have their buttons
    bool m_has = false;
};

}  // namespace cairn::ui
