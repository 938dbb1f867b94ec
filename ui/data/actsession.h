#pragma once
// Stages and executes operators' acts, with a write connection and a Service of its own. Only the acting
// thread uses it. A preview writes nothing; an execution is decided again and refused when what it depends on
// has changed.

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

private:
    [[nodiscard]] Status readStore();
    [[nodiscard]] Result<Submission> submissionOf(const ActRequest& request, const RunState& state);
    void describeApproval(const RunState& state, ActPreview& preview);
    void describeStep(const RunState& state, ActPreview& preview);
    void fillSent(const RunId& run, const PayloadRef& ref, const QString& title, ActPreview& preview);

    std::shared_ptr<const StoreOpening> m_opening;
    SystemClock m_clock;
    SystemRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    StoreInfo m_info;
    StoreRights m_rights;
    ServiceConfig m_config;
};

}  // namespace cairn::ui
