#pragma once
// How many runs wait for whom, and for what: one line per group, then one per reason.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class AttentionModel final : public RowsModel<AttentionLine, QString> {
    Q_OBJECT
public:
    enum Column { What, Count, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setLines(std::vector<AttentionLine> lines) { sync(std::move(lines)); }
    // Counts are lower bounds: a store does not answer.
    void setAtLeast(bool on);
    [[nodiscard]] QString countOf(const AttentionLine& line) const;

protected:
    [[nodiscard]] QString keyOf(const AttentionLine& line) const override;
    [[nodiscard]] QVariant cell(const AttentionLine& line, int column, int role) const override;

private:
    bool m_atLeast = false;
};

}  // namespace cairn::ui
