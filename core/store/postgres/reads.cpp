#include "core/store/postgres/store_impl.h"

#include "core/model/codec.h"

#include <algorithm>

namespace cairn::postgres {

Error noRun(const RunId& run) { return makeError(ErrorKind::NotFound, "there is no run " + toText(run)); }

void readIdentity(Rows& q, RunRow& r)
{
    q.read(r.run, r.root, r.parent.run, r.parent.step, r.parent.index, r.workflow.name, r.workflow.version,
        r.workflow.digest, r.workflow.stateSchema, r.key, r.keyInput, r.keySalt, r.createdAt, r.forkedFrom,
        r.driven);
}

void readAttempt(Rows& q, const RunId& run, AttemptRow& a)
{
    std::int64_t span = 0;
    bool written1 = false;  // by format 1: trace and span follow from ids
    q.read(a.id, a.step, a.number, a.purpose, a.session, a.worker, a.startedAt, a.endedAt, a.how, a.effect,
        a.error, a.trace, span, written1);
    a.span = static_cast<std::uint64_t>(span);
    if (written1) {
        a.trace = legacyTrace(run);
        a.span = legacySpan(a.id);
    }
}

void readStep(Rows& q, StepRow& s)
{
    q.read(s.ix, s.id, s.name, s.tool, s.agent, s.kind, s.safety, s.state, s.reason, s.since, s.due,
        s.revision, s.attempts, s.failures, s.lost, s.input, s.output, s.error, s.effect, s.readyAt,
        s.startedAt, s.endedAt);
}

void readApproval(Rows& q, ApprovalRow& a)
{
    q.read(a.id, a.step, a.state, a.binding, a.role, a.askedAt, a.expires, a.decidedAt, a.decidedBy, a.note,
        a.needed, a.askedBy, a.deciders);
}

void readAttribute(Rows& q, AttributeRow& a) { q.read(a.name, a.type, a.text, a.number); }

namespace {

void readWorkflow(Rows& q, WorkflowRow& r)
{
    q.read(r.name, r.version, r.digest, r.folder, r.addedAt, r.text);
}

}  // namespace

void readHot(Rows& q, HotRow& r)
{
    q.read(r.version, r.epoch, r.control, r.owner, r.head, r.nextDue, r.format);
}

void readEffect(Rows& q, EffectRow& r)
{
    q.read(r.effect, r.tool, r.key, r.state, r.holder, r.holderStep, r.inputSalt, r.inputDigest, r.result,
        r.changedAt, r.revision);
}

void readAudit(Rows& q, AuditRow& r)
{
    q.read(r.seq, r.time, r.kind, r.verb, r.actor, r.uid, r.host, r.login, r.run, r.target, r.command,
        r.reason, r.before, r.after, r.previous, r.hash);
}

Result<StoreInfo> PostgresStore::info()
{
    return reading([&] { return readInfo(); });
}

// Behind the same name there may be another server by now. One with another store, and an old primary that
// came back by itself and knows nothing of what was written since, is left: nothing is read from it, and
// nothing written into it.
Result<StoreInfo> PostgresStore::readInfo()
{
    CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::Info));
    if (!rows.next())
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    StoreInfo i;
    rows.read(i.id, i.schema, i.minReader, i.minWriter, i.writeFormat, i.environment, i.safety, i.testClock,
        i.clockOffset, i.salt, i.seed, i.createdAt, i.serverSystem, i.serverTimeline, i.roles);
    i.artifacts = m_artifacts.place();
    const bool other = m_opened && i.id != m_info.id;
    const bool back = i.serverSystem == m_info.serverSystem && i.serverTimeline < m_info.serverTimeline;
    if (other || back)
        m_db->disconnect();
    if (other)
        return makeError(ErrorKind::SchemaMismatch,
            m_db->target().shown + " holds another store than before; open it anew");
    if (back)
        return makeError(ErrorKind::Refused,
            m_db->target().shown + " has gone back from timeline " + std::to_string(m_info.serverTimeline)
                + " to " + std::to_string(i.serverTimeline)
                + ": a primary that was replaced answers again. Take it off the net; nothing was written");
    m_info.serverSystem = i.serverSystem;
    m_info.serverTimeline = i.serverTimeline;
    return i;
}

// --- one run
// -----------------------------------------------------------------------------------------------------------

