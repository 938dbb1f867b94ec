#include "core/store/postgres/store_impl.h"

#include <algorithm>

namespace cairn::postgres {

// --- audit
// -------------------------------------------------------------------------------------------------------------

void chain(AuditRow& row, AuditHead& head)
{
    row.seq = head.seq + 1;
    row.previous = head.hash;
    row.hash = auditHash(row);
    head = {row.seq, row.hash};
}

void addAudit(Batch& batch, const std::vector<AuditRow>& rows)
{
    for (const AuditRow& r : rows)
        if (r.with)
            addChange(batch, *r.with, r.seq);
    Columns columns;
    for (const AuditRow& r : rows)
        columns.row(r.seq, r.time, r.kind, r.verb, r.actor, r.uid, r.host, r.login, r.run, r.target,
            r.command, r.reason, r.before, r.after, Blob{r.previous.view()}, Blob{r.hash.view()});
    batch.add(Sql::AppendAudit, columns);
}

namespace {

// Acts that are decided, proposed or done with the entry. They are locked before the audit's head, as by the
// commit that carries one out: who withdraws it in this moment would else wait for that, and that for him.
std::vector<CommandId> actsOf(const AuditRow& row)
{
    std::vector<CommandId> acts;
    if (row.with && row.with->propose)
        acts.push_back(row.with->propose->command);
    if (row.with && row.with->decide)
        acts.push_back(row.with->decide->command);
    if (row.with && row.with->done)
        acts.push_back(row.with->done->act);
    return acts;
}

}  // namespace

Result<std::uint64_t> PostgresStore::appendAudit(AuditRow row)
{
    CAIRN_TRY(checkAudit(row));
    std::uint64_t seq = 0;
    const bool once = row.run.isNull() && !row.command.isNull();
    const std::vector<CommandId> acts = actsOf(row);
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            if (!acts.empty())
                first.add(Sql::LockStaged, Column::of(Type::Uuid, acts));
            const std::size_t atHead = first.add(Sql::LockAuditHead);
            const std::size_t atKnown = first.add(Sql::AuditOfCommand, row.command);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            if (once && answers[atKnown].next()) {
                answers[atKnown].read(seq);
                return {};
            }
            if (row.with && row.with->done)
                CAIRN_TRY(checkLeft(answers.front(), row.with->done->act));
            AuditHead head;
            if (!answers[atHead].next())
                return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
            answers[atHead].read(head.seq, head.hash);
            AuditRow sealed = row;
            chain(sealed, head);
            addAudit(transaction.last(), {sealed});
            seq = head.seq;
            return {};
        },
        once ? Repeat::Harmless : Repeat::Never));
    return seq;
}

// --- messages, resources, workflows, artifacts
// ---------------------------------------------------------------------------

Status PostgresStore::dropOutbox(const OutboxRow& row)
{
    CAIRN_TRY(change(Repeat::Harmless, Sql::DropOutbox, row.from, row.version, row.number));
    return {};
}

Status PostgresStore::putResource(const ResourceRow& row)
{
    if (row.name.empty() || !isStorableText(row.name))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    CAIRN_TRY(change(Repeat::Harmless, Sql::PutResource, row.name, row.backOffUntil, row.askedByServer,
        row.permitsPerSecond, row.slots));
    return {};
}

Result<std::uint64_t> PostgresStore::slowResource(
    const ResourceRow& wanted, const ResourceRow& seen, AuditRow act)
{
    CAIRN_TRY(checkSlow(wanted, act));
    std::uint64_t seq = 0;
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            const bool left = act.with && act.with->done;
            if (left)
                first.add(Sql::LockStaged, Column::of(Type::Uuid, actsOf(act)));
            const std::size_t atResource = first.add(Sql::LockResource, wanted.name);
            const std::size_t atHead = first.add(Sql::LockAuditHead);
            const std::size_t atKnown = first.add(Sql::AuditOfCommand, act.command);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            if (answers[atKnown].next()) {
                answers[atKnown].read(seq);
                return {};
            }
            if (left)
                CAIRN_TRY(checkLeft(answers.front(), act.with->done->act));
            ResourceRow stored;
            stored.name = wanted.name;
            if (answers[atResource].next())
                answers[atResource].read(stored.permitsPerSecond, stored.slots);
            if (stored.permitsPerSecond != seen.permitsPerSecond || stored.slots != seen.slots)
                return limitsMoved(stored);
            AuditHead head;
            if (!answers[atHead].next())
                return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
            answers[atHead].read(head.seq, head.hash);
            AuditRow sealed = act;
            chain(sealed, head);
            transaction.last().add(Sql::SetResource, wanted.name, wanted.backOffUntil, false,
                wanted.permitsPerSecond, wanted.slots, seen.backOffUntil);
            addAudit(transaction.last(), {sealed});
            seq = head.seq;
            return {};
        },
        Repeat::Harmless));
    return seq;
}

