#pragma once
// Facts as name and value, one a line. Long ids are shortened in the middle and copied whole: by their
// button, or with Ctrl+C where one has been selected. Values are plain text.

#include "ui/data/values.h"

#include <QUrl>
#include <QWidget>

namespace cairn::ui {

// `nameWidth`: least width of the column of names, in px. `longest`: characters of one word that stay
// unshortened.
[[nodiscard]] QWidget* factGrid(
    const std::vector<Fact>& facts, int nameWidth, QWidget* parent, int longest = 26);

// What a fact's "Open" gives to the desktop: pages of the web, and nothing else.
[[nodiscard]] bool isWebPage(const QUrl& url);

// Every word longer than `limit` characters without its middle, the ends kept; equal to `text` where nothing
// is long.
[[nodiscard]] QString shortenedInside(const QString& text, int limit);

}  // namespace cairn::ui
