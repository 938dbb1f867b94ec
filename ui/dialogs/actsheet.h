#pragma once
// One act on one run: what it is about, the preview (computed by the same rules that will execute it), the
// reason, and the button that repeats verb and number. Ctrl+Enter executes; nothing else does. Refused when
// what the act depends on has changed since the preview: then nothing is sent, and the sheet asks to look
// again.

#include "ui/data/source.h"
#include "ui/dialogs/sheetparts.h"

class QButtonGroup;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace cairn::ui {

class ActSheet final : public Sheet {
    Q_OBJECT
public:
    ActSheet(Source& source, const StoreFacts& facts, const ActRequest& request, QWidget* parent);

    // For tests and scripts that drive the sheet.
    [[nodiscard]] QPlainTextEdit* reason() const { return m_reason; }
    [[nodiscard]] QLineEdit* result() const { return m_result; }
    [[nodiscard]] QLineEdit* evidence() const { return m_evidence; }
    [[nodiscard]] QLineEdit* count() const { return m_count; }
    [[nodiscard]] QPushButton* confirm() const { return m_confirm; }
    [[nodiscard]] QPushButton* lookAgain() const { return m_again; }
    [[nodiscard]] QString notice() const;
    [[nodiscard]] const ActPreview& preview() const { return m_preview; }

Q_SIGNALS:
    void previewed();
    void ended(const cairn::ui::ActResult& result);

protected:
    void execute() override;

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildHead();
    void buildOptions();
    void connectSignals();
    void ask();
    void showPreview(const ActPreview& preview);
    void fillBody();
    void addFacts();
    void addSent();
    void addConsequences();
    void addReason();
    void updateConfirm();
    void finish(const ActResult& result);
    void refuse(const QString& text, bool again);
    [[nodiscard]] bool reasonSuffices() const;
    [[nodiscard]] QString missing() const;  // what is still to be entered; empty: nothing

    Source& m_source;
    StoreFacts m_facts;
    ActRequest m_request;
    ActPreview m_preview;
    Tickets m_tickets;
    QTimer* m_validity;
    QVBoxLayout* m_body = nullptr;
    QWidget* m_bodyWidget = nullptr;
    QPlainTextEdit* m_reason;
    QLineEdit* m_result;
    QLineEdit* m_evidence;
    QLineEdit* m_count;  // abandon: the number of runs, typed
    QButtonGroup* m_options = nullptr;
    QWidget* m_optionsBox = nullptr;
    QLabel* m_repeatOff = nullptr;  // why a repeat is off
    QLabel* m_notice;
    QLabel* m_valid;
    QPushButton* m_confirm;
    QPushButton* m_again;
    QPushButton* m_close;
    bool m_ready = false;  // a preview that may be executed
    bool m_busy = false;
};

}  // namespace cairn::ui
