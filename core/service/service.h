#pragma once
// The only writer of runs: loads, renders, decides, commits, and on a lost race does so again, unseen by the
// caller. One Service belongs to one thread (an engine's loop, the command line's main, a console's job
// thread). It never blocks on the commit queue when used with ThreadedCommitQueue; reads of the store do
// block (they are short).

#include "core/base/rng.h"
#include "core/base/secrets.h"
#include "core/machine/machine.h"
#include "core/service/preview_parts.h"
#include "core/service/shared_bytes.h"
#include "core/store/store.h"

#include <limits>
#include <functional>
#include <memory>

namespace cairn {

// A payload that comes with a command, made by Service::newPayload or Service::stageLarge.
struct NewPayload {
    PayloadRef ref;
    Salt salt{};
    Digest plain;         // SHA-256 of the bytes; kept in memory only
    SharedBytes bytes;    // also of an artifact: what is rendered in the same commit may read it
    ArtifactId artifact;  // null: inline
    bool staged = false;  // the artifact's chunks are in the store; otherwise the commit queue stages them
    // A copy of another run's payload (null: none), under the same salt and hash. Its bytes and plain digest
    // are not here: the commit queue copies them, and whoever needs them reads them there.
    RunId copyFrom{};
    PayloadId copyOf{};
};

// What is said to be JSON must be JSON whose every reading is the same: no member twice, no number that a
// double cannot hold, no lone surrogate. The service refuses anything else that callers, workers and people
// give; what executors hand in was looked at by them. InvalidInput says where.
[[nodiscard]] Status checkGiven(const NewPayload& payload);

// What a payload gets at random: drawn on the service's thread, the rest can be done on another.
struct PayloadSeed {
    PayloadId id;
    ArtifactId artifact;  // used for what does not go inline
    Salt salt{};
    std::shared_ptr<const Masker> masker{};  // what is masked before anything is staged; null: nothing
};
// A payload of the bytes that `read` gives (at most `limit` at a time; empty: the end). Chunks of more than
// one are staged through `writer`. From any thread, with a connection that is that thread's. Blocks.
using PayloadSource = std::function<Result<std::string>(std::size_t limit)>;
[[nodiscard]] Result<NewPayload> stagePayload(
    StoreWriter& writer, const PayloadSeed& seed, const PayloadSource& read, std::string media);

struct Submission {
    RunId run;
    Command command;  // command.id null: the service makes one
    std::vector<NewPayload> payloads;
    std::string reason;  // a person's reason, verbatim (becomes a payload and goes to the audit)
    // Start only
    std::string workflow;               // empty: a driven run
    std::uint32_t workflowVersion = 0;  // 0: newest
    std::string key;
    // Fork only: command is cmd::Fork on a new run id
    RunId forkSource;
    // deliveries of messages
    std::optional<OutboxRow> delivered;
    std::string claimedName;  // --as; persons only
    // Of an act that was left for an engine: where it says that it comes from, instead of this process. Its
    // actor has the login of who left it.
    struct Origin {
        std::uint32_t uid = 0;
        std::string host;
    };
    std::optional<Origin> origin{};
    // By the policy. Of acts that were proposed and confirmed the service reads that from the store itself;
    // `agreed` is for who has read it elsewhere (a plan that somebody else approved).
    std::optional<Agreed> agreed{};
    std::uint64_t runs = 1;  // that are touched by the one act that this belongs to
    bool left = false;       // for an engine, or confirmed: refused where it does not wait any more
    std::optional<PlanOutcome> planItem{};  // done in the act's transaction; `doneAt`: not before
    bool breakGlass = false;  // where somebody else would have to confirm: done alone, with an open review
};

struct Outcome {
    enum class Kind : std::uint8_t {
        Committed,
        Repeated,  // this command id had been committed before: `version` says where. Without an entry, and
                   // with a `text`, where it began a run that was removed since
        Existing,  // Start: the key had been used with the same input; `run` is that run
        NoChange,  // the state already was as asked
        Rejected,
        Failed,    // `error`: the store; nothing is known to be changed unless OutcomeUnknown
        Proposed,  // kept: somebody else has to confirm it
    };
    Kind kind = Kind::Failed;
    RunId run;
    std::uint64_t version = 0;
    Entry entry;  // Committed, Repeated
    Rejection rejection;
    std::string text;       // NoChange; of a removed run: by whom and why
    StepIx step = kNoStep;  // NoChange of a DrivenStep or Claim
    std::uint64_t auditSeq = 0;
    bool ownerElsewhere = false;  // committed; the owning engine acts on it within 250 ms
    Error error;
    std::optional<StagedAct> proposal{};  // Proposed: as it is kept
    bool glass = false;                   // Committed: by one person alone, and a review is open
    [[nodiscard]] bool ok() const { return kind != Kind::Rejected && kind != Kind::Failed; }
};

// What would happen, by the same decide(), without writing anything.
struct Preview {
    Decision decision;  // Entry, Rejection or NoChange
    RunState before;
    RunState after;  // with the entry applied, where there is one
    std::vector<std::string> willHappen;
    std::vector<std::string> willNotRepeat;  // effects with a recorded result
    std::vector<std::string> mayRepeat;      // effects without one
    std::vector<std::string> alsoChanges;    // children, time-outs, waiters
    std::vector<PreviewSum> sums;            // of those lines that count things or name an amount
    PreviewParts parts;                      // what runs next and at what cost; what is left out, and why
    PreviewUndo undo;
    WhoIsNeeded needed;  // by the policy; where that is more than one, submit() keeps it as a proposal
};

// Where prepared commits go. done runs on the service's thread.
class CommitQueue {
public:
    using Done = std::function<void(Result<MemberResult>)>;
    virtual ~CommitQueue() = default;
    // Payload rows that have both an artifact and bytes are staged by the queue before the commit.
    virtual void push(CommitMember member, Done done) = 0;
    // An audit entry without a run's entry: a person's act that was refused. In order with the commits.
    virtual void pushAudit(AuditRow row, std::function<void(Result<std::uint64_t>)> done) = 0;
    // Commits what is queued and calls back; for the threaded queue: delivers what has come back. True:
    // something did.
    virtual bool pump() = 0;
    // Blocks until nothing is in flight (pumps).
    virtual void drain() = 0;
};

// Groups what was pushed since the last pump and commits on the calling thread: command line, simulator,
// tests.
[[nodiscard]] std::unique_ptr<CommitQueue> makeInlineQueue(StoreWriter& writer);
// One writer thread with a connection of its own. `wake` is called from that thread when answers wait for
// pump().
[[nodiscard]] Result<std::unique_ptr<CommitQueue>> makeThreadedQueue(
    std::unique_ptr<StoreWriter> writer, std::function<void()> wake);

class Acknowledged;  // acknowledged.h

struct ServiceConfig {
    SessionId session;  // null: not an engine (commits by others, DESIGN 12.4)
    // What earlier services of this process knew to be stored, to go on with; null: nothing.
    std::shared_ptr<Acknowledged> acknowledged;
    std::string actorName;            // engine's name for Actor
    std::vector<std::string> serves;  // "name" or "name@version"; empty: everything the store has
    std::uint32_t verifyOneIn = 256;  // folds 1 in N commits again before COMMIT; 0: never
    std::uint32_t uid = 0;            // real uid, for the audit
    std::string login;                // Actor::login of persons who act through this service
    std::string host;
    // For who must not be held up (an engine): has `work` done on another thread, with a connection of that
    // thread, and calls `done` on the service's thread afterwards, or at once; not at all once it is gone.
    // What a decision needs to read is read there where it is over 100 payloads or 1 MiB: meanwhile the run
    // waits, and the next pump() after `done` decides again. None: everything is read where it is needed.
    std::function<void(std::function<void(StoreReader&)> work, std::function<void()> done)> aside{};
};

// What the engine may spend: asked at each decision that may start attempts. Both numbers are as of the last
// commit that the engine has seen (onCommitted); the service itself takes off what is decided and not
// committed yet. On a commit the service takes its starts off `attempts` before the observer runs; the
// observer takes them off its permits.
struct Capacity {
    std::uint32_t attempts = 0;
    std::function<std::uint32_t(std::string_view resource)> permits;  // none: not limited
    // A run whose attempt holds one of this engine's permits; null where none does, or nothing is given.
    std::function<RunId(std::string_view resource)> holder = {};
};

class Service {
public:
    using Done = std::function<void(Outcome)>;

