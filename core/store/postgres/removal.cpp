// Deletion of whole trees, and what is left of them. Space comes free by the server's autovacuum.

#include "core/base/failpoint.h"
#include "core/store/postgres/store_impl.h"

#include <algorithm>
#include <map>

namespace cairn::postgres {

namespace {

constexpr std::size_t kRunsForRows = 64;  // a run has about so many rows: runs are swept whole here

template<std::size_t Size> void take(std::array<std::uint8_t, Size>& out, const std::string& bytes)
{
    out.fill(0);
    if (bytes.size() == Size)
        std::copy(bytes.begin(), bytes.end(), out.begin());
}

void readTombstone(Rows& q, Tombstone& t)
{
    std::string key, signature;
    q.read(t.run, t.versions, t.head, t.act, t.deletedAt, t.changed, t.root, t.workflow, t.workflowVersion,
        t.createdAt, t.endedAt, t.as, t.rule, t.by, key, signature, t.begun);
    take(t.key.bytes, key);
    take(t.signature.bytes, signature);
}

void addRow(Columns& rows, const Tombstone& t)
{
    rows.row(t.run, t.versions, Blob{t.head.view()}, t.act, t.deletedAt, t.changed, t.root, t.workflow,
        t.workflowVersion, t.createdAt, t.endedAt, t.as, t.rule, t.by, Blob{t.key.view()},
        Blob{t.signature.view()}, t.begun);
}

// Tombstones, keys and effects of runs that were removed in another store.
void insert(Batch& batch, std::span<const RemovedRun> runs, std::uint64_t changed)
{
    Columns stones, keys, effects;
    for (const RemovedRun& run : runs) {
        Tombstone stone = run.stone;
        stone.changed = changed++;
        addRow(stones, stone);
        if (const auto& kept = run.kept)
            keys.row(stone.run, kept->workflow, TextOrNull{kept->key}, kept->input, kept->salt, kept->until);
        for (const EffectRow& e : run.effects)
            effects.row(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputSalt, e.inputDigest,
                e.result, e.changedAt, 1);
    }
    batch.add(Sql::InsertTombstones, stones);
    if (!keys.empty())
        batch.add(Sql::InsertRetired, keys);
    if (!effects.empty())
        batch.add(Sql::InsertEffects, effects);
}

TreeBonds readBonds(Rows& rows)
{
    TreeBonds bonds;
    if (rows.next())
        rows.read(
            bonds.runs, bonds.owned, bonds.messages, bonds.waiters, bonds.acts, bonds.proposals, bonds.plans);
    return bonds;
}

// What was decided on is still so. The rows are locked: nobody commits on these runs meanwhile.
bool stands(Rows& locked, Rows& bonds, const TreeRemoval& removal)
{
    if (readBonds(bonds) != TreeBonds{removal.stones.size()})
        return false;
    std::map<RunId, HotRow> there;
    while (locked.next()) {
        RunId run;
        HotRow hot;
        locked.read(run);
        locked.readMore(hot.version, hot.epoch, hot.control, hot.owner, hot.head, hot.nextDue, hot.format);
        there[run] = hot;
    }
    return std::all_of(removal.stones.begin(), removal.stones.end(), [&](const Tombstone& stone) {
        const auto found = there.find(stone.run);
        return found != there.end() && found->second.version == stone.versions
            && found->second.head == stone.head;
    });
}

void remove(Batch& batch, const TreeRemoval& removal, std::uint64_t act, std::uint64_t changed)
{
    Columns stones;
    Column runs(Type::Uuid);
    for (Tombstone stone : removal.stones) {
        stone.act = act;
        stone.changed = changed++;
        addRow(stones, stone);
        runs.add(stone.run);
    }
    batch.add(Sql::InsertTombstones, stones);
    batch.add(Sql::RetireKeys, runs, removal.keysUntil);
    batch.add(Sql::LeaveRemains, runs);
    for (const Sql sql : {Sql::RemoveLists, Sql::RemoveHots, Sql::RemoveRuns})
        batch.add(sql, runs);
}

}  // namespace

Result<std::optional<Tombstone>> PostgresStore::tombstone(const RunId& run)
{
    CAIRN_TRY_ASSIGN(auto rows, readAll<Tombstone>(Sql::TombstoneOf, readTombstone, run));
    return rows.empty() ? std::optional<Tombstone>() : std::optional(std::move(rows.front()));
}

Result<std::vector<Tombstone>> PostgresStore::tombstones(const RunId& after, std::size_t limit)
{
    return readAll<Tombstone>(Sql::Tombstones, readTombstone, RawId{after.bytes}, limit);
}

Result<std::vector<RemovedRun>> PostgresStore::removedRuns(const RunId& after, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(auto stones, tombstones(after, limit));
    std::vector<RemovedRun> out;
    std::map<RunId, std::size_t> places;
    Column runs(Type::Uuid);
    for (Tombstone& stone : stones) {
        places[stone.run] = out.size();
        runs.add(stone.run);
        out.push_back(RemovedRun{std::move(stone)});
    }
    if (out.empty())
        return out;
    return reading([&]() -> Result<std::vector<RemovedRun>> {
        Batch batch;
        batch.add(Sql::RetiredOf, runs);
        batch.add(Sql::EffectsOfHolders, runs);
        CAIRN_TRY_ASSIGN(auto answers, m_db->run(batch));
        std::vector<RemovedRun> all = out;
        while (answers[0].next()) {
            RunId run;
            RemovedRun::Key key;
            answers[0].read(run, key.workflow, key.key, key.input, key.salt, key.until);
            if (const auto at = places.find(run); at != places.end())
                all[at->second].kept = std::move(key);
        }
        while (answers[1].next()) {
            EffectRow effect;
            readEffect(answers[1], effect);
            if (const auto at = places.find(effect.holder); at != places.end())
                all[at->second].effects.push_back(std::move(effect));
        }
        return all;
    });
}

Result<std::vector<RetentionRow>> PostgresStore::retention()
{
    return readAll<RetentionRow>(Sql::Retention, [](Rows& q, RetentionRow& r) {
        q.read(r.workflow, r.keepDays, r.redactDays, r.keysDays, r.changedAt);
    });
}

Result<TreeBonds> PostgresStore::bondsOf(const RunId& root)
{
    return reading([&]() -> Result<TreeBonds> {
        CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::BondsOf, root));
        return readBonds(rows);
    });
}

