#pragma once
// A table of run data: whole rows, fixed row height, focus ring inside the row, columns that keep their width.

#include <QTableView>

namespace cairn::ui {

class DataTable : public QTableView {
    Q_OBJECT
public:
    explicit DataTable(const QString& name, QWidget* parent = nullptr);

    void setRowSize(int height);
    // Width of each column; the one given as `stretch` takes what is left.
    void setColumns(const QList<int>& widths, int stretch);
    [[nodiscard]] int currentRow() const { return currentIndex().isValid() ? currentIndex().row() : -1; }

Q_SIGNALS:
    void opened(const QModelIndex& index);      // Enter or double click
    void currentMoved(const QModelIndex& index);
    void foldAsked(int row, bool open);         // Left, Right
    void nearEnd();                             // scrolled so far that more rows are wanted
    void letterTyped(QChar letter, bool shift); // single letters stage; the page decides what

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void moveBy(int rows);
};

}  // namespace cairn::ui
