#include "core/store/postgres/store_impl.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace cairn::postgres {

namespace {

struct Found {
    ClaimedRun run;
    TimeMs due = kNoTime;
};

// An UPDATE gives its rows in any order.
std::vector<Found> inOrder(Rows& rows)
{
    std::vector<Found> found;
    while (rows.next()) {
        Found& f = found.emplace_back();
        rows.read(f.run.run, f.run.epoch, f.run.version, f.due);
    }
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return std::tie(a.due, a.run.run) < std::tie(b.due, b.run.run);
    });
    return found;
}

Error notOpen(const SessionId& session)
{
    return makeError(ErrorKind::LeaseLost, "session " + toText(session) + " is not open");
}

}  // namespace

// The session's row is locked, shared: it cannot end while runs are given to it, so no run is left with an
// ended session that was found empty.
Status PostgresStore::claimInto(Transaction& transaction, std::vector<ClaimedRun>& claimed,
    const SessionId& session, TimeMs now, std::size_t limit)
{
    Batch first;
    first.add(Sql::LockSession, session);
    first.add(Sql::ClaimLeft, session, kMaxFormat, limit);
    CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
    if (answers[0].count() == 0)
        return notOpen(session);
    for (const Found& f : inOrder(answers[1]))
        claimed.push_back(f.run);
    if (claimed.size() >= limit)
        return {};
    Batch second;
    second.add(Sql::ClaimDue, session, now, kMaxFormat, limit - claimed.size());
    second.add(Sql::MarkEmptied);
    CAIRN_TRY_ASSIGN(auto more, transaction.run(second));
    for (const Found& f : inOrder(more[0]))
        claimed.push_back(f.run);
    return {};
}

Result<std::vector<ClaimedRun>> PostgresStore::claim(const SessionId& session, TimeMs now, std::size_t limit)
{
    std::vector<ClaimedRun> claimed;
    // An idle engine looks without writing anything.
    std::int64_t open = 0, some = 0;
    CAIRN_TRY(reading([&]() -> Status {
        CAIRN_TRY_ASSIGN(Rows rows, m_db->query(Sql::ClaimGlance, session, now, kMaxFormat));
        if (rows.next())
            rows.read(open, some);
        return {};
    }));
    if (open == 0)
        return notOpen(session);
    if (some == 0)
        return claimed;
    CAIRN_TRY(write([&](Transaction& transaction) -> Status {
        claimed.clear();
        return claimInto(transaction, claimed, session, now, limit);
    }));
    return claimed;
}

Status PostgresStore::release(const SessionId& session, std::span<const ClaimedRun> runs)
{
    std::map<RunId, const ClaimedRun*> given;
    Column ids(Type::Uuid), epochs(Type::Int8);
    for (const ClaimedRun& run : runs)
        if (given.try_emplace(run.run, &run).second) {
            ids.add(run.run);
            epochs.add(run.epoch);
        }
    HintSet what = hint::kNone;
    Status status = write(
        [&](Transaction& transaction) -> Status {
            what = hint::kNone;
            Batch first;
            first.add(Sql::LockSession, session);
            const std::size_t atOwned = first.add(Sql::LockOwned, session, ids, epochs);
            CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
            if (answers[0].count() == 0)
                return notOpen(session);
            std::map<RunId, TimeMs> due;
            Column held(Type::Uuid);
            while (answers[atOwned].next()) {
                RunId run;
                TimeMs stored = kNoTime;
                answers[atOwned].read(run, stored);
                due[run] = given[run]->nextDue.value_or(stored);
                held.add(run);
            }
            if (due.empty())
                return {};
            // Another's commit that this session has not looked at yet is the next owner's to act on, at
            // once.
            CAIRN_TRY_ASSIGN(Rows woken, transaction.query(Sql::TakeWakeupsOf, session, held));
            while (woken.next()) {
                RunId run;
                woken.read(run);
                due[run] = transaction.now();
            }
            Columns rows;
            for (const auto& [run, at] : due) {
                rows.row(run, Due{at});
                if (at != kNoTime && at <= transaction.now())
                    what = hint::kClaims;
            }
            transaction.last().add(Sql::GiveBack, rows);
            return {};
        },
        Repeat::Harmless);
    hint(status, what);
    return status;
}

