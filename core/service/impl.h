#pragma once
// Inside of the service.

#include "core/service/acknowledged.h"
#include "core/service/error_text.h"
#include "core/service/payload_cache.h"
#include "core/service/slot.h"

#include <set>
#include <unordered_map>

namespace cairn {

class Work;

struct Service::Impl {
    Impl(StoreReader& r, CommitQueue& q, const Clock& c, Rng& g, ServiceConfig k)
        : reader(r)
        , queue(q)
        , clock(c)
        , rng(g)
        , config(std::move(k))
        , acknowledged(config.acknowledged ? config.acknowledged : std::make_shared<Acknowledged>())
    {
    }

    // --- service.cpp: submissions and their answers
    void submit(Submission submission, Done done);
    void work(Slot& slot);
    void decideNext(Slot& slot, const ItemPtr& item);
    [[nodiscard]] bool mayDecide(Slot& slot, const ItemPtr& item);
    void finish(
        Slot& slot, const ItemPtr& item, Outcome outcome);  // at once, or held behind commits in flight
    void answer(const ItemPtr& item, Outcome outcome);
    void giveUp(Slot& slot, const ItemPtr& item, Outcome outcome);
    void readAside(Slot& slot, const ItemPtr& item, WorkAside wanted);
    bool goOnWithRead();
    [[nodiscard]] Outcome repeatedOr(const Item& item, Outcome outcome);
    [[nodiscard]] Outcome repeated(const RunId& run, std::uint64_t version);
    void park(Slot& slot, const ItemPtr& item, Error wrong, RunState before);
    void parkNext(Slot& slot, const std::string& why);  // before whatever waits
    [[nodiscard]] std::optional<Error> checkAgain(
        const RunState& before, const RunState& after, const SealedEntry& sealed) const;
    void pushEntry(Slot& slot, const ItemPtr& item, Work& deciding, Entry entry, const Summary& summary,
        const std::optional<RunState>& before);
    void push(Slot& slot, const ItemPtr& item, CommitMember member);
    // --- answers.cpp
    void giveBack(const Item& item);
    void taken(Slot& slot, const ItemPtr& item, const RunId& other);
    void arrived(const RunId& run, const ItemPtr& item, Result<MemberResult> result);
    void committed(Slot& slot, const ItemPtr& item, const MemberResult& result);
    void duplicate(Slot& slot, const ItemPtr& item, const MemberResult& result);
    void failed(Slot& slot, const ItemPtr& item, Outcome outcome);
    void releaseHeld(Slot& slot);
    void breakChain(Slot& slot);
    void rebuild(Slot& slot);
    void tidy();
    bool lookAgain();              // at all runs that are known, after the server was replaced
    void rebuildSoon(Slot& slot);  // once nothing of it is in flight
    [[nodiscard]] bool lookAt(std::span<const RunId> runs);
    void auditRefusal(const ItemPtr& item, Outcome outcome);
    [[nodiscard]] static Outcome refused(const Item& item, Rejection rejection);
    [[nodiscard]] static Outcome notAudited(const Outcome& refused, Error why);

    // --- slots.cpp: loading
    Slot& slotOf(const RunId& run);
    Slot* findSlot(const RunId& run);
    Status load(Slot& slot);
    Status refresh(Slot& slot);  // entries since confirmed; observers hear of them
    Status afterLoad(Slot& slot, const HotRow& hot);
    void seen(Slot& slot);  // `confirmed` is what the store has
    using Heard = std::function<void(const RunState&, const Entry&)>;
    [[nodiscard]] Result<RunState> fold(
        const RunId& run, std::uint64_t version, RunRow* identity, HotRow* hot, const Heard& heard = {});
    // What flows down to the children of a run; nullopt: there is no such run (any more).
    struct ControlOfRun {
        Control control;
        std::uint64_t version = 0;
        RunId parent;
    };
    [[nodiscard]] Result<std::optional<ControlOfRun>> controlOf(const RunId& run);
    [[nodiscard]] Result<Entry> entryAt(const RunId& run, std::uint64_t version);
    // "; since then: deadline none by ann at 2026-..." of an act that is stale; empty: nothing can be said.
    [[nodiscard]] std::string changedSince(const RunState& now, const cmd::Body& body);  // stale.cpp
    [[nodiscard]] std::string errorText(Slot& slot, const PayloadRef& error, Work* work);

