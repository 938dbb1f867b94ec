#pragma once
// The attempts at one step.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class AttemptsModel final : public RowsModel<AttemptLine, quint32> {
    Q_OBJECT
public:
    enum Column { Number, Started, Ended, Waited, Ran, Worker, Outcome, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // `readyAt`: when the step could begin; 0: not known. An attempt has waited since then, or since the one
    // before it ended: how much of that was back-off is not recorded.
    void setAttempts(std::vector<AttemptLine> lines, qint64 readyAt);
    void setNow(qint64 now) { m_now = now; }

protected:
    [[nodiscard]] quint32 keyOf(const AttemptLine& line) const override { return line.seq; }
    [[nodiscard]] QVariant cell(const AttemptLine& line, int column, int role) const override;

private:
    [[nodiscard]] QString waitedText(const AttemptLine& line) const;

    qint64 m_now = 0;
    qint64 m_readyAt = 0;
};

}  // namespace cairn::ui
