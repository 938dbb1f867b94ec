#pragma once
// A payload as rows: tree, table, text, bytes. All read from one PayloadIndex and hold no text of their own,
// so a value of 20 MB costs what is on screen. Everything is as stored: numbers keep each digit.

#include "ui/data/payloadindex.h"

#include <QAbstractTableModel>

#include <memory>

namespace cairn::ui {

using PayloadIndexPtr = std::shared_ptr<const PayloadIndex>;

[[nodiscard]] QString kindText(JsonKind kind);  // "string"; as the tree's column says it

class JsonTreeModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Value, Type, Size, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setIndex(PayloadIndexPtr index);  // the root is open; null: no rows
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] quint32 nodeOf(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    void setOpen(int row, bool open);
    [[nodiscard]] bool isOpen(int row) const;
    // All that is open below the root is closed, then whatever is less deep is opened: 1 is the root's
    // members alone. Stops where there are kMostOpened rows; false: it did.
    static constexpr std::size_t kMostOpened = 200'000;
    bool openTo(int level);
    // Opens what is around it, and gives its row.
    int reveal(quint32 node);
    [[nodiscard]] int rowOf(quint32 node) const;  // -1: not shown

private:
    [[nodiscard]] QString valueText(quint32 node) const;
    [[nodiscard]] int depthOf(quint32 node) const;

    PayloadIndexPtr m_index;
    std::vector<quint32> m_rows;  // nodes that are shown, in the order of the text
};

// Objects of an array, one a row, a column for each member name. For arrays of objects only.
class JsonTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    static constexpr int kMostColumns = 40;
    // Of the array at that node; false: it is no array of objects, and the model is empty.
    bool setArray(PayloadIndexPtr index, quint32 node);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] quint32 nodeOf(int row) const { return m_items[static_cast<std::size_t>(row)]; }
    [[nodiscard]] QString leftOut() const;  // columns beyond the most; empty: none

private:
    PayloadIndexPtr m_index;
    std::vector<quint32> m_items;
    QStringList m_names;
    int m_more = 0;
};

class TextRowsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Offset, Text, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;
    void setIndex(PayloadIndexPtr index);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] QByteArray bytesOf(int row) const;

private:
    PayloadIndexPtr m_index;
};

class HexRowsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Offset, Hex, Text, ColumnCount };
    static constexpr qsizetype kRow = 16;

    using QAbstractTableModel::QAbstractTableModel;
    void setIndex(PayloadIndexPtr index);
    [[nodiscard]] const PayloadIndexPtr& payload() const { return m_index; }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    PayloadIndexPtr m_index;
};

}  // namespace cairn::ui
