#pragma once
// Inside of the engine's rules.

#include "core/engine/engine_core.h"
#include "core/engine/engine_parts.h"
#include "core/engine/limits.h"
#include "core/plan/runner.h"
#include "core/service/acknowledged.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace cairn {

struct RetentionWork;  // engine_retention.cpp

struct EngineCore::Impl {
    Impl(EngineSeams s, EngineConfig c);

    using Active = engine_detail::Active;
    using Pending = engine_detail::Pending;
    using Refusals = engine_detail::Refusals;

    // --- engine_sessions.cpp
    Status openSession();
    void loseSession(const std::string& why);
    void heartbeat();
    void lookAtClock(TimeMs now);
    void sweep();
    void watchStoreClock(TimeMs now, SpanMs asked, SpanMs answered);
    [[nodiscard]] std::optional<TimeMs> leasePassed(const SessionRow& row, TimeMs now, SpanMs mono);
    bool refreshSessions();
    [[nodiscard]] bool sameHost(const SessionRow& row) const;
    [[nodiscard]] bool ended(const SessionId& id) const;

    // --- engine_runs.cpp
    void claim();
    [[nodiscard]] bool leavesToOthers();
    void lostClaim(const Error& error);
    void adoptSome();
    void adopt(const ClaimedRun& run, bool sessionsKnown);
    void recover(const RunId& run);
    void lookAgain();
    void adoptServed();
    [[nodiscard]] bool adoptWaiting(const RunId& run);
    void takeWakeups();
    void fireTimers();
    void feedHungry();
    void queueForPermits(const RunState& state);
    void feedPermits(const std::string& resource);
    void feedAllPermits();
    void arm(const RunState& state);
    void armAt(const RunId& run, TimeMs due);
    void beHungry(const RunId& run);
    void disarm(const RunId& run);
    void maybeRelease(const RunId& run);
    void forget(const RunId& run);

    // --- engine_messages.cpp
    void deliverOutbox();
    void deliver(const OutboxRow& row);
    void deliver(const OutboxRow& row, std::optional<NewPayload> copy);
    void delivered(const OutboxRow& row, const Outcome& outcome);
    void lostStart(const OutboxRow& row, const Error& error);
    [[nodiscard]] bool canStart(const OutboxRow& row, const Message& message);
    void answerFor(const OutboxRow& row);
    [[nodiscard]] bool neverBegins(const OutboxRow& row);
    void copyAside(const OutboxRow& row, const PayloadRef& payload);
    void hastenMessages(const Outcome& outcome);
    void hold(const OutboxRow& row, const std::string& why);
    void tellBegun(const OutboxRow& row);
    using ParentAndChild = std::pair<RunId, RunId>;
    void tellParent(const ParentAndChild& who, const std::string& why);
    void say(const ParentAndChild& who);
    void sayUntold();
    void freeServed();

    // --- engine_hints.cpp
    void hear();
    void watchHints();
    void wentDeaf(const HintHealth& health);
    void lookNow(HintSet what);
    [[nodiscard]] SpanMs polled(SpanMs every) const;

    // --- engine_staged.cpp
    void takeStaged();
    void expire(const StagedAct& act);
    void carryOutOnStore(const StagedAct& act, TimeMs now);
    [[nodiscard]] bool recordDecision(const StagedAct& act);
    [[nodiscard]] bool isOver(const StagedAct& act, const Submission& submission, TimeMs now);
    void carryOut(const StagedAct& act, TimeMs now);
    void finishStaged(const StagedAct& act, const Outcome& outcome);

    // --- engine_plans.cpp
    [[nodiscard]] Status stillAlive();
    void carryOutOrder(const StagedAct& act);
    void openPlans(const StoreRights& may);
    void runPlans();
    void leavePlans();

    void tidy();    // engine_tidy.cpp
    void retain();  // engine_retention.cpp

    // --- engine_drain.cpp
    void letGo();
    [[nodiscard]] bool isDrained() const;
    void tellUnwritten();

