#pragma once
// The members of one group in one transaction, set-based: one round trip locks and reads all that decides,
// the decisions are made in memory in the members' order, and one round trip writes one statement per table
// and commits. (A group with audit entries takes one more: the chain's end is locked last of all.)

#include "core/store/postgres/store_impl.h"

#include <map>
#include <set>

namespace cairn::postgres {

// The rows that one group writes, table by table. What is written twice in one group is written once, as the
// last one left it: a statement cannot touch a row twice.
class GroupRows {
public:
    void add(const CommitMember& member);
    // The statements, in an order that constraints allow.
    void into(Batch& batch) const;
    // Those that come after the ledger and the messages: what was delivered, and resources, which all runs
    // share.
    void intoLast(Batch& batch) const;

    std::map<RunId, std::pair<ListRow, std::uint64_t>> list;  // with the entry's version
    std::vector<AuditRow> audit;

private:
    void addPayloads(const CommitMember& member);
    void putSteps(Batch& batch) const;
    void putLists(Batch& batch) const;
    void backOff(Batch& batch) const;

    using Key = std::pair<RunId, std::string>;
    std::map<std::pair<RunId, StepIx>, const StepRow*> m_steps;
    std::map<std::tuple<RunId, StepIx, AttemptId>, const AttemptRow*> m_attempts;
    std::map<std::pair<RunId, ApprovalId>, const ApprovalRow*> m_approvals;
    std::map<Key, const AttributeRow*> m_attributes;
    std::map<std::string, std::vector<const ResourceRow*>> m_resources;
    Columns m_runs, m_entries, m_payloads, m_redacted, m_delivered;
    Column m_adopted{Type::Uuid};
};

class GroupCommit {
public:
    GroupCommit(std::span<const CommitMember> members, std::span<MemberResult> results)
        : m_members(members)
        , m_results(results)
    {
    }

    // Begins the transaction and leaves its last statements for COMMIT. An error ends the whole transaction;
    // what concerns a member alone is in its result. False: nothing is to be written.
    [[nodiscard]] Result<bool> run(Transaction& transaction);
    // What others may want to look at once it is committed.
    [[nodiscard]] HintSet hints() const noexcept;

private:
    using Kind = MemberResult::Kind;
    struct Run {
        HotRow hot;
        bool stored = false;
        bool exists = false;
        bool changed = false;
        bool dropped = false;  // taken from its owner by this group; hot.epoch is as before that
    };
    struct Effect {
        EffectRow row;
        bool stored = false;
        bool changed = false;
    };
    struct Staged {
        std::int64_t count = 0;
        std::int64_t last = 0;
        std::uint64_t size = 0;
    };
    using Waiter = std::pair<RunId, StepIx>;
    using ItemPlace = std::pair<PlanId, std::uint32_t>;

    [[nodiscard]] Status read(Transaction& transaction);
    void readRuns(Rows& runs, Rows& commands);
    void readBegun(Rows& begun);
    void readKeys(Rows& keys);
    void readActs(Rows& acts);
    void readSizes(Rows& sizes);
    void readItems(Rows& items);
    void readLedger(Rows& effects, Rows& waiters);

    // True: may go on; false: `result` says why not. These look at memory only.
    [[nodiscard]] bool admit(const CommitMember& member, MemberResult& result, std::uint16_t writeFormat);
    [[nodiscard]] bool admitChange(const CommitMember& member, MemberResult& result);
    [[nodiscard]] bool admitCreate(const CommitMember& member, MemberResult& result);
    [[nodiscard]] bool admitRows(const CommitMember& member, MemberResult& result);
    [[nodiscard]] bool findDuplicate(const CommitMember& member, MemberResult& result);

    void apply(const CommitMember& member, MemberResult& result, TimeMs now);
    void applyHead(const CommitMember& member, MemberResult& result, TimeMs now);
    void applyLedger(const CommitMember& member, TimeMs now);
    void wake(const CommitMember& member, const EffectId& effect, std::uint32_t& number, TimeMs now);
    [[nodiscard]] Status write(Transaction& transaction);
    void writeHots(Batch& batch) const;
    void writeLedger(Batch& batch) const;
    [[nodiscard]] Status writeAudit(Transaction& transaction, Batch& batch);

    std::span<const CommitMember> m_members;
    std::span<MemberResult> m_results;

    // What is stored, and what this group has made of it so far.
    std::map<RunId, Run> m_runs;
    std::map<std::pair<RunId, CommandId>, std::uint64_t> m_commands;
    std::set<RunId> m_removed;  // of those that a member creates
    std::map<std::pair<std::string, std::string>, RunId> m_keys;
    std::set<SessionId> m_openSessions;
    std::map<EffectId, Effect> m_effects;
    std::map<EffectId, std::set<Waiter>> m_waiters;
    std::set<EffectId> m_woken;                         // their stored waiters go
    std::map<EffectId, std::set<Waiter>> m_newWaiters;  // not yet stored
    std::map<ArtifactId, Staged> m_staged;
    std::map<ItemPlace, std::pair<RunId, CommandId>> m_openItems;  // of plans, without an outcome
    std::set<CommandId> m_actsOver;                                // that were left, and do not wait any more

    GroupRows m_rows;
    Columns m_outbox, m_itemsDone;
    std::set<std::pair<SessionId, RunId>> m_wakeups;
    std::vector<MemberResult*> m_audited;
    TimeMs m_now = kNoTime;
};

}  // namespace cairn::postgres
