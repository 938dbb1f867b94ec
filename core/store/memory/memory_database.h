#pragma once
// The shared state behind connections of a memory store, and its internal operations.

#include "core/base/rng.h"
#include "core/store/memory/memory_store.h"

#include <map>
#include <set>
#include <unordered_map>

namespace cairn {

struct MemoryRun {
    RunRow identity;
    HotRow hot;
    std::vector<SealedEntry> entries;
    std::unordered_map<CommandId, std::uint64_t> commands;
    std::optional<ListRow> list;
    std::map<StepIx, StepRow> steps;
    std::map<std::pair<StepIx, AttemptId>, AttemptRow> attempts;
    std::map<ApprovalId, ApprovalRow> approvals;
    std::map<std::string, AttributeRow> attributes;
    std::unordered_map<PayloadId, PayloadRow> payloads;
    std::map<PayloadId, std::int64_t> redacted;  // PayloadRow::redactedBy
};

// Of a removed run, as far as its key and its effects stay known.
struct MemoryRetired {
    RunRow identity;
    TimeMs until = kNoTime;
};

struct MemoryArtifact {
    TimeMs stagedAt = kNoTime;
    bool adopted = false;
    std::map<std::uint32_t, std::string> chunks;
};

struct MemorySlice {
    SessionId session;
    bool rate = false;  // a second's worth of starts; else slots
    std::uint32_t permits = 0;
    TimeMs until = kNoTime;
};

struct MemoryPlan {
    PlanRow row;
    std::map<std::uint32_t, PlanItem> items;
};

using OutboxKey = std::tuple<RunId, std::uint64_t, std::uint32_t>;

class MemoryDatabase {
public:
    explicit MemoryDatabase(const Clock& hostClock)
        : clock(&hostClock)
    {
    }

    const Clock* clock;
    StoreInfo info;
    MemoryFaults faults;
    std::map<RunId, MemoryRun> runs;
    std::map<std::pair<std::string, std::string>, RunId> keys;  // (workflow, key)
    std::map<RunId, std::set<RunId>> children;
    std::set<std::pair<TimeMs, RunId>> unowned;  // due by themselves
    std::map<SessionId, std::set<RunId>> owned;
    std::map<std::uint64_t, RunId> byChange;
    std::uint64_t change = 1;  // a cursor of 0 means "from now on"
    std::map<EffectId, EffectRow> effects;
    std::map<EffectId, std::set<std::pair<RunId, StepIx>>> waiters;
    std::map<std::uint64_t, OutboxRow> outbox;  // by arrival
    std::map<OutboxKey, std::uint64_t> outboxPlace;
    std::uint64_t outboxSeq = 0;
    std::map<SessionId, SessionRow> sessions;
    std::map<SessionId, std::set<RunId>> wakeups;
    std::map<std::string, ResourceRow, std::less<>> resources;
    std::map<std::string, std::vector<MemorySlice>, std::less<>> slices;
    std::map<std::pair<std::string, std::uint32_t>, WorkflowRow> workflows;
    std::vector<AuditRow> audit;
    std::map<CommandId, std::uint64_t> actsWithoutRun;
    std::vector<PolicyRow> policies;  // by version, from 1
    std::map<CommandId, StagedAct> staged;
    std::map<CommandId, Review> reviews;
    struct Checkpoint {
        CheckpointRow row;
        std::vector<RunHead> heads;
    };
    std::vector<Checkpoint> checkpoints;
    std::map<RunId, RunHead> covered;  // the highest of each run in one of them
    std::map<ArtifactId, MemoryArtifact> artifacts;
    std::map<PlanId, MemoryPlan> plans;
    std::map<RunId, Tombstone> tombstones;
    std::map<RunId, MemoryRetired> retired;
    std::map<std::string, RetentionRow> retention;
    SecretList neverStore;

    [[nodiscard]] TimeMs now() const { return clock->wallMs() + info.clockOffset; }
    [[nodiscard]] bool living(const SessionId& session) const;
    void setOwner(MemoryRun& run, const SessionId& owner, TimeMs nextDue);  // keeps the claim sets right
    void wakeUp(const SessionId& owner, const RunId& run);                  // where it is living
    std::uint64_t addAudit(AuditRow row);  // with what goes along with it, which was checked
    [[nodiscard]] bool carriedOut(const StagedAct& act) const;
    [[nodiscard]] Status checkChange(const StoreChange& wanted, TimeMs now) const;
    void writeChange(const StoreChange& wanted, std::uint64_t seq, TimeMs at);
    void addOutbox(const OutboxRow& row);
    void dropOutbox(const OutboxRow& row);
    void raiseBackOff(const ResourceRow& given);
    [[nodiscard]] TreeBonds bondsOf(const RunId& root) const;
    void remove(Tombstone stone, TimeMs keysUntil);
    void retire(const Tombstone& stone, const RemovedRun::Key& key);

    [[nodiscard]] MemberResult commitMember(const CommitMember& member);

private:
    [[nodiscard]] std::optional<MemberResult> refuse(const CommitMember& member) const;
    [[nodiscard]] std::optional<MemberResult> refuseCreate(const CommitMember& member) const;
    [[nodiscard]] std::optional<MemberResult> refuseRows(const CommitMember& member) const;
    [[nodiscard]] const PlanItem* openItem(const CommitMember& member) const;
    void write(const CommitMember& member, MemberResult& result);
    void writeOwner(MemoryRun& run, const CommitMember& member, MemberResult& result);
    void writeRows(MemoryRun& run, const CommitMember& member);
    void redact(MemoryRun& run, const CommitMember& member);
    void writeEffects(const CommitMember& member);
    void writeList(MemoryRun& run, const CommitMember& member);
};

}  // namespace cairn
