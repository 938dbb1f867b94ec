#pragma once
// What a store did in the last fortnight, and what stands still now: two charts, each with its numbers as a
// table.

#include "ui/data/reportvalues.h"
#include "ui/data/stores.h"

#include <QWidget>

class QLabel;
class QStandardItemModel;

namespace cairn::ui {

class BarChart;
class DataTable;
class PanelNote;

class ReportPage final : public QWidget {
    Q_OBJECT
public:
    ReportPage(Stores& stores, StoreIx store, QWidget* parent = nullptr);

    void load();
    [[nodiscard]] bool settled() const { return m_open == 0; }
    [[nodiscard]] DataTable* days() const { return m_days; }
    [[nodiscard]] BarChart* chart() const { return m_dayChart; }

Q_SIGNALS:
    void failed(const QString& what);
    void letterTyped(QChar letter, bool shift);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void showReport(const ReportView& view);

    Stores& m_stores;
    StoreIx m_store;
    QLabel* m_head;
    BarChart* m_dayChart;
    BarChart* m_waitChart;
    DataTable* m_days;
    DataTable* m_waits;
    QStandardItemModel* m_dayRows;
    QStandardItemModel* m_waitRows;
    PanelNote* m_note;
    bool m_read = false;  // once at least
    Tickets m_tickets;
    int m_open = 0;
};

}  // namespace cairn::ui
