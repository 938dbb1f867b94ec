#pragma once
// The console's window on a store in a file, for benches: real session, real window, drawn offscreen unless
// there is a display. Window thread only.

#include "tests/bench/console_aims.h"
#include "tests/bench/figures.h"
#include "ui/data/storesession.h"
#include "ui/pages/mainwindow.h"

#include <functional>
#include <memory>
#include <string>

namespace cairn::bench {

// Two lines: the figure, and how much of its budget it is (below 1: it is kept).
void against(const std::string& name, double value, const Budget& budget);
// Of this process: resident now and at most, against the budget.
void memoryFigures(const std::string& name);

// Lets the window go on until `done`. Ends the program where that takes longer than two minutes.
void until(const char* what, const std::function<bool()>& done);
// Milliseconds until `done`.
[[nodiscard]] double msUntil(const char* what, const std::function<bool()>& done);

[[nodiscard]] ui::StoreOpening consoleOpening(const std::string& path);

class ConsoleDesk {
public:
    // Opens the window and asks; does not wait for the first answer.
    explicit ConsoleDesk(const std::string& path);
    ~ConsoleDesk();
    ConsoleDesk(const ConsoleDesk&) = delete;
    ConsoleDesk& operator=(const ConsoleDesk&) = delete;

    void settle();  // everything that was asked for has been answered
    [[nodiscard]] ui::StoreSession& session() { return *m_session; }
    [[nodiscard]] ui::MainWindow& window() const { return *m_window; }
    // A run's page, read and shown.
    [[nodiscard]] ui::RunPage* open(const RunId& run);

private:
    std::unique_ptr<ui::StoreSession> m_session;
    std::unique_ptr<ui::MainWindow> m_window;
};

}  // namespace cairn::bench