Result<RunBytes> PostgresStore::bytesOf(const RunId& run)
{
    return reading([&]() -> Result<RunBytes> {
        Batch batch;
        batch.add(Sql::EntryBytes, run);
        batch.add(Sql::PayloadSizes, run);
        CAIRN_TRY_ASSIGN(auto answers, m_db->run(batch));
        RunBytes bytes;
        if (answers[0].next())
            answers[0].read(bytes.entries);
        if (answers[1].next())
            answers[1].read(bytes.payloads);
        return bytes;
    });
}

Result<StoreSpace> PostgresStore::space()
{
    return reading([&]() -> Result<StoreSpace> {
        CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::DatabaseSize));
        StoreSpace space;
        if (rows.next())
            rows.read(space.bytes);
        return space;
    });
}

Result<bool> PostgresStore::removeTree(const TreeRemoval& removal)
{
    CAIRN_TRY(checkRemoval(removal));
    bool done = false;
    CAIRN_TRY(write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockTree, removal.root);
        first.add(Sql::BondsOf, removal.root);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        done = stands(answers[0], answers[1], removal);
        if (!done) {
            m_db->rollback();
            return {};
        }
        CAIRN_TRY_ASSIGN(Rows locked, transaction.query(Sql::LockAuditHead));
        AuditHead head;
        if (!locked.next())
            return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
        locked.read(head.seq, head.hash);
        AuditRow row = removal.audit;
        chain(row, head);
        addAudit(transaction.last(), {row});
        remove(transaction.last(), removal, row.seq, transaction.number() << kPlaceBits);
        static_cast<void>(failpoint::hit("store.removing_tree"));
        return {};
    }));
    return done;
}

Status PostgresStore::extendRemoved(std::span<const RemovedRun> runs)
{
    CAIRN_TRY(checkFilled(m_options.intoFence));
    if (runs.empty())
        return {};
    return write([&](Transaction& transaction) -> Status {
        CAIRN_TRY(transaction.begin(Batch()));
        insert(transaction.last(), runs, transaction.number() << kPlaceBits);
        return {};
    });
}

