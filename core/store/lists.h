#pragma once
// What lists of runs are asked for and what they answer: filters, pages, counts, situations, changes. Plain
// values.

#include "core/store/rows.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cairn {

// All set members must hold; within one vector any may. `not` vectors exclude.
struct ListTerm {
    std::vector<Activity> activity, notActivity;
    std::vector<Attention> attention, notAttention;
    std::vector<Reason> reason, notReason;
    std::vector<std::string> workflow, notWorkflow;  // name or name@version
    std::vector<std::string> step, notStep;          // id, or prefix ending with *
    std::vector<std::string> situation;
    std::vector<std::string> resource;
    std::vector<std::string> errorContains;
    std::vector<std::string> key;  // exact, or prefix ending with *
    std::optional<RunId> parent, root, run;
    TimeMs sinceBefore = kNoTime, sinceAfter = kNoTime;  // present wait began
    TimeMs createdBefore = kNoTime, createdAfter = kNoTime;
    std::vector<std::pair<std::string, std::string>> attributes;  // name = text
    std::vector<std::string> worker;     // who works on it now: the engine's or the outside worker's name
    std::vector<std::string> touchedBy;  // acted on it, by the audit
    std::optional<std::int64_t> amountAbove, amountBelow;  // at stake in its step, in millionths; exclusive
    std::string currency;                                  // of that amount; empty: any
    std::optional<TimeMs> heldAt, notHeldAt;               // whether it is held at that time
    std::vector<std::string> assigned, notAssigned;        // to that person; "": to nobody
    // An attempt is under way by an engine's session that is none of these (living) ones; `notLost`: no such
    // attempt is.
    std::optional<std::vector<SessionId>> lost, notLost;
    bool unfinishedOnly = false;
    bool rootsOnly = false;
};
using ListFilter = std::vector<ListTerm>;  // any of them; empty: everything

enum class ListOrder : std::uint8_t { NewestFirst, AttentionThenOldest };

// Position after the last row seen; pages stay stable while rows arrive.
struct PageKey {
    std::int64_t a = 0;
    std::int64_t b = 0;
    RunId run;
};

[[nodiscard]] PageKey pageKey(const ListRow& row, ListOrder order);
[[nodiscard]] bool precedes(const PageKey& a, const PageKey& b, ListOrder order);
// Which of several lists in that order goes on: the one whose next row stands first, of equal ones the
// earlier list. None: all are at their end. Rows are given out one by one, so none is lost where keys are
// equal.
[[nodiscard]] std::optional<std::size_t> nextOf(
    std::span<const std::optional<PageKey>> heads, ListOrder order);

struct RunPage {
    std::vector<ListRow> rows;
    std::optional<PageKey> next;  // none: that was the last page
};

struct CountRow {
    Attention attention = Attention::None;
    Activity activity = Activity::Queued;
    Reason reason = Reason::None;
    std::uint64_t count = 0;
    TimeMs oldest = kNoTime;  // smallest `since`
};

// Runs of one situation, by what they are runs of. Those that a resource keeps waiting are of several
// workflows.
struct SituationPart {
    std::string workflow;
    std::string step;
    std::uint64_t count = 0;
    friend bool operator==(const SituationPart&, const SituationPart&) = default;
};

struct SituationRow {
    std::string situation;
    Reason reason = Reason::None;
    Attention attention = Attention::None;
    std::string workflow;
    std::uint32_t workflowVersion = 0;
    std::string step;
    std::string error;
    std::string resource;
    std::uint64_t count = 0;
    TimeMs oldest = kNoTime;
    TimeMs nextTime = kNoTime;           // earliest
    RunId example;                       // the oldest member
    std::uint64_t assignedRuns = 0;      // of them, those that are assigned to somebody
    std::string assigned{};              // to whom: the first by name
    std::string assignedLast{};          // and the last; the same where all are one person's
    std::vector<SituationPart> parts{};  // told by Query where these are several workflows or steps
};

// How many of the runs that are in a situation began to wait in one slot of time. Slots without any are not
// given.
struct SituationStarts {
    std::string situation;
    std::uint64_t slot = 0;  // from 0
    std::uint64_t count = 0;
    friend bool operator==(const SituationStarts&, const SituationStarts&) = default;
};

struct SituationList {
    std::vector<SituationRow> rows;  // who moves next first, then the oldest
    std::uint64_t total = 0;         // those that a limit cut off too
};

// A run that was removed since; its tombstone tells when and why.
struct GoneRun {
    RunId run;
    std::uint64_t changed = 0;
};

struct Changes {
    std::vector<ListRow> rows;
    std::uint64_t cursor = 0;  // pass to the next call
    bool more = false;
    std::vector<GoneRun> removed{};
};
// Keeps the `limit` oldest of both, which are in the order of their numbers, and says in `more` whether there
// were others. The number of the last one kept; 0: none.
[[nodiscard]] std::uint64_t keepOldest(Changes& changes, std::size_t limit);

// The part of a store's reader that tells how situations came to be as they are.
class TrendReader {
public:
    virtual ~TrendReader() = default;
    // Of these situations, by situation and slot: when the runs that match the filter, and are in them now,
    // began to wait. Slots are `width` ms long, the first begins at `from`; who has waited for longer is in
    // none. Reads no rows but those. InvalidInput: the width is not above 0.
    [[nodiscard]] virtual Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width) = 0;
    // The same of when they go on by themselves (ListRow::nextTime), of one situation.
    [[nodiscard]] virtual Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width) = 0;
    // What the runs of a situation that match the filter are runs of, by workflow and step.
    [[nodiscard]] virtual Result<std::vector<SituationPart>> situationParts(
        const ListFilter& filter, const std::string& situation) = 0;
};

}  // namespace cairn
