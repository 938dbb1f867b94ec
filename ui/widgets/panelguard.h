#pragma once
// A fault in one panel is that panel's: it is covered and says what failed, and the rest of the window goes
// on. Of the window's thread.

#include <QApplication>

#include <exception>

namespace cairn::ui {

// Marks what is covered when something inside of it throws.
void setPanel(QWidget* panel, const QString& name);
// Covers the panel that the widget is in, or is, and says why, once the event loop comes round. False: it is
// in none.
bool panelFailed(QObject* inside, const char* what);

// Runs what fills a panel. What it throws is that panel's fault only.
template<typename F> void guarded(QWidget* panel, F fill)
{
    try {
        fill();
    } catch (const std::exception& fault) {
        if (!panelFailed(panel, fault.what()))
            throw;
    }
}

// Does the same for what is thrown in an event: painting, keys, answers that arrive.
class GuardedApplication final : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;
};

}  // namespace cairn::ui
