#pragma once
// The operator: presses keys in the console's window, waits for what the screen says, and tells one line for
// each key. Acts by keys alone; the window's widgets and models are only read.

#include "core/base/result.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/triagepage.h"

#include <functional>

namespace cairn::ui {
class DataTable;
}

namespace cairn::ui::test {

using Holds = std::function<bool()>;
using Saw = std::function<QString()>;

class Operator {
public:
    // Pictures are written into that folder; empty: none are.
    Operator(MainWindow& window, const QString& pictures)
        : m_window(window)
        , m_pictures(pictures)
    {
    }

    // Waits until it holds; then tells the key that led to it, and what was seen. `wanted` says in words what
    // is waited for: it stands in the error.
    [[nodiscard]] Status press(const QString& name, int key, Qt::KeyboardModifiers with,
        const QString& wanted, const Holds& holds, const Saw& saw);
    [[nodiscard]] Status press(
        const QString& name, int key, const QString& wanted, const Holds& holds, const Saw& saw)
    {
        return press(name, key, Qt::NoModifier, wanted, holds, saw);
    }
    // Without a key: something that comes by itself.
    [[nodiscard]] Status see(const QString& wanted, const Holds& holds, const Saw& saw = {});
    [[nodiscard]] Status type(const QString& text);
    [[nodiscard]] Status typeOver(const QString& text);  // in the place of what stands there
    // G, and the letter of a place.
    [[nodiscard]] Status place(
        const QString& letter, int key, const QString& wanted, const Holds& holds, const Saw& saw);
    // Tab until the widget has the keyboard.
    [[nodiscard]] Status tabTo(const QWidget* widget, const QString& name);
    // Up or Down until the current row has this text.
    [[nodiscard]] Status rowWith(DataTable* table, const QString& text);
    // Ctrl+K, the words, Enter.
    [[nodiscard]] Status palette(
        const QString& words, const QString& wanted, const Holds& holds, const Saw& saw);
    // To the lists with this filter; with that of a line of the attention list; to the row of a situation.
    [[nodiscard]] Status filter(const QString& text);
    [[nodiscard]] Status toAttention(const QString& text);
    [[nodiscard]] Status toSituation(const QString& text);
    // Opens the act's sheet by its letter, and waits for the preview.
    [[nodiscard]] Status sheet(const QString& name, int key);
    [[nodiscard]] Status planSheet(const QString& words);
    // Types the reason into the open sheet and executes it.
    [[nodiscard]] Status execute(const QString& reason, const QString& said);

    // As the screen has it.
    [[nodiscard]] QString why() const;
    [[nodiscard]] QString notice() const { return m_window.notice(); }
    [[nodiscard]] quint64 shown() const;  // runs in the situations that are shown
    [[nodiscard]] static QString rowText(const DataTable* table, int row);
    [[nodiscard]] Status check(bool holds, const QString& what) const;
    // Of the window, or of the sheet that is open in it.
    [[nodiscard]] Status picture(const QString& name) const;

private:
    [[nodiscard]] QWidget* keyboard() const;
    void stroke(int key, Qt::KeyboardModifiers with) const;
    void tell(const QString& key, const QString& saw) const;
    [[nodiscard]] QString screen() const;

    MainWindow& m_window;
    QString m_pictures;
};

}  // namespace cairn::ui::test
