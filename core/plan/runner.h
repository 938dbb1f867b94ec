#pragma once
// Carries plans out: one plan at a time, one executor a plan. All that matters is in the store, so that
// another goes on after a kill at any instant: an act and its item's outcome are one transaction, and
// whatever is submitted again has the same command id, for which the store answers with the first entry. On
// the thread of its service; tick() reads and writes the store, and never waits for a commit.

#include "core/plan/fate.h"
#include "core/plan/orders.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>

namespace cairn {

struct PlanRunnerConfig {
    SessionId holder;         // this executor, unlike any other
    PlanAuthor who;           // for the audit: what it says in its own name
    SpanMs lease = 10'000;    // then another may go on
    std::size_t atOnce = 32;  // acts under way
    PlanId only;              // null: whichever needs an executor
};

class PlanRunner {
public:
    PlanRunner(StoreWriter& store, Service& service, const Clock& clock, PlanRunnerConfig config);
    ~PlanRunner();
    PlanRunner(const PlanRunner&) = delete;
    PlanRunner& operator=(const PlanRunner&) = delete;

    // Does what is due. In how many milliseconds it wants to be called again, at the latest; nullopt: no plan
    // needs it. Errors: the store's; what was under way is done at a later call.
    [[nodiscard]] Result<std::optional<SpanMs>> tick();
    // Gives the plan back so that others need not wait for the lease to pass. What is under way is written
    // first as far as it has come back.
    [[nodiscard]] Status release();
    [[nodiscard]] const std::optional<PlanRow>& current() const noexcept { return m_plan; }

private:
    [[nodiscard]] Result<std::optional<SpanMs>> work();
    [[nodiscard]] Status findPlan(TimeMs now);
    [[nodiscard]] Status take(PlanRow row, TimeMs now);
    [[nodiscard]] Status refresh(TimeMs now);
    [[nodiscard]] Status change(PlanRow row, std::vector<PlanItem> done, std::optional<AuditRow> audit);
    [[nodiscard]] Status flush(TimeMs now);
    [[nodiscard]] Result<SpanMs> run(TimeMs now);
    [[nodiscard]] Status fill();
    [[nodiscard]] Result<bool> canaryIsOver(TimeMs now);
    [[nodiscard]] Status stop(const PlanFates& fates, TimeMs now);
    [[nodiscard]] Status lookAtReturns(TimeMs now);
    [[nodiscard]] SpanMs startDue();
    [[nodiscard]] bool leavesOut(PlanItem& item);
    void startItem(PlanItem item);
    void ended(PlanItem item, const Outcome& outcome);
    void beginPace();
    [[nodiscard]] Status executed(TimeMs now);
    [[nodiscard]] Status skipRest(TimeMs now);
    [[nodiscard]] Status endOne(PlanItem item, TimeMs now);
    [[nodiscard]] Status verify(TimeMs now);
    [[nodiscard]] bool needsExecutor(const PlanRow& row, TimeMs now) const;
    [[nodiscard]] Result<std::string> totals();
    [[nodiscard]] AuditRow audit(std::string kind, TimeMs now, std::string after) const;
    void drop();

    StoreWriter& m_store;
    Service& m_service;
    const Clock& m_clock;
    PlanRunnerConfig m_config;
    std::optional<PlanRow> m_plan;  // that this one holds, as last read or written
    PlanSpec m_spec;
    // Grows with each plan that is taken, and ends with the runner: answers of an earlier one are late.
    std::shared_ptr<std::uint64_t> m_hold = std::make_shared<std::uint64_t>(0);
    std::deque<PlanItem> m_next;  // open ones that were read and not started
    std::uint32_t m_read = 0;     // ord of the last one read
    bool m_readAll = false;
    std::set<std::uint32_t> m_underWay;  // by ord
    std::vector<PlanItem> m_ended;       // outcomes to be written
    SpanMs m_paceAt = 0;                 // when the pace began, by the monotonic clock
    std::uint64_t m_paced = 0;           // items started since
    bool m_canaryOver = false;
    SpanMs m_canaryAt = 0;   // when the last of the canary was done; 0: not yet
    SpanMs m_lookAt = 0;     // when what came back is counted again
    SpanMs m_restUntil = 0;  // the store could not be asked
};

}  // namespace cairn
