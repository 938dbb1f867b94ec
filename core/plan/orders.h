#pragma once
// What people do to a plan: stage, confirm, start, pause, continue, abort. Each is one transaction of the
// store with its entry in the audit, decided here on the row as it is; a plan that has moved on meanwhile
// refuses it (Conflict). Blocking.

#include "core/plan/preview.h"

#include <cstdint>
#include <string>

namespace cairn {

enum class PlanAct : std::uint8_t { Confirm = 1, Start, Pause, Continue, Abort };
[[nodiscard]] std::string_view key(PlanAct act) noexcept;

struct PlanOrder {
    PlanId plan;
    PlanAct act = PlanAct::Start;
    Digest digest;      // Confirm: what was looked at
    CommandId command;  // made before anything: the audit has it once
    bool left = false;  // for an engine, which answers it with the change
};

// The row as the act makes it. Refused says why not, and what to do instead; Conflict: the digest is another
// than the plan's; NoRight: who staged it cannot confirm it. `expectReason`: as the store's safety asks.
[[nodiscard]] Result<PlanRow> decideOrder(
    const PlanRow& plan, const PlanOrder& order, const PlanAuthor& who, const StoreInfo& info, TimeMs now);

// The same with what the policy of now says: a preview of orderPlan(). NoRight: this login lacks the role
// that the plan's second person needs. Refused: the policy asks for more by now than what the plan was staged
// or confirmed under. `service`: of the same store.
[[nodiscard]] Result<PlanRow> previewOrder(StoreReader& store, Service& service, const PlanRow& plan,
    const PlanOrder& order, const PlanAuthor& who, const StoreInfo& info, TimeMs now);

// What the rule on who is needed says where this reason is too short for it; empty: it suffices.
[[nodiscard]] std::string reasonLacked(const WhoIsNeeded& needed, std::string_view reason);
// Why a draft is not staged: as stagePlan() refuses it.
[[nodiscard]] Status checkStaging(const PlanDraft& draft);
// Makes the draft that stands in the store a staged plan, with its entry in the audit. `change`: of that row.
[[nodiscard]] Result<PlanRow> freezePlan(StoreWriter& store, const PlanDraft& draft, PlanChange change);
// The audit's entry of what was refused to `who`, and why.
[[nodiscard]] AuditRow refusedPlan(
    const PlanRow& plan, const PlanAuthor& who, const CommandId& command, const Error& why, TimeMs now);
// Puts a draft into the store: its items in parts, and then all at once as staged. Gives the row as it then
// is there. Refused where its reason is too short (reasonLacked), it is blocked, or has nothing to do. Until
// it is staged nobody sees it; a kill leaves a draft that does nothing.
[[nodiscard]] Result<PlanRow> stagePlan(StoreWriter& store, const PlanDraft& draft);
// Reads, decides and writes. Gives the plan as it then is. A refusal is put on record before it is given.
// `service`: of the same store; for the policy.
[[nodiscard]] Result<PlanRow> orderPlan(
    StoreWriter& store, Service& service, const PlanOrder& order, const PlanAuthor& who);

// Whether the stager may carry it out at once (DESIGN 12.10): a few runs, no pace, and nothing to wait for.
inline constexpr std::uint32_t kAtOnceRuns = 50;
[[nodiscard]] bool runsAtOnce(const PlanRow& plan, const PlanSpec& spec) noexcept;

// The audit's entry of what `who` did to a plan; `kind`: "staged", "started"... Its command id is the act's.
[[nodiscard]] AuditRow planAudit(const PlanRow& plan, std::string kind, const PlanAuthor& who,
    const CommandId& command, TimeMs now, std::string after);

}  // namespace cairn