    // --- agreement.cpp: who must agree, and acts that somebody else must confirm
    [[nodiscard]] Result<std::shared_ptr<const Policy>> policyNow();
    [[nodiscard]] Status agree(Item& item, const RunState& state, Given& given, bool preview);
    [[nodiscard]] Result<std::optional<Agreed>> agreedInStore(
        const Item& item, const RunState& state, const Policy& policy, const WhoIsNeeded& needed);
    // A role that is asked for and this login has not; empty: none.
    [[nodiscard]] Result<std::string> lackedRole(
        const Policy& policy, const std::string& role, const std::string& login);
    // Refused: these two are not author and confirmer by what the policy asks for now.
    [[nodiscard]] Status secondOfNow(const Policy& policy, const WhoIsNeeded& needed,
        const std::string& author, const std::string& confirmer);
    [[nodiscard]] Outcome proposalOf(const Item& item, const RunState& state, const WhoIsNeeded& needed);
    void keepProposal(const ItemPtr& item, Outcome outcome);
    [[nodiscard]] AuditRow auditRowOf(const Submission& submission);
    [[nodiscard]] Result<std::uint64_t> appendNow(AuditRow row);  // and waits for it
    [[nodiscard]] std::string loginOf(const Submission& submission) const;

    // --- start.cpp
    [[nodiscard]] std::optional<Outcome> prepare(Item& item);  // an outcome: answered without a decision
    [[nodiscard]] std::optional<Outcome> prepareStart(Item& item, cmd::Start& start);
    [[nodiscard]] std::optional<Outcome> prepareFork(Item& item, cmd::Fork& fork);
    [[nodiscard]] Status copyForFork(Item& item);
    [[nodiscard]] Outcome keyTaken(const Item& item, const RunRow& other) const;

    // --- project.cpp
    [[nodiscard]] Result<CommitMember> project(
        Work& work, Slot& slot, const Entry& entry, const SealedEntry& sealed, const Summary& before);
    [[nodiscard]] std::optional<ClaimedRun> toLetGo(const RunId& run, bool forOthers);
    [[nodiscard]] bool worthOwning(const RunState& state, const Definition* definition, TimeMs now) const;
    [[nodiscard]] TimeMs nextDueOf(const RunState& state, const Definition* definition, TimeMs now) const;

    // --- what decisions are given (environment.cpp)
    [[nodiscard]] TimeMs now();
    [[nodiscard]] Result<StoreInfo> info();
    [[nodiscard]] Status readInfo();
    // An engine leaves a store that could not be reached alone for a moment: each call to it may block for
    // seconds, and the runs wait one behind the other. Null: it may be asked.
    [[nodiscard]] const Error* stillAway() const;
    void noteAway(const Error& error);
    // For decisions. The other takes an error of the store for "not here": only for what is shown, or was
    // read before.
    [[nodiscard]] Result<std::shared_ptr<const Definition>> findDefinition(
        std::string_view name, std::uint32_t version);
    [[nodiscard]] std::shared_ptr<const Definition> definition(std::string_view name, std::uint32_t version);
    [[nodiscard]] bool serves(std::string_view name, std::uint32_t version) const;
    [[nodiscard]] ResourceView resource(const std::string& name);
    [[nodiscard]] RunId holderOf(const std::string& resource);  // one of the runs that hold its permits
    // Limited, and nothing here leases permits of it. After resource() of the same name.
    [[nodiscard]] bool limitedElsewhere(const std::string& name) const;
    [[nodiscard]] std::uint32_t attemptsLeft() const;
    [[nodiscard]] std::string servedHere() const;
    [[nodiscard]] PayloadSeed payloadSeed();
    [[nodiscard]] NewPayload makePayload(std::string bytes, std::string media);
    // --- masking.cpp
    void mask(Submission& submission);
    [[nodiscard]] std::shared_ptr<const Masker> masker(const WorkflowRef& workflow);
    [[nodiscard]] std::shared_ptr<const Masker> maskerOf(const RunId& run);

