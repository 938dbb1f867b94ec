// Deletion of whole trees, what is left of them, and the space that comes free.

#include "core/base/failpoint.h"
#include "core/store/sqlite/store_impl.h"

#include <algorithm>

namespace cairn::sqlite {

namespace {

constexpr std::uint64_t kPagesAtOnce = 64;  // moved in one transaction: a few milliseconds

template<std::size_t Size> void take(std::array<std::uint8_t, Size>& out, const std::string& bytes)
{
    out.fill(0);
    if (bytes.size() == Size)
        std::copy(bytes.begin(), bytes.end(), out.begin());
}

void readTombstone(Query& q, Tombstone& t)
{
    std::string key, signature;
    q.read(t.run, t.versions, t.head, t.act, t.deletedAt, t.changed, t.root, t.workflow, t.workflowVersion,
        t.createdAt, t.endedAt, t.as, t.rule, t.by, key, signature, t.begun);
    take(t.key.bytes, key);
    take(t.signature.bytes, signature);
}

Status insertTombstone(Db& db, const Tombstone& t)
{
    return Query(db, Sql::InsertTombstone)
        .bind(t.run, t.versions, Blob{t.head.view()}, t.act, t.deletedAt, t.changed, t.root, t.workflow,
            t.workflowVersion, t.createdAt, t.endedAt, t.as, t.rule, t.by, Blob{t.key.view()},
            Blob{t.signature.view()}, t.begun)
        .run();
}

Status insertRemoved(Db& db, const RemovedRun& run, std::uint64_t changed)
{
    Tombstone stone = run.stone;
    stone.changed = changed;
    CAIRN_TRY(insertTombstone(db, stone));
    if (const auto& kept = run.kept)
        CAIRN_TRY(
            Query(db, Sql::InsertRetired)
                .bind(stone.run, kept->workflow, TextOrNull{kept->key}, kept->input, kept->salt, kept->until)
                .run());
    for (const EffectRow& e : run.effects)
        CAIRN_TRY(Query(db, Sql::InsertEffect)
                      .bind(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputSalt,
                          e.inputDigest, e.result, e.changedAt)
                      .run());
    return {};
}

Result<TreeBonds> readBonds(Db& db, const RunId& root, TimeMs now)
{
    TreeBonds bonds;
    Query query(db, Sql::BondsOf);
    CAIRN_TRY_ASSIGN(const bool row, query.bind(root, now).step());
    if (row)
        query.read(
            bonds.runs, bonds.owned, bonds.messages, bonds.waiters, bonds.acts, bonds.proposals, bonds.plans);
    return bonds;
}

// What was decided on is still so.
Result<bool> stands(Db& db, const TreeRemoval& removal, TimeMs now)
{
    CAIRN_TRY_ASSIGN(const TreeBonds bonds, readBonds(db, removal.root, now));
    if (bonds != TreeBonds{removal.stones.size()})
        return false;
    for (const Tombstone& stone : removal.stones) {
        HotRow hot;
        Query query(db, Sql::HotOf);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(stone.run).step());
        if (found)
            readHot(query, hot);
        if (!found || hot.version != stone.versions || hot.head != stone.head)
            return false;
    }
    return true;
}

Status removeRun(Db& db, Tombstone stone, TimeMs keysUntil)
{
    {
        Query query(db, Sql::FirstCommand);
        CAIRN_TRY_ASSIGN(const bool found, query.bind(stone.run).step());
        if (found)
            query.read(stone.begun);
    }
    CAIRN_TRY(insertTombstone(db, stone));
    CAIRN_TRY(Query(db, Sql::RetireKeys).bind(stone.run, keysUntil).run());
    CAIRN_TRY(Query(db, Sql::LeaveRemains).bind(stone.run).run());
    for (const Sql sql : {Sql::RemoveList, Sql::RemoveHot, Sql::RemoveRun})
        CAIRN_TRY(Query(db, sql).bind(stone.run).run());
    return {};
}

Result<std::uint64_t> pragmaNumber(Db& db, Sql id)
{
    std::uint64_t value = 0;
    Query query(db, id);
    CAIRN_TRY_ASSIGN(const bool row, query.step());
    if (row)
        query.read(value);
    return value;
}

}  // namespace

Result<std::optional<Tombstone>> SqliteStore::tombstone(const RunId& run)
{
    Query query(db(), Sql::TombstoneOf);
    CAIRN_TRY_ASSIGN(const bool found, query.bind(run).step());
    if (!found)
        return std::optional<Tombstone>();
    Tombstone stone;
    readTombstone(query, stone);
    return std::optional(std::move(stone));
}

Error SqliteStore::missing(const RunId& run)
{
    const auto stone = tombstone(run);
    return makeError(
        ErrorKind::NotFound, stone && *stone ? removedText(**stone) : "there is no run " + toText(run));
}

