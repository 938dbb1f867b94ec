#pragma once
// A table of run data: whole rows, fixed row height, focus ring inside the row, columns that keep their
// width.

#include <QSet>
#include <QTableView>

namespace cairn::ui {

class DataTable : public QTableView {
    Q_OBJECT
public:
    explicit DataTable(const QString& name, QWidget* parent = nullptr);

    void setRowSize(int height);
    // Width of each column; the one given as `stretch` takes what is left.
    void setColumns(const QList<int>& widths, int stretch);
    // Columns that are left out, the first named first, while the others would leave the stretching one less
    // than `least`.
    void setGiveWay(const QList<int>& order, int least);
    void setColumnWanted(int column, bool wanted);
    // A column that does not concern this table now: not shown, and not among those that are hidden.
    void setColumnAbsent(int column, bool absent);
    void setMarkable(bool on)
    {
        m_markable = on;
    }  // rows carry a box: Space, Shift+arrows, Ctrl+A and the mouse set it
    // One cell is the current one: Left and Right go to the next, + - _ ask for a filter from it.
    void setCells(bool on) { m_cells = on; }
    [[nodiscard]] bool columnWanted(int column) const { return !m_unwanted.contains(column); }
    // "2 columns hidden: Attempt, Money at stake"; empty: all are shown. Never silently.
    [[nodiscard]] QString hiddenText() const;
    [[nodiscard]] int currentRow() const { return currentIndex().isValid() ? currentIndex().row() : -1; }

Q_SIGNALS:
    void opened(const QModelIndex& index);  // Enter or double click
    void currentMoved(const QModelIndex& index);
    void foldAsked(int row, bool open);  // Left, Right
    // only this (+), not this (-), group by this (_), of a cell with a FilterRole
    void filterAsked(const QModelIndex& index, QChar how);
    void markToggled(int row);
    void markSet(int row);
    void markAll();
    void markMatching();                         // those beyond the window too
    void nearEnd();                              // scrolled so far that more rows are wanted
    void columnsChanged();                       // others are hidden than before
    void letterTyped(QChar letter, bool shift);  // single letters stage; the page decides what

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void moveBy(int rows);
    void fitColumns();
    bool markKey(const QKeyEvent& event);
    bool cellKey(const QKeyEvent& event);
    void moveCell(int step);

    QList<int> m_widths;
    QList<int> m_giveWay;
    QSet<int> m_unwanted;
    QSet<int> m_absent;
    int m_stretch = -1;
    int m_least = 0;
    bool m_markable = false;
    bool m_cells = false;
};

}  // namespace cairn::ui
