#pragma once
// The fiddly half of a table model, written once: rows with a key each, brought up to date without a reset.
// What stays keeps its persistent indexes, so selection, current row and scroll survive every refresh. What
// cells show and say goes through shown(), whatever they hold.

#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <QAbstractTableModel>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cairn::ui {

template<typename Row, typename Key> class RowsModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final
    {
        if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.row() >= rowCount()
            || index.column() >= columnCount())
            return {};
        const Row& row = m_rows[static_cast<std::size_t>(index.row())];
        QVariant value = cell(row, index.column(), role);
        if (role == Qt::AccessibleTextRole) {
            const QString said = value.toString();
            return spokenCell(
                shown(said.isEmpty() ? cell(row, index.column(), Qt::DisplayRole).toString() : said));
        }
        return role == Qt::DisplayRole && value.typeId() == QMetaType::QString
            ? QVariant(shown(value.toString()))
            : value;
    }
    // Null where there is no such row.
    [[nodiscard]] const Row* row(int i) const
    {
        return i >= 0 && i < rowCount() ? &m_rows[static_cast<std::size_t>(i)] : nullptr;
    }
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }
    [[nodiscard]] int rowOf(const Key& key) const
    {
        if (!m_indexed) {
            m_places = placesOf(m_rows);
            m_indexed = true;
        }
        const auto found = m_places.find(key);
        return found == m_places.end() ? -1 : static_cast<int>(found->second);
    }

protected:
    [[nodiscard]] virtual Key keyOf(const Row& row) const = 0;
    [[nodiscard]] virtual QVariant cell(const Row& row, int column, int role) const = 0;

    void sync(std::vector<Row> fresh)
    {
        dropGone(fresh);
        reorder(fresh);
        insertNew(fresh);
        changeOthers(fresh);
    }
    void append(std::vector<Row> more)
    {
        if (more.empty())
            return;
        beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(more.size()) - 1);
        for (std::size_t i = 0; m_indexed && i < more.size(); ++i)
            m_places.emplace(keyOf(more[i]), m_rows.size() + i);
        std::move(more.begin(), more.end(), std::back_inserter(m_rows));
        endInsertRows();
    }
    // Takes away the rows that `gone` names.
    template<typename Gone> void removeIf(Gone gone)
    {
        for (int last = rowCount() - 1; last >= 0;) {
            if (!gone(m_rows[static_cast<std::size_t>(last)])) {
                --last;
                continue;
            }
            int first = last;
            while (first > 0 && gone(m_rows[static_cast<std::size_t>(first) - 1]))
                --first;
            beginRemoveRows({}, first, last);
            m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
            m_indexed = false;
            endRemoveRows();
            last = first - 1;
        }
    }
    void replace(int i, Row row)
    {
        if (m_rows[static_cast<std::size_t>(i)] == row)
            return;
        m_rows[static_cast<std::size_t>(i)] = std::move(row);
        Q_EMIT dataChanged(index(i, 0), index(i, columnCount() - 1));
    }

private:
    std::unordered_map<Key, std::size_t> placesOf(const std::vector<Row>& rows) const
    {
        std::unordered_map<Key, std::size_t> places;
        places.reserve(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            places.emplace(keyOf(rows[i]), i);
        return places;
    }
    void dropGone(const std::vector<Row>& fresh)
    {
        const auto wanted = placesOf(fresh);
        removeIf([&](const Row& row) { return wanted.count(keyOf(row)) == 0; });
    }
    void reorder(const std::vector<Row>& fresh)
    {
        const auto wanted = placesOf(fresh);
        std::vector<int> order(m_rows.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = static_cast<int>(i);
        const auto placed = [&](int i) { return wanted.at(keyOf(m_rows[static_cast<std::size_t>(i)])); };
        if (std::is_sorted(order.begin(), order.end(), [&](int a, int b) { return placed(a) < placed(b); }))
            return;
        std::sort(order.begin(), order.end(), [&](int a, int b) { return placed(a) < placed(b); });
        Q_EMIT layoutAboutToBeChanged();
        std::vector<int> goesTo(order.size());
        std::vector<Row> sorted;
        for (std::size_t to = 0; to < order.size(); ++to) {
            goesTo[static_cast<std::size_t>(order[to])] = static_cast<int>(to);
            sorted.push_back(std::move(m_rows[static_cast<std::size_t>(order[to])]));
        }
        m_rows = std::move(sorted);
        m_indexed = false;
        const QModelIndexList before = persistentIndexList();
        QModelIndexList after;
        for (const QModelIndex& old : before)
            after.append(index(goesTo[static_cast<std::size_t>(old.row())], old.column()));
        changePersistentIndexList(before, after);
        Q_EMIT layoutChanged();
    }
    void insertNew(const std::vector<Row>& fresh)
    {
        for (std::size_t i = 0; i < fresh.size();) {
            if (i < m_rows.size() && keyOf(m_rows[i]) == keyOf(fresh[i])) {
                ++i;
                continue;
            }
            std::size_t end = i + 1;
            while (end < fresh.size() && (i >= m_rows.size() || keyOf(fresh[end]) != keyOf(m_rows[i])))
                ++end;
            beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
            m_indexed = false;
            m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(i),
                fresh.begin() + static_cast<std::ptrdiff_t>(i),
                fresh.begin() + static_cast<std::ptrdiff_t>(end));
            endInsertRows();
            i = end;
        }
    }
    void changeOthers(std::vector<Row>& fresh)
    {
        int first = -1;
        for (std::size_t i = 0; i <= fresh.size(); ++i) {
            const bool differs = i < fresh.size() && !(m_rows[i] == fresh[i]);
            if (differs) {
                m_rows[i] = std::move(fresh[i]);
                first = first < 0 ? static_cast<int>(i) : first;
            } else if (first >= 0) {
                Q_EMIT dataChanged(index(first, 0), index(static_cast<int>(i) - 1, columnCount() - 1));
                first = -1;
            }
        }
    }

    std::vector<Row> m_rows;
    mutable std::unordered_map<Key, std::size_t> m_places;  // of the rows, made when it is asked for
    mutable bool m_indexed = false;
};

}  // namespace cairn::ui