    Service(StoreReader& reader, CommitQueue& queue, const Clock& clock, Rng& rng, ServiceConfig config);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    // Decides and commits; `done` is called from pump() (or from here, when it is refused at once). What a
    // command says about being the same as before (sameInput, sameDataAsBefore, sameOutputAsBefore) is
    // compared here, and so are a decision's added steps read from its output: an output whose plan is wrong
    // is rejected as InvalidInput.
    void submit(Submission submission, Done done);
    [[nodiscard]] Outcome submitAndWait(Submission submission);  // pumps until the answer is there
    // For previews: takes a definition for one that the store has.
    void assume(std::shared_ptr<const Definition> definition);
    [[nodiscard]] Result<Preview> preview(const Submission& submission);
    bool pump();
    void drain();

    // Small ones are kept inline; larger ones are staged as artifacts through the writer by stageLarge.
    [[nodiscard]] NewPayload newPayload(std::string bytes, std::string media);
    [[nodiscard]] PayloadSeed payloadSeed(const RunId& run = {});  // `run`: its workflow says what is masked
    // Masks what is never stored, as every submission does: for what is kept before it is submitted.
    void mask(Submission& submission);
    [[nodiscard]] std::string masked(std::string_view text);
    [[nodiscard]] Result<NewPayload> stageLarge(
        StoreWriter& writer, const PayloadSource& read, std::string media);