    // --- engine_timeouts.cpp
    [[nodiscard]] SpanMs endOf(const AttemptStarted& fact);
    [[nodiscard]] std::optional<bool> timeIsOver(const AttemptId& attempt);
    [[nodiscard]] std::optional<SpanMs> lastStep() const;
    [[nodiscard]] bool holdsExpiry();
    void armAfterStep();
    void fireSpans();

    // --- engine_able.cpp
    void noteAble(const Active& attempt, AttemptResult& result);

    // --- engine_attempts.cpp
    void committed(const RunState& after, const Entry& entry);
    void startAttempt(const RunState& after, const AttemptStarted& fact);
    [[nodiscard]] Result<StartOrder> orderOf(const RunState& after, const AttemptStarted& fact);
    void refuseStart(const StartOrder& order, const Error& why);
    void stopCancelled(const RunState& after);
    void finished(AttemptResult result);
    void submitResults();
    [[nodiscard]] bool mayCall();
    [[nodiscard]] Result<Submission> submissionOf(Pending& pending);
    [[nodiscard]] Result<PayloadRef> outputOf(Pending& pending, Submission& submission);
    void stage(const std::shared_ptr<Pending>& pending);
    void later(Pending& pending, const Error& why);
    // From the beginning of an attempt to its time-out, in store time.
    struct Span {
        TimeMs from = kNoTime;
        TimeMs until = kNoTime;
    };
    [[nodiscard]] bool tooLate(const Span& within);
    void call(StartOrder order, const Span& within);
    void readInput(StartOrder order, const PayloadRef& input, const Span& within);
    void background(WorkPool::Work work, WorkPool::Done done);
    [[nodiscard]] bool refusedResult(Pending& pending, const Rejection& why);
    void answered(const std::shared_ptr<Pending>& pending, const Outcome& outcome);
    void notStorable(Pending& pending, const Error& why);
    void dropActive(const AttemptId& attempt);
    void spendOutside(const RunState& state, StepIx step);
    void dropOutside(const AttemptId& attempt);
    [[nodiscard]] RunId holderOf(std::string_view resource) const;
    void updateCapacity();

    void submit(const RunId& run, cmd::Body body, Service::Done done);
    void trouble(const Error& error);
    void notWritten(Refusals& refusals, const Error& error);
    void giveUpWhereMoved(const Error& error);
    void giveUp(const Error& error);
    void notCommitted(const Error& error);
    void enterFull(const Error& error);
    void leaveFull();
    [[nodiscard]] Actor self() const;
    [[nodiscard]] bool due(SpanMs& at, SpanMs every);
    [[nodiscard]] bool dueInStore(SpanMs& at, SpanMs every);
    [[nodiscard]] bool isAway() const { return seams.clock.monotonicMs() < awayUntil; }
    [[nodiscard]] bool pump();
    [[nodiscard]] SpanMs sleepFor(SpanMs executorNext);

    EngineSeams seams;
    EngineConfig config;
    EngineStats stats;
    Limits limits;
    std::unique_ptr<Service> service;
    std::unique_ptr<PlanRunner> plans;  // by that service; null: none, or this engine drains
    SessionId session;
    std::vector<SessionId> formerSessions;  // of this process; to be ended
    std::shared_ptr<Acknowledged> acknowledged = std::make_shared<Acknowledged>();  // by all its sessions
    ProcessIdentity identity;
    SpanMs leaseEnds = 0;             // monotonic, margin taken off
    std::optional<std::string> lost;  // why; acted on outside of callbacks
    std::optional<Error> hopeless;
    Refusals beats, commits;
    bool wakeAll = false;  // wake-ups were lost on the way
    bool draining = false;
    bool closed = false;
    bool full = false;
    bool looksAtClock = true;  // not where the store's is a test's
    bool clockIsOff = false;
    SpanMs drainUntil = 0;
    SpanMs reopenAt = 0;

    // when each is due next, by the monotonic clock
    SpanMs heartbeatAt = 0, sweepAt = 0, claimAt = 0, wakeupsAt = 0, outboxAt = 0, servedAt = 0, limitsAt = 0,
           stagedAt = 0, plansAt = 0, fullAt = 0, tidyAt = 0, againAt = 0, letGoAt = 0, retainAt = 0;
    SpanMs awayUntil = 0;                    // the store could not be reached
    SpanMs hintsAt = 0;                      // hints are not listened to before that
    std::uint64_t breaksSeen = 0;            // of the link
    std::optional<HintHealth::State> shown;  // of this session, to others

