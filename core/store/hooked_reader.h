#pragma once
// The reading half of HookedStore (hooked_store.h).

#include "core/store/store.h"
#include "core/store/store_hooks.h"

#include <memory>

namespace cairn {

class HookedReader : public StoreWriter, protected HookedCalls {
public:
    HookedReader(std::unique_ptr<StoreWriter> store, StoreHooks hooks)
        : HookedCalls(std::move(hooks))
        , m_store(std::move(store))
    {
    }

    Result<StoreInfo> info() override
    {
        return read("info", [&] { return m_store->info(); });
    }
    Result<TimeMs> now() override
    {
        return read("now", [&] { return m_store->now(); });
    }
    Result<StoreRights> rights() override
    {
        return read("rights", [&] { return m_store->rights(); });
    }
    Result<std::optional<Tombstone>> tombstone(const RunId& run) override
    {
        return read("tombstone", [&] { return m_store->tombstone(run); });
    }
    Result<std::vector<Tombstone>> tombstones(const RunId& after, std::size_t limit) override
    {
        return read("tombstones", [&] { return m_store->tombstones(after, limit); });
    }
    Result<std::vector<RemovedRun>> removedRuns(const RunId& after, std::size_t limit) override
    {
        return read("removedRuns", [&] { return m_store->removedRuns(after, limit); });
    }
    Result<std::vector<PayloadInfo>> redactedPayloads(const RunId& run) override
    {
        return read("redactedPayloads", [&] { return m_store->redactedPayloads(run); });
    }
    Result<std::vector<RetentionRow>> retention() override
    {
        return read("retention", [&] { return m_store->retention(); });
    }
    Result<TreeBonds> bondsOf(const RunId& root) override
    {
        return read("bondsOf", [&] { return m_store->bondsOf(root); });
    }
    Result<RunBytes> bytesOf(const RunId& run) override
    {
        return read("bytesOf", [&] { return m_store->bytesOf(run); });
    }
    Result<SecretList> neverStore() override
    {
        return read("neverStore", [&] { return m_store->neverStore(); });
    }
    Result<StoreSpace> space() override
    {
        return read("space", [&] { return m_store->space(); });
    }
    Result<Replica> replica() override
    {
        return read("replica", [&] { return m_store->replica(); });
    }
    Result<std::vector<Review>> reviews(bool closedToo, std::size_t limit) override
    {
        return read("reviews", [&] { return m_store->reviews(closedToo, limit); });
    }
    Result<std::map<SessionId, HintHealth::State>> shownHints() override
    {
        return read("shownHints", [&] { return m_store->shownHints(); });
    }
    Result<std::optional<StagedAct>> stagedAct(const CommandId& command) override
    {
        return read("stagedAct", [&] { return m_store->stagedAct(command); });
    }
    Result<std::optional<PolicyRow>> policy(std::uint64_t version) override
    {
        return read("policy", [&] { return m_store->policy(version); });
    }
    Result<std::optional<bool>> holdsRole(std::string_view login, std::string_view role) override
    {
        return read("holdsRole", [&] { return m_store->holdsRole(login, role); });
    }
    Result<std::vector<StagedAct>> waitingActs(std::size_t limit) override
    {
        return read("waitingActs", [&] { return m_store->waitingActs(limit); });
    }
    Result<LoadedRun> loadRun(const RunId& run, std::uint64_t from, std::uint64_t to) override
    {
        return read("loadRun", [&] { return m_store->loadRun(run, from, to); });
    }
    Result<std::vector<StagedAct>> answeredActs(const CommandId& after, std::size_t limit) override
    {
        return read("answeredActs", [&] { return m_store->answeredActs(after, limit); });
    }
    Result<std::vector<WholeRun>> wholeRuns(std::span<const RunId> runs, const RunParts& parts) override
    {
        return read("wholeRuns", [&] { return m_store->wholeRuns(runs, parts); });
    }
    Result<HotRow> hot(const RunId& run) override
    {
        return read("hot", [&] { return m_store->hot(run); });
    }
    Result<std::optional<std::uint64_t>> findCommand(const RunId& run, const CommandId& command) override
    {
        return read("findCommand", [&] { return m_store->findCommand(run, command); });
    }
    Result<std::optional<RunRow>> findKey(std::string_view workflow, std::string_view key) override
    {
        return read("findKey", [&] { return m_store->findKey(workflow, key); });
    }
    Result<std::vector<RunId>> findRuns(std::string_view prefix, std::size_t limit) override
    {
        return read("findRuns", [&] { return m_store->findRuns(prefix, limit); });
    }
    Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& id) override
    {
        return read("payloadInfo", [&] { return m_store->payloadInfo(run, id); });
    }
    Result<std::string> payload(
        const RunId& run, const PayloadId& id, std::uint64_t offset, std::uint64_t limit) override
    {
        return read("payload", [&] { return m_store->payload(run, id, offset, limit); });
    }
    Result<std::vector<FoundPayload>> payloads(
        const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo) override
    {
        return read("payloads", [&] { return m_store->payloads(run, ids, inlineUpTo); });
    }
    Result<std::vector<EffectRow>> effects(std::span<const EffectId> ids) override
    {
        return read("effects", [&] { return m_store->effects(ids); });
    }
    Result<std::vector<EffectRow>> effectsOfRun(const RunId& run) override
    {
        return read("effectsOfRun", [&] { return m_store->effectsOfRun(run); });
    }
    Result<std::vector<ResourceRow>> resources() override
    {
        return read("resources", [&] { return m_store->resources(); });
    }
    Result<std::vector<SessionRow>> sessions(bool ended) override
    {
        return read("sessions", [&] { return m_store->sessions(ended); });
    }
    Result<std::vector<WorkflowRow>> workflows(bool text) override
    {
        return read("workflows", [&] { return m_store->workflows(text); });
    }
    Result<std::optional<WorkflowRow>> workflow(std::string_view name, std::uint32_t version) override
    {
        return read("workflow", [&] { return m_store->workflow(name, version); });
    }
    Result<RunPage> list(const ListFilter& filter, ListOrder order, const std::optional<PageKey>& after,
        std::size_t limit) override
    {
        return read("list", [&] { return m_store->list(filter, order, after, limit); });
    }
    Result<std::uint64_t> count(const ListFilter& filter) override { return m_store->count(filter); }
    Result<std::vector<CountRow>> counts(const ListFilter& filter) override
    {
        return m_store->counts(filter);
    }
    Result<SituationList> situations(const ListFilter& filter, std::size_t limit) override
    {
        return m_store->situations(filter, limit);
    }
    Result<std::vector<SituationStarts>> situationNext(
        const ListFilter& filter, const std::string& situation, TimeMs from, SpanMs width) override
    {
        return read("situationNext", [&] { return m_store->situationNext(filter, situation, from, width); });
    }
    Result<std::vector<SituationPart>> situationParts(
        const ListFilter& filter, const std::string& situation) override
    {
        return read("situationParts", [&] { return m_store->situationParts(filter, situation); });
    }
    Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter& filter, std::span<const std::string> situations, TimeMs from, SpanMs width) override
    {
        return m_store->situationStarts(filter, situations, from, width);
    }
    Result<std::vector<ListRow>> listRows(std::span<const RunId> runs) override
    {
        return read("listRows", [&] { return m_store->listRows(runs); });
    }
    Result<Changes> changesSince(std::uint64_t cursor, std::size_t limit) override
    {
        return m_store->changesSince(cursor, limit);
    }
    Result<std::vector<StepRow>> steps(const RunId& run) override { return m_store->steps(run); }
    Result<std::vector<AttemptRow>> attempts(const RunId& run, StepIx step) override
    {
        return m_store->attempts(run, step);
    }
    Result<std::vector<ApprovalRow>> approvals(const RunId& run) override { return m_store->approvals(run); }
    Result<std::vector<AttributeRow>> attributes(const RunId& run) override
    {
        return m_store->attributes(run);
    }
    Result<std::vector<RunId>> children(const RunId& run) override { return m_store->children(run); }
    Result<std::vector<AuditRow>> audit(std::uint64_t after, std::size_t limit) override
    {
        return m_store->audit(after, limit);
    }
    Result<std::vector<AuditRow>> auditOfRun(const RunId& run) override { return m_store->auditOfRun(run); }
    Result<std::optional<std::uint64_t>> auditOfCommand(const CommandId& command) override
    {
        return read("auditOfCommand", [&] { return m_store->auditOfCommand(command); });
    }
    Result<std::vector<PlanRow>> plans(bool closedToo, std::size_t limit) override
    {
        return read("plans", [&] { return m_store->plans(closedToo, limit); });
    }
    Result<std::vector<PlanRow>> plansUnderWay(std::size_t limit) override
    {
        return read("plansUnderWay", [&] { return m_store->plansUnderWay(limit); });
    }
    Result<std::optional<PlanRow>> plan(const PlanId& id) override
    {
        return read("plan", [&] { return m_store->plan(id); });
    }
    Result<std::vector<PlanItem>> planItems(
        const PlanId& id, std::uint32_t after, std::size_t limit, std::optional<PlanItemState> only) override
    {
        return read("planItems", [&] { return m_store->planItems(id, after, limit, only); });
    }
    Result<std::vector<PlanCount>> planCounts(const PlanId& id) override
    {
        return read("planCounts", [&] { return m_store->planCounts(id); });
    }
    Result<std::vector<PlanOfRun>> plansOfRuns(std::span<const RunId> runs) override
    {
        return read("plansOfRuns", [&] { return m_store->plansOfRuns(runs); });
    }
    Status auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page) override
    {
        return m_store->auditPage(after, limit, page);
    }
    Result<std::vector<AuditDay>> auditDays(std::uint64_t after, std::uint64_t upTo) override
    {
        return m_store->auditDays(after, upTo);
    }
    Result<AuditEnd> auditEnd() override { return m_store->auditEnd(); }
    Result<std::vector<CheckpointRow>> checkpoints(std::uint64_t after, std::size_t limit) override
    {
        return m_store->checkpoints(after, limit);
    }
    Result<std::optional<CheckpointRow>> newestCheckpoint() override { return m_store->newestCheckpoint(); }
    Result<std::vector<CoveredHead>> coveredHeads(std::uint64_t checkpoint) override
    {
        return m_store->coveredHeads(checkpoint);
    }
    Result<std::vector<OpenHead>> runHeads(const RunId& after, std::size_t limit) override
    {
        return m_store->runHeads(after, limit);
    }
    Result<std::size_t> scanEntries(ScanPlace& place, std::size_t limit, const SeeEntry& see) override
    {
        return m_store->scanEntries(place, limit, see);
    }
    Result<std::size_t> eachEntry(const ChainPlace& after, std::size_t limit, const SeeEntry& see) override
    {
        return m_store->eachEntry(after, limit, see);
    }
    Result<ChunkTotals> chunkTotals() override { return m_store->chunkTotals(); }
    Result<std::vector<ChunkRow>> chunksElsewhere(
        const ArtifactId& artifact, std::uint32_t index, std::size_t limit) override
    {
        return m_store->chunksElsewhere(artifact, index, limit);
    }
    Result<std::vector<VerifyProblem>> check(bool deep) override { return m_store->check(deep); }
    void interrupt() noexcept override { }

protected:
    std::unique_ptr<StoreWriter> m_store;
};

}  // namespace cairn
