#pragma once
// What can be written at the cursor, below an editor that keeps the keyboard: a text and a number in each
// row. Texts may come from runs; they are shown as text.

#include "ui/data/filtervalues.h"
#include "ui/widgets/datatable.h"

class QStandardItemModel;

namespace cairn::ui {

class ChoiceList final : public DataTable {
    Q_OBJECT
public:
    ChoiceList(const QString& name, QWidget* parent);
    void setChoices(std::vector<FilterChoice> choices);
    void move(int rows);                                // the current row; from none to the first or last
    [[nodiscard]] const FilterChoice* current() const;  // null: none is chosen
    [[nodiscard]] const std::vector<FilterChoice>& choices() const { return m_choices; }
    [[nodiscard]] int wantedHeight() const;

private:
    QStandardItemModel* m_rows;
    std::vector<FilterChoice> m_choices;
};

}  // namespace cairn::ui
