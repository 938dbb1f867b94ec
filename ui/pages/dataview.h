#pragma once
// The run's payloads: type and size first, then the text, at most 64 KiB of it; the whole value can be saved.

#include "ui/data/source.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace cairn::ui {

class DataTable;
class DockTitle;
class PayloadsModel;

class DataView final : public QWidget {
    Q_OBJECT
public:
    DataView(Source& source, const RunId& run, QWidget* parent = nullptr);
    void setPayloads(const std::vector<PayloadLine>& payloads);
    void openPayload(const PayloadLine& payload);
    void save(const QString& path);  // the value that is shown, whole
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QPlainTextEdit* viewer() const { return m_text; }
    [[nodiscard]] QString headText() const;
    [[nodiscard]] std::vector<QWidget*> stops() const;  // what F6 goes through
    [[nodiscard]] QString place() const;

Q_SIGNALS:
    void letterTyped(QChar letter, bool shift);
    void failed(const QString& what);
    void said(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void showPayload(const PayloadText& payload);

    Source& m_source;
    RunId m_run;
    PayloadsModel* m_model;
    DataTable* m_table;
    DockTitle* m_listTitle;
    DockTitle* m_valueTitle;
    QLabel* m_head;
    QLabel* m_more;
    QPlainTextEdit* m_text;
    QPushButton* m_save;
    PayloadLine m_shown;
    Tickets m_tickets;
};

}  // namespace cairn::ui
