#pragma once
// A window on the demo source, for tests that drive it from the keyboard.

#include "demosource.h"
#include "ui/pages/mainwindow.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

#include <functional>
#include <memory>

namespace cairn::ui::test {

// Shown and filled; polls nothing.
struct Desk {
    explicit Desk(std::function<void(DemoSource&)> prepare = {})
    {
        if (prepare)
            prepare(source);
        applyTheme(*qApp, false);
        window = std::make_unique<MainWindow>(source, false);
        window->resize(1440, 900);
        window->show();
        QSignalSpy ready(window.get(), &MainWindow::ready);
        window->start();
        if (ready.isEmpty())
            ready.wait(2000);
        window->setPolling(false);
        static_cast<void>(QTest::qWaitFor(
            [this] {
                return window->settled() && runs()->currentRow() >= 0 && verbs() > 0 && firstVerbShows();
            },
            3000));
        window->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(window.get(), 3000));
        runs()->setFocus();
    }
    [[nodiscard]] DataTable* runs() const { return window->triage()->runsTable(); }
    // Where all verbs are in the menu only there is none to be shown.
    [[nodiscard]] bool firstVerbShows() const
    {
        const auto* first = window->triage()->whyPanel()->firstVerb();
        return first == nullptr || first->isVisible();
    }
    [[nodiscard]] std::size_t verbs() const { return window->triage()->why().verbs.size(); }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        QWidget* focus = QApplication::focusWidget();
        QTest::keyClick(
            focus != nullptr ? focus : window->focusWidget(), static_cast<Qt::Key>(key), modifiers);
    }
    // Opens the sheet by a letter and waits for its preview.
    [[nodiscard]] ActSheet* sheetBy(int letter) const
    {
        key(letter);
        ActSheet* sheet = window->sheet();
        if (sheet != nullptr)
            static_cast<void>(
                QTest::qWaitFor([sheet] { return !sheet->preview().sentence.isEmpty(); }, 2000));
        return sheet;
    }

    DemoSource source;
    std::unique_ptr<MainWindow> window;
};

// What its labels say.
inline QString textOf(const QWidget* widget)
{
    QStringList all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
        all << label->text();
    return all.join(u'\n');
}

}  // namespace cairn::ui::test