    StoreReader& reader;
    CommitQueue& queue;
    const Clock& clock;
    Rng& rng;
    ServiceConfig config;
    Capacity capacity;
    std::function<bool(const SessionId&)> sessionEnded;
    std::function<void(const RunState&, const Entry&)> observer;
    std::function<void(const RunId&, bool)> disowned;

    std::unordered_map<RunId, std::unique_ptr<Slot>> slots;
    std::vector<RunId> maybeIdle;
    int depth = 0;  // callbacks and decisions on the stack: slots are not erased meanwhile

    struct Reading {
        RunId run;
        ItemPtr item;
        std::shared_ptr<AsideReading> what;
    };
    std::vector<Reading> readings;                               // that have come back
    std::shared_ptr<bool> alive = std::make_shared<bool>(true);  // for what comes back later

    PayloadCache cache{64u << 20};
    std::shared_ptr<Acknowledged> acknowledged;
    std::optional<StoreInfo> storeInfo;
    SpanMs infoAt = 0;
    std::optional<Error> away;  // what the store said when it could not be reached
    SpanMs awayAt = 0;
    std::uint32_t replacements = 0;  // of the store's server, that were seen here
    std::vector<RunId> toLookAt;     // runs that may have lost entries by the last of them
    std::vector<ClaimedRun> foundMine;
    TimeMs timeBase = kNoTime;
    SpanMs timeAt = 0;
    SpanMs timeAskedAt = 0;  // and answered or not
    std::optional<SpanMs> steppedAt;
    Timekeeping timekeeping;
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const Definition>> definitions;
    std::shared_ptr<const Policy> policyKnown;         // as last read
    std::unordered_map<RunId, ControlOfRun> controls;  // of runs that children were started for
    std::map<std::string, ResourceRow, std::less<>> resources;
    SpanMs resourcesAt = 0;
    SecretList neverStore;  // the store's, as last read
    bool neverStoreKnown = false;
    SpanMs neverStoreAt = 0;
    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const Masker>> maskers;  // by workflow
    bool resourcesKnown = false;
    std::map<std::string, std::pair<RunId, SpanMs>, std::less<>> holders;  // as last read, and when
    std::uint32_t startsInFlight = 0;
    std::map<std::string, std::uint32_t, std::less<>> permitsInFlight;
};

// The answer of a submission that came to no end.
[[nodiscard]] Outcome failedWith(const RunId& run, Error error);
// Attempts of this session that the entry starts.
[[nodiscard]] std::uint32_t startsOf(const Entry& entry, const SessionId& session);
// (tool, effect key) under the store's salt.
[[nodiscard]] EffectId effectIdOf(const Salt& salt, std::string_view tool, std::string_view key);
// The step or approval that an act is about, for the audit.
[[nodiscard]] std::string targetOf(const cmd::Body& body);

// Rows of attempts and approvals, as commit and verify write and expect them.
[[nodiscard]] AttemptRow attemptRowOf(const RunState& state, const AttemptStarted& fact, TimeMs at);
void endAttemptRow(AttemptRow& row, const AttemptEnded& fact, TimeMs at);
[[nodiscard]] ApprovalRow approvalRowOf(const ApprovalRecord& record);
[[nodiscard]] AttemptRow openAttemptRow(const RunState& state, StepIx step);
// Where the error text of a list row comes from; null: the row has none.
[[nodiscard]] PayloadRef listError(const RunState& state, TimeMs now);
// Fills error and situation.
void finishListRow(ListRow& row, std::string error, std::string_view stepName);
[[nodiscard]] std::string listStepName(const RunState& state, TimeMs now);
// Steps that an entry may have changed, its neighbours included.
[[nodiscard]] std::set<StepIx> touchedSteps(const RunState& after, const Entry& entry);
// Ids of all payloads that an entry refers to.
[[nodiscard]] std::set<PayloadId> payloadsOf(const Entry& entry);

}  // namespace cairn
