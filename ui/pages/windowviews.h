#pragma once
// Every view of the program by name, and how one comes to it: for pictures and for whoever looks at all of
// them. A view that is not in this list is in no picture, so whoever makes one adds it in windowviews.cpp.

#include <QString>

#include <functional>
#include <vector>

class QWidget;

namespace cairn::ui {

class MainWindow;

struct WindowView {
    using Step = std::function<void(MainWindow&)>;
    QString name;  // of the picture's file
    // From the lists, without a filter; after each step it is waited until everything asked for has been
    // answered.
    std::vector<Step> steps;
};

[[nodiscard]] std::vector<WindowView> windowViews();
// Everything that was asked for so far has been answered, for the views of a run too.
[[nodiscard]] bool atRest(const MainWindow& window);
// Back to the lists: dialogs, tabs and filter of a view go.
void leaveView(MainWindow& window);
// What there is to be seen: a dialog over the window, or the window.
[[nodiscard]] QWidget* seenOf(MainWindow& window);

}  // namespace cairn::ui