Result<std::vector<Tombstone>> SqliteStore::tombstones(const RunId& after, std::size_t limit)
{
    Query query(db(), Sql::Tombstones);
    query.bind(Blob{after.view()}, limit);
    return readAll<Tombstone>(query, readTombstone);
}

Result<std::vector<RemovedRun>> SqliteStore::removedRuns(const RunId& after, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(auto stones, tombstones(after, limit));
    std::vector<RemovedRun> out;
    out.reserve(stones.size());
    for (Tombstone& stone : stones) {
        RemovedRun& run = out.emplace_back(RemovedRun{std::move(stone)});
        {
            Query query(db(), Sql::RetiredOf);
            CAIRN_TRY_ASSIGN(const bool kept, query.bind(run.stone.run).step());
            if (!kept)
                continue;
            RemovedRun::Key& key = run.kept.emplace();
            query.read(key.workflow, key.key, key.input, key.salt, key.until);
        }
        CAIRN_TRY_ASSIGN(run.effects, effectsOfRun(run.stone.run));
    }
    return out;
}

Result<std::vector<RetentionRow>> SqliteStore::retention()
{
    Query query(db(), Sql::Retention);
    return readAll<RetentionRow>(query, [](Query& q, RetentionRow& r) {
        q.read(r.workflow, r.keepDays, r.redactDays, r.keysDays, r.changedAt);
    });
}

Result<TreeBonds> SqliteStore::bondsOf(const RunId& root)
{
    CAIRN_TRY_ASSIGN(const TimeMs clock, now());
    return readBonds(db(), root, clock);
}

Result<RunBytes> SqliteStore::bytesOf(const RunId& run)
{
    RunBytes bytes;
    const auto add = [&](Sql sql, std::uint64_t& value) -> Status {
        Query query(db(), sql);
        CAIRN_TRY_ASSIGN(const bool row, query.bind(run).step());
        if (row)
            query.read(value);
        return {};
    };
    CAIRN_TRY(add(Sql::EntryBytes, bytes.entries));
    CAIRN_TRY(add(Sql::PayloadSizes, bytes.payloads));
    return bytes;
}

Result<StoreSpace> SqliteStore::space()
{
    CAIRN_TRY_ASSIGN(const std::uint64_t size, pragmaNumber(db(), Sql::PageSize));
    CAIRN_TRY_ASSIGN(const std::uint64_t pages, pragmaNumber(db(), Sql::PageCount));
    CAIRN_TRY_ASSIGN(const std::uint64_t free, pragmaNumber(db(), Sql::FreePages));
    return StoreSpace{pages * size, free * size};
}

Status SqliteStore::removing(const Body& body)
{
    m_connection->allow({.removal = true});
    const Status status = write(body);
    m_connection->allow({});
    return status;
}

Result<bool> SqliteStore::removeTree(const TreeRemoval& removal)
{
    CAIRN_TRY(checkRemoval(removal));
    bool done = false;
    CAIRN_TRY(removing([&](const WriteContext& context) -> Status {
        CAIRN_TRY_ASSIGN(done, stands(db(), removal, context.now));
        if (!done)
            return {};
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        CAIRN_TRY(insertAudit(db(), removal.audit, head));
        CAIRN_TRY_ASSIGN(std::uint64_t changed, pragmaNumber(db(), Sql::ChangeCounter));
        for (Tombstone stone : removal.stones) {
            stone.act = head.seq;
            stone.changed = ++changed;
            CAIRN_TRY(removeRun(db(), stone, removal.keysUntil));
            static_cast<void>(failpoint::hit("store.removing_tree"));
        }
        return Query(db(), Sql::SetChangeCounter).bind(changed).run();
    }));
    return done;
}

Status SqliteStore::extendRemoved(std::span<const RemovedRun> runs)
{
    CAIRN_TRY(checkFilled(m_intoFence));
    return write([&](const WriteContext&) -> Status {
        CAIRN_TRY_ASSIGN(std::uint64_t changed, pragmaNumber(db(), Sql::ChangeCounter));
        for (const RemovedRun& run : runs)
            CAIRN_TRY(insertRemoved(db(), run, ++changed));
        return Query(db(), Sql::SetChangeCounter).bind(changed).run();
    });
}

// Chunks of a removed payload are nobody's: they go with what was staged and never used.
Result<std::uint64_t> SqliteStore::sweepPayloads(const RunId& run, std::uint64_t limit)
{
    std::vector<ArtifactId> artifacts;
    {
        Query query(db(), Sql::SweepArtifacts);
        query.bind(run, limit);
        CAIRN_TRY_ASSIGN(
            artifacts, readAll<ArtifactId>(query, [](Query& q, ArtifactId& artifact) { q.read(artifact); }));
    }
    CAIRN_TRY(Query(db(), Sql::SweepPayloads).bind(run, limit).run());
    const auto swept = static_cast<std::uint64_t>(db().changes());
    for (const ArtifactId& artifact : artifacts)
        CAIRN_TRY(Query(db(), Sql::Unadopt).bind(artifact).run());
    return swept;
}