    // Engine side. Owned runs are kept in memory (hot) until dropped; others' commits are found by wake-ups.
    void own(const ClaimedRun& run);
    void disown(const RunId& run);  // forgets the copy
    void reload(const RunId& run);  // a commit by another: load and decide again
    [[nodiscard]] const RunState* state(const RunId& run) const;  // owned and loaded; null otherwise
    void setCapacity(Capacity capacity);
    void setSessionEnded(std::function<bool(const SessionId&)> ended);
    // How time ends things where the store's clock was stepped: see Given::timeIsOver and holdsExpiry.
    struct Timekeeping {
        std::function<std::optional<bool>(const AttemptId&)> timeIsOver;
        std::function<bool()> holdsExpiry;
    };
    void setTimekeeping(Timekeeping timekeeping);
    // When the store's clock was last seen to have been stepped by more than 2 s, by the monotonic clock.
    [[nodiscard]] std::optional<SpanMs> clockSteppedAt() const;
    // Called after each commit on an owned run, in commit order, before the submission's own callback; also
    // for each entry of another that reload() found. `after` is the state as committed, never ahead of it.
    void onCommitted(std::function<void(const RunState& after, const Entry& entry)> observer);
    // The run is no longer this session's: let go by a commit (false), or taken over by another (true). After
    // `taken`, attempts of this session go on and may still deliver their results; nothing new is started.
    void onDisowned(std::function<void(const RunId& run, bool taken)> observer);
    // When another server was seen in the store's place (StoreInfo::serverTimeline), by the monotonic clock;
    // nothing: never. Asks the store. Noticed within two seconds without being asked, too: the next pump()
    // looks at all runs that this process knew, and parks those that have lost entries.
    [[nodiscard]] std::optional<SpanMs> serverReplacedAt();
    // Runs that were found to be this session's meanwhile, as by a claim: to be given to own().
    [[nodiscard]] std::vector<ClaimedRun> foundOwned();
    // Set where this engine could do nothing by itself within 30 s, and no submission is under way: what to
    // hand to StoreWriter::release, then disown(). Commits let go by themselves; this is for runs that were
    // claimed or started and needed no commit.
    [[nodiscard]] std::optional<ClaimedRun> idle(const RunId& run);
    // The same of a run that others could go on with at once: no attempt of this session is under way in it.
    [[nodiscard]] std::optional<ClaimedRun> withoutAttempt(const RunId& run);

