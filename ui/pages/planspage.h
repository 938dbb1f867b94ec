#pragma once
// Plans of one store, and acts that wait for a second person: a list, and of the selected one how it stands,
// the outcome of each run, what became of them, and what can be done to it. Nothing is done here: a letter or
// a button opens the sheet that does it. A refresh keeps the row that is selected.

#include "ui/data/stores.h"

#include <QElapsedTimer>
#include <QWidget>

#include <optional>
#include <utility>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace cairn::ui {

class DataTable;
class DockTitle;
class PanelNote;
class PlanItemsModel;
class PlansModel;

class PlansPage final : public QWidget {
    Q_OBJECT
public:
    PlansPage(Stores& stores, StoreIx store, QWidget* parent = nullptr);

    void load();
    void follow();  // as load(), but an eighth of the time at most goes into it
    void setClosedToo(bool on);
    void select(const QString& key);  // of an entry; once it is in the list, where it is not yet
    // stepChosen() for this entry, once it is known how it stands; never for another one.
    void chooseOnceRead(const QString& key, PlanStep step) { m_step = {key, step}; }
    [[nodiscard]] StoreIx store() const { return m_store; }
    [[nodiscard]] bool settled() const { return m_open == 0; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] DataTable* items() const { return m_items; }
    [[nodiscard]] const PlanEntry* entry() const;  // that is selected; null: none
    [[nodiscard]] const PlanView& view() const { return m_view; }
    // Why it cannot be done to the one that is selected; empty: it can.
    [[nodiscard]] QString whyOff(PlanStep step) const;
    [[nodiscard]] QPushButton* button(PlanStep step) const
    {
        return m_buttons.at(static_cast<std::size_t>(step));
    }
    void focusNext();
    void copyCommand();

Q_SIGNALS:
    void stepChosen(cairn::ui::PlanStep step);
    void openRun(const cairn::ui::RunRef& run);
    void compareRun(const cairn::ui::RunRef& run, quint64 before);  // as it was at that version, with now
    void letterTyped(QChar letter, bool shift);
    void failed(const QString& what);
    void said(const QString& text);
    void viewChanged();

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildButtons();
    void connectSignals();
    void showEntries(const PlanEntries& entries);
    void loadEntry();
    void showView();
    void showFacts();
    void showButtons();

    Stores& m_stores;
    StoreIx m_store;
    PlansModel* m_model;
    PlanItemsModel* m_itemsModel;
    DataTable* m_table;
    DataTable* m_items;
    DockTitle* m_title;
    PanelNote* m_note;
    PanelNote* m_itemsNote;
    QLabel* m_strip;
    QLabel* m_outcomes;
    QPushButton* m_copy;
    QPushButton* m_closed;
    QWidget* m_facts;
    QHBoxLayout* m_factRow;
    std::vector<QPushButton*> m_buttons;  // by PlanStep
    PlanView m_view;
    std::vector<Fact> m_shownFacts;
    Tickets m_listTickets;
    Tickets m_viewTickets;
    QElapsedTimer m_read;  // since the last reading began
    qint64 m_took = 0;     // that long
    bool m_closedToo = false;
    QString m_wanted;                                    // to be selected; empty: none
    std::optional<std::pair<QString, PlanStep>> m_step;  // to be chosen, and of which entry
    bool m_listed = false;                               // the list has been read once
    int m_open = 0;
};

}  // namespace cairn::ui
