#pragma once
// Acts for which one person is not enough (core/machine/policy.h): kept in the store as proposals, decided by
// somebody else, carried out once. What is asked of stored acts, without a store; the rest is in Service.

#include "core/service/service.h"

namespace cairn {

// What a person says to a proposed act. Who that is the store knows, or the process (ServiceConfig::login).
struct ActDecision {
    CommandId act;
    Digest shown;  // StagedAct::digest of what was shown; null: not said, which confirms nothing
    StagedState as = StagedState::Waiting;  // Waiting: confirmed; Refused; Withdrawn, by its author
    std::string reason;
    std::string claimedName;
};

// "1 of 2, waiting for role finance, expires 2026-11-29 14:00:00Z"; of one that was decided, how.
[[nodiscard]] std::string standingOf(const StagedAct& act);

// The command with what it depends on as seen: later, it is refused as stale where that has changed.
void pin(cmd::Body& body, const RunState& seen);

// Why this person may not decide it so, as far as the act itself tells; nullopt: nothing against it. The role
// that is asked for is the caller's to look up.
[[nodiscard]] std::optional<Rejection> mayNotDecide(
    const StagedAct& act, const ActDecision& decision, std::string_view login, TimeMs now);

// The audit's entry on a decision, in the name of who decided; `act` with what was decided.
[[nodiscard]] AuditRow decisionEntry(const StagedAct& act, const ServiceConfig& from, TimeMs now);
// The same of a proposal that nobody confirmed in time: by the machine, in nobody's name.
[[nodiscard]] AuditRow expiryEntry(StagedAct act, TimeMs now);

}  // namespace cairn
