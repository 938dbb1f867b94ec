#pragma once
// Which shape and which words stand for a state. The words themselves come from the vocabulary in core/model.

#include "ui/data/values.h"

namespace cairn::ui {

[[nodiscard]] Family familyOf(Glyph glyph);
[[nodiscard]] QString glyphName(Glyph glyph);  // for assistive technology
[[nodiscard]] Glyph glyphOf(Reason reason);
[[nodiscard]] Glyph glyphOf(Activity activity, Reason reason);
[[nodiscard]] Glyph glyphOf(StepState state, Reason reason);
[[nodiscard]] QString moverText(Attention attention);  // "a person must"
[[nodiscard]] QString letterOf(Verb verb);             // key of the keyboard map; empty: none
[[nodiscard]] QString verbName(Verb verb);             // as the console says it
[[nodiscard]] QString verbSlug(Verb verb);  // "set-outcome": in the ids of acts; the same in every language
[[nodiscard]] QString spokenCell(const QString& text);  // of a table; one that is empty says so
[[nodiscard]] QString childRunWord();                   // what a step that is a run of its own is called
// What happens when the step is run again, the question that one has before any act; empty: nothing to tell.
[[nodiscard]] QString repeatText(const StepLine& step);
// What is to be typed for the act, beside its reason; empty: nothing.
[[nodiscard]] QString valueName(Verb verb);
[[nodiscard]] bool needsValue(Verb verb);  // it cannot be left empty

}  // namespace cairn::ui
