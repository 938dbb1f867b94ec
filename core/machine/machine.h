#pragma once
// The rules. Pure: no clock, no randomness, no I/O, no payload bytes; the same inputs give the same answer
// for ever. Console, engine, command line, preview, verify and simulator all call these functions and no
// others.

#include "core/machine/state.h"
#include "core/model/command.h"
#include "core/model/definition.h"
#include "core/model/policy.h"

#include <functional>
#include <map>
#include <memory>
#include <variant>

namespace cairn {

// --- what a decision must see

// What decide() lacked. The caller (core/service) fetches it, adds it to Given and decides again until
// nothing lacks.
struct Needs {
    std::vector<StepIx> render;    // steps whose condition, input, effect key and fan-out must be evaluated
    std::vector<EffectId> ledger;  // ledger rows to read
    std::vector<std::string> resources;  // back-off and permits to read
    bool output = false;                 // the run's output template must be rendered
    [[nodiscard]] bool empty() const
    {
        return render.empty() && ledger.empty() && resources.empty() && !output;
    }
};

// What the definition layer made of a step's templates, once all that they read is recorded.
struct Rendered {
    bool condition = true;  // false: the step is skipped
    bool failed = false;    // a pointer or template did not fit: the step fails as incompatible
    PayloadRef error;       // where failed
    PayloadRef input;
    EffectId effect;  // null for read-only tools
    Money amount;
    TimeMs until = kNoTime;   // Timer steps
    std::uint32_t items = 0;  // FanOut: members to add
};

enum class LedgerState : std::uint8_t { Absent = 0, InFlight, Completed, Unknown, NotHappened };

struct LedgerRow {
    LedgerState state = LedgerState::Absent;
    RunId holder;  // run and step that hold, or completed, the effect
    std::string holderStep;
    bool sameInput = true;       // compared under the row's salt; salt gone: see `unknowable`
    bool unknowable = false;     // redacted: never "same"
    PayloadRef result;           // of a completed effect, as a new payload of this run
    std::uint64_t revision = 0;  // the commit is guarded by it
};

struct ResourceView {
    TimeMs backOffUntil = kNoTime;
    std::uint32_t permits = 0xFFFFFFFF;  // starts that this engine may spend now
    RunId holder;                        // where permits is 0: one of those that hold them
};

enum class Safety : std::uint8_t { Free = 1, Guarded };

struct LostSession {
    TimeMs lastHeard = kNoTime;
    TimeMs takenOverAt = kNoTime;  // kNoTime: no engine is there to take over
};

// Who stands behind an act for which one person is not enough.
struct Agreed {
    Actor by;            // who confirmed what somebody else proposed; nobody: the glass was broken
    Digest digest;       // of what was confirmed
    bool glass = false;  // one person alone did it, and a review is open
    std::string
        role{};  // for which a plan as a whole was confirmed; each of its acts may be asked for another
};

struct Given {
    TimeMs now = kNoTime;
    std::uint64_t seed = 0;  // of the store; jitter = hash(seed, run, step, attempt)
    Safety safety = Safety::Free;
    bool canWrite = true;                    // rights of the actor
    WhoIsNeeded needed{};                    // for a person's act, by the store's policy
    std::optional<Agreed> agreed{};          // where that is more than one
    std::string lacksRole{};                 // a role that the act needs and its actor has not
    const Definition* definition = nullptr;  // of the run's workflow version; null where it is not here
    const Definition* target = nullptr;      // Migrate: the version to move to
    bool served = true;                      // this engine serves the run's workflow version
    std::uint16_t format = kMaxFormat;       // that the entry will be written in
    SessionId session;                       // the owning engine that commits; null: starts no attempts
    std::uint32_t capacity = 0;              // attempts that the engine can start now
    SessionId owner;                         // Takeover: the engine that has the run, as last read
    std::function<bool(const SessionId&)> sessionEnded;  // Recover; null: no session has ended
    // FireTimers. Whether the time of an attempt under way is over, where the caller measures its span
    // itself; nullopt, and null: `now` says. `holdsExpiry`: `now` was stepped a moment ago, and ends nothing
    // that people, or workers outside, have time for.
    std::function<std::optional<bool>(const AttemptId&)> timeIsOver;
    bool holdsExpiry = false;
    // explain(): a session that is no longer heard; null: all are. Engines decide by sessionEnded alone.
    std::function<std::optional<LostSession>(const SessionId&)> sessionLost;
    std::map<StepIx, Rendered> rendered;
    std::map<EffectId, LedgerRow> ledger;
    std::map<std::string, ResourceView, std::less<>> resources;
    PayloadRef output;  // the rendered run output
    bool outputRendered = false;
    PayloadRef detail;  // payload with a machine-made explanation (worker, incompatible), where needed
    const RunState* forkSource = nullptr;    // Fork: folded to the version
    std::map<PayloadId, PayloadRef> copies;  // Fork: payloads as copied into the new run
};

// --- decisions

enum class RejectCode : std::uint8_t {
    Stale = 1,  // what the act depends on has changed since it was seen
    Refused,    // the rules do not allow it in this state
    NotFound,   // no such step, approval, attempt
    InvalidInput,
    Fenced,  // attempt no longer current; `late` may then be committed to keep the evidence
    NoRight,
    ReasonMissing,
    Conflict,      // same key or id with other content
    SecondPerson,  // allowed, but somebody else has to confirm it: the service keeps it as a proposal
};

// What can be done after a refusal of that kind, whatever its own text says: names a command, or what comes
// first.
[[nodiscard]] std::string_view whatNext(RejectCode code) noexcept;

struct Rejection {
    RejectCode code = RejectCode::Refused;
    std::string text;           // what, where, and what may be done; for people
    std::optional<Entry> late;  // Fenced: an entry with a LateResult fact, to be committed as evidence
};

// Nothing to do: the state already is what was asked for. `text` says so.
struct NoChange {
    std::string text;
    StepIx step = kNoStep;  // DrivenStep, Claim: the step concerned
};

using Decision = std::variant<Entry, Rejection, NoChange, Needs>;

// Decides `command` on `state`. An Entry has version state.version + 1 and is complete; folding it needs
// nothing else. The same function serves preview and execution.
[[nodiscard]] Decision decide(const RunState& state, const Command& command, const Given& given);

// The same decision made in place, for callers that own a state and go on with it (core/service): facts are
// applied to `state` as they are decided, so a completion costs no copy. run() gives Needs as often as
// something lacks; the caller adds to `given` and calls run() again. Steps named by Needs may have been added
// by this very entry: read them from `state`. After an Entry the state is at the entry's version. After a
// Rejection or NoChange it is untouched. A caller that gives up after Needs must throw the state away and
// load it again.
class Decider {
public:
    Decider(RunState& state, const Command& command, Given& given);
    ~Decider();
    Decider(const Decider&) = delete;
    Decider& operator=(const Decider&) = delete;
    [[nodiscard]] Decision run();

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

// The rule on reasons, for every act of a person, on a run or on the store as a whole: a guarded store asks
// for one of at least so many characters, counted by reasonLength() of core/base/text.h. nullopt: it is
// given, or not asked for.
[[nodiscard]] std::uint32_t reasonMinimum(Safety safety) noexcept;  // 0: none is asked for
[[nodiscard]] std::optional<Rejection> reasonMissing(Safety safety, std::uint32_t reasonLength);

// Why `command` cannot be taken on `state`, without deciding it; nullopt: it can. decide() begins with the
// same check.
[[nodiscard]] std::optional<Rejection> check(
    const RunState& state, const Command& command, const Given& given);

// Folds an entry in place, O(steps touched). The entry's version must be state.version + 1.
void apply(RunState& state, const Entry& entry);

// --- what follows from an entry (derived, so recomputable)

struct Message {
    cmd::MessageKind kind = cmd::MessageKind::StartChild;
    RunId to;
    StepIx step = kNoStep;    // receiver's step (ChildFinished), sender's step (StartChild)
    std::uint32_t index = 0;  // StartChild: of the sender's step among its fan-out's members
    PayloadRef payload;       // in the sender: child's input, or the run's output
    Activity as = Activity::Completed;
    std::vector<Usage> used;
    std::vector<BudgetLine> allotment;
    Control control;
    std::string workflow;  // StartChild
    std::uint32_t workflowVersion = 0;
    RunId root;
    RunId origin;  // StartChild: names the child's default effect keys
    std::uint32_t confirmed = 0;
    std::uint32_t total = 0;
    RunId budgetAt;   // StartChild, BudgetGranted: the run whose budget a person sets
    EffectId effect;  // EffectReleased: made by the store, one per waiter
};

// What flows down from a run to its children: the stricter of own and inherited. The revision is the version
// of the entry that last changed it, so it only grows.
[[nodiscard]] Control controlForChildren(const RunState& state);

// Messages of an entry in order; their number is their position. `after` is the state with the entry applied.
[[nodiscard]] std::vector<Message> messagesOf(
    const RunState& after, const Entry& entry, const Definition* definition);

struct LedgerChange {
    EffectId effect;
    StepIx step = kNoStep;
    LedgerState state = LedgerState::InFlight;
    PayloadRef result;
    bool wakesWaiters = false;  // the effect ended: one EffectReleased message per waiter
    bool byPerson = false;      // a person said so
};
[[nodiscard]] std::vector<LedgerChange> ledgerChangesOf(const RunState& after, const Entry& entry);
// Whether the row as it is may be changed so for step `step` of `run`: where nobody holds it, and by the step
// that does. What is said of one step does not end another's effect under the same key. Where the input in
// the row was redacted, so that nobody can compare, a person may say that it did not happen, unless it is
// under way.
[[nodiscard]] bool mayChange(
    const LedgerRow& row, const LedgerChange& change, const RunId& run, std::string_view step);

// --- explaining

struct ReasonItem {
    Reason reason = Reason::None;
    StepIx step = kNoStep;  // kNoStep: the run as a whole
    TimeMs since = kNoTime;
    TimeMs due = kNoTime;                   // next time something happens by itself; kNoTime: nothing will
    std::uint32_t count = 1;                // steps that wait for the same reason, this one included
    bool lookingUp = false;                 // an unknown effect that is being looked up right now
    Attention attention = Attention::None;  // who moves next where another run says so; None: see movesNext()
};
// Who ends this wait.
[[nodiscard]] Attention movesNext(const ReasonItem& item);

struct Summary {  // O(reasons): what run_list holds
    Activity activity = Activity::Queued;
    Attention attention = Attention::Machine;
    ReasonItem primary;
    TimeMs nextDue = kNoTime;  // earliest time at which the run does something by itself
    std::uint32_t running = 0;
};
[[nodiscard]] Summary summarise(const RunState& state, TimeMs now);
// Summary::nextDue. `startable`: whether one of the ready steps may begin now, which is more than summarise()
// can tell: an engine knows which of them it can execute.
[[nodiscard]] TimeMs nextDueOf(const RunState& state, TimeMs now, bool startable);

// What may be said of a step whose effect is in doubt, safest first.
struct SettleOffer {
    cmd::SettleAs as = cmd::SettleAs::Happened;
    bool allowed = false;
    std::string why;  // one line: what follows where allowed, why not where refused
};
// All five of them; none where the step is not in doubt.
[[nodiscard]] std::vector<SettleOffer> settleOffers(const RunState& state, StepIx step, const Given& given);

struct Action {
    Verb verb = Verb::Approve;
    StepIx step = kNoStep;
    ApprovalId approval;
    bool allowed = false;
    std::string why;                      // one line: consequence where allowed, why not where refused
    std::vector<SettleOffer> outcomes{};  // of Settle
};

struct Explanation {
    Summary summary;
    std::vector<ReasonItem> reasons;  // the most pressing first
    std::vector<Action> actions;      // safest first; refused ones carry the reason
};
[[nodiscard]] Explanation explain(const RunState& state, const Given& given);
// What may be done about one step, whatever its state: who looks at it learns why not. Empty: no such step.
[[nodiscard]] std::vector<Action> stepActions(const RunState& state, StepIx step, const Given& given);

// Verbs after which somebody can move the run again, each tried in memory; safest first.
[[nodiscard]] std::vector<Action> remedies(const RunState& state, const Given& given);

// --- what may go (settled.cpp)

// Why retention leaves the run alone; empty: it is settled, for its own part. Its tree, holds and messages
// are the service's to look at.
[[nodiscard]] std::string unsettled(const RunState& state);
// What still needs the payload, for people; empty: nothing does, it may be redacted.
[[nodiscard]] std::string neededFor(const RunState& state, const PayloadId& payload);

// Differences between two states, field by field, empty when equal: verify and the writer's own check use it.
[[nodiscard]] std::vector<std::string> differences(const RunState& a, const RunState& b);

}  // namespace cairn