    std::shared_ptr<RetentionWork> retention;  // the pass that is under way; null: none
    bool retaining = false;                    // a part of it is, on a thread of the pool
    std::uint64_t retentionPasses = 0;

    std::unordered_set<SessionId> living;
    struct Seen {
        TimeMs heartbeat = kNoTime;
        SpanMs since = 0;
    };
    std::unordered_map<SessionId, Seen> seen;
    // As last read, and between which instants here.
    struct StoreClock {
        TimeMs time = kNoTime;
        SpanMs asked = 0, answered = 0;
    };
    StoreClock storeClock;
    std::optional<SpanMs> steppedAt;  // the store's clock, as seen here last
    std::optional<SpanMs> leaptAt;    // the same, by more than 2 s
    std::optional<SpanMs> armedFor;   // the step after which timers were set anew
    SpanMs heldUntil = 0;             // what people have time for is not ended before that

    struct Claimed {
        ClaimedRun run;
        bool sessionsKnown = false;
    };
    std::deque<Claimed> claimed;  // not loaded yet
    std::unordered_set<RunId> owned;
    std::unordered_map<RunId, std::uint64_t> unmoved;  // version at which taking over changed nothing
    std::unordered_map<RunId, TimeMs> dueOf;
    std::set<std::pair<TimeMs, RunId>> timers;
    std::set<RunId> again;  // a command of this engine failed: it is not lost
    std::deque<RunId> hungry;
    std::unordered_set<RunId> hungrySet;
    // Runs with a step that waits for a permit, by its resource: the first goes on as soon as one is free.
    struct Queue {
        std::deque<RunId> order;
        std::unordered_set<RunId> members;
    };
    std::unordered_map<std::string, Queue> permitQueues;
    std::optional<PageKey> servedAfter;  // where adoptServed() goes on

    using MessageKey = std::tuple<RunId, std::uint64_t, std::uint32_t>;
    // A message that could not be delivered.
    struct Held {
        SpanMs notBefore = 0;
        SpanMs wait = 0;
        std::uint64_t round = 0;  // in which it was seen last
        bool told = false;
        std::string workflow;  // the one that is missing, where that is why
        std::uint32_t workflowVersion = 0;
        RunId child;  // that it would start; null: another message
    };
    // What a parent is still to be told of a child: why it cannot begin; empty: that it has begun.
    struct Word {
        std::string why;
        bool underWay = false;
    };
    std::map<ParentAndChild, Word> untold;
    bool takesStaged = false;  // the store has acts of others, and this login may do them
    std::set<CommandId> carryingOut;
    std::set<MessageKey> delivering;
    std::map<MessageKey, Held> held;
    std::uint64_t outboxAfter = 0;  // how far this round over the outbox has come
    std::uint64_t outboxRound = 0;
    bool moreMessages = false;  // than may be under way

    std::unordered_map<AttemptId, Active> active;
    // An executor that could not begin what it was given, for want of something of this engine's own.
    struct Unable {
        SpanMs until = 0;  // it is given the same attempts again from then on
        SpanMs wait = 0;
        SpanMs since = 0;  // when it last could not
    };
    std::unordered_map<std::string, Unable> unable;  // by its name
    struct Outside {
        RunId run;
        std::string resource;
    };
    std::unordered_map<AttemptId, Outside> outside;  // attempts of workers that hold a permit of this engine
    std::deque<std::shared_ptr<Pending>> results;    // to be handed to the store
    std::size_t staging = 0;                         // results whose output is on its way into the store
    std::vector<std::shared_ptr<Pending>> handed;    // to the store, not answered yet; in order
    std::unordered_map<std::string, std::string> folders;  // of workflows, by name@version
};

// Whether it comes with messages to other runs that are to go at once.
[[nodiscard]] bool tellsOthers(const Fact& fact);

}  // namespace cairn
