#pragma once
// The handbook for the console: pages of core/handbook as texts of Qt. Nothing here comes from a store. From
// the window's thread; everything is in memory.

#include "core/model/vocabulary.h"

#include <QString>

#include <vector>

namespace cairn::ui {

struct HandbookText {
    QString name;   // "reasons/approval"
    QString title;  // "Approval"
    QString text;   // Markdown
};
// A page, or its name empty where there is none.
[[nodiscard]] HandbookText handbookText(const QString& name);
// The name of the page about a reason or a verb; that of the index where it has none.
[[nodiscard]] QString handbookNameOf(Reason reason);
[[nodiscard]] QString handbookNameOf(Verb verb);
[[nodiscard]] QString handbookIndex();

struct HandbookTarget {
    QString name;   // empty: the link leads out of the handbook
    QString place;  // a heading's anchor on it, or empty
};
[[nodiscard]] HandbookTarget handbookTarget(const QString& from, const QString& link);
[[nodiscard]] QString handbookAnchor(const QString& heading);

struct HandbookLine {
    QString name, title, place, line;
};
// All pages with no words; else those that have all of them, the best first.
[[nodiscard]] std::vector<HandbookLine> searchedHandbook(const QString& words);

}  // namespace cairn::ui
