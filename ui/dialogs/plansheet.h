#pragma once
// Stages a plan: one act on many runs of one store. The preview says what will happen, what is not repeated,
// what may be, what else changes, what is left out and why, the load, and what would undo it. The pace is
// typed here, and the preview is computed anew when it changes. What is staged is what was looked at.

#include "ui/data/source.h"
#include "ui/dialogs/sheetparts.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace cairn::ui {

class ReasonField;
class PlanSheet final : public Sheet {
    Q_OBJECT
public:
    PlanSheet(Source& source, const StoreFacts& facts, PlanRequest request, QWidget* parent);

    [[nodiscard]] QPlainTextEdit* reason() const { return m_reason; }
    [[nodiscard]] QLineEdit* rate() const { return m_rate; }
    [[nodiscard]] QLineEdit* rampFrom() const { return m_rampFrom; }
    [[nodiscard]] QLineEdit* rampSeconds() const { return m_rampSeconds; }
    [[nodiscard]] QLineEdit* canary() const { return m_canary; }
    [[nodiscard]] QLineEdit* stopOver() const { return m_stopOver; }
    [[nodiscard]] QLineEdit* verify() const { return m_verify; }
    [[nodiscard]] QCheckBox* leaveOut() const { return m_leaveOut; }
    [[nodiscard]] QPushButton* confirm() const { return m_confirm; }
    [[nodiscard]] QPushButton* copy() const { return m_copy; }
    [[nodiscard]] const PlanForecast& forecast() const { return m_forecast; }
    [[nodiscard]] QString state() const;
    [[nodiscard]] const SheetNotice* notice() const { return m_notice; }

Q_SIGNALS:
    void ended(const cairn::ui::ActResult& result);

public Q_SLOTS:
    void reject() override;  // not while it is being staged

protected:
    void execute() override;

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildPace();
    void connectSignals();
    void edited();
    void ask();
    void showForecast(const PlanForecast& forecast);
    void refuse(const EndWords& why);
    void updateConfirm();
    [[nodiscard]] std::vector<QLineEdit*> numbers() const;
    [[nodiscard]] QString missing() const;

    Source& m_source;
    StoreFacts m_facts;
    PlanRequest m_request;
    PlanForecast m_forecast;
    QTimer* m_typing;
    Validity* m_validity;
    QLabel* m_sentence;
    QVBoxLayout* m_effects = nullptr;
    QLineEdit* m_rate;
    QLineEdit* m_rampFrom;
    QLineEdit* m_rampSeconds;
    QLineEdit* m_canary;
    QLineEdit* m_stopOver;
    QLineEdit* m_verify;
    QCheckBox* m_leaveOut;
    ReasonField* m_reasonField;
    QPlainTextEdit* m_reason;
    QLabel* m_needs;
    SheetNotice* m_notice;
    QLabel* m_state;
    QPushButton* m_close;
    QPushButton* m_copy;
    QPushButton* m_again;
    QPushButton* m_confirm;
    Tickets m_tickets;
    bool m_ready = false;
    bool m_busy = false;
};

// What a preview of a plan or a proposal says, in blocks.
[[nodiscard]] QWidget* forecastBlocks(const PlanForecast& forecast, QWidget* parent);

}  // namespace cairn::ui
