#pragma once
// Runs that wait for the same reason in the same place, one row each; uncertain effects pinned above
// everything.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class SituationsModel final : public RowsModel<SituationLine, QString> {
    Q_OBJECT
public:
    enum Column { Wait, What, Where, Runs, Oldest, NextAt, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setSituations(std::vector<SituationLine> lines);
    void setNow(qint64 now) { m_now = now; }

protected:
    [[nodiscard]] QString keyOf(const SituationLine& line) const override { return line.key; }
    [[nodiscard]] QVariant cell(const SituationLine& line, int column, int role) const override;

private:
    [[nodiscard]] QString text(const SituationLine& line, int column) const;
    qint64 m_now = 0;
};

}  // namespace cairn::ui
