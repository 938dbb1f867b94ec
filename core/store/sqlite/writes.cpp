#include "core/store/sqlite/group_commit.h"

#include "core/base/failpoint.h"

#include <algorithm>
#include <thread>

namespace cairn::sqlite {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGroupWork{12};  // then COMMIT; with its sync the lock is held about 20 ms at most
constexpr milliseconds kLongHold{4};    // after that, the lock is left to others
constexpr std::chrono::microseconds kLeave{1500};
constexpr milliseconds kWaitInAll{5000};

}  // namespace

void SqliteStore::leaveTheLock() const
{
    const auto now = steady_clock::now();
    if (now < m_freeUntil)
        std::this_thread::sleep_for(m_freeUntil - now);
}

Status SqliteStore::writeOnce(const Body& body)
{
    Transaction transaction(db());
    CAIRN_TRY(transaction.begin());
    const auto locked = steady_clock::now();
    CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(db()));
    if (!m_changingFence)
        CAIRN_TRY(checkWriter(numbers.minWriter, kSchema, m_intoFence));
    CAIRN_TRY(body({numbers, storeTime(numbers.clockOffset)}));
    if (failpoint::hit("store.before_commit"))
        return makeError(ErrorKind::Io, "stopped by a failpoint before COMMIT");
    CAIRN_TRY(transaction.commit());
    static_cast<void>(failpoint::hit("store.after_commit"));
    const auto now = steady_clock::now();
    if (now - locked >= kLongHold)
        m_freeUntil = now + kLeave;
    return {};
}

Status SqliteStore::write(const Body& body)
{
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    const auto began = steady_clock::now();
    for (int attempt = 0;; ++attempt) {
        if (db().poisoned())
            return makeError(ErrorKind::Io,
                "an earlier write of this connection failed in the file system; close the "
                "store and check it before writing again");
        leaveTheLock();
        Status status = writeOnce(body);
        if (status || status.error().kind != ErrorKind::Busy || steady_clock::now() - began >= kWaitInAll)
            return status;
        std::this_thread::sleep_for(milliseconds(1 + std::min(attempt, 9)));
    }
}

Status SqliteStore::commitSome(Part& part, const WriteContext& context)
{
    const auto began = steady_clock::now();
    GroupCommit group(db(), context, part.savepoints);
    part.done = 0;
    part.memberFailed = false;
    while (part.done < part.members.size()) {
        const Status status =
            group.member(part.members[part.done], part.checked[part.done], part.results[part.done]);
        if (!status) {
            part.memberFailed = !db().lastWasWhole() && !db().poisoned();
            return status;
        }
        ++part.done;
        if (steady_clock::now() - began >= kGroupWork)
            break;
    }
    const Status status = group.finish();
    if (!status)
        part.memberFailed = !db().lastWasWhole() && !db().poisoned();
    return status;
}

Status SqliteStore::commitPart(Part& part)
{
    const auto body = [&](const WriteContext& context) { return commitSome(part, context); };
    Status status = write(body);
    if (status || !part.memberFailed)
        return status;
    part.savepoints = true;
    return write(body);
}

Status SqliteStore::commit(std::span<const CommitMember> members, std::vector<MemberResult>& results)
{
    results.assign(members.size(), {});
    // Before the lock is asked for: nobody waits meanwhile, and after a long group it is left alone anyway.
    std::vector<Status> checked;
    checked.reserve(members.size());
    for (const CommitMember& member : members)
        checked.push_back(checkContent(member));
    std::size_t done = 0;
    while (done < members.size()) {
        Part part{members.subspan(done), std::span(checked).subspan(done), std::span(results).subspan(done)};
        const Status status = commitPart(part);
        if (!status && done == 0) {
            results.clear();
            return status;
        }
        if (!status) {  // an earlier part is committed: the error belongs to the members that are not
            for (auto at = done; at < members.size(); ++at) {
                results[at] = {};
                results[at].kind = MemberResult::Kind::Failed;
                results[at].error = status.error();
            }
            return {};
        }
        done += part.done;
    }
    return {};
}

// --- audit
// -------------------------------------------------------------------------------------------------------------

Result<AuditHead> readAuditHead(Db& db)
{
    AuditHead head;
    Query query(db, Sql::AuditHead);
    CAIRN_TRY_ASSIGN(const bool found, query.step());
    if (found)
        query.read(head.seq, head.hash);
    return head;
}

