#pragma once
// Pictures of every view (ui/pages/windowviews), light and dark, for people who judge how the program looks.

#include <QString>
#include <QStringList>

class QApplication;

namespace cairn::ui {
class MainWindow;
}

namespace cairn::console {

inline constexpr const char* kShotsScale = "CAIRN_SHOTS_SCALE";  // set in the processes that draw

// Makes a demo store where none is named, and has a process draw it at 100 % and at 200 % of 1280x720. Blocks
// until all pictures are written. Empty, or what went wrong.
[[nodiscard]] QString makeShots(const QString& folder, const QStringList& stores);

// In such a process: draws all views one after the other, then ends the program, with 0 where all were
// written.
void drawShots(QApplication& app, ui::MainWindow& window, const QString& folder);

}  // namespace cairn::console