Result<ClaimedRun> PostgresStore::takeOver(const RunId& run, const SessionId& session)
{
    ClaimedRun taken{run, 0, 0};
    HintSet what = hint::kNone;
    const Status status = write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::LockSession, session);
        first.add(Sql::LockRun, run);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        if (!session.isNull() && answers[0].count() == 0)
            return notOpen(session);
        if (!answers[1].next())
            return makeError(ErrorKind::NotFound, "there is no run " + toText(run));
        HotRow hot;
        readHot(answers[1], hot);
        taken = {run, hot.epoch + 1, hot.version};
        what = session.isNull() ? hint::kClaims : hint::kNone;
        if (session.isNull())
            transaction.last().add(Sql::SetOwnerDue, run, session, transaction.now());
        else
            transaction.last().add(Sql::SetOwner, run, session);
        if (!hot.owner.isNull() && hot.owner != session) {
            what = static_cast<HintSet>(what | hint::kWakeups);
            Columns wakeups;
            wakeups.row(hot.owner, run);
            transaction.last().add(Sql::AddWakeups, wakeups);
        }
        return {};
    });
    hint(status, what);
    CAIRN_TRY(status);
    return taken;
}

Status PostgresStore::openSession(const SessionRow& s)
{
    CAIRN_TRY(checkSession(s));
    CAIRN_TRY_ASSIGN(const std::uint64_t inserted,
        change(Repeat::Never, Sql::InsertSession, s.id, s.name, s.host, s.bootId, s.pidNamespace, s.pid,
            s.startTicks, s.build, s.format, s.schema, s.serves, s.startedAt, s.heartbeatAt, s.leaseUntil,
            s.endedAt));
    if (inserted == 0)
        return makeError(ErrorKind::Conflict, "session " + toText(s.id) + " was opened before");
    return {};
}

Result<bool> PostgresStore::heartbeat(const SessionId& session, TimeMs at, TimeMs leaseUntil)
{
    CAIRN_TRY_ASSIGN(
        const std::uint64_t beaten, change(Repeat::Harmless, Sql::Heartbeat, session, at, leaseUntil));
    return beaten > 0;
}

Result<bool> PostgresStore::endSession(const SessionId& session, TimeMs at, TimeMs leaseBefore)
{
    bool ended = false;
    const Status status = write([&](Transaction& transaction) -> Status {
        Batch first;
        first.add(Sql::EndSession, session, at, leaseBefore);
        CAIRN_TRY_ASSIGN(const auto answers, transaction.begin(first));
        ended = answers.front().affected() > 0;
        if (!ended)
            return {};
        transaction.last().add(Sql::DropWakeups, session);
        transaction.last().add(Sql::ReturnAllSlots, session);
        return {};
    });
    hint(status, ended ? hint::kClaims : hint::kNone);
    CAIRN_TRY(status);
    return ended;
}

Status PostgresStore::dropSessionsEndedBefore(TimeMs endedBefore)
{
    constexpr std::uint64_t kBatch = 256;
    for (std::uint64_t dropped = kBatch; dropped == kBatch;) {
        CAIRN_TRY_ASSIGN(dropped, change(Repeat::Harmless, Sql::DropSessions, endedBefore, kBatch));
    }
    return {};
}

Result<std::vector<RunId>> PostgresStore::takeWakeups(const SessionId& session)
{
    const auto readRun = [](Rows& q, RunId& run) { q.read(run); };
    CAIRN_TRY_ASSIGN(const auto some,
        readAll<std::int64_t>(
            Sql::AnyWakeup, [](Rows& q, std::int64_t& one) { q.read(one); }, session));
    std::vector<RunId> runs;
    if (some.empty())
        return runs;
    CAIRN_TRY(write([&](Transaction& transaction) -> Status {
        runs.clear();
        Batch first;
        first.add(Sql::TakeWakeups, session);
        CAIRN_TRY_ASSIGN(auto answers, transaction.begin(first));
        while (answers.front().next())
            readRun(answers.front(), runs.emplace_back());
        std::sort(runs.begin(), runs.end());
        return {};
    }));
    return runs;
}

}  // namespace cairn::postgres