Status PostgresStore::raiseBackOff(std::string_view resource, TimeMs until, bool askedByServer)
{
    if (resource.empty() || !isStorableText(resource))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    Columns rows;
    rows.row(resource, until, askedByServer, 0, 0, 1);
    CAIRN_TRY(change(Repeat::Harmless, Sql::BackOff, rows));
    return {};
}

Result<std::uint32_t> PostgresStore::leaseSlots(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now, TimeMs until)
{
    return leaseSlice(session, resource, want, {false, now, until});
}

Result<std::uint32_t> PostgresStore::spendRate(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now)
{
    return leaseSlice(session, resource, want, {true, now, now + kRateSpan});
}

// The resource's row is locked: who leases waits for who leases.
Result<std::uint32_t> PostgresStore::leaseSlice(
    const SessionId& session, std::string_view resource, std::uint32_t want, const SliceTerms& terms)
{
    std::uint32_t got = want;
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            got = want;
            Batch first;
            first.add(Sql::LockResource, resource);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            std::uint32_t rate = 0, slots = 0;
            if (answers[0].next())
                answers[0].read(rate, slots);
            const std::uint32_t limit = terms.rate ? rate : slots;
            if (limit == 0)
                return {};
            Batch second;
            second.add(Sql::DropPastSlices, resource, terms.now);
            if (!terms.rate)
                second.add(Sql::ReturnSlots, resource, session);
            second.add(Sql::SlicesInUse, resource, terms.rate);
            CAIRN_TRY_ASSIGN(auto used, transaction.run(second));
            std::uint32_t taken = 0;
            if (used.back().next())
                used.back().read(taken);
            got = std::min(want, limit > taken ? limit - taken : 0);
            if (got > 0)
                transaction.last().add(Sql::AddSlice, resource, session, terms.rate, terms.until, got);
            return {};
        },
        terms.rate ? Repeat::Never : Repeat::Harmless));
    return got;
}

Status PostgresStore::returnSlots(const SessionId& session, std::string_view resource)
{
    CAIRN_TRY(change(Repeat::Harmless, Sql::ReturnSlots, resource, session));
    return {};
}

Status PostgresStore::addWorkflow(const WorkflowRow& row)
{
    CAIRN_TRY(checkWorkflow(row));
    return write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            first.add(Sql::AddWorkflow, row.name, row.version, row.digest, row.folder, row.addedAt, row.text);
            first.add(Sql::WorkflowDigest, row.name, row.version);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            Digest stored;
            if (answers[1].next())
                answers[1].read(stored);
            return checkSameWorkflow(row, stored);
        },
        Repeat::Harmless);
}

Status PostgresStore::setClockOffset(SpanMs offset)
{
    CAIRN_TRY(checkClockOffset(m_info));
    CAIRN_TRY(change(Repeat::Harmless, Sql::SetClockOffset, offset));
    hint({}, hint::kClaims);  // what was to come is due
    return {};
}

Status PostgresStore::stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes)
{
    CAIRN_TRY(checkChunk(artifact, index, bytes));
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    const Digest digest = chunkDigest(artifact, index, bytes);
    CAIRN_TRY_ASSIGN(const TimeMs stagedAt, now());
    std::string name;
    CAIRN_TRY_ASSIGN(const std::string_view stored, m_artifacts.keep(digest, bytes, name));
    return write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            first.add(Sql::StageArtifact, artifact, stagedAt);
            first.add(Sql::LockArtifact, artifact);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            bool adopted = false;
            if (answers[1].next())
                answers[1].read(adopted);
            if (adopted)
                return makeError(
                    ErrorKind::Refused, "artifact " + toText(artifact) + " is in use and cannot be changed");
            CAIRN_TRY(m_artifacts.checkFresh());
            transaction.last().add(Sql::StageChunk, artifact, index, digest, bytes.size(), Blob{stored});
            return {};
        },
        Repeat::Harmless);
}

Status PostgresStore::dropStagedBefore(TimeMs before)
{
    constexpr std::uint64_t kBatch = 8;  // chunks of up to 1 MiB
    for (bool more = true; more;)
        CAIRN_TRY(write(
            [&](Transaction& transaction) -> Status {
                Batch first;
                first.add(Sql::StagedBefore, before);
                CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
                more = answers[0].next();
                if (!more)
                    return {};
                ArtifactId artifact;
                answers[0].read(artifact);
                Batch second;
                second.add(Sql::DropStagedChunks, artifact, kBatch);
                CAIRN_TRY_ASSIGN(const auto dropped, transaction.run(second));
                if (dropped.front().affected() < kBatch)
                    transaction.last().add(Sql::DropStaged, artifact);
                return {};
            },
            Repeat::Harmless));
    return {};
}

}  // namespace cairn::postgres
