#pragma once
// Entries of a run's history, oldest first, read in pages. What people did stands in a lane of its own.
// Compact: entries in a row that say nothing to look for are folded into one, with their number.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class HistoryModel final : public RowsModel<HistoryLine, quint64> {
    Q_OBJECT
public:
    enum Column { Version, Time, Operator, Actor, Act, What, Reason, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    void addLines(std::vector<HistoryLine> lines);
    void setTotal(quint64 total);  // entries in the store
    // Begins anew: nothing is kept twice, so the entries are asked for again.
    void setCompact(bool compact);
    [[nodiscard]] bool compact() const { return m_compact; }
    [[nodiscard]] quint64 lastVersion() const { return m_last; }  // that was read
    [[nodiscard]] static quint64 lastOf(const HistoryLine& line)
    {
        return line.folded == 0 ? line.version : line.last;
    }
    void pageFailed() { m_asked = false; }

Q_SIGNALS:
    void pageWanted(quint64 fromVersion);

protected:
    [[nodiscard]] quint64 keyOf(const HistoryLine& line) const override { return line.version; }
    [[nodiscard]] QVariant cell(const HistoryLine& line, int column, int role) const override;

private:
    void fold(std::vector<HistoryLine>& lines);

    quint64 m_total = 0;
    quint64 m_last = 0;
    bool m_asked = false;
    bool m_compact = false;
};

}  // namespace cairn::ui
