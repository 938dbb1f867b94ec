#pragma once
// The runs of one act on several: what the preview says for each, and what became of it.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

struct BulkRow {
    RunRef run;
    QString name;  // workflow and key
    enum class State : quint8 {
        Asking,
        Ready,
        LeftOut,
        Sending,
        Done,
        NoChange,
        Refused,
        Failed,
        NotKnown,
        NotSent
    };
    State state = State::Asking;
    QString text;  // why left out, or what came of it
    bool operator==(const BulkRow&) const = default;
};

class BulkModel final : public RowsModel<BulkRow, RunRef> {
    Q_OBJECT
public:
    enum Column { Run, Store, Name, State, Text, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setStores(QStringList names) { m_stores = std::move(names); }  // by number
    void setRows(std::vector<BulkRow> rows) { sync(std::move(rows)); }
    void set(int row, BulkRow::State state, const QString& text);
    [[nodiscard]] quint64 count(BulkRow::State state) const;

protected:
    [[nodiscard]] RunRef keyOf(const BulkRow& row) const override { return row.run; }
    [[nodiscard]] QVariant cell(const BulkRow& row, int column, int role) const override;

private:
    QStringList m_stores;
};

[[nodiscard]] QString bulkWord(BulkRow::State state);

}  // namespace cairn::ui
