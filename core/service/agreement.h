#pragma once
// Acts for which one person is not enough (core/machine/policy.h): kept in the store as proposals, decided by
// somebody else, carried out once. What is asked of stored acts, without a store; the rest is in Service.

#include "core/service/service.h"
#include "core/service/slow.h"

#include <functional>

namespace cairn {

// What a person says to a proposed act. Who that is the store knows, or the process (ServiceConfig::login).
struct ActDecision {
    CommandId act;
    Digest shown;  // StagedAct::digest of what was shown; null: not said, which confirms nothing
    // Waiting: confirmed; Refused; Withdrawn, by its author, also while it waits for an engine: then by an
    // owner of the store, too.
    StagedState as = StagedState::Waiting;
    std::string reason;
    std::string claimedName;
};

struct PolicyChange {
    std::string text;
    std::uint64_t expected =
        0;  // version that its author has seen: another one is refused, with what differs
    std::string reason;
    std::string claimedName;
    bool breakGlass = false;
    CommandId command{};  // as in SlowChange
};
// The same without writing: what differs from the present one, and who is needed for it.
struct PolicyPreview {
    std::optional<Rejection> rejection;
    std::vector<std::string> differences;
    WhoIsNeeded needed;
};

// Slowing a resource, as a person wants it (core/service/slow.h).
struct SlowChange {
    ResourceRow seen;  // as it was shown: limits that are others by now are refused
    ResourceRow wanted;
    std::string reason;
    std::string claimedName;
    bool breakGlass = false;
    CommandId command{};  // the caller's own: given again, the answer is what became of the first. Null: one
                          // is made
};
struct SlowPreview {
    std::optional<Rejection> rejection;
    WhoIsNeeded needed;
};
// Of an act that was proposed. InvalidInput: it is damaged, or another one.
[[nodiscard]] Result<SlowChange> slowOf(const StagedAct& act);
[[nodiscard]] Result<PolicyChange> policyChangeOf(const StagedAct& act);

// An act on the store that waits for somebody else, from the entry that the audit gets of it.
[[nodiscard]] StagedAct proposalOnStore(
    const AuditRow& entry, std::string body, std::uint64_t seenVersion, const WhoIsNeeded& needed);

// "1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"; of one that was decided, how.
[[nodiscard]] std::string standingOf(const StagedAct& act);

// The command with what it depends on as seen: later, it is refused as stale where that has changed. `owner`:
// of the run, for a takeover.
void pin(cmd::Body& body, const RunState& seen, const SessionId& owner);

// What the withdrawal of an act that waits for an engine depends on.
struct WithdrawFacts {
    bool owner = false;        // who asks (StoreRights::owns)
    std::uint64_t doneAs = 0;  // version of the run's entry of it; 0: there is none
};
// Why this person may not decide it so, as far as the act itself tells; nullopt: nothing against it. The role
// that is asked for is the caller's to look up.
[[nodiscard]] std::optional<Rejection> mayNotDecide(const StagedAct& act, const ActDecision& decision,
    std::string_view login, TimeMs now, const WithdrawFacts& facts);

// The audit's entry on a decision, in the name of who decided; `act` with what was decided.
[[nodiscard]] AuditRow decisionEntry(const StagedAct& act, const ServiceConfig& from, TimeMs now);
// The same of a proposal that nobody confirmed in time: by the machine; `login`: of its connection.
[[nodiscard]] AuditRow expiryEntry(StagedAct act, const std::string& login, TimeMs now);

// The policy, and acts that somebody else must confirm, through a service: one thread, as that is.
class Agreements {
public:
    explicit Agreements(Service& service)
        : m_service(service)
        , m_impl(service.m_impl.get())
    {
    }

    // As the store has it now; version 0: none was set.
    [[nodiscard]] Result<Policy> policy();
    // The preview of a stored act as it would be now.
    [[nodiscard]] Result<Preview> previewAct(const StagedAct& act);
    // Why `login` may not decide it so: what mayNotDecide() says, the role, and whether the act could still
    // be done. nullopt: nothing against it.
    [[nodiscard]] Result<std::optional<Rejection>> mayDecide(
        const StagedAct& act, const ActDecision& decision, std::string_view login);
    // Puts the decision on record, or its refusal. Committed, with the audit's number: it holds, and a
    // confirmed act waits to be carried out. In stores where this login may append to the audit; elsewhere
    // StoreWriter::decideAct() after mayDecide(). Blocks.
    [[nodiscard]] Outcome decideAct(const ActDecision& decision);
    // Carries out a confirmed act, on a run or on the store; `store`: that of the service. The caller hands
    // answered(act, outcome) to finishStaged(). Blocks.
    [[nodiscard]] Outcome carryOut(StoreWriter& store, const StagedAct& act);
    // What became of a confirmed act on the store that was carried out already, unanswered: committed,
    // whatever the policy says by now; nullopt: it was not. Blocks.
    [[nodiscard]] Result<std::optional<Outcome>> carriedOut(const StagedAct& act);
    // Sets the policy, or proposes it where the present one asks for two people. Blocks.
    [[nodiscard]] Outcome setPolicy(const PolicyChange& change);
    [[nodiscard]] Result<PolicyPreview> previewPolicy(const PolicyChange& change);
    // Slows a resource, or proposes that. Committed: version is 0, auditSeq that of the entry. Blocks.
    [[nodiscard]] Outcome slow(StoreWriter& store, const SlowChange& change);
    [[nodiscard]] Result<SlowPreview> previewSlow(const SlowChange& change);

private:
    // --- agreement_store.cpp: what setting the policy and slowing a resource have in common
    struct ActOnStore {
        AuditRow entry;  // as it is where the act is done, with what is written beside it
        std::string body;
        std::uint64_t seenVersion = 0;
        bool breakGlass = false;
        std::function<Result<std::uint64_t>(const AuditRow& entry)> write;
    };
    // Puts the refusal on record, or proposes it, or does it. An act that somebody else was faster than,
    // after the preview, is refused, too.
    [[nodiscard]] Outcome doOnStore(
        ActOnStore act, std::optional<Rejection> rejection, const WhoIsNeeded& needed);
    // What became of an act of the caller's own id, whatever the rules say now; nullopt: there was none.
    [[nodiscard]] Result<std::optional<Outcome>> answeredBefore(
        const CommandId& command, Verb verb, std::string_view target);
    [[nodiscard]] Outcome refuseOnStore(AuditRow row, Rejection rejection);
    [[nodiscard]] Outcome proposeOnStore(AuditRow row, StagedAct act);
    [[nodiscard]] static Outcome landedOnStore(Result<std::uint64_t> seq);
    [[nodiscard]] AuditRow entryOnStore(
        Verb verb, std::string target, std::string reason, std::string claimed);
    [[nodiscard]] Result<WhoIsNeeded> neededOnStore(const Policy& present, Verb verb, bool glass);
    // For its reason, or for a role that this login has not.
    [[nodiscard]] Result<std::optional<Rejection>> refusedOnStore(
        const Policy& present, const WhoIsNeeded& needed, Verb verb, std::string_view reason);
    [[nodiscard]] static AuditRow entryOfConfirmed(AuditRow row, const StagedAct& act);
    [[nodiscard]] static Status confirmedBySecond(const StagedAct& act);

    [[nodiscard]] AuditRow entryOf(const PolicyChange& change);
    [[nodiscard]] AuditRow entryOf(const SlowChange& change);
    [[nodiscard]] Outcome carryOutSlow(StoreWriter& store, const StagedAct& act);
    Service& m_service;
    Service::Impl* m_impl;
};

}  // namespace cairn
