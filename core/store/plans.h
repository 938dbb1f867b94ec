#pragma once
// Plans as a store keeps them: one act of a person on many runs. What a plan may become, when its items are
// due and what they did is decided in core/plan; a store compares the revision, writes, and keeps what was
// frozen from changing.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/model/vocabulary.h"
#include "core/store/rows.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn {

enum class PlanState : std::uint8_t {
    Draft = 1,  // being written: its items come in parts
    Staged,     // frozen; waits for its start, or for a second person
    Running,
    Paused,
    Verifying,  // every item has an outcome; what became of the runs is looked at until the window ends
    Closed,
};
// A draft is not: nobody sees it but its author, and nothing comes of it before it is staged.
[[nodiscard]] constexpr bool isOpen(PlanState s) { return s > PlanState::Draft && s < PlanState::Closed; }

enum class PlanItemState : std::uint8_t {
    Open = 1,
    Done,
    Skipped,  // left out, or nothing to do: `why` says it
    Stale,    // what the act depends on had changed since it was frozen: refused, nothing done
    Failed,   // refused for another reason, or not possible
};

// Why an item was skipped.
enum class PlanLeftOut : std::uint8_t {
    None = 0,
    NotFound,      // no such run, or nothing in it that the verb is about
    AlreadySo,     // the run is as the act would make it
    AlreadyMoved,  // changed since it was frozen
    WrongState,    // the rules do not allow the verb in this state
    NoRight,
    OtherPlan,  // another open plan has the run
    Held,
    Uncertain,  // an effect of it may happen twice; the verb does not settle that
    Aborted,    // the plan was ended before its turn
    Removed,    // by retention, and only its tombstone is left
};
inline constexpr PlanLeftOut kLastLeftOut = PlanLeftOut::Removed;
inline constexpr std::size_t kLeftOutKinds = static_cast<std::size_t>(kLastLeftOut) + 1;  // None included

// What became of a run after its item was done.
enum class PlanFate : std::uint8_t {
    None = 0,  // not looked at, or not done
    Moved = 1,
    Finished,
    Again,    // back in the situation that it was taken out of
    NotYet,   // as the act left it
    Unknown,  // the run cannot be read any more
};

struct PlanRow {
    // Frozen when the plan is made.
    PlanId id;
    Verb verb = Verb::Retry;
    CommandId command;  // of the staging
    std::string login;  // author, as the store vouches for it
    std::string actor;  // name that the author claims
    std::uint32_t uid = 0;
    std::string host;
    std::string reason;
    TimeMs stagedAt = kNoTime;
    TimeMs expiresAt = kNoTime;  // not started by then: it never will be
    std::string spec;            // encoded PlanSpec (core/plan)
    std::uint32_t items = 0;
    Digest digest;  // over all that is frozen, the items too
    std::uint32_t people = 1;
    std::string role;  // of the second person; empty: any
    // Moves on.
    std::uint64_t revision = 0;  // grows by one with every change
    PlanState state = PlanState::Draft;
    std::string confirmedBy;  // login of the second person
    TimeMs confirmedAt = kNoTime;
    std::string note;  // why it stands still, or how it ended
    bool aborted = false;
    TimeMs startedAt = kNoTime;   // or continued, last
    TimeMs executedAt = kNoTime;  // the last item had its outcome
    TimeMs endedAt = kNoTime;
    SessionId holder;  // who carries it out; null: nobody
    TimeMs leaseUntil = kNoTime;
};

struct PlanItem {
    // Frozen.
    std::uint32_t ord = 0;  // from 1
    RunId run;
    CommandId command;       // derived from plan and run: whatever happens, the act counts once
    std::string target;      // step; empty: the run as a whole
    std::uint64_t seen = 0;  // revision of the step, or of the run's control; 0: the verb depends on nothing
    std::string situation;   // that it is to be taken out of; empty: none
    // Once.
    PlanItemState state = PlanItemState::Open;
    PlanLeftOut leftOut = PlanLeftOut::None;
    std::string why;
    std::uint64_t version = 0;  // of the run after the act
    TimeMs doneAt = kNoTime;
    PlanFate fate = PlanFate::None;  // as last looked at
    friend bool operator==(const PlanItem&, const PlanItem&) = default;
};

struct PlanCount {
    PlanItemState state = PlanItemState::Open;
    PlanLeftOut leftOut = PlanLeftOut::None;
    PlanFate fate = PlanFate::None;
    std::uint64_t count = 0;
};

struct PlanOfRun {
    RunId run;
    PlanId plan;
};

inline constexpr std::size_t kPlanPage = 500;  // items of one change
inline constexpr std::size_t kMaxPlanItems = 100'000;

// One transaction: the row where its revision still is `expected`, items, and the audit.
struct PlanChange {
    PlanRow row;                  // `revision` is not read
    std::uint64_t expected = 0;   // 0: the plan is new
    std::vector<PlanItem> added;  // while it is a draft
    // Outcomes of items that are there: state to fate. One that has its outcome keeps it, and takes the fate
    // where that is of the same outcome.
    std::vector<PlanItem> done;
    std::optional<AuditRow>
        audit{};  // without a run; one of this command id that is there stays the only one
    // Of an act that was left for an engine: Refused where it does not wait any more, and answered as done
    // with the change. Stores without logins have none: Refused.
    std::optional<CommandId> left{};
};

// The part of a store's reader that is about plans. Stores that keep none: nothing.
class PlanReader {
public:
    virtual ~PlanReader() = default;
    // The newest first; all, drafts too, or those that are frozen and not closed.
    [[nodiscard]] virtual Result<std::vector<PlanRow>> plans(bool closedToo, std::size_t limit);
    // For executors: those that run, then those that are looked after; the oldest of each first.
    [[nodiscard]] virtual Result<std::vector<PlanRow>> plansUnderWay(std::size_t limit);
    [[nodiscard]] virtual Result<std::optional<PlanRow>> plan(const PlanId& plan);
    // Items after that one in their order; `only`: in this state.
    [[nodiscard]] virtual Result<std::vector<PlanItem>> planItems(
        const PlanId& plan, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only);
    [[nodiscard]] virtual Result<std::vector<PlanCount>> planCounts(const PlanId& plan);
    // Which of these runs have an item without an outcome in a plan that is staged, runs or is paused.
    [[nodiscard]] virtual Result<std::vector<PlanOfRun>> plansOfRuns(std::span<const RunId> runs);
};

class PlanWriter {
public:
    virtual ~PlanWriter() = default;
    // Conflict: the plan has moved on since its revision was read, or there is one of this id; nothing is
    // written then. InvalidInput: it says otherwise than a plan may (checks.h).
    [[nodiscard]] virtual Status changePlan(const PlanChange& change);
    // The same of a draft and its items, by a login that may not write plans otherwise: whose plan it is, is
    // the store's own to say. NoRight: it lacks the operator's role. Refused by stores without logins.
    [[nodiscard]] virtual Status leaveDraft(const PlanChange& change);
};

}  // namespace cairn
