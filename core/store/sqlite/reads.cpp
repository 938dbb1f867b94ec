#include "core/store/sqlite/store_impl.h"

#include "core/model/codec.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

void readIdentity(Query& q, RunRow& r)
{
    q.read(r.run, r.root, r.parent.run, r.parent.step, r.parent.index, r.workflow.name, r.workflow.version,
        r.workflow.digest, r.workflow.stateSchema, r.key, r.keyInput, r.keySalt, r.createdAt, r.forkedFrom,
        r.driven);
}

void readWorkflow(Query& q, WorkflowRow& r)
{
    q.read(r.name, r.version, r.digest, r.folder, r.addedAt, r.text);
}

void readEffect(Query& q, EffectRow& r)
{
    q.read(r.effect, r.tool, r.key, r.state, r.holder, r.holderStep, r.inputSalt, r.inputDigest, r.result,
        r.changedAt, r.revision);
}

void readAttempt(Query& q, const RunId& run, AttemptRow& a)
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

}  // namespace

void readHot(Query& q, HotRow& r)
{
    q.read(r.version, r.epoch, r.control, r.owner, r.head, r.nextDue, r.format);
}

void readAudit(Query& q, AuditRow& r)
{
    q.read(r.seq, r.time, r.kind, r.verb, r.actor, r.uid, r.host, r.login, r.run, r.target, r.command,
        r.reason, r.before, r.after, r.previous, r.hash);
}

Result<StoreInfo> SqliteStore::info()
{
    Query query(db(), Sql::Info);
    CAIRN_TRY_ASSIGN(const bool row, query.step());
    if (!row)
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    StoreInfo i;
    query.read(i.id, i.schema, i.minReader, i.minWriter, i.writeFormat, i.environment, i.safety, i.testClock,
        i.clockOffset, i.salt, i.seed, i.createdAt);
    i.artifacts = m_artifacts.place();
    return i;
}

Result<TimeMs> SqliteStore::now()
{
    if (!m_info.testClock)
        return storeTime(0);
    CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(db()));
    return storeTime(numbers.clockOffset);
}

// --- one run
// -----------------------------------------------------------------------------------------------------------

Result<HotRow> SqliteStore::hot(const RunId& run)
{
    Query query(db(), Sql::HotOf);
    CAIRN_TRY_ASSIGN(const bool row, query.bind(run).step());
    if (!row)
        return missing(run);
    HotRow hot;
    readHot(query, hot);
    return hot;
}

// No transaction is needed for a consistent answer: entries up to the version just read never change.
Result<LoadedRun> SqliteStore::loadRun(const RunId& run, std::uint64_t fromVersion, std::uint64_t toVersion)
{
    LoadedRun loaded;
    {
        Query query(db(), Sql::IdentityOf);
        CAIRN_TRY_ASSIGN(const bool row, query.bind(run).step());
        if (!row)
            return missing(run);
        readIdentity(query, loaded.identity);
    }
    CAIRN_TRY_ASSIGN(loaded.hot, hot(run));
    const std::uint64_t first = std::max<std::uint64_t>(fromVersion, 1);
    const std::uint64_t last = toVersion == 0 ? loaded.hot.version : std::min(toVersion, loaded.hot.version);
    if (first > last)
        return loaded;
    Digest previous;
    if (first > 1) {
        Query query(db(), Sql::EntryHash);
        CAIRN_TRY_ASSIGN(const bool row, query.bind(run, first - 1).step());
        if (row)
            query.read(previous);
    }
    loaded.entries.reserve(last - first + 1);
    Query query(db(), Sql::Entries);
    query.bind(run, first, last);
    CAIRN_TRY(forEach(query, [&](Query& q) {
        SealedEntry& e = loaded.entries.emplace_back();
        q.read(e.version, e.command, e.format, e.hash, e.body);
        e.previous = previous;
        previous = e.hash;
    }));
    if (loaded.entries.size() != last - first + 1 || loaded.entries.back().version != last)
        return makeError(ErrorKind::Corrupt,
            "run " + toText(run) + " lacks entries between versions " + std::to_string(first) + " and "
                + std::to_string(last));
    return loaded;
}

