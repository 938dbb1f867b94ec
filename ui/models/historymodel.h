#pragma once
// Entries of a run's history, oldest first, read in pages. What people did is told apart by weight.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class HistoryModel final : public RowsModel<HistoryLine, quint64> {
    Q_OBJECT
public:
    enum Column { Version, Time, Actor, Act, What, Reason, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    void addLines(std::vector<HistoryLine> lines);
    void setTotal(quint64 total);  // entries in the store
    [[nodiscard]] quint64 lastVersion() const { return rows().empty() ? 0 : rows().back().version; }
    void pageFailed() { m_asked = false; }

Q_SIGNALS:
    void pageWanted(quint64 fromVersion);

protected:
    [[nodiscard]] quint64 keyOf(const HistoryLine& line) const override { return line.version; }
    [[nodiscard]] QVariant cell(const HistoryLine& line, int column, int role) const override;

private:
    quint64 m_total = 0;
    bool m_asked = false;
};

}  // namespace cairn::ui