Result<std::uint64_t> SqliteStore::sweepRemoved(std::size_t limit)
{
    std::uint64_t swept = 0;
    CAIRN_TRY(removing([&](const WriteContext&) -> Status {
        swept = 0;
        const auto count = [&] { swept += static_cast<std::uint64_t>(db().changes()); };
        while (swept < limit) {
            RunId run;
            {
                Query query(db(), Sql::RemainsOf);
                CAIRN_TRY_ASSIGN(const bool some, query.step());
                if (!some)
                    return {};
                query.read(run);
            }
            const std::uint64_t before = swept;
            CAIRN_TRY_ASSIGN(const std::uint64_t payloads, sweepPayloads(run, limit - swept));
            swept += payloads;
            for (const Sql sql : {Sql::SweepEntries, Sql::SweepSteps, Sql::SweepAttempts, Sql::SweepApprovals,
                     Sql::SweepAttributes})
                if (swept < limit) {
                    CAIRN_TRY(Query(db(), sql).bind(run, limit - swept).run());
                    count();
                }
            if (swept < limit) {
                CAIRN_TRY(Query(db(), Sql::DropRemains).bind(run).run());
                count();
            }
            if (swept == before)
                return makeError(
                    ErrorKind::Internal, "what is left of run " + toText(run) + " cannot be swept");
            static_cast<void>(failpoint::hit("store.sweeping_removed"));
        }
        return {};
    }));
    return swept;
}

Result<std::uint64_t> SqliteStore::forgetKeys(TimeMs now, std::size_t limit)
{
    std::uint64_t forgotten = 0;
    CAIRN_TRY(write([&](const WriteContext&) -> Status {
        std::vector<RunId> over;
        {
            Query query(db(), Sql::KeysOver);
            query.bind(now, limit);
            CAIRN_TRY_ASSIGN(over, readAll<RunId>(query, [](Query& q, RunId& run) { q.read(run); }));
        }
        for (const RunId& run : over) {
            CAIRN_TRY(Query(db(), Sql::ForgetEffects).bind(run).run());
            CAIRN_TRY(Query(db(), Sql::ForgetKey).bind(run).run());
        }
        forgotten = over.size();
        return {};
    }));
    return forgotten;
}

Status SqliteStore::setRetention(const RetentionRow& row, const AuditRow& audit)
{
    CAIRN_TRY(checkRetention(row));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_intoFence));
    return write([&](const WriteContext& context) -> Status {
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        if (adds)
            CAIRN_TRY(insertAudit(db(), audit, head));
        return Query(db(), Sql::SetRetention)
            .bind(
                row.workflow, row.keepDays, row.redactDays, row.keysDays, adds ? context.now : row.changedAt)
            .run();
    });
}

Result<SecretList> SqliteStore::neverStore()
{
    SecretList list;
    Query query(db(), Sql::NeverStore);
    CAIRN_TRY(forEach(query, [&](Query& q) {
        bool pattern = false;
        std::string text;
        q.read(pattern, text);
        (pattern ? list.patterns : list.keys).push_back(std::move(text));
    }));
    return list;
}

Status SqliteStore::setNeverStore(const SecretList& list, const AuditRow& audit)
{
    CAIRN_TRY(checkSecretList(list));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_intoFence));
    return write([&](const WriteContext&) -> Status {
        CAIRN_TRY_ASSIGN(AuditHead head, readAuditHead(db()));
        if (adds)
            CAIRN_TRY(insertAudit(db(), audit, head));
        CAIRN_TRY(Query(db(), Sql::ClearNeverStore).run());
        for (const auto* names : {&list.keys, &list.patterns})
            for (const std::string& name : *names)
                CAIRN_TRY(Query(db(), Sql::AddNeverStore).bind(names == &list.patterns, name).run());
        return {};
    });
}

Result<std::uint64_t> SqliteStore::giveBack(std::uint64_t bytes)
{
    CAIRN_TRY_ASSIGN(const StoreSpace before, space());
    CAIRN_TRY_ASSIGN(const std::uint64_t size, pragmaNumber(db(), Sql::PageSize));
    std::uint64_t left = std::min(bytes, before.free) / std::max<std::uint64_t>(size, 1);
    while (left > 0) {
        CAIRN_TRY(write([&](const WriteContext&) { return db().exec("PRAGMA incremental_vacuum(64)"); }));
        left -= std::min(left, kPagesAtOnce);
    }
    CAIRN_TRY_ASSIGN(const StoreSpace after, space());
    return before.bytes > after.bytes ? before.bytes - after.bytes : std::uint64_t{0};
}

}  // namespace cairn::sqlite
