#pragma once
// Rendering: what a step's templates become once all that they read is recorded. Pure. Values are copied as
// raw slices of the recorded bytes, byte for byte; numbers are never converted. Called in the pool or on the
// service's thread: the cost is that of the bytes read and written.

#include "core/base/clock.h"
#include "core/definition/template.h"
#include "core/model/definition.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// The recorded bytes of "input" or of a step's output. NotFound where there are none (a skipped step): "else"
// and "exists" then apply. Any other error ends the rendering with that error. The bytes must live until it
// is done, and must have been accepted by validateJson.
using Sources = std::function<Result<std::string_view>(std::string_view source)>;

// Errors are InvalidInput with text that names source, pointer and what was found; NotFound of a source
// becomes InvalidInput as well; errors of the lookup keep their kind.
[[nodiscard]] Result<bool> evaluateCondition(std::string_view raw, const Sources& sources);  // empty: true
[[nodiscard]] Result<std::string> renderInput(
    std::string_view rawTemplate, const Sources& sources);  // empty: null
// Text of at most 512 bytes without control characters. Values must be text, numbers or booleans.
[[nodiscard]] Result<std::string> renderEffectKey(
    std::string_view keyTemplate, std::string_view renderedInput);
// An amount is a number or a decimal as text, never negative. No amountAt: an empty Money.
[[nodiscard]] Result<Money> renderAmount(const ToolDef& tool, std::string_view renderedInput);
// What a call used, as its output says: units whose value is not there, or is no amount, are left out.
// Amounts are rounded up.
// One that is negative, or beyond what one call can use (isReportable), is left out too; `refused` then says
// which and what it was.
struct RefusedUsage {
    std::string text;                  // empty: nothing was refused
    std::vector<std::string> tooMuch;  // units
};
[[nodiscard]] std::vector<Usage> usageOf(
    std::span<const UsageAt> places, std::string_view output, RefusedUsage* refused = nullptr);
[[nodiscard]] Result<TimeMs> renderUntil(std::string_view rawTemplate, const Sources& sources);
[[nodiscard]] Result<std::uint32_t> countItems(const ForEach& forEach, const Sources& sources);
// One item, or all of them: to render many members, slice once and hand each its item.
[[nodiscard]] Result<std::string_view> itemSlice(
    const ForEach& forEach, const Sources& sources, std::size_t index);
[[nodiscard]] Result<std::vector<std::string_view>> itemSlices(
    const ForEach& forEach, const Sources& sources);

// Two JSON values mean the same: numbers compared exactly by value, text decoded, objects without regard to
// order.
[[nodiscard]] Result<bool> jsonEquals(std::string_view a, std::string_view b);

// All of a step at once, in the order in which the parts depend on each other.
struct StepRendering {
    bool condition = true;  // false: nothing else was rendered
    std::string input;      // bytes; empty where the step takes none (timers, signals, fan-outs)
    std::string effectKey;  // empty: the default key, origin run/step
    Money amount;
    TimeMs until = kNoTime;   // timers with "until", "at" or "next"
    std::uint32_t items = 0;  // fan-outs
};
// `item`: for a member of the step's for_each, its item (whose condition is the fan-out's and was met); none
// for the fan-out itself and for all other steps. `now` is when a timer with "next" begins to wait. Errors
// begin with the step's name: `step "pay": input: ...`.
[[nodiscard]] Result<StepRendering> renderStep(const Definition& definition, const StepDef& step,
    const Sources& sources, std::optional<std::string_view> item = std::nullopt, TimeMs now = kNoTime);
// What undoing gets: tool.undoInput, whose sources are "input" and "output" of the call that is undone. What
// it does not name is not asked for.
[[nodiscard]] Result<std::string> renderUndo(const ToolDef& tool, const Sources& sources);

}  // namespace cairn
