#pragma once
// The attempts at one step.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class AttemptsModel final : public RowsModel<AttemptLine, quint32> {
    Q_OBJECT
public:
    enum Column { Number, Started, Ran, Outcome, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setAttempts(std::vector<AttemptLine> lines) { sync(std::move(lines)); }
    void setNow(qint64 now) { m_now = now; }

protected:
    // Attempts are numbered per step and purpose; the position makes the key unique where a look-up has the same number.
    [[nodiscard]] quint32 keyOf(const AttemptLine& line) const override { return line.number; }
    [[nodiscard]] QVariant cell(const AttemptLine& line, int column, int role) const override;

private:
    qint64 m_now = 0;
};

}  // namespace cairn::ui
