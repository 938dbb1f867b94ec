#pragma once
// A store whose calls can be made to fail: passes each on to another, and asks before and after.

#include "core/store/hooked_reader.h"

namespace cairn {

class HookedStore : public HookedReader {
public:
    using HookedReader::HookedReader;

    Status commit(std::span<const CommitMember> members, std::vector<MemberResult>& results) override
    {
        results.clear();
        if (auto error = m_hooks.before("commit", Access::Commit))
            return *std::move(error);
        Status status = m_store->commit(members, results);
        if (auto error = m_hooks.after("commit", Access::Commit)) {
            results.clear();
            return *std::move(error);
        }
        return status;
    }
    Result<std::vector<ClaimedRun>> claim(const SessionId& session, TimeMs at, std::size_t limit) override
    {
        return write("claim", [&] { return m_store->claim(session, at, limit); });
    }
    Result<bool> removeTree(const TreeRemoval& removal) override
    {
        return write("removeTree", [&] { return m_store->removeTree(removal); });
    }
    Status extendRemoved(std::span<const RemovedRun> runs) override
    {
        return write("extendRemoved", [&] { return m_store->extendRemoved(runs); });
    }
    Result<std::uint64_t> sweepRemoved(std::size_t limit) override
    {
        return write("sweepRemoved", [&] { return m_store->sweepRemoved(limit); });
    }
    Result<std::uint64_t> forgetKeys(TimeMs at, std::size_t limit) override
    {
        return write("forgetKeys", [&] { return m_store->forgetKeys(at, limit); });
    }
    Status setRetention(const RetentionRow& row, const AuditRow& audit) override
    {
        return write("setRetention", [&] { return m_store->setRetention(row, audit); });
    }
    Status setNeverStore(const SecretList& list, const AuditRow& audit) override
    {
        return write("setNeverStore", [&] { return m_store->setNeverStore(list, audit); });
    }
    Result<std::uint64_t> giveBack(std::uint64_t bytes) override
    {
        return write("giveBack", [&] { return m_store->giveBack(bytes); });
    }
    Status closeReview(const CommandId& act, std::string_view note) override
    {
        return write("closeReview", [&] { return m_store->closeReview(act, note); });
    }
    Status decideAct(const StagedAct& act) override
    {
        return write("decideAct", [&] { return m_store->decideAct(act); });
    }
    Status extendPolicies(std::span<const PolicyRow> rows) override
    {
        return write("extendPolicies", [&] { return m_store->extendPolicies(rows); });
    }
    Status release(const SessionId& session, std::span<const ClaimedRun> runs) override
    {
        return write("release", [&] { return m_store->release(session, runs); });
    }
    Result<ClaimedRun> takeOver(const RunId& run, const SessionId& session) override
    {
        return write("takeOver", [&] { return m_store->takeOver(run, session); });
    }
    Status openSession(const SessionRow& session) override
    {
        return write("openSession", [&] { return m_store->openSession(session); });
    }
    Result<bool> heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil) override
    {
        return write("heartbeat", [&] { return m_store->heartbeat(session, at, leaseUntil); });
    }
    Result<bool> endSession(const SessionId& session, TimeMs at, TimeMs leaseBefore) override
    {
        return write("endSession", [&] { return m_store->endSession(session, at, leaseBefore); });
    }
    Result<std::vector<RunId>> takeWakeups(const SessionId& session) override
    {
        return write("takeWakeups", [&] { return m_store->takeWakeups(session); });
    }
    Status dropSessionsEndedBefore(TimeMs before) override
    {
        return write("dropSessionsEndedBefore", [&] { return m_store->dropSessionsEndedBefore(before); });
    }
    Result<std::vector<OutboxRow>> outbox(std::size_t limit, std::uint64_t after) override
    {
        return read("outbox", [&] { return m_store->outbox(limit, after); });
    }
    Status dropOutbox(const OutboxRow& row) override
    {
        return write("dropOutbox", [&] { return m_store->dropOutbox(row); });
    }
    Status putResource(const ResourceRow& row) override
    {
        return write("putResource", [&] { return m_store->putResource(row); });
    }
    Result<std::uint64_t> slowResource(
        const ResourceRow& wanted, const ResourceRow& seen, AuditRow act) override
    {
        return write("slowResource", [&] { return m_store->slowResource(wanted, seen, act); });
    }
    Status raiseBackOff(std::string_view resource, TimeMs until, bool askedByServer) override
    {
        return write("raiseBackOff", [&] { return m_store->raiseBackOff(resource, until, askedByServer); });
    }
    Result<std::uint32_t> leaseSlots(const SessionId& session, std::string_view resource, std::uint32_t want,
        TimeMs at, TimeMs until) override
    {
        return write("leaseSlots", [&] { return m_store->leaseSlots(session, resource, want, at, until); });
    }
    Result<std::uint32_t> spendRate(
        const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs at) override
    {
        return write("spendRate", [&] { return m_store->spendRate(session, resource, want, at); });
    }
    Status returnSlots(const SessionId& session, std::string_view resource) override
    {
        return write("returnSlots", [&] { return m_store->returnSlots(session, resource); });
    }
    Status addWorkflow(const WorkflowRow& row) override { return m_store->addWorkflow(row); }
    Result<std::uint64_t> appendAudit(AuditRow row) override
    {
        return write("appendAudit", [&] { return m_store->appendAudit(row); });
    }
    Status extendAudit(std::span<const AuditRow> rows) override
    {
        return write("extendAudit", [&] { return m_store->extendAudit(rows); });
    }
    Status appendCheckpoint(const CheckpointRow& row, std::span<const RunHead> heads) override
    {
        return write("appendCheckpoint", [&] { return m_store->appendCheckpoint(row, heads); });
    }
    Status changePlan(const PlanChange& change) override
    {
        return write("changePlan", [&] { return m_store->changePlan(change); });
    }
    Status leaveDraft(const PlanChange& change) override
    {
        return write("leaveDraft", [&] { return m_store->leaveDraft(change); });
    }
    Status changeFence(const FenceChange& change) override
    {
        return write("changeFence", [&] { return m_store->changeFence(change); });
    }
    Status changeArtifacts(const ArtifactChange& change) override
    {
        return write("changeArtifacts", [&] { return m_store->changeArtifacts(change); });
    }
    Status setClockOffset(SpanMs offset) override { return m_store->setClockOffset(offset); }
    Status showHints(const SessionId& session, HintHealth::State state) override
    {
        return write("showHints", [&] { return m_store->showHints(session, state); });
    }
    Status stage(const StagedAct& act) override
    {
        return write("stage", [&] { return m_store->stage(act); });
    }
    Result<std::vector<StagedAct>> takeStaged(std::size_t limit) override
    {
        return write("takeStaged", [&] { return m_store->takeStaged(limit); });
    }
    Result<std::uint64_t> forgetStaged(std::size_t limit) override
    {
        return write("forgetStaged", [&] { return m_store->forgetStaged(limit); });
    }
    Status extendActs(std::span<const StagedAct> acts) override
    {
        return write("extendActs", [&] { return m_store->extendActs(acts); });
    }
    Status extendReviews(std::span<const Review> reviews) override
    {
        return write("extendReviews", [&] { return m_store->extendReviews(reviews); });
    }
    Status finishStaged(const StagedAct& act) override
    {
        return write("finishStaged", [&] { return m_store->finishStaged(act); });
    }
    Status stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes) override
    {
        return write("stageChunk", [&] { return m_store->stageChunk(artifact, index, bytes); });
    }
    Status dropStagedBefore(TimeMs before) override { return m_store->dropStagedBefore(before); }
    Status checkBackup(const std::string& path) override { return m_store->checkBackup(path); }
    Status backup(const std::string& path) override { return m_store->backup(path); }
    Status checkpoint() override { return m_store->checkpoint(); }
};

}  // namespace cairn
