#pragma once
// Inside of the query layer: putting reasons into words. One Teller tells one run; it reads error texts,
// other runs and sessions through a Lookup so that the words can be tested without a store.

#include "core/query/query.h"
#include "core/base/counted.h"

#include <span>

namespace cairn {

// --- words (words.cpp)

// A span for people in a sentence: "3 h 20 m", "2 d 3 h", "12 s"; parts that are zero are left out.
[[nodiscard]] std::string roughSpan(SpanMs span);
[[nodiscard]] std::string ago(
    TimeMs since, TimeMs now);  // "3 h ago", "just now", "at a time that is not recorded"
[[nodiscard]] std::string fromNow(TimeMs due, TimeMs now);  // "in 5 h", "now"
[[nodiscard]] std::string actorName(const Actor& actor);    // "kim", "engine 0193b2…9a1f", "the workflow"

[[nodiscard]] std::string quoted(std::string_view text);
// The beginning of a list of names, and how many more there are: a sentence stays one that can be read.
[[nodiscard]] std::string fewWords(const std::string& text);
[[nodiscard]] std::string amountText(std::int64_t amount, const std::string& unit);  // "1,200 tokens", money

// --- sentences (tell.cpp)

struct ChildTold {
    std::string name;    // workflow of the child, or its id
    std::string clause;  // "waits for an approval by finance, asked 3 h ago, expires in 5 h"
    Sentence sentence;
    Attention attention = Attention::Machine;
    bool open = false;  // it has not ended
};

struct Lookup {
    // One line of a payload's text, made visible; nullopt: not recorded (or redacted, then `why` says so).
    std::function<std::optional<std::string>(const PayloadRef& payload)> text;
    std::function<std::optional<std::string>(StepIx step)> key;             // effect key text
    std::function<std::optional<SessionRow>(const SessionId& id)> session;  // ended ones too
    // --- what is so now. Not set for an earlier version: how others stood then is not recorded.
    std::function<std::optional<ChildTold>(const RunId& child)> child;  // nullopt: it has not started
    // Of several children the one that needs somebody most; nullopt: not known.
    std::function<std::optional<RunId>(std::span<const RunId> children)> pressing;
    std::function<std::vector<SessionRow>()> engines;  // those that are heard
    std::function<std::uint64_t(std::string_view resource, const RunId& self)>
        othersOn;  // waiting for the resource
};

struct BudgetTold {
    std::string clause, detail, ends, shortText;
};
[[nodiscard]] BudgetTold tellBudget(
    const RunState& state, const ReasonItem& item, const Definition* definition);

// --- waits that another run ends (tell_runs.cpp)

struct OtherTold {
    std::string subject, clause, ends, shortText;
    TimeMs next = kNoTime;
};
[[nodiscard]] OtherTold tellSameEffect(
    const RunState& state, const StepRecord& step, TimeMs now, const Lookup& lookup);
[[nodiscard]] OtherTold tellChild(const StepRecord& step, const ReasonItem& item, const Lookup& lookup);
// Of the children that have not answered a cancel the one that needs somebody most, its id as the subject;
// nullopt: nothing is known of them, or this run has work of its own under way.
[[nodiscard]] std::optional<OtherTold> tellUnanswered(const RunState& state, const Lookup& lookup);

// Where a person looks up whether the effect under this key happened; nullopt: the tool says no page, or the
// key is not known.
[[nodiscard]] std::optional<std::string> tellPage(const ToolDef* tool, const std::optional<std::string>& key);

// --- a run that grows

// From here on a run is called large, long before anything of it is refused: it is opened, previewed and
// checked as a whole, and a console draws 10,000 steps in the time that it aims at.
inline constexpr std::uint64_t kManyEntries = 50'000;
inline constexpr std::size_t kManySteps = 8'000;
// Which of these it has reached, and what to do; empty: none.
[[nodiscard]] std::string tellSize(const RunState& state);

// A sentence and its clause: the part that a parent's sentence goes on with.
struct Told {
    Sentence sentence;
    std::string clause;
};

[[nodiscard]] Told tellRun(const RunState& state, const Explanation& explanation,
    const Definition* definition, TimeMs now, const Lookup& lookup);

}  // namespace cairn
