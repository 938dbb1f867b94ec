#pragma once
// The payloads of one run: what they are, of which type and how large, without reading them.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class PayloadsModel final : public RowsModel<PayloadLine, PayloadId> {
    Q_OBJECT
public:
    enum Column { What, Type, Size, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setPayloads(std::vector<PayloadLine> lines);

protected:
    [[nodiscard]] PayloadId keyOf(const PayloadLine& line) const override { return line.id; }
    [[nodiscard]] QVariant cell(const PayloadLine& line, int column, int role) const override;
};

}  // namespace cairn::ui