Result<HotRow> PostgresStore::hot(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto rows, readAll<HotRow>(Sql::HotOf, readHot, run));
    if (rows.empty())
        return missing(run);
    return rows.front();
}

// One round trip. The entries are read last, so those up to the version read before them are all there; what
// others committed in between is left out.
Result<LoadedRun> PostgresStore::loadRun(const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion)
{
    auto loaded = reading([&]() -> Result<LoadedRun> {
        const std::uint64_t first = std::max<std::uint64_t>(fromVersion, 1);
        const std::uint64_t most = toVersion == 0 ? std::uint64_t{1} << 62U : toVersion;
        Batch batch;
        batch.add(Sql::IdentityOf, run);
        batch.add(Sql::HotOf, run);
        batch.add(Sql::Entries, run, first - 1, most);  // one before: for its hash
        CAIRN_TRY_ASSIGN(auto answers, m_db->run(batch));
        return readRun(std::span(answers).first<3>(), run, first, most);
    });
    if (!loaded && loaded.error().kind == ErrorKind::NotFound)
        return missing(run);
    return loaded;
}

// Why it is not there.
Error PostgresStore::missing(const RunId& run)
{
    const auto stone = tombstone(run);
    return stone && *stone ? makeError(ErrorKind::NotFound, removedText(**stone)) : noRun(run);
}

Result<LoadedRun> readRun(
    std::span<Rows, 3> answers, const RunId& run, std::uint64_t first, std::uint64_t most)
{
    LoadedRun loaded;
    if (!answers[0].next() || !answers[1].next())
        return noRun(run);
    readIdentity(answers[0], loaded.identity);
    readHot(answers[1], loaded.hot);
    const std::uint64_t last = std::min(most, loaded.hot.version);
    if (first > last)
        return loaded;
    loaded.entries.reserve(answers[2].count());
    Digest previous;
    while (answers[2].next()) {
        SealedEntry e;
        answers[2].read(e.version, e.command, e.format, e.hash, e.body);
        if (e.version > last)
            break;
        e.previous = previous;
        previous = e.hash;
        if (e.version >= first)
            loaded.entries.push_back(std::move(e));
    }
    if (loaded.entries.size() != last - first + 1 || loaded.entries.back().version != last)
        return makeError(ErrorKind::Corrupt,
            "run " + toText(run) + " lacks entries between versions " + std::to_string(first) + " and "
                + std::to_string(last));
    return loaded;
}

Result<std::optional<std::uint64_t>> PostgresStore::findCommand(const RunId& run, const CommandId& command)
{
    CAIRN_TRY_ASSIGN(const auto rows,
        readAll<std::uint64_t>(
            Sql::CommandOf, [](Rows& q, std::uint64_t& version) { q.read(version); }, run, command));
    return rows.empty() ? std::optional<std::uint64_t>() : std::optional(rows.front());
}

Result<std::optional<RunRow>> PostgresStore::findKey(std::string_view workflow, std::string_view key)
{
    if (key.empty())
        return std::optional<RunRow>();
    CAIRN_TRY_ASSIGN(auto rows, readAll<RunRow>(Sql::IdentityOfKey, readIdentity, workflow, key));
    return rows.empty() ? std::optional<RunRow>() : std::optional(std::move(rows.front()));
}

Result<std::vector<RunId>> PostgresStore::findRuns(std::string_view idPrefix, std::size_t limit)
{
    const auto bounds = idBounds(idPrefix);
    if (!bounds)
        return std::vector<RunId>();
    return readAll<RunId>(
        Sql::RunsBetween, [](Rows& q, RunId& run) { q.read(run); }, RawId{bounds->low}, RawId{bounds->high},
        limit);
}

Result<std::vector<StepRow>> PostgresStore::steps(const RunId& run)
{
    return ofRun(run, readAll<StepRow>(Sql::StepsOf, readStep, run));
}

Result<std::vector<AttemptRow>> PostgresStore::attempts(const RunId& run, StepIx step)
{
    return ofRun(run,
        readAll<AttemptRow>(
            kSchema >= 2 ? Sql::Attempts2 : Sql::Attempts1,
            [&](Rows& q, AttemptRow& a) { readAttempt(q, run, a); }, run, step, step == kNoStep));
}