    // A sender's message id, or any caller's key, under the store's salt (cmd::Signal::messageHash).
    [[nodiscard]] Result<Digest> saltedId(std::string_view id);

    // Tells a parent that its child cannot begin, and why; empty: that it has begun.
    [[nodiscard]] Submission tellParent(const RunId& parent, const RunId& child, const std::string& held);
    // Whether the run is cancelled, by itself or from above; false also where that could not be read.
    [[nodiscard]] bool cancelled(const RunId& run);
    // For a message that starts a child which cannot begin, of a cancelled run: the answer that the child
    // would give if it began as cancelled. Answers the message.
    [[nodiscard]] Result<Submission> answerForChild(const OutboxRow& row);
    // The submission that applies a message of another run. Payloads are copied from the sender (reads the
    // store). The same row always gives the same command id. An outcome other than Committed leaves the row
    // in the outbox: drop it, but keep it where the outcome is Failed, or Rejected with NotFound (the
    // receiver has not started yet). `copy`: of the message's payload, where that was made before.
    [[nodiscard]] Result<Submission> deliver(
        const OutboxRow& row, std::optional<NewPayload> copy = std::nullopt);

    // The state and explanation of any run, folded from its entries (version 0: the newest).
    [[nodiscard]] Result<RunState> load(const RunId& run, std::uint64_t version = 0);
    // What explain() needs beside the state.
    [[nodiscard]] Given explainGiven(const RunState& state);
    [[nodiscard]] std::shared_ptr<const Definition> definition(std::string_view name, std::uint32_t version);
    // Effect key text of a step's effect, for executors (Idempotency-Key).
    [[nodiscard]] Result<std::string> effectKey(const RunId& run, StepIx step);
    [[nodiscard]] TimeMs now();

    struct Impl;

private:
    friend class Agreements;  // agreement.h
    std::unique_ptr<Impl> m_impl;
};

// Folds all entries, checks the chain, and compares with the derived rows. Empty: clean.
[[nodiscard]] Result<std::vector<VerifyProblem>> verifyRun(StoreReader& reader, const RunId& run);

// Nobody waits for a signal of this name and nobody will: a warning that names those that steps wait for.
// Empty: a step waits for it, or the caller of a driven run says what is waited for.
[[nodiscard]] std::string unawaitedSignal(const Definition* definition, std::string_view name);

// The hash of every entry of every run, over its bytes and the entry before it; folds nothing. The first
// problem of each run, `most` runs at most.
struct ChainsRead {
    std::uint64_t runs = 0;
    std::uint64_t entries = 0;
    std::vector<VerifyProblem> problems;
};
[[nodiscard]] Result<ChainsRead> readChains(
    StoreReader& reader, std::size_t most = std::numeric_limits<std::size_t>::max());

// Rows derived from a state; the commit and verify use the same functions.
[[nodiscard]] ListRow listRowOf(
    const RunState& state, const RunRow& identity, TimeMs now, const Definition* definition);
[[nodiscard]] StepRow stepRowOf(const RunState& state, StepIx step);
// Which of the attempts that its limit allows is under way or comes next; of a step that stands still, how
// many it used up. Counts what the limit counts: handled failures since the counts last began anew, not
// look-ups and lost workers.
[[nodiscard]] std::uint32_t attemptOf(const StepRecord& step);

}  // namespace cairn