Status insertAudit(Db& db, const AuditRow& given, AuditHead& head)
{
    AuditRow row = given;
    row.seq = head.seq + 1;
    if (row.with)
        CAIRN_TRY(writeChange(db, *row.with, row.seq, row.time));
    row.previous = head.hash;
    row.hash = auditHash(row);
    CAIRN_TRY(Query(db, Sql::InsertAudit)
                  .bind(row.seq, row.time, row.kind, row.verb, row.actor, row.uid, row.host, row.login,
                      row.run, row.target, row.command, row.reason, row.before, row.after,
                      Blob{row.previous.view()}, Blob{row.hash.view()})
                  .run());
    head = {row.seq, row.hash};
    return {};
}

Result<std::uint64_t> SqliteStore::appendAudit(AuditRow row)
{
    CAIRN_TRY(checkAudit(row));
    std::uint64_t seq = 0;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        if (row.run.isNull() && !row.command.isNull()) {
            Query query(db(), Sql::AuditOfCommand);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(row.command).step());
            if (found) {
                query.read(seq);
                return {};
            }
        }
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        CAIRN_TRY(insertAudit(db(), row, head));
        seq = head.seq;
        return {};
    }));
    return seq;
}

// --- messages, resources, workflows, artifacts
// ---------------------------------------------------------------------------

Result<std::vector<OutboxRow>> SqliteStore::outbox(std::size_t limit, std::uint64_t after)
{
    Query query(db(), Sql::Outbox);
    query.bind(after, limit);
    return readAll<OutboxRow>(query, [](Query& q, OutboxRow& r) {
        q.read(r.from, r.version, r.number, r.to, r.body, r.createdAt, r.seq);
    });
}

Status SqliteStore::dropOutbox(const OutboxRow& row)
{
    return write([&](const WriteContext&) {
        return Query(db(), Sql::DropOutbox).bind(row.from, row.version, row.number).run();
    });
}

Status SqliteStore::putResource(const ResourceRow& row)
{
    if (row.name.empty() || !isStorableText(row.name))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    return write([&](const WriteContext&) {
        return Query(db(), Sql::PutResource)
            .bind(row.name, row.backOffUntil, row.askedByServer, row.permitsPerSecond, row.slots)
            .run();
    });
}

Result<std::uint64_t> SqliteStore::slowResource(
    const ResourceRow& wanted, const ResourceRow& seen, AuditRow act)
{
    CAIRN_TRY(checkSlow(wanted, act));
    std::uint64_t seq = 0;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        {
            Query query(db(), Sql::AuditOfCommand);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(act.command).step());
            if (found) {
                query.read(seq);
                return {};
            }
        }
        ResourceRow stored;
        stored.name = wanted.name;
        {
            Query query(db(), Sql::ResourceLimits);
            CAIRN_TRY_ASSIGN(const bool found, query.bind(wanted.name).step());
            if (found)
                query.read(stored.permitsPerSecond, stored.slots);
        }
        if (stored.permitsPerSecond != seen.permitsPerSecond || stored.slots != seen.slots)
            return limitsMoved(stored);
        CAIRN_TRY(Query(db(), Sql::SetResource)
                      .bind(wanted.name, wanted.backOffUntil, wanted.permitsPerSecond, wanted.slots,
                          seen.backOffUntil)
                      .run());
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        CAIRN_TRY(insertAudit(db(), act, head));
        seq = head.seq;
        return {};
    }));
    return seq;
}

Status SqliteStore::raiseBackOff(std::string_view resource, TimeMs until, bool askedByServer)
{
    if (resource.empty() || !isStorableText(resource))
        return makeError(ErrorKind::InvalidInput, "a resource needs a name that is valid text");
    return write([&](const WriteContext&) {
        return Query(db(), Sql::BackOff).bind(resource, until, askedByServer, 0, 0, 1).run();
    });
}

Result<std::uint32_t> SqliteStore::leaseSlots(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now, TimeMs until)
{
    return leaseSlice(session, resource, want, {false, now, until});
}

Result<std::uint32_t> SqliteStore::spendRate(
    const SessionId& session, std::string_view resource, std::uint32_t want, TimeMs now)
{
    return leaseSlice(session, resource, want, {true, now, now + kRateSpan});
}

