#pragma once
// The part of a move that is about the store as a whole (copy_store.h): the audit, checkpoints, workflows,
// rules, answered acts, reviews, plans that have ended, and what removed runs have left. Each goes by pages,
// and goes on where an earlier call was stopped.

#include "core/service/copy_store.h"

namespace cairn {

class SharedCopier {
public:
    SharedCopier(const CopyRequest& request, StoreWriter& to, SpanMs clockOffset);

    [[nodiscard]] Status copyAll();
    // That tombstones and what they keep are the same in both.
    [[nodiscard]] Status compareAll();
    [[nodiscard]] const Digest& auditHead() const { return m_head; }  // of both audits, after copyAll()
    [[nodiscard]] const CopyReport& report() const { return m_report; }

private:
    [[nodiscard]] Status copyAudit();
    [[nodiscard]] Status copyCheckpoints();
    [[nodiscard]] Status copyPolicies();
    [[nodiscard]] Status copyRules();
    [[nodiscard]] Status copyResources();
    [[nodiscard]] Status copyActs();
    [[nodiscard]] Status copyReviews();
    [[nodiscard]] Status copyPlans();
    [[nodiscard]] Status copyPlan(const PlanRow& plan);
    [[nodiscard]] Status copyRemoved();
    [[nodiscard]] Result<std::uint64_t> auditThere();
    [[nodiscard]] Result<RunId> removedThere();
    [[nodiscard]] Status stop() const;

    const CopyRequest& m_request;
    StoreWriter& m_from;
    StoreWriter& m_to;
    SpanMs m_clockOffset;
    CopyReport m_report;
    Digest m_head;
};

}  // namespace cairn
