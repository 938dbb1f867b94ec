#pragma once
// The run's history, entry by entry or compact (Z), read in pages as one scrolls. Enter shows the run as it
// was then.

#include "ui/data/source.h"

#include <QWidget>

namespace cairn::ui {

class DataTable;
class DockTitle;
class PanelNote;
class HistoryModel;

class HistoryView final : public QWidget {
    Q_OBJECT
public:
    HistoryView(Source& source, const RunId& run, QWidget* parent = nullptr);
    void setTotal(quint64 total);  // entries in the store; reads what is new when shown
    void setCompact(bool compact);
    [[nodiscard]] bool compact() const;
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] HistoryModel* model() const { return m_model; }

Q_SIGNALS:
    void letterTyped(QChar letter, bool shift);
    void versionWanted(quint64 version);
    void failed(const QString& what);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void load(quint64 from);
    void writeTitle();

    Source& m_source;
    RunId m_run;
    HistoryModel* m_model;
    DataTable* m_table;
    DockTitle* m_title;
    PanelNote* m_note;
    Tickets m_tickets;
    quint64 m_total = 0;
};

}  // namespace cairn::ui
