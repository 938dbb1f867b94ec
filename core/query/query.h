#pragma once
// Reading for people: lists, counts, one run with its sentence, history, context. Used by command line and
// console. Blocking; one object per thread. Nothing here writes.

#include "core/service/service.h"

#include <map>

namespace cairn {

// --- filter language (CONSOLE section 5)

struct FilterError {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::string text;
};
struct ParsedFilter {
    ListFilter filter;
    std::optional<FilterError> error;
};
// `now` and `zone offset` resolve relative times (age:>2h, since:today).
[[nodiscard]] ParsedFilter parseFilter(std::string_view text, TimeMs now);
[[nodiscard]] std::vector<std::string> filterFields();  // for completion and help

// Where a word of a filter stands, by the same reading as parseFilter's; also where what it says is wrong.
struct FilterPlace {
    std::size_t offset = 0;
    std::size_t length = 0;
    std::size_t valueAt = 0;      // of the value; offset where there is no field
    std::size_t alternative = 0;  // counts the `or` before it
    bool negated = false;
    bool isOr = false;
    std::string field;  // lower case; empty: a bare word
    std::vector<std::string> values;
};
[[nodiscard]] std::vector<FilterPlace> filterPlaces(std::string_view text);

// --- the sentence

// A wait told to a person: every wait names a subject, since, what ends it, and the next time; what the store
// does not hold is said to be not recorded (CONSOLE section 1 rule 3).
struct Sentence {
    std::string text;       // one or two sentences, plain text
    std::string shortText;  // for tables: "Approval by finance, asked 3 h ago"
    std::string subject;
    TimeMs since = kNoTime;
    std::string ends;                                           // what ends it
    TimeMs next = kNoTime;                                      // next time something happens by itself
    std::vector<std::pair<std::string, std::string>> evidence;  // fact name -> value
};

// One run, ready to be shown. The chain of child runs is followed to its root wait.
struct RunView {
    RunRow identity;
    HotRow hot;
    RunState state;
    Explanation explanation;
    Sentence sentence;
    ListRow row;
    std::vector<AttributeRow> attributes;
    std::shared_ptr<const Definition> definition;
    std::vector<std::pair<RunId, Sentence>> chain;  // children that the wait was followed through
    TimeMs at = kNoTime;                            // store time of the read
};

// A step, and what may be done about it now.
struct StepTold {
    std::string step;             // its id
    std::vector<Action> actions;  // refused ones with their reason
};

struct HistoryItem {
    Entry entry;
    Digest hash;
    std::string line;        // what it says, for people
    std::string reason;      // text, where kept
    std::string evidence{};  // what an uncertain effect was settled by, where that was given
};

// What a person is asked to allow: what the digest of a pending approval covers, to be shown before the yes.
struct Asked {
    ApprovalId approval;
    std::string step;
    std::string tool;        // empty: a yes or no, and nothing is called
    Digest digest;           // cmd::Decide::expectedBinding
    Digest contract;         // of the tool; null: no tool, or the workflow is not here
    std::string secret;      // the reference, never the secret
    std::string key;         // effect key; empty where it has no effect outside
    std::string keyMissing;  // why the key cannot be told
    Money amount;
    PayloadRef input;
    std::string head;            // of the input, at most kAskedShown bytes of it, as they are
    std::string headMissing;     // why it cannot be told
    std::string role{};          // whom the workflow names for it; asked for where policy or store know it
    std::uint64_t headMore = 0;  // bytes that are left out of `head`
};
inline constexpr std::size_t kAskedShown = 4096;

// What people keep beside a run, told: nothing that the engine goes by. Withdrawn notes are in the history.
struct NoteTold {
    std::uint64_t version = 0;  // of its entry: its number
    TimeMs at = kNoTime;
    std::string by;
    PayloadRef payload;
    bool masked = false;
    std::string text;  // one line, clipped; empty where it is masked
};
struct Annotated {
    bool held = false;           // plans and retention leave the run alone
    TimeMs heldUntil = kNoTime;  // kNoTime: until it is released
    std::string heldBy, heldReason;
    TimeMs heldSince = kNoTime;
    std::string assigned, assignedBy;  // empty: to nobody
    TimeMs assignedAt = kNoTime;
    std::vector<NoteTold> notes;
    std::vector<std::pair<std::string, std::string>> lines{};  // all of it for people: name -> text
};

// A run and those that it has to do with, each once; rows only of those that are in this store.
struct Relation {
    enum class Kind : std::uint8_t { Ancestor, Self, Child, HoldsEffect, ForkedFrom };
    Kind kind = Kind::Self;
    RunId run;
    std::string step{};   // of this run, through which it is related
    std::string agent{};  // of that step: who handed the work over
    std::string share{};  // of a child: what it may use of this run's budget; empty: as this run
    std::string note{};
    std::optional<ListRow> row{};  // nullopt: not in this store, or not begun
};

// A version of a run; 0: the newest.
struct RunAt {
    RunId run;
    std::uint64_t version = 0;
};
struct Compared;  // run_views.h

struct ContextOptions {
    std::size_t tokenBudget = 8000;
    bool json = false;
};

class Query {
public:
    Query(StoreReader& reader, const Clock& clock);
    ~Query();

