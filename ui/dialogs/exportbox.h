#pragma once
// Writes runs, or the audit, to a file that stands by itself: which runs, in which format, with or without
// payloads, where to; first how much it would be, then how far it is. Stop leaves nothing behind; closed,
// it goes on, and says so. Exporting is an act: it wants a reason where the store does, and says where it was
// put on record.

#include "ui/data/source.h"

#include <QDialog>

class QButtonGroup;
class QCheckBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTimer;

namespace cairn::ui {

// Which runs: some, or all that a filter finds. Or which entries of the audit: all of the scopes are that
// then.
struct ExportScope {
    QString text;
    std::vector<RunId> runs;
    QString filter;
    bool log = false;
};

class ExportBox final : public QDialog {
    Q_OBJECT
public:
    ExportBox(Source& source, const StoreFacts& facts, std::vector<ExportScope> scopes, QWidget* parent);
    ~ExportBox() override;

    [[nodiscard]] QLineEdit* path() const { return m_path; }
    [[nodiscard]] QLineEdit* reason() const { return m_reason; }
    [[nodiscard]] QPushButton* start() const { return m_start; }
    [[nodiscard]] QString state() const;  // the line that says what is, or came
    void choose(ExportKind kind);
    [[nodiscard]] bool busy() const { return m_writing != nullptr; }
    void reject() override;  // what is being written goes on, without this window
    void stop();             // leaves nothing behind

Q_SIGNALS:
    void ended(const QString& summary);
    void goesOn();  // closed, while it is being written

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QWidget* buildScopes();
    [[nodiscard]] QWidget* buildFormats();
    [[nodiscard]] QWidget* buildPlace();
    [[nodiscard]] ExportRequest request() const;
    [[nodiscard]] ExportKind kind() const;
    void measure();
    void write();
    void tellProgress();
    void answered(const Reply<ExportDone>& reply);
    void showState(const QString& text);
    void enableAll();

    Source& m_source;
    StoreFacts m_facts;
    std::vector<ExportScope> m_scopes;
    bool m_log;  // the audit leaves the store, not runs
    QButtonGroup* m_scope;
    QButtonGroup* m_format;
    QCheckBox* m_tree;
    QCheckBox* m_redact;
    QLineEdit* m_path;
    QLineEdit* m_reason;
    QLabel* m_size;
    QLabel* m_state;
    QProgressBar* m_bar;
    QPushButton* m_start;
    QPushButton* m_close = nullptr;
    QTimer* m_look;
    Tickets m_tickets;
    std::shared_ptr<ExportProgress> m_measuring;
    std::shared_ptr<ExportProgress> m_writing;
};

}  // namespace cairn::ui
