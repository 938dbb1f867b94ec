#pragma once
// Acts of people, newest first, read in pages.

#include "ui/data/auditvalues.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

class AuditModel final : public RowsModel<AuditLine, quint64> {
    Q_OBJECT
public:
    enum Column { Entry, Time, Person, Act, OnWhat, Reason, Outcome, Second, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : ColumnCount;
    }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setFirst(std::vector<AuditLine> lines) { sync(std::move(lines)); }
    void addPage(std::vector<AuditLine> lines);
    // Of those that are shown: refused, rejected, expired, withdrawn.
    [[nodiscard]] quint64 countNotDone() const;

protected:
    [[nodiscard]] quint64 keyOf(const AuditLine& line) const override { return line.seq; }
    [[nodiscard]] QVariant cell(const AuditLine& line, int column, int role) const override;
};

}  // namespace cairn::ui
