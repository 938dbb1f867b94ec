#pragma once
// What is done to a plan or to a proposed act: start, confirm, reject, withdraw, pause, continue, abort. The
// preview is computed again, and what is confirmed is the digest that is shown with it.

#include "ui/data/source.h"
#include "ui/dialogs/sheetparts.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace cairn::ui {

class ReasonField;
[[nodiscard]] QString stepName(PlanStep step);  // "Confirm"

class OrderSheet final : public Sheet {
    Q_OBJECT
public:
    OrderSheet(
        Source& source, const StoreFacts& facts, const PlanEntry& entry, PlanStep step, QWidget* parent);

    [[nodiscard]] PlanStep step() const { return m_step; }
    [[nodiscard]] QPlainTextEdit* reason() const { return m_reason; }
    [[nodiscard]] QPushButton* confirm() const { return m_confirm; }
    [[nodiscard]] const PlanForecast& forecast() const { return m_forecast; }
    [[nodiscard]] QString state() const;
    [[nodiscard]] const SheetNotice* notice() const { return m_notice; }

Q_SIGNALS:
    void ended(const cairn::ui::ActResult& result);

public Q_SLOTS:
    void reject() override;  // not while it is being sent

protected:
    void execute() override;

private:
    void buildLayout();
    void ask();
    void showForecast(const PlanForecast& forecast);
    void refuse(const EndWords& why);
    void updateConfirm();
    [[nodiscard]] QString missing() const;
    // Whether what the runs would do matters to it: what ends or holds a plan is possible in any case.
    [[nodiscard]] bool begins() const;

    Source& m_source;
    StoreFacts m_facts;
    PlanEntry m_entry;
    PlanStep m_step;
    PlanForecast m_forecast;
    Validity* m_validity;
    QLabel* m_sentence;
    QVBoxLayout* m_effects = nullptr;
    ReasonField* m_reasonField;
    QPlainTextEdit* m_reason;
    SheetNotice* m_notice;
    QLabel* m_state;
    QPushButton* m_close;
    QPushButton* m_again;
    QPushButton* m_confirm;
    bool m_ready = false;
    bool m_busy = false;
};

}  // namespace cairn::ui
