#pragma once
// A bundle behind the reading seam of a store, as far as folding a run and comparing it asks for: the rule
// that proves a store proves a bundle. Everything else is refused.

#include "core/export/bundle_parts.h"

namespace cairn::exporting {

class BundleReader final : public StoreReader {
public:
    // `bundle` outlives it. The file is opened again where the bytes of a payload are asked for.
    BundleReader(std::string path, const Bundle& bundle);

    Result<StoreInfo> info() override { return none(); }
    Result<TimeMs> now() override { return m_bundle.manifest.exportedAt; }
    Result<LoadedRun> loadRun(const RunId&, std::uint64_t, std::uint64_t) override { return none(); }
    Result<HotRow> hot(const RunId&) override { return none(); }
    Result<std::optional<std::uint64_t>> findCommand(const RunId&, const CommandId&) override
    {
        return none();
    }
    Result<std::optional<RunRow>> findKey(std::string_view, std::string_view) override { return none(); }
    Result<std::vector<RunId>> findRuns(std::string_view, std::size_t) override { return none(); }
    Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& payload) override;
    Result<std::string> payload(
        const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit) override;
    Result<std::vector<FoundPayload>> payloads(
        const RunId&, std::span<const PayloadId>, std::uint64_t) override
    {
        return none();
    }
    Result<std::vector<EffectRow>> effects(std::span<const EffectId> ids) override;
    Result<std::vector<EffectRow>> effectsOfRun(const RunId&) override { return none(); }
    Result<std::vector<ResourceRow>> resources() override { return none(); }
    Result<std::vector<SessionRow>> sessions(bool) override { return none(); }
    Result<std::vector<WorkflowRow>> workflows(bool) override { return none(); }
    Result<std::optional<WorkflowRow>> workflow(std::string_view name, std::uint32_t version) override;
    Result<RunPage> list(const ListFilter&, ListOrder, const std::optional<PageKey>&, std::size_t) override
    {
        return none();
    }
    Result<std::uint64_t> count(const ListFilter&) override { return none(); }
    Result<std::vector<CountRow>> counts(const ListFilter&) override { return none(); }
    Result<SituationList> situations(const ListFilter&, std::size_t) override { return none(); }
    Result<std::vector<SituationStarts>> situationStarts(
        const ListFilter&, std::span<const std::string>, TimeMs, SpanMs) override
    {
        return none();
    }
    Result<std::vector<SituationStarts>> situationNext(
        const ListFilter&, const std::string&, TimeMs, SpanMs) override
    {
        return none();
    }
    Result<std::vector<SituationPart>> situationParts(const ListFilter&, const std::string&) override
    {
        return none();
    }
    Result<std::vector<ListRow>> listRows(std::span<const RunId>) override { return none(); }
    Result<Changes> changesSince(std::uint64_t, std::size_t) override { return none(); }
    Result<std::vector<StepRow>> steps(const RunId&) override { return none(); }
    Result<std::vector<AttemptRow>> attempts(const RunId&, StepIx) override { return none(); }
    Result<std::vector<ApprovalRow>> approvals(const RunId&) override { return none(); }
    Result<std::vector<AttributeRow>> attributes(const RunId&) override { return none(); }
    Result<std::vector<RunId>> children(const RunId&) override { return none(); }
    Result<std::vector<AuditRow>> audit(std::uint64_t, std::size_t) override { return none(); }
    Result<std::vector<AuditRow>> auditOfRun(const RunId&) override { return none(); }
    Result<std::optional<std::uint64_t>> auditOfCommand(const CommandId&) override { return none(); }
    Result<std::vector<VerifyProblem>> check(bool) override { return none(); }
    void interrupt() noexcept override { }

private:
    static Error none() { return makeError(ErrorKind::Refused, "a bundle is not asked for that"); }

    std::string m_path;
    const Bundle& m_bundle;
};

}  // namespace cairn::exporting
