#pragma once
// Text that came from runs, made safe to be put in front of a person. Qt guesses rich text in many widgets
// and then opens files that the text names, so: run data reaches widgets only through these functions and
// ui/widgets/safetext.h.

#include <QByteArray>
#include <QString>

namespace cairn::ui {

// Control characters, bidirectional overrides and invisible characters become visible marks; line breaks and
// tabs stay where `multiline`, else they become marks too. Longer than `limit` characters: cut, with the
// number left out.
[[nodiscard]] QString shown(const QString& text, bool multiline = false, qsizetype limit = 4096);
// Bytes as text: invalid UTF-8 becomes the replacement character.
[[nodiscard]] QString shownBytes(const QByteArray& bytes, qsizetype limit);
// For tooltips: escaped, so that no part of it is taken for markup.
[[nodiscard]] QString tip(const QString& text);

}  // namespace cairn::ui
