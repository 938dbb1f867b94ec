#pragma once
// All that a window can be asked to do, once: menus, shortcuts, single letters, the palette and the map of
// keys are made from this table. Single letters stage at most, and can be switched off.

#include "ui/data/values.h"

#include <QKeySequence>
#include <QString>

#include <functional>
#include <vector>

namespace cairn::ui {

// Where an action means something.
enum class ActPlace : quint8 { Anywhere, Lists, Run, Sheet, Audit, Plans };

struct WindowAction {
    QString id;         // "view.refresh": for tests and for others that look it up
    QString menu;       // where it stands in the menu bar; empty: nowhere
    QString title;      // what it does
    QKeySequence keys;  // with Ctrl, or an F key
    QChar letter;       // single key; null: none
    bool shift = false;
    QString keysText{};  // how its keys are written where they are others' business: "arrows, J K"
    ActPlace place = ActPlace::Anywhere;
    std::function<void()> run{};        // empty: the keys belong to a widget, and are only told here
    std::function<QString()> whyOff{};  // empty, or an empty answer: it can be done now
    bool separated = false;             // a line above it in its menu
};

class ActionTable {
public:
    void add(WindowAction action);
    [[nodiscard]] const std::vector<WindowAction>& all() const { return m_all; }
    [[nodiscard]] const WindowAction* find(const QString& id) const;
    // By a single key; null where none has it, or where single keys are switched off.
    [[nodiscard]] const WindowAction* byLetter(QChar letter, bool shift) const;
    void setLettersOn(bool on) { m_letters = on; }
    [[nodiscard]] bool lettersOn() const { return m_letters; }
    // "Ctrl+K", "Shift+H": all its keys as people read them; without single keys where those are off.
    [[nodiscard]] QString keysOf(const WindowAction& action) const;
    // For the map of keys: those of this place first, then those that work everywhere.
    [[nodiscard]] std::vector<Fact> map(ActPlace place) const;

private:
    std::vector<WindowAction> m_all;
    bool m_letters = true;
};

[[nodiscard]] QString placeText(ActPlace place);

}  // namespace cairn::ui