Result<std::optional<std::uint64_t>> SqliteStore::findCommand(const RunId& run, const CommandId& command)
{
    Query query(db(), Sql::AnsweredBy);
    CAIRN_TRY_ASSIGN(const bool row, query.bind(run, command).step());
    if (!row)
        return std::optional<std::uint64_t>();
    std::uint64_t version = 0;
    query.read(version);
    return std::optional<std::uint64_t>(version);
}

Result<std::optional<RunRow>> SqliteStore::findKey(std::string_view workflow, std::string_view key)
{
    RunRow row;
    if (key.empty())
        return std::optional<RunRow>();
    {
        Query query(db(), Sql::KeyHolder);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(workflow, key).step());
        if (!found)
            return std::optional<RunRow>();
        query.read(row.run);
    }
    // Of a run that was removed its key may live on.
    for (const Sql sql : {Sql::IdentityOf, Sql::RetiredIdentity}) {
        Query query(db(), sql);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(row.run).step());
        if (!found)
            continue;
        readIdentity(query, row);
        return std::optional<RunRow>(std::move(row));
    }
    return std::optional<RunRow>();
}

Result<std::vector<RunId>> SqliteStore::findRuns(std::string_view idPrefix, std::size_t limit)
{
    const auto bounds = idBounds(idPrefix);
    if (!bounds)
        return std::vector<RunId>();
    Query query(db(), Sql::RunsBetween);
    query.bind(bounds->low, bounds->high, limit);
    return readAll<RunId>(query, [](Query& q, RunId& run) { q.read(run); });
}

Result<std::vector<StepRow>> SqliteStore::steps(const RunId& run)
{
    Query query(db(), Sql::StepsOf);
    query.bind(run);
    CAIRN_TRY_ASSIGN(auto rows, readAll<StepRow>(query, [](Query& q, StepRow& s) {
        q.read(s.ix, s.id, s.name, s.tool, s.agent, s.kind, s.safety, s.state, s.reason, s.since, s.due,
            s.revision, s.attempts, s.failures, s.lost, s.input, s.output, s.error, s.effect, s.readyAt,
            s.startedAt, s.endedAt);
    }));
    if (rows.empty())
        CAIRN_TRY(hot(run));
    return rows;
}

Result<std::vector<AttemptRow>> SqliteStore::attempts(const RunId& run, StepIx step)
{
    Query query(db(), kSchema >= 2 ? Sql::Attempts2 : Sql::Attempts1);
    query.bind(run, step, step == kNoStep);
    CAIRN_TRY_ASSIGN(
        auto rows, readAll<AttemptRow>(query, [&](Query& q, AttemptRow& a) { readAttempt(q, run, a); }));
    if (rows.empty())
        CAIRN_TRY(hot(run));
    return rows;
}

Result<std::vector<ApprovalRow>> SqliteStore::approvals(const RunId& run)
{
    Query query(db(), Sql::ApprovalsOf);
    query.bind(run);
    CAIRN_TRY_ASSIGN(auto rows, readAll<ApprovalRow>(query, [](Query& q, ApprovalRow& a) {
        q.read(a.id, a.step, a.state, a.binding, a.role, a.askedAt, a.expires, a.decidedAt, a.decidedBy,
            a.note, a.needed, a.askedBy, a.deciders);
    }));
    if (rows.empty())
        CAIRN_TRY(hot(run));
    return rows;
}