    // Where the caller sees the processes of its host: an engine whose process is certainly gone counts as
    // lost at once, in all that is told from here on. Not thread-safe: before the first read.
    void seeProcesses(std::function<bool(const SessionRow&)> gone);
    // Whether payloads are the same is asked of this one: where the reader hides fields in them, others that
    // are hidden would look alike. It outlives this.
    void compareBy(StoreReader& stored);

    [[nodiscard]] Result<RunView> run(const RunId& run, std::uint64_t version = 0);
    // For who looks at one step. Reads the run as run() does. NotFound: it has no such step.
    [[nodiscard]] Result<StepTold> stepActions(const RunId& run, StepIx step);
    // Lists as the store has them, but for what shows without a commit: an attempt whose engine is no longer
    // heard has the reason `lease`, here as in run(). A filter may ask for it.
    [[nodiscard]] Result<RunPage> list(
        const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after, std::size_t limit);
    [[nodiscard]] Result<std::uint64_t> count(const ListFilter& filter);
    [[nodiscard]] Result<std::vector<CountRow>> counts(const ListFilter& filter);
    // As the store groups them, and all runs whose worker is lost as one more, with the key `lease`: a filter
    // may ask for that one too. Where these are of several steps or workflows, or so many that nobody has
    // looked, step or workflow of the row are empty.
    [[nodiscard]] Result<SituationList> situations(const ListFilter& filter, std::size_t limit);
    // As the store tells it. `lease` has none: since when a worker is not heard stands in no row.
    [[nodiscard]] Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width);
    // The same of when the runs of one go on by themselves.
    [[nodiscard]] Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width);
    [[nodiscard]] Result<std::vector<ListRow>> rows(std::span<const RunId> runs);
    // A worker that is lost changes no row: who shows `lease` reads again now and then.
    [[nodiscard]] Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit);
    [[nodiscard]] Result<RunId> resolve(
        std::string_view idOrPrefixOrKey);  // NotFound, or InvalidInput when ambiguous
    [[nodiscard]] Result<std::vector<HistoryItem>> history(
        const RunId& run, std::uint64_t fromVersion, std::size_t limit);
    // Of the approvals that are pending in this state, or of the one named, `most` at most. `keys` tells
    // effect keys as they are now; null: the state is an earlier one.
    [[nodiscard]] std::vector<Asked> asked(
        const RunState& state, Service* keys, const ApprovalId& only, std::size_t most);
    // `at`: store time, for a hold that ends.
    [[nodiscard]] Annotated annotated(const RunState& state, TimeMs at);
    [[nodiscard]] Result<Sentence> sentence(
        const RunState& state, const Explanation& explanation, const Definition* definition);
    // Sentence for a list row, without loading the run.
    [[nodiscard]] static Sentence rowSentence(const ListRow& row, TimeMs now);
    // A working context for an agent, rebuilt from graph, results and approvals within a token budget (4
    // bytes a token). Each call has exactly one answer; an unknown one is said to be unknown.
    [[nodiscard]] Result<std::string> context(const RunId& run, const ContextOptions& options);
    // Its ancestors (topmost first), itself, its children, runs that hold an effect of its, and what it was
    // forked from. Nobody is told of children's children: ask them.
    [[nodiscard]] Result<std::vector<Relation>> relations(const RunId& run);
    // Two runs, or two versions of one, against each other; payloads of up to 1 MiB by their bytes.
    [[nodiscard]] Result<Compared> compare(const RunAt& left, const RunAt& right);
    // DOT text of the task graph.
    [[nodiscard]] Result<std::string> dot(const RunId& run);
    [[nodiscard]] StoreReader& reader();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cairn
