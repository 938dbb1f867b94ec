#pragma once
// Tab goes through a dialog as it is read: row by row, each from left to right, whatever was made first.

class QWidget;

namespace cairn::ui {

// Of what is visible in it now and takes the Tab key.
void orderByPlace(QWidget& dialog);

}  // namespace cairn::ui
