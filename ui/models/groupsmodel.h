#pragma once
// Runs by what they have in common in one field of the filter: a value, and how many runs have it.

#include "ui/data/filtervalues.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

struct GroupLine {
    QString value;      // as in the filter, in quotes where it needs them
    QString term;       // finds the runs of the group
    qint64 count = -1;  // -1: not known
    bool operator==(const GroupLine&) const = default;
};

class GroupsModel final : public RowsModel<GroupLine, QString> {
    Q_OBJECT
public:
    enum Column { Value, Runs, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // Groups of no run are left out.
    void setGroups(const QString& field, const QString& title, const std::vector<FilterChoice>& choices);
    [[nodiscard]] quint64 sum() const;

protected:
    [[nodiscard]] QString keyOf(const GroupLine& line) const override { return line.term; }
    [[nodiscard]] QVariant cell(const GroupLine& line, int column, int role) const override;

private:
    QString m_title;
};

}  // namespace cairn::ui
