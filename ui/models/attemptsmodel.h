#pragma once
// The attempts at one step.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class AttemptsModel final : public RowsModel<AttemptLine, quint32> {
    Q_OBJECT
public:
    enum Column { Number, Started, Ended, Ran, Worker, Outcome, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setAttempts(std::vector<AttemptLine> lines);
    void setNow(qint64 now) { m_now = now; }

protected:
    [[nodiscard]] quint32 keyOf(const AttemptLine& line) const override { return line.seq; }
    [[nodiscard]] QVariant cell(const AttemptLine& line, int column, int role) const override;

private:
    qint64 m_now = 0;
};

}  // namespace cairn::ui
