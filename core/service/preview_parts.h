#pragma once
// Parts of a preview as data: what would run next and on what, what it would cost at worst, how it can be
// undone. Command line, JSON and console show the same.

#include "core/machine/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace cairn {

// A line of a preview in parts, so that the previews of several runs can be added up: `head` and a number of
// things, or `head` and an amount.
struct PreviewSum {
    std::string line;  // as it stands in the preview
    std::string head;
    std::uint64_t count = 0;
    std::string one;   // "step under way is stopped"
    std::string many;  // empty: it counts nothing
    Money amount;      // without a currency: none
};

// A step that would begin as soon as an engine is there.
struct PreviewStep {
    std::string step;
    StepKind kind = StepKind::Tool;
    std::string tool;
    std::uint32_t attempt = 0;  // the next one
    std::string workflow;       // that it follows; empty: a driven run
    std::uint32_t version = 0;
    PayloadRef input;          // exactly these bytes; null: not made yet, or none
    Money amount;              // at stake
    std::vector<Usage> worst;  // what the attempt may use
    SpanMs timeout = 0;        // of the attempt; 0: none
};

// The worst case of all of these, by unit, beside the budget line of that unit.
struct PreviewCost {
    std::string unit;
    std::int64_t worst = 0;
    std::optional<BudgetLine> line;   // as it is after the act; none: no limit is set
    [[nodiscard]] bool fits() const;  // the rest of the line is enough
};

// How the act can be undone: by this verb, where there is one.
struct PreviewUndo {
    bool possible = false;
    std::optional<Verb> by;
    std::string text;
};
[[nodiscard]] PreviewUndo undoOf(Verb verb);

// What the entry would lead to, put into the three lists. `definition`: that the run follows after the act;
// null: driven, or not in this store.
struct PreviewParts {
    std::vector<PreviewStep> next;
    std::vector<PreviewCost> cost;
    std::vector<std::string> leftOut;  // what is not in the preview, or not done, and why
};
[[nodiscard]] PreviewStep previewStep(const RunState& after, StepIx step, const Definition* definition);
void addCost(PreviewParts& parts, const RunState& after);
void addLeftOut(PreviewParts& parts, const Entry& entry, const RunState& before, const RunState& after,
    const Definition* definition);
// Consent that was given or asked for, and is of no use after the act: the step ends without it, or the
// version that the run follows then would do something else. `definition`: that one.
[[nodiscard]] std::vector<std::string> consentThatIsLost(
    const Entry& entry, const RunState& before, const RunState& after, const Definition* definition);
// Times that pass while the act holds, and that a person may not have thought of.
[[nodiscard]] std::vector<std::string> timesThatPass(
    const PreviewParts& parts, const RunState& before, const RunState& after, TimeMs now);

}  // namespace cairn