Result<std::vector<AttributeRow>> SqliteStore::attributes(const RunId& run)
{
    Query query(db(), Sql::AttributesOf);
    query.bind(run);
    CAIRN_TRY_ASSIGN(auto rows, readAll<AttributeRow>(query, [](Query& q, AttributeRow& a) {
        q.read(a.name, a.type, a.text, a.number);
    }));
    if (rows.empty())
        CAIRN_TRY(hot(run));
    return rows;
}

Result<std::vector<RunId>> SqliteStore::children(const RunId& run)
{
    Query query(db(), Sql::ChildrenOf);
    query.bind(run);
    return readAll<RunId>(query, [](Query& q, RunId& child) { q.read(child); });
}

// --- what runs share
// ---------------------------------------------------------------------------------------------------

Result<std::vector<EffectRow>> SqliteStore::effects(std::span<const EffectId> ids)
{
    std::vector<EffectRow> rows;
    for (const EffectId& id : ids) {
        Query query(db(), Sql::Effect);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(id).step());
        if (found)
            readEffect(query, rows.emplace_back());
    }
    return rows;
}

Result<std::vector<EffectRow>> SqliteStore::effectsOfRun(const RunId& run)
{
    Query query(db(), Sql::EffectsOfRun);
    query.bind(run);
    return readAll<EffectRow>(query, readEffect);
}

Result<std::vector<ResourceRow>> SqliteStore::resources()
{
    Query query(db(), Sql::Resources);
    return readAll<ResourceRow>(query, [](Query& q, ResourceRow& r) {
        q.read(r.name, r.backOffUntil, r.askedByServer, r.permitsPerSecond, r.slots, r.revision);
    });
}

Result<std::vector<WorkflowRow>> SqliteStore::workflows(bool withText)
{
    Query query(db(), withText ? Sql::WorkflowsWithText : Sql::Workflows);
    return readAll<WorkflowRow>(query, readWorkflow);
}

Result<std::optional<WorkflowRow>> SqliteStore::workflow(std::string_view name, std::uint32_t version)
{
    Query query(db(), Sql::Workflow);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(name, version, version).step());
    if (!found)
        return std::optional<WorkflowRow>();
    WorkflowRow row;
    readWorkflow(query, row);
    return std::optional<WorkflowRow>(std::move(row));
}

Result<std::vector<AuditRow>> SqliteStore::audit(std::uint64_t after, std::size_t limit)
{
    Query query(db(), Sql::Audit);
    query.bind(after, limit);
    return readAll<AuditRow>(query, readAudit);
}

Result<std::vector<AuditRow>> SqliteStore::auditOfRun(const RunId& run)
{
    Query query(db(), Sql::AuditOfRun);
    query.bind(run);
    return readAll<AuditRow>(query, readAudit);
}

Result<std::optional<std::uint64_t>> SqliteStore::auditOfCommand(const CommandId& command)
{
    Query query(db(), Sql::AuditOfCommand);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(command).step());
    if (!found)
        return std::optional<std::uint64_t>();
    std::uint64_t seq = 0;
    query.read(seq);
    return std::optional(seq);
}

Result<std::vector<AuditDay>> SqliteStore::auditDays(std::uint64_t after, std::uint64_t upTo)
{
    Query query(db(), Sql::AuditDays);
    query.bind(after, upTo);
    return readAll<AuditDay>(query,
        [](Query& q, AuditDay& day) { q.read(day.day, day.entries, day.refused, day.first, day.last); });
}

Status SqliteStore::auditPage(std::uint64_t after, std::size_t limit, std::vector<AuditRow>& page)
{
    Query query(db(), Sql::Audit);
    query.bind(after, limit);
    std::size_t read = 0;
    CAIRN_TRY(forEach(query, [&](Query& q) {
        if (read == page.size())
            page.emplace_back();
        readAudit(q, page[read++]);
    }));
    page.resize(read);
    return {};
}

void SqliteStore::interrupt() noexcept
{
    sqlite3_interrupt(db().raw());
    m_artifacts.interrupt();
}

}  // namespace cairn::sqlite
