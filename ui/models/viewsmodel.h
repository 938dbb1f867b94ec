#pragma once
// Saved views, one line each: its name, and how many runs it finds now.

#include "ui/data/savedviews.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

struct ViewLine {
    SavedView view;
    qint64 count = -1;  // not known, or its filter is wrong
    bool wrong = false;
    bool operator==(const ViewLine&) const = default;
};

class ViewsModel final : public RowsModel<ViewLine, QString> {
    Q_OBJECT
public:
    enum Column { Name, Count, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setLines(std::vector<ViewLine> lines) { sync(std::move(lines)); }

protected:
    [[nodiscard]] QString keyOf(const ViewLine& line) const override { return line.view.name; }
    [[nodiscard]] QVariant cell(const ViewLine& line, int column, int role) const override;
};

}  // namespace cairn::ui
