#pragma once
// A store's reader whose time is the bench's clock: everything else is passed on.

#include "core/store/store.h"

namespace cairn::testing {

class ClockedReader : public StoreReader {
public:
    ClockedReader(StoreReader& inner, const Clock& clock)
        : m_in(inner)
        , m_clock(clock)
    {
    }

    Result<TimeMs> now() override { return m_clock.wallMs(); }
    Result<StoreInfo> info() override { return m_in.info(); }
    Result<std::optional<StagedAct>> stagedAct(const CommandId& command) override
    {
        return m_in.stagedAct(command);
    }
    Result<std::vector<Review>> reviews(bool closedToo, std::size_t limit) override
    {
        return m_in.reviews(closedToo, limit);
    }
    Result<std::optional<PolicyRow>> policy(std::uint64_t version) override { return m_in.policy(version); }
    Result<std::optional<bool>> holdsRole(std::string_view login, std::string_view role) override
    {
        return m_in.holdsRole(login, role);
    }
    Result<std::optional<Tombstone>> tombstone(const RunId& run) override { return m_in.tombstone(run); }
    Result<std::vector<Tombstone>> tombstones(const RunId& after, std::size_t limit) override
    {
        return m_in.tombstones(after, limit);
    }
    Result<std::vector<RetentionRow>> retention() override { return m_in.retention(); }
    Result<TreeBonds> bondsOf(const RunId& root) override { return m_in.bondsOf(root); }
    Result<RunBytes> bytesOf(const RunId& run) override { return m_in.bytesOf(run); }
    Result<StoreSpace> space() override { return m_in.space(); }
    Result<SecretList> neverStore() override { return m_in.neverStore(); }
    Result<LoadedRun> loadRun(const RunId& run, std::uint64_t from, std::uint64_t to) override
    {
        return m_in.loadRun(run, from, to);
    }
    Result<std::vector<PlanRow>> plans(bool closedToo, std::size_t limit) override
    {
        return m_in.plans(closedToo, limit);
    }
    Result<std::vector<PlanRow>> plansUnderWay(std::size_t limit) override
    {
        return m_in.plansUnderWay(limit);
    }
    Result<std::optional<PlanRow>> plan(const PlanId& id) override { return m_in.plan(id); }
    Result<std::vector<PlanItem>> planItems(
        const PlanId& id, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only) override
    {
        return m_in.planItems(id, after, limit, only);
    }
    Result<std::vector<PlanCount>> planCounts(const PlanId& id) override { return m_in.planCounts(id); }
    Result<std::vector<PlanOfRun>> plansOfRuns(std::span<const RunId> runs) override
    {
        return m_in.plansOfRuns(runs);
    }
    Result<HotRow> hot(const RunId& run) override { return m_in.hot(run); }
    Result<std::optional<std::uint64_t>> findCommand(const RunId& run, const CommandId& id) override
    {
        return m_in.findCommand(run, id);
    }
    Result<std::optional<RunRow>> findKey(std::string_view flow, std::string_view key) override
    {
        return m_in.findKey(flow, key);
    }
    Result<std::vector<RunId>> findRuns(std::string_view prefix, std::size_t limit) override
    {
        return m_in.findRuns(prefix, limit);
    }
    Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& id) override
    {
        return m_in.payloadInfo(run, id);
    }
    Result<std::string> payload(
        const RunId& run, const PayloadId& id, std::uint64_t offset, std::uint64_t limit) override
    {
        return m_in.payload(run, id, offset, limit);
    }
    Result<std::vector<FoundPayload>> payloads(
        const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo) override
    {
        return m_in.payloads(run, ids, inlineUpTo);
    }
    Result<std::vector<EffectRow>> effects(std::span<const EffectId> ids) override
    {
        return m_in.effects(ids);
    }
    Result<std::vector<EffectRow>> effectsOfRun(const RunId& run) override { return m_in.effectsOfRun(run); }
    Result<std::vector<ResourceRow>> resources() override { return m_in.resources(); }
    Result<std::vector<SessionRow>> sessions(bool endedToo) override { return m_in.sessions(endedToo); }
    Result<std::vector<WorkflowRow>> workflows(bool withText) override { return m_in.workflows(withText); }
    Result<std::optional<WorkflowRow>> workflow(std::string_view name, std::uint32_t version) override
    {
        return m_in.workflow(name, version);
    }
    Result<RunPage> list(const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after,
        std::size_t limit) override
    {
        return m_in.list(filter, order, after, limit);
    }
    Result<std::uint64_t> count(const ListFilter& filter) override { return m_in.count(filter); }
    Result<std::vector<CountRow>> counts(const ListFilter& filter) override { return m_in.counts(filter); }
    Result<SituationList> situations(const ListFilter& filter, std::size_t limit) override
    {
        return m_in.situations(filter, limit);
    }
    Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width) override
    {
        return m_in.situationNext(filter, situation, from, width);
    }
    Result<std::vector<SituationPart>> situationParts(
        const ListFilter& filter, const std::string& situation) override
    {
        return m_in.situationParts(filter, situation);
    }
    Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width) override
    {
        return m_in.situationStarts(filter, situations, from, width);
    }
    Result<std::vector<ListRow>> listRows(std::span<const RunId> runs) override
    {
        return m_in.listRows(runs);
    }
    Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit) override
    {
        return m_in.changesSince(cursor, limit);
    }
    Result<std::vector<StepRow>> steps(const RunId& run) override { return m_in.steps(run); }
    Result<std::vector<AttemptRow>> attempts(const RunId& run, StepIx step) override
    {
        return m_in.attempts(run, step);
    }
    Result<std::vector<ApprovalRow>> approvals(const RunId& run) override { return m_in.approvals(run); }
    Result<std::vector<AttributeRow>> attributes(const RunId& run) override { return m_in.attributes(run); }
    Result<std::vector<RunId>> children(const RunId& run) override { return m_in.children(run); }
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override
    {
        return m_in.audit(after, limit);
    }
    Result<std::vector<AuditRow>> auditOfRun(const RunId& run) override { return m_in.auditOfRun(run); }
    Result<std::optional<std::uint64_t>> auditOfCommand(const CommandId& command) override
    {
        return m_in.auditOfCommand(command);
    }
    Result<std::vector<VerifyProblem>> check(bool deep) override { return m_in.check(deep); }
    void interrupt() noexcept override { m_in.interrupt(); }

private:
    StoreReader& m_in;
    const Clock& m_clock;
};

}  // namespace cairn::testing