Result<std::vector<ApprovalRow>> PostgresStore::approvals(const RunId& run)
{
    return ofRun(run, readAll<ApprovalRow>(Sql::ApprovalsOf, readApproval, run));
}

Result<std::vector<AttributeRow>> PostgresStore::attributes(const RunId& run)
{
    return ofRun(run, readAll<AttributeRow>(Sql::AttributesOf, readAttribute, run));
}

Result<std::vector<RunId>> PostgresStore::children(const RunId& run)
{
    return readAll<RunId>(
        Sql::ChildrenOf, [](Rows& q, RunId& child) { q.read(child); }, run);
}

// --- what runs share
// ---------------------------------------------------------------------------------------------------

Result<std::vector<EffectRow>> PostgresStore::effects(std::span<const EffectId> ids)
{
    if (ids.empty())
        return std::vector<EffectRow>();
    return readAll<EffectRow>(Sql::Effects, readEffect, Column::of(Type::Bytea, ids));
}

Result<std::vector<EffectRow>> PostgresStore::effectsOfRun(const RunId& run)
{
    return readAll<EffectRow>(Sql::EffectsOfRun, readEffect, run);
}

Result<std::vector<ResourceRow>> PostgresStore::resources()
{
    return readAll<ResourceRow>(Sql::Resources, [](Rows& q, ResourceRow& r) {
        q.read(r.name, r.backOffUntil, r.askedByServer, r.permitsPerSecond, r.slots, r.revision);
    });
}

Result<std::vector<SessionRow>> PostgresStore::sessions(bool endedToo)
{
    return readAll<SessionRow>(endedToo ? Sql::AllSessions : Sql::Sessions, [](Rows& q, SessionRow& s) {
        q.read(s.id, s.name, s.host, s.bootId, s.pidNamespace, s.pid, s.startTicks, s.build, s.format,
            s.schema, s.serves, s.startedAt, s.heartbeatAt, s.leaseUntil, s.endedAt);
    });
}

Result<std::vector<WorkflowRow>> PostgresStore::workflows(bool withText)
{
    return readAll<WorkflowRow>(Sql::Workflows, readWorkflow, withText);
}

Result<std::optional<WorkflowRow>> PostgresStore::workflow(std::string_view name, std::uint32_t version)
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<WorkflowRow>(Sql::Workflow, readWorkflow, name, version));
    return rows.empty() ? std::optional<WorkflowRow>() : std::optional(std::move(rows.front()));
}

Result<std::vector<OutboxRow>> PostgresStore::outbox(std::size_t limit, std::uint64_t after)
{
    return readAll<OutboxRow>(
        Sql::Outbox,
        [](Rows& q, OutboxRow& r) { q.read(r.from, r.version, r.number, r.to, r.body, r.createdAt, r.seq); },
        after, limit);
}

Result<std::vector<AuditRow>> PostgresStore::audit(std::uint64_t after, std::size_t limit)
{
    return readAll<AuditRow>(Sql::Audit, readAudit, after, limit);
}

Result<std::vector<AuditRow>> PostgresStore::auditOfRun(const RunId& run)
{
    return readAll<AuditRow>(Sql::AuditOfRun, readAudit, run);
}

Result<std::optional<std::uint64_t>> PostgresStore::auditOfCommand(const CommandId& command)
{
    CAIRN_TRY_ASSIGN(const auto rows,
        readAll<std::uint64_t>(
            Sql::AuditOfCommand, [](Rows& q, std::uint64_t& seq) { q.read(seq); }, command));
    return rows.empty() ? std::optional<std::uint64_t>() : std::optional(rows.front());
}

Result<std::vector<AuditDay>> PostgresStore::auditDays(std::uint64_t after, std::uint64_t upTo)
{
    return readAll<AuditDay>(
        Sql::AuditDays,
        [](Rows& q, AuditDay& day) { q.read(day.day, day.entries, day.refused, day.first, day.last); }, after,
        upTo);
}

Status PostgresStore::auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page)
{
    CAIRN_TRY_ASSIGN(Rows rows, reading([&] { return m_db->query(Sql::Audit, after, limit); }));
    page.resize(rows.count());
    for (std::size_t at = 0; rows.next(); ++at)
        readAudit(rows, page[at]);
    return {};
}

void PostgresStore::interrupt() noexcept
{
    m_db->interrupt();
    m_artifacts.interrupt();
}

}  // namespace cairn::postgres
