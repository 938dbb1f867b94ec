#pragma once
// The stores of the window, one line each: its name on the ground of its environment, and how it is doing.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

struct StoreLine {
    StoreIx store = 0;
    StoreTag tag;
    QString state;       // "live", "no answer, 2 m 05 s old"
    QString text;        // in full: person, level, and what is the matter
    bool warns = false;  // it does not answer, or hears no hints
    bool operator==(const StoreLine&) const = default;
};

class StoresModel final : public RowsModel<StoreLine, StoreIx> {
    Q_OBJECT
public:
    enum Column { Name, State, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setLines(std::vector<StoreLine> lines) { sync(std::move(lines)); }

protected:
    [[nodiscard]] StoreIx keyOf(const StoreLine& line) const override { return line.store; }
    [[nodiscard]] QVariant cell(const StoreLine& line, int column, int role) const override;
};

}  // namespace cairn::ui
