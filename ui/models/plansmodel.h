#pragma once
// Plans and proposed acts as a list, and the runs of one plan with what became of each.

#include "ui/data/planvalues.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class PlansModel final : public RowsModel<PlanEntry, QString> {
    Q_OBJECT
public:
    enum Column { What, Progress, Person, Standing, Reason, Since, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setRows(std::vector<PlanEntry> rows) { sync(std::move(rows)); }

protected:
    [[nodiscard]] QString keyOf(const PlanEntry& row) const override { return row.key(); }
    [[nodiscard]] QVariant cell(const PlanEntry& row, int column, int role) const override;
};

class PlanItemsModel final : public RowsModel<PlanItemLine, quint32> {
    Q_OBJECT
public:
    enum Column { Place, Run, Step, Outcome, Fate, Why, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setRows(std::vector<PlanItemLine> rows) { sync(std::move(rows)); }

protected:
    [[nodiscard]] quint32 keyOf(const PlanItemLine& row) const override { return row.place; }
    [[nodiscard]] QVariant cell(const PlanItemLine& row, int column, int role) const override;
};

}  // namespace cairn::ui