Result<std::uint32_t> SqliteStore::leaseSlice(
    const SessionId& session, std::string_view resource, std::uint32_t want, const SliceTerms& terms)
{
    std::uint32_t got = want;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        got = want;
        Query limits(db(), Sql::ResourceLimits);
        CAIRN_TRY_ASSIGN(const bool known, limits.bind(resource).step());
        std::uint32_t rate = 0, slots = 0;
        if (known)
            limits.read(rate, slots);
        const std::uint32_t limit = terms.rate ? rate : slots;
        if (limit == 0)
            return {};
        CAIRN_TRY(Query(db(), Sql::DropPastSlices).bind(resource, terms.now).run());
        if (!terms.rate)
            CAIRN_TRY(Query(db(), Sql::ReturnSlots).bind(resource, session).run());
        Query used(db(), Sql::SlicesInUse);
        CAIRN_TRY(used.bind(resource, terms.rate).step());
        std::uint32_t taken = 0;
        used.read(taken);
        got = std::min(want, limit > taken ? limit - taken : 0);
        if (got == 0)
            return {};
        return Query(db(), Sql::AddSlice).bind(resource, session, terms.rate, terms.until, got).run();
    }));
    return got;
}

Status SqliteStore::returnSlots(const SessionId& session, std::string_view resource)
{
    return write(
        [&](const WriteContext&) { return Query(db(), Sql::ReturnSlots).bind(resource, session).run(); });
}

Status SqliteStore::addWorkflow(const WorkflowRow& row)
{
    CAIRN_TRY(checkWorkflow(row));
    return write([&](const WriteContext&) -> Status {
        CAIRN_TRY(Query(db(), Sql::AddWorkflow)
                      .bind(row.name, row.version, row.digest, row.folder, row.addedAt, row.text)
                      .run());
        Query query(db(), Sql::WorkflowDigest);
        CAIRN_TRY(query.bind(row.name, row.version).step());
        Digest stored;
        query.read(stored);
        return checkSameWorkflow(row, stored);
    });
}

Status SqliteStore::setClockOffset(SpanMs offset)
{
    CAIRN_TRY(checkClockOffset(m_info));
    return write([&](const WriteContext&) { return Query(db(), Sql::SetClockOffset).bind(offset).run(); });
}

Status SqliteStore::stageChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes)
{
    CAIRN_TRY(checkChunk(artifact, index, bytes));
    if (m_options.readOnly)
        return makeError(ErrorKind::Refused, "this store was opened for reading only");
    const Digest digest = chunkDigest(artifact, index, bytes);
    std::string name;
    CAIRN_TRY_ASSIGN(const std::string_view stored, m_artifacts.keep(digest, bytes, name));
    return write([&](const WriteContext& context) -> Status {
        CAIRN_TRY(Query(db(), Sql::StageArtifact).bind(artifact, context.now).run());
        Query query(db(), Sql::ArtifactAdopted);
        CAIRN_TRY(query.bind(artifact).step());
        bool adopted = false;
        query.read(adopted);
        if (adopted)
            return makeError(
                ErrorKind::Refused, "artifact " + toText(artifact) + " is in use and cannot be changed");
        CAIRN_TRY(m_artifacts.checkFresh());
        return Query(db(), Sql::StageChunk).bind(artifact, index, digest, bytes.size(), Blob{stored}).run();
    });
}

Status SqliteStore::dropStagedBefore(TimeMs before)
{
    constexpr std::int64_t kBatch =
        8;  // chunks of up to 1 MiB: the write lock is held for a few milliseconds
    for (bool more = true; more;)
        CAIRN_TRY(write([&](const WriteContext&) -> Status {
            ArtifactId artifact;
            {
                Query query(db(), Sql::StagedBefore);
                CAIRN_TRY_ASSIGN(more, query.bind(before).step());
                if (!more)
                    return {};
                query.read(artifact);
            }
            CAIRN_TRY(Query(db(), Sql::DropStagedChunks).bind(artifact, kBatch).run());
            return db().changes() == kBatch ? Status() : Query(db(), Sql::DropStaged).bind(artifact).run();
        }));
    return {};
}

}  // namespace cairn::sqlite
