#pragma once
// The filter: always visible, editable, says whether it is valid and how much it leaves out. While one types
// it shows what can stand at the cursor: Down and Up choose, Tab or Enter takes it, Esc leaves it, Ctrl+Space
// asks for it.

#include "ui/data/filtervalues.h"
#include "ui/data/values.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QKeyEvent;

namespace cairn::ui {

class ChoiceList;

class FilterBox final : public QWidget {
    Q_OBJECT
public:
    explicit FilterBox(QWidget* parent = nullptr);
    ~FilterBox() override;
    [[nodiscard]] QString filter() const;
    void setFilter(const QString& text);   // announces it
    void setExample(const QString& text);  // shown while it is empty
    void setState(const FilterState& state, const QString& effect);
    // The answer to helpWanted; one about another text or place is dropped.
    void setHelp(const FilterQuestion& question, const FilterHelp& help);
    void askValues(const QString& field);  // writes "field:" at the end and shows its values
    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    [[nodiscard]] ChoiceList* choices() const;

Q_SIGNALS:
    void filterChanged(const QString& text);
    void leave();  // Esc or Down: back to the list
    void helpWanted(const cairn::ui::FilterQuestion& question);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    bool choiceKey(const QKeyEvent& event);
    void take(const FilterChoice& choice);
    void placeChoices();
    void clearable();
    void underline(const FilterState& state);

    QLineEdit* m_edit;
    QLabel* m_state;
    QPushButton* m_clear;
    QPointer<ChoiceList> m_choices;  // a child of the window while it is shown
    FilterHelp m_help;
    QString m_last;
};

}  // namespace cairn::ui
