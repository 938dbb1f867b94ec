#pragma once
// One act on one run: what it is about, the preview (computed by the same rules that will execute it), the
// reason, and the button that repeats verb and number. Ctrl+Enter executes; nothing else does. Only what the
// preview was computed of is sent: an edit makes it void, and once typing pauses it is computed again.
// Refused when what the act depends on has changed since the preview: then nothing is sent, and the sheet
// asks to look again. While it sends, the sheet stays open: it is where the outcome is told.

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

class ReasonField;
class ActSheet final : public Sheet {
    Q_OBJECT
public:
    ActSheet(Source& source, const StoreFacts& facts, const ActRequest& request, QWidget* parent);

    // What would happen, and nothing else: no button executes.
    void setPreviewOnly();
    // For tests and scripts that drive the sheet.
    [[nodiscard]] QPlainTextEdit* reason() const { return m_reason; }
    [[nodiscard]] QButtonGroup* outcomes() const { return m_options; }  // null: of another verb
    [[nodiscard]] QLineEdit* result() const { return m_result; }
    [[nodiscard]] QLineEdit* evidence() const { return m_evidence; }
    [[nodiscard]] QLineEdit* count() const { return m_count; }
    [[nodiscard]] QLineEdit* value() const { return m_value; }
    [[nodiscard]] QPushButton* confirm() const { return m_confirm; }
    [[nodiscard]] QPushButton* copyButton() const { return m_copy; }
    [[nodiscard]] QPushButton* lookAgain() const { return m_again; }
    [[nodiscard]] QString notice() const;
    [[nodiscard]] QString state() const;  // what the store is in now, or what is still needed
    [[nodiscard]] const ActPreview& preview() const { return m_preview; }
    [[nodiscard]] bool settled() const;  // no preview is under way, or about to be
    [[nodiscard]] Validity* validity() const { return m_validity; }  // runs while the preview may be acted on

public Q_SLOTS:
    void reject() override;  // not while it sends

Q_SIGNALS:
    void previewed();
    void ended(const cairn::ui::ActResult& result);

protected:
    void execute() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildHead();
    void buildOptions();
    bool chooseOutcome(int number);  // false: there is no such one
    void connectSignals();
    void ask();
    void edited();
    void setBusy(bool busy);
    void showPreview(const ActPreview& preview);
    void fillBody();
    void addFacts();
    void addSent();
    void addConsequences();
    void addReason();
    void updateConfirm();
    void finish(const ActResult& result);
    // Says what is the matter, and in the foot what state the store is in.
    void refuse(const QString& text, const QString& state, bool notKnown = false);
    [[nodiscard]] bool reasonSuffices() const;
    [[nodiscard]] bool lacksValue() const;
    [[nodiscard]] bool abandons() const;
    void askCount();
    [[nodiscard]] quint64 countToType() const;  // 0: none
    [[nodiscard]] QString missing() const;
    [[nodiscard]] bool isOffered(Outcome outcome) const;  // what is still to be entered; empty: nothing

    Source& m_source;
    StoreFacts m_facts;
    ActRequest m_request;
    ActPreview m_preview;
    Tickets m_tickets;
    Validity* m_validity;
    QTimer* m_typing;  // from the last edit until the preview is asked for again
    QVBoxLayout* m_body = nullptr;
    QWidget* m_bodyWidget = nullptr;
    ReasonField* m_reasonField;
    QPlainTextEdit* m_reason;
    QLineEdit* m_result;
    QLineEdit* m_evidence;
    QLineEdit* m_count;  // of what cannot be taken back, typed
    QLabel* m_countText;
    QWidget* m_countBox;
    QLineEdit* m_value;  // of verbs with a valueName()
    QButtonGroup* m_options = nullptr;
    QWidget* m_optionsBox = nullptr;
    QList<QLabel*> m_outcomeOff;  // why an outcome cannot be said now, by its place
    SheetNotice* m_notice;
    QLabel* m_valid;
    QPushButton* m_confirm;
    QPushButton* m_again;
    QPushButton* m_copy;
    QPushButton* m_close;
    bool m_ready = false;  // a preview that may be executed
    bool m_shown = false;  // a preview, once
    bool m_busy = false;
    bool m_previewOnly = false;
};

}  // namespace cairn::ui
