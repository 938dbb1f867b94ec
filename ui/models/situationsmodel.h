#pragma once
// Runs that wait for the same reason in the same place, one row each; uncertain effects pinned above
// everything.

#include "ui/data/values.h"
#include "ui/models/rowsmodel.h"

namespace cairn::ui {

// The same situation of two stores is two: each has its runs, and its rights.
struct SituationKey {
    StoreIx store = 0;
    QString key;
    bool operator==(const SituationKey&) const = default;
};

}  // namespace cairn::ui

template<> struct std::hash<cairn::ui::SituationKey> {
    std::size_t operator()(const cairn::ui::SituationKey& key) const noexcept
    {
        return qHash(key.key, key.store);
    }
};

namespace cairn::ui {

class SituationsModel final : public RowsModel<SituationLine, SituationKey> {
    Q_OBJECT
public:
    enum Column { Wait, Store, What, Where, Runs, Oldest, Trend, NextAt, Own, ColumnCount };

    using RowsModel::RowsModel;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setSituations(std::vector<SituationLine> lines);
    // By store, as for the runs.
    void setNow(std::vector<qint64> now) { m_now = std::move(now); }
    void setStores(std::vector<StoreTag> tags);

protected:
    [[nodiscard]] SituationKey keyOf(const SituationLine& line) const override
    {
        return {line.store, line.key};
    }
    [[nodiscard]] QVariant cell(const SituationLine& line, int column, int role) const override;

private:
    [[nodiscard]] QString text(const SituationLine& line, int column) const;
    [[nodiscard]] QString said(const SituationLine& line, int column) const;
    [[nodiscard]] QString trendTip(const SituationLine& line) const;
    [[nodiscard]] qint64 now(StoreIx store) const { return store < m_now.size() ? m_now[store] : 0; }

    std::vector<qint64> m_now;
    std::vector<StoreTag> m_tags;
};

}  // namespace cairn::ui
