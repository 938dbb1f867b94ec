#pragma once
// The run's payloads: the list of them, and the one that is chosen (payloadviewer.h).

#include "ui/data/source.h"

#include <QWidget>

class QPlainTextEdit;

namespace cairn::ui {

class DataTable;
class DockTitle;
class PayloadViewer;
class PayloadsModel;

class DataView final : public QWidget {
    Q_OBJECT
public:
    DataView(Source& source, const RunId& run, QWidget* parent = nullptr);
    void setPayloads(const std::vector<PayloadLine>& payloads);
    void openPayload(const PayloadLine& payload);
    void save(const QString& path);  // the value that is shown, whole
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QPlainTextEdit* viewer() const;  // the value that is chosen, at most 64 KiB of it
    [[nodiscard]] PayloadViewer* payload() const { return m_viewer; }
    // The newest payload of a step, unless one of its is open.
    void showStep(const QString& step);
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
    PayloadsModel* m_model;
    DataTable* m_table;
    DockTitle* m_listTitle;
    PayloadViewer* m_viewer;
};

}  // namespace cairn::ui