Result<std::uint64_t> PostgresStore::sweepRemoved(std::size_t limit)
{
    CAIRN_TRY_ASSIGN(
        const auto some, readAll<RunId>(Sql::AnyRemains, [](Rows& q, RunId& run) { q.read(run); }));
    std::uint64_t swept = 0;
    if (some.empty())
        return swept;
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            swept = 0;
            Batch first;
            first.add(Sql::LockRemains, std::max<std::size_t>(limit / kRunsForRows, 1));
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            Column runs(Type::Uuid);
            while (answers[0].next()) {
                RunId run;
                answers[0].read(run);
                runs.add(run);
            }
            if (runs.empty())
                return {};
            Batch second;
            second.add(Sql::UnadoptOf, runs);
            for (const Sql sql : {Sql::SweepPayloads, Sql::SweepEntries, Sql::SweepSteps, Sql::SweepAttempts,
                     Sql::SweepApprovals, Sql::SweepAttributes, Sql::DropRemains})
                second.add(sql, runs);
            CAIRN_TRY_ASSIGN(const auto done, transaction.run(second));
            for (std::size_t i = 1; i < done.size(); ++i)
                swept += done[i].affected();
            static_cast<void>(failpoint::hit("store.sweeping_removed"));
            return {};
        },
        Repeat::Harmless));
    return swept;
}

Result<std::uint64_t> PostgresStore::forgetKeys(TimeMs now, std::size_t limit)
{
    CAIRN_TRY_ASSIGN(const auto some,
        readAll<int>(
            Sql::AnyKeyOver, [](Rows& q, int& one) { q.read(one); }, now));
    std::uint64_t forgotten = 0;
    if (some.empty())
        return forgotten;
    CAIRN_TRY(write(
        [&](Transaction& transaction) -> Status {
            Batch first;
            first.add(Sql::KeysOver, now, limit);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            Column runs(Type::Uuid);
            while (answers[0].next()) {
                RunId run;
                answers[0].read(run);
                runs.add(run);
            }
            forgotten = runs.size();
            if (runs.empty())
                return {};
            transaction.last().add(Sql::ForgetEffects, runs);
            transaction.last().add(Sql::ForgetKeys, runs);
            return {};
        },
        Repeat::Harmless));
    return forgotten;
}

Status PostgresStore::setRetention(const RetentionRow& row, const AuditRow& audit)
{
    CAIRN_TRY(checkRetention(row));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_options.intoFence));
    return write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockAuditHead);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        AuditHead head;
        if (!answers[0].next())
            return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
        answers[0].read(head.seq, head.hash);
        if (adds) {
            AuditRow sealed = audit;
            chain(sealed, head);
            addAudit(transaction.last(), {sealed});
        }
        transaction.last().add(Sql::SetRetention, row.workflow, row.keepDays, row.redactDays, row.keysDays,
            adds ? transaction.now() : row.changedAt);
        return {};
    });
}

Result<SecretList> PostgresStore::neverStore()
{
    return reading([&]() -> Result<SecretList> {
        CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::NeverStore));
        SecretList list;
        while (rows.next()) {
            bool pattern = false;
            std::string text;
            rows.read(pattern, text);
            (pattern ? list.patterns : list.keys).push_back(std::move(text));
        }
        return list;
    });
}

Status PostgresStore::setNeverStore(const SecretList& list, const AuditRow& audit)
{
    CAIRN_TRY(checkSecretList(list));
    CAIRN_TRY_ASSIGN(const bool adds, addsEntry(audit, m_options.intoFence));
    return write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockAuditHead);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        AuditHead head;
        if (!answers[0].next())
            return makeError(ErrorKind::Corrupt, "the audit's head row is missing");
        answers[0].read(head.seq, head.hash);
        if (adds) {
            AuditRow sealed = audit;
            chain(sealed, head);
            addAudit(transaction.last(), {sealed});
        }
        transaction.last().add(Sql::ClearNeverStore);
        Columns rows;
        for (const auto* names : {&list.keys, &list.patterns})
            for (const std::string& name : *names)
                rows.row(names == &list.patterns, name);
        if (!rows.empty())
            transaction.last().add(Sql::AddNeverStore, rows);
        return {};
    });
}

}  // namespace cairn::postgres
