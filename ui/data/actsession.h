#pragma once
// Stages and executes operators' acts, with a write connection and a Service of its own. Only the acting
// thread uses it. A preview writes nothing; an execution is decided again and refused when what it depends on
// has changed.

#include "core/plan/preview.h"
#include "core/query/hidden_fields.h"
#include "core/service/service.h"
#include "ui/data/storesession.h"

namespace cairn::ui {

class ActSession {
public:
    explicit ActSession(std::shared_ptr<const StoreOpening> opening)
        : m_opening(std::move(opening))
    {
    }

    [[nodiscard]] Status open();
    [[nodiscard]] Result<ActPreview> preview(const ActRequest& request);
    [[nodiscard]] Result<ActResult> execute(const ActRequest& request);
    [[nodiscard]] Result<std::vector<ui::Fact>> versions(const RunId& run);

    // actsession_plans.cpp
    [[nodiscard]] Result<PlanView> plan(const PlanEntry& entry, int items);
    // Kept until it is staged, or another one is drafted: what is staged is what was looked at.
    [[nodiscard]] Result<PlanForecast> draft(const PlanRequest& request);
    [[nodiscard]] Result<ActResult> stagePlan(const QString& digest, const QString& reason);
    [[nodiscard]] Result<PlanForecast> previewEntry(const PlanEntry& entry);
    [[nodiscard]] Result<ActResult> order(const PlanOrderRequest& request);

private:
    [[nodiscard]] Status readStore();
    [[nodiscard]] Result<Submission> submissionOf(const ActRequest& request, const RunState& state);
    // actsession_more.cpp
    [[nodiscard]] Result<ActPreview> previewSlow(const ActRequest& request);
    // What the other answer to the same question would do.
    [[nodiscard]] Status previewOther(ActRequest tried, const RunState& state, ActPreview& preview);
    [[nodiscard]] Result<ActResult> slow(const ActRequest& request);
    [[nodiscard]] Status choosePayloads(const RunState& state, ActPreview& preview);
    // How much has happened in the run since the approval was asked for.
    [[nodiscard]] QString sinceAsked(const RunState& state, const ApprovalId& approval);
    void describeApproval(const RunState& state, ActPreview& preview);
    void describeStep(const RunState& state, ActPreview& preview);
    [[nodiscard]] PlanAuthor author(const QString& reason) const;
    [[nodiscard]] Result<StagedAct> stagedAct(const CommandId& act);
    [[nodiscard]] Result<std::vector<RunId>> targetsOf(const PlanRequest& request);
    [[nodiscard]] Result<PlanRow> planRow(const PlanId& plan);
    [[nodiscard]] Result<std::vector<PlanOffer>> offersOf(const PlanRow& row);
    [[nodiscard]] Result<std::vector<PlanOffer>> offersOf(const StagedAct& act);
    [[nodiscard]] Result<PlanView> planView(const PlanEntry& entry, int items);
    [[nodiscard]] Result<PlanView> proposalView(const PlanEntry& entry);
    [[nodiscard]] Result<QString> copyOf(const PlanRow& row);
    [[nodiscard]] Result<ActResult> orderPlan(const PlanOrderRequest& request);
    [[nodiscard]] Result<ActResult> decide(const PlanOrderRequest& request);
    [[nodiscard]] Status carryOut(const PlanRow& row);
    void fillSent(const RunId& run, const PayloadRef& ref, const QString& title, ActPreview& preview);

    std::shared_ptr<const StoreOpening> m_opening;
    SystemClock m_clock;
    SystemRng m_rng;
    std::unique_ptr<HidingStore> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    StoreInfo m_info;
    StoreRights m_rights;
    ServiceConfig m_config;
    std::optional<PlanDraft> m_draft;  // as previewed last
};

}  // namespace cairn::ui
